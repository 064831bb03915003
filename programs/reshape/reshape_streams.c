/*
 * Algorithms of the paper, which plan streams of elements (reshape_streams.h). A stream is a run of
 * elements that cross one dimension, one in each step. A detour of length three around the idle
 * side of a 2-cube (proof of theorem 3) consists of three streams: to the idle node over the other
 * dimension, along the idle side, and back.
 */
#include "reshape_streams.h"

#include "../../base/list.h"

#include <inttypes.h>
#include <string.h>

struct cm_reshape_nodes cm_reshape_nodes_of(const struct cm_reshape_stream *stream, bool parity)
{
    struct cm_reshape_nodes nodes = {.conditions = {{stream->nodes, parity}}};
    memcpy(nodes.conditions + 1, stream->when, sizeof stream->when);
    return nodes;
}

bool cm_reshape_nodes_equal(const struct cm_reshape_nodes *a, const struct cm_reshape_nodes *b)
{
    for (uint32_t i = 0; i < CM_RESHAPE_ALL_CONDITIONS; i++)
        if (a->conditions[i].nodes != b->conditions[i].nodes ||
            a->conditions[i].value != b->conditions[i].value)
            return false;
    return true;
}

bool cm_reshape_nodes_have(const struct cm_reshape_nodes *nodes, uint64_t node)
{
    for (uint32_t i = 0; i < CM_RESHAPE_ALL_CONDITIONS; i++)
        if ((__builtin_parityll(node & nodes->conditions[i].nodes) != 0) !=
            nodes->conditions[i].value)
            return false;
    return true;
}

enum cm_status cm_reshape_stream_add(struct cm_reshape_plan *plan, struct cm_reshape_stream stream,
                                     struct cm_error *err)
{
    if (stream.count == 0)
        return CM_OK;
    stream.stride = stream.stride ? stream.stride : 1;
    if (plan->stream_count == CM_RESHAPE_STREAMS_MAX) {
        cm_error_set(err, CM_NO_MEMORY, "the plan has more than %u pieces", CM_RESHAPE_STREAMS_MAX);
        cm_error_hint(err, "controls that depend on local bits cut it up; use more nodes, or "
                           "the high dimensions as processor dimensions");
        return CM_NO_MEMORY;
    }
    if (!cm_array_room(plan->streams, plan->stream_count, plan->stream_capacity))
        return cm_error_no_memory(err);
    plan->streams[plan->stream_count++] = stream;
    return CM_OK;
}

enum cm_status cm_reshape_swap_stream_add(struct cm_reshape_plan *plan,
                                          struct cm_reshape_stream stream, struct cm_error *err)
{
    if (stream.count == 0)
        return CM_OK;
    stream.stride = 1;
    if (!cm_array_room(plan->swap_streams, plan->swap_stream_count, plan->swap_stream_capacity))
        return cm_error_no_memory(err);
    plan->swap_streams[plan->swap_stream_count++] = stream;
    return CM_OK;
}

uint64_t cm_reshape_unit_bits(const struct cm_reshape_work *work, uint64_t locals)
{
    return work->unit_shift >= 0 ? locals << work->unit_shift : locals >> -work->unit_shift;
}

enum cm_status cm_reshape_add_cut(const struct cm_reshape_work *work,
                                  struct cm_reshape_stream stream, uint64_t locals,
                                  struct cm_error *err)
{
    struct cm_reshape_plan *plan = work->plan;
    uint64_t bits = cm_reshape_unit_bits(work, locals);
    uint64_t left = stream.count;
    uint64_t block = bits & (~bits + 1);
    bool sender = stream.sender, receiver = stream.receiver;
    stream.pair_flips = work->unit_shift < 0 && (locals & 1);
    if (block == 0)
        return cm_reshape_stream_add(plan, stream, err);
    enum cm_status status = CM_OK;
    while (status == CM_OK && left > 0) {
        uint64_t room = block - stream.first_element % block;
        bool turned = __builtin_parityll(stream.first_element & bits) != 0;
        stream.count = left < room ? left : room;
        stream.sender = sender != turned;
        stream.receiver = receiver != turned;
        status = cm_reshape_stream_add(plan, stream, err);
        left -= stream.count;
        stream.first_step += stream.count;
        stream.first_element += stream.count;
    }
    return status;
}

uint64_t cm_reshape_divide_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

static uint32_t cube_dimension(const struct cm_reshape_work *work, uint32_t dimension)
{
    return cm_allocation_rank(&work->plan->from, dimension);
}

uint64_t cm_reshape_set_first(uint64_t elements, uint32_t sets, uint32_t set)
{
    uint64_t longer = elements % sets;
    return elements / sets * set + (set < longer ? set : longer);
}

void cm_reshape_order(const struct cm_reshape_work *work, uint64_t falling, uint64_t rising,
                      uint32_t *order)
{
    uint64_t dimensions = work->plan->processor_dimensions;
    uint32_t count = 0;
    for (uint32_t i = 0; i < work->plan->delta && work->ordered; i++)
        order[count++] = work->order[i];
    for (uint32_t d = 64; d-- > 0 && !work->ordered;)
        if ((dimensions & falling) >> d & 1)
            order[count++] = d;
    for (uint32_t d = 0; d < 64 && !work->ordered; d++)
        if ((dimensions & rising) >> d & 1)
            order[count++] = d;
}

uint64_t cm_reshape_coupled_after(const struct cm_reshape_work *work, uint32_t s, uint32_t done)
{
    uint64_t coupled = work->coupled;
    for (uint32_t i = 0; i < done; i++)
        coupled ^= UINT64_C(1) << work->order[(s + i) % work->plan->delta];
    return coupled;
}

bool cm_reshape_control_is_local(const struct cm_reshape_work *work, uint32_t s, uint32_t done)
{
    uint32_t d = work->order[(s + done) % work->plan->delta];
    return cm_reshape_control(&work->plan->from, cm_reshape_coupled_after(work, s, done), d)
               .locals != 0;
}

/* Returns true if some control of the algorithm "rotate" depends on local bits. */
static bool rotation_is_local(const struct cm_reshape_work *work)
{
    for (uint32_t s = 0; s < work->plan->delta; s++)
        for (uint32_t stage = 0; stage < work->plan->delta; stage++)
            if (cm_reshape_control_is_local(work, s, stage))
                return true;
    return false;
}

/* Adds the crossing of dimension `d` by all elements of a stream, after data set `set` has made
 * `done` exchanges. */
static enum cm_status add_exchange(const struct cm_reshape_work *work, uint32_t set, uint32_t done,
                                   struct cm_reshape_stream stream, struct cm_error *err)
{
    uint32_t d = work->order[(set + done) % work->plan->delta];
    struct cm_reshape_control control =
        cm_reshape_control(&work->plan->from, cm_reshape_coupled_after(work, set, done), d);
    stream.nodes = control.nodes;
    stream.dimension = cube_dimension(work, d);
    stream.source = stream.target = CM_RESHAPE_ARRAY;
    stream.sender = stream.receiver = true;
    return cm_reshape_add_cut(work, stream, control.locals, err);
}

/*
 * Implements theorem 2 of the paper: data set s takes the dimensions in cyclic order from order[s]
 * on. Elements are assigned to the sets in turn. So delta neighbouring elements finish within delta
 * steps, and touch few pages and stay in the host's caches. If controls depend on local bits, the
 * sets are runs of consecutive elements instead, so that the control seldom changes.
 */
enum cm_status cm_reshape_rotate(const struct cm_reshape_work *work, struct cm_error *err)
{
    struct cm_reshape_plan *plan = work->plan;
    uint32_t delta = plan->delta;
    uint64_t longest = delta ? cm_reshape_divide_up(plan->elements, delta) : 0;
    bool runs = rotation_is_local(work);
    enum cm_status status = CM_OK;
    plan->steps = plan->bound = delta * longest;
    for (uint32_t stage = 0; stage < delta; stage++)
        for (uint32_t s = 0; status == CM_OK && s < delta; s++) {
            uint64_t first = cm_reshape_set_first(plan->elements, delta, s);
            struct cm_reshape_stream stream = {
                .first_step = runs ? stage * longest : stage,
                .count = cm_reshape_set_first(plan->elements, delta, s + 1) - first,
                .first_element = runs ? first : s,
                .stride = runs ? 1 : delta,
            };
            status = add_exchange(work, s, stage, stream, err);
        }
    return status;
}

/* Implements the algorithm of section 4 of the paper with one starting dimension: all elements make
 * one exchange before the next exchange begins. */
static enum cm_status exchange_all(const struct cm_reshape_work *work, struct cm_error *err)
{
    struct cm_reshape_plan *plan = work->plan;
    enum cm_status status = CM_OK;
    plan->steps = plan->bound = plan->delta * plan->elements;
    for (uint32_t stage = 0; status == CM_OK && stage < plan->delta; stage++) {
        struct cm_reshape_stream stream = {.first_step = stage * plan->elements,
                                           .count = plan->elements};
        status = add_exchange(work, 0, stage, stream, err);
    }
    return status;
}

/* Plans one pipeline: all elements take the dimensions in one order, one element after the other.
 */
enum cm_status cm_reshape_single_path(const struct cm_reshape_work *work, struct cm_error *err)
{
    struct cm_reshape_plan *plan = work->plan;
    enum cm_status status = CM_OK;
    plan->steps = plan->bound = plan->delta ? plan->elements + plan->delta - 1 : 0;
    for (uint32_t stage = 0; status == CM_OK && stage < plan->delta; stage++) {
        struct cm_reshape_stream stream = {.first_step = stage, .count = plan->elements};
        status = add_exchange(work, 0, stage, stream, err);
    }
    return status;
}

/*
 * Implements section 4 of the paper, conversion between Gray code and binary code: exchanges in all
 * dimensions except the most significant. All elements start in one dimension. Or, by theorem 5, a
 * data set starts in each dimension at once (figure 5).
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

enum cm_status cm_reshape_add_direct(const struct cm_reshape_work *work,
                                     const struct cm_reshape_crossing *crossing, uint64_t step,
                                     uint64_t element, uint64_t count, struct cm_error *err)
{
    return cm_reshape_stream_add(
        work->plan,
        (struct cm_reshape_stream){
            .first_step = step,
            .count = count,
            .first_element = element,
            .nodes = crossing->nodes,
            .when = {crossing->when[0], crossing->when[1], crossing->when[2]},
            .dimension = cube_dimension(work, crossing->dimension),
            .source = CM_RESHAPE_ARRAY,
            .target = CM_RESHAPE_ARRAY,
            .sender = true,
            .receiver = true},
        err);
}

/* Adds detours around a 2-cube. An element of node 10 takes the path 10 - 00 - 01 - 11, and an
 * element of node 11 the reverse path (proof of theorem 3 in the paper). */
enum cm_status cm_reshape_add_detour(const struct cm_reshape_work *work,
                                     const struct cm_reshape_crossing *crossing, uint64_t step,
                                     uint64_t element, uint64_t count, struct cm_error *err)
{
    uint32_t across = cube_dimension(work, crossing->dimension);
    uint32_t detour = cube_dimension(work, crossing->detour);
    const struct cm_reshape_stream hops[3] = {
        {.dimension = detour,
         .source = CM_RESHAPE_ARRAY,
         .target = crossing->buffer,
         .sender = true},
        {.dimension = across, .source = crossing->buffer, .target = crossing->buffer + 1},
        {.dimension = detour,
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
        memcpy(stream.when, crossing->when, sizeof stream.when);
        status = cm_reshape_stream_add(work->plan, stream, err);
    }
    return status;
}

/* Implements lemma 1 of the paper: bit m + 1 of an element's number is the sum, modulo 2, of
 * address bits from m + 1 up to the first dimension that is not coupled. */
struct cm_reshape_control cm_reshape_control(const struct cm_allocation *allocation,
                                             uint64_t coupled, uint32_t dimension)
{
    struct cm_reshape_control control = {0, 0};
    for (uint32_t m = dimension + 1; m < allocation->dimensions; m++) {
        uint64_t bit = UINT64_C(1) << cm_allocation_rank(allocation, m);
        if (allocation->processor >> m & 1)
            control.nodes |= bit;
        else
            control.locals |= bit;
        if (!(coupled >> m & 1))
            break;
    }
    return control;
}
