/* Declarations that the source files of charts share. This header is not installed. */
#ifndef CM_REPORT_CHART_PRIVATE_H
#define CM_REPORT_CHART_PRIVATE_H

#include "chart.h"

#include <stdio.h>

/* Place of the rectangle between the axes, within the picture. */
struct cm_frame {
    double left, right, top, bottom;
};

/* Size of the letters in a picture of the default size, in pixels. */
#define CM_CHART_LETTERS 14.0

double cm_chart_letters(const struct cm_chart *chart);
double cm_chart_x(const struct cm_chart *chart, const struct cm_frame *frame, double value);
double cm_chart_y(const struct cm_chart *chart, const struct cm_frame *frame, double value);

/* These functions of chart_bars.c draw the stacked bars, and their labels. */
void cm_chart_draw_bars(const struct cm_chart *chart, const struct cm_frame *frame,
                        const struct cm_ink *ink);
void cm_chart_label_bars(const struct cm_chart *chart, const struct cm_frame *frame,
                         const struct cm_ink *ink);
/* Fills a rectangle with the colour and the hatching of a kind of piece. */
void cm_chart_fill(const struct cm_chart *chart, const struct cm_ink *ink, const double place[4],
                   const struct cm_chart_kind *kind);

#endif
