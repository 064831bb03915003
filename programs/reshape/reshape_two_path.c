/*
 * Theorem 3: rotating data sets over two paths. In the 2-cube of dimensions d and d + 1 the nodes whose control is 1 (the
 * busy side) send h elements of a set straight and h round over the idle side, h = ceil(K / 2 delta), in h steps; the
 * ways round of a stage begin before the stage, in the last steps of the one before.
 *
 * There two data sets are in one 2-cube. The set that comes has made one exchange more than the set that leaves, and by
 * lemma 3 that turns the control over in the nodes where bit e + 1 of the number is 1, e being the dimension of that
 * exchange, when e is among the control's. In these 2-cubes ("turned": each node knows it from its address) the busy side
 * of the one set is the idle side of the other. The paths that the two sets have there change roles at the boundary: the
 * set that comes sends its first elements straight, over links that the set that leaves has done with, and the set
 * that leaves sends its last straight as well, a step later. Each link is as busy as in the other 2-cubes.
 */
#include "reshape_streams.h"

#include <inttypes.h>

/* One data set in one stage. */
struct visit {
    const struct cm_reshape_work *work;
    struct cm_reshape_crossing crossing;
    uint64_t base, size;    /* the set's elements */
    uint64_t half;          /* h */
    uint64_t before, after; /* parity masks, 1 where the control turns there; 0: nowhere */
    uint64_t first;         /* step at which the stage begins */
    uint32_t set, stage;
};

/* A way and the step at which it begins. */
struct move {
    bool round;
    uint64_t step;
};

static struct move direct_at(uint64_t step)
{
    return (struct move){false, step};
}

static struct move round_at(uint64_t step)
{
    return (struct move){true, step};
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
            if (cm_reshape_control_is_local(work, s, stage))
                return cm_reshape_refuse_local_control("two-path", err);
    return CM_OK;
}

/*
 * Splits from the top, then merges from the bottom. A control reaches up to the nearest dimension that ends an axis: a
 * split that is made, or a merge that is not. Round this list, those made before a dimension are splits from the
 * nearest up and merges from the highest down, so that the reach of each control changes once, if at all.
 */
static void order_dimensions(const struct cm_reshape_work *work, uint32_t *order)
{
    const struct cm_reshape_plan *plan = work->plan;
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan->delta && work->ordered; i++)
        order[count++] = work->order[i];
    for (uint32_t d = 64; d-- > 0 && !work->ordered;)
        if (plan->processor_dimensions & plan->from.coupled & UINT64_C(1) << d)
            order[count++] = d;
    for (uint32_t d = 0; d < 64 && !work->ordered; d++)
        if (plan->processor_dimensions & plan->to.coupled & UINT64_C(1) << d)
            order[count++] = d;
}

/* The control in dimension order[at] of the set that is there in `stage`. */
static uint64_t control_at(const struct cm_reshape_work *work, uint32_t at, uint32_t stage)
{
    uint32_t set = (at + work->plan->delta - stage) % work->plan->delta;
    return cm_reshape_control(&work->plan->from, cm_reshape_coupled_after(work, set, stage),
                              work->order[at])
        .nodes;
}

/* Where the control in dimension order[at] turns between `stage` - 1 and `stage`. */
static uint64_t turned_at(const struct cm_reshape_work *work, uint32_t at, uint32_t stage)
{
    if (stage == 0 || stage >= work->plan->delta)
        return 0;
    return control_at(work, at, stage) ^ control_at(work, at, stage - 1);
}

/* `longer`, a bit each: the sets that have an element more than the others. */
static void begin_visit(const struct cm_reshape_work *work, uint64_t longer, uint32_t set,
                        uint32_t stage, struct visit *visit)
{
    const struct cm_reshape_plan *plan = work->plan;
    uint32_t at = (set + stage) % plan->delta;
    *visit = (struct visit){.work = work, .set = set, .stage = stage};
    uint64_t before = longer & ((UINT64_C(1) << set) - 1);
    visit->size = plan->elements / plan->delta + (longer >> set & 1);
    visit->base = plan->elements / plan->delta * set + (uint64_t)__builtin_popcountll(before);
    visit->half = cm_reshape_divide_up(plan->elements, 2 * (uint64_t)plan->delta);
    visit->before = turned_at(work, at, stage);
    visit->after = turned_at(work, at, stage + 1);
    visit->crossing = (struct cm_reshape_crossing){
        .dimension = work->order[at],
        .round = work->order[at] + 1,
        .nodes = control_at(work, at, stage),
        /* a pair for each side of a boundary, at which two sets are in the 2-cube */
        .buffer = 4 * at + 2 * (stage & 1)};
}

/* A run of elements, counted from the set's first; those that the set has not are left out. */
static enum cm_status put(const struct visit *visit, struct move move, uint64_t index,
                          uint64_t count, struct cm_error *err)
{
    if (index >= visit->size || count == 0)
        return CM_OK;
    count = count < visit->size - index ? count : visit->size - index;
    cm_reshape_add_run add = move.round ? cm_reshape_add_round : cm_reshape_add_direct;
    return add(visit->work, &visit->crossing, move.step, visit->base + index, count, err);
}

/* The same, with another way where the control turns. */
static enum cm_status fork_put(const struct visit *visit, uint64_t mask, struct move usual,
                               struct move turned, uint64_t index, uint64_t count,
                               struct cm_error *err)
{
    struct visit side = *visit;
    side.crossing.when_nodes = mask;
    enum cm_status status = put(&side, usual, index, count, err);
    side.crossing.when = true;
    if (status == CM_OK && mask != 0)
        status = put(&side, turned, index, count, err);
    return status;
}

/*
 * h >= 3, or one stage. The set's first half goes round, its second straight; all stages keep its order. Of the first
 * half the first two begin two steps early. Before the first stage there is one step, not two: in it element 0 goes
 * straight and element 1 begins its way round.
 *
 *     step       T - 2   T - 1   T  ...  T + h - 3   T + h - 2   T + h - 1   T + h
 *     round        0       1     2  ...    h - 1                                       (begins; two steps more)
 *     straight                   h  ...   2h - 3      2h - 2      2h - 1
 *     turned before: 0 and 1 straight          turned after:       h - 1    2h - 1     straight
 */
static enum cm_status add_long_stage(struct visit *visit, struct cm_error *err)
{
    uint64_t rounds = visit->size / 2, directs = visit->size - rounds, h = visit->half;
    uint64_t last = visit->after != 0 && rounds == h ? 1 : 0;
    uint64_t early = rounds < 2 ? rounds : 2;
    uint64_t first = visit->first = 1 + visit->stage * h;
    enum cm_status status = CM_OK;
    if (visit->stage == 0) {
        status = put(visit, direct_at(0), 0, 1, err);
        if (status == CM_OK)
            status = put(visit, round_at(0), 1, early - 1, err);
    } else {
        status = fork_put(visit, visit->before, round_at(first - 2), direct_at(first - 2), 0, early,
                          err);
    }
    if (status == CM_OK)
        status = put(visit, round_at(first), 2, rounds - early - last, err);
    if (status == CM_OK)
        status = put(visit, direct_at(first), rounds, directs - last, err);
    if (status == CM_OK && last)
        status = fork_put(visit, visit->after, round_at(first + h - 3), direct_at(first + h - 1),
                          h - 1, 1, err);
    if (status == CM_OK && last)
        status = fork_put(visit, visit->after, direct_at(first + h - 1), direct_at(first + h),
                          2 * h - 1, 1, err);
    return status;
}

/*
 * h = 2, sets of at most three: an element that has gone straight in the first step of a stage is the one that goes
 * round in the next, a step early; the ways round have a step to spare at both ends.
 */
static enum cm_status add_short_stage(struct visit *visit, struct cm_error *err)
{
    uint32_t odd = visit->stage & 1;
    uint64_t first = visit->first = 1 + 2 * (uint64_t)visit->stage;
    enum cm_status status =
        fork_put(visit, visit->before, round_at(first - 1), direct_at(first - 1), odd, 1, err);
    if (status == CM_OK)
        status = put(visit, direct_at(first), 1 - odd, 1, err);
    if (status == CM_OK)
        status = put(visit, direct_at(first + 1), 2, 1, err);
    return status;
}

/* The fourth element in a stage after the first: its control is that of the set before, whose order it has. */
static enum cm_status add_fourth(const struct visit *visit, struct cm_error *err)
{
    struct visit fourth = *visit;
    const uint64_t first = visit->first;
    uint32_t delta = visit->work->plan->delta;
    fourth.crossing.nodes =
        control_at(visit->work, (visit->set + visit->stage) % delta, visit->stage - 1);
    if (visit->stage % 2 == 0)
        return put(&fourth, direct_at(first + 1), 3, 1, err);
    if (visit->stage + 1 == delta)
        return fork_put(&fourth, visit->before, direct_at(first), direct_at(first + 1), 3, 1, err);
    if (visit->before != 0)
        return fork_put(&fourth, visit->before, round_at(first), direct_at(first + 1), 3, 1, err);
    return fork_put(&fourth, visit->after, round_at(first), direct_at(first + 2), 3, 1, err);
}

/* The first stage of a set of three or four: of four, the fourth waits. */
static enum cm_status add_full_first(const struct visit *visit, struct cm_error *err)
{
    enum cm_status status = fork_put(visit, visit->after, round_at(0), direct_at(2), 0, 1, err);
    if (status == CM_OK)
        status = put(visit, direct_at(0), 1, 1, err);
    if (status == CM_OK)
        status = put(visit, direct_at(1), 2, 1, err);
    return status;
}

/*
 * h = 2, some sets of four, none of whose elements may be idle for long. Two begin in the first step of a stage, one a step
 * before and one a step after; the one before goes round, and one more:
 *
 *     stage            element 0      1            2            3
 *     0                round T        straight T   straight T+1 -
 *     odd              straight T+1   round T-1    straight T   round T
 *     even             round T        straight T   round T-1    straight T+1
 *     last, if odd     straight T+1   round T-1    round T      straight T
 *
 * The fourth misses the first dimension of its set, where the step before the first would be its own, and crosses it
 * straight in the step after the last: its order is that of the next set. Where the control turns before a stage, all go
 * straight, the fourth from the other side; the last of the stage before that would go round goes straight in step T.
 * Where a set of four is, the control must not turn both before and after a stage; sets of three may turn at will.
 */
static enum cm_status add_full_stage(struct visit *visit, struct cm_error *err)
{
    bool four = visit->size == 4, odd = visit->stage & 1;
    bool last = visit->stage + 1 == visit->work->plan->delta;
    uint64_t first = visit->first = 2 * (uint64_t)visit->stage;
    if (visit->stage == 0)
        return add_full_first(visit, err);
    enum cm_status status = fork_put(visit, visit->before, round_at(first - 1),
                                     direct_at(first - 1), odd ? 1 : 2, 1, err);
    if (status == CM_OK && four && odd && last)
        status = fork_put(visit, visit->before, round_at(first), direct_at(first), 2, 1, err);
    else if (status == CM_OK)
        status = put(visit, direct_at(first), odd ? 2 : 1, 1, err);
    if (status == CM_OK && (odd || !four))
        status = put(visit, direct_at(first + 1), 0, 1, err);
    else if (status == CM_OK && visit->before != 0)
        status = fork_put(visit, visit->before, round_at(first), direct_at(first + 1), 0, 1, err);
    else if (status == CM_OK)
        status = fork_put(visit, visit->after, round_at(first), direct_at(first + 2), 0, 1, err);
    if (status == CM_OK && four)
        status = add_fourth(visit, err);
    if (status != CM_OK || !four || !last)
        return status;
    /* The dimension left out, with all others made. */
    visit->crossing =
        (struct cm_reshape_crossing){.dimension = visit->work->order[visit->set],
                                     .nodes = control_at(visit->work, visit->set, visit->stage)};
    return put(visit, direct_at(first + 2), 3, 1, err);
}

/* h = 2 without overlap, in the order that the user wants: h + 1 steps a stage. */
static enum cm_status add_separate_stage(struct visit *visit, struct cm_error *err)
{
    uint64_t first = visit->first = visit->stage * (visit->half + 1);
    enum cm_status status = put(visit, round_at(first), 0, 1, err);
    if (status == CM_OK)
        status = put(visit, direct_at(first), 1, visit->half + 1, err);
    return status;
}

/* The sets in no stage of which the control turns both before and after. */
static uint64_t sets_without_two_turns(const struct cm_reshape_work *work)
{
    uint32_t delta = work->plan->delta;
    uint64_t sets = 0;
    for (uint32_t set = 0; set < delta; set++) {
        bool twice = false;
        for (uint32_t stage = 1; stage + 1 < delta; stage++)
            twice = twice || (turned_at(work, (set + stage) % delta, stage) != 0 &&
                              turned_at(work, (set + stage) % delta, stage + 1) != 0);
        if (!twice)
            sets |= UINT64_C(1) << set;
    }
    return sets;
}

/* The lowest `count` bits of those set. */
static uint64_t lowest(uint64_t bits, uint64_t count)
{
    uint64_t taken = 0;
    for (; count > 0 && bits != 0; count--, bits &= bits - 1)
        taken |= bits & (~bits + 1);
    return taken;
}

enum cm_status cm_reshape_two_path(const struct cm_reshape_work *given, struct cm_error *err)
{
    struct cm_reshape_plan *plan = given->plan;
    struct cm_reshape_work work = *given;
    uint32_t order[64];
    order_dimensions(given, order);
    work.order = order;
    enum cm_status status = check_two_path(&work, err);
    if (status != CM_OK)
        return status;
    uint64_t delta = plan->delta, half = cm_reshape_divide_up(plan->elements, 2 * delta);
    uint64_t longer = lowest(UINT64_MAX, plan->elements % delta);
    enum cm_status (*add_stage)(struct visit *, struct cm_error *) = add_long_stage;
    plan->bound = plan->steps = delta * half + 1;
    plan->buffer_count = 4 * plan->delta;
    if (delta > 1 && half == 2)
        add_stage = plan->elements <= 3 * delta ? add_short_stage : add_full_stage;
    if (add_stage == add_full_stage) {
        uint64_t sets = sets_without_two_turns(&work), full = plan->elements - 3 * delta;
        if ((uint64_t)__builtin_popcountll(sets) < full) {
            add_stage = add_separate_stage;
            plan->steps = delta * (half + 1);
        } else if (full < delta) {
            longer = lowest(sets, full);
        }
    }
    for (uint32_t stage = 0; stage < plan->delta; stage++)
        for (uint32_t set = 0; status == CM_OK && set < plan->delta; set++) {
            struct visit visit;
            begin_visit(&work, longer, set, stage, &visit);
            status = add_stage(&visit, err);
        }
    return status;
}
