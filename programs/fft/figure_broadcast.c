/*
 * Shows which points hold the value after each step of a broadcast: a table of bit patterns, and
 * figure 1 of the paper (mapping.h), point by point. At first the value is in the points whose
 * coordinates along the broadcast's axes are the source's. Step (p, q) adds the partners of these
 * points.
 */
#include "../../base/buffer.h"
#include "../../report/style.h"
#include "../../report/svg.h"
#include "../../report/table.h"
#include "figure.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATTERN_BYTES (2 * CM_FFT_AXES_MAX + 2)
#define CELL_BYTES    48u

/* Progress of a broadcast: the index bits in which points with the value differ after n steps, n =
 * 0, 1, ..., and the index bit of each step. */
struct spread {
    struct cm_fft_schedule schedule;
    uint64_t differ[CM_FFT_AXES_MAX + 1];
    uint32_t bit[CM_FFT_AXES_MAX];
};

static void spread_of(const struct cm_fft_task *task, struct spread *spread)
{
    const struct cm_fft_mapping *mapping = &task->mapping;
    uint32_t first[CM_FFT_AXES_MAX], x = 0;
    cm_fft_task_schedule(task, &spread->schedule);
    spread->differ[0] = 0;
    for (uint32_t p = 0; p < mapping->rank; p++) {
        uint64_t bits = (UINT64_C(1) << mapping->array_bits[p]) - 1;
        first[p] = x;
        if (!(task->axes >> p & 1))
            spread->differ[0] |= bits << x;
        x += mapping->array_bits[p];
    }
    for (uint32_t n = 0; n < spread->schedule.count; n++) {
        const struct cm_fft_step *step = &spread->schedule.steps[n];
        spread->bit[n] = first[step->axis] + step->bit;
        spread->differ[n + 1] = spread->differ[n] | UINT64_C(1) << spread->bit[n];
    }
}

/* Writes the bits of a number axis by axis, most significant first, as in "01*,001". A * is a bit
 * that has both values. */
static void write_pattern(uint64_t number, uint64_t differ, const uint32_t *bits, uint32_t rank,
                          char *pattern)
{
    uint32_t end = 0;
    for (uint32_t a = 0; a < rank; a++)
        end += bits[a];
    for (uint32_t a = rank; a-- > 0;) {
        for (uint32_t b = bits[a]; b-- > 0;) {
            end--;
            *pattern++ = differ >> end & 1 ? '*' : number >> end & 1 ? '1' : '0';
        }
        if (bits[a] == 0)
            *pattern++ = '0';
        *pattern++ = a > 0 ? ',' : '\0';
    }
}

/* Returns the bits of the mesh coordinates for bits of index I, without the bits within nodes. */
static uint64_t on_mesh(const struct cm_fft_mapping *mapping, uint64_t index)
{
    uint32_t node_bits = cm_fft_node_bits(mapping);
    uint32_t base = mapping->local == CM_FFT_LOCAL_LOW ? mapping->local_bits : 0;
    uint64_t permuted = 0;
    for (uint32_t x = 0; x < mapping->bits; x++)
        permuted |= (index >> x & 1) << mapping->place[x];
    return permuted >> base & ((UINT64_C(1) << node_bits) - 1);
}

static void format_move(const struct cm_fft_step *step, char *cell)
{
    if (step->local)
        snprintf(cell, CELL_BYTES, "local");
    else
        snprintf(cell, CELL_BYTES, "sd(%" PRIu32 ",%" PRIu64 ")", step->mesh_axis, step->distance);
}

static void add_row(const struct cm_fft_task *task, const struct spread *spread, uint32_t n,
                    struct cm_table *table)
{
    const struct cm_fft_mapping *mapping = &task->mapping;
    const struct cm_fft_step *step = n > 0 ? &spread->schedule.steps[n - 1] : NULL;
    uint64_t differ = spread->differ[n], nodes = on_mesh(mapping, differ);
    char pair[CELL_BYTES] = "", move[CELL_BYTES] = "", pattern[PATTERN_BYTES];
    if (step != NULL) {
        snprintf(pair, sizeof pair, "(%" PRIu32 ", %" PRIu32 ")", step->axis, step->bit);
        format_move(step, move);
    }
    cm_table_u64(table, n);
    cm_table_string(table, pair);
    cm_table_string(table, move);
    cm_table_u64(table, UINT64_C(1) << __builtin_popcountll(differ));
    write_pattern(task->source, differ, mapping->array_bits, mapping->rank, pattern);
    cm_table_string(table, pattern);
    cm_table_u64(table, UINT64_C(1) << __builtin_popcountll(nodes));
    write_pattern(on_mesh(mapping, task->source), nodes, mapping->mesh_bits, mapping->mesh_rank,
                  pattern);
    cm_table_string(table, pattern);
}

void cm_fft_holders_table(const struct cm_fft_task *task, struct cm_buffer *text)
{
    static const struct cm_column columns[] = {
        {"after step", .kind = CM_COLUMN_NUMBER},
        {"(p, q)", .before = "  "},
        {"sent by", .before = "  "},
        {"points", .kind = CM_COLUMN_NUMBER},
        {"which", .before = "  "},
        {"nodes", .kind = CM_COLUMN_NUMBER},
        {"at", .before = "  "},
    };
    struct spread spread;
    struct cm_table table;
    spread_of(task, &spread);
    cm_table_init(&table, columns, sizeof columns / sizeof *columns);
    table.indent = 0;
    for (uint32_t n = 0; n <= spread.schedule.count; n++)
        add_row(task, &spread, n, &table);
    cm_table_text(&table, CM_STYLE_PLAIN, text);
    cm_table_finish(&table);
}

/* ---- figure 1 ---- */

/* Returns the number of the step after which a point holds the value, 0 for the first holders. Sets
 * *sender to the point that sends the value. */
static uint32_t arrival(const struct cm_fft_task *task, const struct spread *spread, uint64_t point,
                        uint64_t *sender)
{
    uint64_t apart = point ^ task->source;
    uint32_t n = 0;
    while ((apart & ~spread->differ[n]) != 0)
        n++;
    if (n > 0)
        *sender = point ^ UINT64_C(1) << spread->bit[n - 1];
    return n;
}

static int digits_of(uint64_t number)
{
    return snprintf(NULL, 0, "%" PRIu64, number);
}

static void append_point(const struct cm_fft_task *task, const struct spread *spread,
                         uint64_t point, const int widths[2], struct cm_buffer *text)
{
    uint64_t sender = 0;
    uint32_t came = arrival(task, spread, point, &sender);
    char coordinates[PATTERN_BYTES];
    const struct cm_fft_mapping *mapping = &task->mapping;
    write_pattern(point, 0, mapping->array_bits, mapping->rank, coordinates);
    cm_buffer_printf(text, "%*" PRIu64 "  %s", widths[0], point, coordinates);
    for (uint32_t n = 0; n <= spread->schedule.count; n++) {
        char cell[CELL_BYTES];
        snprintf(cell, sizeof cell, n > came ? "*" : "<%" PRIu64, sender);
        const char *seen = n < came ? "." : n == 0 ? "*" : cell;
        cm_buffer_printf(text, "  %*s", n < spread->schedule.count ? -widths[1] : 0, seen);
    }
    cm_buffer_printf(text, "\n");
}

void cm_fft_broadcast_text(const struct cm_fft_task *task, struct cm_buffer *text)
{
    const struct cm_fft_mapping *mapping = &task->mapping;
    uint64_t points = UINT64_C(1) << mapping->bits;
    struct spread spread;
    char pattern[PATTERN_BYTES];
    spread_of(task, &spread);
    int widths[2] = {digits_of(points - 1), digits_of(points - 1) + 1};
    write_pattern(0, 0, mapping->array_bits, mapping->rank, pattern);
    widths[0] = widths[0] > 5 ? widths[0] : 5;
    widths[1] = widths[1] > 5 ? widths[1] : 5;
    for (uint32_t n = 0; n < spread.schedule.count; n++) {
        char move[CELL_BYTES];
        format_move(&spread.schedule.steps[n], move);
        widths[1] = (int)strlen(move) > widths[1] ? (int)strlen(move) : widths[1];
    }
    cm_fft_shapes_write(mapping, text);
    cm_buffer_printf(text, ": * holds the value, <x has it from point x\n\n%*s  %-*s", widths[0],
                     "point", (int)strlen(pattern), "bits");
    cm_buffer_printf(text, "  %-*s", spread.schedule.count > 0 ? widths[1] : 0, "start");
    for (uint32_t n = 0; n < spread.schedule.count; n++) {
        char move[CELL_BYTES];
        format_move(&spread.schedule.steps[n], move);
        cm_buffer_printf(text, "  %*s", n + 1 < spread.schedule.count ? -widths[1] : 0, move);
    }
    cm_buffer_printf(text, "\n");
    for (uint64_t point = 0; point < points; point++)
        append_point(task, &spread, point, widths, text);
}

/* ---- figure 1 as SVG: time runs to the right, points are below one another ---- */

#define STEP   90.0 /* distance between steps in pixels */
#define ROW    18.0
#define MARGIN 24.0
#define LETTER 11.0
#define DOT    3.5

static double row_of(uint64_t point)
{
    return 3 * MARGIN + (double)point * ROW;
}

static double column_of(const struct cm_fft_mapping *mapping, uint32_t n)
{
    return 2 * MARGIN + LETTER * (mapping->bits + mapping->rank) / 1.5 + n * STEP;
}

/* Draws a point after step n, and before it the paths that a value can take in that step. */
static void draw_point(const struct cm_fft_task *task, const struct spread *spread, uint64_t point,
                       uint32_t n, struct cm_buffer *svg)
{
    static const struct cm_svg_pen sent = {"#c1440e", 1.6, NULL}, kept = {"#1b6ca8", 1.6, NULL};
    static const struct cm_svg_pen idle = {"#dddddd", 0.8, NULL}, ring = {"#1b6ca8", 1, NULL};
    const struct cm_fft_mapping *mapping = &task->mapping;
    double x = column_of(mapping, n), y = row_of(point), before = x - STEP;
    uint64_t sender = 0;
    uint32_t came = arrival(task, spread, point, &sender);
    if (n > 0) {
        double partner = row_of(point ^ UINT64_C(1) << spread->bit[n - 1]);
        cm_svg_line(svg, before, partner, x, y, came == n ? &sent : &idle);
        cm_svg_line(svg, before, y, x, y, came < n ? &kept : &idle);
    }
    cm_svg_shape(svg, came <= n ? "#1b6ca8" : "#ffffff", &ring,
                 "circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.1f\"", x, y, DOT);
}

static void draw_labels(const struct cm_fft_task *task, const struct spread *spread,
                        struct cm_buffer *svg)
{
    const struct cm_fft_mapping *mapping = &task->mapping;
    for (uint32_t n = 0; n < spread->schedule.count; n++) {
        char move[CELL_BYTES];
        format_move(&spread->schedule.steps[n], move);
        cm_svg_text(svg, &(struct cm_svg_label){column_of(mapping, n) + STEP / 2, 2 * MARGIN,
                                                LETTER, 0, CM_SVG_MIDDLE, move});
    }
    for (uint64_t point = 0; point >> mapping->bits == 0; point++) {
        char pattern[PATTERN_BYTES];
        write_pattern(point, 0, mapping->array_bits, mapping->rank, pattern);
        cm_svg_text(svg, &(struct cm_svg_label){column_of(mapping, 0) - MARGIN / 2,
                                                row_of(point) + LETTER / 3, LETTER, 0, CM_SVG_END,
                                                pattern});
    }
}

void cm_fft_broadcast_svg(const struct cm_fft_task *task, struct cm_buffer *svg)
{
    const struct cm_fft_mapping *mapping = &task->mapping;
    struct spread spread;
    struct cm_buffer title;
    spread_of(task, &spread);
    cm_buffer_init(&title);
    cm_buffer_printf(&title, "broadcast, ");
    cm_fft_shapes_write(mapping, &title);
    const char *name = cm_buffer_ok(&title) ? title.data : "";
    double width = column_of(mapping, spread.schedule.count) + MARGIN, least = 480;
    cm_svg_begin(svg, width > least ? width : least, row_of(UINT64_C(1) << mapping->bits) + MARGIN,
                 name);
    cm_svg_text(svg, &(struct cm_svg_label){MARGIN, MARGIN, LETTER + 1, 0, CM_SVG_START, name});
    draw_labels(task, &spread, svg);
    for (uint32_t n = 0; n <= spread.schedule.count; n++)
        for (uint64_t point = 0; point >> mapping->bits == 0; point++)
            draw_point(task, &spread, point, n, svg);
    cm_svg_end(svg);
    svg->failed = svg->failed || !cm_buffer_ok(&title);
    cm_buffer_finish(&title);
}
