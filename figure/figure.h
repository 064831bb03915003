/*
 * Figures for papers: charts (report/chart.h) of results, traces and tables of sweeps, on a page in
 * millimetres, as SVG or PDF. `cm200 figure`, sweeps and tables of shifts draw them.
 *
 * A figure is drawn from rows: a result is a row, a trace is a row, and each row of a table is a
 * row. A value in a row has a name: a path in the result, or a column of the table. All drawing
 * functions append the drawn file to a buffer. The room prints nothing and writes no file.
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

/* Look and format of a figure. The caller owns all strings. */
struct cm_figure_page {
    const char *path; /* path of the figure's file. Its end, .svg or .pdf, selects the format. */
    double millimetres[2];
    double points; /* size of the letters, in points */
    const char *font;
    const char *title; /* title above the chart. NULL: no title. */
    const char *name;  /* name of the figure, in the metadata of the file */
    const char *about; /* description of the data, in the metadata of the file */
};

/* page.c: checks the look of a figure. Fails with CM_USAGE for an unknown file format or a font
 * name that no file can hold, with a message about the option. Callers check pages before they run
 * anything. */
enum cm_status cm_figure_check(const struct cm_figure_page *page, struct cm_error *err);
/* Gives a chart the sizes of the page, draws it, and appends the bytes of the file to `out`. */
enum cm_status cm_figure_draw(struct cm_chart *chart, const struct cm_figure_page *page,
                              struct cm_buffer *out, struct cm_error *err);

/* pdf.c: returns true if this build can write PDF. */
bool cm_figure_has_pdf(void);
enum cm_status cm_figure_pdf(const struct cm_chart *chart, const struct cm_figure_page *page,
                             struct cm_buffer *out, struct cm_error *err);

/* curve.c: a point of a curve. The points of one group are joined by a line. */
struct cm_figure_point {
    double x, y;
    double low, high; /* ends of the confidence interval of y. NAN: unknown */
    /* upper bound of x: the largest rate that the network can carry. NAN: unknown */
    double bound;
    /* true if y was not measured in a steady state. The point is then drawn as an open circle */
    bool open;
    uint32_t run;
    const char *group; /* label of the point's line. NULL: there is a single line. */
};
struct cm_figure_curve {
    const char *x, *y; /* names of the values along the two axes */
    /* name of the value that forms the groups: each of its values has a line. NULL: a single line.
     */
    const char *group;
    /* labels of the axes. NULL: the names of the values with their units. */
    const char *x_title, *y_title;
    /* the logarithmic axes: "x", "y" or "xy". NULL: no axis is logarithmic. */
    const char *logarithmic;
};
/*
 * Draws curves. Sorts the points, and appends the figure to `out`. If open points are much higher
 * than the other points, the y axis ends above the other points, and the line leaves the figure at
 * the top. The bound of x is a vertical line, for all groups together or for each group.
 *
 * CM_USAGE if there are no points, if two points of a group have the same x, or if a logarithmic
 * axis has a value of 0 or below.
 */
enum cm_status cm_figure_curve(const struct cm_figure_curve *curve, struct cm_figure_point *points,
                               uint32_t count, const struct cm_figure_page *page,
                               struct cm_buffer *out, struct cm_error *err);
/* Writes the label of an axis: a name with its unit, as in "cycles (10³)". The numbers at the ticks
 * of the axis are divided by the power of ten. */
void cm_figure_label(struct cm_chart_axis *axis, const char *name, char *label, size_t size);
const char *cm_figure_colour(uint32_t i);
#define CM_FIGURE_COLOURS 7u

/* points.c: looks up a value of a row by its name. Returns false if the row has no such value. */
typedef bool (*cm_figure_lookup)(const void *row, const char *name, char *text, size_t size);
/*
 * Makes a point of a curve from a row of data, without the point's group. Besides x and y, the row
 * may have these values about y:
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
/* Draws a curve from rows of data, and appends the figure to `out`. Fails with CM_USAGE also if a
 * table lacks a column that the curve needs. The message lists the columns of the table. */
struct cm_figure_data;
enum cm_status cm_figure_rows_curve(const struct cm_figure_curve *curve,
                                    const struct cm_figure_data *data,
                                    const struct cm_figure_page *page, struct cm_buffer *out,
                                    struct cm_error *err);
/* Returns true if all rows belong to tables of latency against load. cm200 route --csv writes such
 * tables for several rates. */
bool cm_figure_is_load(const struct cm_figure_data *data);
/* Names of the values in a figure of latency against load. */
#define CM_FIGURE_LOAD_X "offered"
#define CM_FIGURE_LOAD_Y "mean"

/* read.c: a row of data that a figure is drawn from. One of `result`, `trace` and `table` is not
 * NULL. */
struct cm_trace;
struct cm_json_document;
struct cm_figure_row {
    char *name; /* name of the file, and the row's number if the file is a table */
    struct cm_json_document *result;
    struct cm_trace *trace;
    /* cells of the row, if it is a row of a table, in the order of the table's columns */
    char **cells;
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
/* Adds the rows of a file to the data. The caller finishes the data in either case. */
enum cm_status cm_figure_read(struct cm_figure_data *data, const char *path, struct cm_error *err);
/* Adds the rows of a table in memory to the data. `name` stands for the file in errors and labels.
 */
enum cm_status cm_figure_read_text(struct cm_figure_data *data, const char *name, const char *text,
                                   struct cm_error *err);
void cm_figure_data_finish(struct cm_figure_data *data);
/* Copies the value that a name has in a row, as text. Returns false if the row has no such value. A
 * name is a path in a result ("cycles_by_cause/load") or a column of a table. Keys of the machine,
 * param.X and option.nodes are also names, of the settings that the row was made with. "name" is
 * the name of the row, and "file" is the name of its table. */
bool cm_figure_text(const struct cm_figure_row *row, const char *name, char *text, size_t size);
bool cm_figure_number(const struct cm_figure_row *row, const char *name, double *value);

/* bars.c: look of bar charts and strips. */
struct cm_figure_bars {
    /* names of the values that label a bar and give its length. NULL: the default values. */
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
