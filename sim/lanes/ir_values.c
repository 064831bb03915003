/* Adds operations, and finds equal ones. */
#include "ir_values.h"

#include "../../base/list.h"

/* Number of operations after a store during which a read reuses the stored value. Older values are
 * read from memory again. */
#define FORWARD_OPS 512u

/* ---- operations ---- */

static void add_edge(struct cm_ir_builder *b, uint32_t op)
{
    struct cm_ir *ir = b->ir;
    if (!cm_array_room(ir->edges, ir->edge_count, ir->edge_capacity))
        ir->failed = true;
    else
        ir->edges[ir->edge_count++] = op;
}

static void add_reader(struct cm_ir_builder *b, uint32_t *readers, uint32_t op)
{
    if (!cm_array_room(b->list, b->list_count, b->list_capacity)) {
        b->ir->failed = true;
        return;
    }
    b->list[b->list_count++] = (struct cm_ir_reader){op, *readers};
    *readers = b->list_count;
}

void cm_ir_follow_readers(struct cm_ir_builder *b, uint32_t op, uint32_t readers)
{
    for (; readers; readers = b->list[readers - 1].next)
        if (b->list[readers - 1].op != op)
            add_edge(b, b->list[readers - 1].op);
}

/* Records that operation `op` reads a value. If the value is in memory, the read comes before the
 * next write and after the last one. */
static void record_read(struct cm_ir_builder *b, uint32_t op, uint32_t value)
{
    if (value == CM_IR_NONE)
        return;
    const struct cm_ir_op *leaf = &b->ir->ops[value];
    if (leaf->kind == CM_IR_PLANE) {
        struct cm_ir_plane_use *plane = &b->planes[leaf->number];
        if (plane->last_store != CM_IR_NONE)
            add_edge(b, plane->last_store);
        add_reader(b, &plane->readers, op);
    } else if (leaf->kind == CM_IR_CELL) {
        add_reader(b, &b->readers[leaf->number], op);
    } else if (leaf->kind == CM_IR_JOINED) {
        add_reader(b, &b->readers[leaf->number], op);
        add_reader(b, &b->readers[leaf->number ^ 1], op);
    } else if (leaf->kind == CM_IR_CONTEXT) {
        add_reader(b, &b->readers[CM_LANE_CELLS], op);
    }
}

uint32_t cm_ir_append(struct cm_ir_builder *b, struct cm_ir_op op)
{
    struct cm_ir *ir = b->ir;
    if (!cm_array_room(ir->ops, ir->count, ir->capacity)) {
        ir->failed = true;
        return 0;
    }
    op.unit = b->unit;
    op.edges = ir->edge_count;
    const uint32_t number = ir->count++;
    ir->ops[number] = op;
    record_read(b, number, op.a);
    record_read(b, number, op.b);
    if (!cm_ir_is_leaf(&op))
        record_read(b, number, op.c);
    return number;
}

static bool same(const struct cm_ir_op *x, const struct cm_ir_op *y)
{
    return x->kind == y->kind && x->a == y->a && x->b == y->b && x->number == y->number &&
           x->c == y->c && x->op == y->op;
}

static uint32_t hash_op(const struct cm_ir_op *op)
{
    uint64_t hash = op->kind | (uint64_t)op->op << 8 | (uint64_t)op->number << 32;
    hash = (hash ^ op->a) * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ hash >> 29 ^ op->b ^ (uint64_t)op->c << 32) * UINT64_C(0xbf58476d1ce4e5b9);
    return (uint32_t)(hash >> 32);
}

/* Returns an operation with a value: an existing equal operation, or a new one. */
static uint32_t value_of(struct cm_ir_builder *b, struct cm_ir_op op)
{
    uint32_t at = hash_op(&op) & (b->index_size - 1);
    for (; b->index[at]; at = (at + 1) & (b->index_size - 1))
        if (same(&b->ir->ops[b->index[at] - 1], &op))
            return b->index[at] - 1;
    const uint32_t number = cm_ir_append(b, op);
    if (!b->ir->failed && b->indexed < b->index_size / 2) {
        b->index[at] = number + 1;
        b->indexed++;
    }
    return number;
}

uint32_t cm_ir_leaf(struct cm_ir_builder *b, enum cm_ir_kind kind, uint32_t number,
                    uint32_t version)
{
    return value_of(b, (struct cm_ir_op){.kind = (uint8_t)kind,
                                         .a = CM_IR_NONE,
                                         .b = CM_IR_NONE,
                                         .c = version,
                                         .number = number});
}

uint32_t cm_ir_vector(struct cm_ir_builder *b, enum cm_vector_op op, uint32_t first,
                      uint32_t second)
{
    return value_of(
        b, (struct cm_ir_op){
               .kind = CM_IR_VECTOR, .op = (uint8_t)op, .a = first, .b = second, .c = CM_IR_NONE});
}

uint32_t cm_ir_simple(struct cm_ir_builder *b, enum cm_ir_kind kind, uint32_t first,
                      uint32_t second)
{
    return value_of(
        b, (struct cm_ir_op){.kind = (uint8_t)kind, .a = first, .b = second, .c = CM_IR_NONE});
}

uint32_t cm_ir_compare(struct cm_ir_builder *b, enum cm_vector_op op, uint32_t first,
                       uint32_t second)
{
    return value_of(
        b, (struct cm_ir_op){
               .kind = CM_IR_COMPARE, .op = (uint8_t)op, .a = first, .b = second, .c = CM_IR_NONE});
}

uint32_t cm_ir_blend(struct cm_ir_builder *b, enum cm_vector_op op, uint32_t clear, uint32_t set,
                     uint32_t mask)
{
    return value_of(
        b,
        (struct cm_ir_op){.kind = CM_IR_BLEND, .op = (uint8_t)op, .a = clear, .b = set, .c = mask});
}

static bool permutes(const struct cm_ir_builder *b, uint32_t value, enum cm_ir_permutation by)
{
    const struct cm_ir_op *op = &b->ir->ops[value];
    return op->kind == CM_IR_PERMUTE && op->number == by;
}

/* True unless the value is an old content of a plane that has been written since. */
static bool is_current(const struct cm_ir_builder *b, uint32_t value)
{
    const struct cm_ir_op *op = &b->ir->ops[value];
    return op->kind != CM_IR_PLANE || op->c == b->planes[op->number].written;
}

uint32_t cm_ir_permute(struct cm_ir_builder *b, enum cm_ir_permutation by, uint32_t first,
                       uint32_t second)
{
    /* the permutation that gave the first vector, if this one undoes it */
    static const enum cm_ir_permutation undone[] = {
        [CM_IR_JOIN0] = CM_IR_LOW,  [CM_IR_JOIN1] = CM_IR_LOW,     [CM_IR_LOW] = CM_IR_JOIN0,
        [CM_IR_HIGH] = CM_IR_JOIN0, [CM_IR_ORDER0] = CM_IR_ORDER0, [CM_IR_ORDER1] = CM_IR_ORDER0,
    };
    const struct cm_ir_op *x = &b->ir->ops[first], *y = &b->ir->ops[second];
    const uint32_t source = by % 2 == 0 ? x->a : x->b;
    if (permutes(b, first, undone[by]) && permutes(b, second, undone[by] + 1) && x->a == y->a &&
        x->b == y->b && is_current(b, source))
        return source;
    return value_of(
        b, (struct cm_ir_op){
               .kind = CM_IR_PERMUTE, .a = first, .b = second, .c = CM_IR_NONE, .number = by});
}

uint32_t cm_ir_half_of_mask(struct cm_ir_builder *b, uint32_t mask, uint32_t half)
{
    const struct cm_ir_op *op = &b->ir->ops[mask];
    if (op->kind == CM_IR_MASK_PAIR)
        return half == 0 ? op->a : op->b;
    if (half == 0)
        return b->ir->in_lanes ? cm_ir_simple(b, CM_IR_MASK_LOWER, mask, CM_IR_NONE) : mask;
    return cm_ir_simple(b, CM_IR_MASK_UPPER, mask, CM_IR_NONE);
}

/* ---- register vectors, the context flag, planes ---- */

uint32_t cm_ir_current(struct cm_ir_builder *b, uint32_t cell)
{
    if (b->values[cell] == CM_IR_NONE)
        b->values[cell] =
            cm_ir_leaf(b, cell == CM_LANE_CELLS ? CM_IR_CONTEXT : CM_IR_CELL, cell, b->segment);
    return b->values[cell];
}

void cm_ir_set(struct cm_ir_builder *b, uint32_t cell, uint32_t value)
{
    b->values[cell] = value;
    b->written[cell] = true;
    b->joined[cell] = false;
    b->after[cell] = b->ir->count;
}

uint32_t cm_ir_context_now(struct cm_ir_builder *b)
{
    return cm_ir_current(b, CM_LANE_CELLS);
}

uint32_t cm_ir_context_words(struct cm_ir_builder *b)
{
    return value_of(b, (struct cm_ir_op){.kind = CM_IR_MASK_WORDS,
                                         .a = CM_IR_NONE,
                                         .b = CM_IR_NONE,
                                         .c = cm_ir_context_now(b)});
}

uint32_t cm_ir_plane_now(struct cm_ir_builder *b, uint32_t symbol)
{
    const uint32_t number = symbol & (CM_LANE_PLANE - 1);
    const struct cm_ir_plane_use *plane = &b->planes[number];
    if (plane->last_store != CM_IR_NONE && plane->value != CM_IR_NONE &&
        b->ir->count - plane->last_store < FORWARD_OPS && is_current(b, plane->value))
        return plane->value;
    return cm_ir_leaf(b, CM_IR_PLANE, number, plane->written);
}

/* Loads *value into a vector if it is in plane `number`, because the plane is about to change. */
static void load_copy(struct cm_ir_builder *b, uint32_t number, uint32_t *value)
{
    const struct cm_ir_op *op = *value == CM_IR_NONE ? NULL : &b->ir->ops[*value];
    if (op && op->kind == CM_IR_PLANE && op->number == number)
        *value = cm_ir_vector(b, CM_VECTOR_OP_MOVE, CM_IR_NONE, *value);
}

void cm_ir_store(struct cm_ir_builder *b, uint32_t symbol, uint32_t value, uint32_t mask)
{
    const uint32_t number = symbol & (CM_LANE_PLANE - 1);
    struct cm_ir_plane_use *plane = &b->planes[number];
    for (uint32_t cell = 0; cell < CM_LANE_CELLS; cell++)
        load_copy(b, number, &b->values[cell]);
    load_copy(b, number, &b->later);
    const uint32_t op = cm_ir_append(b, (struct cm_ir_op){.kind = CM_IR_STORE,
                                                          .streams = symbol >= CM_LANE_STREAMED,
                                                          .a = value,
                                                          .b = CM_IR_NONE,
                                                          .c = mask,
                                                          .number = number});
    /* The edges of an operation are adjacent in the list. Reading a value adds at most edges of its
     * own plane. */
    if (plane->last_store != CM_IR_NONE)
        add_edge(b, plane->last_store);
    cm_ir_follow_readers(b, op, plane->readers);
    plane->readers = 0;
    plane->last_store = op;
    plane->value = mask == CM_IR_NONE ? value : CM_IR_NONE;
    plane->written++;
}
