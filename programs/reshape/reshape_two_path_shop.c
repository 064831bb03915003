/*
 * Plans reshapes over two paths as an open shop. A node has K elements, which cross delta
 * dimensions. A job is two elements. At step s one element crosses a dimension directly, while the
 * other makes a detour around the idle side of the 2-cube at s - 1, s and s + 1. In the next
 * dimension, two steps later, they swap roles. With M jobs and n = max(M, 2 delta), job m is in
 * dimension order[i] at step (m + 2 i) mod n. So a dimension has at most one job in a step, and a
 * job has at least two steps from one dimension to the next. All jobs finish in n + 2 steps, which
 * is K / 2 + 2 for K >= 4 delta.
 *
 * A job that wraps around the list has made other exchanges than the job before it. By lemma 3 of
 * the paper its control may be inverted ("turned": a node knows it from its address). There the two
 * elements that would make detours on both sides of the boundary between steps s and s + 1 go
 * directly: the element of step s goes at s + 1, and the element of step s + 1 at s. They use links
 * that the direct elements of the other side leave free.
 *
 * If a control depends on local bits, the two elements are partners (reshape_pairs.h): at step s
 * one of them crosses and the other stays.
 */
#include "reshape_pairs.h"

#include <inttypes.h>

struct shop {
    struct cm_reshape_work work;
    uint32_t order[64];
    /* bits in which the numbers of partners differ. 0: no control depends on local bits */
    uint64_t with;
    uint64_t jobs, cycle;
    bool has_detour; /* true if some element makes a detour */
};

/* Block: consecutive jobs in one dimension that have visited the other dimensions in the same
 * order. */
struct block {
    uint32_t at;               /* the dimension is order[at] */
    uint64_t job, count, step; /* first job, number of jobs, step of the first job (from 1) */
    uint32_t direct;           /* element of a job that goes directly: 0 or 1 */
    struct cm_reshape_control control; /* control of all these jobs */
};

static struct cm_reshape_control control_of(const struct shop *shop, uint32_t turn, uint32_t at)
{
    uint32_t delta = shop->work.plan->delta, done = (at + delta - turn) % delta;
    return cm_reshape_control(&shop->work.plan->from,
                              cm_reshape_coupled_after(&shop->work, turn, done), shop->order[at]);
}

/* Returns block number `k`, in order of time, of dimension order[at]. With n steps in a cycle, jobs
 * n - 2 turn and n - 2 turn + 1 begin in order[turn], and all earlier jobs in order[0]. */
static struct block block_of(const struct shop *shop, uint32_t at, uint32_t k)
{
    uint32_t delta = shop->work.plan->delta, turn = (at + delta - k) % delta;
    struct block block = {.at = at, .control = control_of(shop, turn, at)};
    block.job = turn > 0 ? shop->cycle - 2 * (uint64_t)turn : 0;
    block.count = turn > 0 ? 2 : shop->cycle - 2 * (uint64_t)(delta - 1);
    block.step = 1 + (block.job + 2 * (uint64_t)at) % shop->cycle;
    if (block.job >= shop->jobs)
        block.count = 0;
    else if (block.count > shop->jobs - block.job)
        block.count = shop->jobs - block.job;
    /* If the number of dimensions is odd, elements have the same roles in the last dimension as in
     * the first. */
    block.direct = (at + (at < turn && delta % 2 == 1)) % 2;
    return block;
}

/* Returns the mask of the nodes in which one block of jobs ends, the next begins in the following
 * step, and the control is inverted between them. 0: no node. */
static uint64_t turned_between(const struct block *before, const struct block *after)
{
    bool meet = before->count > 0 && after->count > 0 &&
                before->step + before->count == after->step && before->control.locals == 0 &&
                after->control.locals == 0;
    return meet ? before->control.nodes ^ after->control.nodes : 0;
}

/*
 * Finds jobs from number `job` on whose elements have consecutive local numbers, and sets `element`
 * to the first of these numbers. Returns the number of jobs. `which` selects the first or the
 * second element of each job. With partners, the first element has 0 in the lowest bit of `with`,
 * and the second is its partner. Without partners, the first elements are one half of all elements,
 * and the second elements are the other half.
 */
static uint64_t find_elements(const struct shop *shop, uint64_t job, uint32_t which, uint64_t count,
                              uint64_t *element)
{
    uint64_t run = shop->with & (~shop->with + 1), elements = shop->work.plan->elements;
    *element = which == 0 ? job : shop->jobs + job;
    uint64_t room = *element < elements ? elements - *element : 0;
    if (run != 0) {
        *element = (job / run * 2 * run + job % run) ^ (which == 0 ? 0 : shop->with);
        room = run - job % run;
    }
    return count < room ? count : room;
}

/* Part of a block: one element of each of some consecutive jobs from `first` on, in the nodes where
 * the parity of (address AND mask) is `value`. The first element crosses at `step`. */
struct part {
    const struct block *block;
    cm_reshape_add_run add;
    uint32_t which;
    uint64_t first, count, step;
    uint64_t mask; /* 0: all nodes */
    bool value;
};

static enum cm_status add_part(struct shop *shop, const struct part *part, struct cm_error *err)
{
    struct cm_reshape_crossing crossing = {
        .dimension = shop->order[part->block->at],
        .detour = shop->order[part->block->at] + 1,
        .nodes = part->block->control.nodes,
        /* two pairs of buffers, because elements of two blocks can be in the 2-cube at a boundary
         */
        .buffer = 4 * part->block->at + 2 * (uint32_t)(part->block->job / 2 % 2),
        .when = {{part->mask, part->value}},
    };
    enum cm_status status = CM_OK;
    uint64_t element, run;
    for (uint64_t i = 0; i < part->count && status == CM_OK; i += run) {
        uint64_t job = part->block->job + part->first + i;
        run = find_elements(shop, job, part->which, part->count - i, &element);
        if (run == 0)
            break; /* the number of elements is odd, so the last job has only one element */
        status = part->add(&shop->work, &crossing, part->step + i, element, run, err);
    }
    return status;
}

/* Adds the element that would make a detour at the first or last step of a block of jobs. Where the
 * control is inverted at this end of the block, the element goes directly. */
static enum cm_status add_end(struct shop *shop, struct part part, uint64_t turned, bool last,
                              struct cm_error *err)
{
    part.first = last ? part.block->count - 1 : 0;
    part.count = 1;
    part.step = part.block->step + part.first - 1;
    part.mask = turned;
    enum cm_status status = add_part(shop, &part, err);
    part.add = cm_reshape_add_direct;
    part.step += last ? 2 : 0;
    part.value = true;
    return status == CM_OK ? add_part(shop, &part, err) : status;
}

static enum cm_status add_two_ways(struct shop *shop, const struct block *block, uint64_t before,
                                   uint64_t after, struct cm_error *err)
{
    struct part direct = {.block = block,
                          .add = cm_reshape_add_direct,
                          .which = block->direct,
                          .count = block->count,
                          .step = block->step};
    struct part detour = {.block = block, .add = cm_reshape_add_detour, .which = 1 - block->direct};
    enum cm_status status = add_part(shop, &direct, err);
    if (status == CM_OK && before != 0)
        status = add_end(shop, detour, before, false, err);
    if (status == CM_OK && after != 0)
        status = add_end(shop, detour, after, true, err);
    detour.first = before != 0;
    detour.count = block->count - (before != 0) - (after != 0);
    detour.step = block->step + detour.first - 1;
    return status == CM_OK ? add_part(shop, &detour, err) : status;
}

static enum cm_status add_partners(const struct shop *shop, const struct block *block,
                                   struct cm_error *err)
{
    struct cm_reshape_run run = {
        .dimension = shop->order[block->at], .control = block->control, .with = shop->with};
    enum cm_status status = CM_OK;
    for (uint64_t i = 0; i < block->count && status == CM_OK; i += run.count) {
        run.step = block->step + i;
        run.count = find_elements(shop, block->job + i, 0, block->count - i, &run.element);
        status = cm_reshape_add_elements(&shop->work, &run, err);
    }
    return status;
}

static enum cm_status add_dimension(struct shop *shop, uint32_t at, struct cm_error *err)
{
    uint32_t delta = shop->work.plan->delta;
    enum cm_status status = CM_OK;
    struct block before = {.count = 0}, block = block_of(shop, at, 0);
    for (uint32_t k = 0; k < delta && status == CM_OK; k++) {
        struct block after = {.count = 0};
        if (k + 1 < delta)
            after = block_of(shop, at, k + 1);
        if (block.count > 0 && block.control.locals != 0)
            status = add_partners(shop, &block, err);
        else if (block.count > 0)
            status = add_two_ways(shop, &block, turned_between(&before, &block),
                                  turned_between(&block, &after), err);
        before = block;
        block = after;
    }
    return status;
}

/* Fails if the elements of a job cannot cross a dimension in one step under one control. */
static enum cm_status admit(struct shop *shop, struct cm_reshape_bits *partners, uint32_t turn,
                            uint32_t at, struct cm_error *err)
{
    const struct cm_reshape_plan *plan = shop->work.plan;
    const struct cm_reshape_control control = control_of(shop, turn, at);
    uint32_t d = shop->order[at];
    if (control.locals == 0 && (plan->processor_dimensions >> (d + 1) & 1))
        return cm_error_set(err, CM_BAD_INPUT,
                            "two-path needs processor dimensions to exchange of which no two are "
                            "adjacent (theorem 3); %" PRIu32 " and %" PRIu32 " are",
                            d, d + 1);
    shop->has_detour = shop->has_detour || control.locals == 0;
    if (control.locals != 0 &&
        !cm_reshape_bits_add(partners, cm_reshape_unit_bits(&shop->work, control.locals), true))
        return cm_error_set(err, CM_BAD_INPUT,
                            "two-path needs elements with opposite controls where these depend on "
                            "memory dimensions; dimension %" PRIu32 " has no such elements",
                            d);
    return CM_OK;
}

static enum cm_status try_order(struct shop *shop, struct cm_error *err)
{
    const struct cm_reshape_plan *plan = shop->work.plan;
    struct cm_reshape_bits partners = {.count = 0};
    enum cm_status status = CM_OK;
    shop->has_detour = false;
    for (uint32_t turn = 0; turn < plan->delta; turn++)
        for (uint32_t at = plan->delta; at-- > 0 && status == CM_OK;)
            status = admit(shop, &partners, turn, at, err);
    if (status != CM_OK)
        return status;
    if (!shop->has_detour)
        return cm_error_set(err, CM_BAD_INPUT,
                            "two-path needs an exchange whose control the nodes know by their "
                            "address alone; here all elements have partners, as in open-shop");
    shop->with = cm_reshape_bits_solve(&partners);
    if (shop->with != 0 && __builtin_popcountll(plan->elements) != 1)
        return cm_error_set(err, CM_BAD_INPUT,
                            "two-path needs a K that is a power of two where controls depend on "
                            "memory dimensions; K is %" PRIu64,
                            plan->elements);
    return CM_OK;
}

/* Chooses the order of the dimensions: the user's, or the first possible one of descending,
 * ascending, merges before splits, splits before merges. A split ends an axis at a dimension, and a
 * merge joins two axes there. */
static enum cm_status set_up(struct shop *shop, const struct cm_reshape_work *work,
                             struct cm_error *err)
{
    const struct cm_reshape_plan *plan = work->plan;
    const uint64_t orders[][2] = {{UINT64_MAX, 0},
                                  {0, UINT64_MAX},
                                  {plan->to.coupled, plan->from.coupled},
                                  {plan->from.coupled, plan->to.coupled}};
    enum cm_status status = CM_BAD_INPUT;
    *shop = (struct shop){.work = *work, .jobs = cm_reshape_divide_up(plan->elements, 2)};
    shop->cycle = shop->jobs > 2 * (uint64_t)plan->delta ? shop->jobs : 2 * (uint64_t)plan->delta;
    shop->work.order = shop->order;
    for (uint32_t i = 0; i < sizeof orders / sizeof *orders && status == CM_BAD_INPUT; i++) {
        cm_reshape_order(work, orders[i][0], orders[i][1], shop->order);
        status = try_order(shop, err);
    }
    return status;
}

/* Counts the steps of the plan from the first step in which an element moves. */
static void count_steps(struct cm_reshape_plan *plan)
{
    uint64_t first = UINT64_MAX, end = 0;
    for (uint32_t i = 0; i < plan->stream_count; i++) {
        const struct cm_reshape_stream *stream = &plan->streams[i];
        first = stream->first_step < first ? stream->first_step : first;
        end = stream->first_step + stream->count > end ? stream->first_step + stream->count : end;
    }
    for (uint32_t i = 0; i < plan->stream_count; i++)
        plan->streams[i].first_step -= first;
    plan->steps = end > first ? end - first : 0;
}

uint64_t cm_reshape_two_path_shop_steps(const struct cm_reshape_plan *plan)
{
    uint64_t jobs = cm_reshape_divide_up(plan->elements, 2), least = 2 * (uint64_t)plan->delta;
    return (jobs > least ? jobs : least) + 2;
}

enum cm_status cm_reshape_two_path_shop(const struct cm_reshape_work *work, struct cm_error *err)
{
    struct cm_reshape_plan *plan = work->plan;
    struct shop shop;
    enum cm_status status = set_up(&shop, work, err);
    plan->buffer_count = 4 * plan->delta;
    plan->partners = shop.with != 0;
    for (uint32_t at = 0; at < plan->delta && status == CM_OK; at++)
        status = add_dimension(&shop, at, err);
    if (status == CM_OK)
        count_steps(plan);
    return status;
}
