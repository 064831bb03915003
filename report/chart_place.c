/* Computes places and sizes in charts. */
#include "chart_private.h"

#include <math.h>

double cm_chart_letters(const struct cm_chart *chart)
{
    return chart->letters > 0 ? chart->letters : CM_CHART_LETTERS;
}

/* Returns the position of a value on an axis: 0 at the beginning of the axis, 1 at its end. */
static double place(const struct cm_chart_axis *axis, double value)
{
    if (axis->base > 0)
        return log(value / axis->first) / log(axis->last / axis->first);
    return (value - axis->first) / (axis->last - axis->first);
}

double cm_chart_x(const struct cm_chart *chart, const struct cm_frame *frame, double value)
{
    return frame->left + place(&chart->x, value) * (frame->right - frame->left);
}

double cm_chart_y(const struct cm_chart *chart, const struct cm_frame *frame, double value)
{
    return frame->bottom - place(&chart->y, value) * (frame->bottom - frame->top);
}
