/*
 * Plans reshapes by theorem 3 of the paper: data sets rotate over two paths. A node has K elements,
 * which cross delta dimensions. In the 2-cube of dimensions d and d + 1 the busy side consists of
 * the nodes whose control is 1, and the idle side of the others. In each stage the busy nodes send
 * h elements of a set directly and h as a detour over the idle side, h = ceil(K / 2 delta), in h
 * steps. The detours of a stage begin before the stage, in the last steps of the stage before.
 *
 * During these steps two data sets are in one 2-cube. The arriving set has made one exchange more
 * than the leaving set. Let e be the dimension of this exchange. By lemma 3, if e is among the
 * control's dimensions, the control is inverted in the nodes where bit e + 1 of the number is 1. In
 * these 2-cubes ("turned": each node knows it from its address) the busy side of one set is the
 * idle side of the other. There the paths of both sets swap roles at the boundary. The arriving set
 * sends its first elements directly, over links that the leaving set no longer uses. The leaving
 * set also sends its last element directly, a step later. Each link is as busy as in the other
 * 2-cubes.
 */
#include "reshape_streams.h"

#include <inttypes.h>

/* Plan by theorem 3 under construction. */
struct maker {
    struct cm_reshape_work work;
    uint32_t order[64];
    uint64_t half;   /* number h of elements that a stage sends directly. As many make detours */
    uint64_t longer; /* sets that have one element more than the others, one bit each */
    enum cm_status status;
    struct cm_error *err;
};

/*
 * Visit: the exchange of a data set in a dimension during a stage, in some nodes. The control turns
 * (is inverted) at the boundary before the stage where the parity of (address AND before) is 1, and
 * at the boundary after it where that of (address AND after) is 1. Mask 0: it turns in no node.
 */
struct visit {
    struct maker *maker;
    struct cm_reshape_crossing crossing;
    uint64_t base, size; /* first element and size of the set */
    /* masks of the nodes where the control turns before this stage, and after it */
    uint64_t before, after;
    uint64_t first; /* first step of the stage, set by the functions that add stages */
    uint32_t at;    /* the dimension is order[at] */
    uint32_t set, stage;
    bool nowhere;
};

/* Returns true if theorem 3 applies: every control has a detour around the idle side. */
static bool is_theorem_3(const struct cm_reshape_work *work)
{
    const struct cm_reshape_plan *plan = work->plan;
    uint64_t dimensions = plan->processor_dimensions;
    if ((dimensions & dimensions >> 1) || ((dimensions << 1) & ~plan->from.processor))
        return false;
    for (uint32_t s = 0; s < plan->delta; s++)
        for (uint32_t stage = 0; stage < plan->delta; stage++)
            if (cm_reshape_control_is_local(work, s, stage))
                return false;
    return true;
}

static enum cm_status check_two_path(const struct cm_reshape_plan *plan, struct cm_error *err)
{
    if (plan->delta == 0)
        return cm_error_set(
            err, CM_BAD_INPUT,
            "two-path needs an exchange between processors; here there is no such exchange");
    if (plan->elements <= 2 * (uint64_t)plan->delta)
        return cm_error_set(err, CM_BAD_INPUT,
                            "two-path needs K > 2 delta (theorem 3); K is %" PRIu64
                            ", delta %" PRIu32,
                            plan->elements, plan->delta);
    return CM_OK;
}

/* Returns the control of the exchange in dimension order[at] during stage number `stage`, for the
 * data set that is in this dimension then. */
static uint64_t control_at(const struct cm_reshape_work *work, uint32_t at, uint32_t stage)
{
    uint32_t set = (at + work->plan->delta - stage) % work->plan->delta;
    return cm_reshape_control(&work->plan->from, cm_reshape_coupled_after(work, set, stage),
                              work->order[at])
        .nodes;
}

/* Returns the mask of the nodes in which the control in dimension order[at] is inverted from
 * `stage` - 1 to `stage`. */
static uint64_t turned_at(const struct cm_reshape_work *work, uint32_t at, uint32_t stage)
{
    if (stage == 0 || stage >= work->plan->delta)
        return 0;
    return control_at(work, at, stage) ^ control_at(work, at, stage - 1);
}

/* Returns true if the data set that is exchanged in dimension order[at] in `stage` has four
 * elements. */
static bool has_four(const struct maker *maker, uint32_t at, uint32_t stage)
{
    const struct cm_reshape_plan *plan = maker->work.plan;
    uint32_t set = (at + plan->delta - stage) % plan->delta;
    return plan->elements / plan->delta + (maker->longer >> set & 1) == 4;
}

static void begin_visit(struct maker *maker, uint32_t set, uint32_t stage, struct visit *visit)
{
    const struct cm_reshape_plan *plan = maker->work.plan;
    uint64_t longer_before = maker->longer & ((UINT64_C(1) << set) - 1);
    uint32_t at = (set + stage) % plan->delta;
    *visit = (struct visit){.maker = maker, .at = at, .set = set, .stage = stage};
    visit->size = plan->elements / plan->delta + (maker->longer >> set & 1);
    visit->base =
        plan->elements / plan->delta * set + (uint64_t)__builtin_popcountll(longer_before);
    visit->before = turned_at(&maker->work, at, stage);
    visit->after = turned_at(&maker->work, at, stage + 1);
    visit->crossing = (struct cm_reshape_crossing){
        .dimension = maker->work.order[at],
        .detour = maker->work.order[at] + 1,
        .nodes = control_at(&maker->work, at, stage),
        /* two pairs of buffers, because two sets can be in the 2-cube at a boundary of stages */
        .buffer = 4 * at + 2 * (stage & 1)};
}

/* Returns the visit restricted to the nodes where the parity of (address AND mask) is `value`. */
static struct visit where(const struct visit *visit, uint64_t mask, bool value)
{
    struct visit part = *visit;
    uint32_t i = 0;
    while (i < CM_RESHAPE_CONDITIONS && part.crossing.when[i].nodes != 0)
        i++;
    if (mask == 0)
        part.nowhere = part.nowhere || value;
    else
        part.crossing.when[i] = (struct cm_reshape_condition){mask, value};
    return part;
}

/* Adds `count` elements of a data set, from number `index` of the set on, to the plan. Elements
 * beyond the set's end are left out. */
static void put(const struct visit *visit, cm_reshape_add_run add, uint64_t step, uint64_t index,
                uint64_t count)
{
    struct maker *maker = visit->maker;
    if (index >= visit->size || count == 0 || visit->nowhere || maker->status != CM_OK)
        return;
    count = count < visit->size - index ? count : visit->size - index;
    maker->status =
        add(&maker->work, &visit->crossing, step, visit->base + index, count, maker->err);
}

static void put_direct(const struct visit *visit, uint64_t step, uint64_t index, uint64_t count)
{
    put(visit, cm_reshape_add_direct, step, index, count);
}

/* Adds detours of elements, one starting in each step from `step` on. Each element arrives two
 * steps after its start. */
static void put_detour(const struct visit *visit, uint64_t step, uint64_t index, uint64_t count)
{
    put(visit, cm_reshape_add_detour, step, index, count);
}

/*
 * Adds a stage of theorem 3 with h >= 3 elements on each path, or the only stage of a plan. The
 * set's first half makes detours, its second half goes directly, in the same order in all stages.
 * The first two elements of the first half start two steps early. Before the first stage there is
 * one step instead of two: in it element 0 goes directly and element 1 starts its detour. T is the
 * first step of the stage, and the last row says which elements go directly instead of making a
 * detour if the control turns (is inverted) before or after the stage:
 *
 *     step       T - 2   T - 1   T  ...  T + h - 3   T + h - 2   T + h - 1   T + h
 *     detour       0       1     2  ...    h - 1
 *     direct                     h  ...   2h - 3      2h - 2      2h - 1
 *     turned before: 0 and 1 direct            turned after:       h - 1    2h - 1     direct
 */
static void add_long_stage(struct visit *visit)
{
    uint64_t detours = visit->size / 2, directs = visit->size - detours, h = visit->maker->half;
    uint64_t last = visit->after != 0 && detours == h ? 1 : 0;
    uint64_t early = detours < 2 ? detours : 2;
    uint64_t first = visit->first = 1 + visit->stage * h;
    const struct visit stays = where(visit, visit->before, false);
    const struct visit turns = where(visit, visit->before, true);
    const struct visit will_stay = where(visit, visit->after, false);
    const struct visit will_turn = where(visit, visit->after, true);
    if (visit->stage == 0) {
        put_direct(visit, 0, 0, 1);
        put_detour(visit, 0, 1, early - 1);
    } else {
        put_detour(&stays, first - 2, 0, early);
        put_direct(&turns, first - 2, 0, early);
    }
    put_detour(visit, first, 2, detours - early - last);
    put_direct(visit, first, detours, directs - last);
    if (last) {
        put_detour(&will_stay, first + h - 3, h - 1, 1);
        put_direct(&will_stay, first + h - 1, 2 * h - 1, 1);
        put_direct(&will_turn, first + h - 1, h - 1, 1);
        put_direct(&will_turn, first + h, 2 * h - 1, 1);
    }
}

/*
 * Adds a stage of theorem 3 with h = 2 and sets of at most three elements. The element that goes
 * directly in the first step of a stage makes the detour in the next stage, and starts a step
 * early. Detours have a spare step before and after.
 */
static void add_short_stage(struct visit *visit)
{
    uint32_t odd = visit->stage & 1;
    uint64_t first = visit->first = 1 + 2 * (uint64_t)visit->stage;
    const struct visit stays = where(visit, visit->before, false);
    const struct visit turns = where(visit, visit->before, true);
    put_detour(&stays, first - 1, odd, 1);
    put_direct(&turns, first - 1, odd, 1);
    put_direct(visit, first, 1 - odd, 1);
    put_direct(visit, first + 1, 2, 1);
}

/*
 * Adds the element that starts a step early, in a stage of theorem 3 with h = 2 and some sets of
 * four elements. No element may be idle for long. Two elements start in the first step T of a
 * stage, one element a step before and one a step after. The early element makes a detour, and so
 * does one other element:
 *
 *     stage            element 0      1            2            3
 *     0                detour T       direct T     direct T+1   -
 *     odd              direct T+1     detour T-1   direct T     detour T
 *     even             detour T       direct T     detour T-1   direct T+1
 *     last, if odd     direct T+1     detour T-1   detour T     direct T
 *
 * In sets of three, element 0 goes directly at T + 1 in each stage but the first. In sets of four,
 * element 3 omits the first dimension of its set, which it would cross in the step before the
 * plan's first step. It crosses this dimension directly in the step after the last. So the order
 * and the controls of element 3 are those of the next set.
 *
 * If the control turns (is inverted) before a stage, all elements go directly: the early element at
 * T - 1, element 3 from its own side at T + 1, the others at T and T + 1. The element that would
 * make a detour at T in the stage before goes directly two steps later. If the control turns twice
 * in succession, element 3 of the stage between uses the link at T - 1. Then the early element
 * makes a detour after all, since the early element of the stage between does not. If the control
 * turns a third time before the last stage, the early element starts its detour at T, and element 3
 * goes directly at T.
 */
static void add_early(const struct visit *visit, uint32_t index)
{
    const struct maker *maker = visit->maker;
    /* masks of the nodes where the control turned in the two stages before, or 0 if the data set of
     * that stage has no element 3 */
    uint64_t before[2] = {0, 0};
    for (uint32_t i = 0; i < 2 && visit->stage > i + 1; i++)
        if (has_four(maker, visit->at, visit->stage - 1 - i))
            before[i] = turned_at(&maker->work, visit->at, visit->stage - 1 - i);
    const struct visit stays = where(visit, visit->before, false);
    const struct visit turns = where(visit, visit->before, true);
    const struct visit once = where(&turns, before[0], false);
    const struct visit again = where(&turns, before[0], true);
    const struct visit twice = where(&again, before[1], false);
    const struct visit thrice = where(&again, before[1], true);
    bool fourth_is_last = visit->size == 4 && visit->stage % 2 == 1;
    put_detour(&stays, visit->first - 1, index, 1);
    put_direct(&once, visit->first - 1, index, 1);
    put_detour(&twice, visit->first - 1, index, 1);
    put_detour(&thrice, visit->first, index, 1);
    if (visit->stage + 1 < maker->work.plan->delta || !fourth_is_last)
        return;
    struct visit fourth[4] = {stays, once, twice, thrice};
    for (uint32_t i = 0; i < 4; i++) {
        fourth[i].crossing.nodes = control_at(&maker->work, visit->at, visit->stage - 1);
        put_direct(&fourth[i], visit->first + (i == 1 || i == 2), 3, 1);
    }
}

/* Adds an element that makes a detour from the stage's first step on. If the control turns (is
 * inverted) before or after the stage, the element goes directly. */
static void add_late(const struct visit *visit, uint32_t index)
{
    const struct visit stays = where(visit, visit->before, false);
    const struct visit turns = where(visit, visit->before, true);
    const struct visit will_stay = where(&stays, visit->after, false);
    const struct visit will_turn = where(&stays, visit->after, true);
    put_direct(&turns, visit->first + 1, index, 1);
    put_direct(&will_turn, visit->first + 2, index, 1);
    put_detour(&will_stay, visit->first, index, 1);
}

static void add_full_stage(struct visit *visit)
{
    const struct maker *maker = visit->maker;
    bool four = visit->size == 4, odd = visit->stage & 1;
    bool last = visit->stage + 1 == maker->work.plan->delta;
    uint64_t first = visit->first = 2 * (uint64_t)visit->stage;
    if (visit->stage == 0) {
        add_late(visit, 0);
        put_direct(visit, 0, 1, 1);
        put_direct(visit, 1, 2, 1);
        return;
    }
    const struct visit stays = where(visit, visit->before, false);
    const struct visit turns = where(visit, visit->before, true);
    struct visit fourth = *visit;
    fourth.crossing.nodes = control_at(&maker->work, visit->at, visit->stage - 1);
    add_early(visit, odd ? 1 : 2);
    if (four && odd && last) {
        put_detour(&stays, first, 2, 1);
        put_direct(&turns, first, 2, 1);
    } else {
        put_direct(visit, first, odd ? 2 : 1, 1);
    }
    if (four && !odd)
        add_late(visit, 0);
    else
        put_direct(visit, first + 1, 0, 1);
    if (four && odd && !last)
        add_late(&fourth, 3);
    else if (!odd)
        put_direct(&fourth, first + 1, 3, 1);
    if (four && last) {
        /* the dimension that element 3 omitted comes after all others */
        fourth.crossing = (struct cm_reshape_crossing){
            .dimension = maker->work.order[visit->set],
            .nodes = control_at(&maker->work, visit->set, visit->stage)};
        put_direct(&fourth, first + 2, 3, 1);
    }
}

/*
 * Returns true if add_full_stage can plan the data sets. It cannot if a control is inverted in
 * three stages in succession, and the data sets of the first two of them have four elements. It can
 * even then if the third of these stages is the last one of all, and the number of stages is even
 * or the data set of that stage has three elements.
 */
static bool full_stages_do(const struct maker *maker)
{
    uint32_t delta = maker->work.plan->delta;
    for (uint32_t at = 0; at < delta; at++)
        for (uint32_t stage = 3; stage < delta; stage++) {
            bool turns = true, full = true;
            for (uint32_t i = 0; i < 3; i++)
                turns = turns && turned_at(&maker->work, at, stage - i) != 0;
            for (uint32_t i = 1; i < 3; i++)
                full = full && has_four(maker, at, stage - i);
            bool last = stage + 1 == delta && (delta % 2 == 0 || !has_four(maker, at, stage));
            if (turns && full && !last)
                return false;
        }
    return true;
}

/* Chooses the data sets that have one element more than the others: `count` of all sets, as evenly
 * spaced as possible. */
static uint64_t deal_longer(uint64_t count, uint32_t delta)
{
    uint64_t sets = 0;
    for (uint64_t set = 0; set < delta; set++)
        sets |= (uint64_t)(set * count % delta < count) << set;
    return sets;
}

/* Adds the stages of theorem 3 in the order of dimensions in `maker`. */
static enum cm_status add_stages(struct maker *maker, void (*add_stage)(struct visit *))
{
    struct cm_reshape_plan *plan = maker->work.plan;
    plan->buffer_count = 4 * plan->delta;
    for (uint32_t stage = 0; stage < plan->delta; stage++)
        for (uint32_t set = 0; set < plan->delta; set++) {
            struct visit visit;
            begin_visit(maker, set, stage, &visit);
            add_stage(&visit);
        }
    return maker->status;
}

enum cm_status cm_reshape_two_path(const struct cm_reshape_work *given, struct cm_error *err)
{
    struct cm_reshape_plan *plan = given->plan;
    struct maker maker = {.work = *given, .err = err};
    void (*add_stage)(struct visit *) = add_long_stage;
    maker.status = check_two_path(plan, err);
    if (maker.status != CM_OK)
        return maker.status;
    /*
     * The order is splits from the top, then merges from the bottom. A split cuts an axis at a
     * dimension, and a merge joins two axes there. A control extends up to the nearest dimension
     * that ends an axis: a split already made, or a merge still to come. In cyclic order, the
     * exchanges made before a dimension are splits from the nearest up and merges from the highest
     * down. So the extent of each control changes at most once.
     */
    cm_reshape_order(given, plan->from.coupled, plan->to.coupled, maker.order);
    maker.work.order = maker.order;
    if (!is_theorem_3(&maker.work)) {
        maker.status = cm_reshape_two_path_shop(given, err);
        plan->bound = plan->steps;
        return maker.status;
    }
    uint64_t delta = plan->delta;
    maker.half = cm_reshape_divide_up(plan->elements, 2 * delta);
    maker.longer = deal_longer(plan->elements % delta, plan->delta);
    plan->bound = plan->steps = delta * maker.half + 1;
    if (delta > 1 && maker.half == 2)
        add_stage = plan->elements <= 3 * delta ? add_short_stage : add_full_stage;
    bool does = add_stage != add_full_stage || full_stages_do(&maker);
    if (!does || cm_reshape_two_path_shop_steps(plan) < plan->steps)
        return cm_reshape_two_path_shop(given, err);
    return add_stages(&maker, add_stage);
}
