/*
 * IR construction: from a signature to operations on vectors. The operations of a queue are
 * evaluated symbolically: the builder knows the current value of every register vector, of the
 * context flag and of recently stored planes. Equal operations are found by hash and made once.
 *
 * Edges order memory accesses: a store comes after all reads of the plane's old value and after the
 * previous store, and reads of the new value come after the store.
 */
#include "ir.h"

#include "../../base/list.h"

#include <stdlib.h>
#include <string.h>

/* Number of operations after a store during which a read reuses the stored value. Older values are
 * read from memory again. */
#define FORWARD_OPS 512u

/* Operand of an operation: its symbol, and the symbol of the plane of high words. */
struct operand {
    uint32_t symbol, high;
};

/* The two vectors of a 64-bit value. */
struct pair {
    uint32_t half[2];
};

/* Element of a list of operations that read a location, a register vector or plane, before it is
 * written again. */
struct reader {
    uint32_t op, next; /* 1 + index of the next reader in the list, or 0 if none */
};

struct plane_use {
    uint32_t written;    /* number of stores so far */
    uint32_t last_store; /* last store in this segment, or CM_IR_NONE */
    uint32_t readers;    /* list of operations that read the plane since the last store */
    /* value that the last store wrote in all nodes, or CM_IR_NONE if unknown */
    uint32_t value;
};

struct builder {
    struct cm_ir *ir;
    const struct cm_signature *signature;
    const struct cm_lane_rules *rules;
    uint32_t at; /* index of the next symbol */
    uint32_t unit;
    uint32_t segment;
    /* Current values of register vectors and, in the last element, of the context flag. CM_IR_NONE
     * means the value before the segment. */
    uint32_t values[CM_LANE_CELLS + 1], readers[CM_LANE_CELLS + 1], after[CM_LANE_CELLS + 1];
    bool written[CM_LANE_CELLS + 1];
    uint32_t later; /* value that will be stored next, or CM_IR_NONE */
    struct plane_use *planes;
    struct reader *list;
    uint32_t list_count, list_capacity;
    uint32_t *index; /* 1 + index of an operation, by hash, or 0 if empty */
    uint32_t index_size, indexed;
};

/* ---- operations ---- */

static void add_edge(struct builder *b, uint32_t op)
{
    struct cm_ir *ir = b->ir;
    if (!cm_array_room(ir->edges, ir->edge_count, ir->edge_capacity))
        ir->failed = true;
    else
        ir->edges[ir->edge_count++] = op;
}

static void add_reader(struct builder *b, uint32_t *readers, uint32_t op)
{
    if (!cm_array_room(b->list, b->list_count, b->list_capacity)) {
        b->ir->failed = true;
        return;
    }
    b->list[b->list_count++] = (struct reader){op, *readers};
    *readers = b->list_count;
}

/* Adds edges so that operation `op` comes after the given readers. */
static void follow_readers(struct builder *b, uint32_t op, uint32_t readers)
{
    for (; readers; readers = b->list[readers - 1].next)
        if (b->list[readers - 1].op != op)
            add_edge(b, b->list[readers - 1].op);
}

/* Records that operation `op` reads a value. If the value is in memory, the read comes before the
 * next write and after the last one. */
static void record_read(struct builder *b, uint32_t op, uint32_t value)
{
    if (value == CM_IR_NONE)
        return;
    const struct cm_ir_op *leaf = &b->ir->ops[value];
    if (leaf->kind == CM_IR_PLANE) {
        struct plane_use *plane = &b->planes[leaf->number];
        if (plane->last_store != CM_IR_NONE)
            add_edge(b, plane->last_store);
        add_reader(b, &plane->readers, op);
    } else if (leaf->kind == CM_IR_CELL) {
        add_reader(b, &b->readers[leaf->number], op);
    } else if (leaf->kind == CM_IR_CONTEXT) {
        add_reader(b, &b->readers[CM_LANE_CELLS], op);
    }
}

static uint32_t append(struct builder *b, struct cm_ir_op op)
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
static uint32_t value_of(struct builder *b, struct cm_ir_op op)
{
    uint32_t at = hash_op(&op) & (b->index_size - 1);
    for (; b->index[at]; at = (at + 1) & (b->index_size - 1))
        if (same(&b->ir->ops[b->index[at] - 1], &op))
            return b->index[at] - 1;
    const uint32_t number = append(b, op);
    if (!b->ir->failed && b->indexed < b->index_size / 2) {
        b->index[at] = number + 1;
        b->indexed++;
    }
    return number;
}

/* Returns a leaf, a value in memory. `version` distinguishes successive values of one location. */
static uint32_t leaf(struct builder *b, enum cm_ir_kind kind, uint32_t number, uint32_t version)
{
    return value_of(b, (struct cm_ir_op){.kind = (uint8_t)kind,
                                         .a = CM_IR_NONE,
                                         .b = CM_IR_NONE,
                                         .c = version,
                                         .number = number});
}

static uint32_t vector(struct builder *b, enum cm_vector_op op, uint32_t first, uint32_t second)
{
    return value_of(
        b, (struct cm_ir_op){
               .kind = CM_IR_VECTOR, .op = (uint8_t)op, .a = first, .b = second, .c = CM_IR_NONE});
}

static uint32_t simple(struct builder *b, enum cm_ir_kind kind, uint32_t first, uint32_t second)
{
    return value_of(
        b, (struct cm_ir_op){.kind = (uint8_t)kind, .a = first, .b = second, .c = CM_IR_NONE});
}

static uint32_t compare(struct builder *b, enum cm_vector_op op, uint32_t first, uint32_t second)
{
    return value_of(
        b, (struct cm_ir_op){
               .kind = CM_IR_COMPARE, .op = (uint8_t)op, .a = first, .b = second, .c = CM_IR_NONE});
}

static uint32_t blend(struct builder *b, enum cm_vector_op op, uint32_t clear, uint32_t set,
                      uint32_t mask)
{
    return value_of(
        b,
        (struct cm_ir_op){.kind = CM_IR_BLEND, .op = (uint8_t)op, .a = clear, .b = set, .c = mask});
}

static bool permutes(const struct builder *b, uint32_t value, enum cm_ir_permutation by)
{
    const struct cm_ir_op *op = &b->ir->ops[value];
    return op->kind == CM_IR_PERMUTE && op->number == by;
}

/* True unless the value is an old content of a plane that has been written since. */
static bool is_current(const struct builder *b, uint32_t value)
{
    const struct cm_ir_op *op = &b->ir->ops[value];
    return op->kind != CM_IR_PLANE || op->c == b->planes[op->number].written;
}

/* Returns a permutation of two vectors. Joining what was split, or splitting what was joined,
 * returns the original value. */
static uint32_t permute(struct builder *b, enum cm_ir_permutation by, uint32_t first,
                        uint32_t second)
{
    const bool joins = by == CM_IR_JOIN0 || by == CM_IR_JOIN1;
    const struct cm_ir_op *x = &b->ir->ops[first], *y = &b->ir->ops[second];
    const uint32_t source = by == CM_IR_JOIN0 || by == CM_IR_LOW ? x->a : x->b;
    if (permutes(b, first, joins ? CM_IR_LOW : CM_IR_JOIN0) &&
        permutes(b, second, joins ? CM_IR_HIGH : CM_IR_JOIN1) && x->a == y->a && x->b == y->b &&
        is_current(b, source))
        return source;
    return value_of(
        b, (struct cm_ir_op){
               .kind = CM_IR_PERMUTE, .a = first, .b = second, .c = CM_IR_NONE, .number = by});
}

/* Returns the mask of the first or the last eight nodes. */
static uint32_t half_of_mask(struct builder *b, uint32_t mask, uint32_t half)
{
    const struct cm_ir_op *op = &b->ir->ops[mask];
    if (op->kind == CM_IR_MASK_PAIR)
        return half == 0 ? op->a : op->b;
    return half == 0 ? mask : simple(b, CM_IR_MASK_UPPER, mask, CM_IR_NONE);
}

/* ---- register vectors, the context flag, planes ---- */

/* Returns the current value of a register vector or the context flag. */
static uint32_t current(struct builder *b, uint32_t cell)
{
    if (b->values[cell] == CM_IR_NONE)
        b->values[cell] =
            leaf(b, cell == CM_LANE_CELLS ? CM_IR_CONTEXT : CM_IR_CELL, cell, b->segment);
    return b->values[cell];
}

static void set(struct builder *b, uint32_t cell, uint32_t value)
{
    b->values[cell] = value;
    b->written[cell] = true;
    b->after[cell] = b->ir->count;
}

static uint32_t context_now(struct builder *b)
{
    return current(b, CM_LANE_CELLS);
}

static uint32_t plane_now(struct builder *b, uint32_t symbol)
{
    const uint32_t number = symbol & (CM_LANE_PLANE - 1);
    const struct plane_use *plane = &b->planes[number];
    if (plane->last_store != CM_IR_NONE && plane->value != CM_IR_NONE &&
        b->ir->count - plane->last_store < FORWARD_OPS && is_current(b, plane->value))
        return plane->value;
    return leaf(b, CM_IR_PLANE, number, plane->written);
}

/* Loads *value into a vector if it is in plane `number`, because the plane is about to change. */
static void load_copy(struct builder *b, uint32_t number, uint32_t *value)
{
    const struct cm_ir_op *op = *value == CM_IR_NONE ? NULL : &b->ir->ops[*value];
    if (op && op->kind == CM_IR_PLANE && op->number == number)
        *value = vector(b, CM_VECTOR_OP_MOVE, CM_IR_NONE, *value);
}

static void store(struct builder *b, uint32_t symbol, uint32_t value, uint32_t mask)
{
    const uint32_t number = symbol & (CM_LANE_PLANE - 1);
    struct plane_use *plane = &b->planes[number];
    for (uint32_t cell = 0; cell < CM_LANE_CELLS; cell++)
        load_copy(b, number, &b->values[cell]);
    load_copy(b, number, &b->later);
    const uint32_t op = append(b, (struct cm_ir_op){.kind = CM_IR_STORE,
                                                    .streams = symbol >= CM_LANE_STREAMED,
                                                    .a = value,
                                                    .b = CM_IR_NONE,
                                                    .c = mask,
                                                    .number = number});
    /* The edges of an operation are adjacent in the list. Reading a value adds at most edges of its
     * own plane. */
    if (plane->last_store != CM_IR_NONE)
        add_edge(b, plane->last_store);
    follow_readers(b, op, plane->readers);
    plane->readers = 0;
    plane->last_store = op;
    plane->value = mask == CM_IR_NONE ? value : CM_IR_NONE;
    plane->written++;
}

/* ---- operands ---- */

static struct operand take(struct builder *b, char kind)
{
    struct operand operand = {CM_LANE_NOTHING, CM_LANE_NOTHING};
    if (kind == '-')
        return operand;
    operand.symbol = b->signature->symbols[b->at++];
    if (kind != 'w' && operand.symbol >= CM_LANE_PLANE)
        operand.high = b->signature->symbols[b->at++];
    return operand;
}

static uint32_t take_constant(struct builder *b)
{
    return b->signature->symbols[b->at++] - CM_LANE_CONSTANT;
}

static uint32_t words(struct builder *b, struct operand operand)
{
    if (operand.symbol < CM_LANE_CELLS)
        return current(b, operand.symbol);
    if (operand.symbol == CM_LANE_CONTEXT)
        return value_of(b, (struct cm_ir_op){.kind = CM_IR_MASK_WORDS,
                                             .a = CM_IR_NONE,
                                             .b = CM_IR_NONE,
                                             .c = context_now(b)});
    if (operand.symbol < CM_LANE_PLANE)
        return leaf(b, CM_IR_CONSTANT_32, operand.symbol - CM_LANE_CONSTANT, 0);
    return plane_now(b, operand.symbol);
}

/* Returns the low and high words of a split value. */
static struct pair halves(struct builder *b, struct operand operand)
{
    if (operand.symbol < CM_LANE_CELLS)
        return (struct pair){{current(b, operand.symbol), current(b, operand.symbol + 1)}};
    const uint32_t low = plane_now(b, operand.symbol);
    return (struct pair){{low, plane_now(b, operand.high)}};
}

/* Permutes two vectors twice. The permutations form a unit, so that the vectors are loaded once for
 * both. */
static struct pair permute_twice(struct builder *b, enum cm_ir_permutation first,
                                 enum cm_ir_permutation second, struct pair of)
{
    struct pair pair;
    b->unit++;
    pair.half[0] = permute(b, first, of.half[0], of.half[1]);
    pair.half[1] = permute(b, second, of.half[0], of.half[1]);
    b->unit++;
    return pair;
}

static struct pair join(struct builder *b, struct pair halves)
{
    return permute_twice(b, CM_IR_JOIN0, CM_IR_JOIN1, halves);
}

static struct pair split(struct builder *b, struct pair joined)
{
    return permute_twice(b, CM_IR_LOW, CM_IR_HIGH, joined);
}

/* Returns a joined 64-bit value. */
static struct pair wide(struct builder *b, struct operand operand)
{
    if (operand.symbol >= CM_LANE_PLANE)
        return join(b, halves(b, operand));
    if (operand.symbol < CM_LANE_CELLS)
        return halves(b, operand);
    const uint32_t constant = leaf(b, CM_IR_CONSTANT_64, operand.symbol - CM_LANE_CONSTANT, 0);
    return (struct pair){{constant, constant}};
}

static void put_words(struct builder *b, struct operand out, uint32_t value)
{
    if (out.symbol < CM_LANE_CELLS)
        set(b, out.symbol, value);
    else if (out.symbol == CM_LANE_CONTEXT)
        set(b, CM_LANE_CELLS, compare(b, CM_VECTOR_OP_TEST_WORDS, value, value));
    else
        store(b, out.symbol, value, CM_IR_NONE);
}

static void put_halves(struct builder *b, struct operand out, struct pair value)
{
    const struct operand high = {out.symbol < CM_LANE_CELLS ? out.symbol + 1 : out.high, 0};
    b->later = value.half[1];
    put_words(b, out, value.half[0]);
    put_words(b, high, b->later);
    b->later = CM_IR_NONE;
}

static void put_wide(struct builder *b, struct operand out, struct pair value)
{
    put_halves(b, out, out.symbol < CM_LANE_CELLS ? value : split(b, value));
}

/* ---- forms ---- */

struct operation {
    const struct cm_lane_rule *rule;
    struct operand out, a, b, c, d;
};

static void build_copies(struct builder *b, const struct operation *w)
{
    struct pair pair;
    switch (w->rule->form) {
    case CM_LANE_COPY:
        put_words(b, w->out, words(b, w->a));
        break;
    case CM_LANE_COPY_64:
        put_wide(b, w->out, wide(b, w->a));
        break;
    case CM_LANE_COPY_MASKED:
        pair.half[0] = words(b, w->a);
        store(b, w->out.symbol, pair.half[0], context_now(b));
        break;
    case CM_LANE_FILL:
        put_words(b, w->out, leaf(b, CM_IR_CONSTANT_32, take_constant(b), 0));
        break;
    case CM_LANE_FILL_64:
        pair.half[0] = pair.half[1] = leaf(b, CM_IR_CONSTANT_64, take_constant(b), 0);
        put_wide(b, w->out, pair);
        break;
    case CM_LANE_LOAD_64:
        pair.half[0] = words(b, w->a);
        pair.half[1] = words(b, w->b);
        put_wide(b, w->out, join(b, pair));
        break;
    case CM_LANE_STORE_64:
    case CM_LANE_STORE_64_MASKED:
        pair = split(b, wide(b, w->b));
        const uint32_t mask = w->rule->form == CM_LANE_STORE_64 ? CM_IR_NONE : context_now(b);
        b->later = pair.half[1];
        store(b, w->out.symbol, pair.half[0], mask);
        store(b, w->a.symbol, b->later, mask);
        b->later = CM_IR_NONE;
        break;
    default: /* CM_LANE_HALVES */
        pair.half[0] = words(b, w->a);
        pair.half[1] = words(b, w->b);
        put_halves(b, w->out, pair);
        break;
    }
}

static void build_conversions(struct builder *b, const struct operation *w)
{
    const enum cm_vector_op op = w->rule->op;
    struct pair pair = {{CM_IR_NONE, CM_IR_NONE}};
    if (w->rule->form == CM_LANE_WIDEN) {
        const uint32_t a = words(b, w->a);
        pair.half[0] = vector(b, op, CM_IR_NONE, a);
        const uint32_t upper = simple(b, CM_IR_UPPER, a, CM_IR_NONE);
        pair.half[1] = vector(b, op, CM_IR_NONE, upper);
        put_halves(b, w->out, split(b, pair));
        return;
    }
    pair = join(b, halves(b, w->a)); /* CM_LANE_NARROW */
    for (uint32_t half = 0; half < 2; half++)
        pair.half[half] = vector(b, op, CM_IR_NONE, pair.half[half]);
    put_words(b, w->out, simple(b, CM_IR_INSERT, pair.half[0], pair.half[1]));
}

static void build_register(struct builder *b, const struct operation *w)
{
    if (w->rule->form == CM_LANE_JOIN)
        put_halves(b, w->out, join(b, halves(b, w->out)));
    else if (w->rule->form == CM_LANE_SPLIT)
        put_halves(b, w->out, split(b, halves(b, w->out)));
    else /* CM_LANE_HIGH_HALF */
        put_words(b, w->out, halves(b, w->a).half[1]);
}

static void build_masks(struct builder *b, const struct operation *w)
{
    const enum cm_lane_form form = w->rule->form;
    if (form == CM_LANE_MASK_NOT) {
        set(b, CM_LANE_CELLS, simple(b, CM_IR_MASK_NOT, context_now(b), CM_IR_NONE));
        return;
    }
    if (form == CM_LANE_MASK_TO_WORDS) {
        const uint32_t mask = words(b, (struct operand){CM_LANE_CONTEXT, 0});
        const uint32_t one = leaf(b, CM_IR_CONSTANT_32, take_constant(b), 0);
        put_words(b, w->out, vector(b, CM_VECTOR_OP_AND_32, mask, one));
        return;
    }
    const uint32_t a = words(b, w->a);
    const bool by_bit = form == CM_LANE_BIT_TO_MASK || form == CM_LANE_MASK_AND_BIT;
    const uint32_t bit = by_bit ? leaf(b, CM_IR_CONSTANT_32, take_constant(b), 0) : a;
    uint32_t mask = compare(b, by_bit ? CM_VECTOR_OP_TEST_BIT : CM_VECTOR_OP_TEST_WORDS, a, bit);
    if (form == CM_LANE_MASK_AND_WORDS || form == CM_LANE_MASK_AND_BIT)
        mask = simple(b, CM_IR_MASK_AND, context_now(b), mask);
    set(b, CM_LANE_CELLS, mask);
}

/* Returns one vector of the result of an arithmetic operation. Results of 64 bits have two
 * vectors. */
static uint32_t operate(struct builder *b, const struct operation *w, const uint32_t *sources)
{
    const enum cm_vector_op op = w->rule->op;
    const bool is_wide = w->rule->form == CM_LANE_PRODUCT_64;
    uint32_t product;
    switch (w->rule->form) {
    case CM_LANE_UNARY_32:
    case CM_LANE_UNARY_64:
        return vector(b, op, CM_IR_NONE, sources[0]);
    case CM_LANE_PRODUCT_32:
    case CM_LANE_PRODUCT_64:
        product = vector(b, is_wide ? CM_VECTOR_OP_MUL_F64 : CM_VECTOR_OP_MUL_F32, sources[0],
                         sources[1]);
        return vector(b, is_wide ? CM_VECTOR_OP_ADD_F64 : CM_VECTOR_OP_ADD_F32, product,
                      sources[2]);
    default: /* two sources, or one source and a constant mask */
        return vector(b, op, sources[0], sources[1]);
    }
}

static void build_arithmetic(struct builder *b, const struct operation *w)
{
    const struct operand operands[3] = {w->a, w->b, w->c};
    const char *kinds = cm_lane_form_kinds[w->rule->form] + 1;
    const bool is_wide = kinds[0] == 'd';
    struct pair sources[3] = {0}, result;
    uint32_t count = 0;
    for (; count < 3 && kinds[count] != '-'; count++)
        if (is_wide)
            sources[count] = wide(b, operands[count]);
        else
            sources[count].half[0] = words(b, operands[count]);
    if (w->rule->form == CM_LANE_BITS_32 || w->rule->form == CM_LANE_BITS_64)
        sources[1].half[0] = sources[1].half[1] =
            leaf(b, is_wide ? CM_IR_CONSTANT_64 : CM_IR_CONSTANT_32, take_constant(b), 0);
    for (uint32_t half = 0; half < (is_wide ? 2 : 1); half++)
        result.half[half] = operate(b, w,
                                    (const uint32_t[]){sources[0].half[half], sources[1].half[half],
                                                       sources[2].half[half]});
    if (is_wide)
        put_wide(b, w->out, result);
    else
        put_words(b, w->out, result.half[0]);
}

static void build_compare(struct builder *b, const struct operation *w)
{
    const enum cm_vector_op op = w->rule->op;
    if (w->rule->form == CM_LANE_COMPARE_32) {
        const uint32_t a = words(b, w->a);
        set(b, CM_LANE_CELLS, compare(b, op, a, words(b, w->b)));
        return;
    }
    const struct pair x = wide(b, w->a), y = wide(b, w->b);
    const uint32_t first = compare(b, op, x.half[0], y.half[0]);
    const uint32_t second = compare(b, op, x.half[1], y.half[1]);
    set(b, CM_LANE_CELLS, simple(b, CM_IR_MASK_PAIR, first, second));
}

static void build_select(struct builder *b, const struct operation *w)
{
    const uint32_t mask = context_now(b);
    struct pair result, other = {{0}};
    if (w->rule->form == CM_LANE_SELECT_32) {
        const uint32_t x = words(b, w->a), y = words(b, w->b);
        put_words(b, w->out, blend(b, CM_VECTOR_OP_BLEND_32, y, x, mask));
        return;
    }
    const bool apart = w->rule->form == CM_LANE_SELECT_HALVES;
    const struct pair x = apart ? halves(b, w->a) : wide(b, w->a);
    const struct pair y = apart ? halves(b, w->b) : wide(b, w->b);
    for (uint32_t half = 0; half < 2; half++) {
        const uint32_t set_nodes = apart ? mask : half_of_mask(b, mask, half);
        const enum cm_vector_op by = apart ? CM_VECTOR_OP_BLEND_32 : CM_VECTOR_OP_BLEND_64;
        result.half[half] = blend(b, by, y.half[half], x.half[half], set_nodes);
        if (w->d.symbol != CM_LANE_NOTHING)
            other.half[half] = blend(b, by, x.half[half], y.half[half], set_nodes);
    }
    (apart ? put_halves : put_wide)(b, w->out, result);
    if (w->d.symbol != CM_LANE_NOTHING)
        put_halves(b, w->d, other);
}

/* ---- segments ---- */

/* Stores all changed register vectors and the context flag to memory, at the end of a segment. */
static void write_back_all(struct builder *b)
{
    for (uint32_t cell = 0; cell < CM_LANE_CELLS; cell++)
        if (b->written[cell] && b->ir->ops[b->values[cell]].kind == CM_IR_CELL &&
            b->ir->ops[b->values[cell]].number != cell) /* the other vector may be written too */
            b->values[cell] = vector(b, CM_VECTOR_OP_MOVE, CM_IR_NONE, b->values[cell]);
    for (uint32_t cell = 0; cell <= CM_LANE_CELLS; cell++) {
        const bool is_context = cell == CM_LANE_CELLS;
        if (!b->written[cell])
            continue;
        const struct cm_ir_op *value = &b->ir->ops[b->values[cell]];
        const enum cm_ir_kind own = is_context ? CM_IR_CONTEXT : CM_IR_CELL;
        if (value->kind == own && value->number == cell)
            continue; /* its value is unchanged */
        b->unit++;
        const uint32_t op =
            append(b, (struct cm_ir_op){
                          .kind = is_context ? CM_IR_WRITEBACK_CONTEXT : CM_IR_WRITEBACK,
                          .a = b->values[cell],
                          .b = CM_IR_NONE,
                          .c = CM_IR_NONE,
                          .number = cell,
                          .after = b->after[cell],
                      });
        follow_readers(b, op, b->readers[cell]);
    }
}

/* Drops register vectors that are not needed after the queue. */
static void drop_dead(struct builder *b)
{
    for (uint32_t cell = 0; cell < CM_LANE_CELLS; cell++)
        if (b->signature->symbols[cell / 16] >> cell % 16 & 1)
            b->written[cell] = false;
}

static void begin_segment(struct builder *b)
{
    b->segment = b->ir->segment_count;
    b->unit++;
    for (uint32_t cell = 0; cell <= CM_LANE_CELLS; cell++) {
        b->values[cell] = CM_IR_NONE;
        b->readers[cell] = 0;
        b->written[cell] = false;
    }
    for (uint32_t n = 0; n < b->ir->planes; n++) {
        b->planes[n].last_store = CM_IR_NONE;
        b->planes[n].readers = 0;
    }
    memset(b->index, 0, b->index_size * sizeof *b->index);
    b->indexed = 0;
}

static void end_segment(struct builder *b)
{
    struct cm_ir *ir = b->ir;
    const uint32_t first = ir->segment_count > 0 ? ir->segments[ir->segment_count - 1].end : 0;
    if (!cm_array_room(ir->segments, ir->segment_count, ir->segment_capacity))
        ir->failed = true;
    else if (ir->count > first)
        ir->segments[ir->segment_count++] = (struct cm_ir_segment){first, ir->count};
}

static void build_call(struct builder *b, const struct operation *w)
{
    struct cm_ir *ir = b->ir;
    const struct operand operands[CM_LANE_OPERANDS] = {w->out, w->a, w->b, w->c, w->d};
    struct cm_ir_call call = {.adds_number = w->rule->form == CM_LANE_CALL_NUMBER};
    for (uint32_t i = 0; i < CM_LANE_OPERANDS; i++)
        call.operands[i] = (uint16_t)operands[i].symbol;
    call.kernel = (uint16_t)take_constant(b);
    call.word = (uint16_t)take_constant(b);
    if (!cm_array_room(ir->calls, ir->call_count, ir->call_capacity)) {
        ir->failed = true;
        return;
    }
    ir->calls[ir->call_count] = call;
    write_back_all(b);
    end_segment(b);
    b->unit++;
    append(b, (struct cm_ir_op){.kind = CM_IR_CALL,
                                .a = CM_IR_NONE,
                                .b = CM_IR_NONE,
                                .c = CM_IR_NONE,
                                .number = ir->call_count++});
    end_segment(b);
    begin_segment(b);
}

typedef void (*form_builder)(struct builder *b, const struct operation *w);

static const form_builder builders[CM_LANE_FORM_COUNT] = {
    [CM_LANE_CALL] = build_call,
    [CM_LANE_CALL_NUMBER] = build_call,
    [CM_LANE_COPY] = build_copies,
    [CM_LANE_COPY_64] = build_copies,
    [CM_LANE_COPY_MASKED] = build_copies,
    [CM_LANE_FILL] = build_copies,
    [CM_LANE_FILL_64] = build_copies,
    [CM_LANE_LOAD_64] = build_copies,
    [CM_LANE_STORE_64] = build_copies,
    [CM_LANE_STORE_64_MASKED] = build_copies,
    [CM_LANE_JOIN] = build_register,
    [CM_LANE_SPLIT] = build_register,
    [CM_LANE_HIGH_HALF] = build_register,
    [CM_LANE_HALVES] = build_copies,
    [CM_LANE_WORDS_TO_MASK] = build_masks,
    [CM_LANE_MASK_AND_WORDS] = build_masks,
    [CM_LANE_BIT_TO_MASK] = build_masks,
    [CM_LANE_MASK_AND_BIT] = build_masks,
    [CM_LANE_MASK_NOT] = build_masks,
    [CM_LANE_MASK_TO_WORDS] = build_masks,
    [CM_LANE_UNARY_32] = build_arithmetic,
    [CM_LANE_UNARY_64] = build_arithmetic,
    [CM_LANE_BINARY_32] = build_arithmetic,
    [CM_LANE_BINARY_64] = build_arithmetic,
    [CM_LANE_BITS_32] = build_arithmetic,
    [CM_LANE_BITS_64] = build_arithmetic,
    [CM_LANE_PRODUCT_32] = build_arithmetic,
    [CM_LANE_PRODUCT_64] = build_arithmetic,
    [CM_LANE_COMPARE_32] = build_compare,
    [CM_LANE_COMPARE_64] = build_compare,
    [CM_LANE_SELECT_32] = build_select,
    [CM_LANE_SELECT_64] = build_select,
    [CM_LANE_SELECT_HALVES] = build_select,
    [CM_LANE_WIDEN] = build_conversions,
    [CM_LANE_NARROW] = build_conversions,
};

static void build_operation(struct builder *b)
{
    struct operation w = {.rule = &b->rules->rules[b->signature->symbols[b->at++]]};
    const char *kinds = cm_lane_form_kinds[w.rule->form];
    struct operand *const operands[CM_LANE_OPERANDS] = {&w.out, &w.a, &w.b, &w.c, &w.d};
    b->unit++;
    for (uint32_t i = 0; i < CM_LANE_OPERANDS; i++)
        *operands[i] = take(b, kinds[i]);
    builders[w.rule->form](b, &w);
}

void cm_ir_build(struct cm_ir *ir, const struct cm_signature *signature,
                 const struct cm_lane_rules *rules)
{
    struct builder b = {.ir = ir,
                        .signature = signature,
                        .rules = rules,
                        .at = CM_LANE_SYMBOLS_FIRST,
                        .later = CM_IR_NONE};
    *ir = (struct cm_ir){.planes = signature->planes.count};
    for (b.index_size = 1024; b.index_size < 4 * signature->count;)
        b.index_size *= 2;
    b.planes = calloc(ir->planes, sizeof *b.planes);
    b.index = calloc(b.index_size, sizeof *b.index);
    ir->failed = !b.planes || !b.index;
    if (!ir->failed)
        begin_segment(&b);
    while (!ir->failed && b.at < signature->count)
        build_operation(&b);
    if (!ir->failed) {
        drop_dead(&b);
        write_back_all(&b);
        end_segment(&b);
    }
    free(b.planes);
    free(b.index);
    free(b.list);
}

void cm_ir_finish(struct cm_ir *ir)
{
    free(ir->ops);
    free(ir->edges);
    free(ir->calls);
    free(ir->segments);
}
