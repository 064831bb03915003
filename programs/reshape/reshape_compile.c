/*
 * Plans of reshapes as IMPs. Between two steps at which a stream begins or ends, every step is the
 * same but for the elements, which all advance by one: a loop. A step loads a slot for each
 * dimension that carries something, exchanges, and unloads where the receivers' control says so.
 * Where streams share a dimension (a direct one, and one on its way round through the idle nodes),
 * the nodes that send their own element move it to the buffer that holds what passes through the
 * others; the slot is then loaded from there.
 *
 * A control is a bit of a control word in each node: the parity of some of its address bits, or
 * what several parities say. A slot is loaded in all nodes, so idle nodes send a word too; nobody
 * unloads it.
 */
#include "reshape_compile.h"

#include "reshape_emit.h"
#include "reshape_streams.h"

#include <stdlib.h>
#include <string.h>

enum { ARGUMENT_CONTROLS, ARGUMENT_ARRAY, ARGUMENT_SCRATCH };

static uint32_t unit_words(const struct cm_reshape_plan *plan, const struct cm_reshape_task *task)
{
    uint64_t words = (UINT64_C(1) << (plan->from.dimensions - plan->from.node_bits)) * task->slices;
    return (uint32_t)(words / plan->elements);
}

/* Buffers, and one place more: emit_group. */
uint64_t cm_reshape_scratch_words(const struct cm_reshape_plan *plan,
                                  const struct cm_reshape_task *task)
{
    return ((uint64_t)plan->buffer_count + plan->swap_buffer_count + 1) * unit_words(plan, task);
}

static bool same_control(const struct cm_reshape_control_bit *a,
                         const struct cm_reshape_control_bit *b)
{
    for (uint32_t i = 0; i < 1 + CM_RESHAPE_CONDITIONS; i++)
        if (a->conditions[i].nodes != b->conditions[i].nodes ||
            a->conditions[i].value != b->conditions[i].value)
            return false;
    return true;
}

static uint32_t control_number(struct cm_reshape_compiler *c, struct cm_reshape_control_bit control)
{
    for (uint32_t i = 0; i < c->control_count; i++)
        if (same_control(&c->controls[i], &control))
            return i;
    if (c->control_count == c->control_capacity) {
        uint32_t capacity = c->control_capacity ? 2 * c->control_capacity : 32;
        struct cm_reshape_control_bit *larger = realloc(c->controls, capacity * sizeof *larger);
        if (!larger) {
            c->status = cm_error_no_memory(c->err);
            return 0;
        }
        c->controls = larger;
        c->control_capacity = capacity;
    }
    c->controls[c->control_count] = control;
    return c->control_count++;
}

/* Sets the context in the nodes where the control is `value`. */
static void emit_control(struct cm_reshape_compiler *c, struct cm_reshape_control_bit control,
                         bool value)
{
    uint32_t number = control_number(c, control);
    if (c->context != number) {
        CM_EMIT(c->imp, CM_OP_CTXLOAD, cm_mem(CM_RESHAPE_REG_CONTROLS, number / 32),
                cm_value(number % 32));
        c->context = number;
        c->context_value = true;
    }
    if (c->context_value != value)
        cm_imp_emit(c->imp, CM_OP_CTXNOT, NULL, 0);
    c->context_value = value;
}

/* Sets the context in the nodes where the parity is `value`. */
void cm_reshape_emit_context(struct cm_reshape_compiler *c, uint64_t mask, bool value)
{
    emit_control(c, (struct cm_reshape_control_bit){.conditions = {{mask, true}}}, value);
}

/* Sets the context in the nodes of a stream whose parity is `value`. */
static void emit_stream_context(struct cm_reshape_compiler *c,
                                const struct cm_reshape_stream *stream, bool value)
{
    struct cm_reshape_control_bit control;
    cm_reshape_conditions(stream, value, control.conditions);
    if (stream->when[0].nodes == 0)
        cm_reshape_emit_context(c, stream->nodes, value);
    else
        emit_control(c, control, true);
}

void cm_reshape_emit_context_all(struct cm_reshape_compiler *c)
{
    cm_imp_emit(c->imp, CM_OP_CTXALL, NULL, 0);
    c->context = CM_RESHAPE_ANY;
}

static void begin_imp(struct cm_reshape_compiler *c)
{
    if (c->imp)
        return;
    c->imp = cm_imp_create("reshape");
    if (!c->imp) {
        c->status = cm_error_no_memory(c->err);
        return;
    }
    cm_imp_argument(c->imp, "controls", CM_ARGUMENT_ADDRESS);
    cm_imp_argument(c->imp, "array", CM_ARGUMENT_ADDRESS);
    cm_imp_argument(c->imp, "scratch", CM_ARGUMENT_ADDRESS);
    cm_emit_argument(c->imp, CM_RESHAPE_REG_CONTROLS, ARGUMENT_CONTROLS, 0);
    cm_emit_argument(c->imp, CM_RESHAPE_REG_ARRAY, ARGUMENT_ARRAY, 0);
    cm_emit_argument(c->imp, CM_RESHAPE_REG_SCRATCH, ARGUMENT_SCRATCH, 0);
    c->context = CM_RESHAPE_ANY;
}

static void end_imp(struct cm_reshape_compiler *c)
{
    if (!c->imp)
        return;
    cm_imp_emit(c->imp, CM_OP_HALT, NULL, 0);
    enum cm_status status = cm_compiled_add(c->compiled, c->imp, c->err);
    c->imp = NULL;
    if (status != CM_OK)
        c->status = status;
}

/* An IMP that fills half of the SRAM gives way to another: no more words than these are emitted
 * between two calls. */
void cm_reshape_make_room(struct cm_reshape_compiler *c)
{
    if (c->status == CM_OK && c->imp && c->imp->length > 64 &&
        c->imp->length > c->config->sequencer_sram_words / 8)
        end_imp(c);
    if (c->status == CM_OK)
        begin_imp(c);
}

struct cm_operand cm_reshape_channel_slot(const struct cm_reshape_compiler *c,
                                          enum cm_transposer transposer, uint32_t dimension,
                                          uint32_t word)
{
    return cm_slot(transposer, cm_slot_of_channel(c->config->transposer_slots, dimension, word));
}

/* The streams of one step, first of all those that send from their own place. */
struct step {
    const struct cm_reshape_stream *streams[256];
    uint32_t count;
    uint64_t at; /* the first of the steps of the loop */
};

static struct cm_operand place_of(const struct cm_reshape_compiler *c, const struct step *step,
                                  const struct cm_reshape_stream *stream, uint32_t place,
                                  uint32_t word)
{
    if (place != CM_RESHAPE_ARRAY)
        return cm_mem(CM_RESHAPE_REG_SCRATCH, (int64_t)place * c->unit_words + word);
    uint64_t element = stream->first_element + (step->at - stream->first_step);
    return cm_mem(CM_RESHAPE_REG_AT, (int64_t)(element * c->unit_words + word));
}

/* Streams of a step over one dimension that no two nodes' channels would share. */
struct group {
    const struct cm_reshape_stream *streams[256];
    uint32_t count;
};

static bool fits(const struct group *group, const struct cm_reshape_stream *stream)
{
    for (uint32_t i = 0; i < group->count; i++)
        if (stream->dimension != group->streams[i]->dimension ||
            cm_reshape_streams_meet(stream, group->streams[i]))
            return false;
    return true;
}

static bool same_place(struct cm_operand a, struct cm_operand b)
{
    return a.reg == b.reg && a.value == b.value;
}

/* Loads the slots of a group, from where all its words are brought together if there are several
 * places. */
static void emit_group(struct cm_reshape_compiler *c, const struct step *step,
                       const struct group *group)
{
    const struct cm_reshape_stream *first = group->streams[0];
    uint32_t hub = c->plan->buffer_count; /* no stream's, unless one has a buffer */
    bool alone = true;
    for (uint32_t i = 0; i < group->count; i++) {
        const struct cm_reshape_stream *stream = group->streams[i];
        if (stream->source != CM_RESHAPE_ARRAY)
            hub = stream->source;
        alone = alone && same_place(place_of(c, step, stream, stream->source, 0),
                                    place_of(c, step, first, first->source, 0));
    }
    hub = alone ? first->source : hub;
    for (uint32_t i = 0; i < group->count && !alone; i++) {
        const struct cm_reshape_stream *stream = group->streams[i];
        if (stream->source == hub)
            continue;
        emit_stream_context(c, stream, stream->sender);
        CM_EMIT(c->imp, CM_OP_MOVE, place_of(c, step, stream, hub, 0),
                place_of(c, step, stream, stream->source, 0), cm_value(c->unit_words), cm_value(1),
                cm_value(1));
    }
    for (uint32_t w = 0; w < c->unit_words; w++)
        CM_EMIT(c->imp, CM_OP_LOAD,
                cm_reshape_channel_slot(c, CM_TRANSPOSER_A, first->dimension, w),
                place_of(c, step, first, hub, w));
}

/* A slot that is loaded twice, because two streams would put two elements on one channel, is a
 * fault. */
static void emit_loads(struct cm_reshape_compiler *c, const struct step *step)
{
    bool loaded[256] = {false};
    for (uint32_t i = 0; i < step->count; i++) {
        struct group group = {.count = 0};
        for (uint32_t k = i; k < step->count && !loaded[i]; k++)
            if (!loaded[k] && fits(&group, step->streams[k])) {
                group.streams[group.count++] = step->streams[k];
                loaded[k] = k > i;
            }
        if (group.count > 0)
            emit_group(c, step, &group);
    }
}

static void emit_unload(struct cm_reshape_compiler *c, const struct step *step, uint32_t i)
{
    const struct cm_reshape_stream *stream = step->streams[i];
    for (uint32_t w = 0; w < c->unit_words; w++) {
        bool value = stream->receiver != (w == 1 && stream->pair_flips);
        if (stream->nodes == 0) {
            if (value)
                continue; /* parity 0 everywhere: nobody receives */
            if (c->context != CM_RESHAPE_ANY)
                cm_reshape_emit_context_all(c);
        } else {
            emit_stream_context(c, stream, value);
        }
        CM_EMIT(c->imp, CM_OP_UNLOAD, place_of(c, step, stream, stream->target, w),
                cm_reshape_channel_slot(c, CM_TRANSPOSER_B, stream->dimension, w));
    }
}

/* Loads, the exchange, and unloads of one step. */
static void emit_step(struct cm_reshape_compiler *c, const struct step *step)
{
    emit_loads(c, step);
    cm_imp_emit(c->imp, CM_OP_EXCHANGE, NULL, 0);
    for (uint32_t i = 0; i < step->count; i++)
        emit_unload(c, step, i);
}

static void emit_steps(struct cm_reshape_compiler *c, const struct step *step, uint64_t count)
{
    cm_reshape_make_room(c);
    if (c->status != CM_OK)
        return;
    uint32_t loop = 0;
    CM_EMIT(c->imp, CM_OP_ACOPY, cm_reg(CM_RESHAPE_REG_AT), cm_reg(CM_RESHAPE_REG_ARRAY),
            cm_value(0));
    cm_reshape_emit_context_all(c);
    if (count > 1)
        loop = CM_EMIT(c->imp, CM_OP_LOOP, cm_value((int64_t)count));
    c->context = CM_RESHAPE_ANY;
    emit_step(c, step);
    if (count > 1) {
        cm_reshape_emit_context_all(c);
        CM_EMIT(c->imp, CM_OP_AADD, cm_reg(CM_RESHAPE_REG_AT), cm_value(c->unit_words));
        cm_emit_next(c->imp, loop);
    }
}

/* The steps of one round of streams with a stride, of those that have more than `done` elements. */
static void emit_round(struct cm_reshape_compiler *c, const struct cm_reshape_stream *streams,
                       uint32_t count, uint64_t done)
{
    for (uint64_t stage = 0; stage < streams[0].stride; stage++) {
        struct step step = {.at = stage};
        for (uint32_t i = 0; i < count; i++)
            if (streams[i].first_step == stage && streams[i].count > done)
                step.streams[step.count++] = &streams[i];
        emit_step(c, &step);
    }
    cm_reshape_emit_context_all(c);
}

/* All streams have one stride and begin within it: rounds of so many steps, and one for what is
 * left over. */
static void emit_rounds(struct cm_reshape_compiler *c, const struct cm_reshape_stream *streams,
                        uint32_t count)
{
    uint64_t stride = streams[0].stride;
    uint64_t rounds = c->plan->elements / stride;
    cm_reshape_make_room(c);
    if (c->status != CM_OK)
        return;
    CM_EMIT(c->imp, CM_OP_ACOPY, cm_reg(CM_RESHAPE_REG_AT), cm_reg(CM_RESHAPE_REG_ARRAY),
            cm_value(0));
    cm_reshape_emit_context_all(c);
    if (rounds > 0) {
        uint32_t loop = CM_EMIT(c->imp, CM_OP_LOOP, cm_value((int64_t)rounds));
        emit_round(c, streams, count, 0);
        CM_EMIT(c->imp, CM_OP_AADD, cm_reg(CM_RESHAPE_REG_AT),
                cm_value((int64_t)(stride * c->unit_words)));
        cm_emit_next(c->imp, loop);
    }
    if (c->plan->elements % stride != 0)
        emit_round(c, streams, count, rounds);
}

static int compare_steps(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static int compare_streams(const void *a, const void *b)
{
    const struct cm_reshape_stream *const *x = a, *const *y = b;
    return (*x)->first_step < (*y)->first_step ? -1 : (*x)->first_step > (*y)->first_step;
}

/* Streams in the order in which they begin, and all steps at which one begins or ends. */
struct timeline {
    const struct cm_reshape_stream **streams;
    uint64_t *times;
    uint32_t stream_count, time_count;
};

static void emit_timeline(struct cm_reshape_compiler *c, const struct timeline *line)
{
    struct step step = {.count = 0};
    uint32_t next = 0;
    for (uint32_t t = 0; c->status == CM_OK && t + 1 < line->time_count; t++) {
        uint32_t kept = 0;
        if (line->times[t] == line->times[t + 1])
            continue;
        step.at = line->times[t];
        for (uint32_t i = 0; i < step.count; i++)
            if (step.streams[i]->first_step + step.streams[i]->count > step.at)
                step.streams[kept++] = step.streams[i];
        step.count = kept;
        while (next < line->stream_count && line->streams[next]->first_step <= step.at &&
               step.count < sizeof step.streams / sizeof *step.streams)
            step.streams[step.count++] = line->streams[next++];
        if (step.count > 0)
            emit_steps(c, &step, line->times[t + 1] - step.at);
    }
    if (c->status == CM_OK)
        cm_reshape_emit_context_all(c);
}

void cm_reshape_emit_streams(struct cm_reshape_compiler *c, const struct cm_reshape_stream *streams,
                             uint32_t count)
{
    struct timeline line = {.stream_count = count, .time_count = 2 * count};
    if (count > 0 && streams[0].stride > 1) {
        emit_rounds(c, streams, count);
        return;
    }
    line.streams = calloc(count + 1u, sizeof *line.streams);
    line.times = calloc(2u * count + 1, sizeof *line.times);
    if (!line.streams || !line.times) {
        c->status = cm_error_no_memory(c->err);
    } else {
        for (uint32_t i = 0; i < count; i++) {
            line.streams[i] = &streams[i];
            line.times[2 * i] = streams[i].first_step;
            line.times[2 * i + 1] = streams[i].first_step + streams[i].count;
        }
        qsort(line.streams, count, sizeof *line.streams, compare_streams);
        qsort(line.times, line.time_count, sizeof *line.times, compare_steps);
        emit_timeline(c, &line);
    }
    free(line.streams);
    free(line.times);
}

/* As many pairs of words as half of transposer C holds change places; word k of the run is at
 * offsets[k]. */
static void emit_pair_swaps(struct cm_reshape_compiler *c, const uint64_t *offsets, uint32_t count,
                            uint64_t far)
{
    for (uint32_t side = 0; side < 2; side++)
        for (uint32_t k = 0; k < count; k++)
            CM_EMIT(c->imp, CM_OP_LOAD, cm_slot(CM_TRANSPOSER_C, side * count + k),
                    cm_mem(CM_RESHAPE_REG_AT, (int64_t)(offsets[k] + (side ? far : 0))));
    for (uint32_t side = 0; side < 2; side++)
        for (uint32_t k = 0; k < count; k++)
            CM_EMIT(c->imp, CM_OP_UNLOAD,
                    cm_mem(CM_RESHAPE_REG_AT, (int64_t)(offsets[k] + (side ? far : 0))),
                    cm_slot(CM_TRANSPOSER_C, (1 - side) * count + k));
}

/* Loops over runs of a block, within a loop over the blocks, or over several blocks that make a
 * run. */
static void emit_swap_loops(struct cm_reshape_compiler *c, const struct cm_reshape_blocks *blocks,
                            uint64_t first, uint64_t count)
{
    uint64_t offsets[CM_RESHAPE_SLOTS_MAX / 2];
    uint64_t most = c->config->transposer_slots / 2, all = blocks->words * count;
    uint32_t run = (uint32_t)(all < most ? all : most);
    uint64_t inner = blocks->words > run ? blocks->words / run : 1;
    uint64_t outer = all / run / inner;
    uint64_t far = blocks->second - blocks->first, gone = 0;
    uint32_t outer_loop = 0, inner_loop = 0;
    for (uint32_t k = 0; k < run; k++)
        offsets[k] = k / blocks->words * blocks->stride + k % blocks->words;
    CM_EMIT(c->imp, CM_OP_ACOPY, cm_reg(CM_RESHAPE_REG_AT), cm_reg(CM_RESHAPE_REG_ARRAY),
            cm_value((int64_t)first));
    if (outer > 1)
        outer_loop = CM_EMIT(c->imp, CM_OP_LOOP, cm_value((int64_t)outer));
    if (inner > 1)
        inner_loop = CM_EMIT(c->imp, CM_OP_LOOP, cm_value((int64_t)inner));
    emit_pair_swaps(c, offsets, run, far);
    if (inner > 1) {
        CM_EMIT(c->imp, CM_OP_AADD, cm_reg(CM_RESHAPE_REG_AT), cm_value(run));
        cm_emit_next(c->imp, inner_loop);
        gone = inner * run;
    }
    if (outer > 1) {
        uint64_t step =
            blocks->words >= run ? blocks->stride : run / blocks->words * blocks->stride;
        CM_EMIT(c->imp, CM_OP_AADD, cm_reg(CM_RESHAPE_REG_AT), cm_value((int64_t)(step - gone)));
        cm_emit_next(c->imp, outer_loop);
    }
}

/* Where only one loop can be had, the blocks are written out. */
void cm_reshape_emit_block_swaps(struct cm_reshape_compiler *c,
                                 const struct cm_reshape_blocks *blocks)
{
    bool split = c->config->sequencer_loop_depth < 2;
    for (uint64_t i = 0; i < (split ? blocks->count : 1); i++) {
        cm_reshape_make_room(c);
        if (c->status != CM_OK)
            return;
        if (blocks->nodes)
            cm_reshape_emit_context(c, blocks->nodes, blocks->value);
        emit_swap_loops(c, blocks, blocks->first + i * blocks->stride, split ? 1 : blocks->count);
    }
}

/*
 * An exchange in a memory dimension: local moves, first where the local bits give 0, then where 1.
 * They are bits above the dimension's, so that all blocks up to the lowest of them have one
 * control.
 */
static void emit_local_exchange(struct cm_reshape_compiler *c,
                                const struct cm_reshape_exchange *exchange)
{
    uint32_t bit = cm_allocation_rank(&c->plan->from, exchange->dimension);
    uint64_t half = c->task->slices * (UINT64_C(1) << bit);
    const struct cm_reshape_control *control = &exchange->control;
    uint64_t chunk = c->words;
    if (control->locals)
        chunk = c->task->slices * (control->locals & (~control->locals + 1));
    for (uint32_t turned = 0; turned < 2; turned++) {
        bool value = turned == 0;
        if (control->nodes == 0 && value)
            continue; /* the local bits alone decide, and say no */
        for (uint64_t at = 0; c->status == CM_OK && at < c->words; at += chunk) {
            uint64_t element = at / c->task->slices;
            if ((uint32_t)__builtin_parityll(element & control->locals) == turned)
                cm_reshape_emit_block_swaps(c,
                                            &(struct cm_reshape_blocks){.nodes = control->nodes,
                                                                        .value = value,
                                                                        .first = at,
                                                                        .second = at + half,
                                                                        .words = half,
                                                                        .count = chunk / (2 * half),
                                                                        .stride = 2 * half});
        }
    }
    if (c->imp)
        cm_reshape_emit_context_all(c);
}

static enum cm_status make_controls(struct cm_reshape_compiler *c)
{
    uint32_t nodes = cm_machine_nodes(c->system->machine);
    uint32_t words = (c->control_count + 31) / 32;
    if (words == 0)
        return CM_OK;
    uint32_t *planes = calloc((size_t)words * nodes, sizeof *planes);
    if (!planes)
        return cm_error_no_memory(c->err);
    for (uint32_t i = 0; i < c->control_count; i++)
        for (uint32_t node = 0; node < nodes; node++)
            planes[(size_t)(i / 32) * nodes + node] |=
                (uint32_t)cm_reshape_holds(c->controls[i].conditions, node) << i % 32;
    enum cm_status status =
        cm_table_create(c->system, planes, words, "control words", &c->compiled->table, c->err);
    c->compiled->has_table = status == CM_OK;
    free(planes);
    return status;
}

enum cm_status cm_reshape_compile(struct cm_system *system, const struct cm_reshape_task *task,
                                  const struct cm_reshape_plan *plan, struct cm_compiled *compiled,
                                  struct cm_error *err)
{
    struct cm_reshape_compiler c = {.system = system,
                                    .config = cm_machine_config(system->machine),
                                    .task = task,
                                    .plan = plan,
                                    .compiled = compiled,
                                    .err = err,
                                    .unit_words = unit_words(plan, task)};
    c.words = plan->elements * c.unit_words;
    begin_imp(&c);
    for (uint32_t i = 0; c.status == CM_OK && i < plan->local_count; i++)
        emit_local_exchange(&c, &plan->exchanges[i]);
    if (c.status == CM_OK)
        cm_reshape_emit_streams(&c, plan->streams, plan->stream_count);
    if (c.status == CM_OK)
        cm_reshape_emit_rounds(&c);
    if (c.status == CM_OK)
        end_imp(&c);
    if (c.status == CM_OK)
        c.status = make_controls(&c);
    cm_imp_destroy(c.imp);
    free(c.controls);
    return c.status;
}

enum cm_status cm_reshape_make(struct cm_system *system, const void *task,
                               struct cm_compiled *compiled, struct cm_error *err)
{
    struct cm_reshape_plan plan;
    uint32_t channels = cm_machine_config(system->machine)->network_channels_per_dimension;
    enum cm_status status = cm_reshape_plan_units(task, channels, &plan, err);
    if (status == CM_OK)
        status = cm_reshape_compile(system, task, &plan, compiled, err);
    cm_reshape_plan_finish(&plan);
    return status;
}
