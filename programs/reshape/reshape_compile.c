/*
 * Plans of reshapes as IMPs. Between two steps at which a stream begins or ends, every step is the same but for the
 * elements, which all advance by one: a loop. A step loads a slot for each dimension that carries something, exchanges,
 * and unloads where the receivers' control says so. Where streams share a dimension (a direct one, and one on its
 * way round through the idle nodes), the nodes that send their own element move it to the buffer that holds what passes
 * through the others; the slot is then loaded from there.
 *
 * A control is a bit of a control word in each node: the parity of some of its address bits, or what several parities
 * say. A slot is loaded in all nodes, so idle nodes send a word too; nobody unloads it.
 */
#include "reshape_compile.h"

#include "../emit.h"
#include "reshape_streams.h"

#include <stdlib.h>
#include <string.h>

enum { ARGUMENT_CONTROLS, ARGUMENT_ARRAY, ARGUMENT_SCRATCH };
enum { REG_CONTROLS, REG_ARRAY, REG_SCRATCH, REG_AT, REG_OUTER, REG_INNER };

#define ANY UINT32_MAX /* context: not known */

/* A bit of the control words: whether all conditions hold. */
struct control {
    struct cm_reshape_condition conditions[1 + CM_RESHAPE_CONDITIONS];
};

struct compiler {
    struct cm_system *system;
    const struct cm_config *config;
    const struct cm_reshape_task *task;
    const struct cm_reshape_plan *plan;
    struct cm_compiled *compiled;
    struct cm_imp *imp;
    struct cm_error *err;
    enum cm_status status;
    uint32_t unit_words;
    uint64_t words; /* of the array, in a node */
    struct control *controls;
    uint32_t control_count, control_capacity;
    uint32_t context; /* number of the control that is in the context flag, or ANY */
    bool context_value;
};

static uint32_t unit_words(const struct cm_reshape_plan *plan, const struct cm_reshape_task *task)
{
    uint64_t words = (UINT64_C(1) << (plan->from.dimensions - plan->from.node_bits)) * task->slices;
    return (uint32_t)(words / plan->elements);
}

/* Buffers; after them a unit for swaps; after it half the array for local exchanges. */
static uint64_t swap_place(const struct compiler *c)
{
    return (uint64_t)c->plan->buffer_count * c->unit_words;
}

static uint64_t local_place(const struct compiler *c)
{
    return swap_place(c) + 2 * (uint64_t)c->unit_words;
}

uint64_t cm_reshape_scratch_words(const struct cm_reshape_plan *plan,
                                  const struct cm_reshape_task *task, uint32_t channels)
{
    (void)channels;
    uint64_t unit = unit_words(plan, task);
    return (plan->buffer_count + 2) * unit + plan->elements * unit / 2 + 1;
}

static bool same_control(const struct control *a, const struct control *b)
{
    for (uint32_t i = 0; i < 1 + CM_RESHAPE_CONDITIONS; i++)
        if (a->conditions[i].nodes != b->conditions[i].nodes ||
            a->conditions[i].value != b->conditions[i].value)
            return false;
    return true;
}

static uint32_t control_number(struct compiler *c, struct control control)
{
    for (uint32_t i = 0; i < c->control_count; i++)
        if (same_control(&c->controls[i], &control))
            return i;
    if (c->control_count == c->control_capacity) {
        uint32_t capacity = c->control_capacity ? 2 * c->control_capacity : 32;
        struct control *larger = realloc(c->controls, capacity * sizeof *larger);
        if (!larger) {
            c->status = cm_error_set(c->err, CM_NO_MEMORY, "out of memory while compiling");
            return 0;
        }
        c->controls = larger;
        c->control_capacity = capacity;
    }
    c->controls[c->control_count] = control;
    return c->control_count++;
}

/* Sets the context in the nodes where the control is `value`. */
static void emit_control(struct compiler *c, struct control control, bool value)
{
    uint32_t number = control_number(c, control);
    if (c->context != number) {
        CM_EMIT(c->imp, CM_OP_CTXLOAD, cm_mem(REG_CONTROLS, number / 32), cm_value(number % 32));
        c->context = number;
        c->context_value = true;
    }
    if (c->context_value != value)
        cm_imp_emit(c->imp, CM_OP_CTXNOT, NULL, 0);
    c->context_value = value;
}

/* Sets the context in the nodes where the parity is `value`. */
static void emit_context(struct compiler *c, uint64_t mask, bool value)
{
    emit_control(c, (struct control){.conditions = {{mask, true}}}, value);
}

/* Sets the context in the nodes of a stream whose parity is `value`. */
static void emit_stream_context(struct compiler *c, const struct cm_reshape_stream *stream,
                                bool value)
{
    struct control control;
    cm_reshape_conditions(stream, value, control.conditions);
    if (stream->when[0].nodes == 0)
        emit_context(c, stream->nodes, value);
    else
        emit_control(c, control, true);
}

static void emit_context_all(struct compiler *c)
{
    cm_imp_emit(c->imp, CM_OP_CTXALL, NULL, 0);
    c->context = ANY;
}

static void begin_imp(struct compiler *c)
{
    if (c->imp)
        return;
    c->imp = cm_imp_create("reshape");
    if (!c->imp) {
        c->status = cm_error_set(c->err, CM_NO_MEMORY, "out of memory while compiling");
        return;
    }
    cm_imp_argument(c->imp, "controls", CM_ARGUMENT_ADDRESS);
    cm_imp_argument(c->imp, "array", CM_ARGUMENT_ADDRESS);
    cm_imp_argument(c->imp, "scratch", CM_ARGUMENT_ADDRESS);
    cm_emit_argument(c->imp, REG_CONTROLS, ARGUMENT_CONTROLS, 0);
    cm_emit_argument(c->imp, REG_ARRAY, ARGUMENT_ARRAY, 0);
    cm_emit_argument(c->imp, REG_SCRATCH, ARGUMENT_SCRATCH, 0);
    c->context = ANY;
}

static void end_imp(struct compiler *c)
{
    if (!c->imp)
        return;
    cm_imp_emit(c->imp, CM_OP_HALT, NULL, 0);
    enum cm_status status = cm_compiled_add(c->compiled, c->imp, c->err);
    c->imp = NULL;
    if (status != CM_OK)
        c->status = status;
}

/* An IMP that fills half of the SRAM gives way to another: no more words than these are emitted between two calls. */
static void make_room(struct compiler *c)
{
    if (c->status == CM_OK && c->imp && c->imp->length > 64 &&
        c->imp->length > c->config->sequencer_sram_words / 8)
        end_imp(c);
    if (c->status == CM_OK)
        begin_imp(c);
}

static struct cm_operand channel_slot(const struct compiler *c, enum cm_transposer transposer,
                                      uint32_t dimension, uint32_t word)
{
    return cm_slot(transposer, cm_slot_of_channel(c->config->transposer_slots, dimension, word));
}

/* The streams of one step, first of all those that send from their own place. */
struct step {
    const struct cm_reshape_stream *streams[256];
    uint32_t count;
    uint64_t at; /* the first of the steps of the loop */
};

static struct cm_operand place_of(const struct compiler *c, const struct step *step,
                                  const struct cm_reshape_stream *stream, uint32_t place,
                                  uint32_t word)
{
    if (place != CM_RESHAPE_ARRAY)
        return cm_mem(REG_SCRATCH, (int64_t)place * c->unit_words + word);
    uint64_t element = stream->first_element + (step->at - stream->first_step);
    return cm_mem(REG_AT, (int64_t)(element * c->unit_words + word));
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

/* Loads the slots of a group, from where all its words are brought together if there are several places. */
static void emit_group(struct compiler *c, const struct step *step, const struct group *group)
{
    const struct cm_reshape_stream *first = group->streams[0];
    uint32_t hub = c->plan->buffer_count; /* the place for swaps, unless a stream has a buffer */
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
        CM_EMIT(c->imp, CM_OP_LOAD, channel_slot(c, CM_TRANSPOSER_A, first->dimension, w),
                place_of(c, step, first, hub, w));
}

/* A slot that is loaded twice, because two streams would put two elements on one channel, is a fault. */
static void emit_loads(struct compiler *c, const struct step *step)
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

static void emit_unload(struct compiler *c, const struct step *step, uint32_t i)
{
    const struct cm_reshape_stream *stream = step->streams[i];
    for (uint32_t w = 0; w < c->unit_words; w++) {
        bool value = stream->receiver != (w == 1 && stream->pair_flips);
        if (stream->nodes == 0) {
            if (value)
                continue; /* parity 0 everywhere: nobody receives */
            if (c->context != ANY)
                emit_context_all(c);
        } else {
            emit_stream_context(c, stream, value);
        }
        CM_EMIT(c->imp, CM_OP_UNLOAD, place_of(c, step, stream, stream->target, w),
                channel_slot(c, CM_TRANSPOSER_B, stream->dimension, w));
    }
}

/* Loads, the exchange, and unloads of one step. */
static void emit_step(struct compiler *c, const struct step *step)
{
    emit_loads(c, step);
    cm_imp_emit(c->imp, CM_OP_EXCHANGE, NULL, 0);
    for (uint32_t i = 0; i < step->count; i++)
        emit_unload(c, step, i);
}

static void emit_steps(struct compiler *c, const struct step *step, uint64_t count)
{
    make_room(c);
    if (c->status != CM_OK)
        return;
    uint32_t loop = 0;
    CM_EMIT(c->imp, CM_OP_ACOPY, cm_reg(REG_AT), cm_reg(REG_ARRAY), cm_value(0));
    emit_context_all(c);
    if (count > 1)
        loop = CM_EMIT(c->imp, CM_OP_LOOP, cm_value((int64_t)count));
    c->context = ANY;
    emit_step(c, step);
    if (count > 1) {
        emit_context_all(c);
        CM_EMIT(c->imp, CM_OP_AADD, cm_reg(REG_AT), cm_value(c->unit_words));
        cm_emit_next(c->imp, loop);
    }
}

/* The steps of one round of streams with a stride, of those that have more than `done` elements. */
static void emit_round(struct compiler *c, const struct cm_reshape_stream *streams, uint32_t count,
                       uint64_t done)
{
    for (uint64_t stage = 0; stage < streams[0].stride; stage++) {
        struct step step = {.at = stage};
        for (uint32_t i = 0; i < count; i++)
            if (streams[i].first_step == stage && streams[i].count > done)
                step.streams[step.count++] = &streams[i];
        emit_step(c, &step);
    }
    emit_context_all(c);
}

/* All streams have one stride and begin within it: rounds of so many steps, and one for what is left over. */
static void emit_rounds(struct compiler *c, const struct cm_reshape_stream *streams, uint32_t count)
{
    uint64_t stride = streams[0].stride;
    uint64_t rounds = c->plan->elements / stride;
    make_room(c);
    if (c->status != CM_OK)
        return;
    CM_EMIT(c->imp, CM_OP_ACOPY, cm_reg(REG_AT), cm_reg(REG_ARRAY), cm_value(0));
    emit_context_all(c);
    if (rounds > 0) {
        uint32_t loop = CM_EMIT(c->imp, CM_OP_LOOP, cm_value((int64_t)rounds));
        emit_round(c, streams, count, 0);
        CM_EMIT(c->imp, CM_OP_AADD, cm_reg(REG_AT), cm_value((int64_t)(stride * c->unit_words)));
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

static void emit_timeline(struct compiler *c, const struct timeline *line)
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
        emit_context_all(c);
}

static void emit_streams(struct compiler *c, const struct cm_reshape_stream *streams,
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
        c->status = cm_error_set(c->err, CM_NO_MEMORY, "out of memory while compiling");
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

static void emit_move(struct compiler *c, struct cm_operand dst, struct cm_operand src,
                      uint64_t words)
{
    CM_EMIT(c->imp, CM_OP_MOVE, dst, src, cm_value((int64_t)words), cm_value(1), cm_value(1));
}

/* Two blocks of words of the array change places, where the context is set. */
static void emit_block_swap(struct compiler *c, uint64_t a, uint64_t b, uint64_t words)
{
    struct cm_operand x = cm_mem(REG_ARRAY, (int64_t)a), y = cm_mem(REG_ARRAY, (int64_t)b);
    struct cm_operand room = cm_mem(REG_SCRATCH, (int64_t)local_place(c));
    emit_move(c, room, x, words);
    emit_move(c, x, y, words);
    emit_move(c, y, room, words);
}

/* An exchange in a memory dimension: local moves, block by block, first where the local bits give 0, then where 1. */
static void emit_local_exchange(struct compiler *c, const struct cm_reshape_exchange *exchange)
{
    uint32_t bit = cm_allocation_rank(&c->plan->from, exchange->dimension);
    uint64_t half = c->task->slices * (UINT64_C(1) << bit);
    const struct cm_reshape_control *control = &exchange->control;
    for (uint32_t turned = 0; turned < 2; turned++) {
        bool value = turned == 0;
        if (control->nodes == 0 && value)
            continue; /* the local bits alone decide, and say no */
        for (uint64_t at = 0; c->status == CM_OK && at < c->words; at += 2 * half) {
            uint64_t element = at / c->task->slices;
            if ((uint32_t)__builtin_parityll(element & control->locals) != turned)
                continue;
            make_room(c);
            if (c->status != CM_OK)
                return;
            if (control->nodes)
                emit_context(c, control->nodes, value);
            emit_block_swap(c, at, at + half, half);
        }
    }
    if (c->imp)
        emit_context_all(c);
}

/* Two local bits change places: no control, local moves. */
static void emit_bit_swap(struct compiler *c, const struct cm_reshape_swap *swap)
{
    uint32_t low = swap->first < swap->second ? swap->first : swap->second;
    uint32_t high = swap->first < swap->second ? swap->second : swap->first;
    uint64_t words = c->task->slices * (UINT64_C(1) << low);
    uint64_t far = c->task->slices * (UINT64_C(1) << high);
    for (uint64_t at = 0; c->status == CM_OK && at < c->words; at += 2 * words) {
        if (at / far % 2 == 1)
            continue;
        make_room(c);
        if (c->status == CM_OK)
            emit_block_swap(c, at + words, at + far, words);
    }
}

/*
 * Words of the pairs of elements that differ in the local bit: nodes with the cube bit 0 send those with the local bit
 * 1, and the others those with 0. `at` are offsets in words of the half with 0.
 */
static void emit_crossing(struct compiler *c, uint32_t dimension, const uint64_t *at,
                          uint32_t words, uint64_t far)
{
    uint64_t bit = UINT64_C(1) << dimension;
    int64_t room = (int64_t)swap_place(c);
    for (uint32_t half = 0; half < 2; half++) {
        emit_context(c, bit, half == 0);
        for (uint32_t w = 0; w < words; w++)
            emit_move(c, cm_mem(REG_SCRATCH, room + w),
                      cm_mem(REG_AT, (int64_t)(at[w] + (half ? far : 0))), 1);
    }
    for (uint32_t w = 0; w < words; w++)
        CM_EMIT(c->imp, CM_OP_LOAD, channel_slot(c, CM_TRANSPOSER_A, dimension, w),
                cm_mem(REG_SCRATCH, room + w));
    cm_imp_emit(c->imp, CM_OP_EXCHANGE, NULL, 0);
    for (uint32_t half = 2; half-- > 0;) {
        emit_context(c, bit, half == 0);
        for (uint32_t w = 0; w < words; w++)
            CM_EMIT(c->imp, CM_OP_UNLOAD, cm_mem(REG_AT, (int64_t)(at[w] + (half ? far : 0))),
                    channel_slot(c, CM_TRANSPOSER_B, dimension, w));
    }
}

/* A cube dimension and a local bit change places. */
static void emit_mixed_swap(struct compiler *c, uint32_t dimension, uint32_t bit)
{
    uint64_t far = c->task->slices * (UINT64_C(1) << bit);
    uint32_t channels = c->config->network_channels_per_dimension;
    uint64_t group = 2 * far;
    uint64_t at[2] = {0, 1};
    uint32_t words = channels;
    if (far < channels && c->words >= 2 * group) {
        at[1] = group; /* a word of each of two pairs */
        group *= 2;
    } else if (far < channels) {
        words = 1;
    }
    uint64_t inner = far < words ? 1 : far / words;
    make_room(c);
    if (c->status != CM_OK)
        return;
    CM_EMIT(c->imp, CM_OP_ACOPY, cm_reg(REG_AT), cm_reg(REG_ARRAY), cm_value(0));
    uint32_t outer_loop = CM_EMIT(c->imp, CM_OP_LOOP, cm_value((int64_t)(c->words / group)));
    uint32_t inner_loop = CM_EMIT(c->imp, CM_OP_LOOP, cm_value((int64_t)inner));
    c->context = ANY;
    emit_crossing(c, dimension, at, words, far);
    CM_EMIT(c->imp, CM_OP_AADD, cm_reg(REG_AT), cm_value(words));
    cm_emit_next(c->imp, inner_loop);
    CM_EMIT(c->imp, CM_OP_AADD, cm_reg(REG_AT), cm_value((int64_t)(group - inner * words)));
    cm_emit_next(c->imp, outer_loop);
    emit_context_all(c);
}

/* Two cube dimensions change places: over the first to where both bits are alike, then over the second. */
static void emit_cube_swap(struct compiler *c, const struct cm_reshape_swap *swap)
{
    uint64_t pair = UINT64_C(1) << swap->first | UINT64_C(1) << swap->second;
    uint32_t room = c->plan->buffer_count; /* the place for swaps follows the buffers */
    const struct cm_reshape_stream hops[2] = {
        {.count = c->plan->elements,
         .nodes = pair,
         .dimension = swap->first,
         .source = CM_RESHAPE_ARRAY,
         .target = room,
         .sender = true},
        {.first_step = 1,
         .count = c->plan->elements,
         .nodes = pair,
         .dimension = swap->second,
         .source = room,
         .target = CM_RESHAPE_ARRAY,
         .receiver = true},
    };
    emit_streams(c, hops, 2);
}

static void emit_swap(struct compiler *c, const struct cm_reshape_swap *swap)
{
    if (swap->first_is_local && swap->second_is_local)
        emit_bit_swap(c, swap);
    else if (swap->first_is_local)
        emit_mixed_swap(c, swap->second, swap->first);
    else if (swap->second_is_local)
        emit_mixed_swap(c, swap->first, swap->second);
    else
        emit_cube_swap(c, swap);
}

static enum cm_status make_controls(struct compiler *c)
{
    uint32_t nodes = cm_machine_nodes(c->system->machine);
    uint32_t words = (c->control_count + 31) / 32;
    if (words == 0)
        return CM_OK;
    uint32_t *planes = calloc((size_t)words * nodes, sizeof *planes);
    if (!planes)
        return cm_error_set(c->err, CM_NO_MEMORY, "out of memory for control words");
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
    struct compiler c = {.system = system,
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
        emit_streams(&c, plan->streams, plan->stream_count);
    for (uint32_t i = 0; c.status == CM_OK && i < plan->swap_count; i++)
        emit_swap(&c, &plan->swaps[i]);
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
