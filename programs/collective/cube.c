/*
 * Combines items (partial results of the nodes) over the cube. Items cross the dimensions in
 * ascending order. Items form groups that fill the two channels of a dimension, and the groups form
 * a pipeline: in step t group t crosses the first dimension, group t - 1 the second, and so on. So
 * all dimensions work at once. G groups over d dimensions take G + d - 1 steps of as many exchanges
 * as a group takes.
 *
 *     step             the dimensions that have a group, once or in a loop
 *       exchanges        load A from the items, exchange, unload B after the items. For a spread,
 *                        unload B onto the items of the nodes that lack them
 *       combine          item = lower o upper, in both nodes. For a scan, the later node also
 *                        computes prefix = the other node's total o prefix
 *
 * If exchanges overlap other work and there are many groups, a group rests for a step between two
 * dimensions. While an exchange runs, the arrivals of the step before are combined, and the words
 * that cross next are loaded. This takes d - 1 more steps. The compiler (collective.c) compares the
 * cycles of this form of the code with those of the other forms, and takes the cheapest form.
 *
 * Invariant: after dimension j of an axis, the nodes whose coordinates agree from bit j + 1 upwards
 * hold the same item, the combination of their 2^(j + 1) neighbouring coordinates. This holds in
 * Gray code and in binary code.
 */
#include "collective_private.h"

/* FPU registers of a scan, which combines one item after the other. */
enum {
    FPU_OWN = FPU_FREE,
    FPU_ARRIVED = FPU_OWN + FPU_GROUP,
    FPU_PREFIX = FPU_ARRIVED + FPU_GROUP,
    FPU_RESULT = FPU_PREFIX + FPU_GROUP,
    FPU_LATER = FPU_RESULT + FPU_GROUP,
    FPU_LOWER,
    FPU_UPPER = FPU_LOWER + FPU_GROUP,
};
_Static_assert(FPU_UPPER + FPU_GROUP <= CM_FPU_REGISTERS, "the registers of a scan");

/* Returns the number of FPU registers that an item of a reduction takes. */
static unsigned item_registers(const struct cm_collective_compiler *c)
{
    return c->item->located ? FPU_GROUP : c->item->parts;
}

static uint32_t batch_of(const struct cm_collective_compiler *c)
{
    const uint32_t pairs = (CM_FPU_REGISTERS - FPU_FREE) / (2 * item_registers(c));
    return c->item->ordered ? pairs - 1 : pairs;
}

static unsigned own_of(const struct cm_collective_compiler *c, uint64_t pair)
{
    return FPU_FREE + (unsigned)pair * 2 * item_registers(c);
}

static unsigned arrived_of(const struct cm_collective_compiler *c, uint64_t pair)
{
    return own_of(c, pair) + item_registers(c);
}

/* Range of stages (cube dimensions in order) that groups of items cross in a step. */
struct range {
    uint32_t begin, end;
};

static uint64_t groups_of(const struct cm_collective_compiler *c)
{
    return (c->own->values + c->own->group - 1) / c->own->group;
}

/* Returns the stages that groups cross in a step. Group 0 crosses the first dimension in step 0. */
static struct range working(const struct cm_collective_compiler *c, int64_t step)
{
    const int64_t groups = (int64_t)groups_of(c), lag = c->own->lag;
    const int64_t dimensions = c->own->dimensions;
    const int64_t begin = step < groups ? 0 : (step - groups) / lag + 1;
    const int64_t end = step / lag < dimensions ? step / lag + 1 : dimensions;
    if (step < 0 || begin >= end)
        return (struct range){0, 0};
    return (struct range){(uint32_t)begin, (uint32_t)end};
}

static uint64_t steps_of(const struct cm_collective_compiler *c)
{
    return groups_of(c) + (uint64_t)c->own->lag * (c->own->dimensions - 1);
}

/* These functions return the address of the group that crosses dimension number `stage` in the step
 * of REG_ITEMS, or `back` steps before it, and the address to which its partner's words arrive. */
static struct cm_place group_place(const struct cm_collective_compiler *c, uint32_t stage,
                                   uint32_t back)
{
    const uint64_t groups = (uint64_t)stage * c->own->lag + back;
    return (struct cm_place){REG_ITEMS, -(int64_t)(groups * c->own->group_words)};
}

static struct cm_place arrival_place(const struct cm_collective_compiler *c, uint32_t stage)
{
    return (struct cm_place){ADDRESS_WORK,
                             (int64_t)(c->own->arrivals + stage * c->own->group_words)};
}

static void emit_context(struct cm_collective_compiler *c, uint32_t table, uint32_t stage)
{
    CM_EMIT(c->imp, CM_OP_CTXLOAD, cm_mem(ADDRESS_TABLES, table),
            cm_value(c->own->first_dimension + stage));
}

/* Returns the number of words of a group that one of its exchanges sends. */
static uint32_t words_in(const struct cm_collective_compiler *c, uint64_t exchange)
{
    const uint32_t channels = c->config->network_channels_per_dimension;
    const uint64_t left = c->own->group_words - exchange * channels;
    return left < channels ? (uint32_t)left : channels;
}

/* Emits the loads of the groups' words into transposer A, for one exchange of a step. */
static void emit_sends(struct cm_collective_compiler *c, struct range at, uint64_t exchange)
{
    const uint32_t words = words_in(c, exchange);
    for (uint32_t stage = at.begin; stage < at.end; stage++) {
        struct cm_place from = group_place(c, stage, 0);
        from.offset += (int64_t)(exchange * c->config->network_channels_per_dimension);
        cm_emit_send(c->imp, c->config, c->own->first_dimension + stage, from, words);
    }
}

static void emit_receives(struct cm_collective_compiler *c, struct range at, uint32_t back,
                          uint64_t exchange)
{
    const bool spread = c->own->task.kind == CM_COLLECTIVE_SPREAD;
    const uint32_t words = words_in(c, exchange);
    for (uint32_t stage = at.begin; stage < at.end; stage++) {
        struct cm_place to = spread ? group_place(c, stage, back) : arrival_place(c, stage);
        to.offset += (int64_t)(exchange * c->config->network_channels_per_dimension);
        if (spread)
            emit_context(c, TABLE_PLACE, stage);
        cm_emit_receive(c->imp, c->config, c->own->first_dimension + stage, to, words);
    }
    if (spread)
        cm_imp_emit(c->imp, CM_OP_CTXALL, NULL, 0);
}

/* Emits own = lower o upper for the node's own item and the arrived item, in the order of the
 * nodes. */
static void emit_pair(struct cm_collective_compiler *c, uint32_t stage, uint64_t pair)
{
    const unsigned own = own_of(c, pair), arrived = arrived_of(c, pair);
    const unsigned lower = own_of(c, batch_of(c)), upper = arrived_of(c, batch_of(c));
    if (!c->item->ordered) {
        cm_emit_operation(c, own, own, arrived);
        return;
    }
    emit_context(c, TABLE_UPPER, stage);
    cm_emit_select(c, lower, arrived, own);
    cm_emit_select(c, upper, own, arrived);
    cm_emit_operation(c, own, lower, upper);
}

/* Item that crosses in a step: its stage (cube dimension), its address, and the address where its
 * partner's item arrived. */
struct crossing {
    uint32_t stage;
    struct cm_place own, arrived;
};

static struct crossing crossing_of(const struct cm_collective_compiler *c, uint32_t begin,
                                   uint32_t back, uint64_t number)
{
    const uint32_t stage = begin + (uint32_t)(number / c->own->group);
    const int64_t offset = (int64_t)(number % c->own->group * c->item->words);
    struct crossing crossing = {stage, group_place(c, stage, back), arrival_place(c, stage)};
    crossing.own.offset += offset;
    crossing.arrived.offset += offset;
    return crossing;
}

/* Emits the combination of as many items as the registers hold. This opens few pages: first all
 * arrived items are loaded, near the last unload, then all items of the node itself. */
static void emit_batch(struct cm_collective_compiler *c, uint32_t begin, uint32_t back,
                       uint64_t first, uint64_t count)
{
    for (uint64_t k = 0; k < count; k++)
        cm_emit_item_load(c, arrived_of(c, k), crossing_of(c, begin, back, first + k).arrived);
    for (uint64_t k = 0; k < count; k++)
        cm_emit_item_load(c, own_of(c, k), crossing_of(c, begin, back, first + k).own);
    for (uint64_t k = 0; k < count; k++)
        emit_pair(c, crossing_of(c, begin, back, first + k).stage, k);
    if (c->item->ordered || c->item->located)
        cm_imp_emit(c->imp, CM_OP_CTXALL, NULL, 0);
    for (uint64_t k = 0; k < count; k++)
        cm_emit_item_store(c, crossing_of(c, begin, back, first + k).own, own_of(c, k));
}

static void emit_combine(struct cm_collective_compiler *c, struct range at, uint32_t back)
{
    const uint64_t count = (at.end - at.begin) * c->own->group, batch = batch_of(c);
    for (uint64_t first = 0; first < count; first += batch)
        emit_batch(c, at.begin, back, first, count - first < batch ? count - first : batch);
}

/* Emits to = a o b for totals or prefixes of a scan, where `to` is neither a nor b. If a segment
 * has begun in b, the result is b alone. */
static void emit_join(struct cm_collective_compiler *c, unsigned to, unsigned a, unsigned b)
{
    cm_emit_operation(c, to, a, b);
    if (!c->item->flagged)
        return;
    CM_EMIT(c->imp, CM_OP_CTXREST, cm_reg(b + FPU_TAIL));
    cm_emit_value_select(c, to, b, to);
    cm_emit(c, CM_OP_IOR, to + FPU_TAIL, a + FPU_TAIL, b + FPU_TAIL);
}

/* Emits a scan's combination for one item. In the later node of a pair, the prefix gets the other
 * node's total in front. Both nodes get the total of both. */
static void emit_scan_item(struct cm_collective_compiler *c, uint32_t stage, struct cm_place total,
                           struct cm_place prefix, struct cm_place arrival)
{
    cm_emit_item_load(c, FPU_OWN, total);
    cm_emit_item_load(c, FPU_ARRIVED, arrival);
    cm_emit_item_load(c, FPU_PREFIX, prefix);
    emit_context(c, TABLE_UPPER, stage);
    CM_EMIT(c->imp, CM_OP_CTXSAVE, cm_reg(FPU_LATER));
    cm_emit_select(c, FPU_LOWER, FPU_ARRIVED, FPU_OWN);
    cm_emit_select(c, FPU_UPPER, FPU_OWN, FPU_ARRIVED);
    emit_join(c, FPU_RESULT, FPU_ARRIVED, FPU_PREFIX);
    CM_EMIT(c->imp, CM_OP_CTXREST, cm_reg(FPU_LATER));
    cm_emit_select(c, FPU_PREFIX, FPU_RESULT, FPU_PREFIX);
    emit_join(c, FPU_OWN, FPU_LOWER, FPU_UPPER);
    cm_imp_emit(c->imp, CM_OP_CTXALL, NULL, 0);
    cm_emit_item_store(c, total, FPU_OWN);
    cm_emit_item_store(c, prefix, FPU_PREFIX);
}

static void emit_scan(struct cm_collective_compiler *c, uint32_t stage, uint32_t back)
{
    struct cm_place total = group_place(c, stage, back), arrival = arrival_place(c, stage);
    for (uint32_t i = 0; i < c->own->group; i++) {
        const struct cm_place prefix = {total.reg, total.offset + (int64_t)c->own->items_room};
        emit_scan_item(c, stage, total, prefix, arrival);
        total.offset += c->item->words;
        arrival.offset += c->item->words;
    }
}

/* Emits the combination of items that arrived `back` steps before the current step. */
static void emit_work(struct cm_collective_compiler *c, struct range at, uint32_t back)
{
    if (c->own->task.kind == CM_COLLECTIVE_REDUCE)
        emit_combine(c, at, back);
    for (uint32_t stage = at.begin; c->own->task.kind == CM_COLLECTIVE_SCAN && stage < at.end;
         stage++)
        emit_scan(c, stage, back);
}

/* Emits the exchanges of a step. If they overlap other work, the words of the next exchange are
 * loaded before the words of the last exchange are unloaded. */
static void emit_exchanges(struct cm_collective_compiler *c, struct range at)
{
    const bool overlap = c->own->overlap;
    emit_sends(c, at, 0);
    for (uint64_t exchange = 0; exchange < c->own->group_exchanges; exchange++) {
        const bool more = exchange + 1 < c->own->group_exchanges;
        cm_emit_exchange(c->imp);
        if (more && overlap)
            emit_sends(c, at, exchange + 1);
        emit_receives(c, at, 0, exchange);
        if (more && !overlap)
            emit_sends(c, at, exchange + 1);
    }
}

static void emit_step(struct cm_collective_compiler *c, struct range at)
{
    emit_exchanges(c, at);
    emit_work(c, at, 0);
    cm_emit_advance(c->imp, REG_ITEMS, (int64_t)c->own->group_words);
}

/* Emits a step of groups that rest between dimensions. Its first words are in transposer A already.
 * While its first exchange runs, the arrivals of the step before are combined. While its last
 * exchange runs, the first words of the next step are loaded. */
static void emit_resting_step(struct cm_collective_compiler *c, struct range before,
                              struct range at, struct range next)
{
    for (uint64_t exchange = 0; exchange < c->own->group_exchanges; exchange++) {
        const bool more = exchange + 1 < c->own->group_exchanges;
        cm_emit_exchange(c->imp);
        if (exchange == 0)
            emit_work(c, before, 1);
        if (!more)
            cm_emit_advance(c->imp, REG_ITEMS, (int64_t)c->own->group_words);
        emit_sends(c, more ? at : next, more ? exchange + 1 : 0);
        emit_receives(c, at, more ? 0 : 1, exchange);
    }
}

static bool same(struct range a, struct range b)
{
    return a.begin == b.begin && a.end == b.end;
}

/* Returns how many steps, from `step` on, have equal code. If groups rest between dimensions, the
 * code of a step also depends on the neighbouring steps. */
static uint64_t steps_like(const struct cm_collective_compiler *c, int64_t step)
{
    const int64_t reach = c->own->lag > 1 ? 1 : 0;
    uint64_t count = 1;
    for (int64_t next = step + 1; (uint64_t)next < steps_of(c); next++, count++)
        for (int64_t near = -reach; near <= reach; near++)
            if (!same(working(c, step + near), working(c, next + near)))
                return count;
    return count;
}

void cm_emit_cube(struct cm_collective_compiler *c)
{
    if (c->own->dimensions == 0)
        return;
    const bool rest = c->own->lag > 1;
    const int64_t steps = (int64_t)steps_of(c);
    cm_emit_point(c->imp, REG_ITEMS, ADDRESS_WORK, 0);
    if (rest)
        emit_sends(c, working(c, 0), 0);
    for (int64_t step = 0; step < steps;) {
        const uint64_t times = steps_like(c, step);
        uint32_t loop = cm_emit_begin_loop(c, times);
        if (rest)
            emit_resting_step(c, working(c, step - 1), working(c, step), working(c, step + 1));
        else
            emit_step(c, working(c, step));
        cm_emit_end_loop(c, times, loop);
        step += (int64_t)times;
    }
    if (rest)
        emit_work(c, working(c, steps - 1), 1);
}
