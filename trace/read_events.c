/* Events: decoded against the same guesses as they were written, and walked over. */
#include "read_private.h"

struct decoder {
    struct cm_trace *trace;
    struct cm_input_bytes in;
    struct cm_guess guess;
    struct cm_read_imp *imp; /* running; NULL: none */
    struct cm_history *before;
    uint64_t cycle;
    uint32_t block_count; /* events that the block says it has */
    uint32_t made;
    struct cm_trace_event *events;
    uint32_t *shapes;
};

/* Cycles and number of the next event; NULL when there is one too many, or time would run over. */
static struct cm_trace_event *add_event(struct decoder *d, uint64_t shape_number)
{
    const struct cm_trace *trace = d->trace;
    if (d->made >= d->block_count || shape_number >= trace->shapes.count)
        return NULL;
    const struct cm_read_shape *shape =
        &CM_ITEMS(trace->shapes, struct cm_read_shape)[shape_number];
    struct cm_trace_event *event = &d->events[d->made];
    d->shapes[d->made++] = (uint32_t)shape_number;
    *event = (struct cm_trace_event){.first_cycle = d->cycle + shape->gap_cycles};
    event->end_cycle = d->cycle = event->first_cycle + shape->cycles;
    event->page_faults = (uint32_t)shape->page_faults;
    event->imp = d->imp != NULL ? (uint32_t)(d->imp - CM_ITEMS(trace->imps, struct cm_read_imp))
                                : CM_TRACE_NONE;
    event->pc = event->pattern = CM_TRACE_NONE;
    return d->cycle < CM_TRACE_CYCLES_MAX ? event : NULL;
}

static bool read_instruction(struct decoder *d, unsigned code)
{
    if (d->imp == NULL)
        return false;
    uint32_t pc = d->before != NULL ? d->before->successor : d->imp->path.next[0];
    if (code & CM_CODE_PC)
        pc += (uint32_t)cm_unzigzag(cm_get(&d->in));
    if (d->in.bad || pc >= d->imp->path.length || d->imp->path.next[pc] != pc)
        return false;
    struct cm_history *history = cm_path_at(&d->imp->path, &d->guess, pc);
    uint64_t shape = code & CM_CODE_SHAPE ? cm_get(&d->in) : history->shape;
    uint64_t address = history->address + history->address_step;
    uint64_t other = history->other + history->other_step;
    uint64_t pattern = history->pattern;
    if (code & CM_CODE_ADDRESS)
        address += cm_unzigzag(cm_get(&d->in));
    if (code & CM_CODE_OTHER)
        other += cm_unzigzag(cm_get(&d->in));
    if (code & CM_CODE_PATTERN)
        pattern = cm_get_below(&d->in, d->trace->patterns.count + 1);
    struct cm_trace_event *event = d->in.bad ? NULL : add_event(d, shape);
    if (event == NULL)
        return false;
    event->phase = (enum cm_trace_phase)d->imp->phases[pc];
    if (event->phase == CM_TRACE_EXCHANGE && pattern == 0)
        return false;
    event->pc = pc;
    event->address = address;
    event->other = other;
    event->pattern = (uint32_t)pattern - 1;
    if (d->before != NULL)
        d->before->successor = pc;
    cm_learn(&d->guess, history, (uint32_t)shape, (uint32_t)pattern, address, other);
    d->before = history;
    return true;
}

static bool repeat(struct decoder *d, uint64_t count)
{
    if (count > d->block_count - d->made)
        return false;
    for (uint64_t i = 0; i < count; i++)
        if (!read_instruction(d, 0))
            return false;
    return true;
}

static bool enter(struct decoder *d)
{
    uint64_t imp = cm_get_below(&d->in, d->trace->imps.count);
    d->before = NULL;
    d->imp = d->in.bad ? NULL : &CM_ITEMS(d->trace->imps, struct cm_read_imp)[imp];
    return !d->in.bad;
}

static bool read_other(struct decoder *d, unsigned code)
{
    if (code == CM_CODE_START && !enter(d))
        return false;
    uint64_t shape = cm_get(&d->in);
    struct cm_trace_event *event = d->in.bad ? NULL : add_event(d, shape);
    if (event == NULL)
        return false;
    event->phase = code == CM_CODE_START    ? CM_TRACE_START
                   : code == CM_CODE_ROUTER ? CM_TRACE_ROUTER
                                            : CM_TRACE_CONTROL;
    if (code == CM_CODE_ROUTER)
        event->imp = CM_TRACE_NONE;
    return true;
}

static bool read_code(struct decoder *d)
{
    unsigned code = cm_get_byte(&d->in);
    if (code >= CM_CODE_RIGHT)
        return repeat(d, code - CM_CODE_RIGHT + 1);
    if (code > 0 && code < CM_CODE_START)
        return read_instruction(d, code);
    switch (code) {
    case CM_CODE_START:
    case CM_CODE_ROUTER:
    case CM_CODE_END:
        return read_other(d, code);
    case CM_CODE_AGAIN: {
        uint64_t count = cm_get(&d->in);
        return !d->in.bad && repeat(d, count);
    }
    case CM_CODE_ENTER:
        return enter(d);
    default:
        return false;
    }
}

static bool decode(struct cm_trace *trace, const struct cm_read_block *block,
                   struct cm_decoded *out)
{
    struct decoder d = {
        .trace = trace,
        .in = block->in,
        .guess = {.block = ++trace->decodes},
        .cycle = block->first_cycle,
        .block_count = block->count,
        .events = out->events,
        .shapes = out->shapes,
    };
    if (block->imp != 0)
        d.imp = &CM_ITEMS(trace->imps, struct cm_read_imp)[block->imp - 1];
    if (block->pc != 0)
        d.before = cm_path_at(&d.imp->path, &d.guess, block->pc - 1);
    while (d.in.at < d.in.end)
        if (!read_code(&d))
            return false;
    for (uint32_t i = 0; i < d.made; i++)
        out->events[i].number = block->first_event + i;
    out->count = d.made;
    return d.made == block->count;
}

static bool make_room(struct cm_decoded *decoded)
{
    if (decoded->events == NULL)
        decoded->events = malloc(CM_TRACE_EVENTS_MAX * sizeof *decoded->events);
    if (decoded->shapes == NULL)
        decoded->shapes = malloc(CM_TRACE_EVENTS_MAX * sizeof *decoded->shapes);
    return decoded->events != NULL && decoded->shapes != NULL;
}

static void fill_steps(const struct cm_trace *trace, struct cm_decoded *decoded)
{
    const struct cm_read_step *steps = CM_ITEMS(trace->steps, struct cm_read_step);
    uint32_t step = CM_TRACE_NONE;
    for (uint32_t i = 0; i < decoded->count; i++) {
        struct cm_trace_event *event = &decoded->events[i];
        if (i == 0)
            step = cm_read_step_of(trace, event->first_cycle);
        while (step + 1 < trace->steps.count &&
               steps[step + 1].step.first_cycle <= event->first_cycle)
            step++;
        event->step = step;
    }
}

uint32_t cm_read_step_of(const struct cm_trace *trace, uint64_t cycle)
{
    const struct cm_read_step *steps = CM_ITEMS(trace->steps, struct cm_read_step);
    uint64_t low = 0, high = trace->steps.count; /* steps before low begin at or before the cycle */
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (steps[middle].step.first_cycle <= cycle)
            low = middle + 1;
        else
            high = middle;
    }
    return low == 0 ? CM_TRACE_NONE : (uint32_t)low - 1;
}

const struct cm_decoded *cm_read_decode(const struct cm_trace *constant, uint64_t block)
{
    struct cm_trace *trace = (struct cm_trace *)constant; /* its cache is no part of its value */
    struct cm_decoded *oldest = &trace->decoded[0];
    trace->uses++;
    for (uint32_t i = 0; i < CM_READ_CACHE; i++) {
        struct cm_decoded *decoded = &trace->decoded[i];
        if (decoded->block == block) {
            decoded->used = trace->uses;
            return decoded;
        }
        if (decoded->used < oldest->used)
            oldest = decoded;
    }
    oldest->block = UINT64_MAX;
    if (!make_room(oldest) ||
        !decode(trace, &CM_ITEMS(trace->blocks, struct cm_read_block)[block], oldest))
        return NULL;
    fill_steps(trace, oldest);
    oldest->block = block;
    oldest->used = trace->uses;
    return oldest;
}

/* Where the last access of an event to memory was, as a page; UINT64_MAX: it has none. */
static uint64_t page_of(const struct cm_trace *trace, const struct cm_trace_event *event)
{
    if (event->pc == CM_TRACE_NONE || trace->info.page_words == 0)
        return UINT64_MAX;
    const struct cm_imp *imp = CM_ITEMS(trace->imps, struct cm_read_imp)[event->imp].imp;
    const struct cm_instruction *instruction = &imp->code[event->pc];
    const struct cm_operand *operands = instruction->operands;
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
    case CM_COST_MOVE:
        last += (uint64_t)((int64_t)operands[3].value * ((int64_t)operands[2].value - 1));
        break;
    default:
        return UINT64_MAX;
    }
    return last / trace->info.page_words;
}

static bool note_exchange(struct cm_trace *trace, const struct cm_trace_event *event)
{
    trace->all_exchanges++;
    if (trace->all_exchanges > CM_READ_EXCHANGES_MAX)
        return true;
    uint64_t *cycle = cm_list_add(&trace->exchange_cycles, sizeof *cycle);
    uint32_t *pattern = cm_list_add(&trace->exchange_patterns, sizeof *pattern);
    if (cycle == NULL || pattern == NULL) {
        trace->no_memory = true;
        return false;
    }
    *cycle = event->first_cycle;
    *pattern = event->pattern;
    return true;
}

/* Keeps a block's events in brief; false when out of memory. */
static bool keep_briefs(struct cm_trace *trace, const struct cm_decoded *decoded)
{
    if (trace->brief_count != trace->all_events || trace->shapes.count > CM_READ_BRIEFS_MAX ||
        trace->brief_count + decoded->count > CM_READ_BRIEFS_MAX)
        return true;
    if (trace->brief_count + decoded->count > trace->brief_capacity) {
        uint64_t capacity = trace->brief_capacity * 2 + CM_TRACE_EVENTS_MAX;
        uint32_t *larger = realloc(trace->briefs, capacity * sizeof *larger);
        if (larger == NULL)
            return false;
        trace->briefs = larger;
        trace->brief_capacity = capacity;
    }
    for (uint32_t i = 0; i < decoded->count; i++)
        trace->briefs[trace->brief_count++] =
            decoded->shapes[i] * CM_TRACE_PHASE_COUNT + decoded->events[i].phase;
    trace->brief_end =
        decoded->count > 0 ? decoded->events[decoded->count - 1].end_cycle : trace->brief_end;
    return true;
}

/* Before an event: what all before it come to. */
static bool keep_mark(struct cm_trace *trace)
{
    struct cm_read_mark *mark = cm_list_add(&trace->marks, sizeof *mark);
    if (mark == NULL)
        return false;
    mark->cycle = trace->end_cycle;
    memcpy(mark->by_phase, trace->by_phase, sizeof mark->by_phase);
    return true;
}

/* Adds what a block has in it to the sums. */
static bool account(struct cm_trace *trace, const struct cm_decoded *decoded)
{
    struct cm_read_shape *shapes = CM_ITEMS(trace->shapes, struct cm_read_shape);
    if (!keep_briefs(trace, decoded)) {
        trace->no_memory = true;
        return false;
    }
    for (uint32_t i = 0; i < decoded->count; i++) {
        const struct cm_trace_event *event = &decoded->events[i];
        struct cm_read_shape *shape = &shapes[decoded->shapes[i]];
        uint64_t number = trace->all_events + i;
        if (number % CM_READ_MARK_EVENTS == 0 && number < trace->brief_count && !keep_mark(trace)) {
            trace->no_memory = true;
            return false;
        }
        shape->met++;
        trace->by_phase[event->phase] += shape->cycles;
        trace->by_phase[CM_TRACE_CONTROL] += shape->gap_cycles;
        uint64_t page = page_of(trace, event);
        if (page != UINT64_MAX)
            trace->page = page;
        if (event->phase == CM_TRACE_EXCHANGE && !note_exchange(trace, event))
            return false;
        trace->end_cycle = event->end_cycle;
    }
    for (uint32_t i = 0; i < decoded->count; i++) {
        struct cm_read_shape *shape = &shapes[decoded->shapes[i]];
        for (uint32_t k = 0; shape->met > 0 && k < CM_CAUSE_COUNT; k++)
            trace->by_cause[k] += (shape->gap[k] + shape->event[k]) * shape->met;
        shape->met = 0;
    }
    trace->all_events += decoded->count;
    return true;
}

bool cm_read_events(struct cm_trace *trace, struct cm_input_bytes in)
{
    struct cm_read_block block = {0};
    struct cm_decoded *scratch = &trace->decoded[0];
    block.first_event = cm_get(&in);
    block.count = (uint32_t)cm_get_below(&in, CM_TRACE_EVENTS_MAX + 1);
    block.first_cycle = cm_get(&in);
    block.imp = (uint32_t)cm_get_below(&in, trace->imps.count + 1);
    block.pc = (uint32_t)cm_get_below(&in, UINT32_MAX);
    block.in = in;
    block.exchanges = trace->all_exchanges;
    block.page = trace->page;
    memcpy(block.by_cause, trace->by_cause, sizeof block.by_cause);
    memcpy(block.by_phase, trace->by_phase, sizeof block.by_phase);
    if (in.bad || block.first_event != trace->all_events || block.first_cycle != trace->end_cycle ||
        trace->blocks.count >= UINT32_MAX - 1)
        return false;
    if (block.pc != 0) {
        if (block.imp == 0)
            return false;
        const struct cm_path *path = &CM_ITEMS(trace->imps, struct cm_read_imp)[block.imp - 1].path;
        if (block.pc > path->length || path->next[block.pc - 1] != block.pc - 1)
            return false;
    }
    if (!make_room(scratch)) {
        trace->no_memory = true;
        return false;
    }
    if (!decode(trace, &block, scratch))
        return false;
    struct cm_read_block *place = cm_list_add(&trace->blocks, sizeof *place);
    if (place == NULL) {
        trace->no_memory = true;
        return false;
    }
    *place = block;
    return account(trace, scratch);
}

static uint64_t block_end_cycle(const struct cm_trace *trace, uint64_t block)
{
    return block + 1 < trace->blocks.count
               ? CM_ITEMS(trace->blocks, struct cm_read_block)[block + 1].first_cycle
               : trace->end_cycle;
}

uint64_t cm_read_block_of_cycle(const struct cm_trace *trace, uint64_t cycle)
{
    uint64_t low = 0, high = trace->blocks.count; /* blocks before low end at or before the cycle */
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (block_end_cycle(trace, middle) <= cycle)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint64_t cm_read_block_of_event(const struct cm_trace *trace, uint64_t number)
{
    const struct cm_read_block *blocks = CM_ITEMS(trace->blocks, struct cm_read_block);
    uint64_t low = 0, high = trace->blocks.count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (blocks[middle].first_event + blocks[middle].count <= number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A cursor's place: [0] the number of the event that comes next. */
struct cm_trace_cursor cm_trace_seek_event(const struct cm_trace *trace, uint64_t number)
{
    return (struct cm_trace_cursor){
        .trace = trace, .place = {number < trace->all_events ? number : trace->all_events}};
}

/* Index within a decoded block of the first event that ends after a cycle. */
static uint32_t event_at(const struct cm_decoded *decoded, uint64_t cycle)
{
    uint32_t low = 0, high = decoded->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (decoded->events[middle].end_cycle <= cycle)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct cm_trace_cursor cm_trace_seek(const struct cm_trace *trace, uint64_t cycle)
{
    uint64_t block = cm_read_block_of_cycle(trace, cycle);
    const struct cm_decoded *decoded =
        block < trace->blocks.count ? cm_read_decode(trace, block) : NULL;
    if (decoded == NULL)
        return cm_trace_seek_event(trace, trace->all_events);
    uint64_t first = CM_ITEMS(trace->blocks, struct cm_read_block)[block].first_event;
    return cm_trace_seek_event(trace, first + event_at(decoded, cycle));
}

static bool event_numbered(const struct cm_trace *trace, uint64_t number,
                           struct cm_trace_event *event)
{
    uint64_t block = cm_read_block_of_event(trace, number);
    const struct cm_decoded *decoded =
        block < trace->blocks.count ? cm_read_decode(trace, block) : NULL;
    if (decoded == NULL)
        return false;
    *event =
        decoded->events[number - CM_ITEMS(trace->blocks, struct cm_read_block)[block].first_event];
    return true;
}

bool cm_trace_next(struct cm_trace_cursor *cursor, struct cm_trace_event *event)
{
    if (cursor->place[0] >= cursor->trace->all_events ||
        !event_numbered(cursor->trace, cursor->place[0], event))
        return false;
    cursor->place[0]++;
    return true;
}

bool cm_trace_previous(struct cm_trace_cursor *cursor, struct cm_trace_event *event)
{
    if (cursor->place[0] == 0 || !event_numbered(cursor->trace, cursor->place[0] - 1, event))
        return false;
    cursor->place[0]--;
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
    return CM_ITEMS(trace->blocks, struct cm_read_block)[block].page;
}
