/* Charts: a few series of points, or stacked bars, over two axes. Internal to the library. */
#ifndef CM_REPORT_CHART_H
#define CM_REPORT_CHART_H

#include "ink.h"

#include <stdbool.h>

/* From `first` to `last`, which differ; both above 0 when it is logarithmic. */
struct cm_chart_axis {
    const char *label;
    double first, last;
    uint32_t base; /* logarithmic, with a tick at each power of it; 0: linear */
    double unit;   /* ticks show values divided by it; 0: by one */
};

struct cm_chart_series {
    const char *label; /* in the legend */
    const double *x, *y;
    uint32_t count;
    struct cm_svg_pen line; /* joins the points; its colour is that of the marks, too */
    double radius;          /* of the marks; 0: none */
    double edge;            /* the marks are circles of such a line; 0: discs */
};

/* Hatching of an area, for print: a bit for each direction of its lines. */
enum cm_chart_hatch {
    CM_HATCH_UP = 1,
    CM_HATCH_DOWN = 2,
    CM_HATCH_LEVEL = 4,
    CM_HATCH_UPRIGHT = 8
};

/* A piece of a bar. */
struct cm_chart_piece {
    double first, last; /* along the axis of values */
    uint32_t bar, kind; /* from 0, both */
};

/* What pieces are: an entry of the legend. */
struct cm_chart_kind {
    const char *label, *fill;
    unsigned hatch;
};

/* Bars, each with a label and a place of its own on one axis; pieces lie along the other one. */
struct cm_chart_bars {
    const char *const *labels;
    uint32_t count;
    const struct cm_chart_kind *kinds;
    uint32_t kind_count;
    const struct cm_chart_piece *pieces;
    uint32_t piece_count;
    bool level; /* bars lie along x: the first at the top; else they stand along y */
};

struct cm_chart {
    const char *title;       /* NULL: none */
    const char *description; /* what it was made of, in the file alone; NULL: none */
    struct cm_chart_axis x, y;
    bool legend_right; /* at the top right, rather than the top left */
    bool legend_below; /* below the axes, in rows */
    const struct cm_chart_series *series;
    uint32_t series_count;
    const struct cm_chart_bars *bars; /* NULL: none */
    /* Of the picture and its letters; 0: 760 by 500 and 14 pixels. */
    double width, height, letters;
};

/* A whole picture. Series are cut off at the frame of the axes. */
void cm_chart_svg(const struct cm_chart *chart, struct cm_buffer *svg);
/* The chart alone, on ground that is white; false when memory is short. */
bool cm_chart_draw(const struct cm_chart *chart, const struct cm_ink *ink);

#endif
