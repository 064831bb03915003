/*
 * Scan within the nodes. First each column of elements is scanned in its node, and the column's
 * total becomes an item. A second item of the column, the prefix, begins as the identity. cube.c
 * combines the totals of the earlier nodes into the prefixes, which are then applied to the
 * elements.
 *
 *     begin      total = identity, no segment begun
 *     line       where a segment begins: total = identity
 *                total = total o element, where it takes part
 *                dst = total (exclusive: as it was before the element)
 *     end        store total and prefix
 *
 *     apply      dst = prefix o dst, up to the first segment that begins in the node
 *
 * The last register of an item, and its last word, say whether a segment has begun.
 */
#include "columns.h"

enum {
    FPU_ITEMS = FPU_FREE,
    FPU_ELEMENT = FPU_ITEMS + CM_WALK_VECTOR * FPU_GROUP,
    FPU_RESULT = FPU_ELEMENT + FPU_GROUP,
    FPU_BEGINS = FPU_RESULT + FPU_GROUP,
};
_Static_assert((int)FPU_BEGINS < (int)FPU_PRESENT, "the registers of a scan");

/* Emits code that sets the context, and FPU_BEGINS, in nodes where a segment begins at the element.
 * The code also records this in the item. */
static void emit_segment(struct cm_collective_compiler *c, const struct cm_walk *walk, int64_t line,
                         uint32_t column, unsigned item)
{
    const struct cm_place flag = cm_walk_place(walk, STREAM_SEGMENTS, line, column);
    CM_EMIT(c->imp, CM_OP_CTXLOAD, cm_mem(flag.reg, flag.offset), cm_value(0));
    if (walk->present != 0)
        CM_EMIT(c->imp, CM_OP_CTXANDR, cm_reg(FPU_PRESENT));
    CM_EMIT(c->imp, CM_OP_CTXSAVE, cm_reg(FPU_BEGINS));
    cm_emit(c, CM_OP_IOR, item + FPU_TAIL, item + FPU_TAIL, FPU_BEGINS);
}

static void emit_store(struct cm_collective_compiler *c, const struct cm_walk *walk,
                       struct cm_place to, unsigned from)
{
    if (cm_walk_guarded(walk) || c->item->flagged)
        cm_imp_emit(c->imp, CM_OP_CTXALL, NULL, 0);
    cm_emit_value_store(c, to, from);
}

static void emit_line(struct cm_collective_compiler *c, const struct cm_walk *walk,
                      uint32_t columns, int64_t line)
{
    const bool guarded = cm_walk_guarded(walk);
    for (uint32_t i = 0; i < columns; i++) {
        const unsigned item = FPU_ITEMS + i * FPU_GROUP;
        const unsigned result = guarded ? (unsigned)FPU_RESULT : item;
        const struct cm_place to = cm_walk_place(walk, STREAM_DST, line, i);
        cm_emit_value_load(c, FPU_ELEMENT, cm_walk_place(walk, STREAM_SRC, line, i));
        if (c->item->flagged) {
            emit_segment(c, walk, line, i, item);
            cm_emit_value_select(c, item, FPU_IDENTITY, item);
        }
        if (c->own->task.exclusive)
            emit_store(c, walk, to, item);
        if (guarded)
            cm_emit_guard(c, walk, line, i);
        cm_emit_operation(c, result, item, FPU_ELEMENT);
        if (guarded)
            cm_emit_value_select(c, item, FPU_RESULT, item);
        if (!c->own->task.exclusive)
            emit_store(c, walk, to, item);
    }
}

static void emit_begin(struct cm_collective_compiler *c, const struct cm_walk *walk,
                       uint32_t columns)
{
    (void)walk;
    for (uint32_t i = 0; i < columns; i++)
        cm_emit_identity(c, FPU_ITEMS + i * FPU_GROUP);
}

static struct cm_place prefix_place(const struct cm_collective_compiler *c, uint32_t column)
{
    struct cm_place place = cm_walk_item(c, column);
    place.offset += (int64_t)c->own->items_room;
    return place;
}

static void emit_end(struct cm_collective_compiler *c, const struct cm_walk *walk, uint32_t columns)
{
    if (c->own->dimensions == 0)
        return;
    if (cm_walk_guarded(walk))
        cm_imp_emit(c->imp, CM_OP_CTXALL, NULL, 0);
    for (uint32_t i = 0; i < columns; i++)
        cm_emit_item_store(c, cm_walk_item(c, i), FPU_ITEMS + i * FPU_GROUP);
    cm_emit_identity(c, FPU_RESULT);
    for (uint32_t i = 0; i < columns; i++)
        cm_emit_item_store(c, prefix_place(c, i), FPU_RESULT);
}

static void init_walk(const struct cm_collective_compiler *c, struct cm_walk *walk)
{
    const struct cm_collective_task *task = &c->own->task;
    cm_walk_init(c->own, task->axis, walk);
    walk->backwards = task->downward;
    walk->streams[STREAM_DST].words = task->layout.slices;
    walk->streams[STREAM_DST].origin = ADDRESS_DST;
    walk->streams[STREAM_SEGMENTS].words = task->segmented;
    walk->streams[STREAM_SEGMENTS].origin = ADDRESS_SEGMENTS;
}

void cm_emit_scan(struct cm_collective_compiler *c)
{
    struct cm_walk walk;
    init_walk(c, &walk);
    walk.streams[STREAM_SRC].words = c->own->task.layout.slices;
    walk.streams[STREAM_SRC].origin = ADDRESS_SRC;
    walk.streams[STREAM_MASK].words = c->own->task.masked;
    walk.streams[STREAM_MASK].origin = ADDRESS_MASK;
    walk.begin = emit_begin;
    walk.line = emit_line;
    walk.end = emit_end;
    cm_emit_walk(c, &walk);
}

static void emit_begin_apply(struct cm_collective_compiler *c, const struct cm_walk *walk,
                             uint32_t columns)
{
    (void)walk;
    for (uint32_t i = 0; i < columns; i++) {
        const unsigned item = FPU_ITEMS + i * FPU_GROUP;
        cm_emit_value_load(c, item, prefix_place(c, i));
        if (c->item->flagged)
            cm_emit(c, CM_OP_IOR, item + FPU_TAIL, FPU_ZERO, FPU_ZERO);
    }
}

static void emit_line_apply(struct cm_collective_compiler *c, const struct cm_walk *walk,
                            uint32_t columns, int64_t line)
{
    for (uint32_t i = 0; i < columns; i++) {
        const unsigned item = FPU_ITEMS + i * FPU_GROUP;
        const struct cm_place place = cm_walk_place(walk, STREAM_DST, line, i);
        cm_emit_value_load(c, FPU_ELEMENT, place);
        cm_emit_operation(c, FPU_RESULT, item, FPU_ELEMENT);
        if (c->item->flagged) {
            emit_segment(c, walk, line, i, item);
            CM_EMIT(c->imp, CM_OP_CTXREST, cm_reg(item + FPU_TAIL));
            cm_emit_value_select(c, FPU_RESULT, FPU_ELEMENT, FPU_RESULT);
            cm_imp_emit(c->imp, CM_OP_CTXALL, NULL, 0);
        }
        cm_emit_value_store(c, place, FPU_RESULT);
    }
}

static void emit_end_apply(struct cm_collective_compiler *c, const struct cm_walk *walk,
                           uint32_t columns)
{
    (void)c;
    (void)walk;
    (void)columns;
}

void cm_emit_apply(struct cm_collective_compiler *c)
{
    struct cm_walk walk;
    if (c->own->dimensions == 0)
        return;
    init_walk(c, &walk);
    if (!c->item->flagged)
        walk.present = 0; /* places that do not exist may be written */
    walk.begin = emit_begin_apply;
    walk.line = emit_line_apply;
    walk.end = emit_end_apply;
    cm_emit_walk(c, &walk);
}
