/* Shows a table of circular shifts as text for people, as JSON, as CSV and as a figure. */
#include "../base/version.h"
#include "../figure/figure.h"
#include "../programs/workload/provenance.h"
#include "../report/machine.h"
#include "../report/numbers.h"
#include "../report/table.h"
#include "table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POINTS_MARKED 64u /* a line with more points than this has no marks at its points */

enum { COLUMN_Q, COLUMN_TIME = 10 };

static const struct cm_column columns[] = {
    /* the distance, in every row for programs. People see it in the next column, and only where it
     * changes. */
    {.name = "q"},
    {.heading = "q", .kind = CM_COLUMN_NUMBER},
    {.name = "method"},
    {.name = "steps", .kind = CM_COLUMN_COUNT},
    {.name = "congestion", .kind = CM_COLUMN_COUNT},
    {.name = "longest_path", .heading = "longest path", .kind = CM_COLUMN_COUNT},
    {.name = "word_times", .heading = "word times", .kind = CM_COLUMN_COUNT},
    {.name = "word_time_cycles", .heading = "cycles each", .kind = CM_COLUMN_COUNT},
    {.name = "cycles", .kind = CM_COLUMN_COUNT},
    {.name = "textbook_cycles", .heading = "textbook", .kind = CM_COLUMN_COUNT},
    {.name = "time_units", .heading = "time units", .kind = CM_COLUMN_NUMBER, .digits = 10},
    {.name = "textbook_time_units",
     .heading = "textbook units",
     .kind = CM_COLUMN_NUMBER,
     .digits = 10},
    {.name = "crossover_words"},
    {.name = "textbook_crossover_words"},
    {.name = "partial"}, /* only in a table that lacks some distances */
};
#define COLUMN_COUNT (sizeof columns / sizeof *columns)

static const char *name_of(enum cm_survey_method method)
{
    return cm_survey_method_name(method);
}

static void add_crossover(const struct cm_shift_table *table, uint64_t index,
                          enum cm_survey_method method, struct cm_table *cells)
{
    const struct cm_survey_crossover *crossover =
        table->crossovers != NULL && method == CM_SURVEY_ECUBE ? &table->crossovers[index] : NULL;
    if (crossover != NULL && crossover->words > 0)
        cm_table_u64(cells, crossover->words);
    else
        cm_table_empty(cells);
    if (crossover != NULL && crossover->formula_words >= 0)
        cm_table_add(cells, cm_rounded(crossover->formula_words, 6));
    else
        cm_table_empty(cells);
}

static void fill_rows(const struct cm_shift_table *table, struct cm_table *cells)
{
    uint64_t index = 0;
    char partial[64];
    snprintf(partial, sizeof partial, "%" PRIu64 " of %" PRIu64 " q", table->done,
             cm_shift_table_distances(table));
    for (uint64_t i = 0; i < table->row_count; i++) {
        const struct cm_survey_row *row = &table->rows[i];
        bool first = i == 0 || row->by != row[-1].by;
        index += i > 0 && first;
        cm_table_u64(cells, row->by);
        if (first)
            cm_table_u64(cells, row->by);
        else
            cm_table_empty(cells);
        cm_table_row(cells, cm_text(name_of(row->method)), cm_u64(row->steps),
                     cm_u64(row->congestion), cm_u64(row->path_max), cm_u64(row->word_times),
                     cm_u64(row->unit_cycles), cm_u64(row->cycles));
        cm_table_u64(cells, (uint64_t)llround(row->formula_cycles));
        if (table->settings.task.timed)
            cm_table_row(cells, cm_f64(row->time_units), cm_f64(row->formula_units));
        else
            cm_table_row(cells, cm_text(NULL), cm_text(NULL));
        add_crossover(table, index, row->method, cells);
        if (cells->column_count == COLUMN_COUNT)
            cm_table_string(cells, partial);
    }
}

static void begin_rows(const struct cm_shift_table *table, struct cm_table *cells)
{
    cm_table_init(cells, columns, COLUMN_COUNT - !cm_shift_table_is_partial(table));
    cells->hidden = 1u << COLUMN_Q | 1u << (COLUMN_TIME + 2) | 1u << (COLUMN_TIME + 3);
    if (!table->settings.task.timed)
        cells->hidden |= 1u << COLUMN_TIME | 1u << (COLUMN_TIME + 1);
    fill_rows(table, cells);
}

/* ---- costs of each method over all q ---- */

struct sum {
    uint64_t least, most, fastest;
    uint32_t steps;
    double cycles;
};

static void add_up(const struct cm_shift_table *table, struct sum sums[CM_SURVEY_COUNT])
{
    uint64_t best = 0;
    memset(sums, 0, CM_SURVEY_COUNT * sizeof *sums);
    for (uint64_t i = 0; i < table->row_count; i++) {
        const struct cm_survey_row *row = &table->rows[i];
        struct sum *sum = &sums[row->method];
        sum->least = sum->least == 0 || row->cycles < sum->least ? row->cycles : sum->least;
        sum->most = row->cycles > sum->most ? row->cycles : sum->most;
        sum->steps = row->steps > sum->steps ? row->steps : sum->steps;
        sum->cycles += (double)row->cycles;
        if (i == 0 || row->by != row[-1].by) {
            best = row->cycles;
            for (const struct cm_survey_row *other = row;
                 other < table->rows + table->row_count && other->by == row->by; other++)
                best = other->cycles < best ? other->cycles : best;
        }
        sum->fastest += row->cycles == best;
    }
}

static void append_sums(const struct cm_shift_table *table, struct cm_buffer *text)
{
    static const struct cm_column of[] = {
        {.name = "method"},
        {.name = "steps", .heading = "most steps", .kind = CM_COLUMN_COUNT},
        {.name = "least", .heading = "least cycles", .kind = CM_COLUMN_COUNT},
        {.name = "mean", .kind = CM_COLUMN_COUNT},
        {.name = "most", .heading = "most", .kind = CM_COLUMN_COUNT},
        {.name = "fastest", .heading = "fastest for", .kind = CM_COLUMN_COUNT},
    };
    struct sum sums[CM_SURVEY_COUNT];
    struct cm_table cells;
    add_up(table, sums);
    cm_table_init(&cells, of, sizeof of / sizeof *of);
    for (uint32_t m = 0; m < CM_SURVEY_COUNT; m++)
        if (table->settings.wanted[m])
            cm_table_row(
                &cells, cm_text(name_of((enum cm_survey_method)m)), cm_u64(sums[m].steps),
                cm_u64(sums[m].least),
                cm_u64((uint64_t)llround(sums[m].cycles / (double)cm_shift_table_distances(table))),
                cm_u64(sums[m].most), cm_u64(sums[m].fastest));
    cm_buffer_printf(text, "\nover %" PRIu64 " q; \"fastest for\" so many q, ties included\n\n",
                     cm_shift_table_distances(table));
    cm_table_text(&cells, 0, text);
    cm_table_finish(&cells);
}

/* Compares two crossovers for sorting: first by the number of steps of phases and the longest path
 * of e-cube, which alone determine a crossover, then by the distance q. */
static int by_lengths(const void *a, const void *b)
{
    const struct cm_survey_crossover *x = a, *y = b;
    if (x->phases_steps != y->phases_steps)
        return x->phases_steps < y->phases_steps ? -1 : 1;
    if (x->path_max != y->path_max)
        return x->path_max < y->path_max ? -1 : 1;
    return x->by < y->by ? -1 : x->by > y->by;
}

static void add_lengths(const struct cm_survey_crossover *crossover, uint64_t count,
                        struct cm_table *cells)
{
    cm_table_row(cells, cm_u64(crossover->phases_steps), cm_u64(crossover->path_max), cm_u64(count),
                 cm_u64(crossover->by));
    if (crossover->words > 0)
        cm_table_u64(cells, crossover->words);
    else
        cm_table_string(cells, "none");
    if (crossover->formula_words >= 0)
        cm_table_add(cells, cm_rounded(crossover->formula_words, 4));
    else
        cm_table_string(cells, "none");
}

static void append_crossovers(const struct cm_shift_table *table, struct cm_buffer *text)
{
    static const struct cm_column of[] = {
        {.name = "steps", .heading = "steps of phases", .kind = CM_COLUMN_COUNT},
        {.name = "path", .heading = "path of e-cube", .kind = CM_COLUMN_COUNT},
        {.name = "count", .heading = "how many q", .kind = CM_COLUMN_COUNT},
        {.name = "first", .heading = "such as q", .kind = CM_COLUMN_NUMBER},
        {.name = "words", .heading = "m, simulated", .kind = CM_COLUMN_COUNT},
        {.name = "textbook", .heading = "m, textbook", .kind = CM_COLUMN_NUMBER, .digits = 4},
    };
    struct cm_table cells;
    uint64_t count = table->crossover_count;
    if (table->crossovers == NULL)
        return;
    struct cm_survey_crossover *sorted = malloc(count * sizeof *sorted);
    if (sorted == NULL) {
        text->failed = true;
        return;
    }
    memcpy(sorted, table->crossovers, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_lengths);
    cm_table_init(&cells, of, sizeof of / sizeof *of);
    for (uint64_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count &&
                              sorted[end].phases_steps == sorted[first].phases_steps &&
                              sorted[end].path_max == sorted[first].path_max;)
            end++;
        add_lengths(&sorted[first], end - first, &cells);
    }
    cm_buffer_printf(text, "\nmessages of m words or more take no longer by e-cube (4.12) than by "
                           "phases (4.11)\n\n");
    cm_table_text(&cells, 0, text);
    cm_table_finish(&cells);
    free(sorted);
}

static void append_title(const struct cm_shift_table *table, struct cm_buffer *text)
{
    const struct cm_survey_task *task = &table->settings.task;
    cm_buffer_printf(text,
                     "circular shifts on %" PRIu32 " nodes of %s, messages of %" PRIu32 " word%s",
                     task->nodes, table->settings.config.name, task->words, cm_plural(task->words));
    cm_provenance_title(&table->settings.config, text);
    if (table->settings.wanted[CM_SURVEY_MESH] || table->settings.wanted[CM_SURVEY_MESH_FORWARD])
        cm_buffer_printf(text, "; the mesh is %" PRIu32 " x %" PRIu32, task->rows, task->columns);
    cm_buffer_printf(text, "\n\n");
}

/* Explains the units of the table, and why simulated cycles and cycles by the textbook differ. */
static void append_units(const struct cm_shift_table *table, struct cm_buffer *text)
{
    const struct cm_survey_times times = cm_survey_times(table->survey);
    cm_buffer_printf(
        text,
        "\nCompare cycles: they are the same unit in all rows. A word time of e-cube is one word\n"
        "over one channel by the router, %" PRIu64 " cycles; of the others an exchange, %" PRIu64
        " cycles, in which\na word goes over each of the %" PRIu32 " channels of a dimension.\n",
        times.router_word, times.exchange_word,
        table->settings.config.network_channels_per_dimension);
    cm_buffer_printf(
        text,
        "\"textbook\" is the formula in cycles, over one channel: ts = 0, tw = %" PRIu64
        ", of e-cube tw = %" PRIu64 "\nand th = %" PRIu64
        ". What a call and its steps cost besides words and hops is the "
        "difference.\n\n",
        times.exchange_word, times.router_word, times.router_hop);
    if (table->settings.task.timed)
        cm_buffer_printf(text, "Time units: ts = %.10g, tw = %.10g, th = %.10g, as given.\n\n",
                         table->settings.task.ts, table->settings.task.tw, table->settings.task.th);
}

static void formula_of(const struct cm_shift_table *table, enum cm_survey_method method,
                       struct cm_buffer *text)
{
    struct cm_circular shift;
    if (cm_survey_shift(table->survey, method, table->settings.first, &shift, NULL) == CM_OK)
        cm_circular_formula(&shift, text);
    else
        text->failed = true;
}

static void append_formulas(const struct cm_shift_table *table, struct cm_buffer *text)
{
    for (uint32_t m = 0; m < CM_SURVEY_COUNT; m++)
        if (table->settings.wanted[m]) {
            cm_buffer_printf(text, "  %-13s ", name_of((enum cm_survey_method)m));
            formula_of(table, (enum cm_survey_method)m, text);
            cm_buffer_printf(text, "\n");
        }
    for (uint32_t m = 0; m < CM_SURVEY_COUNT; m++)
        if (table->left_out[m][0] != '\0')
            cm_buffer_printf(text, "  %-13s left out: %s\n", name_of((enum cm_survey_method)m),
                             table->left_out[m]);
}

void cm_shift_table_text(const struct cm_shift_table *table, struct cm_buffer *text)
{
    struct cm_table cells;
    append_title(table, text);
    begin_rows(table, &cells);
    cm_table_text(&cells, 0, text);
    cm_table_finish(&cells);
    append_units(table, text);
    append_formulas(table, text);
    if (cm_shift_table_distances(table) > 1)
        append_sums(table, text);
    append_crossovers(table, text);
}

/* Writes the settings that the rows depend on: version, command, machine and task. */
static void write_setting(const struct cm_shift_table *table, struct cm_json_writer *json)
{
    const struct cm_survey_task *task = &table->settings.task;
    cm_json_write_members(json, {"version", cm_text(cm_version())},
                          {"commit", cm_text(table->settings.commit)},
                          {"command", cm_text(table->settings.command)},
                          {"machine", cm_text(table->settings.config.name)},
                          {"clock_hz", cm_u64(table->settings.config.clock_hz)},
                          {"nodes", cm_u64(task->nodes)}, {"words", cm_u64(task->words)},
                          {"rows", cm_u64(task->rows)}, {"columns", cm_u64(task->columns)});
    if (task->timed)
        cm_json_write_members(json, {"ts", cm_f64(task->ts)}, {"tw", cm_f64(task->tw)},
                              {"th", cm_f64(task->th)});
}

void cm_shift_table_made_of(const struct cm_shift_table *table, struct cm_buffer *text)
{
    struct cm_json_writer json;
    cm_json_writer_begin(&json, text);
    cm_json_write_compact(&json, true);
    cm_json_write_object(&json, NULL);
    write_setting(table, &json);
    cm_json_write_machine(&json, &table->settings.config);
    cm_json_write_end(&json);
    if (cm_buffer_ok(text) && text->length > 0 && text->data[text->length - 1] == '\n')
        text->data[--text->length] = '\0';
}

static void write_formulas(const struct cm_shift_table *table, struct cm_json_writer *json)
{
    const struct cm_survey_times times = cm_survey_times(table->survey);
    cm_json_write_object(json, "textbook");
    cm_json_write_members(json, {"ts_cycles", cm_u64(0)},
                          {"tw_cycles", cm_u64(times.exchange_word)},
                          {"ecube_tw_cycles", cm_u64(times.router_word)},
                          {"ecube_th_cycles", cm_u64(times.router_hop)});
    for (uint32_t m = 0; m < CM_SURVEY_COUNT; m++) {
        struct cm_buffer formula;
        if (!table->settings.wanted[m])
            continue;
        cm_buffer_init(&formula);
        formula_of(table, (enum cm_survey_method)m, &formula);
        cm_json_write_string(json, name_of((enum cm_survey_method)m), formula.data);
        json->text->failed = json->text->failed || !cm_buffer_ok(&formula);
        cm_buffer_finish(&formula);
    }
    cm_json_write_end(json);
}

void cm_shift_table_json(const struct cm_shift_table *table, struct cm_buffer *text)
{
    struct cm_json_writer json;
    struct cm_table cells;
    begin_rows(table, &cells);
    cm_json_writer_begin(&json, text);
    cm_json_write_object(&json, NULL);
    cm_json_write_string(&json, "format", "cm200-shift-table/1");
    if (cm_shift_table_is_partial(table))
        cm_json_write_members(&json, {"partial", cm_bool(true)}, {"q_done", cm_u64(table->done)},
                              {"q_total", cm_u64(cm_shift_table_distances(table))});
    write_setting(table, &json);
    write_formulas(table, &json);
    cm_table_json(&cells, &json, "shifts");
    cm_json_write_machine(&json, &table->settings.config);
    cm_json_write_end(&json);
    cm_table_finish(&cells);
}

void cm_shift_table_csv(const struct cm_shift_table *table, struct cm_buffer *text)
{
    struct cm_table cells;
    begin_rows(table, &cells);
    cm_table_csv(&cells, text);
    cm_table_finish(&cells);
}

/* ---- the figure: cycles by q, a line for each method ---- */

static struct cm_figure_page page_of(const char *path)
{
    return (struct cm_figure_page){.path = path,
                                   .millimetres = {160, 105},
                                   .points = 9,
                                   .font = "Helvetica, Arial, sans-serif",
                                   .name = "circular shifts"};
}

enum cm_status cm_shift_table_figure_check(const char *path, struct cm_error *err)
{
    const struct cm_figure_page page = page_of(path);
    return cm_figure_check(&page, err);
}

static uint32_t take_points(const struct cm_shift_table *table, enum cm_survey_method method,
                            double *xs, double *ys)
{
    uint32_t count = 0;
    for (uint64_t i = 0; i < table->row_count; i++)
        if (table->rows[i].method == method) {
            xs[count] = table->rows[i].by;
            ys[count++] = (double)table->rows[i].cycles;
        }
    return count;
}

static void find_axes(const struct cm_shift_table *table, struct cm_chart *chart)
{
    double least = INFINITY, most = 0;
    for (uint64_t i = 0; i < table->row_count; i++) {
        least = fmin(least, (double)table->rows[i].cycles);
        most = fmax(most, (double)table->rows[i].cycles);
    }
    double margin = table->settings.last > table->settings.first
                        ? (table->settings.last - table->settings.first) / 40.0
                        : 1;
    chart->x = (struct cm_chart_axis){.label = "q",
                                      .first = table->settings.first - margin,
                                      .last = table->settings.last + margin};
    chart->y = (struct cm_chart_axis){.label = "cycles",
                                      .first = least / 1.2,
                                      .last = most * 1.2,
                                      .base = most / least < 40 ? 2 : 10};
}

static enum cm_status draw(const struct cm_shift_table *table, double *points,
                           const struct cm_figure_page *page, struct cm_buffer *out,
                           struct cm_error *err)
{
    static const char *const dashes[] = {NULL, "6 3"};
    struct cm_chart_series series[CM_SURVEY_COUNT];
    struct cm_chart chart = {.series = series, .legend_below = true};
    uint64_t count = cm_shift_table_distances(table);
    for (uint32_t m = 0; m < CM_SURVEY_COUNT; m++) {
        uint32_t s = chart.series_count;
        double *xs = points + 2 * count * s;
        if (!table->settings.wanted[m])
            continue;
        series[s] = (struct cm_chart_series){
            .label = name_of((enum cm_survey_method)m),
            .x = xs,
            .y = xs + count,
            .count = take_points(table, (enum cm_survey_method)m, xs, xs + count),
            .line = {cm_figure_colour(s), 1.2, dashes[s / CM_FIGURE_COLOURS]},
            .radius = count <= POINTS_MARKED ? 2.5 : 0,
        };
        chart.series_count++;
    }
    find_axes(table, &chart);
    return cm_figure_draw(&chart, page, out, err);
}

enum cm_status cm_shift_table_figure(const struct cm_shift_table *table, const char *path,
                                     struct cm_buffer *out, struct cm_error *err)
{
    struct cm_figure_page page = page_of(path);
    struct cm_buffer about;
    char title[120];
    const struct cm_survey_task *task = &table->settings.task;
    double *points = malloc(2 * cm_shift_table_distances(table) * CM_SURVEY_COUNT * sizeof *points);
    if (points == NULL)
        return cm_error_no_memory(err);
    cm_buffer_init(&about);
    cm_shift_table_made_of(table, &about);
    int length =
        snprintf(title, sizeof title, "circular q-shifts on %" PRIu32 " nodes, %" PRIu32 " word%s",
                 task->nodes, task->words, cm_plural(task->words));
    if (cm_shift_table_is_partial(table))
        snprintf(title + length, sizeof title - (size_t)length,
                 "; partial: %" PRIu64 " of %" PRIu64 " q", table->done,
                 cm_shift_table_distances(table));
    page.title = title;
    page.about = about.data;
    enum cm_status status =
        cm_buffer_ok(&about) ? draw(table, points, &page, out, err) : cm_error_no_memory(err);
    cm_buffer_finish(&about);
    free(points);
    return status;
}
