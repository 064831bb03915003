/*
 * Figures 8 to 11 of P as gnuplot data and scripts: published points, simulated points, and in 9 to
 * 11 the curve of equation 2, a + b L^(k-1) + c L^k, through the published points by least squares.
 */
#include "../../base/buffer.h"
#include "validate.h"

#include <inttypes.h>

struct figure {
    const char *name;
    const char *title;
    uint32_t rank;    /* 0: all, speedups */
    uint64_t longest; /* the paper's axis ends there; 0: at the last row */
    const char *y_range;
    uint32_t powers[3]; /* of L in the curve */
    uint32_t terms;     /* in rank one the first two terms are the same */
    const char *curve;
};

/* The ranges are those of the paper's figures; its rank-two fit, too, dips below zero at short
 * lengths. */
static const struct figure figures[CM_FIGURE_COUNT] = {
    {"figure-08",
     "Figure 8: speedup of PSHIFT over CSHIFT, REAL*8, shifts by 1 and -1",
     0,
     0,
     "[0:5]",
     {0},
     0,
     NULL},
    {"figure-09",
     "Figure 9: PSHIFT, rank one, REAL*8, shifts by 1 and -1",
     1,
     128,
     "[0.02:0.24]",
     {0, 1},
     2,
     "(a + b) + c L"},
    {"figure-10",
     "Figure 10: PSHIFT, rank two, REAL*8, shifts by 1 and -1",
     2,
     0,
     "[-10:75]",
     {0, 1, 2},
     3,
     "a + b L + c L^2"},
    {"figure-11",
     "Figure 11: PSHIFT, rank three, REAL*8, shifts by 1 and -1",
     3,
     0,
     "[-2:35]",
     {0, 2, 3},
     3,
     "a + b L^2 + c L^3"},
};

const char *cm_figure_name(uint32_t i)
{
    return i < CM_FIGURE_COUNT ? figures[i].name : NULL;
}

static bool shows(const struct figure *figure, const struct cm_validated_row *row, uint32_t rank)
{
    return row->published->rank == rank && (figure->rank == 0 || figure->rank == rank) &&
           (figure->longest == 0 || row->published->length <= figure->longest);
}

static uint32_t count_rows(const struct cm_validation *validation, const struct figure *figure,
                           uint32_t rank)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < validation->row_count; i++)
        count += shows(figure, &validation->rows[i], rank);
    return count;
}

/* A block a rank, which gnuplot calls by `index`; figures of one rank have one block. */
void cm_figure_data(const struct cm_validation *validation, uint32_t i, struct cm_buffer *text)
{
    const struct figure *figure = &figures[i];
    enum cm_quantity quantity =
        figure->rank == 0 ? CM_QUANTITY_ELAPSED_SPEEDUP : CM_QUANTITY_CM_TIME;
    double published, simulated;
    bool first = true;
    cm_buffer_printf(text,
                     "# %s\n# Published: George, Brickner, Johnsson, Scientific Programming 3, "
                     "1994, tables 1 to 4. Simulated: cm200 validate, %s.\n"
                     "# %s\n# rank length published simulated\n",
                     figure->title, validation->config.name,
                     figure->rank == 0 ? "Elapsed time of CSHIFT / elapsed time of PSHIFT"
                                       : "CM time in milliseconds");
    for (uint32_t rank = 1; rank <= CM_VALIDATE_TABLES; rank++) {
        if (count_rows(validation, figure, rank) == 0)
            continue;
        cm_buffer_printf(text, "%s", first ? "" : "\n\n");
        first = false;
        for (uint32_t r = 0; r < validation->row_count; r++) {
            const struct cm_validated_row *row = &validation->rows[r];
            if (!shows(figure, row, rank))
                continue;
            cm_validated_values(&validation->config, row, quantity, CM_LIBRARY_PSHIFT, &published,
                                &simulated);
            cm_buffer_printf(text, "%" PRIu32 " %" PRIu64 " %.5f %.5f\n", rank,
                             row->published->length, published, simulated);
        }
    }
}

static void append_head(const struct figure *figure, struct cm_buffer *text)
{
    cm_buffer_printf(text,
                     "# Draws %s.svg of %s.dat: gnuplot %s.gp, in this folder.\n"
                     "set terminal svg size 760,500 font 'Helvetica,14' background '#ffffff'\n"
                     "set output '%s.svg'\n"
                     "set title \"%s\"\n"
                     "set xlabel 'subgrid length L (elements of each axis in a node)'\n"
                     "set ylabel '%s'\n"
                     "set logscale x 2\nset grid lc rgb '#dddddd' lt 1 lw 0.5\n"
                     "set yrange %s\n",
                     figure->name, figure->name, figure->name, figure->name, figure->title,
                     figure->rank == 0 ? "speedup by elapsed time" : "CM time (ms)",
                     figure->y_range);
}

static const char *const colours[CM_VALIDATE_TABLES] = {"#1b5fa8", "#c2410c", "#15803d", "#7e22ce"};

/* Published points joined by lines, as in the paper; simulated ones open and dashed. */
static void append_speedups(const struct cm_validation *validation, const struct figure *figure,
                            struct cm_buffer *text)
{
    uint32_t block = 0;
    cm_buffer_printf(text, "set xrange [1.6:20000]\nset key top right samplen 3\nplot \\\n");
    for (uint32_t rank = 1; rank <= CM_VALIDATE_TABLES; rank++) {
        if (count_rows(validation, figure, rank) == 0)
            continue;
        for (int simulated = 0; simulated < 2; simulated++)
            cm_buffer_printf(text,
                             "%s  '%s.dat' index %" PRIu32
                             " using 2:%d with linespoints lc rgb '%s' lw 1.5 ps 0.8 pt %d%s "
                             "title 'rank %" PRIu32 ", %s'",
                             block + (uint32_t)simulated ? ", \\\n" : "", figure->name, block,
                             3 + simulated, colours[rank - 1], simulated ? 6 : 7,
                             simulated ? " dt 2" : "", rank, simulated ? "simulated" : "published");
        block++;
    }
    cm_buffer_printf(text, "\n");
}

/* The published points of a figure's rank, as the paper fits them. */
static bool fit_curve(const struct cm_validation *validation, const struct figure *figure,
                      const uint32_t *powers, uint32_t terms, double *coefficient)
{
    double x[CM_VALIDATE_ROWS_MAX], y[CM_VALIDATE_ROWS_MAX];
    uint32_t count = 0;
    for (uint32_t r = 0; r < validation->row_count; r++) {
        const struct cm_validated_row *row = &validation->rows[r];
        if (!shows(figure, row, figure->rank))
            continue;
        x[count] = (double)row->published->length;
        y[count++] = row->published->times[CM_LIBRARY_PSHIFT].cm_ms;
    }
    return cm_polynomial_fit(x, y, count, powers, terms, coefficient);
}

static void append_polynomial(struct cm_buffer *text, const char *name, const uint32_t *powers,
                              uint32_t terms, const double *coefficient)
{
    cm_buffer_printf(text, "%s(x) =", name);
    for (uint32_t j = 0; j < terms; j++)
        cm_buffer_printf(text, "%s %.9g * x**%" PRIu32, j ? " +" : "", coefficient[j], powers[j]);
    cm_buffer_printf(text, "\n");
}

/* A little wider than the points, so that none lies on the frame. */
static void append_range(const struct cm_validation *validation, const struct figure *figure,
                         struct cm_buffer *text)
{
    uint64_t shortest = 0, longest = 0;
    for (uint32_t r = 0; r < validation->row_count; r++) {
        uint64_t length = validation->rows[r].published->length;
        if (!shows(figure, &validation->rows[r], figure->rank))
            continue;
        shortest = shortest == 0 || length < shortest ? length : shortest;
        longest = length > longest ? length : longest;
    }
    cm_buffer_printf(text, "set xrange [%.2f:%.2f]\n", (double)shortest * 0.85,
                     (double)longest * 1.18);
}

static void append_times(const struct cm_validation *validation, const struct figure *figure,
                         struct cm_buffer *text)
{
    static const uint32_t cubic[] = {0, 1, 2, 3};
    double coefficient[CM_POLYNOMIAL_TERMS_MAX];
    bool curve = fit_curve(validation, figure, figure->powers, figure->terms, coefficient);
    if (curve)
        append_polynomial(text, "equation_2", figure->powers, figure->terms, coefficient);
    /* P figure 11 fits all powers, so that its curve goes through its four points. */
    bool exact = figure->rank == 3 && fit_curve(validation, figure, cubic, 4, coefficient);
    if (exact)
        append_polynomial(text, "all_powers", cubic, 4, coefficient);
    append_range(validation, figure, text);
    cm_buffer_printf(text, "set key top left Left reverse samplen 3\nset samples 400\nplot \\\n");
    if (curve)
        cm_buffer_printf(text,
                         "  equation_2(x) with lines lc rgb '#bbbbbb' lw 3 title 'equation 2 on "
                         "the published points: %s', \\\n",
                         figure->curve);
    if (exact)
        cm_buffer_printf(text, "  all_powers(x) with lines lc rgb '#222222' dt 3 lw 1.5 title 'all "
                               "powers, as in the paper: a + b L + c L^2 + d L^3', \\\n");
    cm_buffer_printf(text,
                     "  '%s.dat' using 2:3 with points lc rgb '%s' pt 7 ps 1 title 'published', "
                     "\\\n  '%s.dat' using 2:4 with points lc rgb '%s' pt 6 ps 1.6 lw 2 title "
                     "'simulated'\n",
                     figure->name, colours[0], figure->name, colours[1]);
}

void cm_figure_script(const struct cm_validation *validation, uint32_t i, struct cm_buffer *text)
{
    const struct figure *figure = &figures[i];
    append_head(figure, text);
    if (figure->rank == 0)
        append_speedups(validation, figure, text);
    else
        append_times(validation, figure, text);
}
