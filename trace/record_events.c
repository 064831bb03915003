/*
 * Recording of events. Each event is compared with the prediction of format.h, and a correct
 * prediction only increments a counter. cm_recorder_issued runs once for every instruction, so the
 * path of a correct prediction is short and calls no function.
 *
 * The charges of an event are its costs: its cycles by cause and its page faults. Events with equal
 * charges share an event template, which a hash table finds.
 */
#include "record_private.h"

#include "../base/random.h"

/* Attribute for the code of rare cases. It keeps the code out of the calling function, which stays
 * short. */
#define NOINLINE __attribute__((noinline)) static

#define CAUSE(name) (UINT32_C(1) << CM_CAUSE_##name)
/* Bit set of the causes of page faults. An event without these causes has no page faults. */
#define FAULT_CAUSES (CAUSE(LOAD_PAGE_FAULT) | CAUSE(STORE_PAGE_FAULT))

static void flush_correct(struct cm_recorder *r)
{
    if (r->correct == 0)
        return;
    if (r->correct <= CM_CODE_RIGHT_MAX) {
        cm_put_byte(&r->events, CM_CODE_RIGHT + r->correct - 1);
    } else {
        cm_put(&r->events, CM_CODE_AGAIN, r->correct);
    }
    r->correct = 0;
}

void cm_recorder_flush_events(struct cm_recorder *r)
{
    struct cm_buffer *payload = &r->payload;
    flush_correct(r);
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
    r->predictor = (struct cm_predictor){.block = r->predictor.block + 1};
    if (r->imp != NULL && r->before != &r->start) {
        uint32_t pc = (uint32_t)(r->before - r->imp->prediction.history);
        r->block_pc = pc + 1;
        r->before = cm_history_at(&r->imp->prediction, &r->predictor, pc);
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
 * Control flow is charged to loops and address registers only. So the rest of `gap_cycles` is DRAM
 * refresh. If all cycles of the template are before the event, the event itself takes no cycles: it
 * is an exchange that overlaps other work and waited for the previous exchange.
 */
static char *write_template(char *at, const struct cm_event_template *template)
{
    const uint32_t causes = template->charged & ~(UINT32_C(1) << CM_PAGE_FAULTS);
    uint64_t cycles[CM_CAUSE_COUNT], all = 0, refreshed_before = 0;
    uint32_t before = 0;
    memcpy(cycles, template->total, sizeof cycles);
    for (uint32_t i = 0; i < CM_CAUSE_COUNT; i++)
        all += cycles[i];
    const uint64_t refreshed = cycles[CM_CAUSE_REFRESH];
    if (template->gap_cycles == all) {
        before = causes;
        refreshed_before = refreshed;
    } else if (template->gap_cycles > 0) {
        before = causes & (CAUSE(LOOP) | CAUSE(ADDRESS));
        refreshed_before = template->gap_cycles - cycles[CM_CAUSE_LOOP] - cycles[CM_CAUSE_ADDRESS];
    }
    const uint32_t after = causes & ~(before | CAUSE(REFRESH));
    before |= refreshed_before != 0 ? CAUSE(REFRESH) : 0;
    at = cm_write_number(at, template->total[CM_PAGE_FAULTS]);
    cycles[CM_CAUSE_REFRESH] = refreshed_before;
    at = cm_write_causes(at, cycles, before);
    cycles[CM_CAUSE_REFRESH] = refreshed - refreshed_before;
    return cm_write_causes(at, cycles,
                           after | (refreshed != refreshed_before ? CAUSE(REFRESH) : 0));
}

/* Collects the charges (cycles by cause, page faults) since the last event. Returns 0 if they equal
 * the charges of the template. */
static inline uint64_t take_charges(struct cm_recorder *r, const struct cm_event_template *template,
                                    uint64_t gap_cycles, const struct cm_counters *counters)
{
    uint64_t differ = gap_cycles ^ template->gap_cycles;
    for (uint32_t left = r->charged; left; left &= left - 1) {
        const size_t i = (size_t)__builtin_ctz(left);
        const uint64_t cycles = counters->by_cause[i] - r->last[i];
        r->last[i] += cycles;
        r->delta[i] = cycles;
        differ |= cycles - template->total[i];
    }
    if (r->charged & FAULT_CAUSES) {
        r->charged |= UINT32_C(1) << CM_PAGE_FAULTS;
        r->delta[CM_PAGE_FAULTS] = counters->page_faults - r->last_faults;
        r->last_faults = counters->page_faults;
        differ |= r->delta[CM_PAGE_FAULTS] - template->total[CM_PAGE_FAULTS];
    }
    return differ | (template->charged & ~r->charged);
}

/* Returns true if the collected charges (cycles by cause, page faults) equal those of the
 * template. */
static bool same_template(const struct cm_recorder *r, const struct cm_event_template *template,
                          uint64_t gap_cycles)
{
    uint64_t differ = (gap_cycles ^ template->gap_cycles) | (template->charged & ~r->charged);
    for (uint32_t left = r->charged; left; left &= left - 1) {
        const size_t i = (size_t)__builtin_ctz(left);
        differ |= r->delta[i] - template->total[i];
    }
    return differ == 0;
}

/* Returns the hash table entry for templates with the given charges (cycles by cause, page faults).
 * Templates with different charges may share the entry. */
static inline uint32_t *template_place(struct cm_recorder *r, const uint64_t *charges,
                                       uint32_t which, uint64_t gap_cycles)
{
    uint64_t mixed = gap_cycles;
    for (; which; which &= which - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(which);
        mixed += charges[i] << 2 * i;
    }
    return &r->template_places[mixed * CM_GOLDEN_RATIO >> r->template_shift];
}

/* Inserts a template at the front of its hash chain. */
static void put_template(struct cm_recorder *r, uint32_t number)
{
    struct cm_event_template *template = &r->templates.items[number];
    uint32_t *place = template_place(r, template->total, template->charged, template->gap_cycles);
    template->earlier = *place;
    *place = number + 1;
}

/* Makes room for one more template. Doubles the hash table when it has as many templates as
 * entries. Returns false when out of memory. */
static bool template_room(struct cm_recorder *r)
{
    const uint32_t count = r->templates.count, places = UINT32_C(1) << (64 - r->template_shift);
    if (!cm_list_room(&r->templates, (uint64_t)count + 1))
        return false;
    if (count < places)
        return true;
    uint32_t *larger = calloc(places, 2 * sizeof *larger);
    if (larger == NULL)
        return false;
    free(r->template_places);
    r->template_places = larger;
    r->template_shift--;
    for (uint32_t i = 0; i < count; i++)
        put_template(r, i);
    return true;
}

/* Creates an event template of the collected charges (cycles by cause, page faults) and writes its
 * definition. */
NOINLINE uint32_t make_template(struct cm_recorder *r, uint64_t gap_cycles)
{
    struct cm_buffer *definitions = &r->definitions;
    struct cm_event_template template = {.gap_cycles = gap_cycles};
    for (uint32_t left = r->charged; left; left &= left - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(left);
        template.total[i] = r->delta[i];
        template.charged |= (uint32_t)(r->delta[i] != 0) << i;
    }
    if (!template_room(r) ||
        !cm_bytes_room(definitions, 1 + CM_NUMBER_MAX_BYTES + 2 * CM_CAUSES_MAX_BYTES)) {
        cm_recorder_fail(r);
        return 0;
    }
    const uint32_t number = r->templates.count++;
    r->templates.items[number] = template;
    put_template(r, number);
    char *const begin = definitions->data + definitions->length;
    *begin = CM_DEFINE_TEMPLATE;
    definitions->length += (size_t)(write_template(begin + 1, &template) - begin);
    return number;
}

/* Returns the number + 1 of the template that equals the collected charges, or 0. */
static uint32_t find_template(struct cm_recorder *r, uint64_t gap_cycles)
{
    uint32_t number = *template_place(r, r->delta, r->charged, gap_cycles);
    while (number != 0 && !same_template(r, &r->templates.items[number - 1], gap_cycles))
        number = r->templates.items[number - 1].earlier;
    return number;
}

/* Returns the number of the template that equals the collected charges, and creates a new template
 * if necessary. */
static inline uint32_t template_of(struct cm_recorder *r, uint64_t gap_cycles)
{
    const uint32_t found = find_template(r, gap_cycles);
    return found != 0 ? found - 1 : make_template(r, gap_cycles);
}

/* Ends the event: records that the trace covers the run up to the counters' cycle. */
static void advance(struct cm_recorder *r, const struct cm_counters *counters)
{
    r->charged = 0;
    r->last_cycle = counters->cycles;
    r->block_left--;
}

/* Writes those fields of an instruction that differ from the prediction. If no field differs, only
 * counts a correct prediction. */
static void put_instruction(struct cm_recorder *r, const struct cm_observed_issue *issue,
                            const struct cm_history *history, uint32_t template, uint32_t pattern,
                            uint32_t expected)
{
    const uint64_t address = issue->address - history->address - history->address_step;
    const uint64_t other = issue->other - history->other - history->other_step;
    if (template == history->template && pattern == history->pattern && issue->pc == expected &&
        (address | other) == 0) {
        r->correct++;
        return;
    }
    if (r->correct > 0)
        flush_correct(r);
    if (!cm_bytes_room(&r->events, 1 + 5 * CM_NUMBER_MAX_BYTES))
        return;
    char *const begin = r->events.data + r->events.length, *at = begin + 1;
    unsigned code = 0;
    if (issue->pc != expected) {
        code |= CM_CODE_PC;
        at = cm_write_number(at, cm_zigzag((uint64_t)issue->pc - expected));
    }
    if (template != history->template) {
        code |= CM_CODE_TEMPLATE;
        at = cm_write_small(at, template);
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

/* Records an instruction whose prediction may be wrong. The caller has collected the charges.
 * `same` is true if the charges equal those of the predicted template. */
NOINLINE void record_instruction(struct cm_recorder *r, const struct cm_observed_issue *issue,
                                 struct cm_history *history, bool same)
{
    const uint64_t gap_cycles = issue->first_cycle - r->last_cycle;
    uint32_t pattern = cm_recorder_known_pattern(r, issue);
    if (pattern == CM_PATTERN_NOT_KNOWN) {
        cm_recorder_find_pattern(r, issue);
        pattern = r->failed ? 0 : cm_recorder_known_pattern(r, issue);
    }
    const uint32_t template = same ? history->template : template_of(r, gap_cycles);
    if (r->failed)
        return;
    uint32_t *successor = &r->before->successor;
    put_instruction(r, issue, history, template, pattern, *successor);
    *successor = issue->pc;
    cm_learn(&r->predictor, history, template, pattern, issue->address, issue->other);
    r->before = history;
    advance(r, issue->counters);
    if (issue->slots == CM_SLOTS_PENDING)
        record_exchange(r, issue, pattern);
}

/* Records the first instruction of a block. */
NOINLINE void issued_in_new_block(struct cm_recorder *r, const struct cm_observed_issue *issue)
{
    begin_new_block(r);
    if (!r->failed)
        cm_recorder_issued(r, issue);
}

/* Records an instruction. The path of a correct prediction calls no function, so that it is
 * fast. */
void cm_recorder_issued(void *context, const struct cm_observed_issue *issue)
{
    struct cm_recorder *r = context;
    const uint32_t pc = issue->pc;
    r->charged |= issue->charged;
    if (r->prediction.next == NULL || r->prediction.next[pc] != pc)
        return; /* the charges of control flow are recorded with the next event */
    if (r->block_left == 0) {
        issued_in_new_block(r, issue);
        return;
    }
    struct cm_history *history = cm_history_at(&r->prediction, &r->predictor, pc);
    if (take_charges(r, &r->templates.items[history->template], issue->first_cycle - r->last_cycle,
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
    r->correct++;
    cm_learn_right(&r->predictor, history, issue->address, issue->other);
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
    const bool same = take_charges(r, &r->templates.items[0], gap_cycles, counters) == 0;
    const uint32_t template = same ? 0 : template_of(r, gap_cycles);
    flush_correct(r);
    cm_put_byte(&r->events, code);
    if (code == CM_CODE_START)
        cm_put(&r->events, (uint64_t)(r->imp - r->imps.items));
    cm_put(&r->events, template);
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
    r->prediction = imp->prediction;
    r->before = &r->start;
    r->start.successor = imp->prediction.next[0];
    if (start->counters->cycles > r->last_cycle) {
        record_other(r, CM_CODE_START, 0, start->counters);
        return;
    }
    flush_correct(r);
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
    r->prediction.next = NULL;
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
