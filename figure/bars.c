/* Bar charts of where the cycles of runs went. A bar has a piece for each cause of cycles in a
 * result, or for each phase in a trace. In a strip, a bar of another kind, the pieces are in the
 * order of time. The command cm200 figure calls this file. */
#include "../base/json.h"
#include "../base/list.h"
#include "../base/reader.h"
#include "../trace/trace.h"
#include "figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LABEL_BYTES 128u
#define COLUMNS     2000u /* number of equal intervals into which a strip divides a trace */
#define KINDS_MAX   ((uint32_t)CM_CAUSE_COUNT + (uint32_t)CM_TRACE_PHASE_COUNT + 1u)

/* Colours and hatching of the phases on a light background, the same as in the viewer. */
static const struct {
    const char *fill;
    unsigned hatch;
} phases[CM_TRACE_PHASE_COUNT] = {
    [CM_TRACE_START] = {"#788ea5", 0},
    [CM_TRACE_CONTROL] = {"#000108", 0},
    [CM_TRACE_MOVE] = {"#1d3f80", CM_HATCH_UP},
    [CM_TRACE_LOAD] = {"#4b8ae8", CM_HATCH_DOWN},
    [CM_TRACE_EXCHANGE] = {"#ad9103", 0},
    [CM_TRACE_UNLOAD] = {"#644549", CM_HATCH_LEVEL},
    [CM_TRACE_BOUNDARY] = {"#443bd2", CM_HATCH_UP | CM_HATCH_DOWN},
    [CM_TRACE_FPU] = {"#2da864", CM_HATCH_UPRIGHT},
    [CM_TRACE_ROUTER] = {"#9c0208", CM_HATCH_LEVEL | CM_HATCH_UPRIGHT},
};

/* Colours and hatching of the causes of cycles. The main cause of a phase has the phase's colour.
 */
static const struct {
    const char *fill;
    unsigned hatch;
} causes[CM_CAUSE_COUNT] = {
    [CM_CAUSE_LOAD] = {"#4b8ae8", CM_HATCH_DOWN},
    [CM_CAUSE_LOAD_PAGE_FAULT] = {"#a9c8f5", CM_HATCH_DOWN},
    [CM_CAUSE_STORE] = {"#644549", CM_HATCH_LEVEL},
    [CM_CAUSE_STORE_PAGE_FAULT] = {"#b9a3a6", CM_HATCH_LEVEL},
    [CM_CAUSE_BANK_CONFLICT] = {"#d9ccd0", CM_HATCH_UP},
    [CM_CAUSE_REFRESH] = {"#c0c0c0", CM_HATCH_UP | CM_HATCH_DOWN},
    [CM_CAUSE_TRANSPOSER] = {"#1d3f80", CM_HATCH_UP},
    [CM_CAUSE_INDIRECT] = {"#7a92c0", CM_HATCH_UP},
    [CM_CAUSE_EXCHANGE] = {"#ad9103", 0},
    [CM_CAUSE_FPU] = {"#2da864", CM_HATCH_UPRIGHT},
    [CM_CAUSE_CONTEXT] = {"#9bd6b3", CM_HATCH_UPRIGHT},
    [CM_CAUSE_LOOP] = {"#000108", 0},
    [CM_CAUSE_ADDRESS] = {"#4d4d52", 0},
    [CM_CAUSE_START] = {"#788ea5", 0},
    [CM_CAUSE_RUNTIME_CALL] = {"#b4c0cc", CM_HATCH_UPRIGHT},
    [CM_CAUSE_SCALAR] = {"#dde3e9", 0},
    [CM_CAUSE_ROUTER] = {"#9c0208", CM_HATCH_LEVEL | CM_HATCH_UPRIGHT},
};

/* A bar chart under construction. */
struct making {
    struct cm_chart_bars bars;
    struct cm_chart_piece *pieces;
    uint32_t capacity;
    struct cm_chart_kind kinds[KINDS_MAX];
    /* Index: a cause, or CM_CAUSE_COUNT + a phase. Its number in the legend, from 1. 0: not in the
     * legend. */
    uint32_t number_of[KINDS_MAX];
    const char **labels;
    char (*texts)[LABEL_BYTES];
    bool failed;
};

/* Returns the position in the legend, from 0, of a cause or of CM_CAUSE_COUNT + a phase. If the
 * legend lacks it, adds an entry. */
static uint32_t kind_of(struct making *making, uint32_t what)
{
    uint32_t *number = &making->number_of[what];
    if (*number == 0) {
        uint32_t phase = what - CM_CAUSE_COUNT;
        struct cm_chart_kind kind = {"", cm_figure_colour(0), 0};
        if (what < CM_CAUSE_COUNT)
            kind = (struct cm_chart_kind){cm_cause_name((enum cm_cause)what), causes[what].fill,
                                          causes[what].hatch};
        else if (phase < CM_TRACE_PHASE_COUNT)
            kind = (struct cm_chart_kind){cm_trace_phase_name((enum cm_trace_phase)phase),
                                          phases[phase].fill, phases[phase].hatch};
        making->kinds[making->bars.kind_count] = kind;
        *number = ++making->bars.kind_count;
    }
    return *number - 1;
}

/* Adds a piece to the end of its bar. A piece of length 0 is left out. *at is the end of the bar,
 * and is moved. */
static void add_piece(struct making *making, uint32_t bar, uint32_t what, double *at, double length)
{
    if (!(length > 0))
        return;
    if (!cm_array_room(making->pieces, making->bars.piece_count, making->capacity)) {
        making->failed = true;
        return;
    }
    making->pieces[making->bars.piece_count++] =
        (struct cm_chart_piece){*at, *at + length, bar, kind_of(making, what)};
    *at += length;
}

/* Adds a piece to a bar for each cause of cycles in a result, or in one of its steps, in the order
 * of the causes. */
static void add_causes(struct making *making, uint32_t bar, struct cm_json owner, double *at)
{
    struct cm_json all, one;
    if (!cm_json_member(owner, "cycles_by_cause", &all))
        return;
    for (uint32_t i = 0; i < CM_CAUSE_COUNT; i++) {
        struct cm_reader reader = cm_reader_make(NULL);
        if (cm_json_member(all, cm_cause_name((enum cm_cause)i), &one))
            add_piece(making, bar, i, at, cm_read_f64(&reader, one, ""));
    }
}

static void add_row_causes(struct making *making, uint32_t bar, const struct cm_figure_row *row)
{
    double at = 0, length;
    char name[64];
    if (row->result != NULL)
        add_causes(making, bar, cm_json_root(row->result), &at);
    for (uint32_t i = 0; row->table != NULL && i < CM_CAUSE_COUNT; i++) {
        snprintf(name, sizeof name, "cycles_by_cause/%s", cm_cause_name((enum cm_cause)i));
        if (cm_figure_number(row, name, &length))
            add_piece(making, bar, i, &at, length);
    }
    if (row->trace == NULL)
        return;
    uint64_t cycles[CM_TRACE_PHASE_COUNT];
    cm_trace_by_phase(row->trace, 0, cm_trace_information(row->trace)->cycles, cycles);
    for (uint32_t i = 0; i < CM_TRACE_PHASE_COUNT; i++)
        add_piece(making, bar, (uint32_t)CM_CAUSE_COUNT + i, &at, (double)cycles[i]);
}

/* Divides the trace into equal intervals of time, and labels each interval with the phase that took
 * most of its cycles. Adjacent intervals with the same phase become one piece. */
static void add_phases(struct making *making, uint32_t bar, const struct cm_trace *trace)
{
    uint64_t cycles = cm_trace_information(trace)->cycles, begun = 0, sums[CM_TRACE_PHASE_COUNT];
    uint64_t columns = cycles < COLUMNS ? cycles : COLUMNS;
    uint32_t last = CM_TRACE_PHASE_COUNT;
    double at = 0;
    for (uint64_t i = 0; i <= columns && columns > 0; i++) {
        uint64_t first = (uint64_t)((double)cycles * (double)i / (double)columns), end;
        uint32_t most = CM_TRACE_PHASE_COUNT;
        end = (uint64_t)((double)cycles * (double)(i + 1) / (double)columns);
        if (i < columns) {
            cm_trace_by_phase(trace, first, end, sums);
            most = 0;
            for (uint32_t p = 1; p < CM_TRACE_PHASE_COUNT; p++)
                most = sums[p] > sums[most] ? p : most;
        }
        if (most == last)
            continue;
        if (last < CM_TRACE_PHASE_COUNT)
            add_piece(making, bar, (uint32_t)CM_CAUSE_COUNT + last, &at, (double)(first - begun));
        begun = first;
        last = most;
    }
}

/* Adds the pieces of a strip: for a trace its phases over time, and for a result its steps, each
 * divided by causes. */
static void add_row_strip(struct making *making, uint32_t bar, const struct cm_figure_row *row)
{
    struct cm_json steps;
    double at = 0;
    if (row->trace != NULL)
        add_phases(making, bar, row->trace);
    if (row->result == NULL || !cm_json_member(cm_json_root(row->result), "steps", &steps))
        return;
    for (uint32_t i = 0; i < cm_json_count(steps); i++)
        add_causes(making, bar, cm_json_at(steps, i, NULL), &at);
}

static void add_row_value(struct making *making, uint32_t bar, const struct cm_figure_row *row,
                          const char *name)
{
    double at = 0, value;
    if (cm_figure_number(row, name, &value))
        add_piece(making, bar, KINDS_MAX - 1, &at, value);
}

static bool make_labels(struct making *making, const struct cm_figure_data *data, const char *x)
{
    making->labels = calloc((size_t)data->count + 1, sizeof *making->labels);
    making->texts = calloc((size_t)data->count + 1, sizeof *making->texts);
    if (making->labels == NULL || making->texts == NULL)
        return false;
    for (uint32_t i = 0; i < data->count; i++) {
        making->labels[i] = making->texts[i];
        if (!cm_figure_text(&data->rows[i], x != NULL ? x : "name", making->texts[i], LABEL_BYTES))
            snprintf(making->texts[i], LABEL_BYTES, "-");
    }
    making->bars.labels = making->labels;
    making->bars.count = data->count;
    return true;
}

static enum cm_status draw(struct making *making, const struct cm_figure_bars *how,
                           const char *what, const struct cm_figure_page *page,
                           struct cm_buffer *out, struct cm_error *err)
{
    struct cm_chart chart = {.bars = &making->bars, .legend_below = true};
    struct cm_chart_axis axis = {.first = 0, .last = 0}, none = {.first = 0, .last = 1};
    char label[256], below[256];
    for (uint32_t i = 0; i < making->bars.piece_count; i++)
        axis.last = fmax(axis.last, making->pieces[i].last);
    if (axis.last <= 0)
        return cm_error_set(err, CM_USAGE, "nothing to draw: no file has a number \"%s\" above 0",
                            what);
    if (how->y != NULL)
        making->bars.kind_count = 0; /* a chart with a single kind of piece needs no legend */
    making->bars.kinds = making->kinds;
    making->bars.pieces = making->pieces;
    making->bars.level = how->level;
    cm_figure_label(&axis, what, label, sizeof label);
    axis.last *= how->level ? 1 : 1.05;
    if (how->x != NULL)
        cm_figure_label(&none, how->x, below, sizeof below);
    chart.x = how->level ? axis : none;
    chart.y = how->level ? none : axis;
    return cm_figure_draw(&chart, page, out, err);
}

static enum cm_status make(const struct cm_figure_bars *how, bool strip,
                           const struct cm_figure_data *data, const struct cm_figure_page *page,
                           struct cm_buffer *out, struct cm_error *err)
{
    struct making making = {0};
    bool ready = make_labels(&making, data, how->x);
    for (uint32_t i = 0; ready && i < data->count; i++) {
        if (how->y != NULL)
            add_row_value(&making, i, &data->rows[i], how->y);
        else if (strip)
            add_row_strip(&making, i, &data->rows[i]);
        else
            add_row_causes(&making, i, &data->rows[i]);
    }
    enum cm_status status =
        ready && !making.failed
            ? draw(&making, how, how->y != NULL ? how->y : "cycles", page, out, err)
            : cm_error_no_memory(err);
    free(making.labels);
    free(making.texts);
    free(making.pieces);
    return status;
}

enum cm_status cm_figure_bars(const struct cm_figure_bars *how, const struct cm_figure_data *data,
                              const struct cm_figure_page *page, struct cm_buffer *out,
                              struct cm_error *err)
{
    return make(how, false, data, page, out, err);
}

enum cm_status cm_figure_strip(const struct cm_figure_bars *how, const struct cm_figure_data *data,
                               const struct cm_figure_page *page, struct cm_buffer *out,
                               struct cm_error *err)
{
    return make(how, true, data, page, out, err);
}
