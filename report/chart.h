/* Charts with two axes, which show a few series of points, or stacked bars. Internal to the
 * library. */
#ifndef CM_REPORT_CHART_H
#define CM_REPORT_CHART_H

#include "ink.h"

#include <stdbool.h>

/* An axis from `first` to `last`, which must differ. Both are above 0 on a logarithmic axis. */
struct cm_chart_axis {
    const char *label;
    double first, last;
    /* base of a logarithmic axis, which has a tick at each power of the base. 0: a linear axis */
    uint32_t base;
    double unit; /* divisor of the numbers that are written at ticks. 0: no division */
};

struct cm_chart_series {
    const char *label; /* name of the series in the legend. NULL: the legend has no entry */
    const double *x, *y;
    /* ends of a vertical bar through each point, for example a confidence interval. NULL: the
     * series has no bars. NAN: this point has no bar. */
    const double *low, *high;
    uint32_t count;
    /* line that joins the points. Its colour is also the colour of the marks */
    struct cm_svg_pen line;
    double radius; /* radius of the marks. 0: no marks */
    /* width of the outline, if the marks are circles. 0: the marks are filled discs */
    double edge;
    const char *inside; /* colour inside the circles. NULL: the circles are not filled */
};

/* Hatching of an area, for figures in print. Each direction of the hatching lines has a bit. */
enum cm_chart_hatch {
    CM_HATCH_UP = 1,
    CM_HATCH_DOWN = 2,
    CM_HATCH_LEVEL = 4,
    CM_HATCH_UPRIGHT = 8
};

/* A piece of a stacked bar. */
struct cm_chart_piece {
    double first, last; /* interval on the axis along which the bar extends */
    uint32_t bar, kind; /* number of the bar, and number of the kind of piece, from 0 */
};

/* Kind of pieces of stacked bars, which has a colour and an entry in the legend. */
struct cm_chart_kind {
    const char *label, *fill;
    unsigned hatch;
};

/* Stacked bars. Each has a label and a place on one axis, and its pieces lie along the other axis.
 */
struct cm_chart_bars {
    const char *const *labels;
    uint32_t count;
    const struct cm_chart_kind *kinds;
    uint32_t kind_count;
    const struct cm_chart_piece *pieces;
    uint32_t piece_count;
    /* True if the bars are horizontal, the first at the top. False if they are vertical. */
    bool level;
};

struct cm_chart {
    const char *title; /* title of the chart. NULL: no title */
    /* text about the origin of the data, which is in the file but not drawn. NULL: no text */
    const char *description;
    struct cm_chart_axis x, y;
    bool legend_right; /* true if the legend is at the top right instead of the top left */
    bool legend_below; /* true if the legend is below the axes, in rows */
    const struct cm_chart_series *series;
    uint32_t series_count;
    const struct cm_chart_bars *bars; /* the bars. NULL: the chart has series only */
    /* Size of the picture and of its letters, in pixels. 0: 760 by 500, and 14 for letters. */
    double width, height, letters;
};

/* Writes a chart as a whole SVG picture. Series are clipped at the frame of the axes. */
void cm_chart_svg(const struct cm_chart *chart, struct cm_buffer *svg);
/* Draws only the chart, on white ground, by the operations of `ink`. Returns false when out of
 * memory. */
bool cm_chart_draw(const struct cm_chart *chart, const struct cm_ink *ink);

#endif
