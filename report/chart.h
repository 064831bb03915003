/* Charts: a few series of points, or stacked bars, over two axes. Internal to the library. */
#ifndef CM_REPORT_CHART_H
#define CM_REPORT_CHART_H

#include "ink.h"

#include <stdbool.h>

/* An axis from `first` to `last`, which differ, and are both above 0 on a logarithmic axis. */
struct cm_chart_axis {
    const char *label;
    double first, last;
    uint32_t base; /* base of a logarithmic axis, which has a tick at each power. 0: linear */
    double unit;   /* divisor of the values at ticks. 0: no division */
};

struct cm_chart_series {
    const char *label; /* in the legend. NULL: the series has no entry */
    const double *x, *y;
    /* ends of a bar through each point, as of an interval. NULL: no bars. NAN: no bar here. */
    const double *low, *high;
    uint32_t count;
    struct cm_svg_pen line; /* line that joins the points, whose colour the marks have, too */
    double radius;          /* radius of the marks. 0: no marks */
    double edge;            /* width of the circles that are the marks. 0: discs */
    const char *inside;     /* colour within circles. NULL: nothing is drawn there */
};

/* Hatching of an area for print: a bit for each direction of its lines. */
enum cm_chart_hatch {
    CM_HATCH_UP = 1,
    CM_HATCH_DOWN = 2,
    CM_HATCH_LEVEL = 4,
    CM_HATCH_UPRIGHT = 8
};

/* A piece of a bar. */
struct cm_chart_piece {
    double first, last; /* interval on the axis of values */
    uint32_t bar, kind; /* number of the bar and of the kind of piece, from 0 */
};

/* Kind of pieces of bars: an entry of the legend. */
struct cm_chart_kind {
    const char *label, *fill;
    unsigned hatch;
};

/* Bars, each with a label and a place on one axis. Their pieces lie along the other axis. */
struct cm_chart_bars {
    const char *const *labels;
    uint32_t count;
    const struct cm_chart_kind *kinds;
    uint32_t kind_count;
    const struct cm_chart_piece *pieces;
    uint32_t piece_count;
    bool level; /* True if bars lie along x, the first at the top. False if bars stand along y. */
};

struct cm_chart {
    const char *title; /* title. NULL: no title */
    /* origin of the data, as text in the file that is not drawn. NULL: none */
    const char *description;
    struct cm_chart_axis x, y;
    bool legend_right; /* true if the legend is at the top right instead of the top left */
    bool legend_below; /* true if the legend is below the axes, in rows */
    const struct cm_chart_series *series;
    uint32_t series_count;
    const struct cm_chart_bars *bars; /* bars. NULL: the chart has series only */
    /* Size of the picture and of its letters. 0: 760 by 500 and 14 pixels. */
    double width, height, letters;
};

/* Writes a whole picture. Series are clipped at the frame of the axes. */
void cm_chart_svg(const struct cm_chart *chart, struct cm_buffer *svg);
/* Draws the chart alone, on white ground. Returns false when out of memory. */
bool cm_chart_draw(const struct cm_chart *chart, const struct cm_ink *ink);

#endif
