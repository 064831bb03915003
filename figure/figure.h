/*
 * Figures for papers: charts (report/chart.h) of results, traces and sweeps on a page in
 * millimetres, as SVG or PDF. Internal to cm200.
 */
#ifndef CM_FIGURE_FIGURE_H
#define CM_FIGURE_FIGURE_H

#include "../base/error.h"
#include "../report/chart.h"

#include <stdbool.h>
#include <stdint.h>

/* How a figure looks. */
struct cm_figure_page {
    const char *path; /* its end, .svg or .pdf, is the format */
    double millimetres[2];
    double points; /* size of the letters */
    const char *font;
    const char *title; /* NULL: none is drawn */
    const char *name;  /* of the figure in the file */
    const char *about; /* what it was made of */
};

/* page.c: refuses a format, or a font, that no page can have. CM_USAGE, with a message about the
 * option. Costs nothing, so that callers can check before they run anything. */
enum cm_status cm_figure_check(const struct cm_figure_page *page, struct cm_error *err);
/* Draws a chart, whose sizes become those of the page, and appends the file to `out`. */
enum cm_status cm_figure_draw(struct cm_chart *chart, const struct cm_figure_page *page,
                              struct cm_buffer *out, struct cm_error *err);

/* pdf.c: with cairo; CM_USAGE in a build without. */
bool cm_figure_has_pdf(void);
enum cm_status cm_figure_pdf(const struct cm_chart *chart, const struct cm_figure_page *page,
                             struct cm_buffer *out, struct cm_error *err);

/* curve.c: points over two axes, those of a group joined. */
struct cm_figure_point {
    double x, y;
    uint32_t run;
    const char *group; /* NULL: there is one */
};
struct cm_figure_curve {
    const char *x, *y;       /* the values' names */
    const char *logarithmic; /* "x", "y", "xy"; NULL: neither */
};
/* Sorts the points, and appends the drawn page to `out`. CM_USAGE if there is no point, if two
 * points of a group have the same x, or if a logarithmic axis has a value of 0 or below. */
enum cm_status cm_figure_curve(const struct cm_figure_curve *curve, struct cm_figure_point *points,
                               uint32_t count, const struct cm_figure_page *page,
                               struct cm_buffer *out, struct cm_error *err);
/* A name with its unit, as in "cycles (10³)": ticks of `axis` are divided accordingly. */
void cm_figure_label(struct cm_chart_axis *axis, const char *name, char *label, size_t size);
const char *cm_figure_colour(uint32_t i);
#define CM_FIGURE_COLOURS 7u

/* read.c: what a figure is drawn of: results, traces, and rows of sweeps. */
struct cm_trace;
struct cm_json_document;
struct cm_figure_row {
    char *name; /* a file; of a sweep's row its file and run */
    struct cm_json_document *result;
    struct cm_trace *trace;
    char **cells; /* of a sweep; in its table's order */
    const struct cm_figure_table *table;
};
struct cm_figure_table {
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
/* Adds what a file holds. Finish the data in either case. */
enum cm_status cm_figure_read(struct cm_figure_data *data, const char *path, struct cm_error *err);
void cm_figure_data_finish(struct cm_figure_data *data);
/* The value of a row that a name stands for, as text in `text`; false: it has none. A name is a
 * path in a result ("cycles_by_cause/load") or a column of a table; a key of the machine, param.X
 * and option.nodes stand for what the row says of its making. */
bool cm_figure_text(const struct cm_figure_row *row, const char *name, char *text, size_t size);
bool cm_figure_number(const struct cm_figure_row *row, const char *name, double *value);

/* bars.c: stacked bars of cycles by cause or phase, or one value each; strips of steps or
 * phases over time. Returns an exit code. */
struct cm_figure_bars {
    const char *x, *y; /* the value that labels a bar, and that is its length; NULL: usual ones */
    bool level;
};
enum cm_status cm_figure_bars(const struct cm_figure_bars *how, const struct cm_figure_data *data,
                              const struct cm_figure_page *page, struct cm_buffer *out,
                              struct cm_error *err);
enum cm_status cm_figure_strip(const struct cm_figure_bars *how, const struct cm_figure_data *data,
                               const struct cm_figure_page *page, struct cm_buffer *out,
                               struct cm_error *err);

#endif
