/* Decoding of events, and cursors over events. The decoder makes the same predictions as the
 * recorder (format.h), so a count of correct predictions stands for whole events. */
#include "read_private.h"

struct decoder {
    const struct cm_trace *trace;
    struct cm_input_bytes in;
    struct cm_predictor predictor;
    struct cm_read_imp *imp; /* running IMP, or NULL */
    struct cm_history *before;
    uint64_t cycle;
    uint32_t block_count; /* number of events in the block according to the file */
    struct cm_decoded *out;
};

/* Appends the next event, with the cycles of its template. Returns NULL if the block has more
 * events than the file says, or if the number of cycles overflows. */
static struct cm_trace_event *add_event(struct decoder *d, uint64_t template_number)
{
    const struct cm_trace *trace = d->trace;
    if (!cm_expect(&d->in,
                   d->out->count < d->block_count && template_number < trace->templates.count))
        return NULL;
    const struct cm_read_template *template = &trace->templates.items[template_number];
    struct cm_trace_event *event = &d->out->events[d->out->count];
    d->out->briefs[d->out->count++] = (uint32_t)template_number * CM_TRACE_PHASE_COUNT;
    *event = (struct cm_trace_event){.first_cycle = d->cycle + template->gap_cycles};
    event->end_cycle = d->cycle = event->first_cycle + template->cycles;
    event->page_faults = (uint32_t) template->page_faults;
    event->imp = d->imp != NULL ? (uint32_t)(d->imp - trace->imps.items) : CM_TRACE_NONE;
    event->pc = event->pattern = CM_TRACE_NONE;
    return cm_expect(&d->in, d->cycle < CM_TRACE_CYCLES_MAX) ? event : NULL;
}

static void read_instruction(struct decoder *d, unsigned code)
{
    if (!cm_expect(&d->in, d->imp != NULL))
        return;
    const struct cm_prediction *prediction = &d->imp->prediction;
    uint32_t pc = d->before != NULL ? d->before->successor : prediction->next[0];
    if (code & CM_CODE_PC)
        pc = (uint32_t)cm_get_from(&d->in, pc);
    if (!cm_expect(&d->in, pc < prediction->length && prediction->next[pc] == pc))
        return;
    struct cm_history *history = cm_history_at(&d->imp->prediction, &d->predictor, pc);
    uint64_t template = code & CM_CODE_TEMPLATE ? cm_get(&d->in) : history->template;
    uint64_t address = history->address + history->address_step;
    uint64_t other = history->other + history->other_step;
    uint32_t pattern = history->pattern;
    if (code & CM_CODE_ADDRESS)
        address = cm_get_from(&d->in, address);
    if (code & CM_CODE_OTHER)
        other = cm_get_from(&d->in, other);
    if (code & CM_CODE_PATTERN)
        pattern = cm_get_u32_below(&d->in, d->trace->patterns.count + UINT64_C(1));
    struct cm_trace_event *event = add_event(d, template);
    if (event == NULL)
        return;
    event->phase = (enum cm_trace_phase)d->imp->phases[pc];
    event->pc = pc;
    event->address = address;
    event->other = other;
    event->pattern = pattern - 1;
    cm_expect(&d->in, event->phase != CM_TRACE_EXCHANGE || pattern != 0);
    if (d->before != NULL)
        d->before->successor = pc;
    cm_learn(&d->predictor, history, (uint32_t) template, pattern, address, other);
    d->before = history;
}

static void enter(struct decoder *d)
{
    uint64_t imp = cm_get_below(&d->in, d->trace->imps.count);
    d->before = NULL;
    d->imp = d->in.bad ? NULL : &d->trace->imps.items[imp];
}

static void read_other(struct decoder *d, unsigned code)
{
    if (code == CM_CODE_START)
        enter(d);
    struct cm_trace_event *event = add_event(d, cm_get(&d->in));
    if (event == NULL)
        return;
    event->phase = code == CM_CODE_START    ? CM_TRACE_START
                   : code == CM_CODE_ROUTER ? CM_TRACE_ROUTER
                                            : CM_TRACE_CONTROL;
    if (code == CM_CODE_ROUTER)
        event->imp = CM_TRACE_NONE;
}

static void read_code(struct decoder *d)
{
    unsigned code = cm_get_byte(&d->in);
    if (code == CM_CODE_AGAIN || code >= CM_CODE_RIGHT) {
        uint64_t count = code == CM_CODE_AGAIN ? cm_get(&d->in) : code - CM_CODE_RIGHT + 1;
        cm_expect(&d->in, count <= d->block_count - d->out->count);
        for (uint64_t i = 0; i < count && !d->in.bad; i++)
            read_instruction(d, 0);
    } else if (code > 0 && code < CM_CODE_START) {
        read_instruction(d, code);
    } else if (code == CM_CODE_ENTER) {
        enter(d);
    } else if (cm_expect(&d->in,
                         code == CM_CODE_START || code == CM_CODE_ROUTER || code == CM_CODE_END)) {
        read_other(d, code);
    }
}

/* Decodes a block of events. Returns false if the block is damaged. */
static bool decode(const struct cm_trace *trace, const struct cm_read_block *block,
                   struct cm_decoded *out)
{
    struct decoder d = {
        .trace = trace,
        .in = block->in,
        .predictor = {.block = ++trace->cache->decodes},
        .cycle = block->first_cycle,
        .block_count = block->count,
        .out = out,
    };
    if (block->imp != 0)
        d.imp = &trace->imps.items[block->imp - 1];
    if (block->pc != 0)
        d.before = cm_history_at(&d.imp->prediction, &d.predictor, block->pc - 1);
    out->count = 0;
    while (d.in.at < d.in.end)
        read_code(&d);
    for (uint32_t i = 0; i < out->count; i++) {
        out->events[i].number = block->first_event + i;
        out->briefs[i] += out->events[i].phase;
    }
    return !d.in.bad && out->count == block->count;
}

static bool make_room(const struct cm_trace *trace, struct cm_decoded *decoded)
{
    if (decoded->events == NULL)
        decoded->events = cm_read_allocate(trace, CM_TRACE_EVENTS_MAX, sizeof *decoded->events);
    if (decoded->briefs == NULL)
        decoded->briefs = cm_read_allocate(trace, CM_TRACE_EVENTS_MAX, sizeof *decoded->briefs);
    return decoded->events != NULL && decoded->briefs != NULL;
}

static void fill_steps(const struct cm_trace *trace, struct cm_decoded *decoded)
{
    uint32_t step = CM_TRACE_NONE;
    for (uint32_t i = 0; i < decoded->count; i++) {
        struct cm_trace_event *event = &decoded->events[i];
        if (i == 0)
            step = cm_read_step_of(trace, event->first_cycle);
        while (step + 1 < trace->steps.count &&
               trace->steps.items[step + 1].step.first_cycle <= event->first_cycle)
            step++;
        event->step = step;
    }
}

uint32_t cm_read_step_of(const struct cm_trace *trace, uint64_t cycle)
{
    /* The result is CM_TRACE_NONE for a cycle before the first step. */
    return (uint32_t)cm_read_until(trace->steps, step.first_cycle, cycle) - 1;
}

const struct cm_decoded *cm_read_decode(const struct cm_trace *trace, uint64_t block)
{
    struct cm_read_cache *cache = trace->cache;
    struct cm_decoded *oldest = &cache->decoded[0];
    cache->uses++;
    for (uint32_t i = 0; i < CM_READ_CACHE; i++) {
        struct cm_decoded *decoded = &cache->decoded[i];
        if (decoded->block == block) {
            decoded->used = cache->uses;
            return decoded;
        }
        if (decoded->used < oldest->used)
            oldest = decoded;
    }
    oldest->block = UINT64_MAX;
    if (!make_room(trace, oldest) || !decode(trace, &trace->blocks.items[block], oldest))
        return NULL;
    fill_steps(trace, oldest);
    oldest->block = block;
    oldest->used = cache->uses;
    return oldest;
}

/* Returns the DRAM page of an event's last memory access, or UINT64_MAX if the event does not
 * access memory. Returns CM_TRACE_MANY_PAGES if nodes may have different pages open. */
static uint64_t page_of(const struct cm_trace *trace, const struct cm_trace_event *event)
{
    if (event->pc == CM_TRACE_NONE || trace->info.page_words == 0)
        return UINT64_MAX;
    const struct cm_instruction *instruction = &trace->imps.items[event->imp].imp->code[event->pc];
    const struct cm_operand *operands = instruction->operands;
    const uint64_t page_words = trace->info.page_words;
    uint64_t last = event->address;
    switch (cm_op_info(instruction->op)->cost) {
    case CM_COST_LOAD:
    case CM_COST_UNLOAD:
    case CM_COST_LOAD_INDIRECT:
    case CM_COST_UNLOAD_INDIRECT:
    case CM_COST_CONTEXT_LOAD:
        break;
    case CM_COST_FPU_LOAD:
    case CM_COST_FPU_STORE:
        last += instruction->op == CM_OP_FLOAD64 || instruction->op == CM_OP_FSTORE64;
        break;
    case CM_COST_FPU_LOAD_INDEXED:
    /* each node adds an index of its own to the address, so nodes may have different pages open */
    case CM_COST_FPU_STORE_INDEXED:
        last += (uint64_t)operands[3].value - 1;
        if (last / page_words != event->address / page_words)
            return CM_TRACE_MANY_PAGES;
        break;
    case CM_COST_MOVE:
        last += (uint64_t)((int64_t)operands[3].value * ((int64_t)operands[2].value - 1));
        break;
    default:
        return UINT64_MAX;
    }
    return last / page_words;
}

/* Stores the brief of an event, which is its template and phase in one number. Before every
 * CM_READ_MARK_EVENTS-th event, also stores a mark: the cycle and the cycles by phase so far. */
static void keep_brief(struct cm_trace *trace, uint64_t number, const struct cm_trace_event *event,
                       uint32_t brief)
{
    if (trace->briefs.count != number || trace->templates.count > CM_READ_BRIEFS_MAX ||
        number >= CM_READ_BRIEFS_MAX)
        return;
    if (number % CM_READ_MARK_EVENTS == 0) {
        struct cm_read_mark mark = {.cycle = trace->end_cycle};
        memcpy(mark.by_phase, trace->by_phase, sizeof mark.by_phase);
        cm_list_push(&trace->marks, mark);
    }
    cm_list_push(&trace->briefs, brief);
    trace->brief_end = event->end_cycle;
}

/* Adds the cycles of a decoded block's events to the sums of the whole trace, by cause and by
 * phase. */
static void account(struct cm_trace *trace, const struct cm_decoded *decoded)
{
    struct cm_read_template *templates = trace->templates.items;
    for (uint32_t i = 0; i < decoded->count; i++) {
        const struct cm_trace_event *event = &decoded->events[i];
        struct cm_read_template *template = &templates[decoded->briefs[i] / CM_TRACE_PHASE_COUNT];
        keep_brief(trace, trace->all_events + i, event, decoded->briefs[i]);
        template->met++;
        trace->by_phase[event->phase] += template->cycles;
        trace->by_phase[CM_TRACE_CONTROL] += template->gap_cycles;
        uint64_t page = page_of(trace, event);
        if (page != UINT64_MAX)
            trace->page = page;
        if (event->phase == CM_TRACE_EXCHANGE && trace->all_exchanges++ < trace->exchanges_max)
            cm_list_push(&trace->exchanges,
                         (struct cm_read_exchange){event->first_cycle, event->pattern});
        trace->end_cycle = event->end_cycle;
    }
    for (uint32_t i = 0; i < decoded->count; i++) {
        struct cm_read_template *template = &templates[decoded->briefs[i] / CM_TRACE_PHASE_COUNT];
        for (uint32_t k = 0; template->met > 0 && k < CM_CAUSE_COUNT; k++)
            trace->by_cause[k] += (template->gap[k] + template->event[k]) * template->met;
        template->met = 0;
    }
    trace->all_events += decoded->count;
}

void cm_read_events(struct cm_trace *trace, struct cm_input_bytes *in)
{
    struct cm_read_block block = {.first_event = cm_get(in)};
    struct cm_decoded *scratch = &trace->cache->decoded[0];
    block.count = cm_get_u32_below(in, CM_TRACE_EVENTS_MAX + 1);
    block.first_cycle = cm_get(in);
    block.imp = cm_get_u32_below(in, trace->imps.count + UINT64_C(1));
    block.pc = cm_get_u32_below(in, UINT32_MAX);
    block.in = *in;
    block.page = trace->page;
    memcpy(block.by_cause, trace->by_cause, sizeof block.by_cause);
    memcpy(block.by_phase, trace->by_phase, sizeof block.by_phase);
    bool good = block.first_event == trace->all_events && block.first_cycle == trace->end_cycle;
    if (block.pc != 0 && block.imp != 0) {
        const struct cm_prediction *prediction = &trace->imps.items[block.imp - 1].prediction;
        good = good && block.pc <= prediction->length &&
               prediction->next[block.pc - 1] == block.pc - 1;
    }
    if (cm_expect(in, good && (block.pc == 0 || block.imp != 0)) && make_room(trace, scratch) &&
        cm_expect(in, decode(trace, &block, scratch)) && cm_list_push(&trace->blocks, block))
        account(trace, scratch);
}

/* Returns the number of the block that contains a cycle or an event. `until` is the number of
 * blocks that begin at or before it. If it is beyond the end of the run, returns the number of all
 * blocks. */
static uint64_t block_at(const struct cm_trace *trace, uint64_t until, bool beyond)
{
    return beyond ? trace->blocks.count : until - 1;
}

uint64_t cm_read_block_of_cycle(const struct cm_trace *trace, uint64_t cycle)
{
    return block_at(trace, cm_read_until(trace->blocks, first_cycle, cycle),
                    cycle >= trace->end_cycle);
}

uint64_t cm_read_block_of_event(const struct cm_trace *trace, uint64_t number)
{
    return block_at(trace, cm_read_until(trace->blocks, first_event, number),
                    number >= trace->all_events);
}

struct cm_trace_cursor cm_trace_seek_event(const struct cm_trace *trace, uint64_t number)
{
    return (struct cm_trace_cursor){
        .trace = trace, .next = number < trace->all_events ? number : trace->all_events};
}

struct cm_trace_cursor cm_trace_seek(const struct cm_trace *trace, uint64_t cycle)
{
    uint64_t block = cm_read_block_of_cycle(trace, cycle);
    const struct cm_decoded *decoded =
        block < trace->blocks.count ? cm_read_decode(trace, block) : NULL;
    if (decoded == NULL || decoded->count == 0)
        return cm_trace_seek_event(trace, trace->all_events);
    uint64_t within =
        cm_read_rank(&decoded->events->end_cycle, sizeof *decoded->events, decoded->count, cycle);
    return cm_trace_seek_event(trace, trace->blocks.items[block].first_event + within);
}

static bool event_numbered(const struct cm_trace *trace, uint64_t number,
                           struct cm_trace_event *event)
{
    uint64_t block = cm_read_block_of_event(trace, number);
    const struct cm_decoded *decoded =
        block < trace->blocks.count ? cm_read_decode(trace, block) : NULL;
    if (decoded == NULL)
        return false;
    *event = decoded->events[number - trace->blocks.items[block].first_event];
    return true;
}

bool cm_trace_next(struct cm_trace_cursor *cursor, struct cm_trace_event *event)
{
    if (cursor->next >= cursor->trace->all_events ||
        !event_numbered(cursor->trace, cursor->next, event))
        return false;
    cursor->next++;
    return true;
}

bool cm_trace_previous(struct cm_trace_cursor *cursor, struct cm_trace_event *event)
{
    if (cursor->next == 0 || !event_numbered(cursor->trace, cursor->next - 1, event))
        return false;
    cursor->next--;
    return true;
}

uint64_t cm_trace_open_page(const struct cm_trace *trace, uint64_t cycle)
{
    uint64_t block = cm_read_block_of_cycle(trace, cycle);
    if (block >= trace->blocks.count)
        return trace->page;
    const struct cm_decoded *decoded = cm_read_decode(trace, block);
    if (decoded == NULL)
        return UINT64_MAX;
    for (uint32_t i = decoded->count; i-- > 0;) {
        uint64_t page = decoded->events[i].first_cycle <= cycle
                            ? page_of(trace, &decoded->events[i])
                            : UINT64_MAX;
        if (page != UINT64_MAX)
            return page;
    }
    return trace->blocks.items[block].page;
}
