/*
 * Reduction within the nodes: a walk over the elements (columns.h) folds each column into an item,
 * a partial result.
 *
 *     begin      item = identity
 *     line       item = item o element, where the element takes part
 *     end        store the item
 *
 * A reduction of the whole array folds along each axis in turn. Each fold works in place on the
 * items of the fold before.
 *
 * Locations are folded from the last place to the first, and an element replaces an equal one, so
 * the first of several equal elements is located.
 */
#include "columns.h"

/* FPU registers of a fold (reduction or scan): first registers for vectors of elements, then
 * registers for one value each. */
enum {
    FPU_ITEMS = FPU_FREE,
    FPU_ELEMENT = FPU_ITEMS + CM_WALK_VECTOR * FPU_GROUP,
    FPU_RESULT = FPU_ELEMENT + FPU_GROUP,
    FPU_PLACE = FPU_RESULT + FPU_GROUP, /* index of the visited place along the axis, scaled */
    FPU_LAST,                           /* index of the node's last place along the axis, scaled */
    FPU_SCALE,
    FPU_CONTEXT,
};
_Static_assert((int)FPU_CONTEXT < (int)FPU_PRESENT, "the registers of a fold");

struct fold {
    bool first; /* true if the fold reads elements, false if it reads items */
    uint32_t axis;
    /* scale of indices along the axis: number of elements from one index to the next */
    uint64_t scale;
};

static void emit_value(struct cm_collective_compiler *c, const struct cm_walk *walk, int64_t line,
                       uint32_t column, unsigned item)
{
    const bool guarded = cm_walk_guarded(walk);
    const unsigned result = guarded ? (unsigned)FPU_RESULT : item;
    if (guarded)
        cm_emit_guard(c, walk, line, column);
    cm_emit_operation(c, result, item, FPU_ELEMENT);
    if (guarded)
        cm_emit_select(c, item, FPU_RESULT, item);
}

/* Emits the index of a located element. For an element it is the index of its place. For an item it
 * is the item's index plus the index of its place. */
static void emit_location(struct cm_collective_compiler *c, const struct cm_walk *walk,
                          int64_t line, uint32_t column, unsigned item)
{
    const struct fold *fold = walk->context;
    const unsigned index = FPU_ELEMENT + FPU_TAIL;
    const bool guarded = cm_walk_guarded(walk);
    if (guarded) {
        cm_emit_guard(c, walk, line, column);
        CM_EMIT(c->imp, CM_OP_CTXSAVE, cm_reg(FPU_CONTEXT));
    }
    if (fold->first) {
        cm_emit(c, CM_OP_IOR, index, FPU_PLACE, FPU_ZERO);
    } else {
        CM_EMIT(c->imp, CM_OP_ILT, cm_reg(index), cm_reg(FPU_NOWHERE));
        if (guarded)
            CM_EMIT(c->imp, CM_OP_CTXANDR, cm_reg(FPU_CONTEXT));
        CM_EMIT(c->imp, CM_OP_CTXSAVE, cm_reg(FPU_CONTEXT));
        cm_emit(c, CM_OP_IADD, index, index, FPU_PLACE);
    }
    cm_emit_at_least(c, FPU_ELEMENT, item);
    if (guarded || !fold->first)
        CM_EMIT(c->imp, CM_OP_CTXANDR, cm_reg(FPU_CONTEXT));
    cm_emit_select(c, item, FPU_ELEMENT, item);
}

static void emit_line(struct cm_collective_compiler *c, const struct cm_walk *walk,
                      uint32_t columns, int64_t line)
{
    const struct fold *fold = walk->context;
    for (uint32_t i = 0; i < columns; i++) {
        const unsigned item = FPU_ITEMS + i * FPU_GROUP;
        const struct cm_place place = cm_walk_place(walk, STREAM_SRC, line, i);
        if (fold->first)
            cm_emit_value_load(c, FPU_ELEMENT, place);
        else
            cm_emit_item_load(c, FPU_ELEMENT, place);
        if (c->item->located)
            emit_location(c, walk, line, i, item);
        else
            emit_value(c, walk, line, i, item);
    }
    if (c->item->located)
        cm_emit(c, CM_OP_ISUB, FPU_PLACE, FPU_PLACE, FPU_SCALE);
}

static void emit_begin(struct cm_collective_compiler *c, const struct cm_walk *walk,
                       uint32_t columns)
{
    (void)walk;
    for (uint32_t i = 0; i < columns; i++)
        cm_emit_identity(c, FPU_ITEMS + i * FPU_GROUP);
    if (c->item->located)
        cm_emit(c, CM_OP_IOR, FPU_PLACE, FPU_LAST, FPU_ZERO);
}

static void emit_end(struct cm_collective_compiler *c, const struct cm_walk *walk, uint32_t columns)
{
    if (c->item->located || cm_walk_guarded(walk))
        cm_imp_emit(c->imp, CM_OP_CTXALL, NULL, 0);
    for (uint32_t i = 0; i < columns; i++)
        cm_emit_item_store(c, cm_walk_item(c, i), FPU_ITEMS + i * FPU_GROUP);
}

/* Emits the index of the axis's last place in the node, and the difference from one place to the
 * next. */
static void emit_numbers(struct cm_collective_compiler *c, const struct fold *fold, uint64_t length)
{
    CM_EMIT(c->imp, CM_OP_FLOAD32, cm_reg(FPU_LAST),
            cm_mem(ADDRESS_TABLES, TABLE_BASE + fold->axis));
    cm_emit_constant(c, FPU_SCALE, (uint32_t)((length - 1) * fold->scale));
    cm_emit(c, CM_OP_IADD, FPU_LAST, FPU_LAST, FPU_SCALE);
    cm_emit_constant(c, FPU_SCALE, (uint32_t)fold->scale);
}

static void emit_fold(struct cm_collective_compiler *c, const struct fold *fold)
{
    const struct cm_collective_task *task = &c->own->task;
    struct cm_walk walk;
    cm_walk_init(c->own, fold->axis, &walk);
    if (task->axis == CM_COLLECTIVE_WHOLE)
        /* the lower axes are folded already, so neighbouring places are neighbours in memory */
        walk.stride = 1;
    walk.backwards = c->item->located;
    walk.streams[STREAM_SRC].words = fold->first ? task->layout.slices : c->item->words;
    walk.streams[STREAM_SRC].origin = fold->first ? ADDRESS_SRC : ADDRESS_WORK;
    walk.streams[STREAM_MASK].words = fold->first && task->masked;
    walk.streams[STREAM_MASK].origin = ADDRESS_MASK;
    walk.context = fold;
    walk.begin = emit_begin;
    walk.line = emit_line;
    walk.end = emit_end;
    if (c->item->located)
        emit_numbers(c, fold, walk.length);
    cm_emit_walk(c, &walk);
}

void cm_emit_folds(struct cm_collective_compiler *c)
{
    const struct cm_collective_task *task = &c->own->task;
    struct fold fold = {.first = true, .axis = task->axis, .scale = 1};
    if (task->axis != CM_COLLECTIVE_WHOLE) {
        emit_fold(c, &fold);
        return;
    }
    for (fold.axis = 0; fold.axis < task->layout.rank; fold.axis++) {
        emit_fold(c, &fold);
        fold.first = false;
        fold.scale *= task->layout.axes[fold.axis].length;
    }
}
