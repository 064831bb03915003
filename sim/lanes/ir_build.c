/*
 * IR construction: from a signature to operations on vectors. The operations of a queue are
 * evaluated symbolically, with the values of ir_values.h.
 */
#include "ir_values.h"

#include "../../base/list.h"

#include <stdlib.h>
#include <string.h>

/* Operand of an operation: its symbol, and the symbol of the plane of high words. */
struct operand {
    uint32_t symbol, high;
};

/* The two vectors of a 64-bit value. */
struct pair {
    uint32_t half[2];
};

/* ---- operands ---- */

static struct operand take(struct cm_ir_builder *b, char kind)
{
    struct operand operand = {CM_LANE_NOTHING, CM_LANE_NOTHING};
    if (kind == '-')
        return operand;
    operand.symbol = b->signature->symbols[b->at++];
    if (kind != 'w' && operand.symbol >= CM_LANE_PLANE)
        operand.high = b->signature->symbols[b->at++];
    return operand;
}

static uint32_t take_constant(struct cm_ir_builder *b)
{
    return b->signature->symbols[b->at++] - CM_LANE_CONSTANT;
}

static uint32_t words(struct cm_ir_builder *b, struct operand operand)
{
    if (operand.symbol < CM_LANE_CELLS)
        return cm_ir_current(b, operand.symbol);
    if (operand.symbol == CM_LANE_CONTEXT)
        return cm_ir_context_words(b);
    if (operand.symbol < CM_LANE_PLANE)
        return cm_ir_leaf(b, CM_IR_CONSTANT_32, operand.symbol - CM_LANE_CONSTANT, 0);
    return cm_ir_plane_now(b, operand.symbol);
}

/* Returns the low and high words of a split value. */
static struct pair halves(struct cm_ir_builder *b, struct operand operand)
{
    if (operand.symbol < CM_LANE_CELLS)
        return (struct pair){
            {cm_ir_current(b, operand.symbol), cm_ir_current(b, operand.symbol + 1)}};
    const uint32_t low = cm_ir_plane_now(b, operand.symbol);
    return (struct pair){{low, cm_ir_plane_now(b, operand.high)}};
}

/* Permutes two vectors twice. The permutations form a unit, so that the vectors are loaded once for
 * both. */
static struct pair permute_twice(struct cm_ir_builder *b, enum cm_ir_permutation first,
                                 enum cm_ir_permutation second, struct pair of)
{
    struct pair pair;
    b->unit++;
    pair.half[0] = cm_ir_permute(b, first, of.half[0], of.half[1]);
    pair.half[1] = cm_ir_permute(b, second, of.half[0], of.half[1]);
    b->unit++;
    return pair;
}

static struct pair join(struct cm_ir_builder *b, struct pair halves)
{
    return permute_twice(b, CM_IR_JOIN0, CM_IR_JOIN1, halves);
}

static struct pair split(struct cm_ir_builder *b, struct pair joined)
{
    return permute_twice(b, CM_IR_LOW, CM_IR_HIGH, joined);
}

/* Changes the order of nodes of a joined value between registers in memory and JOIN0, JOIN1. */
static struct pair order(struct cm_ir_builder *b, struct pair joined)
{
    return permute_twice(b, CM_IR_ORDER0, CM_IR_ORDER1, joined);
}

/* Reads a joined register in memory, if its current value is there. */
static void read_joined(struct cm_ir_builder *b, uint32_t cell)
{
    if (!b->ir->in_lanes || b->joined[cell])
        return;
    const uint32_t first = cm_ir_leaf(b, CM_IR_JOINED, cell, b->segment);
    const struct pair pair =
        order(b, (struct pair){{first, cm_ir_leaf(b, CM_IR_JOINED, cell + 1, b->segment)}});
    for (uint32_t half = 0; half < 2; half++) {
        b->values[cell + half] = pair.half[half];
        b->joined[cell + half] = true;
    }
}

/* Returns a joined 64-bit value. */
static struct pair wide(struct cm_ir_builder *b, struct operand operand)
{
    if (operand.symbol >= CM_LANE_PLANE)
        return join(b, halves(b, operand));
    if (operand.symbol < CM_LANE_CELLS) {
        read_joined(b, operand.symbol);
        return halves(b, operand);
    }
    const uint32_t constant =
        cm_ir_leaf(b, CM_IR_CONSTANT_64, operand.symbol - CM_LANE_CONSTANT, 0);
    return (struct pair){{constant, constant}};
}

static void put_words(struct cm_ir_builder *b, struct operand out, uint32_t value)
{
    if (out.symbol < CM_LANE_CELLS)
        cm_ir_set(b, out.symbol, value);
    else if (out.symbol == CM_LANE_CONTEXT)
        cm_ir_set(b, CM_LANE_CELLS, cm_ir_compare(b, CM_VECTOR_OP_TEST_WORDS, value, value));
    else
        cm_ir_store(b, out.symbol, value, CM_IR_NONE);
}

static void put_halves(struct cm_ir_builder *b, struct operand out, struct pair value)
{
    const struct operand high = {out.symbol < CM_LANE_CELLS ? out.symbol + 1 : out.high, 0};
    b->later = value.half[1];
    put_words(b, out, value.half[0]);
    put_words(b, high, b->later);
    b->later = CM_IR_NONE;
}

static void put_wide(struct cm_ir_builder *b, struct operand out, struct pair value)
{
    const bool in_register = out.symbol < CM_LANE_CELLS;
    put_halves(b, out, in_register ? value : split(b, value));
    for (uint32_t half = 0; in_register && half < 2; half++)
        b->joined[out.symbol + half] = b->ir->in_lanes;
}

/* ---- forms ---- */

struct operation {
    const struct cm_lane_rule *rule;
    struct operand out, a, b, c, d;
};

static void build_copies(struct cm_ir_builder *b, const struct operation *w)
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
        cm_ir_store(b, w->out.symbol, pair.half[0], cm_ir_context_now(b));
        break;
    case CM_LANE_FILL:
        put_words(b, w->out, cm_ir_leaf(b, CM_IR_CONSTANT_32, take_constant(b), 0));
        break;
    case CM_LANE_FILL_64:
        pair.half[0] = pair.half[1] = cm_ir_leaf(b, CM_IR_CONSTANT_64, take_constant(b), 0);
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
        const uint32_t mask = w->rule->form == CM_LANE_STORE_64 ? CM_IR_NONE : cm_ir_context_now(b);
        b->later = pair.half[1];
        cm_ir_store(b, w->out.symbol, pair.half[0], mask);
        cm_ir_store(b, w->a.symbol, b->later, mask);
        b->later = CM_IR_NONE;
        break;
    default: /* CM_LANE_HALVES */
        pair.half[0] = words(b, w->a);
        pair.half[1] = words(b, w->b);
        put_halves(b, w->out, pair);
        break;
    }
}

static void build_conversions(struct cm_ir_builder *b, const struct operation *w)
{
    const enum cm_vector_op op = w->rule->op;
    struct pair pair = {{CM_IR_NONE, CM_IR_NONE}};
    if (w->rule->form == CM_LANE_WIDEN) {
        uint32_t a = words(b, w->a);
        if (b->ir->in_lanes)
            a = cm_ir_vector(b, CM_VECTOR_OP_SWAP_MIDDLE, CM_IR_NONE, a);
        pair.half[0] = cm_ir_vector(b, op, CM_IR_NONE, a);
        const uint32_t upper = cm_ir_simple(b, CM_IR_UPPER, a, CM_IR_NONE);
        pair.half[1] = cm_ir_vector(b, op, CM_IR_NONE, upper);
        put_halves(b, w->out, split(b, pair));
        return;
    }
    pair = join(b, halves(b, w->a)); /* CM_LANE_NARROW */
    for (uint32_t half = 0; half < 2; half++)
        pair.half[half] = cm_ir_vector(b, op, CM_IR_NONE, pair.half[half]);
    uint32_t result = cm_ir_simple(b, CM_IR_INSERT, pair.half[0], pair.half[1]);
    if (b->ir->in_lanes)
        result = cm_ir_vector(b, CM_VECTOR_OP_SWAP_MIDDLE, CM_IR_NONE, result);
    put_words(b, w->out, result);
}

static void build_register(struct cm_ir_builder *b, const struct operation *w)
{
    if (w->rule->form == CM_LANE_JOIN)
        put_wide(b, w->out, join(b, halves(b, w->out)));
    else if (w->rule->form == CM_LANE_SPLIT)
        put_halves(b, w->out, split(b, wide(b, w->out)));
    else /* CM_LANE_HIGH_HALF */
        put_words(b, w->out, halves(b, w->a).half[1]);
}

static void build_masks(struct cm_ir_builder *b, const struct operation *w)
{
    const enum cm_lane_form form = w->rule->form;
    if (form == CM_LANE_MASK_NOT) {
        cm_ir_set(b, CM_LANE_CELLS,
                  cm_ir_simple(b, CM_IR_MASK_NOT, cm_ir_context_now(b), CM_IR_NONE));
        return;
    }
    if (form == CM_LANE_MASK_TO_WORDS) {
        const uint32_t mask = words(b, (struct operand){CM_LANE_CONTEXT, 0});
        const uint32_t one = cm_ir_leaf(b, CM_IR_CONSTANT_32, take_constant(b), 0);
        put_words(b, w->out, cm_ir_vector(b, CM_VECTOR_OP_AND_32, mask, one));
        return;
    }
    const uint32_t a = words(b, w->a);
    const bool by_bit = form == CM_LANE_BIT_TO_MASK || form == CM_LANE_MASK_AND_BIT;
    const uint32_t bit = by_bit ? cm_ir_leaf(b, CM_IR_CONSTANT_32, take_constant(b), 0) : a;
    uint32_t mask =
        cm_ir_compare(b, by_bit ? CM_VECTOR_OP_TEST_BIT : CM_VECTOR_OP_TEST_WORDS, a, bit);
    if (form == CM_LANE_MASK_AND_WORDS || form == CM_LANE_MASK_AND_BIT)
        mask = cm_ir_simple(b, CM_IR_MASK_AND, cm_ir_context_now(b), mask);
    cm_ir_set(b, CM_LANE_CELLS, mask);
}

/* Returns one vector of the result of an arithmetic operation. Results of 64 bits have two
 * vectors. */
static uint32_t operate(struct cm_ir_builder *b, const struct operation *w, const uint32_t *sources)
{
    const enum cm_vector_op op = w->rule->op;
    const bool is_wide = w->rule->form == CM_LANE_PRODUCT_64;
    uint32_t product;
    switch (w->rule->form) {
    case CM_LANE_UNARY_32:
    case CM_LANE_UNARY_64:
        return cm_ir_vector(b, op, CM_IR_NONE, sources[0]);
    case CM_LANE_PRODUCT_32:
    case CM_LANE_PRODUCT_64:
        product = cm_ir_vector(b, is_wide ? CM_VECTOR_OP_MUL_F64 : CM_VECTOR_OP_MUL_F32, sources[0],
                               sources[1]);
        return cm_ir_vector(b, is_wide ? CM_VECTOR_OP_ADD_F64 : CM_VECTOR_OP_ADD_F32, product,
                            sources[2]);
    default: /* two sources, or one source and a constant mask */
        return cm_ir_vector(b, op, sources[0], sources[1]);
    }
}

static void build_arithmetic(struct cm_ir_builder *b, const struct operation *w)
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
            cm_ir_leaf(b, is_wide ? CM_IR_CONSTANT_64 : CM_IR_CONSTANT_32, take_constant(b), 0);
    for (uint32_t half = 0; half < (is_wide ? 2 : 1); half++)
        result.half[half] = operate(b, w,
                                    (const uint32_t[]){sources[0].half[half], sources[1].half[half],
                                                       sources[2].half[half]});
    if (is_wide)
        put_wide(b, w->out, result);
    else
        put_words(b, w->out, result.half[0]);
}

static void build_compare(struct cm_ir_builder *b, const struct operation *w)
{
    const enum cm_vector_op op = w->rule->op;
    if (w->rule->form == CM_LANE_COMPARE_32) {
        const uint32_t a = words(b, w->a);
        cm_ir_set(b, CM_LANE_CELLS, cm_ir_compare(b, op, a, words(b, w->b)));
        return;
    }
    const struct pair x = wide(b, w->a), y = wide(b, w->b);
    const uint32_t first = cm_ir_compare(b, op, x.half[0], y.half[0]);
    const uint32_t second = cm_ir_compare(b, op, x.half[1], y.half[1]);
    cm_ir_set(b, CM_LANE_CELLS, cm_ir_simple(b, CM_IR_MASK_PAIR, first, second));
}

static void build_select(struct cm_ir_builder *b, const struct operation *w)
{
    const uint32_t mask = cm_ir_context_now(b);
    struct pair result, other = {{0}};
    if (w->rule->form == CM_LANE_SELECT_32) {
        const uint32_t x = words(b, w->a), y = words(b, w->b);
        put_words(b, w->out, cm_ir_blend(b, CM_VECTOR_OP_BLEND_32, y, x, mask));
        return;
    }
    const bool apart = w->rule->form == CM_LANE_SELECT_HALVES;
    const struct pair x = apart ? halves(b, w->a) : wide(b, w->a);
    const struct pair y = apart ? halves(b, w->b) : wide(b, w->b);
    for (uint32_t half = 0; half < 2; half++) {
        const uint32_t set_nodes = apart ? mask : cm_ir_half_of_mask(b, mask, half);
        const enum cm_vector_op by = apart ? CM_VECTOR_OP_BLEND_32 : CM_VECTOR_OP_BLEND_64;
        result.half[half] = cm_ir_blend(b, by, y.half[half], x.half[half], set_nodes);
        if (w->d.symbol != CM_LANE_NOTHING)
            other.half[half] = cm_ir_blend(b, by, x.half[half], y.half[half], set_nodes);
    }
    (apart ? put_halves : put_wide)(b, w->out, result);
    if (w->d.symbol != CM_LANE_NOTHING)
        put_halves(b, w->d, other);
}

/* ---- segments ---- */

/* True if a value is the memory of a register vector. */
static bool is_memory_of(const struct cm_ir_builder *b, uint32_t value, uint32_t cell)
{
    const struct cm_ir_op *op = &b->ir->ops[value];
    const enum cm_ir_kind own = cell == CM_LANE_CELLS ? CM_IR_CONTEXT
                                : b->joined[cell]     ? CM_IR_JOINED
                                                      : CM_IR_CELL;
    return op->kind == own && op->number == cell;
}

/* Brings changed register vectors to the order of nodes in memory, and loads those that are in the
 * memory of other vectors, which may be written too. */
static void prepare_writes(struct cm_ir_builder *b)
{
    for (uint32_t cell = 0; cell < CM_LANE_CELLS; cell += 2)
        if (b->joined[cell] && b->written[cell]) {
            const struct pair pair =
                order(b, (struct pair){{b->values[cell], b->values[cell + 1]}});
            b->values[cell] = pair.half[0];
            b->values[cell + 1] = pair.half[1];
        }
    for (uint32_t cell = 0; cell < CM_LANE_CELLS; cell++) {
        const struct cm_ir_op *op = b->written[cell] ? &b->ir->ops[b->values[cell]] : NULL;
        if (op && (op->kind == CM_IR_CELL || op->kind == CM_IR_JOINED) &&
            !is_memory_of(b, b->values[cell], cell))
            b->values[cell] = cm_ir_vector(b, CM_VECTOR_OP_MOVE, CM_IR_NONE, b->values[cell]);
    }
}

/* Stores all changed register vectors and the context flag to memory, at the end of a segment. */
static void write_back_all(struct cm_ir_builder *b)
{
    prepare_writes(b);
    for (uint32_t cell = 0; cell <= CM_LANE_CELLS; cell++) {
        if (!b->written[cell] || is_memory_of(b, b->values[cell], cell))
            continue;
        const bool joined = b->joined[cell];
        b->unit++;
        const uint32_t op =
            cm_ir_append(b, (struct cm_ir_op){
                                .kind = cell == CM_LANE_CELLS ? CM_IR_WRITEBACK_CONTEXT
                                        : joined              ? CM_IR_WRITEBACK_JOINED
                                                              : CM_IR_WRITEBACK,
                                .a = b->values[cell],
                                .b = CM_IR_NONE,
                                .c = CM_IR_NONE,
                                .number = cell,
                                .after = b->after[cell],
                            });
        cm_ir_follow_readers(b, op, b->readers[cell]);
        if (joined)
            cm_ir_follow_readers(b, op, b->readers[cell ^ 1]);
    }
}

/* Drops register vectors that are not needed after the queue. */
static void drop_dead(struct cm_ir_builder *b)
{
    for (uint32_t cell = 0; cell < CM_LANE_CELLS; cell++)
        if (b->signature->symbols[cell / 16] >> cell % 16 & 1)
            b->written[cell] = false;
}

static void begin_segment(struct cm_ir_builder *b)
{
    b->segment = b->ir->segment_count;
    b->unit++;
    for (uint32_t cell = 0; cell <= CM_LANE_CELLS; cell++) {
        b->values[cell] = CM_IR_NONE;
        b->readers[cell] = 0;
        b->written[cell] = false;
        b->joined[cell] = false;
    }
    for (uint32_t n = 0; n < b->ir->planes; n++) {
        b->planes[n].last_store = CM_IR_NONE;
        b->planes[n].readers = 0;
    }
    memset(b->index, 0, b->index_size * sizeof *b->index);
    b->indexed = 0;
}

static void end_segment(struct cm_ir_builder *b)
{
    struct cm_ir *ir = b->ir;
    const uint32_t first = ir->segment_count > 0 ? ir->segments[ir->segment_count - 1].end : 0;
    if (!cm_array_room(ir->segments, ir->segment_count, ir->segment_capacity))
        ir->failed = true;
    else if (ir->count > first)
        ir->segments[ir->segment_count++] = (struct cm_ir_segment){first, ir->count};
}

static void build_call(struct cm_ir_builder *b, const struct operation *w)
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
    cm_ir_append(b, (struct cm_ir_op){.kind = CM_IR_CALL,
                                      .a = CM_IR_NONE,
                                      .b = CM_IR_NONE,
                                      .c = CM_IR_NONE,
                                      .number = ir->call_count++});
    end_segment(b);
    begin_segment(b);
}

typedef void (*form_builder)(struct cm_ir_builder *b, const struct operation *w);

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

static void build_operation(struct cm_ir_builder *b)
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
                 const struct cm_lane_rules *rules, bool in_lanes)
{
    struct cm_ir_builder b = {.ir = ir,
                              .signature = signature,
                              .rules = rules,
                              .at = CM_LANE_SYMBOLS_FIRST,
                              .later = CM_IR_NONE};
    *ir = (struct cm_ir){.planes = signature->planes.count, .in_lanes = in_lanes};
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
