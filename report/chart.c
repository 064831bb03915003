/* Draws charts: axes with ticks and a grid, series, a legend. */
#include "chart_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sizes in a picture of the default size. WIDTH and HEIGHT are pixels. Sizes of parts are in units
 * of the letter size, which is 14 pixels in such a picture. */
#define WIDTH     760.0
#define HEIGHT    500.0
#define TICK      (6 / 14.0)
#define ROW       (20 / 14.0) /* height of a row of the legend */
#define SAMPLE    (36 / 14.0) /* length of the sample of a series in the legend */
#define LETTER    0.56        /* mean width of a letter, in units of the letter size */
#define CAP       (4 / 14.0)  /* half the width of the cap at the end of an interval */
#define TICKS_MIN 4           /* smallest number of ticks on a linear axis */
#define TICKS_MAX 1000        /* limit on ticks: doubles have fewer powers of ten */
#define TICK_MAX  1e15 /* limit on the number of a tick: smaller integers are exact doubles */
/* fraction of the distance between ticks by which a tick may lie beyond the end of an axis because
 * of rounding */
#define EDGE 1e-9

static double width_of(const struct cm_chart *chart)
{
    return chart->width > 0 ? chart->width : WIDTH;
}

static double height_of(const struct cm_chart *chart)
{
    return chart->height > 0 ? chart->height : HEIGHT;
}

/* Returns the number of series that have an entry in the legend of the chart. */
static uint32_t labelled(const struct cm_chart *chart)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < chart->series_count; i++)
        count += chart->series[i].label != NULL;
    return count;
}

/* Returns the number of entries in the legend: series, or kinds of pieces of bars. */
static uint32_t entries_of(const struct cm_chart *chart)
{
    uint32_t kinds = chart->bars != NULL ? chart->bars->kind_count : 0;
    return kinds > 0 ? kinds : labelled(chart);
}

/* Returns the series that an entry of the legend belongs to. */
static const struct cm_chart_series *entry_series(const struct cm_chart *chart, uint32_t entry)
{
    const struct cm_chart_series *series = chart->series;
    for (;; series++)
        if (series->label != NULL && entry-- == 0)
            return series;
}

static const char *entry_label(const struct cm_chart *chart, uint32_t i)
{
    return chart->bars != NULL ? chart->bars->kinds[i].label : entry_series(chart, i)->label;
}

static double entry_width(const struct cm_chart *chart, uint32_t i)
{
    double sample = chart->bars != NULL ? 1.2 : SAMPLE;
    return (sample + 1.4 + LETTER * (double)strlen(entry_label(chart, i))) *
           cm_chart_letters(chart);
}

/* Returns the row of entry `i` in a legend below the axes, and sets *x to the left end of the
 * entry. */
static uint32_t place_entry(const struct cm_chart *chart, uint32_t i, double *x)
{
    double letters = cm_chart_letters(chart), first = letters, end = width_of(chart) - letters;
    uint32_t row = 0;
    *x = first;
    for (uint32_t k = 0;; k++) {
        double width = entry_width(chart, k);
        if (*x > first && *x + width > end) {
            *x = first;
            row++;
        }
        if (k == i)
            return row;
        *x += width;
    }
}

/* Returns the width of the longest label to the left of the axes, which horizontal bars have. */
static double labels_width(const struct cm_chart *chart)
{
    size_t longest = 0;
    for (uint32_t i = 0; chart->bars != NULL && chart->bars->level && i < chart->bars->count; i++)
        if (strlen(chart->bars->labels[i]) > longest)
            longest = strlen(chart->bars->labels[i]);
    return (1.5 + LETTER * (double)longest) * cm_chart_letters(chart);
}

/* Returns the height of the labels and of the axis title below the axes. */
static double below_axes(const struct cm_chart *chart)
{
    return (chart->x.label != NULL ? 60 : 34) / 14.0 * cm_chart_letters(chart);
}

static struct cm_frame frame_of(const struct cm_chart *chart)
{
    double letters = cm_chart_letters(chart), unused;
    bool level = chart->bars != NULL && chart->bars->level;
    uint32_t rows = chart->legend_below && entries_of(chart) > 0
                        ? place_entry(chart, entries_of(chart) - 1, &unused) + 1
                        : 0;
    return (struct cm_frame){
        .left = level ? labels_width(chart) : letters * 78 / 14,
        .right = width_of(chart) - letters * 25 / 14,
        .top = chart->title != NULL ? letters * 48 / 14 : letters,
        .bottom = height_of(chart) - below_axes(chart) - rows * ROW * letters,
    };
}

/* Returns the distance between ticks: 1, 2 or 5 times a power of ten. There are TICKS_MIN ticks, or
 * up to 2.5 times as many. */
static double linear_step(const struct cm_chart_axis *axis)
{
    double most = (axis->last - axis->first) / TICKS_MIN, power = pow(10, floor(log10(most)));
    return power * (5 * power <= most ? 5 : 2 * power <= most ? 2 : 1);
}

static void draw_tick(const struct cm_chart *chart, const struct cm_frame *frame, bool is_x,
                      double value, const struct cm_ink *ink)
{
    const struct cm_chart_axis *axis = is_x ? &chart->x : &chart->y;
    double letters = cm_chart_letters(chart), tick = TICK * letters;
    const struct cm_svg_pen black = {"#000000", letters / CM_CHART_LETTERS, NULL};
    const struct cm_svg_pen grid = {"#dddddd", letters / CM_CHART_LETTERS / 2, NULL};
    double x = is_x ? cm_chart_x(chart, frame, value) : frame->left;
    double y = is_x ? frame->bottom : cm_chart_y(chart, frame, value);
    char label[32];
    snprintf(label, sizeof label, "%.6g", axis->unit > 0 ? value / axis->unit : value);
    if (is_x) {
        cm_ink_line(ink, x, frame->top, x, y, &grid);
        cm_ink_line(ink, x, y, x, y - tick, &black);
        ink->text(ink->to,
                  &(struct cm_svg_label){x, y + 1.5 * letters, letters, 0, CM_SVG_MIDDLE, label});
    } else {
        cm_ink_line(ink, x, y, frame->right, y, &grid);
        cm_ink_line(ink, x, y, x + tick, y, &black);
        ink->text(ink->to,
                  &(struct cm_svg_label){x - tick, y + letters / 3, letters, 0, CM_SVG_END, label});
    }
}

/* Draws the ticks of an axis. Draws no ticks if the axis is so short, compared with its values,
 * that doubles cannot distinguish the values of its ticks. */
static void draw_ticks(const struct cm_chart *chart, const struct cm_frame *frame, bool is_x,
                       const struct cm_ink *ink)
{
    const struct cm_chart_axis *axis = is_x ? &chart->x : &chart->y;
    double base = axis->base, step = axis->base > 0 ? log(base) : linear_step(axis);
    double low = axis->base > 0 ? log(axis->first) : axis->first;
    double high = axis->base > 0 ? log(axis->last) : axis->last;
    double first = ceil(low / step - EDGE), last = floor(high / step + EDGE);
    if (!(fabs(first) < TICK_MAX && last - first < TICKS_MAX))
        return;
    for (int64_t i = (int64_t)first; i <= (int64_t)last; i++)
        draw_tick(chart, frame, is_x, axis->base > 0 ? pow(base, (double)i) : (double)i * step,
                  ink);
}

/* Returns a pen with its width scaled in proportion to the letters of the chart. */
static struct cm_svg_pen grown(const struct cm_chart *chart, struct cm_svg_pen pen)
{
    pen.width *= cm_chart_letters(chart) / CM_CHART_LETTERS;
    return pen;
}

static void draw_mark(const struct cm_chart *chart, const struct cm_chart_series *series, double x,
                      double y, const struct cm_ink *ink)
{
    const char *colour = series->line.colour;
    struct cm_svg_pen pen = grown(chart, (struct cm_svg_pen){colour, series->edge, NULL});
    if (series->radius > 0)
        ink->circle(ink->to, x, y, series->radius * cm_chart_letters(chart) / CM_CHART_LETTERS,
                    series->edge > 0 ? series->inside : colour, &pen);
}

/* Draws a bar from the low to the high end of a point's interval, with a cap at each end. Draws
 * nothing on a logarithmic axis if the high end is 0 or below. */
static void draw_interval(const struct cm_chart *chart, const struct cm_frame *frame,
                          const struct cm_chart_series *series, uint32_t i,
                          const struct cm_ink *ink)
{
    if (series->low == NULL || !isfinite(series->low[i]) || !isfinite(series->high[i]) ||
        (chart->y.base > 0 && series->high[i] <= 0))
        return;
    const struct cm_svg_pen pen = grown(chart, (struct cm_svg_pen){series->line.colour, 1, NULL});
    double cap = CAP * cm_chart_letters(chart), x = cm_chart_x(chart, frame, series->x[i]);
    double low = chart->y.base > 0 ? fmax(series->low[i], chart->y.first) : series->low[i];
    double bottom = cm_chart_y(chart, frame, low), top = cm_chart_y(chart, frame, series->high[i]);
    cm_ink_line(ink, x, bottom, x, top, &pen);
    cm_ink_line(ink, x - cap, bottom, x + cap, bottom, &pen);
    cm_ink_line(ink, x - cap, top, x + cap, top, &pen);
}

static bool draw_series(const struct cm_chart *chart, const struct cm_frame *frame,
                        const struct cm_chart_series *series, const struct cm_ink *ink)
{
    double *points = malloc((2 * (size_t)series->count + 1) * sizeof *points);
    struct cm_svg_pen pen = grown(chart, series->line);
    if (points == NULL)
        return false;
    for (uint32_t i = 0; i < series->count; i++) {
        points[2 * i] = cm_chart_x(chart, frame, series->x[i]);
        points[2 * i + 1] = cm_chart_y(chart, frame, series->y[i]);
        draw_mark(chart, series, points[2 * i], points[2 * i + 1], ink);
        draw_interval(chart, frame, series, i, ink);
    }
    if (pen.width > 0 && series->count > 1)
        ink->lines(ink->to, points, series->count, &pen);
    free(points);
    return true;
}

static void draw_sample(const struct cm_chart *chart, uint32_t i, double x, double y,
                        const struct cm_ink *ink)
{
    double letters = cm_chart_letters(chart), sample = SAMPLE * letters;
    if (chart->bars != NULL) {
        const double place[4] = {x, y - letters / 2, 1.2 * letters, letters};
        cm_chart_fill(chart, ink, place, &chart->bars->kinds[i]);
        return;
    }
    const struct cm_chart_series *series = entry_series(chart, i);
    struct cm_svg_pen pen = grown(chart, series->line);
    if (pen.width > 0)
        cm_ink_line(ink, x, y, x + sample, y, &pen);
    draw_mark(chart, series, x + sample / 2, y, ink);
}

/* Draws in the legend a sample of each series or kind of piece. The label is on the side of the
 * sample towards the middle of the chart. */
static void draw_legend(const struct cm_chart *chart, const struct cm_frame *frame,
                        const struct cm_ink *ink)
{
    bool right = chart->legend_right;
    double letters = cm_chart_letters(chart), sample = SAMPLE * letters;
    double x = right ? frame->right - sample - letters : frame->left + letters;
    double label = right ? x - letters : x + sample + letters;
    for (uint32_t i = 0; i < entries_of(chart); i++) {
        double y = frame->top + ROW * letters * (i + 1);
        draw_sample(chart, i, x, y, ink);
        ink->text(ink->to,
                  &(struct cm_svg_label){label, y + letters / 3, letters, 0,
                                         right ? CM_SVG_END : CM_SVG_START, entry_label(chart, i)});
    }
}

static void draw_legend_below(const struct cm_chart *chart, const struct cm_frame *frame,
                              const struct cm_ink *ink)
{
    double letters = cm_chart_letters(chart), x;
    double sample = (chart->bars != NULL ? 1.2 : SAMPLE) * letters;
    for (uint32_t i = 0; i < entries_of(chart); i++) {
        uint32_t row = place_entry(chart, i, &x);
        double y = frame->bottom + below_axes(chart) + (row + 0.2) * ROW * letters;
        draw_sample(chart, i, x, y, ink);
        ink->text(ink->to, &(struct cm_svg_label){x + sample + letters / 3, y + letters / 3,
                                                  letters, 0, CM_SVG_START, entry_label(chart, i)});
    }
}

static void draw_axes(const struct cm_chart *chart, const struct cm_frame *frame,
                      const struct cm_ink *ink)
{
    double letters = cm_chart_letters(chart);
    double x = (frame->left + frame->right) / 2, y = (frame->top + frame->bottom) / 2;
    bool bars = chart->bars != NULL, level = bars && chart->bars->level;
    if (!bars || level)
        draw_ticks(chart, frame, true, ink);
    if (!level)
        draw_ticks(chart, frame, false, ink);
    if (chart->title != NULL)
        ink->text(ink->to, &(struct cm_svg_label){x, frame->top - letters, letters, 0,
                                                  CM_SVG_MIDDLE, chart->title});
    if (chart->x.label != NULL)
        ink->text(ink->to, &(struct cm_svg_label){x, frame->bottom + letters * 46 / 14, letters, 0,
                                                  CM_SVG_MIDDLE, chart->x.label});
    if (chart->y.label != NULL && !level)
        ink->text(ink->to, &(struct cm_svg_label){1.5 * letters, y, letters, -90, CM_SVG_MIDDLE,
                                                  chart->y.label});
    if (bars)
        cm_chart_label_bars(chart, frame, ink);
}

bool cm_chart_draw(const struct cm_chart *chart, const struct cm_ink *ink)
{
    const struct cm_frame frame = frame_of(chart);
    const struct cm_svg_pen black = {"#000000", cm_chart_letters(chart) / CM_CHART_LETTERS, NULL};
    const double inner[4] = {frame.left, frame.top, frame.right - frame.left,
                             frame.bottom - frame.top};
    bool whole = true;
    draw_axes(chart, &frame, ink);
    ink->clip(ink->to, inner);
    if (chart->bars != NULL)
        cm_chart_draw_bars(chart, &frame, ink);
    for (uint32_t i = 0; i < chart->series_count; i++)
        whole = draw_series(chart, &frame, &chart->series[i], ink) && whole;
    ink->clip(ink->to, NULL);
    ink->rectangle(ink->to, inner, NULL, &black);
    if (chart->legend_below)
        draw_legend_below(chart, &frame, ink);
    else
        draw_legend(chart, &frame, ink);
    return whole;
}

void cm_chart_svg(const struct cm_chart *chart, struct cm_buffer *svg)
{
    const struct cm_ink ink = cm_ink_svg(svg);
    cm_svg_begin(svg, width_of(chart), height_of(chart), chart->title != NULL ? chart->title : "");
    if (chart->description != NULL)
        cm_svg_description(svg, chart->description);
    svg->failed = !cm_chart_draw(chart, &ink) || svg->failed;
    cm_svg_end(svg);
}
