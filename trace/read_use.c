/*
 * Questions about channels, causes and phases.
 *
 * An exchange keeps the channels of its pattern busy. So the reader sums the cycles of each pattern
 * over the exchanges of an interval, then adds the sums to the channels of the pattern's nodes.
 */
#include "read_private.h"

/* Returns the number of cycles that the intervals [first, end) and [other_first, other_end) have in
 * common. */
static uint64_t common(uint64_t first, uint64_t end, uint64_t other_first, uint64_t other_end)
{
    uint64_t low = cm_most(first, other_first), high = cm_least(end, other_end);
    return high > low ? high - low : 0;
}

/* Returns the end cycle of the last exchange in the index. UINT64_MAX: the index has all
 * exchanges. */
static uint64_t index_end(const struct cm_trace *trace)
{
    uint32_t count = trace->exchanges.count;
    return trace->all_exchanges == count ? UINT64_MAX : trace->exchanges.items[count - 1].cycle + 1;
}

/* Returns the number of exchanges in the index that end at or before a cycle. */
static uint64_t ended_by(const struct cm_trace *trace, uint64_t cycle)
{
    uint64_t length = trace->info.exchange_cycles;
    return cycle < length ? 0 : cm_read_until(trace->exchanges, cycle, cycle - length);
}

struct cm_read_walk cm_read_walk_from(const struct cm_trace *trace, uint64_t cycle)
{
    return (struct cm_read_walk){.trace = trace, .first = cycle, .next = ended_by(trace, cycle)};
}

bool cm_read_walk_next(struct cm_read_walk *walk, struct cm_read_exchange *exchange)
{
    const struct cm_trace *trace = walk->trace;
    if (walk->next < trace->exchanges.count) {
        *exchange = trace->exchanges.items[walk->next++];
        return true;
    }
    uint64_t from = index_end(trace), length = trace->info.exchange_cycles;
    if (from == UINT64_MAX)
        return false;
    if (!walk->by_events)
        walk->cursor =
            cm_trace_seek(trace, cm_most(from, walk->first < length ? 0 : walk->first - length));
    walk->by_events = true;
    struct cm_trace_event event;
    while (cm_trace_next(&walk->cursor, &event)) {
        if (event.phase != CM_TRACE_EXCHANGE || event.first_cycle < from ||
            event.first_cycle + length <= walk->first)
            continue;
        *exchange = (struct cm_read_exchange){event.first_cycle, event.pattern};
        return true;
    }
    return false;
}

uint64_t cm_read_exchanges_about(const struct cm_trace *trace, uint64_t first, uint64_t end)
{
    uint64_t from = cm_most(first, index_end(trace));
    return ended_by(trace, end) - ended_by(trace, first) +
           (end > from ? (end - from) / cm_most(trace->info.exchange_cycles, 1) : 0);
}

uint64_t cm_trace_find_exchange(const struct cm_trace *trace, uint64_t cycle, int direction)
{
    struct cm_read_exchange exchange;
    if (direction > 0) {
        struct cm_read_walk walk = cm_read_walk_from(trace, cycle);
        while (cm_read_walk_next(&walk, &exchange))
            if (exchange.cycle >= cycle)
                return exchange.cycle;
        return UINT64_MAX;
    }
    struct cm_trace_cursor cursor = cm_trace_seek(trace, cycle);
    struct cm_trace_event event;
    /* the event that covers the cycle, or the first event after it */
    cm_trace_next(&cursor, &event);
    while (cycle > index_end(trace) && cm_trace_previous(&cursor, &event))
        if (event.phase == CM_TRACE_EXCHANGE && event.first_cycle < cycle)
            return event.first_cycle;
    /* Number of exchanges in the index that begin before `cycle`. */
    uint64_t before = cycle > 0 ? cm_read_until(trace->exchanges, cycle, cycle - 1) : 0;
    return before > 0 ? trace->exchanges.items[before - 1].cycle : UINT64_MAX;
}

/* Adds to each pattern the cycles that its exchanges take within an interval. */
static void pattern_cycles(const struct cm_trace *trace, uint64_t first, uint64_t end,
                           uint64_t *cycles)
{
    struct cm_read_walk walk = cm_read_walk_from(trace, first);
    struct cm_read_exchange exchange;
    while (cm_read_walk_next(&walk, &exchange) && exchange.cycle < end)
        cycles[exchange.pattern] +=
            common(first, end, exchange.cycle, exchange.cycle + trace->info.exchange_cycles);
}

/* Finds the channel that a slot drives. Returns false if the slot drives no channel. */
static bool channel_of_slot(const struct cm_trace *trace, uint32_t slot, uint32_t *dimension,
                            uint32_t *channel)
{
    uint32_t half = trace->info.slots / 2;
    *channel = slot / half;
    *dimension = slot % half - 1;
    return slot % half != 0 && *dimension < trace->info.dimensions &&
           *channel < trace->exchange_channels;
}

/* Adds busy cycles to one channel of every node in a set. The set is given by its number + 1, and 0
 * stands for all nodes. */
static void add_to_nodes(const struct cm_trace *trace, uint64_t set, size_t offset, uint64_t cycles,
                         uint64_t *busy)
{
    const struct cm_trace_info *info = &trace->info;
    size_t stride = (size_t)info->dimensions * info->channels;
    for (uint32_t w = 0; w < trace->set_words; w++) {
        uint64_t all = info->nodes < 64 ? (UINT64_C(1) << info->nodes) - 1 : UINT64_MAX;
        uint64_t left = set == 0 ? all : trace->set_bits.items[(set - 1) * trace->set_words + w];
        for (; left; left &= left - 1)
            busy[(w * 64u + (size_t)__builtin_ctzll(left)) * stride + offset] += cycles;
    }
}

/* Adds the cycles of each pattern to the busy cycles of its channels. Patterns share sets of nodes,
 * so the cycles are summed for each slot and set before they are added to the nodes. */
static void spread_patterns(const struct cm_trace *trace, const uint64_t *cycles, uint64_t *sums,
                            uint64_t *busy)
{
    uint64_t sets = trace->set_count + UINT64_C(1);
    uint32_t dimension, channel;
    for (uint32_t p = 0; p < trace->patterns.count; p++) {
        const struct cm_read_pattern *pattern = &trace->patterns.items[p];
        for (uint32_t i = 0; cycles[p] != 0 && i < pattern->count; i++) {
            const struct cm_read_entry *entry = &trace->entries.items[pattern->first + i];
            sums[entry->slot * sets + entry->set] += cycles[p];
        }
    }
    for (uint32_t slot = 0; slot < trace->info.slots; slot++) {
        if (!channel_of_slot(trace, slot, &dimension, &channel))
            continue;
        for (uint64_t set = 0; set < sets; set++)
            if (sums[slot * sets + set] != 0)
                add_to_nodes(trace, set, dimension * trace->info.channels + channel,
                             sums[slot * sets + set], busy);
    }
}

static size_t public_channel(const struct cm_trace *trace, uint32_t channel)
{
    return (size_t)(channel / 2) * trace->info.channels + channel % 2;
}

static void add_routed(const struct cm_trace *trace, uint64_t first, uint64_t end, uint64_t *busy)
{
    uint64_t word = trace->info.word_cycles;
    cm_read_add_hops(trace, first, end, busy);
    for (uint32_t w = 0; w < trace->windows.count; w++) {
        const struct cm_read_routed_window *window = &trace->windows.items[w];
        bool outside = common(window->first, window->end, first, end) == 0;
        for (uint32_t i = 0; !outside && i < window->count; i++) {
            const struct cm_read_load *load = &trace->loads.items[window->at + i];
            busy[public_channel(trace, load->channel)] +=
                cm_read_part(load->words * word, window->first, window->end, first, end);
        }
    }
}

void cm_trace_channel_busy(const struct cm_trace *trace, uint64_t first, uint64_t end,
                           uint64_t *busy)
{
    const struct cm_trace_info *info = &trace->info;
    size_t channels = (size_t)info->nodes * info->dimensions * info->channels;
    memset(busy, 0, channels * sizeof *busy);
    if (end <= first || info->dimensions == 0)
        return;
    uint64_t *cycles = cm_read_allocate(trace, trace->patterns.count, sizeof *cycles);
    uint64_t *sums =
        cm_read_allocate(trace, info->slots * (trace->set_count + UINT64_C(1)), sizeof *sums);
    if (cycles != NULL && sums != NULL) {
        pattern_cycles(trace, first, end, cycles);
        spread_patterns(trace, cycles, sums, busy);
        add_routed(trace, first, end, busy);
    }
    free(cycles);
    free(sums);
}

/* Adds the first `part` cycles of an event, or of the gap before an event, to the sums by cause.
 * Assumes that the cycles of the causes follow each other in the numerical order of the causes,
 * with refreshes last. */
static void take_part(const uint64_t *causes, uint64_t part, uint64_t *sums)
{
    for (uint32_t step = 0; part > 0 && step <= CM_CAUSE_COUNT; step++) {
        uint32_t cause = step < CM_CAUSE_COUNT ? step : CM_CAUSE_REFRESH;
        if (step == CM_CAUSE_REFRESH)
            continue;
        uint64_t cycles = cm_least(causes[cause], part);
        sums[cause] += cycles;
        part -= cycles;
    }
}

/* Consecutive events, given by their briefs. The first event begins at cycle `at`. */
struct events {
    const uint32_t *briefs;
    uint64_t count;
    uint64_t at;
};

/* Adds the cycles of the events before `cycle` to the sums by phase, and to the sums by cause if
 * `causes` is not NULL. */
static void add_until(const struct cm_trace *trace, const struct events *events, uint64_t cycle,
                      uint64_t *causes, uint64_t *phases)
{
    uint64_t at = events->at;
    for (uint64_t i = 0; i < events->count && at < cycle; i++) {
        const uint32_t brief = events->briefs[i];
        const struct cm_read_template *template =
            &trace->templates.items[brief / CM_TRACE_PHASE_COUNT];
        uint64_t gap = cm_least(template->gap_cycles, cycle - at);
        uint64_t part = cm_least(template->cycles, cycle - at - gap);
        if (causes != NULL) {
            take_part(template->gap, gap, causes);
            take_part(template->event, part, causes);
        }
        phases[CM_TRACE_CONTROL] += gap;
        phases[brief % CM_TRACE_PHASE_COUNT] += part;
        at += gap + part;
    }
}

/* Computes the cycles of the run before `cycle`, by cause and by phase. */
static void sums_before(const struct cm_trace *trace, uint64_t cycle, uint64_t *causes,
                        uint64_t *phases)
{
    uint64_t number = cm_read_block_of_cycle(trace, cycle);
    const struct cm_decoded *decoded =
        number < trace->blocks.count ? cm_read_decode(trace, number) : NULL;
    const struct cm_read_block *block = decoded != NULL ? &trace->blocks.items[number] : NULL;
    memcpy(causes, block != NULL ? block->by_cause : trace->by_cause, sizeof trace->by_cause);
    memcpy(phases, block != NULL ? block->by_phase : trace->by_phase, sizeof trace->by_phase);
    if (block != NULL) {
        const struct events events = {decoded->briefs, decoded->count, block->first_cycle};
        add_until(trace, &events, cycle, causes, phases);
    }
}

/* Computes the cycles of the run before `cycle`, by phase only. Begins at a stored sum (struct
 * cm_read_mark), because the viewer asks about a thousand times for each picture. */
static void phases_before(const struct cm_trace *trace, uint64_t cycle, uint64_t *phases)
{
    uint64_t causes[CM_CAUSE_COUNT];
    if (cycle >= trace->brief_end) {
        sums_before(trace, cycle, causes, phases);
        return;
    }
    uint64_t number = cm_read_until(trace->marks, cycle, cycle) - 1; /* last mark up to the cycle */
    uint64_t first = number * CM_READ_MARK_EVENTS;
    const struct cm_read_mark *mark = &trace->marks.items[number];
    memcpy(phases, mark->by_phase, sizeof mark->by_phase);
    const struct events events = {&trace->briefs.items[first], trace->briefs.count - first,
                                  mark->cycle};
    add_until(trace, &events, cycle, NULL, phases);
}

void cm_trace_by_cause(const struct cm_trace *trace, uint64_t first, uint64_t end,
                       uint64_t cycles[CM_CAUSE_COUNT])
{
    uint64_t before[CM_CAUSE_COUNT], phases[CM_TRACE_PHASE_COUNT];
    sums_before(trace, first, before, phases);
    sums_before(trace, cm_most(first, end), cycles, phases);
    for (uint32_t i = 0; i < CM_CAUSE_COUNT; i++)
        cycles[i] -= before[i];
}

void cm_trace_by_phase(const struct cm_trace *trace, uint64_t first, uint64_t end,
                       uint64_t cycles[CM_TRACE_PHASE_COUNT])
{
    uint64_t before[CM_TRACE_PHASE_COUNT];
    phases_before(trace, first, before);
    phases_before(trace, cm_most(first, end), cycles);
    for (uint32_t i = 0; i < CM_TRACE_PHASE_COUNT; i++)
        cycles[i] -= before[i];
}

/* Adds to the sums by cause those of `length` cycles from cycle `at` on that are in the interval
 * [first, end). */
static void add_overlap(const uint64_t *causes, uint64_t at, uint64_t length, uint64_t first,
                        uint64_t end, uint64_t *sums)
{
    uint64_t until[CM_CAUSE_COUNT] = {0}, before[CM_CAUSE_COUNT] = {0};
    take_part(causes, end > at ? cm_least(length, end - at) : 0, until);
    take_part(causes, first > at ? cm_least(length, first - at) : 0, before);
    for (uint32_t i = 0; i < CM_CAUSE_COUNT; i++)
        sums[i] += until[i] - cm_least(before[i], until[i]);
}

void cm_trace_accounting(const struct cm_trace *trace, uint64_t first, uint64_t end,
                         uint64_t cycles[CM_TRACE_PHASE_COUNT][CM_CAUSE_COUNT])
{
    memset(cycles, 0, sizeof(uint64_t[CM_TRACE_PHASE_COUNT][CM_CAUSE_COUNT]));
    for (uint64_t b = cm_read_block_of_cycle(trace, first); b < trace->blocks.count; b++) {
        uint64_t at = trace->blocks.items[b].first_cycle;
        const struct cm_decoded *decoded = at < end ? cm_read_decode(trace, b) : NULL;
        for (uint64_t i = 0; decoded != NULL && i < decoded->count && at < end; i++) {
            uint32_t brief = decoded->briefs[i];
            const struct cm_read_template *template =
                &trace->templates.items[brief / CM_TRACE_PHASE_COUNT];
            add_overlap(template->gap, at, template->gap_cycles, first, end,
                        cycles[CM_TRACE_CONTROL]);
            at += template->gap_cycles;
            add_overlap(template->event, at, template->cycles, first, end,
                        cycles[brief % CM_TRACE_PHASE_COUNT]);
            at += template->cycles;
        }
        if (decoded == NULL)
            break;
    }
}
