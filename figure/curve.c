/* Curves: one value against another, with a line for each value of a third one. The command cm200
 * figure and sweeps call this file. */
#include "figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Colours of the lines: the palette of Okabe and Ito, which people with any colour vision can
 * distinguish. Further lines use the palette again, with dashes. */
static const char *const colours[CM_FIGURE_COLOURS] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                       "#e69f00", "#56b4e9", "#000000"};
#define GROUPS_MAX (3 * CM_FIGURE_COLOURS)
/* Largest number of series in a chart: for each group a line, two kinds of marks and a bound, and
 * two further entries of the legend. */
#define SERIES_MAX (4 * GROUPS_MAX + 2)
#define RADIUS     2.5 /* radius of the marks */
#define EDGE       1.2 /* line width of open marks */
/* The y axis ends at most at this multiple of the highest y that was measured in a steady state, if
 * higher points are not steady. */
#define FAR 2
/* The x axis ends at most at this multiple of the largest x, if it is extended to show a bound. */
#define BEYOND 1.25

const char *cm_figure_colour(uint32_t i)
{
    return colours[i % CM_FIGURE_COLOURS];
}

static int by_group(const void *a, const void *b)
{
    const struct cm_figure_point *p = a, *q = b;
    int groups = p->group != q->group ? strcmp(p->group, q->group) : 0;
    if (groups != 0)
        return groups;
    return p->x != q->x ? (p->x < q->x ? -1 : 1) : p->run < q->run ? -1 : p->run > q->run;
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

/* Smallest and largest value on an axis, before margins are added. */
struct ends {
    double low, high;
};

static void include(struct ends *ends, double value)
{
    if (isfinite(value)) {
        ends->low = fmin(ends->low, value);
        ends->high = fmax(ends->high, value);
    }
}

/* Makes an axis with a margin of a twentieth of its length on either side. A y axis begins at 0 if
 * all values are above 0 and the smallest is below half the largest. */
static struct cm_chart_axis make_axis(struct ends ends, bool y, bool logarithmic)
{
    double low = ends.low, high = ends.high;
    if (logarithmic) {
        double factor = low < high ? pow(high / low, 0.05) : 2;
        return (struct cm_chart_axis){
            .first = low / factor, .last = high * factor, .base = high / low < 40 ? 2 : 10};
    }
    double margin = low < high ? (high - low) / 20 : fabs(high) / 2 + 1;
    double first = y && low >= 0 && low < high / 2 ? 0 : low - margin;
    return (struct cm_chart_axis){.first = first, .last = high + margin};
}

/* Returns the ends of the x axis. The axis covers all points, and their bounds of x that are at
 * most BEYOND times the largest x. A logarithmic axis covers no bounds of 0 or below. */
static struct ends find_x_ends(const struct cm_figure_point *points, uint32_t count,
                               bool logarithmic)
{
    struct ends ends = {INFINITY, -INFINITY};
    for (uint32_t i = 0; i < count; i++)
        include(&ends, points[i].x);
    const double most = ends.high * BEYOND;
    for (uint32_t i = 0; i < count; i++)
        if (points[i].bound <= most && (!logarithmic || points[i].bound > 0))
            include(&ends, points[i].bound);
    return ends;
}

/* Returns the ends of the y axis, which covers all points and their intervals. A longer run would
 * give another mean for a point that was not measured in a steady state. Such points are therefore
 * not covered if they are far above the other points. */
static struct ends find_y_ends(const struct cm_figure_point *points, uint32_t count,
                               bool logarithmic)
{
    struct ends all = {INFINITY, -INFINITY}, steady = all;
    for (uint32_t i = 0; i < count; i++) {
        include(&all, points[i].y);
        if (points[i].open)
            continue;
        include(&steady, points[i].y);
        if (!logarithmic || points[i].low > 0)
            include(&steady, points[i].low);
        if (!logarithmic || points[i].high > 0)
            include(&steady, points[i].high);
    }
    if (steady.low > steady.high || logarithmic || all.high <= FAR * steady.high) {
        include(&all, steady.low);
        include(&all, steady.high);
        return all;
    }
    return (struct ends){fmin(all.low, steady.low), FAR * steady.high};
}

/* A chart that is being made, with the memory of its series. */
struct drawing {
    struct cm_chart chart;
    struct cm_chart_series series[SERIES_MAX];
    /* x and y of all points for the lines, followed by x, y, low and high of the marks. The open
     * marks of a group come after its filled marks. */
    double *values;
    uint32_t count;                   /* number of points */
    uint32_t marks;                   /* number of marks that were made */
    double bounds[GROUPS_MAX + 1][4]; /* x and y of both ends of the line of each bound */
    uint32_t bound_count;
    bool grouped;
};

static struct cm_chart_series *add_series(struct drawing *drawing, const char *label)
{
    struct cm_chart_series *series = &drawing->series[drawing->chart.series_count++];
    *series = (struct cm_chart_series){.label = label};
    return series;
}

/* Adds the marks for the open points of a group, or the marks for its other points. */
static void add_marks(struct drawing *drawing, const struct cm_figure_point *points, uint32_t first,
                      uint32_t end, bool open, const char *colour)
{
    const size_t count = drawing->count;
    double *x = drawing->values + 2 * count + drawing->marks;
    uint32_t marks = 0;
    for (uint32_t i = first; i < end; i++) {
        if (points[i].open != open)
            continue;
        x[marks] = points[i].x;
        x[count + marks] = points[i].y;
        x[2 * count + marks] = points[i].low;
        x[3 * count + marks] = points[i].high;
        marks++;
    }
    drawing->marks += marks;
    if (marks == 0)
        return;
    struct cm_chart_series *series = add_series(drawing, NULL);
    series->x = x;
    series->y = x + count;
    series->low = x + 2 * count;
    series->high = x + 3 * count;
    series->count = marks;
    series->line.colour = colour;
    series->radius = RADIUS;
    series->edge = open ? EDGE : 0;
    series->inside = "#ffffff";
}

/* Adds the vertical line of a bound, unless the bound is beyond the axis. */
static void add_bound(struct drawing *drawing, const char *label, const char *colour, double bound)
{
    const struct cm_chart_axis *axis = &drawing->chart.x;
    if (!(bound >= axis->first && bound <= axis->last))
        return;
    double *ends = drawing->bounds[drawing->bound_count++];
    struct cm_chart_series *series = add_series(drawing, label);
    ends[0] = ends[1] = bound;
    ends[2] = drawing->chart.y.first;
    ends[3] = drawing->chart.y.last;
    series->x = ends;
    series->y = ends + 2;
    series->count = 2;
    series->line = (struct cm_svg_pen){colour, 1, "4 3"};
}

/* Returns the bound that is the same for all points from `first` to before `end`, or NAN if their
 * bounds differ. */
static double shared_bound(const struct cm_figure_point *points, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++)
        if (!(points[i].bound >= points[first].bound && points[i].bound <= points[first].bound))
            return NAN;
    return points[first].bound;
}

/* Adds the line and the marks of a group of points. */
static void add_group(struct drawing *drawing, const struct cm_figure_point *points, uint32_t first,
                      uint32_t end, uint32_t number)
{
    static const char *const dashes[] = {NULL, "6 3", "2 2"};
    const char *colour = colours[number % CM_FIGURE_COLOURS];
    struct cm_chart_series *line =
        add_series(drawing, drawing->grouped ? points[first].group : NULL);
    double *xs = drawing->values + first, *ys = xs + drawing->count;
    for (uint32_t i = first; i < end; i++) {
        xs[i - first] = points[i].x;
        ys[i - first] = points[i].y;
    }
    line->x = xs;
    line->y = ys;
    line->count = end - first;
    line->line = (struct cm_svg_pen){colour, 1.5, dashes[number / CM_FIGURE_COLOURS]};
    add_marks(drawing, points, first, end, false, colour);
    add_marks(drawing, points, first, end, true, colour);
    double bound = shared_bound(points, first, end);
    if (drawing->grouped && isfinite(bound) && !isfinite(shared_bound(points, 0, drawing->count)))
        add_bound(drawing, NULL, colour, bound);
}

/* Adds an entry to the legend for the bound, and one for open marks if such a mark is within the
 * axes. */
static void add_legend(struct drawing *drawing, const struct cm_figure_point *points)
{
    double bound = shared_bound(points, 0, drawing->count);
    bool open = false;
    for (uint32_t i = 0; i < drawing->count; i++)
        open = open || (points[i].open && points[i].y <= drawing->chart.y.last);
    if (open) {
        struct cm_chart_series *series = add_series(drawing, "not steady");
        series->line = (struct cm_svg_pen){"#000000", 0, NULL};
        series->radius = RADIUS;
        series->edge = EDGE;
        series->inside = "#ffffff";
    }
    if (isfinite(bound))
        add_bound(drawing, "bound", "#000000", bound);
    else if (drawing->bound_count > 0)
        add_series(drawing, "bounds")->line = (struct cm_svg_pen){"#000000", 1, "4 3"};
    drawing->chart.legend_below = drawing->grouped || open || drawing->bound_count > 0;
}

static enum cm_status draw(const struct cm_figure_curve *curve, struct drawing *drawing,
                           const struct cm_figure_point *points, const struct cm_figure_page *page,
                           struct cm_buffer *out, struct cm_error *err)
{
    struct cm_chart *chart = &drawing->chart;
    const char *log = curve->logarithmic != NULL ? curve->logarithmic : "";
    uint32_t count = drawing->count, groups = 0;
    char labels[2][256];
    chart->series = drawing->series;
    drawing->grouped = points[0].group != NULL;
    bool log_x = strchr(log, 'x') != NULL, log_y = strchr(log, 'y') != NULL;
    chart->x = make_axis(find_x_ends(points, count, log_x), false, log_x);
    chart->y = make_axis(find_y_ends(points, count, log_y), true, log_y);
    for (uint32_t first = 0, end; first < count && groups < GROUPS_MAX; first = end) {
        for (end = first + 1; end < count && same_group(&points[end], &points[first]);)
            end++;
        add_group(drawing, points, first, end, groups++);
    }
    add_legend(drawing, points);
    cm_figure_label(&chart->x, curve->x, labels[0], sizeof labels[0]);
    cm_figure_label(&chart->y, curve->y, labels[1], sizeof labels[1]);
    if (curve->x_title != NULL)
        chart->x =
            (struct cm_chart_axis){curve->x_title, chart->x.first, chart->x.last, chart->x.base, 1};
    if (curve->y_title != NULL)
        chart->y =
            (struct cm_chart_axis){curve->y_title, chart->y.first, chart->y.last, chart->y.base, 1};
    return cm_figure_draw(chart, page, out, err);
}

enum cm_status cm_figure_curve(const struct cm_figure_curve *curve, struct cm_figure_point *points,
                               uint32_t count, const struct cm_figure_page *page,
                               struct cm_buffer *out, struct cm_error *err)
{
    struct drawing *drawing = calloc(1, sizeof *drawing);
    double *values = malloc((6 * (size_t)count + 1) * sizeof *values);
    if (drawing == NULL || values == NULL) {
        free(drawing);
        free(values);
        return cm_error_no_memory(err);
    }
    drawing->values = values;
    drawing->count = count;
    if (count > 0)
        qsort(points, count, sizeof *points, by_group);
    enum cm_status status = check(curve, points, count, err);
    if (status == CM_OK)
        status = draw(curve, drawing, points, page, out, err);
    free(values);
    free(drawing);
    return status;
}
