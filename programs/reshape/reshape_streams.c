/*
 * The paper's algorithms. A stream is a run of elements that cross one dimension one a step; where the paper uses the
 * path of length three round the idle side of a 2-cube (theorem 3's proof), an element is in three streams: to the idle
 * node over the other dimension, along, and back.
 */
#include "reshape_streams.h"

#include <inttypes.h>
#include <stdlib.h>

#define STREAMS_MAX (1u << 20) /* a plan of so many takes 100 MB */

static enum cm_status append(struct cm_reshape_plan *plan, struct cm_reshape_stream stream,
                             struct cm_error *err)
{
    if (stream.count == 0)
        return CM_OK;
    stream.stride = stream.stride ? stream.stride : 1;
    if (plan->stream_count == plan->stream_capacity) {
        if (plan->stream_capacity >= STREAMS_MAX) {
            cm_error_set(err, CM_NO_MEMORY, "the plan has more than %u pieces", STREAMS_MAX);
            cm_error_hint(err, "controls that depend on local bits cut it up; use more nodes, or "
                               "the high dimensions as processor dimensions");
            return CM_NO_MEMORY;
        }
        uint32_t capacity = plan->stream_capacity ? 2 * plan->stream_capacity : 64;
        struct cm_reshape_stream *larger = realloc(plan->streams, capacity * sizeof *larger);
        if (!larger)
            return cm_error_set(err, CM_NO_MEMORY, "out of memory for a plan");
        plan->streams = larger;
        plan->stream_capacity = capacity;
    }
    plan->streams[plan->stream_count++] = stream;
    return CM_OK;
}

enum cm_status cm_reshape_stream_add(struct cm_reshape_plan *plan, struct cm_reshape_stream stream,
                                     uint64_t locals, int unit_shift, struct cm_error *err)
{
    uint64_t bits = unit_shift >= 0 ? locals << unit_shift : locals >> -unit_shift;
    uint64_t left = stream.count;
    uint64_t block = bits & (~bits + 1);
    bool sender = stream.sender, receiver = stream.receiver;
    stream.pair_flips = unit_shift < 0 && (locals & 1);
    if (block == 0)
        return append(plan, stream, err);
    enum cm_status status = CM_OK;
    while (status == CM_OK && left > 0) {
        uint64_t room = block - stream.first_element % block;
        bool turned = __builtin_parityll(stream.first_element & bits) != 0;
        stream.count = left < room ? left : room;
        stream.sender = sender != turned;
        stream.receiver = receiver != turned;
        status = append(plan, stream, err);
        left -= stream.count;
        stream.first_step += stream.count;
        stream.first_element += stream.count;
    }
    return status;
}

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

static uint32_t cube_dimension(const struct cm_reshape_work *work, uint32_t dimension)
{
    return cm_allocation_rank(&work->plan->from, dimension);
}

/* The elements of data set s of delta: as equal as they can be. */
static uint64_t set_first(uint64_t elements, uint32_t delta, uint32_t s)
{
    uint64_t longer = elements % delta;
    return elements / delta * s + (s < longer ? s : longer);
}

/* How the dimensions are coded when data set s has made `done` of its exchanges, which begin at order[s]. */
static uint64_t coupled_after(const struct cm_reshape_work *work, uint32_t s, uint32_t done)
{
    uint64_t coupled = work->coupled;
    for (uint32_t i = 0; i < done; i++)
        coupled ^= UINT64_C(1) << work->order[(s + i) % work->plan->delta];
    return coupled;
}

static bool control_is_local(const struct cm_reshape_work *work, uint32_t s, uint32_t done)
{
    uint32_t d = work->order[(s + done) % work->plan->delta];
    return cm_reshape_control(&work->plan->from, coupled_after(work, s, done), d).locals != 0;
}

/* Whether some control of the rotation depends on local bits. */
static bool rotation_is_local(const struct cm_reshape_work *work)
{
    for (uint32_t s = 0; s < work->plan->delta; s++)
        for (uint32_t stage = 0; stage < work->plan->delta; stage++)
            if (control_is_local(work, s, stage))
                return true;
    return false;
}

/*
 * Theorem 2: data set s takes the dimensions from order[s] on, round the list. The sets are dealt element by element, so
 * that delta neighbouring elements are through after delta steps and lie in few pages (and in the host's caches); with
 * controls that depend on local bits they are runs of elements, which have long stretches of one control.
 */
enum cm_status cm_reshape_rotate(const struct cm_reshape_work *work, struct cm_error *err)
{
    struct cm_reshape_plan *plan = work->plan;
    uint32_t delta = plan->delta;
    uint64_t longest = delta ? divide_up(plan->elements, delta) : 0;
    bool runs = rotation_is_local(work);
    plan->steps = plan->bound = delta * longest;
    for (uint32_t stage = 0; stage < delta; stage++)
        for (uint32_t s = 0; s < delta; s++) {
            uint32_t d = work->order[(s + stage) % delta];
            struct cm_reshape_control control =
                cm_reshape_control(&plan->from, coupled_after(work, s, stage), d);
            uint64_t first = set_first(plan->elements, delta, s);
            struct cm_reshape_stream stream = {
                .first_step = runs ? stage * longest : stage,
                .count = set_first(plan->elements, delta, s + 1) - first,
                .first_element = runs ? first : s,
                .stride = runs ? 1 : delta,
                .nodes = control.nodes,
                .dimension = cube_dimension(work, d),
                .source = CM_RESHAPE_ARRAY,
                .target = CM_RESHAPE_ARRAY,
                .sender = true,
                .receiver = true,
            };
            enum cm_status status =
                cm_reshape_stream_add(plan, stream, control.locals, work->unit_shift, err);
            if (status != CM_OK)
                return status;
        }
    return CM_OK;
}

/* Section 4's algorithm from one dimension, round to the one before: an exchange of all elements after the other. */
static enum cm_status exchange_all(const struct cm_reshape_work *work, struct cm_error *err)
{
    struct cm_reshape_plan *plan = work->plan;
    enum cm_status status = CM_OK;
    plan->steps = plan->bound = plan->delta * plan->elements;
    for (uint32_t stage = 0; status == CM_OK && stage < plan->delta; stage++) {
        uint32_t d = work->order[stage];
        struct cm_reshape_control control =
            cm_reshape_control(&plan->from, coupled_after(work, 0, stage), d);
        struct cm_reshape_stream stream = {.first_step = stage * plan->elements,
                                           .count = plan->elements,
                                           .nodes = control.nodes,
                                           .dimension = cube_dimension(work, d),
                                           .source = CM_RESHAPE_ARRAY,
                                           .target = CM_RESHAPE_ARRAY,
                                           .sender = true,
                                           .receiver = true};
        status = cm_reshape_stream_add(plan, stream, control.locals, work->unit_shift, err);
    }
    return status;
}

/*
 * Section 4: through all dimensions but the most significant, all elements from one of them, or, theorem 5, a data set
 * from each at once (figure 5).
 */
enum cm_status cm_reshape_gray_binary(const struct cm_reshape_work *work, struct cm_error *err)
{
    const struct cm_reshape_plan *plan = work->plan;
    uint64_t all = plan->from.dimensions ? (UINT64_C(1) << (plan->from.dimensions - 1)) - 1 : 0;
    bool whole = (plan->from.coupled == all && plan->to.coupled == 0) ||
                 (plan->from.coupled == 0 && plan->to.coupled == all);
    if (!whole)
        return cm_error_set(err, CM_BAD_INPUT,
                            "gray-binary needs one Gray-coded axis on one side and binary code, or "
                            "axes of length 2 only, on the other");
    return plan->has_start ? exchange_all(work, err) : cm_reshape_rotate(work, err);
}

/* An exchange in logic dimension d, of some elements, with a way round over logic dimension `round`. */
struct crossing {
    uint32_t dimension;
    uint32_t round;
    uint64_t nodes;  /* the control's parity mask */
    uint32_t buffer; /* of two */
};

static enum cm_status add_direct(const struct cm_reshape_work *work,
                                 const struct crossing *crossing, uint64_t step, uint64_t element,
                                 uint64_t count, struct cm_error *err)
{
    return append(work->plan,
                  (struct cm_reshape_stream){.first_step = step,
                                             .count = count,
                                             .first_element = element,
                                             .nodes = crossing->nodes,
                                             .dimension = cube_dimension(work, crossing->dimension),
                                             .source = CM_RESHAPE_ARRAY,
                                             .target = CM_RESHAPE_ARRAY,
                                             .sender = true,
                                             .receiver = true},
                  err);
}

/* Path 10 - 00 - 01 - 11 of the 2-cube and its reverse (theorem 3's proof). */
static enum cm_status add_round(const struct cm_reshape_work *work, const struct crossing *crossing,
                                uint64_t step, uint64_t element, uint64_t count,
                                struct cm_error *err)
{
    uint32_t across = cube_dimension(work, crossing->dimension);
    uint32_t round = cube_dimension(work, crossing->round);
    const struct cm_reshape_stream hops[3] = {
        {.dimension = round,
         .source = CM_RESHAPE_ARRAY,
         .target = crossing->buffer,
         .sender = true},
        {.dimension = across, .source = crossing->buffer, .target = crossing->buffer + 1},
        {.dimension = round,
         .source = crossing->buffer + 1,
         .target = CM_RESHAPE_ARRAY,
         .receiver = true},
    };
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; status == CM_OK && i < 3; i++) {
        struct cm_reshape_stream stream = hops[i];
        stream.first_step = step + i;
        stream.count = count;
        stream.first_element = element;
        stream.nodes = crossing->nodes;
        status = append(work->plan, stream, err);
    }
    return status;
}

/* A run of a data set's elements, counted round the set, as at most two runs. */
typedef enum cm_status (*add_run)(const struct cm_reshape_work *, const struct crossing *, uint64_t,
                                  uint64_t, uint64_t, struct cm_error *);
static enum cm_status add_cyclic(const struct cm_reshape_work *work, add_run add,
                                 const struct crossing *crossing, uint64_t step, uint64_t base,
                                 uint64_t size, uint64_t offset, uint64_t count,
                                 struct cm_error *err)
{
    if (size == 0 || count == 0)
        return CM_OK;
    offset %= size;
    uint64_t first = count < size - offset ? count : size - offset;
    enum cm_status status = add(work, crossing, step, base + offset, first, err);
    if (status == CM_OK && count > first)
        status = add(work, crossing, step + first, base, count - first, err);
    return status;
}

/* One boundary between stages, and the stage that follows it, of theorem 3. */
struct stage {
    uint64_t first_step;
    bool overlapped; /* its way round begins two steps before it */
};

static enum cm_status refuse_local_control(const char *name, struct cm_error *err)
{
    return cm_error_set(err, CM_BAD_INPUT,
                        "%s needs controls that a node knows by its address alone; here a "
                        "memory dimension above a processor dimension takes part in one",
                        name);
}

static enum cm_status check_two_path(const struct cm_reshape_work *work, struct cm_error *err)
{
    const struct cm_reshape_plan *plan = work->plan;
    uint64_t dimensions = plan->processor_dimensions;
    uint64_t adjacent = dimensions & dimensions >> 1;
    if (plan->delta == 0)
        return cm_error_set(err, CM_BAD_INPUT,
                            "two-path needs an exchange between processors; here is none");
    if (adjacent)
        return cm_error_set(err, CM_BAD_INPUT,
                            "two-path needs processor dimensions to exchange of which no two are "
                            "adjacent (theorem 3); %d and %d are",
                            __builtin_ctzll(adjacent), __builtin_ctzll(adjacent) + 1);
    if (plan->elements <= 2 * (uint64_t)plan->delta)
        return cm_error_set(err, CM_BAD_INPUT,
                            "two-path needs K > 2 delta (theorem 3); K is %" PRIu64
                            ", delta %" PRIu32,
                            plan->elements, plan->delta);
    uint64_t missing = (dimensions << 1) & ~plan->from.processor;
    if (missing)
        return cm_error_set(err, CM_BAD_INPUT,
                            "two-path needs the dimension above each to be a processor "
                            "dimension; %d is in memory",
                            __builtin_ctzll(missing));
    for (uint32_t s = 0; s < plan->delta; s++)
        for (uint32_t stage = 0; stage < plan->delta; stage++)
            if (control_is_local(work, s, stage))
                return refuse_local_control("two-path", err);
    return CM_OK;
}

/*
 * Whether the ways round of stage t may begin in the last two steps of the one before. Then two data sets use one 2-cube
 * at once, and only if both find the same side of it idle: by lemma 3 the set that comes has made one exchange more
 * than the set that leaves, which turns its control over in half of the nodes if it was in a dimension of the control.
 * And the first two elements must have arrived by then: two steps after they began when h = 2 is too late.
 */
static bool may_overlap(const struct cm_reshape_work *work, uint32_t t, uint64_t half,
                        bool previous_overlapped)
{
    const struct cm_reshape_plan *plan = work->plan;
    if (half < (previous_overlapped ? 3u : 2u))
        return false;
    for (uint32_t s = 0; s < plan->delta; s++) {
        uint32_t d = work->order[(s + t) % plan->delta];
        uint64_t comes = cm_reshape_control(&plan->from, coupled_after(work, s, t), d).nodes;
        uint64_t leaves =
            cm_reshape_control(&plan->from, coupled_after(work, (s + 1) % plan->delta, t - 1), d)
                .nodes;
        if (comes != leaves)
            return false;
    }
    return true;
}

/* One data set in one stage: the elements that were through first go round, the others directly. */
static enum cm_status add_stage(const struct cm_reshape_work *work, const struct stage *stage,
                                uint32_t t, uint32_t s, uint64_t half, uint64_t *offset,
                                struct cm_error *err)
{
    struct cm_reshape_plan *plan = work->plan;
    uint64_t base = set_first(plan->elements, plan->delta, s);
    uint64_t size = set_first(plan->elements, plan->delta, s + 1) - base;
    uint64_t room = stage->overlapped ? half : half + 1;
    uint64_t direct = size < room ? size : room;
    uint64_t round = size - direct;
    uint32_t at = (s + t) % plan->delta;
    struct crossing crossing = {
        .dimension = work->order[at],
        .round = work->order[at] + 1,
        /* a buffer for each side of a boundary at which two sets share a 2-cube */
        .buffer = 4 * at + 2 * (t & 1)};
    crossing.nodes =
        cm_reshape_control(&plan->from, coupled_after(work, s, t), crossing.dimension).nodes;
    uint64_t first_direct = stage->overlapped ? *offset + round : *offset;
    uint64_t first_round = stage->overlapped ? *offset : *offset + direct;
    uint64_t begin = stage->overlapped ? stage->first_step - 2 : stage->first_step;
    enum cm_status status =
        add_cyclic(work, add_round, &crossing, begin, base, size, first_round, round, err);
    if (status == CM_OK)
        status = add_cyclic(work, add_direct, &crossing, stage->first_step, base, size,
                            first_direct, direct, err);
    *offset = size ? first_direct % size : 0;
    return status;
}

/* Theorem 3. A stage takes h + 1 steps, h = ceil(K / 2 delta), and h where it overlaps with the one before. */
enum cm_status cm_reshape_two_path(const struct cm_reshape_work *work, struct cm_error *err)
{
    struct cm_reshape_plan *plan = work->plan;
    uint64_t offsets[64] = {0};
    struct stage stage = {0, false};
    enum cm_status status = check_two_path(work, err);
    if (status != CM_OK)
        return status;
    uint64_t half = divide_up(plan->elements, 2 * (uint64_t)plan->delta);
    plan->bound = plan->delta * half + 1;
    plan->buffer_count = 4 * plan->delta;
    plan->steps = 0;
    for (uint32_t t = 0; status == CM_OK && t < plan->delta; t++) {
        stage.first_step = plan->steps;
        stage.overlapped = t > 0 && may_overlap(work, t, half, stage.overlapped);
        plan->steps += stage.overlapped ? half : half + 1;
        for (uint32_t s = 0; status == CM_OK && s < plan->delta; s++)
            status = add_stage(work, &stage, t, s, half, &offsets[s], err);
    }
    return status;
}

/* The pipeline's hops: in which order, and each with an unused dimension over which it goes round. */
struct pipeline {
    const struct cm_reshape_work *work;
    struct crossing hops[64];
    uint64_t candidates[64]; /* for going round, a bit each */
    uint32_t owner[64];      /* hop + 1 that goes round over a dimension; 0: none */
};

/* Merges from the top, then splits from the bottom, leave each control as many dimensions as they can. */
static void order_hops(struct pipeline *pipeline, uint32_t *order)
{
    const struct cm_reshape_work *work = pipeline->work;
    const struct cm_reshape_plan *plan = work->plan;
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan->delta && work->ordered; i++)
        order[count++] = work->order[i];
    for (uint32_t d = 64; d-- > 0 && !work->ordered;)
        if (plan->processor_dimensions & plan->to.coupled & UINT64_C(1) << d)
            order[count++] = d;
    for (uint32_t d = 0; d < 64 && !work->ordered; d++)
        if (plan->processor_dimensions & plan->from.coupled & UINT64_C(1) << d)
            order[count++] = d;
}

/* Kuhn's augmenting path: gives hop k one of its candidates, moving others if need be. */
static bool assign_round(struct pipeline *pipeline, uint32_t k, uint64_t *tried)
{
    for (uint32_t d = 0; d < 64; d++) {
        uint64_t bit = UINT64_C(1) << d;
        if (!(pipeline->candidates[k] & bit) || (*tried & bit))
            continue;
        *tried |= bit;
        uint32_t owner = pipeline->owner[d];
        if (owner == 0 || assign_round(pipeline, owner - 1, tried)) {
            pipeline->owner[d] = k + 1;
            pipeline->hops[k].round = d;
            return true;
        }
    }
    return false;
}

static enum cm_status prepare_hops(struct pipeline *pipeline, struct cm_error *err)
{
    const struct cm_reshape_work *work = pipeline->work;
    const struct cm_reshape_plan *plan = work->plan;
    uint32_t order[64];
    uint64_t coupled = work->coupled;
    order_hops(pipeline, order);
    for (uint32_t k = 0; k < plan->delta; k++) {
        struct crossing *hop = &pipeline->hops[k];
        struct cm_reshape_control control = cm_reshape_control(&plan->from, coupled, order[k]);
        if (control.locals != 0)
            return refuse_local_control("pipeline", err);
        *hop = (struct crossing){.dimension = order[k], .nodes = control.nodes, .buffer = 2 * k};
        for (uint32_t d = order[k] + 1; d < plan->from.dimensions; d++)
            if ((plan->from.processor & ~plan->processor_dimensions) >> d & 1 &&
                control.nodes >> cube_dimension(work, d) & 1)
                pipeline->candidates[k] |= UINT64_C(1) << d;
        coupled ^= UINT64_C(1) << order[k];
    }
    for (uint32_t k = 0; k < plan->delta; k++) {
        uint64_t tried = 0;
        if (!assign_round(pipeline, k, &tried))
            return cm_error_set(err, CM_BAD_INPUT,
                                "pipeline needs for each dimension an unused more significant one "
                                "(theorem 4) in its control; dimension %" PRIu32 " has none left",
                                pipeline->hops[k].dimension);
    }
    return CM_OK;
}

/* One of the two ways: it goes round at the hops whose number has the parity of `odd`. */
static enum cm_status add_way(const struct pipeline *pipeline, bool odd, uint64_t element,
                              uint64_t count, struct cm_error *err)
{
    const struct cm_reshape_work *work = pipeline->work;
    enum cm_status status = CM_OK;
    uint64_t step = 0;
    for (uint32_t k = 0; status == CM_OK && k < work->plan->delta; k++) {
        bool round = (k & 1) == (odd ? 1 : 0);
        add_run add = round ? add_round : add_direct;
        status = add(work, &pipeline->hops[k], step, element, count, err);
        step += round ? 3 : 1;
    }
    if (count > 0 && step + count - 1 > work->plan->steps)
        work->plan->steps = step + count - 1;
    return status;
}

/* Theorem 4: two streams of elements, each direct where the other goes round. */
enum cm_status cm_reshape_pipeline(const struct cm_reshape_work *work, struct cm_error *err)
{
    struct cm_reshape_plan *plan = work->plan;
    struct pipeline pipeline = {.work = work};
    uint64_t elements = plan->elements;
    if (plan->delta == 0)
        return cm_error_set(err, CM_BAD_INPUT,
                            "pipeline needs an exchange between processors; here is none");
    if (elements < 2 * (uint64_t)plan->delta)
        return cm_error_set(err, CM_BAD_INPUT,
                            "pipeline needs K >= 2 delta (theorem 4); K is %" PRIu64
                            ", delta %" PRIu32,
                            elements, plan->delta);
    enum cm_status status = prepare_hops(&pipeline, err);
    if (status != CM_OK)
        return status;
    plan->buffer_count = 2 * plan->delta;
    plan->bound = divide_up(elements, 2) + 2 * (uint64_t)plan->delta - 1;
    plan->steps = 0;
    /* With an odd delta the first way is two steps shorter and takes one element of the other's more. */
    uint64_t first = divide_up(elements, 2);
    if (plan->delta % 2 == 1 && elements % 2 == 0)
        first++;
    status = add_way(&pipeline, true, 0, first, err);
    if (status == CM_OK)
        status = add_way(&pipeline, false, first, elements - first, err);
    return status;
}
