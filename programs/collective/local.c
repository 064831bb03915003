/*
 * What happens within the nodes: elements are folded into items. A fold works along one axis: with
 * S elements from one to the next along it and L of them, it makes an item of each such column.
 *
 *     loop over the outer indices       those of higher axes
 *       loop over S / 4                 a vector: four columns side by side, so that a page of
 *                                       memory is left once for four
 *         items = identity
 *         loop over L / 8               unrolled
 *           item = item o element
 *         store the items
 *
 * With S = 1 a vector is one column, unrolled 32 times. Where the axis is padded, a word of the
 * tables for each of the L places says whether it exists in the node; it and the mask go into the
 * context. Where the whole array is reduced, one fold after the other works on
 * the items that the one before has left, in place.
 *
 * Locations are folded from the last place to the first, and an element replaces an equal one: so
 * the first of several stays.
 */
#include "collective_private.h"

#define VECTOR   4u  /* columns */
#define UNROLLED 32u /* elements in the innermost loop */

/* FPU registers: the items of a vector, then these. */
enum {
    FPU_ITEMS = FPU_FREE,
    FPU_ELEMENT = FPU_ITEMS + VECTOR * FPU_GROUP,
    FPU_RESULT = FPU_ELEMENT + FPU_GROUP,
    FPU_PLACE = FPU_RESULT + FPU_GROUP, /* number of the place visited, scaled */
    FPU_LAST,                           /* of the last place of the node */
    FPU_SCALE,
    FPU_CONTEXT,
    FPU_PRESENT, /* whether the line exists */
};

struct fold {
    bool first; /* of elements; else of items */
    bool masked;
    uint32_t axis;
    uint64_t outers, length, stride; /* O, L, S; in elements or items */
    uint64_t scale;                  /* of indices along the axis */
    uint32_t words;                  /* of an element or item */
};

static bool is_guarded(const struct cm_compiler *c, const struct fold *fold)
{
    return fold->masked || c->own->present[fold->axis] != 0;
}

/* The context of an element `line` lines and `column` columns on: whether it takes part. */
static void emit_guard(struct cm_compiler *c, const struct fold *fold, int64_t line,
                       uint32_t column)
{
    const bool padded = c->own->present[fold->axis] != 0;
    if (fold->masked)
        CM_EMIT(c->imp, CM_OP_CTXLOAD,
                cm_mem(REG_ELEMENT_MASK, line * (int64_t)fold->stride + (int64_t)column),
                cm_value(0));
    if (padded)
        CM_EMIT(c->imp, fold->masked ? CM_OP_CTXANDR : CM_OP_CTXREST, cm_reg(FPU_PRESENT));
}

static void emit_value(struct cm_compiler *c, const struct fold *fold, int64_t line,
                       uint32_t column, unsigned item)
{
    const bool guarded = is_guarded(c, fold);
    const unsigned result = guarded ? (unsigned)FPU_RESULT : item;
    if (guarded)
        emit_guard(c, fold, line, column);
    cm_emit_operation(c, result, item, FPU_ELEMENT);
    if (guarded)
        cm_emit_select(c, item, FPU_RESULT, item);
}

/* The index of an element is that of its place; of an item, what it has and its place's. */
static void emit_location(struct cm_compiler *c, const struct fold *fold, int64_t line,
                          uint32_t column, unsigned item)
{
    const unsigned index = FPU_ELEMENT + FPU_INDEX;
    const bool guarded = is_guarded(c, fold);
    if (guarded) {
        emit_guard(c, fold, line, column);
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

/* The elements of a line, side by side. */
static void emit_line(struct cm_compiler *c, const struct fold *fold, uint32_t columns,
                      int64_t line)
{
    if (c->own->present[fold->axis] != 0)
        CM_EMIT(c->imp, CM_OP_FLOAD32, cm_reg(FPU_PRESENT), cm_mem(REG_PRESENT, line));
    for (uint32_t i = 0; i < columns; i++) {
        const unsigned item = FPU_ITEMS + i * FPU_GROUP;
        const struct cm_place place = {REG_ELEMENT,
                                       (line * (int64_t)fold->stride + (int64_t)i) * fold->words};
        if (fold->first)
            cm_emit_value_load(c, FPU_ELEMENT, place);
        else
            cm_emit_item_load(c, FPU_ELEMENT, place);
        if (c->item->located)
            emit_location(c, fold, line, i, item);
        else
            emit_value(c, fold, line, i, item);
    }
    if (c->item->located)
        cm_emit(c, CM_OP_ISUB, FPU_PLACE, FPU_PLACE, FPU_SCALE);
}

/* Moves the registers that walk along the axis. */
static void emit_advance_lines(struct cm_compiler *c, const struct fold *fold, int64_t lines)
{
    const int64_t elements = lines * (int64_t)fold->stride;
    cm_emit_advance(c->imp, REG_ELEMENT, elements * fold->words);
    if (fold->masked)
        cm_emit_advance(c->imp, REG_ELEMENT_MASK, elements);
    if (c->own->present[fold->axis] != 0)
        cm_emit_advance(c->imp, REG_PRESENT, lines);
}

/* Registers and items at the first line that is visited. */
static void emit_begin_columns(struct cm_compiler *c, const struct fold *fold, uint32_t columns)
{
    cm_emit_point(c->imp, REG_ELEMENT, REG_SRC, 0);
    if (fold->masked)
        cm_emit_point(c->imp, REG_ELEMENT_MASK, REG_MASK, 0);
    if (c->own->present[fold->axis] != 0)
        cm_emit_point(c->imp, REG_PRESENT, ADDRESS_TABLES, (int64_t)c->own->present[fold->axis]);
    for (uint32_t i = 0; i < columns; i++) {
        const unsigned item = FPU_ITEMS + i * FPU_GROUP;
        for (uint32_t part = 0; part < c->item->parts; part++)
            cm_emit(c, c->item->wide ? CM_OP_FSEL64 : CM_OP_FSEL32, item + part,
                    FPU_IDENTITY + part, FPU_IDENTITY + part);
        if (c->item->located)
            cm_emit(c, CM_OP_IOR, item + FPU_INDEX, FPU_NOWHERE, FPU_ZERO);
    }
    if (!c->item->located)
        return;
    emit_advance_lines(c, fold, (int64_t)fold->length - 1);
    cm_emit(c, CM_OP_IOR, FPU_PLACE, FPU_LAST, FPU_ZERO);
}

static void emit_columns(struct cm_compiler *c, const struct fold *fold, uint32_t columns)
{
    const int64_t direction = c->item->located ? -1 : 1;
    const uint64_t lines = UNROLLED / columns, turns = fold->length / lines;
    emit_begin_columns(c, fold, columns);
    if (turns > 0) {
        uint32_t loop = cm_emit_begin_loop(c, turns);
        for (uint64_t line = 0; line < lines; line++)
            emit_line(c, fold, columns, direction * (int64_t)line);
        emit_advance_lines(c, fold, direction * (int64_t)lines);
        cm_emit_end_loop(c, turns, loop);
    }
    for (uint64_t line = 0; line < fold->length % lines; line++)
        emit_line(c, fold, columns, direction * (int64_t)line);
    if (c->item->located || is_guarded(c, fold))
        cm_imp_emit(c->imp, CM_OP_CTXALL, NULL, 0);
    for (uint32_t i = 0; i < columns; i++)
        cm_emit_item_store(c, (struct cm_place){REG_OUT, i * c->item->words},
                           FPU_ITEMS + i * FPU_GROUP);
}

/* Moves the registers that walk over the columns. */
static void emit_advance_columns(struct cm_compiler *c, const struct fold *fold, uint64_t elements,
                                 uint64_t items)
{
    cm_emit_advance(c->imp, REG_SRC, (int64_t)(elements * fold->words));
    if (fold->masked)
        cm_emit_advance(c->imp, REG_MASK, (int64_t)elements);
    cm_emit_advance(c->imp, REG_OUT, (int64_t)(items * c->item->words));
}

static void emit_begin_fold(struct cm_compiler *c, const struct fold *fold)
{
    cm_emit_point(c->imp, REG_SRC, fold->first ? ADDRESS_SRC : ADDRESS_WORK, 0);
    cm_emit_point(c->imp, REG_OUT, ADDRESS_WORK, 0);
    if (fold->masked)
        cm_emit_point(c->imp, REG_MASK, ADDRESS_MASK, 0);
    if (!c->item->located)
        return;
    CM_EMIT(c->imp, CM_OP_FLOAD32, cm_reg(FPU_LAST),
            cm_mem(ADDRESS_TABLES, TABLE_BASE + fold->axis));
    cm_emit_constant(c, FPU_SCALE, (uint32_t)((fold->length - 1) * fold->scale));
    cm_emit(c, CM_OP_IADD, FPU_LAST, FPU_LAST, FPU_SCALE);
    cm_emit_constant(c, FPU_SCALE, (uint32_t)fold->scale);
}

static void emit_fold(struct cm_compiler *c, const struct fold *fold)
{
    const uint64_t vectors = fold->stride / VECTOR;
    const uint32_t rest = (uint32_t)(fold->stride % VECTOR);
    emit_begin_fold(c, fold);
    uint32_t outer = cm_emit_begin_loop(c, fold->outers);
    if (vectors > 0) {
        uint32_t inner = cm_emit_begin_loop(c, vectors);
        emit_columns(c, fold, VECTOR);
        emit_advance_columns(c, fold, VECTOR, VECTOR);
        cm_emit_end_loop(c, vectors, inner);
    }
    if (rest > 0)
        emit_columns(c, fold, rest);
    if (fold->outers > 1)
        emit_advance_columns(c, fold, rest + (fold->length - 1) * fold->stride, rest);
    cm_emit_end_loop(c, fold->outers, outer);
}

void cm_emit_folds(struct cm_compiler *c)
{
    const struct cm_collective_task *task = &c->own->task;
    const struct cm_layout *layout = &task->layout;
    const bool whole = task->axis == CM_COLLECTIVE_WHOLE;
    struct fold fold = {.first = true,
                        .masked = task->masked,
                        .outers = layout->local_elements,
                        .stride = 1,
                        .scale = 1,
                        .words = layout->slices};
    for (uint32_t a = 0; a < layout->rank; a++) {
        const struct cm_axis *axis = &layout->axes[a];
        fold.axis = a;
        fold.length = axis->local_length;
        fold.outers /= axis->local_length;
        if (whole || a == task->axis) {
            emit_fold(c, &fold);
            fold.first = fold.masked = false;
            fold.words = c->item->words;
        }
        if (whole)
            fold.scale *= axis->length;
        else
            fold.stride *= axis->local_length;
    }
}
