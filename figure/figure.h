/*
 * Figures for papers: charts (report/chart.h) of results, traces and tables of sweeps, on a page in
 * millimetres, as SVG or PDF. `cm200 figure`, sweeps and tables of shifts draw them.
 *
 * A figure is drawn from rows: a result is a row, a trace is a row, and each row of a table is a
 * row. A value of a row has a name: a path in the result, or a column of the table. All
 * drawing functions append the file to a buffer. The room prints nothing and writes no file.
 *
 * read.c   reads the files that a figure is drawn from, as rows.
 * bars.c   draws bars and strips: cycles by cause or phase.
 * points.c makes the points of curves from rows, with their intervals and bounds.
 * curve.c  draws curves: one value against another.
 * label.c  names axes, with units.
 * page.c   puts a chart on a page.
 * pdf.c    is the PDF backend, with cairo.
 */
#ifndef CM_FIGURE_FIGURE_H
#define CM_FIGURE_FIGURE_H

#include "../base/error.h"
#include "../report/chart.h"

#include <stdbool.h>
#include <stdint.h>

/* Look of a figure. The caller owns all strings. */
struct cm_figure_page {
    const char *path; /* path of the figure. Its end, .svg or .pdf, selects the format. */
    double millimetres[2];
    double points; /* size of the letters, in points */
    const char *font;
    const char *title; /* title above the chart. NULL: no title. */
    const char *name;  /* name of the figure, in the metadata of the file */
    const char *about; /* description of the data, in the metadata of the file */
};

/* page.c: refuses a format or a font that no page can have. CM_USAGE, with a message about the
 * option. Callers check pages before they run anything. */
enum cm_status cm_figure_check(const struct cm_figure_page *page, struct cm_error *err);
/* Sets the sizes of a chart to those of the page, draws the chart, and appends the file to
 * `out`. */
enum cm_status cm_figure_draw(struct cm_chart *chart, const struct cm_figure_page *page,
                              struct cm_buffer *out, struct cm_error *err);

/* pdf.c: returns true if this build can write PDF. */
bool cm_figure_has_pdf(void);
enum cm_status cm_figure_pdf(const struct cm_chart *chart, const struct cm_figure_page *page,
                             struct cm_buffer *out, struct cm_error *err);

/* curve.c: a point of a curve. The points of a group are joined by a line. */
struct cm_figure_point {
    double x, y;
    double low, high; /* ends of the interval of y. NAN: unknown */
    double bound;     /* largest x that the network can carry. NAN: unknown */
    bool open;        /* true if y was not measured in a steady state. Draws an open circle */
    uint32_t run;
    const char *group; /* label of the point's line. NULL: there is a single line. */
};
struct cm_figure_curve {
    const char *x, *y; /* names of the values */
    const char *group; /* name of the value with a line for each. NULL: a single line. */
    const char *x_title, *y_title; /* labels of the axes. NULL: the names with their units. */
    const char *logarithmic;       /* logarithmic axes: "x", "y", "xy". NULL: neither. */
};
/*
 * Sorts the points, and appends the figure to `out`. If some points are open and much higher than
 * the others, the y axis ends above the others, and the line leaves the figure at the top. The
 * bound is a vertical line, one for all groups or one for each.
 *
 * CM_USAGE if there are no points, if two points of a group have the same x, or if a logarithmic
 * axis has a value of 0 or below.
 */
enum cm_status cm_figure_curve(const struct cm_figure_curve *curve, struct cm_figure_point *points,
                               uint32_t count, const struct cm_figure_page *page,
                               struct cm_buffer *out, struct cm_error *err);
/* Writes the label of an axis: a name with its unit, as in "cycles (10³)". The ticks of the axis
 * are divided accordingly. */
void cm_figure_label(struct cm_chart_axis *axis, const char *name, char *label, size_t size);
const char *cm_figure_colour(uint32_t i);
#define CM_FIGURE_COLOURS 7u

/* points.c: looks a value up by its name. Returns false if there is no such value. */
typedef bool (*cm_figure_lookup)(const void *row, const char *name, char *text, size_t size);
/*
 * Makes the point of a row, but not its group. Next to x and y the row may have more about y:
 *
 *   interval    Y_low and Y_high, or interval/0 and interval/1 next to Y. Of a throughput
 *               throughput_interval/0 and /1
 *   open        "steady" is another word than "yes", or "saturated" is true or 1
 *   bound       "bound" or "throughput_bound", if x is a rate
 *
 * The names of a step's values begin as Y does, with steps/N/. Returns false if x or y is not a
 * number.
 */
bool cm_figure_make_point(const struct cm_figure_curve *curve, cm_figure_lookup lookup,
                          const void *row, struct cm_figure_point *point);
/* Draws a curve of rows, and appends the figure to `out`. CM_USAGE also if a table lacks a column
 * that the curve needs. The message lists the columns that there are. */
struct cm_figure_data;
enum cm_status cm_figure_rows_curve(const struct cm_figure_curve *curve,
                                    const struct cm_figure_data *data,
                                    const struct cm_figure_page *page, struct cm_buffer *out,
                                    struct cm_error *err);
/* Returns true if all rows are of tables of latency against load, which cm200 route --csv writes
 * for several rates. */
bool cm_figure_is_load(const struct cm_figure_data *data);
/* Names of latency against load. */
#define CM_FIGURE_LOAD_X "offered"
#define CM_FIGURE_LOAD_Y "mean"

/* read.c: a row that a figure is drawn from. One of `result`, `trace` and `table` is not NULL. */
struct cm_trace;
struct cm_json_document;
struct cm_figure_row {
    char *name; /* name of the file, and for a row of a table its number */
    struct cm_json_document *result;
    struct cm_trace *trace;
    char **cells; /* cells of a row of a table, in the order of the table's columns */
    const struct cm_figure_table *table;
};
struct cm_figure_table {
    char *name;    /* name of the file, without .csv */
    char *made_of; /* text of FILE.made_by.json. NULL: there is no such file */
    char *text;
    char **columns;
    uint32_t column_count;
    struct cm_figure_table *next;
};
struct cm_figure_data {
    struct cm_figure_row *rows;
    uint32_t count, capacity;
    struct cm_figure_table *tables;
};
/* Adds the rows of a file. The caller finishes the data in either case. */
enum cm_status cm_figure_read(struct cm_figure_data *data, const char *path, struct cm_error *err);
/* Adds the rows of a table in memory. `name` is shown in errors and labels. */
enum cm_status cm_figure_read_text(struct cm_figure_data *data, const char *name, const char *text,
                                   struct cm_error *err);
void cm_figure_data_finish(struct cm_figure_data *data);
/* Copies the value that a name has in a row. False: the row has no such value. A name is a path in
 * a result ("cycles_by_cause/load") or a column of a table. A key of the machine, param.X and
 * option.nodes are also names: of what the row was made of. "name" is that of the row, and "file"
 * that of its table. */
bool cm_figure_text(const struct cm_figure_row *row, const char *name, char *text, size_t size);
bool cm_figure_number(const struct cm_figure_row *row, const char *name, double *value);

/* bars.c: how bars and strips look. */
struct cm_figure_bars {
    /* value that labels a bar, and value that is its length. NULL: the usual ones. */
    const char *x, *y;
    bool level;
};
enum cm_status cm_figure_bars(const struct cm_figure_bars *how, const struct cm_figure_data *data,
                              const struct cm_figure_page *page, struct cm_buffer *out,
                              struct cm_error *err);
enum cm_status cm_figure_strip(const struct cm_figure_bars *how, const struct cm_figure_data *data,
                               const struct cm_figure_page *page, struct cm_buffer *out,
                               struct cm_error *err);

#endif
