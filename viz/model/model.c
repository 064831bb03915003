/* Open traces, and a cache of answers about them. The cache has the last answer to each question,
 * because a still picture asks the same questions again. */
#include "model_private.h"
#include "packets.h"

#include <math.h>
#include <stdlib.h>

#define USE_COLUMNS_MAX 8192u
#define SPLITS          10u /* a run is divided into at most 2 to the power of this many parts */

enum question {
    BUSY,
    NODE_LOADS,
    BUSIEST,
    DESTINATIONS, /* number of packets to each node, in the whole run */
    USE,
    PHASES,
    CAUSES,
    PHASE_SUMS,
    SLOTS,
    WORDS, /* words on each channel, then whether the channel carries a word */
    PLACES,
    QUESTIONS
};

struct answer {
    bool valid;
    uint64_t first, end;
    /* further argument of the question, such as the number of columns or the hidden dimensions */
    uint32_t detail;
    void *data;
};

struct cm_view_answers {
    struct answer to[QUESTIONS];
    uint32_t busiest_count;
    enum cm_view_load load; /* kind of load, for the question NODE_LOADS */
    uint32_t load_dimension;
    bool words_known;
    /* Largest busy fractions of a channel in one of 1, 2, 4, ... equal parts of the run. 0: not
     * computed yet */
    double tops[SPLITS + 1];
};

/* Returns true if the cached answer belongs to a question with other arguments. Stores the new
 * arguments in this case. */
static bool is_new(struct answer *answer, uint64_t first, uint64_t end, uint32_t detail)
{
    if (answer->valid && answer->first == first && answer->end == end && answer->detail == detail)
        return false;
    *answer = (struct answer){true, first, end, detail, answer->data};
    return true;
}

static void free_run(struct cm_view_run *run)
{
    if (run->answers != NULL) {
        struct cm_view_places *places = run->answers->to[PLACES].data;
        if (places != NULL)
            free(places->element);
        for (int i = 0; i < QUESTIONS; i++)
            free(run->answers->to[i].data);
        free(run->answers);
    }
    cm_view_packets_free(run->packets);
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

bool cm_view_model_failed(const struct cm_view_model *model)
{
    bool failed = false;
    for (uint32_t i = 0; i < model->run_count; i++) {
        const struct cm_view_places *places = model->runs[i].answers->to[PLACES].data;
        failed = failed || cm_trace_failed(model->runs[i].trace) || places->no_memory ||
                 cm_view_packets_failed(model->runs[i].packets);
    }
    return failed;
}

static bool prepare_run(struct cm_view_run *run, struct cm_trace *trace)
{
    const struct cm_trace_info *info = cm_trace_information(trace);
    size_t channels = (size_t)info->nodes * info->dimensions * info->channels;
    const size_t bytes[QUESTIONS] = {
        [BUSY] = channels * sizeof(uint64_t),
        [NODE_LOADS] = info->nodes * sizeof(uint64_t),
        [DESTINATIONS] = info->nodes * sizeof(uint64_t),
        [BUSIEST] = CM_VIEW_BUSIEST * sizeof(uint32_t),
        [USE] = USE_COLUMNS_MAX * info->dimensions * sizeof(struct cm_trace_use),
        [PHASES] = USE_COLUMNS_MAX * CM_TRACE_PHASE_COUNT * sizeof(uint64_t),
        [CAUSES] = CM_CAUSE_COUNT * sizeof(uint64_t),
        [PHASE_SUMS] = CM_TRACE_PHASE_COUNT * sizeof(uint64_t),
        [SLOTS] = CM_VIEW_CUBE_NODES * sizeof(struct cm_view_slots),
        [WORDS] = channels * (sizeof(uint32_t) + sizeof(bool)),
        [PLACES] = sizeof(struct cm_view_places),
    };
    run->trace = trace;
    run->info = info;
    run->channel_count = (uint32_t)channels;
    run->answers = calloc(1, sizeof *run->answers);
    for (int i = 0; i < QUESTIONS && run->answers != NULL; i++) {
        run->answers->to[i].data = calloc(1, bytes[i] + 1);
        if (run->answers->to[i].data == NULL)
            return false;
    }
    run->packets = cm_view_packets_create(trace);
    return run->answers != NULL && run->packets != NULL;
}

enum cm_status cm_view_model_create(struct cm_trace *first, struct cm_trace *second,
                                    struct cm_view_model **model, struct cm_error *err)
{
    *model = calloc(1, sizeof **model);
    if (*model == NULL) {
        cm_trace_close(first);
        cm_trace_close(second);
        return cm_error_no_memory(err);
    }
    (*model)->run_count = second != NULL ? 2 : 1;
    bool done = prepare_run(&(*model)->runs[0], first);
    if (second != NULL)
        done = prepare_run(&(*model)->runs[1], second) && done;
    if (!done) {
        cm_view_model_free(*model);
        *model = NULL;
        return cm_error_no_memory(err);
    }
    cm_view_align_begin(*model);
    if (!cm_view_model_failed(*model))
        return CM_OK;
    cm_view_model_free(*model);
    *model = NULL;
    return cm_error_no_memory(err);
}

/* Returns sums over an interval, from the cache or from the trace, for questions that have no
 * argument but the interval. */
static const uint64_t *sums_of(const struct cm_view_run *run, enum question question,
                               void (*ask)(const struct cm_trace *, uint64_t, uint64_t, uint64_t *),
                               uint64_t first, uint64_t end)
{
    struct answer *answer = &run->answers->to[question];
    if (is_new(answer, first, end, 0))
        ask(run->trace, first, end, answer->data);
    return answer->data;
}

const uint64_t *cm_view_busy(const struct cm_view_run *run, uint64_t first, uint64_t end)
{
    return sums_of(run, BUSY, cm_trace_channel_busy, first, end);
}

const uint64_t *cm_view_causes(const struct cm_view_run *run, uint64_t first, uint64_t end)
{
    return sums_of(run, CAUSES, cm_trace_by_cause, first, end);
}

const uint64_t *cm_view_phase_sums(const struct cm_view_run *run, uint64_t first, uint64_t end)
{
    return sums_of(run, PHASE_SUMS, cm_trace_by_phase, first, end);
}

const uint64_t *cm_view_node_loads(const struct cm_view_run *run, uint64_t first, uint64_t end,
                                   uint32_t hidden_dimensions, enum cm_view_load load,
                                   uint32_t dimension)
{
    struct answer *answer = &run->answers->to[NODE_LOADS];
    bool other = run->answers->load != load || run->answers->load_dimension != dimension;
    if (!is_new(answer, first, end, hidden_dimensions) && !other)
        return answer->data;
    run->answers->load = load;
    run->answers->load_dimension = dimension;
    const struct cm_view_loads_request request = {run,  first,    end, hidden_dimensions,
                                                  load, dimension};
    cm_view_find_loads(&request, answer->data);
    return answer->data;
}

/* Returns the number of columns into which an interval is divided. Each column has at least one
 * cycle. */
static uint32_t column_count(uint64_t first, uint64_t end, uint32_t columns)
{
    uint64_t length = end > first ? end - first : 1;
    columns = columns < USE_COLUMNS_MAX ? columns : USE_COLUMNS_MAX;
    return columns < length ? columns : (uint32_t)length;
}

const struct cm_trace_use *cm_view_use(const struct cm_view_run *run, uint64_t first, uint64_t end,
                                       uint32_t *columns)
{
    struct answer *answer = &run->answers->to[USE];
    *columns = column_count(first, end, *columns);
    if (is_new(answer, first, end, *columns))
        cm_trace_dimension_use(run->trace, first, end, *columns, answer->data);
    return answer->data;
}

/* Returns the largest fraction of a part in which one channel is busy, if the run is divided into 2
 * to the power of `splits` parts. */
static double top_of_parts(const struct cm_view_run *run, uint32_t splits)
{
    double *top = &run->answers->tops[splits];
    uint32_t columns = 1u << splits;
    if (*top > 0)
        return *top;
    const struct cm_trace_use *use = cm_view_use(run, 0, run->info->cycles, &columns);
    for (size_t i = 0; i < (size_t)run->info->dimensions * columns; i++)
        *top = fmax(*top, (double)use[i].max);
    return *top;
}

double cm_view_scale_top(const struct cm_view_model *model, enum cm_view_range range,
                         uint64_t length)
{
    double top = 0;
    for (uint32_t i = 0; i < model->run_count && range == CM_VIEW_RANGE_BUSIEST; i++) {
        uint64_t cycles = model->runs[i].info->cycles,
                 parts = length > 0 ? cycles / length : cycles;
        uint32_t splits = 0;
        while (splits < SPLITS && (UINT64_C(2) << splits) <= parts)
            splits++;
        /* a run that has ended is idle in the rest of the interval */
        double run = cycles < length ? (double)cycles / (double)length : 1;
        top = fmax(top, run * top_of_parts(&model->runs[i], splits));
    }
    return top > 0 ? top : 1;
}

/* Returns the first cycle of a column. Columns divide an interval as evenly as whole cycles allow.
 */
static uint64_t column_first(uint64_t first, uint64_t end, uint32_t columns, uint32_t column)
{
    uint64_t length = end - first;
    return first + length / columns * column + length % columns * column / columns;
}

/* Fills the cycles by phase of each column. Asks the trace once for each column, for the sums from
 * the first cycle of the strip to the column's end. A column is the difference of two such sums. */
static void fill_phases(const struct cm_view_run *run, uint64_t first, uint64_t end,
                        uint32_t columns, uint64_t *phases)
{
    uint64_t before[CM_TRACE_PHASE_COUNT] = {0}, sums[CM_TRACE_PHASE_COUNT];
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
    struct answer *answer = &run->answers->to[PHASES];
    *columns = column_count(first, end, *columns);
    if (is_new(answer, first, end, *columns))
        fill_phases(run, first, end, *columns, answer->data);
    return answer->data;
}

bool cm_view_event(const struct cm_view_run *run, uint64_t cycle, struct cm_trace_event *event)
{
    struct cm_trace_cursor cursor = cm_trace_seek(run->trace, cycle);
    return cm_trace_next(&cursor, event);
}

const struct cm_view_slots *cm_view_slots(const struct cm_view_run *run, uint64_t first,
                                          uint64_t end, uint32_t base)
{
    struct answer *answer = &run->answers->to[SLOTS];
    if (is_new(answer, first, end, base))
        cm_view_find_slots(run, first, end, base, answer->data);
    return answer->data;
}

uint32_t cm_view_busiest(const struct cm_view_run *run, uint64_t first, uint64_t end,
                         uint32_t hidden_dimensions, const uint32_t **channels)
{
    struct answer *answer = &run->answers->to[BUSIEST];
    uint32_t *busiest = answer->data, count = 0;
    *channels = busiest;
    if (!is_new(answer, first, end, hidden_dimensions))
        return run->answers->busiest_count;
    const uint64_t *busy = cm_view_busy(run, first, end);
    for (uint32_t i = 0; i < run->channel_count; i++) {
        uint32_t dimension = i / run->info->channels % run->info->dimensions;
        bool full = count == CM_VIEW_BUSIEST;
        if (busy[i] == 0 || (full && busy[i] <= busy[busiest[count - 1]]) ||
            (hidden_dimensions >> dimension & 1))
            continue;
        uint32_t at = full ? count - 1 : count++;
        for (; at > 0 && busy[busiest[at - 1]] < busy[i]; at--)
            busiest[at] = busiest[at - 1];
        busiest[at] = i;
    }
    run->answers->busiest_count = count;
    return count;
}

uint32_t cm_view_hot_spot(const struct cm_view_run *run, double *share)
{
    struct answer *answer = &run->answers->to[DESTINATIONS];
    uint64_t *to = answer->data, packets = run->info->packets;
    uint32_t most = 0;
    bool ask = is_new(answer, 0, 0, 0);
    for (uint64_t i = 0; ask && i < packets; i++)
        to[cm_trace_packet_at(run->trace, i)->destination]++;
    for (uint32_t node = 1; node < run->info->nodes; node++)
        most = to[node] > to[most] ? node : most;
    *share = packets > 0 ? (double)to[most] / (double)packets : 0;
    return to[most] >= CM_VIEW_HOT_PACKETS &&
                   to[most] * run->info->nodes >= packets * CM_VIEW_HOT_TIMES
               ? most
               : CM_TRACE_NONE;
}

bool cm_view_word(const struct cm_view_run *run, uint64_t cycle, uint32_t channel, uint32_t *word,
                  bool *sent)
{
    struct cm_view_answers *answers = run->answers;
    uint32_t *words = answers->to[WORDS].data;
    bool *are_sent = (bool *)(words + run->channel_count);
    struct cm_trace_event event;
    if (run->info->detail_first >= run->info->detail_end || channel >= run->channel_count ||
        !cm_view_event(run, cycle, &event) || event.first_cycle > cycle ||
        event.phase != CM_TRACE_EXCHANGE)
        return false;
    if (is_new(&answers->to[WORDS], event.first_cycle, event.end_cycle, 0))
        answers->words_known = cm_trace_wires(run->trace, event.first_cycle, words, are_sent);
    *word = words[channel];
    *sent = are_sent[channel];
    return answers->words_known;
}

const struct cm_view_places *cm_view_places(const struct cm_view_run *run, uint32_t array,
                                            uint64_t first, uint64_t end)
{
    struct answer *answer = &run->answers->to[PLACES];
    if (array >= run->info->arrays || !cm_trace_array_at(run->trace, array)->placed)
        return NULL;
    if (is_new(answer, first, end, array) &&
        !cm_view_find_places(run, array, first, end, answer->data)) {
        answer->valid = false;
        return NULL;
    }
    return answer->data;
}
