/* A made-up trace: rounds of load, exchange, unload, move; in round r the channels of pattern r mod
 * 4 carry words. */
#include "fake_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHANNELS 2u
#define SLOTS    32u
#define EVENTS   4u /* of a round */

struct cm_trace {
    struct cm_trace_info info;
    struct cm_fake fake;
    struct cm_trace_event *events;
    uint64_t event_count;
    struct cm_trace_step steps[2];
    struct cm_trace_array array;
    /* for each dimension a bit for every set of patterns in which a channel carries words */
    uint32_t sets[32];
};

static const struct {
    enum cm_trace_phase phase;
    enum cm_cause cause;
    uint32_t cycles;
} round_of[EVENTS] = {
    {CM_TRACE_LOAD, CM_CAUSE_LOAD, CM_FAKE_LOAD},
    {CM_TRACE_EXCHANGE, CM_CAUSE_EXCHANGE, CM_FAKE_EXCHANGE},
    {CM_TRACE_UNLOAD, CM_CAUSE_STORE, CM_FAKE_UNLOAD},
    {CM_TRACE_MOVE, CM_CAUSE_LOAD_PAGE_FAULT, CM_FAKE_MOVE},
};

static void make_events(struct cm_trace *trace)
{
    uint64_t cycle = CM_FAKE_START;
    trace->events[0] = (struct cm_trace_event){
        .end_cycle = CM_FAKE_START, .phase = CM_TRACE_START, .pattern = CM_TRACE_NONE};
    trace->event_count = 1;
    for (uint32_t r = 0; r < trace->fake.exchanges; r++)
        for (unsigned i = 0; i < EVENTS; i++) {
            struct cm_trace_event *event = &trace->events[trace->event_count];
            cycle += i == 1 ? CM_FAKE_GAP : 0;
            *event = (struct cm_trace_event){
                .first_cycle = cycle,
                .end_cycle = cycle + round_of[i].cycles,
                .number = trace->event_count,
                .phase = round_of[i].phase,
                .step = r >= trace->fake.exchanges / 2,
                .pc = i,
                .address = 100 + r,
                .pattern = i < 3 ? r % CM_FAKE_PATTERNS : CM_TRACE_NONE,
            };
            cycle = event->end_cycle;
            trace->event_count++;
        }
    trace->info.cycles = cycle;
}

static void find_sets(struct cm_trace *trace);

static void make_rest(struct cm_trace *trace)
{
    const struct cm_fake *fake = &trace->fake;
    uint64_t middle = CM_FAKE_START + (uint64_t)(fake->exchanges / 2) * CM_FAKE_ROUND;
    trace->info.window_count = (trace->info.cycles + CM_FAKE_WINDOW - 1) / CM_FAKE_WINDOW;
    trace->steps[0] = (struct cm_trace_step){0, middle, "pshift", "/steps/0", {0}};
    trace->steps[1] =
        (struct cm_trace_step){middle, trace->info.cycles, "combine", "/steps/1", {0}};
    if (fake->truncated) {
        trace->info.complete = false;
        trace->info.notice = "the trace ends at cycle 1,234: the file was cut short";
    }
    trace->info.detail_end = fake->words ? trace->info.cycles : 0;
    if (fake->array_side > 0) {
        trace->info.arrays = 1;
        trace->array = (struct cm_trace_array){.name = "src",
                                               .rank = 2,
                                               .slices = 2,
                                               .address = 0,
                                               .words = 16,
                                               .placed = true,
                                               .type = ""};
        trace->array.shape[0] = trace->array.shape[1] = fake->array_side;
        trace->array.elements = (uint64_t)fake->array_side * fake->array_side;
        if (fake->array_depth > 0) {
            trace->array.rank = 3;
            trace->array.shape[2] = fake->array_depth;
            trace->array.elements *= fake->array_depth;
        }
    }
}

struct cm_trace *cm_fake_open(const struct cm_fake *fake)
{
    struct cm_trace *trace = calloc(1, sizeof *trace);
    if (trace == NULL)
        return NULL;
    trace->fake = *fake;
    trace->events = calloc(1 + (size_t)EVENTS * fake->exchanges, sizeof *trace->events);
    trace->info = (struct cm_trace_info){.workload = fake->name,
                                         .made_of = "",
                                         .machine = "CM-200",
                                         .nodes = 1u << fake->dimensions,
                                         .dimensions = fake->dimensions,
                                         .channels = CHANNELS,
                                         .slots = SLOTS,
                                         .clock_hz = 10000000,
                                         .exchange_cycles = CM_FAKE_EXCHANGE,
                                         .word_cycles = 8,
                                         .page_words = 512,
                                         .complete = true,
                                         .exchanges = fake->exchanges,
                                         .window_cycles = CM_FAKE_WINDOW,
                                         .steps = 2,
                                         .imps = 1,
                                         .patterns = CM_FAKE_PATTERNS};
    if (trace->events == NULL) {
        free(trace);
        return NULL;
    }
    make_events(trace);
    make_rest(trace);
    find_sets(trace);
    return trace;
}

bool cm_trace_failed(const struct cm_trace *trace)
{
    (void)trace;
    return false;
}

void cm_trace_close(struct cm_trace *trace)
{
    if (trace != NULL)
        free(trace->events);
    free(trace);
}

enum cm_status cm_trace_open(const char *path, struct cm_trace **trace, struct cm_error *err)
{
    *trace = NULL;
    return cm_error_set(err, CM_IO, "%s: made-up traces have no files", path);
}

const struct cm_trace_info *cm_trace_information(const struct cm_trace *trace)
{
    return &trace->info;
}

const char *cm_trace_phase_name(enum cm_trace_phase phase)
{
    static const char *const names[CM_TRACE_PHASE_COUNT] = {"start",    "control",  "local move",
                                                            "load A",   "exchange", "unload B",
                                                            "boundary", "FPU",      "router"};
    return names[phase];
}

const struct cm_trace_line *cm_trace_find_line(const struct cm_trace *trace, uint64_t cycle)
{
    static const struct cm_trace_line lines[2] = {
        {0, CM_FAKE_START, "programs/jacobi.fcm", 17, "U = 0.0D0"},
        {CM_FAKE_START, UINT64_MAX, "programs/jacobi.fcm", 22, "NEXT = 0.5D0 * CSHIFT(U, 1, -1)"},
    };
    return trace->fake.lines ? &lines[cycle >= CM_FAKE_START] : NULL;
}

const struct cm_trace_step *cm_trace_step_at(const struct cm_trace *trace, uint32_t step)
{
    return &trace->steps[step];
}

/* The first event that ends after a cycle; event_count: none. */
static uint64_t event_after(const struct cm_trace *trace, uint64_t cycle)
{
    uint64_t low = 0, high = trace->event_count;
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        if (trace->events[middle].end_cycle > cycle)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

struct cm_trace_cursor cm_trace_seek(const struct cm_trace *trace, uint64_t cycle)
{
    return (struct cm_trace_cursor){.trace = trace, .next = event_after(trace, cycle)};
}

struct cm_trace_cursor cm_trace_seek_event(const struct cm_trace *trace, uint64_t number)
{
    return (struct cm_trace_cursor){.trace = trace, .next = number};
}

bool cm_trace_next(struct cm_trace_cursor *cursor, struct cm_trace_event *event)
{
    if (cursor->next >= cursor->trace->event_count)
        return false;
    *event = cursor->trace->events[cursor->next++];
    return true;
}

bool cm_trace_previous(struct cm_trace_cursor *cursor, struct cm_trace_event *event)
{
    if (cursor->next == 0)
        return false;
    *event = cursor->trace->events[--cursor->next];
    return true;
}

uint64_t cm_trace_find_exchange(const struct cm_trace *trace, uint64_t cycle, int direction)
{
    uint64_t found = UINT64_MAX;
    for (uint64_t i = 0; i < trace->event_count; i++) {
        const struct cm_trace_event *event = &trace->events[i];
        if (event->phase != CM_TRACE_EXCHANGE)
            continue;
        if (direction > 0 && event->first_cycle >= cycle)
            return event->first_cycle;
        if (direction <= 0 && event->first_cycle < cycle)
            found = event->first_cycle;
    }
    return found;
}

uint64_t cm_trace_find_blocked(const struct cm_trace *trace, uint64_t cycle)
{
    (void)trace;
    (void)cycle;
    return UINT64_MAX;
}

void cm_trace_instruction(const struct cm_trace *trace, uint32_t imp, uint32_t pc, char *text,
                          size_t size)
{
    static const char *const texts[EVENTS] = {"load.ind a, [a0+0], t0.lo", "exchange",
                                              "store.ind [a1+0], b, t1.hi", "move [a2], [a0], 8"};
    (void)trace;
    (void)imp;
    snprintf(text, size, "%s", texts[pc % EVENTS]);
}

const char *cm_trace_imp_name(const struct cm_trace *trace, uint32_t imp)
{
    (void)trace;
    (void)imp;
    return "pshift.1";
}

const char *cm_trace_imp_source(const struct cm_trace *trace, uint32_t imp)
{
    (void)trace;
    (void)imp;
    return "made-up.imp";
}

uint32_t cm_trace_imp_line(const struct cm_trace *trace, uint32_t imp, uint32_t pc)
{
    (void)trace;
    (void)imp;
    return pc + 10;
}

/* Whether a channel carries words in the exchanges of a pattern: a hash of its number, and one
 * dimension more than others. */
static bool carries(const struct cm_trace *trace, uint32_t pattern, uint32_t channel)
{
    uint32_t dimension = channel / CHANNELS % trace->info.dimensions;
    uint32_t hash = (channel * 2654435761u) ^ (pattern * 40503u << 8);
    hash ^= hash >> 15;
    hash *= 2246822519u;
    hash ^= hash >> 13;
    return dimension % CM_FAKE_PATTERNS == pattern || (hash & 255) < trace->fake.scatter;
}

static void find_sets(struct cm_trace *trace)
{
    uint32_t count = trace->info.nodes * trace->info.dimensions * CHANNELS;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t set = 0;
        for (uint32_t p = 0; p < CM_FAKE_PATTERNS; p++)
            set |= carries(trace, p, i) ? 1u << p : 0;
        trace->sets[i / CHANNELS % trace->info.dimensions] |= 1u << set;
    }
}

uint64_t cm_trace_pattern_slots(const struct cm_trace *trace, uint32_t pattern, uint32_t node)
{
    uint64_t slots = 0;
    for (uint32_t d = 0; d < trace->info.dimensions; d++)
        for (uint32_t c = 0; c < CHANNELS; c++)
            if (carries(trace, pattern, (node * trace->info.dimensions + d) * CHANNELS + c))
                slots |= (uint64_t)1 << cm_slot_of_channel(SLOTS, d, c);
    return slots;
}

uint64_t cm_trace_open_page(const struct cm_trace *trace, uint64_t cycle)
{
    return cycle < trace->info.cycles ? cycle / 512 : UINT64_MAX;
}

/* Cycles of the exchanges of a pattern within an interval. */
static uint64_t exchange_cycles(const struct cm_trace *trace, uint32_t pattern, uint64_t first,
                                uint64_t end)
{
    uint64_t sum = 0;
    for (uint64_t i = event_after(trace, first); i < trace->event_count; i++) {
        const struct cm_trace_event *event = &trace->events[i];
        if (event->first_cycle >= end)
            break;
        if (event->phase != CM_TRACE_EXCHANGE || event->pattern != pattern)
            continue;
        uint64_t from = event->first_cycle > first ? event->first_cycle : first;
        sum += (event->end_cycle < end ? event->end_cycle : end) - from;
    }
    return sum;
}

void cm_trace_channel_busy(const struct cm_trace *trace, uint64_t first, uint64_t end,
                           uint64_t *busy)
{
    uint64_t cycles[CM_FAKE_PATTERNS];
    uint32_t count = trace->info.nodes * trace->info.dimensions * CHANNELS;
    for (uint32_t p = 0; p < CM_FAKE_PATTERNS; p++)
        cycles[p] = exchange_cycles(trace, p, first, end);
    for (uint32_t i = 0; i < count; i++) {
        busy[i] = 0;
        for (uint32_t p = 0; p < CM_FAKE_PATTERNS; p++)
            busy[i] += carries(trace, p, i) ? cycles[p] : 0;
    }
}

static void use_of(const struct cm_trace *trace, uint64_t first, uint64_t end, uint32_t dimension,
                   struct cm_trace_use *use)
{
    uint64_t length = end > first ? end - first : 1, cycles[CM_FAKE_PATTERNS], all = 0, most = 0;
    for (uint32_t p = 0; p < CM_FAKE_PATTERNS; p++)
        all += cycles[p] = exchange_cycles(trace, p, first, end);
    for (uint32_t set = 0; set < 1u << CM_FAKE_PATTERNS; set++) {
        uint64_t busy = 0;
        for (uint32_t p = 0; p < CM_FAKE_PATTERNS; p++)
            busy += set >> p & 1 ? cycles[p] : 0;
        if (trace->sets[dimension] >> set & 1 && busy > most)
            most = busy;
    }
    uint64_t own = cycles[dimension % CM_FAKE_PATTERNS];
    use->max = (float)most / (float)length;
    use->mean =
        ((float)own + (float)(all - own) * (float)trace->fake.scatter / 256) / (float)length;
}

void cm_trace_dimension_use(const struct cm_trace *trace, uint64_t first, uint64_t end,
                            uint32_t columns, struct cm_trace_use *use)
{
    for (uint32_t d = 0; d < trace->info.dimensions; d++)
        for (uint32_t i = 0; i < columns; i++)
            use_of(trace, first + (end - first) * i / columns,
                   first + (end - first) * (i + 1) / columns, d, &use[(size_t)d * columns + i]);
}

static void sum_events(const struct cm_trace *trace, uint64_t first, uint64_t end,
                       uint64_t phases[CM_TRACE_PHASE_COUNT], uint64_t causes[CM_CAUSE_COUNT])
{
    uint64_t last = first;
    end = end < trace->info.cycles ? end : trace->info.cycles;
    for (uint64_t i = event_after(trace, first); i < trace->event_count; i++) {
        const struct cm_trace_event *event = &trace->events[i];
        if (event->first_cycle >= end)
            break;
        uint64_t from = event->first_cycle > first ? event->first_cycle : first;
        uint64_t to = event->end_cycle < end ? event->end_cycle : end;
        phases[CM_TRACE_CONTROL] += from - last;
        causes[CM_CAUSE_LOOP] += from - last;
        phases[event->phase] += to - from;
        causes[i == 0 ? CM_CAUSE_START : round_of[(i - 1) % EVENTS].cause] += to - from;
        last = to;
    }
    if (end > last) {
        phases[CM_TRACE_CONTROL] += end - last;
        causes[CM_CAUSE_LOOP] += end - last;
    }
}

void cm_trace_by_cause(const struct cm_trace *trace, uint64_t first, uint64_t end,
                       uint64_t cycles[CM_CAUSE_COUNT])
{
    uint64_t phases[CM_TRACE_PHASE_COUNT] = {0};
    memset(cycles, 0, CM_CAUSE_COUNT * sizeof *cycles);
    sum_events(trace, first, end, phases, cycles);
}

void cm_trace_by_phase(const struct cm_trace *trace, uint64_t first, uint64_t end,
                       uint64_t cycles[CM_TRACE_PHASE_COUNT])
{
    uint64_t causes[CM_CAUSE_COUNT] = {0};
    memset(cycles, 0, CM_TRACE_PHASE_COUNT * sizeof *cycles);
    sum_events(trace, first, end, cycles, causes);
}

uint64_t cm_trace_hops(const struct cm_trace *trace, uint64_t first, uint64_t end,
                       struct cm_trace_hop *hops, uint64_t capacity)
{
    (void)trace;
    (void)first;
    (void)end;
    (void)hops;
    (void)capacity;
    return 0;
}

/* It sends no packets. */
const struct cm_trace_packet *cm_trace_packet_at(const struct cm_trace *trace, uint64_t packet)
{
    (void)trace;
    (void)packet;
    return NULL;
}

uint64_t cm_trace_hops_of_packet(const struct cm_trace *trace, uint64_t packet,
                                 struct cm_trace_hop *hops, uint64_t capacity)
{
    (void)packet;
    return cm_trace_hops(trace, 0, 0, hops, capacity);
}

uint64_t cm_trace_hops_of_channel(const struct cm_trace *trace, uint32_t channel, uint64_t first,
                                  uint64_t end, struct cm_trace_hop *hops, uint64_t capacity)
{
    (void)channel;
    return cm_trace_hops(trace, first, end, hops, capacity);
}

bool cm_trace_hop_ending(const struct cm_trace *trace, uint32_t channel, uint64_t cycle,
                         struct cm_trace_hop *hop)
{
    (void)channel;
    return cm_trace_hops(trace, cycle, cycle + 1, hop, 1) > 0;
}

const struct cm_trace_array *cm_trace_array_at(const struct cm_trace *trace, uint32_t array)
{
    (void)array;
    return &trace->array;
}

const struct cm_trace_array *cm_trace_array_then(const struct cm_trace *trace, uint32_t array,
                                                 uint64_t cycle)
{
    (void)cycle;
    return cm_trace_array_at(trace, array);
}

/* Elements lie in order, as many in each node; in the second half of the run one node further. */
bool cm_trace_array_place(const struct cm_trace *trace, uint32_t array, uint64_t element,
                          uint64_t cycle, uint32_t *node, uint64_t *address)
{
    uint64_t each = (trace->array.elements + trace->info.nodes - 1) / trace->info.nodes;
    (void)array;
    *node = (uint32_t)(element / each);
    if (cycle >= trace->info.cycles / 2)
        *node = (*node + 1) % trace->info.nodes;
    *address = element % each;
    return true;
}

/* The word on a channel is its number; channels that a pattern leaves idle carry none. */
bool cm_trace_wires(const struct cm_trace *trace, uint64_t cycle, uint32_t *words, bool *sent)
{
    const struct cm_trace_info *info = &trace->info;
    struct cm_trace_cursor cursor = cm_trace_seek(trace, cycle);
    struct cm_trace_event event;
    if (cycle < info->detail_first || cycle >= info->detail_end ||
        !cm_trace_next(&cursor, &event) || event.first_cycle > cycle ||
        event.phase != CM_TRACE_EXCHANGE)
        return false;
    for (uint32_t i = 0; i < info->nodes * info->dimensions * info->channels; i++) {
        uint32_t node = i / (info->dimensions * info->channels);
        uint32_t slot = cm_slot_of_channel(info->slots, i / info->channels % info->dimensions,
                                           i % info->channels);
        sent[i] = cm_trace_pattern_slots(trace, event.pattern, node) >> slot & 1;
        words[i] = sent[i] ? i : 0;
    }
    return true;
}
