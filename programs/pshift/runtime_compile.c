/*
 * Compiling a shift of the run-time library. Its table has a word for each hop of each route (byte
 * 0: slot of the first outgoing word, 1 and 2: slots of the first and second incoming word) and one
 * word of mask bits. A word that stays where it is in some hop goes over the chip-to-chip wire to
 * its own node, for the exchange is the same in all nodes.
 */
#include "runtime_compile.h"

#include "../system/emit.h"
#include "axis_hops.h"

#include <stdlib.h>

enum { ARGUMENT_TABLE, ARGUMENT_DST, ARGUMENT_SRC, ARGUMENT_CARRY };
enum { REG_TABLE, REG_DST, REG_SRC, REG_CARRY, REG_TO, REG_FROM };

#define PIECES_MAX 16u /* two passes of two parts, each cut in up to three ranges, with room */

/* Part of a pass that is moved in one way: alike in all nodes, or in the nodes of a range of
 * coordinates. */
struct piece {
    struct cm_part part;
    struct cm_hops route;
    uint32_t first_hop; /* of the route, in the table */
    bool masked;
    uint32_t mask_bit;
    uint32_t first_coordinate, last_coordinate;
};

struct plan {
    const struct cm_runtime_task *task;
    const struct cm_config *config;
    struct piece pieces[PIECES_MAX];
    uint32_t count;
    uint32_t hops;
    uint32_t masks;
};

static const struct cm_axis *plan_axis(const struct plan *plan)
{
    return &plan->task->layout->axes[plan->task->axis];
}

static void add_piece(struct plan *plan, struct cm_part part, const struct cm_range *range)
{
    struct piece piece = {.part = part, .first_hop = plan->hops};
    cm_hops_find(plan_axis(plan), -part.nodes, &piece.route);
    if (plan->task->by_router && piece.route.count > 0)
        return;
    uint32_t last = (uint32_t)((UINT64_C(1) << plan_axis(plan)->node_bits) - 1);
    if (range && (range->first_coordinate > 0 || range->last_coordinate < last)) {
        piece.masked = true;
        piece.mask_bit = plan->masks++;
        piece.first_coordinate = range->first_coordinate;
        piece.last_coordinate = range->last_coordinate;
    }
    plan->hops += piece.route.count;
    plan->pieces[plan->count++] = piece;
}

/* A part, as far as its destinations lie in a range of local indices. */
static bool intersect(const struct cm_part *part, const struct cm_range *range, struct cm_part *out)
{
    uint64_t first = part->first > range->first ? part->first : range->first;
    uint64_t part_end = part->first + part->count;
    uint64_t range_end = range->first + range->count;
    uint64_t end = part_end < range_end ? part_end : range_end;
    if (first >= end)
        return false;
    *out = (struct cm_part){.first = first,
                            .count = end - first,
                            .source = part->source + (first - part->first),
                            .nodes = part->nodes};
    return true;
}

/* All places. */
static void add_pass(struct plan *plan, int64_t distance)
{
    struct cm_part parts[2];
    uint32_t count = cm_parts_find(plan_axis(plan), distance, parts);
    for (uint32_t i = 0; i < count; i++)
        add_piece(plan, parts[i], NULL);
}

/* The places [low, high) only. */
static void add_masked_pass(struct plan *plan, int64_t distance, uint64_t low, uint64_t high)
{
    struct cm_part parts[2];
    struct cm_range ranges[3];
    uint32_t part_count = cm_parts_find(plan_axis(plan), distance, parts);
    uint32_t range_count = cm_ranges_find(plan_axis(plan), low, high, ranges);
    struct cm_part both;
    for (uint32_t i = 0; i < part_count; i++)
        for (uint32_t k = 0; k < range_count; k++)
            if (intersect(&parts[i], &ranges[k], &both))
                add_piece(plan, both, &ranges[k]);
}

static void make_plan(struct plan *plan)
{
    const struct cm_runtime_task *task = plan->task;
    const struct cm_axis *axis = plan_axis(plan);
    int64_t length = (int64_t)axis->length;
    int64_t distance = task->distance;
    if (!task->circular && (distance >= length || distance <= -length))
        return; /* nothing but boundary */
    if (!task->circular || distance == 0) {
        add_pass(plan, distance);
    } else if (!axis->padded) {
        add_pass(plan, distance > length / 2 ? distance - length : distance);
    } else {
        add_pass(plan, distance);
        add_masked_pass(plan, distance - length, (uint64_t)(length - distance), (uint64_t)length);
    }
}

/* The bytes of one hop in one node. */
static uint32_t hop_word(const struct plan *plan, const struct cm_hop *hop, uint32_t bits)
{
    const struct cm_axis *axis = plan_axis(plan);
    uint32_t half = plan->config->transposer_slots / 2;
    uint8_t out = cm_hop_out(axis, hop, bits);
    uint8_t in = cm_hop_in(axis, hop, bits);
    if (out == CM_HOP_STAY) /* slot 0 crosses to slot half, and half to 0 */
        return half << 8;
    uint32_t out_slot = axis->first_dimension + out + 1;
    uint32_t in_slot = axis->first_dimension + in + 1;
    return out_slot | in_slot << 8 | (in_slot + half) << 16;
}

static void fill_table(const struct plan *plan, uint32_t *planes)
{
    const struct cm_layout *layout = plan->task->layout;
    for (uint32_t node = 0; node < layout->nodes; node++) {
        uint32_t c = cm_layout_coordinate(layout, node, plan->task->axis);
        uint32_t bits = cm_axis_encode(plan_axis(plan), c);
        for (uint32_t i = 0; i < plan->count; i++) {
            const struct piece *piece = &plan->pieces[i];
            for (uint32_t h = 0; h < piece->route.count; h++)
                planes[(size_t)(piece->first_hop + h) * layout->nodes + node] =
                    hop_word(plan, &piece->route.hops[h], bits);
            if (piece->masked && c >= piece->first_coordinate && c <= piece->last_coordinate)
                planes[(size_t)plan->hops * layout->nodes + node] |= UINT32_C(1) << piece->mask_bit;
        }
    }
}

static enum cm_status make_table(struct cm_system *system, const struct plan *plan,
                                 struct cm_compiled *compiled, struct cm_error *err)
{
    uint32_t words = plan->hops + (plan->masks > 0);
    if (words == 0)
        return CM_OK;
    uint32_t *planes = calloc((size_t)words * plan->task->layout->nodes, sizeof *planes);
    if (!planes)
        return cm_error_no_memory(err);
    fill_table(plan, planes);
    enum cm_status status =
        cm_table_create(system, planes, words, "a communication table", &compiled->table, err);
    compiled->has_table = status == CM_OK;
    free(planes);
    return status;
}

static void emit_mask(struct cm_imp *imp, const struct plan *plan, const struct piece *piece)
{
    CM_EMIT(imp, CM_OP_CTXLOAD, cm_mem(REG_TABLE, plan->hops), cm_value(piece->mask_bit));
}

/* One hop of one unit: `words` words from one place to another. */
static void emit_hop(struct cm_imp *imp, uint32_t hop, struct cm_place from, struct cm_place to,
                     uint32_t words, bool under_mask, const struct plan *plan,
                     const struct piece *piece)
{
    for (uint32_t w = 0; w < words; w++)
        CM_EMIT(imp, CM_OP_LOADI, cm_reg(CM_TRANSPOSER_A), cm_mem(from.reg, from.offset + w),
                cm_mem(REG_TABLE, hop), cm_value(0), cm_value(w));
    cm_imp_emit(imp, CM_OP_EXCHANGE, NULL, 0);
    if (under_mask)
        emit_mask(imp, plan, piece);
    for (uint32_t w = 0; w < words; w++)
        CM_EMIT(imp, CM_OP_UNLOADI, cm_mem(to.reg, to.offset + w), cm_reg(CM_TRANSPOSER_B),
                cm_mem(REG_TABLE, hop), cm_value(1 + w), cm_value(0));
    if (under_mask)
        cm_imp_emit(imp, CM_OP_CTXALL, NULL, 0);
}

/*
 * An element's way: between hops it waits where it will arrive, unless only some nodes may write
 * there; then it waits in the carry words.
 */
static void emit_element(struct cm_imp *imp, const struct plan *plan, const struct piece *piece)
{
    uint32_t slices = plan->task->layout->slices;
    uint32_t channels = plan->config->network_channels_per_dimension;
    unsigned waiting = piece->masked ? REG_CARRY : REG_TO;
    for (uint32_t first = 0; first < slices; first += channels) {
        uint32_t words = slices - first < channels ? slices - first : channels;
        for (uint32_t h = 0; h < piece->route.count; h++) {
            bool last = h + 1 == piece->route.count;
            struct cm_place from = {h == 0 ? REG_FROM : waiting, first};
            struct cm_place to = {last ? REG_TO : waiting, first};
            emit_hop(imp, piece->first_hop + h, from, to, words, last && piece->masked, plan,
                     piece);
        }
    }
}

static void emit_crossing(struct cm_imp *imp, const struct plan *plan, const struct piece *piece,
                          const struct cm_runs *dst, const struct cm_runs *src)
{
    int64_t slices = plan->task->layout->slices;
    int64_t gap = (int64_t)(dst->stride - dst->run) * slices;
    CM_EMIT(imp, CM_OP_ACOPY, cm_reg(REG_TO), cm_reg(REG_DST),
            cm_value((int64_t)dst->offset * slices));
    CM_EMIT(imp, CM_OP_ACOPY, cm_reg(REG_FROM), cm_reg(REG_SRC),
            cm_value((int64_t)src->offset * slices));
    uint32_t rows = CM_EMIT(imp, CM_OP_LOOP, cm_value((int64_t)dst->rows));
    uint32_t run = CM_EMIT(imp, CM_OP_LOOP, cm_value((int64_t)dst->run));
    emit_element(imp, plan, piece);
    CM_EMIT(imp, CM_OP_AADD, cm_reg(REG_TO), cm_value(slices));
    CM_EMIT(imp, CM_OP_AADD, cm_reg(REG_FROM), cm_value(slices));
    cm_emit_next(imp, run);
    CM_EMIT(imp, CM_OP_AADD, cm_reg(REG_TO), cm_value(gap));
    CM_EMIT(imp, CM_OP_AADD, cm_reg(REG_FROM), cm_value(gap));
    cm_emit_next(imp, rows);
}

static void emit_piece(struct cm_imp *imp, const struct plan *plan, const struct piece *piece)
{
    static const unsigned scratch[2] = {REG_TO, REG_FROM};
    const struct cm_layout *layout = plan->task->layout;
    struct cm_runs dst = cm_runs_of(layout, plan->task->axis, piece->part.first, piece->part.count);
    struct cm_runs src =
        cm_runs_of(layout, plan->task->axis, piece->part.source, piece->part.count);
    if (piece->route.count > 0) {
        emit_crossing(imp, plan, piece, &dst, &src);
        return;
    }
    if (piece->masked)
        emit_mask(imp, plan, piece);
    cm_emit_moves(imp, &dst, (struct cm_place){REG_DST, 0}, &src, (struct cm_place){REG_SRC, 0},
                  layout->slices, scratch);
    if (piece->masked)
        cm_imp_emit(imp, CM_OP_CTXALL, NULL, 0);
}

enum cm_status cm_runtime_make(struct cm_system *system, const void *task,
                               struct cm_compiled *compiled, struct cm_error *err)
{
    struct plan plan = {.task = task, .config = cm_machine_config(system->machine)};
    make_plan(&plan);
    enum cm_status status = make_table(system, &plan, compiled, err);
    if (status != CM_OK)
        return status;
    struct cm_imp *imp = cm_imp_create(plan.task->circular ? "cshift" : "eoshift");
    if (!imp)
        return cm_error_no_memory(err);
    cm_imp_argument(imp, "table", CM_ARGUMENT_ADDRESS);
    cm_imp_argument(imp, "dst", CM_ARGUMENT_ADDRESS);
    cm_imp_argument(imp, "src", CM_ARGUMENT_ADDRESS);
    cm_imp_argument(imp, "carry", CM_ARGUMENT_ADDRESS);
    cm_emit_argument(imp, REG_TABLE, ARGUMENT_TABLE, 0);
    cm_emit_argument(imp, REG_DST, ARGUMENT_DST, 0);
    cm_emit_argument(imp, REG_SRC, ARGUMENT_SRC, 0);
    cm_emit_argument(imp, REG_CARRY, ARGUMENT_CARRY, 0);
    for (uint32_t i = 0; i < plan.count; i++)
        emit_piece(imp, &plan, &plan.pieces[i]);
    cm_imp_emit(imp, CM_OP_HALT, NULL, 0);
    return cm_compiled_add(compiled, imp, err);
}
