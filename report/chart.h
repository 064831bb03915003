/* Charts: a few series of points over two axes, as SVG. Internal to the library. */
#ifndef CM_REPORT_CHART_H
#define CM_REPORT_CHART_H

#include "svg.h"

#include <stdint.h>

/* From `first` to `last`, which differ; both above 0 when it is logarithmic. */
struct cm_chart_axis {
    const char *label;
    double first, last;
    uint32_t base; /* logarithmic, with a tick at each power of it; 0: linear */
};

struct cm_chart_series {
    const char *label; /* in the legend */
    const double *x, *y;
    uint32_t count;
    struct cm_svg_pen line; /* joins the points; its colour is that of the marks, too */
    double radius;          /* of the marks; 0: none */
    double edge;            /* the marks are circles of such a line; 0: discs */
};

struct cm_chart {
    const char *title;
    const char *description; /* what it was made of, in the file alone; NULL: none */
    struct cm_chart_axis x, y;
    bool legend_right; /* at the top right, rather than the top left */
    const struct cm_chart_series *series;
    uint32_t series_count;
};

/* A picture of 760 by 500 pixels. Series are cut off at the frame of the axes. */
void cm_chart_svg(const struct cm_chart *chart, struct cm_buffer *svg);

#endif
