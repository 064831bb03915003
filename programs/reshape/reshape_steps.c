/*
 * Compiler of streams of elements. Between two steps at which a stream begins or ends, all steps
 * are equal except that elements advance by one, so they form a loop. A step loads a slot for each
 * dimension with traffic, exchanges, and unloads where the receivers' control says so.
 *
 * Two streams can share a dimension: a direct one, and a detour through idle nodes. The nodes that
 * send their own element directly then move it to the buffer for forwarded elements, and the slot
 * is loaded from the buffer.
 *
 * A slot is loaded in all nodes, so idle nodes also send a word, which no node unloads.
 */
#include "reshape_emit.h"

/* Streams that are active in the steps of one loop. The arrays have room for all streams of a
 * phase. */
struct step {
    const struct cm_reshape_stream **streams;
    uint32_t count;
    uint64_t at; /* first step of the loop */
    /* For the loads of a step: the streams of a group under construction, and for each stream
     * whether its element is loaded. */
    const struct cm_reshape_stream **group;
    bool *loaded;
};

/* Returns the memory place of the element that a stream moves in this step: its own place in the
 * array, or a buffer. */
static struct cm_place place_of(const struct cm_reshape_compiler *c, const struct step *step,
                                const struct cm_reshape_stream *stream, uint32_t buffer)
{
    if (buffer != CM_RESHAPE_ARRAY)
        return (struct cm_place){CM_RESHAPE_REG_SCRATCH, (int64_t)buffer * c->unit_words};
    uint64_t element = stream->first_element + (step->at - stream->first_step);
    return (struct cm_place){CM_RESHAPE_REG_AT, (int64_t)(element * c->unit_words)};
}

/* Group: streams of a step over one dimension that never use the same channel. */
struct group {
    const struct cm_reshape_stream **streams;
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

static bool same_place(struct cm_place a, struct cm_place b)
{
    return a.reg == b.reg && a.offset == b.offset;
}

/* Returns true if word w of a stream crosses nowhere, because no node has the parity that its
 * senders or its receivers need. */
static bool is_empty(const struct cm_reshape_stream *stream, bool parity, uint32_t w)
{
    return stream->nodes == 0 && parity != (w == 1 && stream->pair_flips);
}

/* Moves a stream's element to the place `hub`, from which a slot is loaded, in the nodes that send
 * it. */
static void emit_bring(struct cm_reshape_compiler *c, const struct step *step,
                       const struct cm_reshape_stream *stream, uint32_t hub)
{
    struct cm_place from = place_of(c, step, stream, stream->source);
    struct cm_place to = place_of(c, step, stream, hub);
    uint32_t words = stream->pair_flips ? 1 : c->unit_words;
    for (uint32_t w = 0; w < c->unit_words; w += words) {
        if (is_empty(stream, stream->sender, w))
            continue;
        cm_reshape_emit_stream_context(c, stream, stream->sender != (w == 1 && stream->pair_flips));
        cm_emit_move(c->imp, (struct cm_place){to.reg, to.offset + w},
                     (struct cm_place){from.reg, from.offset + w}, words);
    }
}

/* Loads the slots of a group of streams. Words from several places are first moved to one place,
 * the hub. */
static void emit_group(struct cm_reshape_compiler *c, const struct step *step,
                       const struct group *group)
{
    const struct cm_reshape_stream *first = group->streams[0];
    /* hub: a place of its own after the buffers, or the buffer of a stream in the group */
    uint32_t hub = c->plan->buffer_count + c->plan->swap_buffer_count;
    bool alone = true;
    for (uint32_t i = 0; i < group->count; i++) {
        const struct cm_reshape_stream *stream = group->streams[i];
        if (stream->source != CM_RESHAPE_ARRAY && !c->plan->own_buffers)
            hub = stream->source;
        alone = alone && same_place(place_of(c, step, stream, stream->source),
                                    place_of(c, step, first, first->source));
    }
    hub = alone ? first->source : hub;
    for (uint32_t i = 0; i < group->count && !alone; i++) {
        const struct cm_reshape_stream *stream = group->streams[i];
        if (stream->source != hub)
            emit_bring(c, step, stream, hub);
    }
    cm_emit_send(c->imp, c->config, first->dimension, place_of(c, step, first, hub), c->unit_words);
}

/* Begins another IMP within a step if the present IMP is half full. Only plans whose nodes have own
 * buffers need this: their steps are long, and not in a loop. */
static void make_room_within(struct cm_reshape_compiler *c)
{
    const struct cm_imp *imp = c->imp;
    if (!c->plan->own_buffers)
        return;
    cm_reshape_make_room(c);
    if (c->imp != imp)
        cm_reshape_emit_at_array(c);
}

/* Emits the loads of a step. If two streams would put two elements on one channel, a slot is loaded
 * twice and the machine faults. */
static void emit_loads(struct cm_reshape_compiler *c, const struct step *step)
{
    bool *loaded = step->loaded;
    for (uint32_t i = 0; i < step->count; i++)
        loaded[i] = step->streams[i]->dimension == CM_RESHAPE_WITHIN ||
                    (is_empty(step->streams[i], step->streams[i]->sender, 0) &&
                     is_empty(step->streams[i], step->streams[i]->sender, c->unit_words - 1));
    for (uint32_t i = 0; i < step->count; i++) {
        struct group group = {.streams = step->group};
        for (uint32_t k = i; k < step->count && !loaded[i]; k++)
            if (!loaded[k] && fits(&group, step->streams[k])) {
                group.streams[group.count++] = step->streams[k];
                loaded[k] = k > i;
            }
        make_room_within(c);
        if (group.count > 0)
            emit_group(c, step, &group);
    }
}

static void emit_unload(struct cm_reshape_compiler *c, const struct step *step, uint32_t i)
{
    const struct cm_reshape_stream *stream = step->streams[i];
    const struct cm_place target = place_of(c, step, stream, stream->target);
    const uint32_t slots = c->config->transposer_slots;
    for (uint32_t w = 0; w < c->unit_words; w++) {
        bool value = stream->receiver != (w == 1 && stream->pair_flips);
        if (stream->nodes == 0) {
            if (value)
                /* a control without node address bits has parity 0 in all nodes, so no node
                 * receives */
                continue;
            if (c->context != CM_RESHAPE_ANY)
                cm_reshape_emit_context_all(c);
        } else {
            cm_reshape_emit_stream_context(c, stream, value);
        }
        CM_EMIT(c->imp, CM_OP_UNLOAD, cm_mem(target.reg, target.offset + w),
                cm_slot(CM_TRANSPOSER_B, cm_slot_of_channel(slots, stream->dimension, w)));
    }
}

/* Emits the loads, the exchange and the unloads of one step. */
static void emit_step(struct cm_reshape_compiler *c, const struct step *step)
{
    emit_loads(c, step);
    cm_emit_exchange(c->imp);
    for (uint32_t i = 0; i < step->count; i++)
        if (step->streams[i]->dimension != CM_RESHAPE_WITHIN) {
            make_room_within(c);
            emit_unload(c, step, i);
        }
    for (uint32_t i = 0; i < step->count; i++)
        if (step->streams[i]->dimension == CM_RESHAPE_WITHIN) {
            make_room_within(c);
            emit_bring(c, step, step->streams[i], step->streams[i]->target);
        }
}

/* number of steps in a loop's body if no element goes through a buffer, because such steps are
 * short */
#define UNROLLED 4u

static uint64_t body_steps(const struct step *step, uint64_t count)
{
    for (uint32_t i = 0; i < step->count; i++)
        if (step->streams[i]->source != CM_RESHAPE_ARRAY ||
            step->streams[i]->target != CM_RESHAPE_ARRAY)
            return 1;
    return count >= 2 * UNROLLED ? UNROLLED : 1;
}

/* Emits `count` consecutive steps as the body of a loop, from step->at on. */
static void emit_body(struct cm_reshape_compiler *c, struct step *step, uint64_t count)
{
    const uint64_t first = step->at;
    for (uint64_t i = 0; i < count; i++, step->at++)
        emit_step(c, step);
    step->at = first;
    cm_reshape_emit_context_all(c);
}

static void emit_steps(struct cm_reshape_compiler *c, struct step *step, uint64_t count)
{
    const uint64_t body = body_steps(step, count);
    uint32_t loop = 0;
    cm_reshape_make_room(c);
    cm_reshape_emit_at_array(c);
    cm_reshape_emit_context_all(c);
    if (count > 1)
        loop = CM_EMIT(c->imp, CM_OP_LOOP, cm_value((int64_t)(count / body)));
    c->context = CM_RESHAPE_ANY;
    if (count == 1) {
        emit_step(c, step);
        return;
    }
    emit_body(c, step, body);
    CM_EMIT(c->imp, CM_OP_AADD, cm_reg(CM_RESHAPE_REG_AT),
            cm_value((int64_t)(body * c->unit_words)));
    c->at_array = false;
    cm_emit_next(c->imp, loop);
    if (count % body != 0)
        emit_body(c, step, count % body);
}

/* Emits one round of `stride` steps, for the streams that have more than `done` elements. */
static void emit_round(struct cm_reshape_compiler *c, const struct cm_reshape_stream *streams,
                       uint32_t count, uint64_t done, struct step *step)
{
    for (step->at = 0; step->at < streams[0].stride; step->at++) {
        step->count = 0;
        for (uint32_t i = 0; i < count; i++)
            if (streams[i].first_step == step->at && streams[i].count > done)
                step->streams[step->count++] = &streams[i];
        emit_step(c, step);
    }
    cm_reshape_emit_context_all(c);
}

/* Emits streams that have one stride and begin in the first `stride` steps: full rounds of `stride`
 * steps, and a round for the remaining elements. */
static void emit_rounds(struct cm_reshape_compiler *c, const struct cm_reshape_stream *streams,
                        uint32_t count, struct step *step)
{
    uint64_t stride = streams[0].stride;
    uint64_t rounds = c->plan->elements / stride;
    cm_reshape_make_room(c);
    cm_reshape_emit_at_array(c);
    cm_reshape_emit_context_all(c);
    if (rounds > 0) {
        uint32_t loop = CM_EMIT(c->imp, CM_OP_LOOP, cm_value((int64_t)rounds));
        emit_round(c, streams, count, 0, step);
        CM_EMIT(c->imp, CM_OP_AADD, cm_reg(CM_RESHAPE_REG_AT),
                cm_value((int64_t)(stride * c->unit_words)));
        c->at_array = false;
        cm_emit_next(c->imp, loop);
    }
    if (c->plan->elements % stride != 0)
        emit_round(c, streams, count, rounds, step);
}

static int compare_steps(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* Orders streams with equal first steps by their place in the list, because qsort is not stable in
 * every library. */
static int compare_streams(const void *a, const void *b)
{
    const struct cm_reshape_stream *const *x = a, *const *y = b;
    if ((*x)->first_step != (*y)->first_step)
        return (*x)->first_step < (*y)->first_step ? -1 : 1;
    return *x < *y ? -1 : *x > *y;
}

/* Streams in the order of their first steps, and all steps at which a stream begins or ends. */
struct timeline {
    const struct cm_reshape_stream **streams;
    uint64_t *times;
    uint32_t stream_count, time_count;
};

static void emit_timeline(struct cm_reshape_compiler *c, const struct timeline *line,
                          struct step *step)
{
    uint32_t next = 0;
    for (uint32_t t = 0; t + 1 < line->time_count; t++) {
        uint32_t kept = 0;
        if (line->times[t] == line->times[t + 1])
            continue;
        step->at = line->times[t];
        for (uint32_t i = 0; i < step->count; i++)
            if (step->streams[i]->first_step + step->streams[i]->count > step->at)
                step->streams[kept++] = step->streams[i];
        step->count = kept;
        while (next < line->stream_count && line->streams[next]->first_step <= step->at)
            step->streams[step->count++] = line->streams[next++];
        if (step->count > 0)
            emit_steps(c, step, line->times[t + 1] - step->at);
    }
    cm_reshape_emit_context_all(c);
}

static void emit_sorted(struct cm_reshape_compiler *c, const struct cm_reshape_stream *streams,
                        uint32_t count, struct step *step)
{
    struct timeline line = {
        .streams = calloc(count, sizeof *line.streams),
        .times = calloc(2 * (size_t)count, sizeof *line.times),
        .stream_count = count,
        .time_count = 2 * count,
    };
    if (line.streams == NULL || line.times == NULL) {
        c->failed = true;
    } else {
        for (uint32_t i = 0; i < count; i++) {
            line.streams[i] = &streams[i];
            line.times[2 * i] = streams[i].first_step;
            line.times[2 * i + 1] = streams[i].first_step + streams[i].count;
        }
        qsort(line.streams, count, sizeof *line.streams, compare_streams);
        qsort(line.times, line.time_count, sizeof *line.times, compare_steps);
        emit_timeline(c, &line, step);
    }
    free(line.streams);
    free(line.times);
}

void cm_reshape_emit_streams(struct cm_reshape_compiler *c, const struct cm_reshape_stream *streams,
                             uint32_t count)
{
    if (count == 0) {
        cm_reshape_emit_context_all(c);
        return;
    }
    struct step step = {
        .streams = calloc(count, sizeof *step.streams),
        .group = calloc(count, sizeof *step.group),
        .loaded = calloc(count, sizeof *step.loaded),
    };
    if (step.streams == NULL || step.group == NULL || step.loaded == NULL)
        c->failed = true;
    else if (streams[0].stride > 1)
        emit_rounds(c, streams, count, &step);
    else
        emit_sorted(c, streams, count, &step);
    free(step.streams);
    free(step.group);
    free(step.loaded);
}
