/*
 * Plans reshapes by theorem 4 of the paper: two paths through all dimensions in one order. Where
 * one path goes directly, the other makes a detour over an unused dimension. If a control depends
 * on local bits, the two paths carry partners (reshape_pairs.h): one element crosses while its
 * partner stays, and both are done in one step.
 */
#include "reshape_pairs.h"

#include <inttypes.h>

/* Hops of the pipeline in order. A hop is an exchange in one dimension, and its detour uses another
 * dimension that is idle then. */
struct pipeline {
    const struct cm_reshape_work *work;
    struct cm_reshape_crossing hops[64];
    struct cm_reshape_control controls[64];
    /* bits in which the numbers of partners differ. 0: no control depends on local bits */
    uint64_t with;
    bool has_detour; /* true if some hop has a detour */
    /* for each hop, the dimensions that its detour may use, one bit each */
    uint64_t candidates[64];
    /* for each dimension, the number of the hop whose detour uses it, plus 1. 0: no detour uses
     * it */
    uint32_t owner[64];
};

/* Assigns a dimension to the detour of hop k by Kuhn's augmenting path. The hop takes one of its
 * candidates, and the hops that hold candidates move to others if necessary. */
static bool assign_detour(struct pipeline *pipeline, uint32_t k, uint64_t *tried)
{
    for (uint32_t d = 0; d < 64; d++) {
        uint64_t bit = UINT64_C(1) << d;
        if (!(pipeline->candidates[k] & bit) || (*tried & bit))
            continue;
        *tried |= bit;
        uint32_t owner = pipeline->owner[d];
        if (owner == 0 || assign_detour(pipeline, owner - 1, tried)) {
            pipeline->owner[d] = k + 1;
            pipeline->hops[k].detour = d;
            return true;
        }
    }
    return false;
}

static enum cm_status prepare_hops(struct pipeline *pipeline, struct cm_error *err)
{
    const struct cm_reshape_work *work = pipeline->work;
    const struct cm_reshape_plan *plan = work->plan;
    struct cm_reshape_bits partners = {.count = 0};
    uint32_t order[64];
    uint64_t coupled = work->coupled;
    /* Merges before splits leave the most dimensions unused above each dimension, for detours. A
     * merge joins two axes, and a split cuts one. */
    cm_reshape_order(work, plan->to.coupled, plan->from.coupled, order);
    for (uint32_t k = 0; k < plan->delta; k++) {
        struct cm_reshape_crossing *hop = &pipeline->hops[k];
        struct cm_reshape_control control = cm_reshape_control(&plan->from, coupled, order[k]);
        uint64_t locals = cm_reshape_unit_bits(work, control.locals);
        if (control.locals != 0 && !cm_reshape_bits_add(&partners, locals, true))
            return cm_error_set(err, CM_BAD_INPUT,
                                "pipeline needs elements with opposite controls where these depend "
                                "on memory dimensions; dimension %" PRIu32 " has no such elements",
                                order[k]);
        pipeline->controls[k] = control;
        *hop = (struct cm_reshape_crossing){
            .dimension = order[k], .nodes = control.nodes, .buffer = 2 * k};
        for (uint32_t d = order[k] + 1; d < plan->from.dimensions; d++)
            if ((plan->from.processor & ~plan->processor_dimensions) >> d & 1 &&
                control.nodes >> cm_allocation_rank(&plan->from, d) & 1)
                pipeline->candidates[k] |= UINT64_C(1) << d;
        coupled ^= UINT64_C(1) << order[k];
    }
    pipeline->with = cm_reshape_bits_solve(&partners);
    for (uint32_t k = 0; k < plan->delta; k++) {
        uint64_t tried = 0;
        if (pipeline->controls[k].locals != 0)
            continue;
        pipeline->has_detour = true;
        if (!assign_detour(pipeline, k, &tried))
            return cm_error_set(err, CM_BAD_INPUT,
                                "pipeline needs for each dimension an unused more significant one "
                                "(theorem 4) in its control; dimension %" PRIu32 " has none left",
                                pipeline->hops[k].dimension);
    }
    return CM_OK;
}

/* Progress of the two paths of the pipeline. */
struct paths {
    uint64_t step[2];  /* for each path, the step at which its first element makes the next hop */
    uint64_t count[2]; /* number of elements of each path */
};

/*
 * Finds a run of elements of a path that have consecutive local numbers. The run begins with the
 * path's element number `index`, and *element is set to the local number of this element. Returns
 * the length of the run. With partners, the first path has the elements whose lowest bit of `with`
 * is 0, and the second path has their partners. Without partners, each path has one half of the
 * elements.
 */
static uint64_t find_elements(const struct pipeline *pipeline, const struct paths *paths,
                              uint32_t path, uint64_t index, uint64_t *element)
{
    uint64_t run = pipeline->with & (~pipeline->with + 1);
    *element = path == 0 ? 0 : paths->count[0];
    if (run == 0)
        return paths->count[path];
    *element = (index / run * 2 * run + index % run) ^ (path == 0 ? 0 : pipeline->with);
    return run;
}

/* Adds streams for one hop of a path, directly or as a detour. */
static enum cm_status add_path(const struct pipeline *pipeline, struct paths *paths, uint32_t k,
                               uint32_t path, bool detour, struct cm_error *err)
{
    cm_reshape_add_run add = detour ? cm_reshape_add_detour : cm_reshape_add_direct;
    enum cm_status status = CM_OK;
    uint64_t element, count;
    for (uint64_t i = 0; i < paths->count[path] && status == CM_OK; i += count) {
        count = find_elements(pipeline, paths, path, i, &element);
        status =
            add(pipeline->work, &pipeline->hops[k], paths->step[path] + i, element, count, err);
    }
    paths->step[path] += detour ? 3 : 1;
    return status;
}

/* Adds streams for one hop of partners, which cross together. The path that is ahead waits for the
 * other. */
static enum cm_status add_pairs(const struct pipeline *pipeline, struct paths *paths, uint32_t k,
                                struct cm_error *err)
{
    struct cm_reshape_run run = {.dimension = pipeline->hops[k].dimension,
                                 .control = pipeline->controls[k],
                                 .with = pipeline->with};
    uint64_t step = paths->step[0] > paths->step[1] ? paths->step[0] : paths->step[1];
    enum cm_status status = CM_OK;
    for (uint64_t i = 0; i < paths->count[0] && status == CM_OK; i += run.count) {
        run.step = step + i;
        run.count = find_elements(pipeline, paths, 0, i, &run.element);
        status = cm_reshape_add_elements(pipeline->work, &run, err);
    }
    paths->step[0] = paths->step[1] = step + 1;
    return status;
}

static enum cm_status add_hop(const struct pipeline *pipeline, struct paths *paths, uint32_t k,
                              struct cm_error *err)
{
    if (pipeline->controls[k].locals != 0)
        return add_pairs(pipeline, paths, k, err);
    uint32_t detour = paths->step[0] < paths->step[1] ? 0 : 1;
    enum cm_status status = add_path(pipeline, paths, k, detour, true, err);
    return status == CM_OK ? add_path(pipeline, paths, k, 1 - detour, false, err) : status;
}

static enum cm_status check_pipeline(const struct pipeline *pipeline, struct cm_error *err)
{
    const struct cm_reshape_plan *plan = pipeline->work->plan;
    if (plan->elements < 2 * (uint64_t)plan->delta && pipeline->has_detour)
        return cm_error_set(err, CM_BAD_INPUT,
                            "pipeline needs K >= 2 delta (theorem 4); K is %" PRIu64
                            ", delta %" PRIu32,
                            plan->elements, plan->delta);
    return CM_OK;
}

/* Implements theorem 4 of the paper. If the number of hops is odd, the first path has one more
 * direct hop. So it is two steps shorter and takes one element more, unless the elements are
 * partners. */
enum cm_status cm_reshape_pipeline(const struct cm_reshape_work *work, struct cm_error *err)
{
    struct cm_reshape_plan *plan = work->plan;
    struct pipeline pipeline = {.work = work};
    uint64_t elements = plan->elements, first = cm_reshape_divide_up(elements, 2);
    if (plan->delta == 0)
        return cm_error_set(
            err, CM_BAD_INPUT,
            "pipeline needs an exchange between processors; here there is no such exchange");
    enum cm_status status = prepare_hops(&pipeline, err);
    if (status == CM_OK)
        status = check_pipeline(&pipeline, err);
    if (status != CM_OK)
        return status;
    plan->buffer_count = 2 * plan->delta;
    plan->partners = pipeline.with != 0;
    if (plan->delta % 2 == 1 && elements % 2 == 0 && pipeline.with == 0)
        first++;
    struct paths paths = {.count = {first, elements - first}};
    for (uint32_t k = 0; k < plan->delta && status == CM_OK; k++)
        status = add_hop(&pipeline, &paths, k, err);
    plan->steps = 0;
    for (uint32_t path = 0; path < 2; path++)
        if (paths.count[path] > 0 && paths.step[path] + paths.count[path] - 1 > plan->steps)
            plan->steps = paths.step[path] + paths.count[path] - 1;
    plan->bound = cm_reshape_divide_up(elements, 2) + 2 * (uint64_t)plan->delta - 1;
    if (pipeline.with != 0)
        /* theorem 4 gives no bound if controls depend on local bits */
        plan->bound = plan->steps;
    return status;
}
