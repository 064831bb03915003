/*
 * Plans reshapes over paths that need not be shortest. All elements of a sending node go to the
 * same node, so shortest paths leave half of the links of each dimension idle. Here every element
 * has a path of its own, step by step (reshape_paths.c). The number of steps of this algorithm
 * refutes conjecture 1 of the paper (research/conjecture.md).
 *
 * If there are many elements, they are sent in consecutive blocks whose paths are equal. Nodes send
 * different elements in a step, so every element has a stream of its own.
 */
#include "reshape_paths.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* limit on the elements of all nodes, which keeps planning to a second or two */
#define ELEMENTS_MAX 16384u
/* limit on the elements of a block, counted over all nodes. Finding their paths takes about a
 * second */
#define BLOCK_MAX 1024u

struct traveller {
    bool left;       /* true once the element has left its own place */
    bool parked;     /* true if the element is in a buffer of its target node */
    uint32_t node;   /* node that holds the element now */
    uint32_t buffer; /* buffer that holds the element now, or CM_RESHAPE_ARRAY */
};

struct detour {
    const struct cm_reshape_work *work;
    uint32_t bits, nodes;
    uint64_t elements; /* number K of elements in a node */
    struct cm_reshape_paths paths;
    struct traveller *all; /* state of each element, at [node * K + element] */
    uint8_t
        /* Flags of used buffers, at [node * nodes * K + buffer]. A node has enough buffers for all
         * elements of all nodes. */
        *buffers;
    uint32_t buffer_count;
    struct cm_error *err;
    enum cm_status status;
};

static void place_all(struct detour *detour)
{
    for (uint64_t i = 0; i < detour->nodes * detour->elements; i++)
        detour->all[i] = (struct traveller){.node = (uint32_t)(i / detour->elements),
                                            .buffer = CM_RESHAPE_ARRAY};
}

/* Returns the path of an element. Elements at the same place of each block have the same path. */
static const uint8_t *path_of(const struct detour *detour, uint32_t node, uint64_t element)
{
    return cm_reshape_path(&detour->paths, node, (uint32_t)(element % detour->paths.elements));
}

/* For each link, the element that crosses it at a step of a block. NULL: no element crosses. */
typedef struct traveller *crossings[CM_RESHAPE_PATH_NODES][CM_RESHAPE_PATH_BITS];

static void find_crossings(struct detour *detour, uint64_t block, uint32_t step, crossings next)
{
    const struct cm_reshape_paths *paths = &detour->paths;
    memset(next, 0, sizeof(crossings));
    for (uint32_t node = 0; node < detour->nodes; node++)
        for (uint64_t e = 0; e < paths->elements; e++) {
            uint64_t element = block * paths->elements + e;
            struct traveller *traveller = &detour->all[node * detour->elements + element];
            uint8_t hop = path_of(detour, node, element)[step];
            if (hop != CM_RESHAPE_WAIT)
                next[traveller->node][hop] = traveller;
        }
}

static uint32_t take_buffer(struct detour *detour, uint32_t node)
{
    uint8_t *taken = detour->buffers + node * detour->nodes * detour->elements;
    uint32_t buffer = 0;
    while (taken[buffer])
        buffer++;
    taken[buffer] = 1;
    if (buffer >= detour->buffer_count)
        detour->buffer_count = buffer + 1;
    return buffer;
}

static void free_buffer(struct detour *detour, uint32_t node, uint32_t buffer)
{
    if (buffer != CM_RESHAPE_ARRAY)
        detour->buffers[node * detour->nodes * detour->elements + buffer] = 0;
}

/* Adds a stream of one element, which moves in the node `node` alone. */
static void add_stream(struct detour *detour, uint32_t node, struct cm_reshape_stream stream)
{
    uint32_t own = stream.dimension == CM_RESHAPE_WITHIN ? 0 : stream.dimension, used = 0;
    stream.count = 1;
    stream.nodes = UINT64_C(1) << own;
    stream.sender = node >> own & 1;
    stream.receiver = stream.sender != (stream.dimension != CM_RESHAPE_WITHIN);
    for (uint32_t b = 0; b < detour->bits; b++)
        if (b != own)
            stream.when[used++] = (struct cm_reshape_condition){UINT64_C(1) << b, node >> b & 1};
    if (detour->status == CM_OK)
        detour->status = cm_reshape_stream_add(detour->work->plan, stream, detour->err);
}

/* Adds a hop of an element as a stream. The last hop ends at the element's final place if this
 * place is free, otherwise in a buffer. */
static void add_hop(struct detour *detour, struct traveller *traveller, uint32_t d, uint64_t step)
{
    uint64_t number = (uint64_t)(traveller - detour->all), element = number % detour->elements;
    uint32_t from = (uint32_t)(number / detour->elements);
    uint32_t to = traveller->node ^ UINT32_C(1) << d;
    bool last = to == detour->paths.target[from];
    bool there = last && detour->all[to * detour->elements + element].left;
    struct cm_reshape_stream stream = {.first_step = step,
                                       .first_element = element,
                                       .dimension = d,
                                       .source = traveller->buffer,
                                       .target = CM_RESHAPE_ARRAY};
    if (!there)
        stream.target = take_buffer(detour, to);
    add_stream(detour, traveller->node, stream);
    traveller->parked = last && !there;
    traveller->buffer = stream.target;
    traveller->node = to;
}

static void add_step(struct detour *detour, uint64_t block, uint32_t step)
{
    crossings next;
    uint64_t at = block * detour->paths.steps + step;
    find_crossings(detour, block, step, next);
    for (uint32_t node = 0; node < detour->nodes; node++)
        for (uint32_t d = 0; d < detour->bits; d++)
            if (next[node][d] != NULL) {
                next[node][d]->left = true;
                free_buffer(detour, node, next[node][d]->buffer);
            }
    for (uint32_t node = 0; node < detour->nodes; node++)
        for (uint32_t d = 0; d < detour->bits; d++)
            if (next[node][d] != NULL)
                add_hop(detour, next[node][d], d, at);
}

/* Adds the streams of all steps. At the end, elements that arrived before their places were free
 * are moved there. */
static void add_steps(struct detour *detour)
{
    uint64_t blocks = detour->elements / detour->paths.elements;
    place_all(detour);
    for (uint64_t block = 0; block < blocks; block++)
        for (uint32_t step = 0; step < detour->paths.steps; step++)
            add_step(detour, block, step);
    for (uint64_t i = 0; i < detour->nodes * detour->elements; i++)
        if (detour->all[i].parked)
            add_stream(detour, detour->all[i].node,
                       (struct cm_reshape_stream){.first_step = blocks * detour->paths.steps - 1,
                                                  .first_element = i % detour->elements,
                                                  .dimension = CM_RESHAPE_WITHIN,
                                                  .source = detour->all[i].buffer,
                                                  .target = CM_RESHAPE_ARRAY});
}

/* Computes the node to which each node sends its elements. It is the same for every order of the
 * exchanges. Fails with CM_BAD_INPUT if a control depends on local bits. */
static enum cm_status find_targets(struct detour *detour, struct cm_error *err)
{
    const struct cm_reshape_work *work = detour->work;
    for (uint32_t node = 0; node < detour->nodes; node++)
        detour->paths.target[node] = node;
    for (uint32_t done = 0; done < work->plan->delta; done++) {
        struct cm_reshape_control control = cm_reshape_control(
            &work->plan->from, cm_reshape_coupled_after(work, 0, done), work->order[done]);
        uint32_t bit = UINT32_C(1) << cm_allocation_rank(&work->plan->from, work->order[done]);
        if (control.locals != 0)
            return cm_error_set(
                err, CM_BAD_INPUT,
                "detour needs controls that a node knows by its address alone; here a memory "
                "dimension above a processor dimension takes part in one");
        for (uint32_t node = 0; node < detour->nodes; node++)
            if (__builtin_parityll(detour->paths.target[node] & control.nodes))
                detour->paths.target[node] ^= bit;
    }
    return CM_OK;
}

static enum cm_status check_detour(const struct cm_reshape_plan *plan, struct cm_error *err)
{
    if (plan->delta == 0)
        return cm_error_set(
            err, CM_BAD_INPUT,
            "detour needs an exchange between processors; here there is no such exchange");
    if (plan->from.node_bits > CM_RESHAPE_PATH_BITS ||
        plan->elements << plan->from.node_bits > ELEMENTS_MAX)
        return cm_error_set(err, CM_BAD_INPUT,
                            "detour is for at most %u nodes and %u elements over all nodes; here "
                            "they are 2^%" PRIu32 " and %" PRIu64 " in each",
                            CM_RESHAPE_PATH_NODES, ELEMENTS_MAX, plan->from.node_bits,
                            plan->elements);
    return CM_OK;
}

static enum cm_status search(struct detour *detour)
{
    struct cm_reshape_plan *plan = detour->work->plan;
    uint64_t block = detour->elements;
    while (block > 1 && block * detour->nodes > BLOCK_MAX && block % 2 == 0)
        block /= 2;
    detour->paths.elements = (uint32_t)block;
    enum cm_status status = cm_reshape_paths_find(&detour->paths, plan->delta, detour->err);
    if (status != CM_OK)
        return status;
    plan->steps = plan->bound = detour->elements / block * detour->paths.steps;
    add_steps(detour);
    plan->buffer_count = detour->buffer_count;
    plan->own_buffers = true;
    return detour->status;
}

enum cm_status cm_reshape_detour(const struct cm_reshape_work *work, struct cm_error *err)
{
    const struct cm_reshape_plan *plan = work->plan;
    struct detour *detour = calloc(1, sizeof *detour);
    enum cm_status status = check_detour(plan, err);
    if (detour == NULL)
        return cm_error_no_memory(err);
    detour->work = work;
    detour->err = err;
    if (status == CM_OK) {
        detour->bits = detour->paths.bits = plan->from.node_bits;
        detour->nodes = UINT32_C(1) << detour->bits;
        detour->elements = plan->elements;
        status = find_targets(detour, err);
    }
    if (status == CM_OK) {
        size_t all = detour->nodes * detour->elements;
        detour->all = calloc(all, sizeof *detour->all);
        detour->buffers = calloc(detour->nodes, all);
        if (detour->all == NULL || detour->buffers == NULL)
            status = cm_error_no_memory(err);
        else
            status = search(detour);
    }
    cm_reshape_paths_finish(&detour->paths);
    free(detour->all);
    free(detour->buffers);
    free(detour);
    return status;
}
