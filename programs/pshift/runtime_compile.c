/*
 * Compiler of the run-time library's shifts. The table of a shift has a word for each hop of each
 * piece (format in system/emit.h), and a word of mask bits. A piece is a part of a pass over the
 * axis that nodes move in one way.
 *
 * In a shift in place, one piece keeps its source in the array: the largest piece that all nodes
 * move. Its elements are moved in an order in which each element is read before another overwrites
 * it. All nodes move the same local element at a time, so this also holds between nodes. The
 * sources of the other pieces are first copied to scratch memory ("set aside").
 */
#include "runtime_private.h"

#include "../system/axis_hops.h"
#include "../system/emit.h"

/* address registers, those of the IMP's arguments first */
enum { REG_TABLE, REG_DST, REG_SRC, REG_CARRY, REG_TO, REG_FROM };

/* limit on the pieces: two passes of two parts, each cut into at most three ranges, and some room
 */
#define PIECES_MAX 16u

/* Piece: a part of a pass that all nodes, or all nodes in a range of coordinates, move in one way.
 */
struct piece {
    struct cm_axis_part part;
    struct cm_hops hops;
    uint32_t first_hop; /* number of the table word for the piece's first hop */
    bool masked;
    uint32_t mask_bit;
    uint32_t first_coordinate, last_coordinate;
    bool is_aside;         /* true if the piece's source is copied to scratch memory */
    uint64_t aside_offset; /* number of the first element in scratch memory, in memory order */
};

struct plan {
    const struct cm_runtime_task *task;
    const struct cm_config *config;
    struct piece pieces[PIECES_MAX];
    uint32_t count;
    uint32_t hops;
    uint32_t masks;
    uint64_t aside; /* number of elements of a node that are copied to scratch memory */
};

static const struct cm_axis *plan_axis(const struct plan *plan)
{
    return &plan->task->layout->axes[plan->task->axis];
}

static void add_piece(struct plan *plan, struct cm_axis_part part, const struct cm_range *range)
{
    struct piece piece = {.part = part, .first_hop = plan->hops};
    cm_hops_find(plan_axis(plan), -part.nodes, &piece.hops);
    if (plan->task->by_router && piece.hops.count > 0)
        return;
    uint32_t last = (uint32_t)((UINT64_C(1) << plan_axis(plan)->node_bits) - 1);
    if (range && (range->first_coordinate > 0 || range->last_coordinate < last)) {
        piece.masked = true;
        piece.mask_bit = plan->masks++;
        piece.first_coordinate = range->first_coordinate;
        piece.last_coordinate = range->last_coordinate;
    }
    plan->hops += piece.hops.count;
    plan->pieces[plan->count++] = piece;
}

/* Computes the part of `part` whose destinations are in a range of local indices. Returns false if
 * it is empty. */
static bool intersect(const struct cm_axis_part *part, const struct cm_range *range,
                      struct cm_axis_part *out)
{
    uint64_t first = part->first > range->first ? part->first : range->first;
    uint64_t part_end = part->first + part->count;
    uint64_t range_end = range->first + range->count;
    uint64_t end = part_end < range_end ? part_end : range_end;
    if (first >= end)
        return false;
    *out = (struct cm_axis_part){.first = first,
                                 .count = end - first,
                                 .source = part->source + (first - part->first),
                                 .nodes = part->nodes};
    return true;
}

/* Adds a pass over all places of the axis. */
static void add_pass(struct plan *plan, int64_t distance)
{
    struct cm_axis_part parts[2];
    uint32_t count = cm_axis_parts_find(plan_axis(plan), distance, parts);
    for (uint32_t i = 0; i < count; i++)
        add_piece(plan, parts[i], NULL);
}

/* Adds a pass over the places [low, high) of the axis, under masks. */
static void add_masked_pass(struct plan *plan, int64_t distance, uint64_t low, uint64_t high)
{
    struct cm_axis_part parts[2];
    struct cm_range ranges[3];
    uint32_t part_count = cm_axis_parts_find(plan_axis(plan), distance, parts);
    uint32_t range_count = cm_ranges_find(plan_axis(plan), low, high, ranges);
    struct cm_axis_part both;
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
        return; /* the boundary covers all places */
    if (!task->circular || distance == 0) {
        add_pass(plan, distance);
    } else if (!axis->padded) {
        add_pass(plan, distance > length / 2 ? distance - length : distance);
    } else {
        add_pass(plan, distance);
        add_masked_pass(plan, distance - length, (uint64_t)(length - distance), (uint64_t)length);
    }
}

/* Chooses the piece that keeps its source in the array, and puts it first. The sources of the other
 * pieces will be copied to scratch memory. */
static void set_aside(struct plan *plan)
{
    const struct cm_layout *layout = plan->task->layout;
    uint32_t kept = plan->count;
    for (uint32_t i = 0; i < plan->count; i++)
        if (!plan->pieces[i].masked &&
            (kept == plan->count || plan->pieces[i].part.count > plan->pieces[kept].part.count))
            kept = i;
    if (kept > 0 && kept < plan->count) {
        const struct piece first = plan->pieces[0];
        plan->pieces[0] = plan->pieces[kept];
        plan->pieces[kept] = first;
    }
    for (uint32_t i = kept < plan->count; i < plan->count; i++) {
        struct piece *piece = &plan->pieces[i];
        piece->is_aside = true;
        piece->aside_offset = plan->aside;
        plan->aside += layout->local_elements / plan_axis(plan)->local_length * piece->part.count;
    }
}

uint64_t cm_runtime_aside_elements(const struct cm_runtime_task *task,
                                   const struct cm_config *config)
{
    struct plan plan = {.task = task, .config = config};
    make_plan(&plan);
    set_aside(&plan);
    return plan.aside;
}

/* Returns the table word of one hop in one node. */
static uint32_t hop_word(const struct plan *plan, const struct cm_hop *hop, uint32_t bits)
{
    uint32_t first = plan_axis(plan)->first_dimension;
    uint8_t out = cm_hop_out(plan_axis(plan), hop, bits);
    uint8_t in = cm_hop_in(plan_axis(plan), hop, bits);
    if (out == CM_HOP_STAY)
        return cm_hop_stays(plan->config);
    return cm_hop_sends(plan->config, first + out) | cm_hop_receives(plan->config, first + in);
}

static void fill_table(const void *context, uint32_t nodes, uint32_t *planes)
{
    const struct plan *plan = context;
    const struct cm_layout *layout = plan->task->layout;
    for (uint32_t node = 0; node < nodes; node++) {
        uint32_t c = cm_layout_coordinate(layout, node, plan->task->axis);
        uint32_t bits = cm_axis_encode(plan_axis(plan), c);
        for (uint32_t i = 0; i < plan->count; i++) {
            const struct piece *piece = &plan->pieces[i];
            for (uint32_t h = 0; h < piece->hops.count; h++)
                planes[(size_t)(piece->first_hop + h) * nodes + node] =
                    hop_word(plan, &piece->hops.at[h], bits);
            if (piece->masked && c >= piece->first_coordinate && c <= piece->last_coordinate)
                planes[(size_t)plan->hops * nodes + node] |= UINT32_C(1) << piece->mask_bit;
        }
    }
}

static void emit_mask(struct cm_imp *imp, const struct plan *plan, const struct piece *piece)
{
    CM_EMIT(imp, CM_OP_CTXLOAD, cm_mem(REG_TABLE, plan->hops), cm_value(piece->mask_bit));
}

/* Emits the hops of an element. Between hops the element waits at its destination. If only some
 * nodes may write there, it waits in the carry words, a buffer in node memory. */
static void emit_element(struct cm_imp *imp, const struct plan *plan, const struct piece *piece)
{
    uint32_t slices = plan->task->layout->slices;
    uint32_t channels = plan->config->network_channels_per_dimension;
    unsigned waiting = piece->masked ? REG_CARRY : REG_TO;
    for (uint32_t first = 0; first < slices; first += channels) {
        uint32_t words = slices - first < channels ? slices - first : channels;
        for (uint32_t h = 0; h < piece->hops.count; h++) {
            bool last = h + 1 == piece->hops.count, under_mask = last && piece->masked;
            struct cm_place table = {REG_TABLE, piece->first_hop + h};
            cm_emit_send_by(imp, table, (struct cm_place){h == 0 ? REG_FROM : waiting, first},
                            words);
            cm_emit_exchange(imp);
            if (under_mask)
                emit_mask(imp, plan, piece);
            cm_emit_receive_by(imp, table, (struct cm_place){last ? REG_TO : waiting, first},
                               words);
            if (under_mask)
                cm_imp_emit(imp, CM_OP_CTXALL, NULL, 0);
        }
    }
}

/* Elements of a piece: the source in the array or in scratch memory, or the destination. */
struct side {
    struct cm_runs runs;
    struct cm_place place; /* place of element 0 */
};

static struct side source_of(const struct plan *plan, const struct piece *piece)
{
    const struct cm_layout *layout = plan->task->layout;
    struct side side = {
        .runs = cm_runs_of(layout, plan->task->axis, piece->part.source, piece->part.count),
        .place = {REG_SRC, 0}};
    if (!piece->is_aside)
        return side;
    side.runs.offset = piece->aside_offset;
    side.runs.stride = side.runs.run;
    /* scratch memory after the carry words */
    side.place = (struct cm_place){REG_CARRY, layout->slices};
    return side;
}

static struct side destination_of(const struct plan *plan, const struct piece *piece)
{
    return (struct side){.runs = cm_runs_of(plan->task->layout, plan->task->axis, piece->part.first,
                                            piece->part.count),
                         .place = {REG_DST, 0}};
}

/* Emits code that points a register to the first element of a side or, if `backward`, to the last
 * element of its first row. */
static void emit_begin(struct cm_imp *imp, unsigned reg, const struct side *side, int64_t slices,
                       bool backward)
{
    const int64_t element = (int64_t)(side->runs.offset + (backward ? side->runs.run - 1 : 0));
    cm_emit_point(imp, reg, side->place.reg, side->place.offset + element * slices);
}

/* Emits the sends of a piece's elements, one after the other. If `backward`, each row is sent from
 * its end. */
static void emit_crossing(struct cm_imp *imp, const struct plan *plan, const struct piece *piece,
                          const struct side *dst, const struct side *src, bool backward)
{
    int64_t slices = plan->task->layout->slices, step = backward ? -slices : slices;
    int64_t row = (int64_t)dst->runs.run * step;
    emit_begin(imp, REG_TO, dst, slices, backward);
    emit_begin(imp, REG_FROM, src, slices, backward);
    uint32_t rows = CM_EMIT(imp, CM_OP_LOOP, cm_value((int64_t)dst->runs.rows));
    uint32_t run = CM_EMIT(imp, CM_OP_LOOP, cm_value((int64_t)dst->runs.run));
    emit_element(imp, plan, piece);
    CM_EMIT(imp, CM_OP_AADD, cm_reg(REG_TO), cm_value(step));
    CM_EMIT(imp, CM_OP_AADD, cm_reg(REG_FROM), cm_value(step));
    cm_emit_next(imp, run);
    CM_EMIT(imp, CM_OP_AADD, cm_reg(REG_TO), cm_value((int64_t)dst->runs.stride * slices - row));
    CM_EMIT(imp, CM_OP_AADD, cm_reg(REG_FROM), cm_value((int64_t)src->runs.stride * slices - row));
    cm_emit_next(imp, rows);
}

/* Emits moves of the words of each row within the nodes, the last word first. */
static void emit_backward(struct cm_imp *imp, const struct side *dst, const struct side *src,
                          int64_t slices)
{
    emit_begin(imp, REG_TO, dst, slices, true);
    emit_begin(imp, REG_FROM, src, slices, true);
    uint32_t rows = CM_EMIT(imp, CM_OP_LOOP, cm_value((int64_t)dst->runs.rows));
    CM_EMIT(imp, CM_OP_MOVE, cm_mem(REG_TO, slices - 1), cm_mem(REG_FROM, slices - 1),
            cm_value((int64_t)dst->runs.run * slices), cm_value(-1), cm_value(-1));
    cm_emit_advance(imp, REG_TO, (int64_t)dst->runs.stride * slices);
    cm_emit_advance(imp, REG_FROM, (int64_t)src->runs.stride * slices);
    cm_emit_next(imp, rows);
}

static void emit_piece(struct cm_imp *imp, const struct plan *plan, const struct piece *piece)
{
    static const unsigned scratch[2] = {REG_TO, REG_FROM};
    const uint32_t slices = plan->task->layout->slices;
    const struct side dst = destination_of(plan, piece), src = source_of(plan, piece);
    const bool backward =
        plan->task->in_place && !piece->is_aside && piece->part.first > piece->part.source;
    if (piece->hops.count > 0) {
        emit_crossing(imp, plan, piece, &dst, &src, backward);
        return;
    }
    if (piece->masked)
        emit_mask(imp, plan, piece);
    if (backward)
        emit_backward(imp, &dst, &src, slices);
    else
        cm_emit_moves(imp, (struct cm_placed_runs){dst.runs, dst.place},
                      (struct cm_placed_runs){src.runs, src.place}, slices, scratch);
    if (piece->masked)
        cm_imp_emit(imp, CM_OP_CTXALL, NULL, 0);
}

/* Emits the copies of sources to scratch memory. */
static void emit_aside(struct cm_imp *imp, const struct plan *plan)
{
    static const unsigned scratch[2] = {REG_TO, REG_FROM};
    for (uint32_t i = 0; i < plan->count; i++) {
        struct piece piece = plan->pieces[i];
        if (!piece.is_aside)
            continue;
        const struct side to = source_of(plan, &piece);
        piece.is_aside = false;
        const struct side from = source_of(plan, &piece);
        cm_emit_moves(imp, (struct cm_placed_runs){to.runs, to.place},
                      (struct cm_placed_runs){from.runs, from.place}, plan->task->layout->slices,
                      scratch);
    }
}

enum cm_status cm_runtime_make(struct cm_system *system, const void *task,
                               struct cm_compiled *compiled, struct cm_error *err)
{
    struct plan plan = {.task = task, .config = cm_machine_config(system->machine)};
    make_plan(&plan);
    if (plan.task->in_place)
        set_aside(&plan);
    compiled->scratch = (struct cm_scratch){(plan.aside + 1) * plan.task->layout->slices, REG_CARRY,
                                            "the scratch memory of a shift"};
    enum cm_status status =
        cm_compiled_table(system, compiled,
                          &(struct cm_table_request){plan.hops + (plan.masks > 0),
                                                     "a communication table", fill_table, &plan},
                          err);
    if (status != CM_OK)
        return status;
    struct cm_imp *imp =
        cm_emit_begin(plan.task->circular ? "cshift" : "eoshift", "table dst src carry");
    if (imp)
        emit_aside(imp, &plan);
    for (uint32_t i = 0; imp && i < plan.count; i++)
        emit_piece(imp, &plan, &plan.pieces[i]);
    return cm_compiled_add(compiled, cm_emit_end(imp), err);
}
