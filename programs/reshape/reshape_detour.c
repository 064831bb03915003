/*
 * Reshapes over paths that need not be the shortest. All elements of a node that has to send go to
 * one other node; on shortest paths half of the links in each dimension are idle. Here every
 * element gets a path of its own: again and again each is taken out and put on the path whose links
 * are the least loaded, until the load is even. Then all links are filled step by step, with those
 * first that have the longest way to go. Conjecture 1 of the paper is false for the steps that this
 * takes (docs/conjecture.md).
 *
 * What is sent differs from node to node, so that every element has a stream of its own.
 */
#include "reshape_streams.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NODE_BITS_MAX (CM_RESHAPE_CONDITIONS + 1) /* a stream names its node, bit by bit */
#define NODES_MAX     (1u << NODE_BITS_MAX)
#define ELEMENTS_MAX  16384u /* over all nodes: a plan takes a second or two */
#define HOPS_MAX      (NODE_BITS_MAX + 3u)
#define ROUNDS        8u /* of taking elements out and putting them back */

struct traveller {
    uint8_t hops[HOPS_MAX];
    uint8_t length, done;
    bool left;       /* its own place */
    bool parked;     /* at its node, but not yet in its place there */
    uint32_t node;   /* where it is */
    uint32_t buffer; /* where it is there, or CM_RESHAPE_ARRAY */
};

struct detour {
    const struct cm_reshape_work *work;
    uint32_t bits, nodes;
    uint64_t elements; /* K */
    uint32_t target[NODES_MAX];
    uint64_t load[NODES_MAX][NODE_BITS_MAX];
    struct traveller *all, *best; /* at [node * K + element] */
    uint8_t
        *buffers; /* taken: at [node * nodes * K + buffer], enough for all elements in one node */
    uint32_t buffer_count;
    struct cm_error *err;
    enum cm_status status;
};

/* What an element's hop over a link with this load costs: steep, so that loads become even. */
static double price(const struct detour *detour, uint64_t load)
{
    double share = (double)(load + 1) / (double)detour->elements;
    for (uint32_t i = 0; i < 4; i++)
        share *= share;
    return share + 1e-9; /* of two even ways the shorter one */
}

/* The cheapest paths of 0, 1, ... hops to each node, and the last hop of each. */
struct paths {
    double cost[HOPS_MAX + 1][NODES_MAX];
    uint8_t last[HOPS_MAX + 1][NODES_MAX];
};

static void find_paths(const struct detour *detour, uint32_t from, uint32_t most,
                       struct paths *paths)
{
    for (uint32_t h = 0; h <= most; h++)
        for (uint32_t node = 0; node < detour->nodes; node++)
            paths->cost[h][node] = 1e300;
    paths->cost[0][from] = 0;
    for (uint32_t h = 0; h < most; h++)
        for (uint32_t node = 0; node < detour->nodes; node++)
            for (uint32_t d = 0; d < detour->bits && paths->cost[h][node] < 1e299; d++) {
                double cost = paths->cost[h][node] + price(detour, detour->load[node][d]);
                uint32_t next = node ^ UINT32_C(1) << d;
                if (cost < paths->cost[h + 1][next]) {
                    paths->cost[h + 1][next] = cost;
                    paths->last[h + 1][next] = (uint8_t)d;
                }
            }
}

static void choose_path(const struct detour *detour, struct traveller *traveller, uint32_t from,
                        bool shortest)
{
    struct paths paths;
    uint32_t to = detour->target[from], best = 1;
    uint32_t most = shortest ? (uint32_t)__builtin_popcount(from ^ to) : detour->bits + 3;
    find_paths(detour, from, most, &paths);
    for (uint32_t h = 2; h <= most; h++)
        if (paths.cost[h][to] < paths.cost[best][to])
            best = h;
    traveller->length = (uint8_t)best;
    for (uint32_t h = best; h > 0; h--) {
        traveller->hops[h - 1] = paths.last[h][to];
        to ^= UINT32_C(1) << paths.last[h][to];
    }
}

static void put_load(struct detour *detour, const struct traveller *traveller, uint32_t from,
                     bool add)
{
    for (uint32_t h = 0; h < traveller->length; h++) {
        uint64_t *load = &detour->load[from][traveller->hops[h]];
        *load = add ? *load + 1 : *load - 1;
        from ^= UINT32_C(1) << traveller->hops[h];
    }
}

static void route_all(struct detour *detour, bool shortest)
{
    for (uint64_t e = 0; e < detour->elements; e++)
        for (uint32_t node = 0; node < detour->nodes; node++) {
            struct traveller *traveller = &detour->all[node * detour->elements + e];
            if (detour->target[node] == node)
                continue;
            put_load(detour, traveller, node, false);
            choose_path(detour, traveller, node, shortest);
            put_load(detour, traveller, node, true);
        }
}

static uint64_t place_all(struct detour *detour)
{
    uint64_t travelling = 0;
    for (uint64_t i = 0; i < detour->nodes * detour->elements; i++) {
        struct traveller *traveller = &detour->all[i];
        traveller->done = 0;
        traveller->left = traveller->parked = false;
        traveller->node = (uint32_t)(i / detour->elements);
        traveller->buffer = CM_RESHAPE_ARRAY;
        travelling += traveller->length > 0;
    }
    return travelling;
}

/* Whether an element has the longer way to go, or as long a way but has come further. */
static bool is_before(const struct traveller *a, const struct traveller *b)
{
    uint32_t a_left = a->length - a->done, b_left = b->length - b->done;
    return a_left > b_left || (a_left == b_left && a->done > b->done);
}

/* For each link the element that crosses it next: of those that wait for it the one with the
 * longest way to go; NULL: none waits. */
typedef struct traveller *crossings[NODES_MAX][NODE_BITS_MAX];

static void choose_crossings(struct detour *detour, crossings next)
{
    memset(next, 0, sizeof(crossings));
    for (uint64_t i = 0; i < detour->nodes * detour->elements; i++) {
        struct traveller *traveller = &detour->all[i];
        if (traveller->done == traveller->length)
            continue;
        struct traveller **link = &next[traveller->node][traveller->hops[traveller->done]];
        if (*link == NULL || is_before(traveller, *link))
            *link = traveller;
    }
}

/* The steps that the paths take. */
static uint64_t count_steps(struct detour *detour)
{
    uint64_t left = place_all(detour), steps = 0;
    crossings next;
    for (; left > 0; steps++) {
        choose_crossings(detour, next);
        for (uint32_t node = 0; node < detour->nodes; node++)
            for (uint32_t d = 0; d < detour->bits; d++) {
                struct traveller *traveller = next[node][d];
                if (traveller == NULL)
                    continue;
                traveller->node ^= UINT32_C(1) << d;
                left -= ++traveller->done == traveller->length;
            }
    }
    return steps;
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

/* A stream of one element of one node. */
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

/* One hop as a stream. Its last leads to the element's place if that is free, else to a buffer. */
static void add_hop(struct detour *detour, struct traveller *traveller, uint64_t step)
{
    uint64_t number = (uint64_t)(traveller - detour->all), element = number % detour->elements;
    uint32_t d = traveller->hops[traveller->done], to = traveller->node ^ UINT32_C(1) << d;
    bool last = traveller->done + 1 == traveller->length;
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
    traveller->done++;
}

static void add_step(struct detour *detour, uint64_t step)
{
    crossings next;
    choose_crossings(detour, next);
    for (uint32_t node = 0; node < detour->nodes; node++)
        for (uint32_t d = 0; d < detour->bits; d++)
            if (next[node][d] != NULL) {
                next[node][d]->left = true;
                free_buffer(detour, node, next[node][d]->buffer);
            }
    for (uint32_t node = 0; node < detour->nodes; node++)
        for (uint32_t d = 0; d < detour->bits; d++)
            if (next[node][d] != NULL)
                add_hop(detour, next[node][d], step);
}

/* All steps; last, elements that came before their places were free go there. */
static void add_steps(struct detour *detour, uint64_t steps)
{
    place_all(detour);
    for (uint64_t step = 0; step < steps; step++)
        add_step(detour, step);
    for (uint64_t i = 0; i < detour->nodes * detour->elements; i++)
        if (detour->all[i].parked)
            add_stream(detour, detour->all[i].node,
                       (struct cm_reshape_stream){.first_step = steps - 1,
                                                  .first_element = i % detour->elements,
                                                  .dimension = CM_RESHAPE_WITHIN,
                                                  .source = detour->all[i].buffer,
                                                  .target = CM_RESHAPE_ARRAY});
}

/* Where each node's elements go: through all exchanges, in any order. */
static enum cm_status find_targets(struct detour *detour, struct cm_error *err)
{
    const struct cm_reshape_work *work = detour->work;
    for (uint32_t node = 0; node < detour->nodes; node++)
        detour->target[node] = node;
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
            if (__builtin_parityll(detour->target[node] & control.nodes))
                detour->target[node] ^= bit;
    }
    return CM_OK;
}

static enum cm_status check_detour(const struct cm_reshape_plan *plan, struct cm_error *err)
{
    if (plan->delta == 0)
        return cm_error_set(
            err, CM_BAD_INPUT,
            "detour needs an exchange between processors; here there is no such exchange");
    if (plan->from.node_bits > NODE_BITS_MAX ||
        plan->elements << plan->from.node_bits > ELEMENTS_MAX)
        return cm_error_set(err, CM_BAD_INPUT,
                            "detour is for at most %u nodes and %u elements over all nodes; here "
                            "they are 2^%" PRIu32 " and %" PRIu64 " in each",
                            NODES_MAX, ELEMENTS_MAX, plan->from.node_bits, plan->elements);
    return CM_OK;
}

static void search(struct detour *detour)
{
    struct cm_reshape_plan *plan = detour->work->plan;
    size_t bytes = detour->nodes * detour->elements * sizeof *detour->all;
    plan->steps = UINT64_MAX;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        route_all(detour, round == 0); /* for few elements no way round pays */
        uint64_t steps = count_steps(detour);
        if (steps < plan->steps) {
            plan->steps = steps;
            memcpy(detour->best, detour->all, bytes);
        }
    }
    memcpy(detour->all, detour->best, bytes);
    plan->bound = plan->steps;
    add_steps(detour, plan->steps);
    plan->buffer_count = detour->buffer_count;
    plan->own_buffers = true;
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
        detour->bits = plan->from.node_bits;
        detour->nodes = UINT32_C(1) << detour->bits;
        detour->elements = plan->elements;
        status = find_targets(detour, err);
    }
    if (status == CM_OK) {
        size_t all = detour->nodes * detour->elements;
        detour->all = calloc(all, sizeof *detour->all);
        detour->best = calloc(all, sizeof *detour->best);
        detour->buffers = calloc(detour->nodes, all);
        if (detour->all == NULL || detour->best == NULL || detour->buffers == NULL)
            status = cm_error_no_memory(err);
        else
            search(detour);
    }
    if (status == CM_OK)
        status = detour->status;
    free(detour->all);
    free(detour->best);
    free(detour->buffers);
    free(detour);
    return status;
}
