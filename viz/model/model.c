/* Traces that are open, and the answers kept of them: the last one for each question, which is what
 * a still picture asks. */
#include "model_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define USE_COLUMNS_MAX 8192u

/* What an answer was for. */
struct asked {
    bool valid;
    uint64_t first, end;
    uint32_t detail; /* columns, or hidden dimensions */
};

struct cm_view_answers {
    struct asked busy_of, node_of, busiest_of, places_of, use_of, phases_of, causes_of, sums_of,
        slots_of, words_of;
    uint64_t *busy;
    uint64_t *node_busy;
    struct cm_trace_use *use;
    uint64_t *phases;
    uint64_t causes[CM_CAUSE_COUNT];
    uint32_t busiest[CM_VIEW_BUSIEST];
    uint32_t busiest_count;
    uint64_t sums[CM_TRACE_PHASE_COUNT];
    struct cm_view_slots *slots;
    uint32_t *words; /* of each channel, with `sent`; NULL: not asked for yet */
    bool *sent;
    bool words_known;
    struct cm_view_places places;
};

/* True when the answer at hand is for another question; remembers the new one. */
static bool is_new(struct asked *asked, uint64_t first, uint64_t end, uint32_t detail)
{
    if (asked->valid && asked->first == first && asked->end == end && asked->detail == detail)
        return false;
    *asked = (struct asked){true, first, end, detail};
    return true;
}

static void free_run(struct cm_view_run *run)
{
    if (run->answers != NULL) {
        free(run->answers->busy);
        free(run->answers->node_busy);
        free(run->answers->use);
        free(run->answers->phases);
        free(run->answers->slots);
        free(run->answers->words);
        free(run->answers->sent);
        cm_view_places_finish(&run->answers->places);
        free(run->answers);
    }
    cm_trace_close(run->trace);
}

void cm_view_model_free(struct cm_view_model *model)
{
    if (model == NULL)
        return;
    for (uint32_t i = 0; i < model->run_count; i++)
        free_run(&model->runs[i]);
    free(model);
}

static bool prepare_run(struct cm_view_run *run, struct cm_trace *trace)
{
    run->trace = trace;
    run->info = cm_trace_information(trace);
    run->channel_count = run->info->nodes * run->info->dimensions * run->info->channels;
    struct cm_view_answers *answers = calloc(1, sizeof *answers);
    run->answers = answers;
    if (answers == NULL)
        return false;
    answers->busy = calloc(run->channel_count + 1u, sizeof *answers->busy);
    answers->node_busy = calloc(run->info->nodes, sizeof *answers->node_busy);
    answers->use =
        calloc((size_t)USE_COLUMNS_MAX * (run->info->dimensions + 1u), sizeof *answers->use);
    answers->phases =
        calloc((size_t)USE_COLUMNS_MAX * CM_TRACE_PHASE_COUNT, sizeof *answers->phases);
    answers->slots = calloc(CM_VIEW_CUBE_NODES, sizeof *answers->slots);
    return answers->busy != NULL && answers->node_busy != NULL && answers->use != NULL &&
           answers->phases != NULL && answers->slots != NULL;
}

/*
 * The colour scale serves the whole run and every interval of it, so its top is the busiest channel
 * of the busiest recorded window, rounded up to 1, 2, 5, 10, 20, 50 or 100 %.
 */
static double top_share(const struct cm_view_run *run)
{
    static const double tops[] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.5};
    uint32_t columns = 1024;
    const struct cm_trace_use *use = cm_view_use(run, 0, run->info->cycles, &columns);
    float most = 0;
    for (size_t i = 0; i < (size_t)run->info->dimensions * columns; i++)
        most = use[i].max > most ? use[i].max : most;
    for (size_t i = 0; i < sizeof tops / sizeof tops[0]; i++)
        if (most > 0 && (double)most <= tops[i] * 1.0000001)
            return tops[i];
    return 1;
}

enum cm_status cm_view_model_create(struct cm_trace *first, struct cm_trace *second,
                                    struct cm_view_model **model, struct cm_error *err)
{
    *model = calloc(1, sizeof **model);
    if (*model == NULL) {
        cm_trace_close(first);
        cm_trace_close(second);
        return cm_error_set(err, CM_NO_MEMORY, "out of memory for the viewer's model");
    }
    (*model)->run_count = second != NULL ? 2 : 1;
    bool done = prepare_run(&(*model)->runs[0], first);
    if (second != NULL)
        done = prepare_run(&(*model)->runs[1], second) && done;
    if (!done) {
        cm_view_model_free(*model);
        *model = NULL;
        return cm_error_set(err, CM_NO_MEMORY, "out of memory for the viewer's model");
    }
    double top = 0;
    for (uint32_t i = 0; i < (*model)->run_count; i++)
        top = fmax(top, top_share(&(*model)->runs[i]));
    for (uint32_t i = 0; i < (*model)->run_count; i++)
        (*model)->runs[i].top_share = top;
    return CM_OK;
}

enum cm_status cm_view_model_open(const char *first, const char *second,
                                  struct cm_view_model **model, struct cm_error *err)
{
    struct cm_trace *one, *two = NULL;
    *model = NULL;
    enum cm_status status = cm_trace_open(first, &one, err);
    if (status == CM_OK && second != NULL) {
        status = cm_trace_open(second, &two, err);
        if (status != CM_OK)
            cm_trace_close(one);
    }
    return status == CM_OK ? cm_view_model_create(one, two, model, err) : status;
}

const uint64_t *cm_view_busy(const struct cm_view_run *run, uint64_t first, uint64_t end)
{
    if (is_new(&run->answers->busy_of, first, end, 0))
        cm_trace_channel_busy(run->trace, first, end, run->answers->busy);
    return run->answers->busy;
}

const uint64_t *cm_view_node_busy(const struct cm_view_run *run, uint64_t first, uint64_t end,
                                  uint32_t hidden_dimensions)
{
    struct cm_view_answers *answers = run->answers;
    if (!is_new(&answers->node_of, first, end, hidden_dimensions))
        return answers->node_busy;
    const uint64_t *busy = cm_view_busy(run, first, end);
    for (uint32_t node = 0; node < run->info->nodes; node++) {
        uint64_t most = 0;
        for (uint32_t d = 0; d < run->info->dimensions; d++)
            for (uint32_t c = 0; c < run->info->channels; c++, busy++)
                if (!(hidden_dimensions >> d & 1) && *busy > most)
                    most = *busy;
        answers->node_busy[node] = most;
    }
    return answers->node_busy;
}

/* A column has a cycle at least. */
static uint32_t column_count(uint64_t first, uint64_t end, uint32_t columns)
{
    uint64_t length = end > first ? end - first : 1;
    columns = columns < USE_COLUMNS_MAX ? columns : USE_COLUMNS_MAX;
    return columns < length ? columns : (uint32_t)length;
}

const struct cm_trace_use *cm_view_use(const struct cm_view_run *run, uint64_t first, uint64_t end,
                                       uint32_t *columns)
{
    *columns = column_count(first, end, *columns);
    if (is_new(&run->answers->use_of, first, end, *columns))
        cm_trace_dimension_use(run->trace, first, end, *columns, run->answers->use);
    return run->answers->use;
}

const uint64_t *cm_view_causes(const struct cm_view_run *run, uint64_t first, uint64_t end)
{
    if (is_new(&run->answers->causes_of, first, end, 0))
        cm_trace_by_cause(run->trace, first, end, run->answers->causes);
    return run->answers->causes;
}

const uint64_t *cm_view_phase_sums(const struct cm_view_run *run, uint64_t first, uint64_t end)
{
    if (is_new(&run->answers->sums_of, first, end, 0))
        cm_trace_by_phase(run->trace, first, end, run->answers->sums);
    return run->answers->sums;
}

/* The first cycle of a column: columns share an interval as evenly as whole cycles allow. */
static uint64_t column_first(uint64_t first, uint64_t end, uint32_t columns, uint32_t column)
{
    uint64_t length = end - first;
    return first + length / columns * column + length % columns * column / columns;
}

/* One query a column: sums since the strip's first cycle, the difference of two neighbours each. */
static void fill_phases(const struct cm_view_run *run, uint64_t first, uint64_t end,
                        uint32_t columns)
{
    uint64_t before[CM_TRACE_PHASE_COUNT] = {0}, sums[CM_TRACE_PHASE_COUNT];
    uint64_t *phases = run->answers->phases;
    for (uint32_t i = 0; i < columns; i++) {
        cm_trace_by_phase(run->trace, 0, column_first(first, end, columns, i + 1), sums);
        if (i == 0)
            cm_trace_by_phase(run->trace, 0, first, before);
        for (uint32_t p = 0; p < CM_TRACE_PHASE_COUNT; p++) {
            *phases++ = sums[p] - before[p];
            before[p] = sums[p];
        }
    }
}

const uint64_t *cm_view_phases(const struct cm_view_run *run, uint64_t first, uint64_t end,
                               uint32_t *columns)
{
    *columns = column_count(first, end, *columns);
    if (is_new(&run->answers->phases_of, first, end, *columns))
        fill_phases(run, first, end, *columns);
    return run->answers->phases;
}

bool cm_view_event(const struct cm_view_run *run, uint64_t cycle, struct cm_trace_event *event)
{
    struct cm_trace_cursor cursor = cm_trace_seek(run->trace, cycle);
    return cm_trace_next(&cursor, event);
}

const struct cm_view_slots *cm_view_slots(const struct cm_view_run *run, uint64_t first,
                                          uint64_t end, uint32_t base)
{
    if (is_new(&run->answers->slots_of, first, end, base))
        cm_view_find_slots(run, first, end, base, run->answers->slots);
    return run->answers->slots;
}

uint32_t cm_view_busiest(const struct cm_view_run *run, uint64_t first, uint64_t end,
                         uint32_t hidden_dimensions, const uint32_t **channels)
{
    struct cm_view_answers *answers = run->answers;
    *channels = answers->busiest;
    if (!is_new(&answers->busiest_of, first, end, hidden_dimensions))
        return answers->busiest_count;
    const uint64_t *busy = cm_view_busy(run, first, end);
    uint32_t count = 0;
    for (uint32_t i = 0; i < run->channel_count; i++) {
        uint32_t dimension = i / run->info->channels % run->info->dimensions;
        bool full = count == CM_VIEW_BUSIEST;
        if (busy[i] == 0 || (full && busy[i] <= busy[answers->busiest[count - 1]]) ||
            (hidden_dimensions >> dimension & 1))
            continue;
        uint32_t at = full ? count - 1 : count++;
        for (; at > 0 && busy[answers->busiest[at - 1]] < busy[i]; at--)
            answers->busiest[at] = answers->busiest[at - 1];
        answers->busiest[at] = i;
    }
    answers->busiest_count = count;
    return count;
}

static bool read_words(const struct cm_view_run *run, uint64_t cycle)
{
    struct cm_view_answers *answers = run->answers;
    if (answers->words == NULL)
        answers->words = calloc(run->channel_count + 1u, sizeof *answers->words);
    if (answers->sent == NULL)
        answers->sent = calloc(run->channel_count + 1u, sizeof *answers->sent);
    return answers->words != NULL && answers->sent != NULL &&
           cm_trace_wires(run->trace, cycle, answers->words, answers->sent);
}

bool cm_view_word(const struct cm_view_run *run, uint64_t cycle, uint32_t channel, uint32_t *word,
                  bool *sent)
{
    struct cm_view_answers *answers = run->answers;
    struct cm_trace_event event;
    if (run->info->detail_first >= run->info->detail_end || channel >= run->channel_count ||
        !cm_view_event(run, cycle, &event) || event.first_cycle > cycle ||
        event.phase != CM_TRACE_EXCHANGE)
        return false;
    if (is_new(&answers->words_of, event.first_cycle, event.end_cycle, 0))
        answers->words_known = read_words(run, event.first_cycle);
    if (!answers->words_known)
        return false;
    *word = answers->words[channel];
    *sent = answers->sent[channel];
    return true;
}

const struct cm_view_places *cm_view_places(const struct cm_view_run *run, uint32_t array,
                                            uint64_t first, uint64_t end)
{
    struct cm_view_answers *answers = run->answers;
    if (array >= run->info->arrays || !cm_trace_array_at(run->trace, array)->placed)
        return NULL;
    if (is_new(&answers->places_of, first, end, array) &&
        !cm_view_find_places(run, array, first, end, &answers->places)) {
        answers->places_of.valid = false;
        return NULL;
    }
    return &answers->places;
}
