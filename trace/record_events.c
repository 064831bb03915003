/*
 * Recording of events. Each event is compared with the prediction of format.h, and a correct
 * prediction only increments a counter. cm_recorder_issued runs once for every instruction, so the
 * path of a correct prediction is short and calls no function.
 *
 * The charges of an event are its cycles by cause and its page faults. An event template holds the
 * charges of all events that have equal ones. A hash table finds the template of an event.
 */
#include "record_private.h"

#include "../base/random.h"

/* Keeps a rare case out of the calling function, which stays short. */
#define APART __attribute__((noinline)) static

#define CAUSE(name) (UINT32_C(1) << CM_CAUSE_##name)
/* Causes of page faults. An event without these causes has no page faults. */
#define FAULT_CAUSES (CAUSE(LOAD_PAGE_FAULT) | CAUSE(STORE_PAGE_FAULT))

static void flush_hits(struct cm_recorder *r)
{
    if (r->hits == 0)
        return;
    if (r->hits <= CM_CODE_RIGHT_MAX) {
        cm_put_byte(&r->events, CM_CODE_RIGHT + r->hits - 1);
    } else {
        cm_put(&r->events, CM_CODE_AGAIN, r->hits);
    }
    r->hits = 0;
}

void cm_recorder_flush_events(struct cm_recorder *r)
{
    struct cm_buffer *payload = &r->payload;
    flush_hits(r);
    if (r->events.failed) {
        cm_recorder_fail(r);
        return;
    }
    if (r->events.length == 0)
        return;
    cm_recorder_define(r);
    payload->length = 0;
    const uint32_t count = CM_TRACE_EVENTS_MAX - r->block_left;
    cm_put(payload, r->event_count, count, r->block_cycle, r->block_imp, r->block_pc);
    cm_buffer_append(payload, r->events.data, r->events.length);
    cm_recorder_block(r, CM_BLOCK_EVENTS, payload);
    r->events.length = 0;
    r->event_count += count;
    r->block_left = 0;
}

/* Begins a block of events. The predictor is reset, so that a reader can decode the block without
 * the blocks before it. */
static void begin_new_block(struct cm_recorder *r)
{
    cm_recorder_flush_events(r);
    r->block_left = CM_TRACE_EVENTS_MAX;
    r->block_cycle = r->last_cycle;
    r->block_imp = r->imp != NULL ? (uint32_t)(r->imp - r->imps.items) + 1 : 0;
    r->block_pc = 0;
    r->guess = (struct cm_guess){.block = r->guess.block + 1};
    if (r->imp != NULL && r->before != &r->start) {
        uint32_t pc = (uint32_t)(r->before - r->imp->path.history);
        r->block_pc = pc + 1;
        r->before = cm_path_at(&r->imp->path, &r->guess, pc);
    }
}

static void begin_block(struct cm_recorder *r)
{
    if (r->block_left == 0)
        begin_new_block(r);
}

/*
 * Writes the cycles of a template: first the cycles of the control flow before the event, then the
 * cycles of the event.
 *
 * Control flow is charged to loops and address registers only. So the rest of `gap_cycles` is
 * refresh. If the gap has all cycles, the event has no cycles: it is an exchange that overlaps
 * other work and waited for the exchange before.
 */
static char *write_shape(char *at, const struct cm_shape *shape)
{
    const uint32_t causes = shape->charged & ~(UINT32_C(1) << CM_PAGE_FAULTS);
    uint64_t cycles[CM_CAUSE_COUNT], all = 0, refreshed_before = 0;
    uint32_t before = 0;
    memcpy(cycles, shape->total, sizeof cycles);
    for (uint32_t i = 0; i < CM_CAUSE_COUNT; i++)
        all += cycles[i];
    const uint64_t refreshed = cycles[CM_CAUSE_REFRESH];
    if (shape->gap_cycles == all) {
        before = causes;
        refreshed_before = refreshed;
    } else if (shape->gap_cycles > 0) {
        before = causes & (CAUSE(LOOP) | CAUSE(ADDRESS));
        refreshed_before = shape->gap_cycles - cycles[CM_CAUSE_LOOP] - cycles[CM_CAUSE_ADDRESS];
    }
    const uint32_t after = causes & ~(before | CAUSE(REFRESH));
    before |= refreshed_before != 0 ? CAUSE(REFRESH) : 0;
    at = cm_write_number(at, shape->total[CM_PAGE_FAULTS]);
    cycles[CM_CAUSE_REFRESH] = refreshed_before;
    at = cm_write_causes(at, cycles, before);
    cycles[CM_CAUSE_REFRESH] = refreshed - refreshed_before;
    return cm_write_causes(at, cycles,
                           after | (refreshed != refreshed_before ? CAUSE(REFRESH) : 0));
}

/* Collects the charges since the last event. Returns 0 if the charges equal those of the template.
 */
static inline uint64_t take_charges(struct cm_recorder *r, const struct cm_shape *shape,
                                    uint64_t gap_cycles, const struct cm_counters *counters)
{
    uint64_t differ = gap_cycles ^ shape->gap_cycles;
    for (uint32_t left = r->charged; left; left &= left - 1) {
        const size_t i = (size_t)__builtin_ctz(left);
        const uint64_t cycles = counters->by_cause[i] - r->last[i];
        r->last[i] += cycles;
        r->delta[i] = cycles;
        differ |= cycles - shape->total[i];
    }
    if (r->charged & FAULT_CAUSES) {
        r->charged |= UINT32_C(1) << CM_PAGE_FAULTS;
        r->delta[CM_PAGE_FAULTS] = counters->page_faults - r->last_faults;
        r->last_faults = counters->page_faults;
        differ |= r->delta[CM_PAGE_FAULTS] - shape->total[CM_PAGE_FAULTS];
    }
    return differ | (shape->charged & ~r->charged);
}

/* Returns true if the collected charges equal those of the template. */
static bool same_shape(const struct cm_recorder *r, const struct cm_shape *shape,
                       uint64_t gap_cycles)
{
    uint64_t differ = (gap_cycles ^ shape->gap_cycles) | (shape->charged & ~r->charged);
    for (uint32_t left = r->charged; left; left &= left - 1) {
        const size_t i = (size_t)__builtin_ctz(left);
        differ |= r->delta[i] - shape->total[i];
    }
    return differ == 0;
}

/* Returns the hash table entry for templates with the given charges. Templates with other charges
 * may share the entry. */
static inline uint32_t *shape_place(struct cm_recorder *r, const uint64_t *charges, uint32_t which,
                                    uint64_t gap_cycles)
{
    uint64_t mixed = gap_cycles;
    for (; which; which &= which - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(which);
        mixed += charges[i] << 2 * i;
    }
    return &r->shape_places[mixed * CM_GOLDEN_RATIO >> r->shape_shift];
}

/* Inserts a template at the front of its hash chain. */
static void put_shape(struct cm_recorder *r, uint32_t number)
{
    struct cm_shape *shape = &r->shapes.items[number];
    uint32_t *place = shape_place(r, shape->total, shape->charged, shape->gap_cycles);
    shape->earlier = *place;
    *place = number + 1;
}

/* Makes room for one more template. Doubles the hash table when it has as many templates as
 * entries. Returns false when out of memory. */
static bool shape_room(struct cm_recorder *r)
{
    const uint32_t count = r->shapes.count, places = UINT32_C(1) << (64 - r->shape_shift);
    if (!cm_list_room(&r->shapes, (uint64_t)count + 1))
        return false;
    if (count < places)
        return true;
    uint32_t *larger = calloc(places, 2 * sizeof *larger);
    if (larger == NULL)
        return false;
    free(r->shape_places);
    r->shape_places = larger;
    r->shape_shift--;
    for (uint32_t i = 0; i < count; i++)
        put_shape(r, i);
    return true;
}

/* Creates a template of the collected charges and writes its definition. */
APART uint32_t make_shape(struct cm_recorder *r, uint64_t gap_cycles)
{
    struct cm_buffer *definitions = &r->definitions;
    struct cm_shape shape = {.gap_cycles = gap_cycles};
    for (uint32_t left = r->charged; left; left &= left - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(left);
        shape.total[i] = r->delta[i];
        shape.charged |= (uint32_t)(r->delta[i] != 0) << i;
    }
    if (!shape_room(r) ||
        !cm_bytes_room(definitions, 1 + CM_NUMBER_MAX_BYTES + 2 * CM_CAUSES_MAX_BYTES)) {
        cm_recorder_fail(r);
        return 0;
    }
    const uint32_t number = r->shapes.count++;
    r->shapes.items[number] = shape;
    put_shape(r, number);
    char *const begin = definitions->data + definitions->length;
    *begin = CM_DEFINE_SHAPE;
    definitions->length += (size_t)(write_shape(begin + 1, &shape) - begin);
    return number;
}

/* Returns the number + 1 of the template that equals the collected charges, or 0. */
static uint32_t find_shape(struct cm_recorder *r, uint64_t gap_cycles)
{
    uint32_t number = *shape_place(r, r->delta, r->charged, gap_cycles);
    while (number != 0 && !same_shape(r, &r->shapes.items[number - 1], gap_cycles))
        number = r->shapes.items[number - 1].earlier;
    return number;
}

/* Returns the number of the template that equals the collected charges, and creates a new template
 * if necessary. */
static inline uint32_t shape_of(struct cm_recorder *r, uint64_t gap_cycles)
{
    const uint32_t found = find_shape(r, gap_cycles);
    return found != 0 ? found - 1 : make_shape(r, gap_cycles);
}

/* Ends the event: everything up to the counters' cycle is recorded. */
static void advance(struct cm_recorder *r, const struct cm_counters *counters)
{
    r->charged = 0;
    r->last_cycle = counters->cycles;
    r->block_left--;
}

/* Writes the fields of an instruction that differ from the prediction. Counts a correct prediction
 * if no field differs. */
static void put_instruction(struct cm_recorder *r, const struct cm_observed_issue *issue,
                            const struct cm_history *history, uint32_t shape, uint32_t pattern,
                            uint32_t expected)
{
    const uint64_t address = issue->address - history->address - history->address_step;
    const uint64_t other = issue->other - history->other - history->other_step;
    if (shape == history->shape && pattern == history->pattern && issue->pc == expected &&
        (address | other) == 0) {
        r->hits++;
        return;
    }
    if (r->hits > 0)
        flush_hits(r);
    if (!cm_bytes_room(&r->events, 1 + 5 * CM_NUMBER_MAX_BYTES))
        return;
    char *const begin = r->events.data + r->events.length, *at = begin + 1;
    unsigned code = 0;
    if (issue->pc != expected) {
        code |= CM_CODE_PC;
        at = cm_write_number(at, cm_zigzag((uint64_t)issue->pc - expected));
    }
    if (shape != history->shape) {
        code |= CM_CODE_SHAPE;
        at = cm_write_small(at, shape);
    }
    if (address != 0) {
        code |= CM_CODE_ADDRESS;
        at = cm_write_number(at, cm_zigzag(address));
    }
    if (other != 0) {
        code |= CM_CODE_OTHER;
        at = cm_write_number(at, cm_zigzag(other));
    }
    if (pattern != history->pattern) {
        code |= CM_CODE_PATTERN;
        at = cm_write_small(at, pattern);
    }
    *begin = (char)code;
    r->events.length += (size_t)(at - begin);
}

static void record_exchange(struct cm_recorder *r, const struct cm_observed_issue *issue,
                            uint32_t pattern)
{
    r->exchanges++;
    if (issue->wires.words != NULL && issue->first_cycle >= r->detail_first &&
        issue->first_cycle < r->detail_end)
        cm_recorder_record_wires(r, issue, pattern);
}

/* Records an instruction whose prediction may be wrong. The charges are collected already. `same`
 * is true if they equal the predicted template. */
APART void record_instruction(struct cm_recorder *r, const struct cm_observed_issue *issue,
                              struct cm_history *history, bool same)
{
    const uint64_t gap_cycles = issue->first_cycle - r->last_cycle;
    uint32_t pattern = cm_recorder_known_pattern(r, issue);
    if (pattern == CM_PATTERN_NOT_KNOWN) {
        cm_recorder_find_pattern(r, issue);
        pattern = r->failed ? 0 : cm_recorder_known_pattern(r, issue);
    }
    const uint32_t shape = same ? history->shape : shape_of(r, gap_cycles);
    if (r->failed)
        return;
    uint32_t *successor = &r->before->successor;
    put_instruction(r, issue, history, shape, pattern, *successor);
    *successor = issue->pc;
    cm_learn(&r->guess, history, shape, pattern, issue->address, issue->other);
    r->before = history;
    advance(r, issue->counters);
    if (issue->slots == CM_SLOTS_PENDING)
        record_exchange(r, issue, pattern);
}

/* Records the first instruction of a block. */
APART void issued_in_new_block(struct cm_recorder *r, const struct cm_observed_issue *issue)
{
    begin_new_block(r);
    if (!r->failed)
        cm_recorder_issued(r, issue);
}

/* Records an instruction. A correct prediction calls no function. */
void cm_recorder_issued(void *context, const struct cm_observed_issue *issue)
{
    struct cm_recorder *r = context;
    const uint32_t pc = issue->pc;
    r->charged |= issue->charged;
    if (r->path.next == NULL || r->path.next[pc] != pc)
        return; /* control flow is charged to the event behind it */
    if (r->block_left == 0) {
        issued_in_new_block(r, issue);
        return;
    }
    struct cm_history *history = cm_path_at(&r->path, &r->guess, pc);
    if (take_charges(r, &r->shapes.items[history->shape], issue->first_cycle - r->last_cycle,
                     issue->counters) != 0) {
        record_instruction(r, issue, history, false);
        return;
    }
    const uint64_t differ = (issue->address - history->address - history->address_step) |
                            (issue->other - history->other - history->other_step) |
                            (pc ^ r->before->successor) |
                            (cm_recorder_known_pattern(r, issue) ^ history->pattern);
    if (differ != 0) {
        record_instruction(r, issue, history, true);
        return;
    }
    r->hits++;
    cm_learn_right(&r->guess, history, issue->address, issue->other);
    r->before = history;
    advance(r, issue->counters);
    if (issue->slots == CM_SLOTS_PENDING)
        record_exchange(r, issue, history->pattern);
}

/* Records an event that is not an instruction. */
static void record_other(struct cm_recorder *r, enum cm_trace_code code, uint64_t gap_cycles,
                         const struct cm_counters *counters)
{
    r->charged |= cm_machine_observed_charges(r->machine);
    const bool same = take_charges(r, &r->shapes.items[0], gap_cycles, counters) == 0;
    const uint32_t shape = same ? 0 : shape_of(r, gap_cycles);
    flush_hits(r);
    cm_put_byte(&r->events, code);
    if (code == CM_CODE_START)
        cm_put(&r->events, (uint64_t)(r->imp - r->imps.items));
    cm_put(&r->events, shape);
    advance(r, counters);
}

void cm_recorder_run_begins(void *context, const struct cm_observed_start *start)
{
    struct cm_recorder *r = context;
    if (r->failed)
        return;
    struct cm_recorded_imp *imp = cm_recorder_imp(r, start);
    if (imp == NULL) {
        cm_recorder_fail(r);
        return;
    }
    begin_block(r);
    if (r->failed)
        return;
    r->imp = imp;
    r->path = imp->path;
    r->before = &r->start;
    r->start.successor = imp->path.next[0];
    if (start->counters->cycles > r->last_cycle) {
        record_other(r, CM_CODE_START, 0, start->counters);
        return;
    }
    flush_hits(r);
    cm_put(&r->events, CM_CODE_ENTER, (uint64_t)(imp - r->imps.items));
}

void cm_recorder_run_ends(void *context, const struct cm_counters *counters)
{
    struct cm_recorder *r = context;
    if (r->failed || r->imp == NULL)
        return;
    if (counters->cycles > r->last_cycle) {
        begin_block(r);
        record_other(r, CM_CODE_END, 0, counters);
    }
    r->imp = NULL;
    r->path.next = NULL;
}

void cm_recorder_router_event(struct cm_recorder *r, uint64_t first_cycle,
                              const struct cm_counters *counters)
{
    (void)first_cycle;
    if (counters->cycles == r->last_cycle)
        return;
    begin_block(r);
    record_other(r, CM_CODE_ROUTER, 0, counters);
}
