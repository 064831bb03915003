/* First part of a plan of a reshape: lists the exchanges, orders them, computes their controls, and
 * chooses the algorithm. */
#include "reshape_streams.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cm_reshape_plan_finish(struct cm_reshape_plan *plan)
{
    void *owned[] = {plan->exchanges, plan->streams, plan->swaps, plan->rounds, plan->swap_streams};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    plan->exchanges = NULL;
    plan->streams = plan->swap_streams = NULL;
    plan->swaps = NULL;
    plan->rounds = NULL;
}

static const struct {
    const char *name;
    cm_reshape_method method;
} algorithms[CM_RESHAPE_ALGORITHM_COUNT] = {
    [CM_RESHAPE_AUTO] = {"auto", NULL},
    [CM_RESHAPE_ROTATE] = {"rotate", cm_reshape_rotate},
    [CM_RESHAPE_TWO_PATH] = {"two-path", cm_reshape_two_path},
    [CM_RESHAPE_PIPELINE] = {"pipeline", cm_reshape_pipeline},
    [CM_RESHAPE_GRAY_BINARY] = {"gray-binary", cm_reshape_gray_binary},
    [CM_RESHAPE_OPEN_SHOP] = {"open-shop", cm_reshape_open_shop},
    [CM_RESHAPE_DETOUR] = {"detour", cm_reshape_detour},
    [CM_RESHAPE_SINGLE_PATH] = {"single-path", cm_reshape_single_path},
};

const char *cm_reshape_algorithm_name(enum cm_reshape_algorithm algorithm)
{
    return algorithm < CM_RESHAPE_ALGORITHM_COUNT ? algorithms[algorithm].name : "unknown";
}

/* size of a list in characters, enough for 62 dimensions with commas */
#define DIMENSION_LIST_MAX 256u

static const char *list_dimensions(uint64_t dimensions, char *list)
{
    size_t used = 0;
    for (uint32_t d = 64; d-- > 0;)
        if ((dimensions >> d & 1) && used < DIMENSION_LIST_MAX)
            used += (size_t)snprintf(list + used, DIMENSION_LIST_MAX - used, "%s%" PRIu32,
                                     used ? "," : "", d);
    return used ? list : "none";
}

/* Adds a hint to an error: the dimensions that an order or a start may name. */
static enum cm_status hint_dimensions(uint64_t dimensions, struct cm_error *err)
{
    char list[DIMENSION_LIST_MAX];
    if (dimensions == 0)
        cm_error_hint(err, "leave it out: there is nothing to exchange");
    else
        cm_error_hint(err, "the dimensions to exchange are %s", list_dimensions(dimensions, list));
    return CM_BAD_INPUT;
}

static enum cm_status check_order(const struct cm_reshape_request *request, uint64_t dimensions,
                                  struct cm_error *err)
{
    uint64_t seen = 0;
    for (uint32_t i = 0; i < request->order_count; i++) {
        uint32_t d = request->order[i];
        bool known = d < 64 && (dimensions >> d & 1);
        if (!known || (seen >> d & 1)) {
            cm_error_set(err, CM_BAD_INPUT,
                         "the order is not a permutation of the dimensions to exchange: it has "
                         "%" PRIu32 "%s",
                         d, known ? " twice" : "");
            return hint_dimensions(dimensions, err);
        }
        seen |= UINT64_C(1) << d;
    }
    if (seen == dimensions)
        return CM_OK;
    cm_error_set(err, CM_BAD_INPUT,
                 "the order is not a permutation of the dimensions to exchange: it lacks %d",
                 __builtin_ctzll(dimensions & ~seen));
    return hint_dimensions(dimensions, err);
}

static enum cm_status check_start(const struct cm_reshape_request *request, uint64_t dimensions,
                                  struct cm_error *err)
{
    if (request->algorithm != CM_RESHAPE_GRAY_BINARY)
        return cm_error_refuse(
            err, "leave it out, or choose gray-binary",
            "one starting dimension for all elements is a form of gray-binary, not of %s",
            cm_reshape_algorithm_name(request->algorithm));
    if (request->start < 64 && (dimensions >> request->start & 1))
        return CM_OK;
    cm_error_set(err, CM_BAD_INPUT,
                 "the start, %" PRIu32 ", is not one of the dimensions to exchange",
                 request->start);
    return hint_dimensions(dimensions, err);
}

/* Lists the dimensions that the reshape exchanges, in the requested order. If the request has a
 * starting dimension, the list is rotated to begin with it. */
static void list_order(const struct cm_reshape_request *request, uint64_t dimensions,
                       uint32_t *order, uint32_t count)
{
    uint32_t turned[64], used = 0, first = 0;
    for (uint32_t d = 64; d-- > 0 && !request->order;)
        if (dimensions >> d & 1)
            order[used++] = d;
    for (uint32_t i = 0; i < count && request->order; i++)
        order[i] = request->order[i];
    if (!request->has_start)
        return;
    memcpy(turned, order, count * sizeof *order);
    while (first + 1 < count && order[first] != request->start)
        first++;
    for (uint32_t i = 0; i < count; i++)
        order[i] = turned[(first + i) % count];
}

/* Lists the exchanges in the requested order, memory dimensions first. The control of an exchange
 * depends on the exchanges before it. */
static enum cm_status order_exchanges(const struct cm_reshape_request *request,
                                      struct cm_reshape_plan *plan, struct cm_error *err)
{
    uint32_t count = (uint32_t)__builtin_popcountll(plan->dimensions);
    uint64_t coupled = plan->from.coupled;
    uint32_t order[64];
    list_order(request, plan->dimensions, order, count);
    plan->exchanges = calloc(count + 1u, sizeof *plan->exchanges);
    if (!plan->exchanges)
        return cm_error_no_memory(err);
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < count; i++) {
            uint32_t d = order[i];
            bool processor = plan->from.processor >> d & 1;
            if (processor != (pass == 1))
                continue;
            struct cm_reshape_exchange *exchange = &plan->exchanges[plan->exchange_count++];
            exchange->dimension = d;
            exchange->control = cm_reshape_control(&plan->from, coupled, d);
            coupled ^= UINT64_C(1) << d;
            plan->local_count += pass == 0;
        }
    return CM_OK;
}

static void drop_streams(struct cm_reshape_plan *plan)
{
    free(plan->streams);
    plan->streams = NULL;
    plan->stream_count = plan->stream_capacity = 0;
    plan->buffer_count = 0;
    plan->partners = plan->own_buffers = false;
}

/* Records in the plan why the candidate `algorithm`, which takes `steps` steps, was rejected. */
static void record_reason(const struct cm_reshape_work *work, int algorithm, uint64_t steps)
{
    struct cm_reshape_plan *plan = work->plan;
    char *reason = plan->reasons[algorithm];
    size_t size = sizeof plan->reasons[algorithm];
    if (work->auto_algorithm != CM_RESHAPE_AUTO && steps < plan->steps)
        snprintf(reason, size, "it takes %" PRIu64 " steps, but more cycles", steps);
    else
        snprintf(reason, size,
                 steps < plan->steps ? "it takes %" PRIu64
                                       " steps, but moves elements within nodes, which costs "
                                       "more than the step that it saves of %" PRIu64
                                     : "it takes %" PRIu64 " steps, no fewer than %" PRIu64,
                 steps, plan->steps);
}

/* Tries every algorithm from rotate to open-shop. Detour is left out, because its few steps need
 * many cycles within the nodes. Keeps the first plan with the fewest steps. */
static enum cm_status choose(const struct cm_reshape_work *work, struct cm_error *err)
{
    struct cm_reshape_plan *plan = work->plan;
    struct cm_reshape_plan best = *plan;
    struct cm_error reason;
    uint64_t steps[CM_RESHAPE_ALGORITHM_COUNT] = {0};
    best.steps = UINT64_MAX;
    for (int a = CM_RESHAPE_ROTATE; a < CM_RESHAPE_DETOUR; a++) {
        memset(&reason, 0, sizeof reason);
        enum cm_status status = algorithms[a].method(work, &reason);
        if (status == CM_OK && work->no_partners && plan->partners)
            status = cm_error_set(&reason, CM_BAD_INPUT,
                                  "it takes %" PRIu64
                                  " steps, but moves elements within nodes and takes more cycles",
                                  plan->steps);
        /* If an open shop and a pipeline take the same number of steps, the open shop is better,
         * because it has no detours. */
        bool even = a == CM_RESHAPE_OPEN_SHOP && best.algorithm == CM_RESHAPE_PIPELINE;
        /* Partners cost moves in each node. Except in an open shop, elements of different
         * dimensions also wait for each other, so that saving a single step does not pay. */
        uint64_t cost = plan->steps + (a != CM_RESHAPE_OPEN_SHOP && plan->partners);
        bool wanted = work->auto_algorithm == CM_RESHAPE_AUTO || (int)work->auto_algorithm == a;
        if (status == CM_OK && wanted && cost < best.steps + even) {
            free(best.streams);
            best = *plan;
            best.algorithm = (enum cm_reshape_algorithm)a;
            plan->streams = NULL;
        } else if (status != CM_OK) {
            snprintf(plan->reasons[a], sizeof plan->reasons[a], "%.159s", reason.message);
        }
        steps[a] = status == CM_OK ? plan->steps : 0;
        bool crowded = plan->stream_count == CM_RESHAPE_STREAMS_MAX;
        bool none_left = a + 1 == CM_RESHAPE_DETOUR && best.steps == UINT64_MAX;
        drop_streams(plan);
        if (status == CM_NO_MEMORY && (!crowded || none_left)) {
            free(best.streams);
            if (err != NULL)
                *err = reason;
            return status;
        }
    }
    if (best.steps == UINT64_MAX)
        return cm_error_set(err, CM_BAD_INPUT, "%s is not possible here",
                            cm_reshape_algorithm_name(work->auto_algorithm));
    memcpy(best.reasons, plan->reasons, sizeof best.reasons);
    *plan = best;
    for (int a = CM_RESHAPE_ROTATE; a < CM_RESHAPE_DETOUR; a++)
        if (a != (int)plan->algorithm && plan->reasons[a][0] == '\0')
            record_reason(work, a, steps[a]);
    return CM_OK;
}

static enum cm_status run_algorithm(const struct cm_reshape_work *work,
                                    enum cm_reshape_algorithm algorithm, struct cm_error *err)
{
    struct cm_reshape_plan *plan = work->plan;
    plan->algorithm = algorithm;
    if (algorithm == CM_RESHAPE_AUTO)
        return choose(work, err);
    if (algorithm >= CM_RESHAPE_ALGORITHM_COUNT)
        return cm_error_set(err, CM_BAD_INPUT, "the algorithm is not known");
    enum cm_status status = algorithms[algorithm].method(work, err);
    if (status == CM_BAD_INPUT)
        cm_error_hint(err, "auto takes the fewest steps that the conditions allow");
    return status;
}

static enum cm_status plan_processors(const struct cm_reshape_request *request,
                                      struct cm_reshape_plan *plan, struct cm_error *err)
{
    uint32_t order[64];
    struct cm_reshape_work work = {.plan = plan,
                                   .order = order,
                                   .ordered = request->order != NULL,
                                   .coupled = plan->from.coupled,
                                   .unit_shift = request->unit_shift,
                                   .no_partners = request->no_partners,
                                   .auto_algorithm = request->auto_algorithm};
    for (uint32_t i = 0; i < plan->local_count; i++)
        work.coupled ^= UINT64_C(1) << plan->exchanges[i].dimension;
    for (uint32_t i = 0; i < plan->delta; i++)
        order[i] = plan->exchanges[plan->local_count + i].dimension;
    plan->lower_bound = plan->delta ? plan->elements / 2 + plan->elements % 2 : 0;
    return run_algorithm(&work, request->algorithm, err);
}

enum cm_status cm_reshape_plan_make(const struct cm_reshape_request *request,
                                    struct cm_reshape_plan *plan, struct cm_error *err)
{
    memset(plan, 0, sizeof *plan);
    plan->from = request->from;
    plan->to = request->to;
    if (plan->from.dimensions != plan->to.dimensions)
        return cm_error_refuse(err, "a reshape keeps the number of elements",
                               "the sizes differ: 2^%" PRIu32 " elements from, 2^%" PRIu32 " to",
                               plan->from.dimensions, plan->to.dimensions);
    if (plan->from.node_bits != plan->to.node_bits)
        return cm_error_set(err, CM_BAD_INPUT, "a reshape keeps the number of nodes");
    if (plan->from.permuted || (plan->to.permuted && plan->to.coupled != 0))
        return cm_error_refuse(err, "allocations of meshes are for FFT communication",
                               "a reshape permutes binary dimensions, from plain ones");
    plan->dimensions = plan->from.coupled ^ plan->to.coupled;
    plan->processor_dimensions = plan->dimensions & plan->from.processor;
    plan->delta = (uint32_t)__builtin_popcountll(plan->processor_dimensions);
    plan->elements = request->elements
                         ? request->elements
                         : UINT64_C(1) << (plan->from.dimensions - plan->from.node_bits);
    enum cm_status status = CM_OK;
    plan->has_start = request->has_start;
    plan->start = request->start;
    if (request->order)
        status = check_order(request, plan->dimensions, err);
    if (status == CM_OK && request->has_start)
        status = check_start(request, plan->dimensions, err);
    if (status == CM_OK)
        status = order_exchanges(request, plan, err);
    if (status == CM_OK)
        status = plan_processors(request, plan, err);
    if (status == CM_OK)
        status = cm_reshape_permute(plan, request->unit_shift, err);
    if (status == CM_OK)
        plan->link_load_max = cm_reshape_link_load(plan);
    if (status == CM_OK && plan->link_load_max == UINT64_MAX)
        status = cm_error_no_memory(err);
    return status;
}
