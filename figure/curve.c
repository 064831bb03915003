/* Curves: one value against another, with a line for each value of a third. Called by cm200 figure
 * and by sweeps. */
#include "figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Okabe and Ito's palette, which people with any colour vision can distinguish. Further lines use
 * the palette again, with dashes. */
static const char *const colours[CM_FIGURE_COLOURS] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                       "#e69f00", "#56b4e9", "#000000"};
#define SERIES_MAX (3 * CM_FIGURE_COLOURS)

const char *cm_figure_colour(uint32_t i)
{
    return colours[i % CM_FIGURE_COLOURS];
}

/* Returns the unit that the end of a value's name implies. "": the value is a plain number, or the
 * name says the unit. */
static const char *unit_of(const char *name)
{
    static const struct {
        const char *end, *unit;
    } units[] = {{"_words", "words"},      {"words_sent", "words"}, {"clock_hz", "Hz"},
                 {"_bits", "bits"},        {"seconds", "s"},        {"_cycles", "cycles"},
                 {"load_fault", "cycles"}, {"/cycles", "cycles"}};
    for (uint32_t i = 0; i < sizeof units / sizeof *units; i++) {
        size_t length = strlen(name), end = strlen(units[i].end);
        if (length >= end && strcmp(name + length - end, units[i].end) == 0)
            return units[i].unit;
    }
    return strncmp(name, "cycles_by_", 10) == 0 ? "cycles" : "";
}

/* Writes the power of ten into the title, as "10⁶", so that ticks need not repeat six zeros. */
void cm_figure_label(struct cm_chart_axis *axis, const char *name, char *label, size_t size)
{
    static const char *const powers[] = {"", "10³", "10⁶", "10⁹", "10¹²", "10¹⁵", "10¹⁸"};
    const char *unit = unit_of(name), *power = "";
    double most = fmax(fabs(axis->first), fabs(axis->last));
    axis->unit = 1;
    for (uint32_t i = 1; i < sizeof powers / sizeof *powers && axis->base == 0; i++)
        if (most >= 100 * pow(1000, i)) {
            axis->unit = pow(1000, i);
            power = powers[i];
        }
    bool both = power[0] != '\0' && unit[0] != '\0', any = power[0] != '\0' || unit[0] != '\0';
    snprintf(label, size, "%s%s%s%s%s%s", name, any ? " (" : "", power, both ? " " : "", unit,
             any ? ")" : "");
    axis->label = label;
}

static int by_group(const void *a, const void *b)
{
    const struct cm_figure_point *p = a, *q = b;
    int groups = p->group != q->group ? strcmp(p->group, q->group) : 0;
    if (groups != 0)
        return groups;
    return p->x != q->x ? (p->x < q->x ? -1 : 1) : p->run < q->run ? -1 : p->run > q->run;
}

/* Chooses an axis that covers all points, with a margin of a twentieth on either side. The y axis
 * begins at 0 if all values are above 0 and the smallest is below half the largest. */
static struct cm_chart_axis make_axis(const struct cm_figure_point *points, uint32_t count, bool y,
                                      bool logarithmic)
{
    double low = INFINITY, high = -INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        double value = y ? points[i].y : points[i].x;
        low = fmin(low, value);
        high = fmax(high, value);
    }
    if (logarithmic) {
        double factor = low < high ? pow(high / low, 0.05) : 2;
        return (struct cm_chart_axis){
            .first = low / factor, .last = high * factor, .base = high / low < 40 ? 2 : 10};
    }
    double margin = low < high ? (high - low) / 20 : fabs(high) / 2 + 1;
    double first = y && low >= 0 && low < high / 2 ? 0 : low - margin;
    return (struct cm_chart_axis){.first = first, .last = high + margin};
}

static bool same_group(const struct cm_figure_point *a, const struct cm_figure_point *b)
{
    return a->group == b->group || strcmp(a->group, b->group) == 0;
}

static enum cm_status check(const struct cm_figure_curve *curve,
                            const struct cm_figure_point *points, uint32_t count,
                            struct cm_error *err)
{
    const char *log = curve->logarithmic;
    if (count == 0)
        return cm_error_set(err, CM_USAGE, "no run has numbers \"%s\" and \"%s\" for the figure",
                            curve->x, curve->y);
    for (uint32_t i = 1; i < count; i++)
        if (points[i].x == points[i - 1].x && same_group(&points[i], &points[i - 1]))
            return cm_error_set(err, CM_USAGE,
                                "the figure's runs %u and %u have the same x; give another axis by "
                                "--group",
                                points[i - 1].run, points[i].run);
    for (uint32_t i = 0; log != NULL && i < count; i++)
        if ((strchr(log, 'x') != NULL && points[i].x <= 0) ||
            (strchr(log, 'y') != NULL && points[i].y <= 0))
            return cm_error_set(err, CM_USAGE, "--log: a value is not above 0");
    return CM_OK;
}

static void add_series(struct cm_chart *chart, struct cm_chart_series *series, const char *label,
                       const double *xs, const double *ys, uint32_t count)
{
    static const char *const dashes[] = {NULL, "6 3", "2 2"};
    uint32_t s = chart->series_count++;
    series[s] = (struct cm_chart_series){
        .label = label,
        .x = xs,
        .y = ys,
        .count = count,
        .line = {colours[s % CM_FIGURE_COLOURS], 1.5, dashes[s / CM_FIGURE_COLOURS]},
        .radius = 2.5,
    };
}

static enum cm_status draw(const struct cm_figure_curve *curve,
                           const struct cm_figure_point *points, uint32_t count, double *xs,
                           double *ys, const struct cm_figure_page *page, struct cm_buffer *out,
                           struct cm_error *err)
{
    struct cm_chart_series series[SERIES_MAX] = {0};
    struct cm_chart chart = {.series = series, .legend_below = points[0].group != NULL};
    const char *log = curve->logarithmic != NULL ? curve->logarithmic : "";
    char labels[2][256];
    for (uint32_t i = 0; i < count; i++) {
        xs[i] = points[i].x;
        ys[i] = points[i].y;
    }
    for (uint32_t first = 0, end; first < count && chart.series_count < SERIES_MAX; first = end) {
        for (end = first + 1; end < count && same_group(&points[end], &points[first]);)
            end++;
        add_series(&chart, series, points[first].group != NULL ? points[first].group : "",
                   xs + first, ys + first, end - first);
    }
    chart.x = make_axis(points, count, false, strchr(log, 'x') != NULL);
    chart.y = make_axis(points, count, true, strchr(log, 'y') != NULL);
    cm_figure_label(&chart.x, curve->x, labels[0], sizeof labels[0]);
    cm_figure_label(&chart.y, curve->y, labels[1], sizeof labels[1]);
    return cm_figure_draw(&chart, page, out, err);
}

enum cm_status cm_figure_curve(const struct cm_figure_curve *curve, struct cm_figure_point *points,
                               uint32_t count, const struct cm_figure_page *page,
                               struct cm_buffer *out, struct cm_error *err)
{
    double *xs = malloc((2 * (size_t)count + 1) * sizeof *xs);
    if (xs == NULL)
        return cm_error_no_memory(err);
    if (count > 0)
        qsort(points, count, sizeof *points, by_group);
    enum cm_status status = check(curve, points, count, err);
    if (status == CM_OK)
        status = draw(curve, points, count, xs, xs + count, page, out, err);
    free(xs);
    return status;
}
