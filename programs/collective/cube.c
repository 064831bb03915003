/*
 * What happens over the cube: the items of the nodes cross its dimensions in ascending order. Items
 * go in groups that fill the two channels of a dimension, and the groups in a pipeline: in step t
 * group t crosses the first dimension, group t - 1 the second, and so on, so that all dimensions
 * work at once. G groups over d dimensions take G + d - 1 steps of as many exchanges as a group
 * takes.
 *
 *     step             the dimensions that have a group, once or in a loop
 *       exchanges        load A from the items; exchange; unload B behind the items (of a spread:
 *                        onto the items of the nodes that have none yet)
 *       combine          item = lower o upper, in both nodes; of a scan also, in the later one,
 *                        prefix = the other's total o prefix
 *
 * After dimension j of an axis, the nodes whose coordinates agree from bit j + 1 upwards hold the
 * same item: that of their 2^(j + 1) neighbouring coordinates, in Gray code as in binary code.
 */
#include "collective_private.h"

/* FPU registers; a group has at most two items. */
enum {
    FPU_OWN = FPU_FREE,
    FPU_ARRIVED = FPU_OWN + FPU_GROUP,
    FPU_PAIR = 2 * FPU_GROUP,
    FPU_LOWER = FPU_OWN + 2 * FPU_PAIR,
    FPU_UPPER = FPU_LOWER + FPU_GROUP,
    /* of a scan, which takes one item after the other */
    FPU_PREFIX = FPU_ARRIVED + FPU_GROUP,
    FPU_RESULT = FPU_PREFIX + FPU_GROUP,
    FPU_LATER = FPU_UPPER + FPU_GROUP,
};
_Static_assert(FPU_RESULT + FPU_GROUP <= FPU_LOWER, "the registers of a scan");

/* The group that crosses the stage-th dimension in this step, and where its arrivals go. */
static struct cm_place group_place(const struct cm_compiler *c, uint32_t stage)
{
    return (struct cm_place){REG_ITEMS, -(int64_t)(stage * c->own->group_words)};
}

static struct cm_place arrival_place(const struct cm_compiler *c, uint32_t stage)
{
    return (struct cm_place){ADDRESS_WORK,
                             (int64_t)(c->own->arrivals + stage * c->own->group_words)};
}

static void emit_context(struct cm_compiler *c, uint32_t table, uint32_t stage)
{
    CM_EMIT(c->imp, CM_OP_CTXLOAD, cm_mem(ADDRESS_TABLES, table),
            cm_value(c->own->first_dimension + stage));
}

/* Words of a group in one of its exchanges. */
static uint32_t words_in(const struct cm_compiler *c, uint64_t exchange)
{
    const uint32_t channels = c->config->network_channels_per_dimension;
    const uint64_t left = c->own->group_words - exchange * channels;
    return left < channels ? (uint32_t)left : channels;
}

static void emit_exchange(struct cm_compiler *c, uint32_t begin, uint32_t end, uint64_t exchange)
{
    const bool spread = c->own->task.kind == CM_COLLECTIVE_SPREAD;
    const uint32_t words = words_in(c, exchange);
    const int64_t first = (int64_t)(exchange * c->config->network_channels_per_dimension);
    for (uint32_t stage = begin; stage < end; stage++) {
        struct cm_place from = group_place(c, stage);
        from.offset += first;
        cm_emit_send(c->imp, c->config, c->own->first_dimension + stage, from, words);
    }
    cm_emit_exchange(c->imp);
    for (uint32_t stage = begin; stage < end; stage++) {
        struct cm_place to = spread ? group_place(c, stage) : arrival_place(c, stage);
        to.offset += first;
        if (spread)
            emit_context(c, TABLE_PLACE, stage);
        cm_emit_receive(c->imp, c->config, c->own->first_dimension + stage, to, words);
    }
    if (spread)
        cm_imp_emit(c->imp, CM_OP_CTXALL, NULL, 0);
}

/* item = lower o upper, where the order matters. */
static void emit_pair(struct cm_compiler *c, uint32_t stage, unsigned own, unsigned arrived)
{
    if (!c->item->ordered) {
        cm_emit_operation(c, own, own, arrived);
        return;
    }
    emit_context(c, TABLE_UPPER, stage);
    cm_emit_select(c, FPU_LOWER, arrived, own);
    cm_emit_select(c, FPU_UPPER, own, arrived);
    cm_emit_operation(c, own, FPU_LOWER, FPU_UPPER);
}

static void emit_combine(struct cm_compiler *c, uint32_t stage)
{
    const struct cm_place items = group_place(c, stage), arrivals = arrival_place(c, stage);
    for (uint32_t i = 0; i < c->own->group; i++) {
        const int64_t offset = i * c->item->words;
        const unsigned own = FPU_OWN + i * FPU_PAIR, arrived = FPU_ARRIVED + i * FPU_PAIR;
        cm_emit_item_load(c, own, (struct cm_place){items.reg, items.offset + offset});
        cm_emit_item_load(c, arrived, (struct cm_place){arrivals.reg, arrivals.offset + offset});
        emit_pair(c, stage, own, arrived);
    }
    if (c->item->ordered || c->item->located)
        cm_imp_emit(c->imp, CM_OP_CTXALL, NULL, 0);
    for (uint32_t i = 0; i < c->own->group; i++)
        cm_emit_item_store(
            c, (struct cm_place){items.reg, items.offset + (int64_t)(i * c->item->words)},
            FPU_OWN + i * FPU_PAIR);
}

/* to = a o b of totals or prefixes, `to` neither: where a segment has begun in b, b alone. */
static void emit_join(struct cm_compiler *c, unsigned to, unsigned a, unsigned b)
{
    cm_emit_operation(c, to, a, b);
    if (!c->item->flagged)
        return;
    CM_EMIT(c->imp, CM_OP_CTXREST, cm_reg(b + FPU_TAIL));
    cm_emit_value_select(c, to, b, to);
    cm_emit(c, CM_OP_IOR, to + FPU_TAIL, a + FPU_TAIL, b + FPU_TAIL);
}

/* In the later node of a pair the other's total comes before the prefix; both get the joint
 * total. */
static void emit_scan_item(struct cm_compiler *c, uint32_t stage, struct cm_place total,
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

static void emit_scan(struct cm_compiler *c, uint32_t stage)
{
    struct cm_place total = group_place(c, stage), arrival = arrival_place(c, stage);
    for (uint32_t i = 0; i < c->own->group; i++) {
        const struct cm_place prefix = {total.reg, total.offset + (int64_t)c->own->items_room};
        emit_scan_item(c, stage, total, prefix, arrival);
        total.offset += c->item->words;
        arrival.offset += c->item->words;
    }
}

/* A step in which the dimensions [begin, end) work. */
static void emit_step(struct cm_compiler *c, uint32_t begin, uint32_t end)
{
    for (uint64_t exchange = 0; exchange < c->own->group_exchanges; exchange++)
        emit_exchange(c, begin, end, exchange);
    for (uint32_t stage = begin; stage < end; stage++) {
        if (c->own->task.kind == CM_COLLECTIVE_REDUCE)
            emit_combine(c, stage);
        else if (c->own->task.kind == CM_COLLECTIVE_SCAN)
            emit_scan(c, stage);
    }
    cm_emit_advance(c->imp, REG_ITEMS, (int64_t)c->own->group_words);
}

void cm_emit_cube(struct cm_compiler *c)
{
    const uint32_t dimensions = c->own->dimensions;
    const uint64_t groups = (c->own->values + c->own->group - 1) / c->own->group;
    const uint64_t full = groups >= dimensions ? groups - dimensions + 1 : 0;
    uint64_t step = 0;
    if (dimensions == 0)
        return;
    cm_emit_point(c->imp, REG_ITEMS, ADDRESS_WORK, 0);
    while (step < groups + dimensions - 1) {
        const uint64_t begin = step < groups ? 0 : step - groups + 1;
        const uint64_t end = step < dimensions ? step + 1 : dimensions;
        const uint64_t times = full > 0 && step == dimensions - 1 ? full : 1;
        uint32_t loop = cm_emit_begin_loop(c, times);
        emit_step(c, (uint32_t)begin, (uint32_t)end);
        cm_emit_end_loop(c, times, loop);
        step += times;
    }
}
