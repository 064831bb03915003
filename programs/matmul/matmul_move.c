/*
 * Emits the exchanges of a matrix product. A and B move in the same exchanges, because their axes
 * of k have different cube dimensions. The movements are:
 *
 *     shift      Every block moves to another node along the axis of k, hop by hop. Each unit (one
 *                word for each channel) is loaded, exchanged, and unloaded to the same place.
 *     skew       Shifts by 1, 2, 4, ... groups. A shift takes effect in the nodes that have its bit
 *                in their coordinate of the other axis. The other nodes send, but store nothing.
 *     order      An all-to-all broadcast stores blocks in the order of their nodes' addresses. They
 *                move to the order of k, each cycle of the permutation through one spare block.
 *     spread     The owner's chunk goes to all nodes of its group, over the group's dimensions in
 *                ascending order. Each unit is one step behind the unit before (as in
 *                collective/cube.c), so all dimensions work at the same time.
 */
#include "matmul_private.h"

#include <string.h>

#define NO_TABLE UINT64_MAX

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void emit_all(struct cm_matmul_compiler *c)
{
    cm_imp_emit(c->imp, CM_OP_CTXALL, NULL, 0);
}

/* Returns the FPU register that holds the context of a side in a hop, or in a stage of a spread. */
static unsigned context_of(uint32_t side, uint32_t stage)
{
    return side * (CM_FPU_REGISTERS / 2) + stage;
}

static void emit_contexts(struct cm_matmul_compiler *c, const uint64_t tables[2], uint32_t step)
{
    for (uint32_t s = 0; s < 2; s++) {
        const struct cm_operand context = cm_reg(context_of(s, 0));
        if (tables[s] == NO_TABLE)
            continue;
        if (step != UINT32_MAX) {
            CM_EMIT(c->imp, CM_OP_CTXLOAD, cm_mem(ADDRESS_TABLES, TABLE_MASKS),
                    cm_value(SKEW_BIT(s, step)));
            CM_EMIT(c->imp, CM_OP_CTXSAVE, context);
        }
        CM_EMIT(c->imp, CM_OP_CTXLOAD, cm_mem(ADDRESS_TABLES, (int64_t)tables[s]),
                cm_value(CROSSES_BIT));
        if (step != UINT32_MAX)
            CM_EMIT(c->imp, CM_OP_CTXANDR, context);
        CM_EMIT(c->imp, CM_OP_CTXSAVE, context);
    }
}

/* Emits the exchange of `count` units, for the sides that have a table for this hop. */
static void emit_units(struct cm_matmul_compiler *c, const uint64_t tables[2], uint64_t count)
{
    const uint32_t channels = (uint32_t)c->own->channels;
    if (count == 0)
        return;
    const uint32_t loop = cm_matmul_loop(c->imp, count);
    for (uint32_t s = 0; s < 2; s++)
        if (tables[s] != NO_TABLE)
            cm_emit_send_by(c->imp, (struct cm_place){ADDRESS_TABLES, (int64_t)tables[s]},
                            (struct cm_place){REG_STREAM + s, 0}, channels);
    cm_emit_exchange(c->imp);
    for (uint32_t s = 0; s < 2; s++) {
        if (tables[s] == NO_TABLE)
            continue;
        CM_EMIT(c->imp, CM_OP_CTXREST, cm_reg(context_of(s, 0)));
        cm_emit_receive_by(c->imp, (struct cm_place){ADDRESS_TABLES, (int64_t)tables[s]},
                           (struct cm_place){REG_STREAM + s, 0}, channels);
        cm_emit_advance(c->imp, REG_STREAM + s, channels);
    }
    cm_matmul_next(c->imp, count, loop);
}

/* Emits a hop of both sides, A and B. If one side has fewer units, the other side goes on alone
 * after the last of these. */
static void emit_hop(struct cm_matmul_compiler *c, const uint64_t tables[2], uint32_t step)
{
    const struct cm_side *sides = c->own->sides;
    uint64_t units[2], rest[2] = {NO_TABLE, NO_TABLE};
    emit_contexts(c, tables, step);
    for (uint32_t s = 0; s < 2; s++) {
        units[s] = tables[s] == NO_TABLE ? 0 : sides[s].block_units;
        if (units[s] > 0)
            cm_emit_point(c->imp, REG_STREAM + s, ADDRESS_WORK + s, 0);
    }
    const uint64_t both = units[0] < units[1] ? units[0] : units[1];
    emit_units(c, tables, both);
    for (uint32_t s = 0; s < 2; s++)
        if (units[s] > both)
            rest[s] = tables[s];
    emit_units(c, rest, larger(units[0], units[1]) - both);
    emit_all(c);
}

static void emit_shift(struct cm_matmul_compiler *c, const struct cm_matmul_shift *a,
                       const struct cm_matmul_shift *b, uint32_t step)
{
    for (uint32_t h = 0; h < larger(a->hops.count, b->hops.count); h++) {
        const uint64_t tables[2] = {h < a->hops.count ? a->table + h : NO_TABLE,
                                    h < b->hops.count ? b->table + h : NO_TABLE};
        emit_hop(c, tables, step);
    }
}

void cm_matmul_emit_skew(struct cm_matmul_compiler *c)
{
    const struct cm_side *sides = c->own->sides;
    for (uint32_t b = 0; b < c->own->cannon_bits; b++)
        emit_shift(c, &sides[0].skew[b], &sides[1].skew[b], b);
}

void cm_matmul_emit_step(struct cm_matmul_compiler *c)
{
    emit_shift(c, &c->own->sides[0].step, &c->own->sides[1].step, UINT32_MAX);
}

/* Stages (dimensions) of a side's spread that units cross in a step: from `begin` to end - 1. */
struct stages {
    uint64_t begin, end;
};

static struct stages stages_at(const struct cm_side *side, uint64_t step)
{
    const uint64_t units = side->chunk_units, dimensions = side->group_bits;
    struct stages stages = {step < units ? 0 : step - units + 1,
                            step < dimensions ? step + 1 : dimensions};
    if (dimensions == 0 || stages.begin > stages.end)
        stages.begin = stages.end = 0;
    return stages;
}

static struct cm_place unit_place(const struct cm_matmul_compiler *c, uint32_t side, uint64_t stage)
{
    return (struct cm_place){REG_STREAM + side, -(int64_t)(stage * c->own->channels)};
}

static void emit_spread_step(struct cm_matmul_compiler *c, const struct stages stages[2])
{
    const uint32_t channels = (uint32_t)c->own->channels;
    const struct cm_side *sides = c->own->sides;
    for (uint32_t s = 0; s < 2; s++)
        for (uint64_t e = stages[s].begin; e < stages[s].end; e++)
            cm_emit_send(c->imp, c->config, sides[s].along.first_dimension + (uint32_t)e,
                         unit_place(c, s, e), channels);
    cm_emit_exchange(c->imp);
    for (uint32_t s = 0; s < 2; s++)
        for (uint64_t e = stages[s].begin; e < stages[s].end; e++) {
            CM_EMIT(c->imp, CM_OP_CTXREST, cm_reg(context_of(s, (uint32_t)e)));
            cm_emit_receive(c->imp, c->config, sides[s].along.first_dimension + (uint32_t)e,
                            unit_place(c, s, e), channels);
        }
    for (uint32_t s = 0; s < 2; s++)
        if (stages[s].begin < stages[s].end)
            cm_emit_advance(c->imp, REG_STREAM + s, channels);
}

/* Emits the copy of the owner's chunk to its panel, and the contexts that say which nodes store
 * words in which stage. */
static void emit_spread_begin(struct cm_matmul_compiler *c, uint32_t s)
{
    const struct cm_side *side = &c->own->sides[s];
    CM_EMIT(c->imp, CM_OP_CTXLOAD, cm_mem(REG_OWNER + s, 0), cm_value(OWNER_BIT));
    cm_emit_move(c->imp, (struct cm_place){ADDRESS_PANEL + s, 0},
                 (struct cm_place){REG_CHUNK + s, 0}, side->chunk_words);
    for (uint32_t e = 0; e < side->group_bits; e++) {
        CM_EMIT(c->imp, CM_OP_CTXLOAD, cm_mem(REG_OWNER + s, 0), cm_value(e));
        CM_EMIT(c->imp, CM_OP_CTXSAVE, cm_reg(context_of(s, e)));
    }
    emit_all(c);
    cm_emit_point(c->imp, REG_STREAM + s, ADDRESS_PANEL + s, 0);
}

static uint64_t steps_of(const struct cm_side *side)
{
    return cm_matmul_spreads(side) ? side->chunk_units + side->group_bits - 1 : 0;
}

void cm_matmul_emit_spread(struct cm_matmul_compiler *c)
{
    const struct cm_side *sides = c->own->sides;
    const uint64_t steps = larger(steps_of(&sides[0]), steps_of(&sides[1]));
    for (uint32_t s = 0; s < 2; s++)
        if (cm_matmul_spreads(&sides[s]))
            emit_spread_begin(c, s);
    for (uint64_t step = 0; step < steps;) {
        const struct stages now[2] = {stages_at(&sides[0], step), stages_at(&sides[1], step)};
        uint64_t times = 0;
        for (struct stages next[2] = {now[0], now[1]};
             step + times < steps && memcmp(next, now, sizeof now) == 0; times++)
            for (uint32_t s = 0; s < 2; s++)
                next[s] = stages_at(&sides[s], step + times + 1);
        const uint32_t loop = cm_matmul_loop(c->imp, times);
        emit_spread_step(c, now);
        cm_matmul_next(c->imp, times, loop);
        step += times;
    }
    emit_all(c);
}

static struct cm_place block_place(const struct cm_matmul_compiler *c, uint32_t side,
                                   uint64_t block)
{
    const struct cm_side *from = &c->own->sides[side];
    return (struct cm_place){ADDRESS_PANEL + side,
                             (int64_t)(block * from->chunks * from->chunk_words)};
}

/* True if `first` is the lowest block of its cycle in the permutation of blocks. */
static bool is_first(const struct cm_axis *axis, uint32_t first)
{
    uint32_t at = cm_axis_encode(axis, first);
    while (at > first)
        at = cm_axis_encode(axis, at);
    return at == first;
}

void cm_matmul_emit_order(struct cm_matmul_compiler *c, uint32_t side)
{
    const struct cm_side *from = &c->own->sides[side];
    const uint64_t words = from->chunks * from->chunk_words;
    const uint32_t nodes = UINT32_C(1) << from->along.node_bits;
    for (uint32_t first = 0; from->gathered && first < nodes; first++) {
        uint32_t to = first, next = cm_axis_encode(&from->along, first);
        if (next == first || !is_first(&from->along, first))
            continue;
        cm_emit_move(c->imp, block_place(c, side, nodes), block_place(c, side, first), words);
        for (; next != first; to = next, next = cm_axis_encode(&from->along, next))
            cm_emit_move(c->imp, block_place(c, side, to), block_place(c, side, next), words);
        cm_emit_move(c->imp, block_place(c, side, to), block_place(c, side, nodes), words);
    }
}
