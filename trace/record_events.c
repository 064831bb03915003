/*
 * Events as they happen: each is held against the guess of format.h; right guesses are only
 * counted. This runs once an instruction, so the way of a right guess is short.
 */
#include "record_private.h"

#include "../base/random.h"

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
    cm_put(payload, r->event_count, r->block_events, r->block_cycle, r->block_imp, r->block_pc);
    cm_buffer_append(payload, r->events.data, r->events.length);
    cm_recorder_block(r, CM_BLOCK_EVENTS, payload);
    r->events.length = 0;
    r->event_count += r->block_events;
    r->block_events = 0;
}

/* When a block of events is full, or the first event comes: what follows can be read without what
 * was before. */
static void begin_block(struct cm_recorder *r)
{
    if (r->block_events < CM_TRACE_EVENTS_MAX && r->guess.block != 0)
        return;
    cm_recorder_flush_events(r);
    r->block_cycle = r->last_cycle;
    r->block_imp = r->imp != NULL ? (uint32_t)(r->imp - r->imps.items) + 1 : 0;
    r->block_pc = 0;
    r->guess = (struct cm_guess){.block = r->guess.block + 1};
    if (r->before != NULL) {
        uint32_t pc = (uint32_t)(r->before - r->imp->path.history);
        r->block_pc = pc + 1;
        r->before = cm_path_at(&r->imp->path, &r->guess, pc);
    }
}

/*
 * The number of what the cycles since the last event come to. Control flow before an instruction is
 * charged to loops and address registers alone, so what of it was refreshed follows; `gap_cycles`
 * is its length. An exchange that overlaps other work takes no cycles; before it is the end of the
 * last.
 */
static uint32_t shape_of(struct cm_recorder *r, uint64_t gap_cycles,
                         const struct cm_counters *counters)
{
    uint64_t gap[CM_CAUSE_COUNT] = {0}, event[CM_CAUSE_COUNT];
    struct cm_shape shape = {.gap_cycles = gap_cycles};
    char room[512];
    struct cm_buffer bytes = {.data = room, .capacity = sizeof room};
    shape.page_faults = counters->page_faults - r->last_faults;
    for (uint32_t i = 0; i < CM_CAUSE_COUNT; i++)
        event[i] = shape.total[i] = counters->by_cause[i] - r->last[i];
    if (gap_cycles == counters->cycles - r->last_cycle) {
        memcpy(gap, event, sizeof gap);
        memset(event, 0, sizeof event);
    } else if (gap_cycles > 0) {
        gap[CM_CAUSE_LOOP] = event[CM_CAUSE_LOOP];
        gap[CM_CAUSE_ADDRESS] = event[CM_CAUSE_ADDRESS];
        gap[CM_CAUSE_REFRESH] = gap_cycles - gap[CM_CAUSE_LOOP] - gap[CM_CAUSE_ADDRESS];
        event[CM_CAUSE_LOOP] = event[CM_CAUSE_ADDRESS] = 0;
        event[CM_CAUSE_REFRESH] -= gap[CM_CAUSE_REFRESH];
    }
    cm_put(&bytes, shape.page_faults);
    cm_put_causes(&bytes, gap);
    cm_put_causes(&bytes, event);
    uint32_t number = cm_recorder_number(r, &r->shape_numbers, CM_DEFINE_SHAPE, &bytes);
    if (number == r->shapes.count && !cm_list_push(&r->shapes, shape))
        cm_recorder_fail(r);
    return number;
}

static bool same_shape(const struct cm_recorder *r, uint32_t number, uint64_t gap_cycles,
                       const struct cm_counters *counters)
{
    if (number >= r->shapes.count)
        return false;
    const struct cm_shape *shape = &r->shapes.items[number];
    uint64_t differ = (gap_cycles ^ shape->gap_cycles) |
                      (counters->page_faults - r->last_faults - shape->page_faults);
    for (uint32_t i = 0; i < CM_CAUSE_COUNT; i++)
        differ |= counters->by_cause[i] - r->last[i] - shape->total[i];
    return differ == 0;
}

/* The same; shapes that came before are remembered where their cycles say. */
static uint32_t find_shape(struct cm_recorder *r, uint64_t gap_cycles,
                           const struct cm_counters *counters)
{
    uint64_t mixed = gap_cycles;
    for (uint32_t i = 0; i < CM_CAUSE_COUNT; i++)
        mixed = mixed * CM_GOLDEN_RATIO + (counters->by_cause[i] - r->last[i]);
    uint32_t *place = &r->shape_places[mixed * CM_GOLDEN_RATIO >> 32 & (CM_RECORDER_CACHE - 1)];
    if (!same_shape(r, *place, gap_cycles, counters))
        *place = shape_of(r, gap_cycles, counters);
    return *place;
}

/* All up to here is recorded. */
static void advance(struct cm_recorder *r, const struct cm_counters *counters)
{
    memcpy(r->last, counters->by_cause, sizeof r->last);
    r->last_faults = counters->page_faults;
    r->last_cycle = counters->cycles;
    r->block_events++;
}

/* An instruction that is not all as guessed. */
static void put_instruction(struct cm_recorder *r, const struct cm_observed_issue *issue,
                            struct cm_history *history, uint32_t shape, uint32_t pattern,
                            uint32_t expected)
{
    uint64_t address = history->address + history->address_step;
    uint64_t other = history->other + history->other_step;
    unsigned code = (issue->pc != expected ? CM_CODE_PC : 0u) |
                    (shape != history->shape ? CM_CODE_SHAPE : 0u) |
                    (issue->address != address ? CM_CODE_ADDRESS : 0u) |
                    (issue->other != other ? CM_CODE_OTHER : 0u) |
                    (pattern != history->pattern ? CM_CODE_PATTERN : 0u);
    if (code == 0) {
        r->hits++;
        return;
    }
    flush_hits(r);
    cm_put_byte(&r->events, code);
    if (code & CM_CODE_PC)
        cm_put(&r->events, cm_zigzag((uint64_t)issue->pc - expected));
    if (code & CM_CODE_SHAPE)
        cm_put(&r->events, shape);
    if (code & CM_CODE_ADDRESS)
        cm_put(&r->events, cm_zigzag(issue->address - address));
    if (code & CM_CODE_OTHER)
        cm_put(&r->events, cm_zigzag(issue->other - other));
    if (code & CM_CODE_PATTERN)
        cm_put(&r->events, pattern);
}

static void record(struct cm_recorder *r, const struct cm_observed_issue *issue, uint32_t pattern)
{
    begin_block(r);
    uint32_t expected = r->before != NULL ? r->before->successor : r->imp->path.next[0];
    struct cm_history *history = cm_path_at(&r->imp->path, &r->guess, issue->pc);
    uint64_t gap_cycles = issue->first_cycle - r->last_cycle;
    uint32_t shape = same_shape(r, history->shape, gap_cycles, issue->counters)
                         ? history->shape
                         : find_shape(r, gap_cycles, issue->counters);
    put_instruction(r, issue, history, shape, pattern, expected);
    if (r->before != NULL)
        r->before->successor = issue->pc;
    cm_learn(&r->guess, history, shape, pattern, issue->address, issue->other);
    r->before = history;
    advance(r, issue->counters);
}

void cm_recorder_issued(void *context, const struct cm_observed_issue *issue)
{
    struct cm_recorder *r = context;
    if (r->failed || r->imp == NULL || r->imp->path.next[issue->pc] != issue->pc)
        return; /* control flow is part of what follows it */
    uint32_t pattern = cm_recorder_pattern(r, issue);
    record(r, issue, pattern);
    if (issue->slots != CM_SLOTS_PENDING)
        return;
    r->exchanges++;
    if (issue->wires.words != NULL && issue->first_cycle >= r->detail_first &&
        issue->first_cycle < r->detail_end)
        cm_recorder_record_wires(r, issue, pattern);
}

/* An event that is not an instruction. */
static void record_other(struct cm_recorder *r, enum cm_trace_code code, uint64_t gap_cycles,
                         const struct cm_counters *counters)
{
    uint32_t shape = find_shape(r, gap_cycles, counters);
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
    r->imp = imp;
    r->before = NULL;
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
    r->before = NULL;
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
