/* Charts: axes with ticks and a grid, series, a legend. */
#include "chart.h"

#include <math.h>
#include <stdio.h>

/* The picture and the frame of its axes, in pixels. */
#define WIDTH  760.0
#define HEIGHT 500.0
#define LEFT   78.0
#define RIGHT  735.0
#define TOP    48.0
#define BOTTOM 440.0

#define FONT      14.0
#define TICK      6.0
#define ROW       20.0 /* of the legend */
#define SAMPLE    36.0 /* the piece of a series that the legend shows */
#define TICKS_MIN 4    /* on a linear axis */
#define EDGE      1e-9 /* of an axis: ticks on its ends count, whatever rounding did */

static const struct cm_svg_pen frame = {"#000000", 1, NULL};
static const struct cm_svg_pen grid = {"#dddddd", 0.5, NULL};

/* Where a value is on the axis: 0 at its beginning, 1 at its end. */
static double place(const struct cm_chart_axis *axis, double value)
{
    if (axis->base > 0)
        return log(value / axis->first) / log(axis->last / axis->first);
    return (value - axis->first) / (axis->last - axis->first);
}

static double x_of(const struct cm_chart *chart, double value)
{
    return LEFT + place(&chart->x, value) * (RIGHT - LEFT);
}

static double y_of(const struct cm_chart *chart, double value)
{
    return BOTTOM - place(&chart->y, value) * (BOTTOM - TOP);
}

/* 1, 2 or 5 times a power of ten: TICKS_MIN ticks on the axis, or up to 2.5 times as many. */
static double linear_step(const struct cm_chart_axis *axis)
{
    double most = (axis->last - axis->first) / TICKS_MIN, power = pow(10, floor(log10(most)));
    return power * (5 * power <= most ? 5 : 2 * power <= most ? 2 : 1);
}

static void draw_tick(const struct cm_chart *chart, bool is_x, double value, struct cm_buffer *svg)
{
    char label[32];
    double x = x_of(chart, value), y = y_of(chart, value);
    snprintf(label, sizeof label, "%.6g", value);
    if (is_x) {
        cm_svg_line(svg, x, TOP, x, BOTTOM, &grid);
        cm_svg_line(svg, x, BOTTOM, x, BOTTOM - TICK, &frame);
        cm_svg_text(svg, x, BOTTOM + 1.5 * FONT, FONT, 0, CM_SVG_MIDDLE, label);
    } else {
        cm_svg_line(svg, LEFT, y, RIGHT, y, &grid);
        cm_svg_line(svg, LEFT, y, LEFT + TICK, y, &frame);
        cm_svg_text(svg, LEFT - TICK, y + FONT / 3, FONT, 0, CM_SVG_END, label);
    }
}

static void draw_ticks(const struct cm_chart *chart, bool is_x, struct cm_buffer *svg)
{
    const struct cm_chart_axis *axis = is_x ? &chart->x : &chart->y;
    double base = axis->base, step = axis->base > 0 ? log(base) : linear_step(axis);
    double low = axis->base > 0 ? log(axis->first) : axis->first;
    double high = axis->base > 0 ? log(axis->last) : axis->last;
    for (int i = (int)ceil(low / step - EDGE); i <= (int)floor(high / step + EDGE); i++)
        draw_tick(chart, is_x, axis->base > 0 ? pow(base, i) : i * step, svg);
}

static void draw_mark(const struct cm_chart_series *series, double x, double y,
                      struct cm_buffer *svg)
{
    const char *colour = series->line.colour;
    struct cm_svg_pen pen = {colour, series->edge, NULL};
    if (series->radius > 0)
        cm_svg_shape(svg, series->edge > 0 ? NULL : colour, &pen,
                     "circle cx=\"%.2f\" cy=\"%.2f\" r=\"%g\"", x, y, series->radius);
}

static void draw_series(const struct cm_chart *chart, const struct cm_chart_series *series,
                        struct cm_buffer *svg)
{
    struct cm_buffer points;
    cm_buffer_init(&points);
    for (uint32_t i = 0; i < series->count; i++) {
        double x = x_of(chart, series->x[i]), y = y_of(chart, series->y[i]);
        cm_buffer_printf(&points, "%s%.2f,%.2f", i > 0 ? " " : "", x, y);
        draw_mark(series, x, y, svg);
    }
    svg->failed = svg->failed || points.failed;
    if (series->line.width > 0 && points.data != NULL)
        cm_svg_shape(svg, NULL, &series->line, "polyline points=\"%s\"", points.data);
    cm_buffer_finish(&points);
}

/* A sample of each series, and its label towards the middle of the chart. */
static void draw_legend(const struct cm_chart *chart, struct cm_buffer *svg)
{
    bool right = chart->legend_right;
    double x = right ? RIGHT - SAMPLE - FONT : LEFT + FONT;
    double label = right ? x - FONT : x + SAMPLE + FONT;
    for (uint32_t i = 0; i < chart->series_count; i++) {
        const struct cm_chart_series *series = &chart->series[i];
        double y = TOP + ROW * (i + 1);
        if (series->line.width > 0)
            cm_svg_line(svg, x, y, x + SAMPLE, y, &series->line);
        draw_mark(series, x + SAMPLE / 2, y, svg);
        cm_svg_text(svg, label, y + FONT / 3, FONT, 0, right ? CM_SVG_END : CM_SVG_START,
                    series->label);
    }
}

void cm_chart_svg(const struct cm_chart *chart, struct cm_buffer *svg)
{
    double x = (LEFT + RIGHT) / 2, y = (TOP + BOTTOM) / 2, w = RIGHT - LEFT, h = BOTTOM - TOP;
    cm_svg_begin(svg, WIDTH, HEIGHT, chart->title);
    if (chart->description != NULL)
        cm_svg_description(svg, chart->description);
    draw_ticks(chart, true, svg);
    draw_ticks(chart, false, svg);
    cm_svg_shape(svg, NULL, &frame, "rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\"", LEFT, TOP,
                 w, h);
    cm_svg_text(svg, x, TOP - FONT, FONT, 0, CM_SVG_MIDDLE, chart->title);
    cm_svg_text(svg, x, HEIGHT - FONT, FONT, 0, CM_SVG_MIDDLE, chart->x.label);
    cm_svg_text(svg, 1.5 * FONT, y, FONT, -90, CM_SVG_MIDDLE, chart->y.label);
    /* An inner picture cuts off what lies outside of it; its coordinates are those of the outer. */
    cm_buffer_printf(svg,
                     "<svg x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" viewBox=\"%g %g %g %g\">\n",
                     LEFT, TOP, w, h, LEFT, TOP, w, h);
    for (uint32_t i = 0; i < chart->series_count; i++)
        draw_series(chart, &chart->series[i], svg);
    cm_svg_end(svg);
    draw_legend(chart, svg);
    cm_svg_end(svg);
}
