/*
 * Draws figures 8 to 11 of the PSHIFT paper with published points and simulated points. Figures 9
 * to 11 also have the curve of equation 2, a + b L^(k-1) + c L^k, fitted to the published points by
 * least squares.
 */
#include "../../base/version.h"
#include "../../report/chart.h"
#include "../../report/json_writer.h"
#include "../../report/machine.h"
#include "validate.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define SAMPLES 400u /* number of points of a curve */

struct figure {
    const char *name, *title;
    const char *curve;         /* label of the curve. NULL: there is no curve */
    uint32_t powers[3], terms; /* powers of the length L in the curve, and their number */
    uint32_t rank;             /* rank of the rows that are drawn. 0: speedups of all ranks */
    uint64_t longest;          /* largest length on the paper's axis. 0: that of the last row */
    double y_first, y_last;
};

#define FIGURE(number, what) "Figure " number ": " what ", REAL*8, shifts by 1 and -1"
#define EQUATION_2           "equation 2 on the published points: "

/* Ranges of the figures, which are those of the paper. The fit for rank two becomes negative at
 * short lengths, as in the paper. In rank one the first two terms of equation 2 have the same
 * power. */
static const struct figure figures[CM_FIGURE_COUNT] = {
    {"figure-08", FIGURE("8", "speedup of PSHIFT over CSHIFT"), .y_last = 5},
    {"figure-09",
     FIGURE("9", "PSHIFT, rank one"),
     EQUATION_2 "(a + b) + c L",
     {0, 1},
     2,
     1,
     128,
     0.02,
     0.24},
    {"figure-10",
     FIGURE("10", "PSHIFT, rank two"),
     EQUATION_2 "a + b L + c L\u00b2",
     {0, 1, 2},
     3,
     2,
     0,
     -10,
     75},
    {"figure-11",
     FIGURE("11", "PSHIFT, rank three"),
     EQUATION_2 "a + b L\u00b2 + c L\u00b3",
     {0, 2, 3},
     3,
     3,
     0,
     -2,
     35},
};

const char *cm_figure_name(uint32_t i)
{
    return i < CM_FIGURE_COUNT ? figures[i].name : NULL;
}

/* Points of the rows of one rank, in the order of ascending length. */
struct points {
    double length[CM_VALIDATE_ROWS_MAX];
    double published[CM_VALIDATE_ROWS_MAX];
    double simulated[CM_VALIDATE_ROWS_MAX];
    uint32_t count;
};

static void take_points(const struct cm_validation *validation, const struct figure *figure,
                        uint32_t rank, struct points *points)
{
    enum cm_quantity quantity =
        figure->rank == 0 ? CM_QUANTITY_ELAPSED_SPEEDUP : CM_QUANTITY_CM_TIME;
    points->count = 0;
    for (uint32_t r = 0; r < validation->row_count; r++) {
        const struct cm_validated_row *row = &validation->rows[r];
        uint64_t length = row->published->length;
        if (row->published->rank != rank || (figure->longest != 0 && length > figure->longest))
            continue;
        uint32_t n = points->count++;
        points->length[n] = (double)length;
        cm_validated_values(&validation->config, row, quantity, CM_LIBRARY_PSHIFT,
                            &points->published[n], &points->simulated[n]);
    }
}

/* Describes the machine with all its numbers, for the text in the figure's file. */
static void describe(const struct cm_config *config, struct cm_buffer *about)
{
    struct cm_json_writer json;
    cm_buffer_printf(about, "made by cm200 %s validate, machine %s ", cm_version(), config->name);
    cm_json_writer_begin(&json, about);
    cm_json_write_compact(&json, true);
    cm_json_write_object(&json, NULL);
    cm_json_write_machine(&json, config);
    cm_json_write_end(&json);
}

/* Draws the series of a figure over the lengths from range[0] to range[1]. */
static void draw(const struct cm_config *config, const struct figure *figure, const double range[2],
                 const struct cm_chart_series *series, uint32_t count, struct cm_buffer *svg)
{
    struct cm_buffer about;
    cm_buffer_init(&about);
    describe(config, &about);
    struct cm_chart chart = {
        .title = figure->title,
        .description = about.data,
        .x = {"subgrid length L (elements of each axis in a node)", range[0], range[1], 2, 0},
        .y = {figure->rank == 0 ? "speedup by elapsed time" : "CM time (ms)", figure->y_first,
              figure->y_last, 0, 0},
        .legend_right = figure->rank == 0,
        .series = series,
        .series_count = count,
    };
    cm_chart_svg(&chart, svg);
    svg->failed = svg->failed || !cm_buffer_ok(&about);
    cm_buffer_finish(&about);
}

static const char *const colours[CM_VALIDATE_TABLES] = {"#1b5fa8", "#c2410c", "#15803d", "#7e22ce"};

/* Draws figure 8: published points joined by lines, as in the paper, and simulated points as open
 * marks joined by dashed lines. */
static void draw_speedups(const struct cm_validation *validation, const struct figure *figure,
                          struct cm_buffer *svg)
{
    struct points points[CM_VALIDATE_TABLES];
    struct cm_chart_series series[2 * CM_VALIDATE_TABLES];
    char labels[2 * CM_VALIDATE_TABLES][32];
    uint32_t count = 0;
    for (uint32_t t = 0; t < CM_VALIDATE_TABLES; t++) {
        const struct points *of = &points[t];
        take_points(validation, figure, t + 1, &points[t]);
        for (int simulated = 0; of->count > 0 && simulated < 2; simulated++) {
            snprintf(labels[count], sizeof *labels, "rank %" PRIu32 ", %s", t + 1,
                     simulated ? "simulated" : "published");
            series[count] = (struct cm_chart_series){
                .label = labels[count],
                .x = of->length,
                .y = simulated ? of->simulated : of->published,
                .count = of->count,
                .line = {colours[t], 1.5, simulated ? "7 4" : NULL},
                .radius = 3.5,
                .edge = simulated ? 1.5 : 0,
            };
            count++;
        }
    }
    draw(&validation->config, figure, (const double[]){1.6, 20000}, series, count, svg);
}

/* Fits a curve with these powers of the length to the published points. Returns false if the points
 * do not determine the curve. */
static bool fit_curve(const struct points *points, const uint32_t *powers, uint32_t terms,
                      const double *x, double *y)
{
    double coefficient[CM_POLYNOMIAL_TERMS_MAX];
    if (!cm_polynomial_fit(points->length, points->published, points->count, powers, terms,
                           coefficient))
        return false;
    for (uint32_t i = 0; i < SAMPLES; i++) {
        y[i] = 0;
        for (uint32_t j = 0; j < terms; j++)
            y[i] += coefficient[j] * pow(x[i], powers[j]);
    }
    return true;
}

/* Returns the series of a fitted curve, which is a line without marks. */
static struct cm_chart_series line_of(const char *label, const double *x, const double *y,
                                      const char *colour, double width)
{
    return (struct cm_chart_series){
        .label = label, .x = x, .y = y, .count = SAMPLES, .line = {colour, width, NULL}};
}

static void draw_times(const struct cm_validation *validation, const struct figure *figure,
                       struct cm_buffer *svg)
{
    static const uint32_t cubic[] = {0, 1, 2, 3};
    struct points points;
    struct cm_chart_series series[4];
    double x[SAMPLES], equation_2[SAMPLES], all_powers[SAMPLES];
    double range[2] = {1, 2}; /* range if there are no points */
    uint32_t count = 0;
    take_points(validation, figure, figure->rank, &points);
    if (points.count > 0) {
        /* The range is slightly wider than the points, so that no point is on the frame. */
        range[0] = points.length[0] * 0.85;
        range[1] = points.length[points.count - 1] * 1.18;
    }
    for (uint32_t i = 0; i < SAMPLES; i++)
        x[i] = range[0] * pow(range[1] / range[0], (double)i / (SAMPLES - 1));
    if (fit_curve(&points, figure->powers, figure->terms, x, equation_2))
        series[count++] = line_of(figure->curve, x, equation_2, "#bbbbbb", 3);
    /* Figure 11 of the PSHIFT paper fits all powers, so its curve goes through its four points. */
    if (figure->rank == 3 && fit_curve(&points, cubic, 4, x, all_powers)) {
        series[count] = line_of("all powers, as in the paper: a + b L + c L\u00b2 + d L\u00b3", x,
                                all_powers, "#222222", 1.5);
        series[count++].line.dashes = "2 4";
    }
    series[count] = line_of("published", points.length, points.published, colours[0], 0);
    series[count].count = points.count;
    series[count++].radius = 5;
    series[count] = line_of("simulated", points.length, points.simulated, colours[1], 0);
    series[count].count = points.count;
    series[count].radius = 7;
    series[count++].edge = 2;
    draw(&validation->config, figure, range, series, count, svg);
}

void cm_figure_svg(const struct cm_validation *validation, uint32_t i, struct cm_buffer *svg)
{
    const struct figure *figure = &figures[i];
    if (figure->rank == 0)
        draw_speedups(validation, figure, svg);
    else
        draw_times(validation, figure, svg);
}
