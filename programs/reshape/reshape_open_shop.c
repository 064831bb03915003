/*
 * Plans reshapes as open shops, in the sense of scheduling. A node has K elements, which cross
 * delta dimensions. By lemma 3 of the paper an element may take its dimensions in any order. So
 * each element is a job with one operation of one step on each of delta machines, which are the
 * dimensions. The shop takes n = max(K, delta) steps. At step t dimension order[j] serves job (t -
 * j) mod n. Each job visits the dimensions in one of delta cyclic orders. The place in the order
 * where it begins is called its turn.
 *
 * If every control depends on local bits, two elements share a channel as partners
 * (reshape_pairs.h). A job is then a set of elements that is closed under the partners of all
 * turns. It occupies a dimension for as many steps as it has pairs of partners.
 */
#include "reshape_pairs.h"

struct shop {
    struct cm_reshape_work work;
    uint32_t order[64];
    /* for each turn, the bits in which the numbers of partners differ. 0: jobs are single
     * elements */
    uint64_t with[64];
    struct cm_reshape_bits span; /* linear span of the masks in `with` */
    /* mask of the lowest bits of the element number. A job contains an element for each value of
     * these bits */
    uint64_t low;
    /* number of jobs, and number of steps that a job takes in one dimension */
    uint64_t jobs, width;
    uint64_t steps;
};

static struct cm_reshape_control control_of(const struct shop *shop, uint32_t turn, uint32_t done)
{
    uint32_t d = shop->order[(turn + done) % shop->work.plan->delta];
    return cm_reshape_control(&shop->work.plan->from,
                              cm_reshape_coupled_after(&shop->work, turn, done), d);
}

static void count_steps(struct shop *shop)
{
    uint64_t delta = shop->work.plan->delta;
    shop->steps = (shop->jobs > delta ? shop->jobs : delta) * shop->width;
}

/* Returns the mask of bits in which partners differ in every dimension of a turn, or 0 if there are
 * no such partners. */
static uint64_t partner_of(const struct shop *shop, uint32_t turn)
{
    struct cm_reshape_bits bits = {.count = 0};
    for (uint32_t done = 0; done < shop->work.plan->delta; done++) {
        uint64_t locals = control_of(shop, turn, done).locals;
        if (!cm_reshape_bits_add(&bits, cm_reshape_unit_bits(&shop->work, locals), true))
            return 0;
    }
    return cm_reshape_bits_solve(&bits);
}

/* Makes jobs of pairs of partners, for the present order of dimensions. Returns false if elements
 * of some turn have no partners. */
static bool pair_up(struct shop *shop)
{
    const struct cm_reshape_plan *plan = shop->work.plan;
    uint64_t all = 0;
    if (__builtin_popcountll(plan->elements) != 1 || shop->work.no_partners)
        return false;
    for (uint32_t turn = 0; turn < plan->delta; turn++) {
        shop->with[turn] = partner_of(shop, turn);
        if (shop->with[turn] == 0)
            return false;
        cm_reshape_bits_add(&shop->span, shop->with[turn], false);
        all |= shop->with[turn];
    }
    uint32_t rank = shop->span.count;
    shop->jobs = plan->elements >> rank;
    shop->width = UINT64_C(1) << (rank - 1);
    shop->low = 0;
    /* A job with more low bits has longer runs of consecutive elements. Jobs grow as long as there
     * are enough of them to keep all dimensions busy. */
    while (rank > 1 && !(all & (shop->low + 1)) && shop->jobs / 2 >= plan->delta) {
        shop->low = 2 * shop->low + 1;
        shop->jobs /= 2;
        shop->width *= 2;
    }
    count_steps(shop);
    return true;
}

/* Tries jobs of single elements in the given order of dimensions, then jobs of pairs in an order
 * that has partners: the user's, descending, ascending, merges before splits, or splits before
 * merges. A split ends an axis at a dimension, and a merge joins two axes there. */
static void set_up(struct shop *best)
{
    const struct cm_reshape_plan *plan = best->work.plan;
    const uint64_t orders[][2] = {{UINT64_MAX, 0},
                                  {0, UINT64_MAX},
                                  {plan->to.coupled, plan->from.coupled},
                                  {plan->from.coupled, plan->to.coupled}};
    cm_reshape_order(&best->work, UINT64_MAX, 0, best->order);
    best->jobs = plan->elements;
    best->width = 1;
    count_steps(best);
    for (uint32_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        struct shop shop = {.work = best->work};
        cm_reshape_order(&shop.work, orders[i][0], orders[i][1], shop.order);
        shop.work.order = shop.order;
        if (pair_up(&shop) && shop.steps < best->steps)
            *best = shop;
    }
    best->work.order = best->order;
}

/* Joins the run of elements `run` to the run `open`, if `run` continues it. Otherwise adds `open`
 * to the plan, and `run` becomes the open run. A `run` with count 0 only adds `open`. */
static enum cm_status push(const struct shop *shop, struct cm_reshape_run *open,
                           const struct cm_reshape_run *run, struct cm_error *err)
{
    enum cm_status status = CM_OK;
    if (open->count > 0 && run->count > 0 && cm_reshape_run_extend(open, run))
        return CM_OK;
    if (open->count > 0)
        status = cm_reshape_add_elements(&shop->work, open, err);
    *open = *run;
    return status;
}

/* Adds the elements of a job that cross a dimension. `run` has the dimension, the control and the
 * first step, and `open` the last elements that are not yet in the plan. */
static enum cm_status add_job(const struct shop *shop, uint64_t job, uint32_t turn,
                              struct cm_reshape_run *open, struct cm_reshape_run run,
                              struct cm_error *err)
{
    uint64_t pivots = 0, own = 0, combinations = UINT64_C(1) << shop->span.count;
    enum cm_status status = CM_OK;
    run.with = shop->with[turn];
    run.count = shop->low + 1;
    for (uint32_t i = 0; i < shop->span.count; i++)
        pivots |= UINT64_C(1) << (63 - __builtin_clzll(shop->span.rows[i]));
    own = run.with & pivots;
    /* lowest pivot in which partners differ: the first element of a pair has 0 in this bit */
    own &= ~own + 1;
    for (uint64_t c = 0; c < combinations && status == CM_OK; c++) {
        run.element = cm_reshape_deposit(job, ~(pivots | shop->low));
        for (uint32_t i = 0; i < shop->span.count; i++)
            run.element ^= c >> i & 1 ? shop->span.rows[i] : 0;
        if (run.element & own)
            continue;
        status = push(shop, open, &run, err);
        run.step += run.count;
    }
    return status;
}

/*
 * Adds the operations of all jobs in the dimension order[j]. Let n be the number of jobs or of
 * dimensions, whichever is larger. Job n - s begins in dimension order[s], where s is at least 1
 * and less than the number of dimensions, and its turn is s. The other jobs begin in order[0].
 */
static enum cm_status add_dimension(const struct shop *shop, uint32_t j, struct cm_error *err)
{
    uint64_t delta = shop->work.plan->delta;
    uint64_t all = shop->jobs > delta ? shop->jobs : delta;
    struct cm_reshape_run open = {.count = 0}, run = {.dimension = shop->order[j]};
    const struct cm_reshape_run end = {.count = 0};
    enum cm_status status = CM_OK;
    for (uint64_t t = 0; t < all && status == CM_OK; t++) {
        uint64_t job = (t + all - j) % all;
        uint32_t turn = job + delta > all ? (uint32_t)(all - job) : 0;
        if (job >= shop->jobs)
            continue;
        if (turn != 0 || job == 0)
            status = push(shop, &open, &end, err);
        run.step = t * shop->width;
        run.control = control_of(shop, turn, (uint32_t)((j + delta - turn) % delta));
        if (status == CM_OK)
            status = add_job(shop, job, turn, &open, run, err);
        /* Jobs of turn 0 that are single elements follow one after the other, so they make one
         * run. */
        if (shop->span.count == 0 && turn == 0) {
            uint64_t more = all - delta < shop->jobs - 1 ? all - delta : shop->jobs - 1;
            open.count += more - job;
            t += more - job;
        }
    }
    return status == CM_OK ? push(shop, &open, &end, err) : status;
}

enum cm_status cm_reshape_open_shop(const struct cm_reshape_work *work, struct cm_error *err)
{
    struct cm_reshape_plan *plan = work->plan;
    struct shop shop = {.work = *work};
    enum cm_status status = CM_OK;
    plan->steps = plan->bound = 0;
    if (plan->delta == 0)
        return CM_OK;
    set_up(&shop);
    plan->steps = plan->bound = shop.steps;
    plan->partners = shop.span.count > 0;
    for (uint32_t j = 0; j < plan->delta && status == CM_OK; j++)
        status = add_dimension(&shop, j, err);
    return status;
}
