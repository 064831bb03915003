/* A sweep as a chart: one value against another, a line for each value of a third. */
#include "../base/sha256.h"
#include "../base/version.h"
#include "../report/chart.h"
#include "sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Okabe and Ito's colours, which people with any colour vision tell apart; then dashed. */
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#e69f00", "#56b4e9", "#000000"};
#define COLOURS    ((uint32_t)(sizeof colours / sizeof *colours))
#define SERIES_MAX (3 * COLOURS)

static int by_group(const void *a, const void *b)
{
    const struct cli_sweep_point *p = a, *q = b;
    int groups = p->group != q->group ? strcmp(p->group, q->group) : 0;
    if (groups != 0)
        return groups;
    return p->x != q->x ? (p->x < q->x ? -1 : 1) : p->run < q->run ? -1 : p->run > q->run;
}

/* A margin of a twentieth on either side; 0 is an end where it is near. */
static struct cm_chart_axis make_axis(const char *label, const struct cli_sweep_point *points,
                                      uint32_t count, bool y, bool logarithmic)
{
    double low = INFINITY, high = -INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        double value = y ? points[i].y : points[i].x;
        low = fmin(low, value);
        high = fmax(high, value);
    }
    if (logarithmic) {
        double factor = low < high ? pow(high / low, 0.05) : 2;
        return (struct cm_chart_axis){label, low / factor, high * factor, high / low < 40 ? 2 : 10};
    }
    double margin = low < high ? (high - low) / 20 : fabs(high) / 2 + 1;
    double first = y && low >= 0 && low < high / 2 ? 0 : low - margin;
    return (struct cm_chart_axis){label, first, high + margin, 0};
}

/* The points of a group, from `first` on; returns where the next begins. */
static uint32_t end_of_group(const struct cli_sweep_point *points, uint32_t count, uint32_t first)
{
    uint32_t end = first + 1;
    while (end < count && (points[end].group == points[first].group ||
                           strcmp(points[end].group, points[first].group) == 0))
        end++;
    return end;
}

static int refuse_double(const struct cli_sweep_point *points, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (points[i].x == points[i - 1].x && points[i].group == points[i - 1].group)
            return cli_usage("sweep",
                             "--figure: runs %u and %u have the same %s; give another axis by "
                             "--group",
                             points[i - 1].run, points[i].run, "x");
    return 0;
}

/* "sweep 01ab...: cm200 0.1.0, workload five-point.json (SHA-256 ...)": which
 * distinguishes it from others. */
static void describe(const struct cli_sweep *sweep, struct cm_buffer *text)
{
    cm_buffer_printf(text,
                     "made by cm200 %s, workload SHA-256 %s, grid and machines %s: ", cm_version(),
                     cm_sha256_of(sweep->text, sweep->length).text, sweep->signature);
    for (uint32_t i = 0; i < sweep->values->over.count; i++)
        cm_buffer_printf(text, "%s%s", i > 0 ? "; " : "", sweep->values->over.items[i]);
    for (uint32_t i = 0; i < sweep->values->machine.sets.count; i++)
        cm_buffer_printf(text, "; %s", sweep->values->machine.sets.items[i]);
}

/* The legend goes where the lines are lower. */
static bool falls(const struct cli_sweep_point *points, uint32_t count)
{
    double first = INFINITY, last = -INFINITY, at_first = 0, at_last = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (points[i].x < first || (points[i].x == first && points[i].y > at_first)) {
            first = points[i].x;
            at_first = points[i].y;
        }
        if (points[i].x > last || (points[i].x == last && points[i].y > at_last)) {
            last = points[i].x;
            at_last = points[i].y;
        }
    }
    return at_first > at_last;
}

static void draw(const struct cli_sweep_values *values, const char *description,
                 const struct cli_sweep_point *points, uint32_t count, double *xs, double *ys,
                 struct cm_buffer *svg)
{
    struct cm_chart_series series[SERIES_MAX] = {0};
    const char *file = values->common.operands.items[0], *slash = strrchr(file, '/');
    struct cm_chart chart = {.title = slash != NULL ? slash + 1 : file,
                             .description = description,
                             .legend_right = falls(points, count),
                             .series = series};
    const char *log = values->logarithmic != NULL ? values->logarithmic : "";
    for (uint32_t i = 0; i < count; i++) {
        xs[i] = points[i].x;
        ys[i] = points[i].y;
    }
    for (uint32_t first = 0; first < count && chart.series_count < SERIES_MAX;) {
        static const char *const dashes[] = {NULL, "6 3", "2 2"};
        uint32_t s = chart.series_count++, end = end_of_group(points, count, first);
        series[s] = (struct cm_chart_series){
            .label = points[first].group != NULL ? points[first].group : values->y,
            .x = xs + first,
            .y = ys + first,
            .count = end - first,
            .line = {colours[s % COLOURS], 1.5, dashes[s / COLOURS]},
            .radius = 2.5,
        };
        first = end;
    }
    chart.x = make_axis(values->x, points, count, false, strchr(log, 'x') != NULL);
    chart.y = make_axis(values->y, points, count, true, strchr(log, 'y') != NULL);
    cm_chart_svg(&chart, svg);
}

int cli_sweep_figure(const struct cli_sweep *sweep, struct cli_sweep_point *points, uint32_t count)
{
    const struct cli_sweep_values *values = sweep->values;
    struct cm_buffer svg, description;
    double *xs = malloc((2 * (size_t)count + 1) * sizeof *xs);
    if (xs == NULL)
        return cli_no_memory();
    if (count == 0) {
        free(xs);
        return cli_usage("sweep",
                         "--figure: no run has numbers \"%s\" and \"%s\"; the CSV has the "
                         "names of all columns",
                         cli_shown(values->x).text, cli_shown(values->y).text);
    }
    qsort(points, count, sizeof *points, by_group);
    int code = refuse_double(points, count);
    for (uint32_t i = 0; code == 0 && values->logarithmic != NULL && i < count; i++)
        if ((strchr(values->logarithmic, 'x') != NULL && points[i].x <= 0) ||
            (strchr(values->logarithmic, 'y') != NULL && points[i].y <= 0))
            code = cli_usage("sweep", "--log: a value is not above 0");
    cm_buffer_init(&svg);
    cm_buffer_init(&description);
    if (code == 0) {
        describe(sweep, &description);
        draw(values, description.data, points, count, xs, xs + count, &svg);
        svg.failed = svg.failed || !cm_buffer_ok(&description);
        code = cli_deliver(values->figure, &svg, CM_OK, NULL);
    }
    cm_buffer_finish(&description);
    free(xs);
    return code;
}
