/* Emits code for items (partial results): identities, and the instructions of each operation. */
#include "collective_private.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const struct {
    const char *name;
    /* Instruction on 32-bit values, after which the 64-bit form follows in the list of
     * instructions, and instruction on integers. */
    enum cm_op real, integer;
} ops[CM_COLLECTIVE_OPS] = {
    [CM_COLLECTIVE_SUM] = {"sum", CM_OP_FADD32, CM_OP_IADD},
    [CM_COLLECTIVE_PRODUCT] = {"product", CM_OP_FMUL32, CM_OP_IMUL},
    [CM_COLLECTIVE_MIN] = {"min", CM_OP_FMIN32, CM_OP_IMIN},
    [CM_COLLECTIVE_MAX] = {"max", CM_OP_FMAX32, CM_OP_IMAX},
    [CM_COLLECTIVE_AND] = {"and", CM_OP_HALT, CM_OP_IAND},
    [CM_COLLECTIVE_OR] = {"or", CM_OP_HALT, CM_OP_IOR},
    [CM_COLLECTIVE_XOR] = {"xor", CM_OP_HALT, CM_OP_IXOR},
    [CM_COLLECTIVE_COUNT] = {"count", CM_OP_HALT, CM_OP_IADD},
    [CM_COLLECTIVE_MINLOC] = {"minloc", CM_OP_HALT, CM_OP_HALT},
    [CM_COLLECTIVE_MAXLOC] = {"maxloc", CM_OP_HALT, CM_OP_HALT},
};
_Static_assert(CM_OP_FADD64 == CM_OP_FADD32 + 1 && CM_OP_FMUL64 == CM_OP_FMUL32 + 1 &&
                   CM_OP_FMIN64 == CM_OP_FMIN32 + 1 && CM_OP_FMAX64 == CM_OP_FMAX32 + 1,
               "the wide form of an instruction is the next");

const char *cm_collective_op_name(enum cm_collective_op op)
{
    assert(op < CM_COLLECTIVE_OPS);
    return ops[op].name;
}

static bool is_location(enum cm_collective_op op)
{
    return op == CM_COLLECTIVE_MINLOC || op == CM_COLLECTIVE_MAXLOC;
}

static bool is_minimum(enum cm_collective_op op)
{
    return op == CM_COLLECTIVE_MIN || op == CM_COLLECTIVE_MINLOC;
}

enum cm_type cm_collective_result_type(enum cm_collective_op op, enum cm_type source)
{
    const bool complex = cm_type_components(source) == 2, logical = source == CM_TYPE_LOGICAL;
    switch (op) {
    case CM_COLLECTIVE_SUM:
    case CM_COLLECTIVE_PRODUCT:
        return logical ? CM_TYPE_COUNT : source;
    case CM_COLLECTIVE_MIN:
    case CM_COLLECTIVE_MAX:
        return logical || complex ? CM_TYPE_COUNT : source;
    case CM_COLLECTIVE_AND:
    case CM_COLLECTIVE_OR:
    case CM_COLLECTIVE_XOR:
        return logical || source == CM_TYPE_INT32 ? source : CM_TYPE_COUNT;
    case CM_COLLECTIVE_COUNT:
        return logical ? CM_TYPE_INT32 : CM_TYPE_COUNT;
    case CM_COLLECTIVE_MINLOC:
    case CM_COLLECTIVE_MAXLOC:
        return logical || complex ? CM_TYPE_COUNT : CM_TYPE_INT32;
    case CM_COLLECTIVE_OPS:
        break;
    }
    return CM_TYPE_COUNT;
}

void cm_item_init(enum cm_collective_op op, enum cm_type source, bool flagged, struct cm_item *item)
{
    const uint32_t parts = cm_type_components(source);
    const uint32_t words = cm_type_slices(source);
    const bool real = source != CM_TYPE_INT32 && source != CM_TYPE_LOGICAL;
    *item = (struct cm_item){
        .op = op,
        .type = source == CM_TYPE_LOGICAL ? CM_TYPE_INT32 : source,
        .parts = parts,
        .part_words = words / parts,
        .wide = words / parts == 2,
        .logical = source == CM_TYPE_LOGICAL,
        .located = is_location(op),
        .ordered = real && (op == CM_COLLECTIVE_MIN || op == CM_COLLECTIVE_MAX),
        .flagged = flagged,
        .words = words + (is_location(op) || flagged),
    };
}

void cm_emit(struct cm_collective_compiler *c, enum cm_op op, unsigned to, unsigned a, unsigned b)
{
    CM_EMIT(c->imp, op, cm_reg(to), cm_reg(a), cm_reg(b));
}

void cm_emit_constant(struct cm_collective_compiler *c, unsigned to, uint32_t word)
{
    CM_EMIT(c->imp, CM_OP_FCONST, cm_reg(to), cm_word(word));
}

static double identity_of(const struct cm_item *item)
{
    const bool integer = item->type == CM_TYPE_INT32;
    if (item->op == CM_COLLECTIVE_PRODUCT)
        return 1;
    if (item->op == CM_COLLECTIVE_AND)
        return item->logical ? 1 : -1; /* identity whose bits are all 1 */
    if (is_minimum(item->op))
        return integer ? INT32_MAX : (double)INFINITY;
    if (item->op == CM_COLLECTIVE_MAX || item->op == CM_COLLECTIVE_MAXLOC)
        return integer ? INT32_MIN : -(double)INFINITY;
    return 0;
}

void cm_emit_constants(struct cm_collective_compiler *c)
{
    const struct cm_scalar identity = cm_scalar_make(c->item->type, identity_of(c->item), 0);
    for (uint32_t part = 0; part < c->item->parts; part++) {
        const uint32_t *words = &identity.words[part * c->item->part_words];
        cm_emit_constant(c, FPU_IDENTITY + part, words[0]);
        if (!c->item->wide)
            continue;
        cm_emit_constant(c, FPU_SCRATCH, words[1]);
        cm_emit(c, CM_OP_FJOIN, FPU_IDENTITY + part, FPU_IDENTITY + part, FPU_SCRATCH);
    }
    cm_emit_constant(c, FPU_NOWHERE, CM_COLLECTIVE_NOWHERE);
    cm_emit_constant(c, FPU_ZERO, 0);
}

/* Emits the complex product of a and b, rounded as in the workload step "combine". */
static void emit_complex_product(struct cm_collective_compiler *c, unsigned to, unsigned a,
                                 unsigned b)
{
    const struct cm_fpu_ops *fpu = cm_fpu_ops(c->item->type);
    const unsigned t = FPU_SCRATCH, u = t + 1, v = t + 2;
    cm_emit(c, fpu->multiply, t, a, b);
    cm_emit(c, fpu->multiply, u, a + 1, b + 1);
    cm_emit(c, fpu->multiply, v, a, b + 1);
    CM_EMIT(c->imp, fpu->multiply_add, cm_reg(to + 1), cm_reg(a + 1), cm_reg(b), cm_reg(v));
    cm_emit(c, fpu->subtract, to, t, u);
}

static void emit_compare(struct cm_collective_compiler *c, enum cm_op single, enum cm_op wide,
                         enum cm_op integer, unsigned a, unsigned b)
{
    enum cm_op op = c->item->type == CM_TYPE_INT32 ? integer : c->item->wide ? wide : single;
    CM_EMIT(c->imp, op, cm_reg(a), cm_reg(b));
}

void cm_emit_at_least(struct cm_collective_compiler *c, unsigned a, unsigned b)
{
    const bool minimum = is_minimum(c->item->op);
    emit_compare(c, CM_OP_FLE32, CM_OP_FLE64, CM_OP_ILE, minimum ? a : b, minimum ? b : a);
}

/* Emits the choice of the better minimum or maximum: b if it is better than a, or equal to a with a
 * lower index. */
static void emit_better(struct cm_collective_compiler *c, unsigned to, unsigned a, unsigned b)
{
    const bool minimum = is_minimum(c->item->op);
    const unsigned better = FPU_SCRATCH, equal = better + 1;
    emit_compare(c, CM_OP_FLT32, CM_OP_FLT64, CM_OP_ILT, minimum ? b : a, minimum ? a : b);
    CM_EMIT(c->imp, CM_OP_CTXSAVE, cm_reg(better));
    emit_compare(c, CM_OP_FEQ32, CM_OP_FEQ64, CM_OP_IEQ, a, b);
    CM_EMIT(c->imp, CM_OP_CTXSAVE, cm_reg(equal));
    CM_EMIT(c->imp, CM_OP_ILT, cm_reg(b + FPU_TAIL), cm_reg(a + FPU_TAIL));
    CM_EMIT(c->imp, CM_OP_CTXANDR, cm_reg(equal));
    CM_EMIT(c->imp, CM_OP_CTXSAVE, cm_reg(equal));
    cm_emit(c, CM_OP_IOR, better, better, equal);
    CM_EMIT(c->imp, CM_OP_CTXREST, cm_reg(better));
    cm_emit_select(c, to, b, a);
}

void cm_emit_operation(struct cm_collective_compiler *c, unsigned to, unsigned a, unsigned b)
{
    const struct cm_item *item = c->item;
    if (item->located) {
        emit_better(c, to, a, b);
    } else if (item->type == CM_TYPE_INT32) {
        cm_emit(c, ops[item->op].integer, to, a, b);
    } else if (item->parts == 2 && item->op == CM_COLLECTIVE_PRODUCT) {
        emit_complex_product(c, to, a, b);
    } else {
        /* fmin and fmax return their last operand if one operand is a NaN. The item, which is never
         * a NaN, comes last. */
        const bool swapped = item->op == CM_COLLECTIVE_MIN || item->op == CM_COLLECTIVE_MAX;
        const unsigned first = swapped ? b : a, second = swapped ? a : b;
        for (uint32_t part = 0; part < item->parts; part++)
            cm_emit(c, (enum cm_op)(ops[item->op].real + item->wide), to + part, first + part,
                    second + part);
    }
}

/* Returns true if items have an index or a flag after their value. */
static bool has_tail(const struct cm_collective_compiler *c)
{
    return c->item->located || c->item->flagged;
}

void cm_emit_value_select(struct cm_collective_compiler *c, unsigned to, unsigned a, unsigned b)
{
    const enum cm_op op = c->item->wide ? CM_OP_FSEL64 : CM_OP_FSEL32;
    for (uint32_t part = 0; part < c->item->parts; part++)
        cm_emit(c, op, to + part, a + part, b + part);
}

void cm_emit_select(struct cm_collective_compiler *c, unsigned to, unsigned a, unsigned b)
{
    cm_emit_value_select(c, to, a, b);
    if (has_tail(c))
        cm_emit(c, CM_OP_FSEL32, to + FPU_TAIL, a + FPU_TAIL, b + FPU_TAIL);
}

void cm_emit_identity(struct cm_collective_compiler *c, unsigned item)
{
    cm_emit_value_select(c, item, FPU_IDENTITY, FPU_IDENTITY);
    if (has_tail(c))
        cm_emit(c, CM_OP_IOR, item + FPU_TAIL, c->item->located ? FPU_NOWHERE : FPU_ZERO, FPU_ZERO);
}

void cm_emit_value_load(struct cm_collective_compiler *c, unsigned to, struct cm_place from)
{
    for (uint32_t part = 0; part < c->item->parts; part++)
        CM_EMIT(c->imp, c->item->wide ? CM_OP_FLOAD64 : CM_OP_FLOAD32, cm_reg(to + part),
                cm_mem(from.reg, from.offset + part * c->item->part_words));
}

void cm_emit_item_load(struct cm_collective_compiler *c, unsigned to, struct cm_place from)
{
    cm_emit_value_load(c, to, from);
    if (has_tail(c))
        CM_EMIT(c->imp, CM_OP_FLOAD32, cm_reg(to + FPU_TAIL),
                cm_mem(from.reg, from.offset + c->item->words - 1));
}

void cm_emit_value_store(struct cm_collective_compiler *c, struct cm_place to, unsigned from)
{
    for (uint32_t part = 0; part < c->item->parts; part++)
        CM_EMIT(c->imp, c->item->wide ? CM_OP_FSTORE64 : CM_OP_FSTORE32,
                cm_mem(to.reg, to.offset + part * c->item->part_words), cm_reg(from + part));
}

void cm_emit_item_store(struct cm_collective_compiler *c, struct cm_place to, unsigned from)
{
    cm_emit_value_store(c, to, from);
    if (has_tail(c))
        CM_EMIT(c->imp, CM_OP_FSTORE32, cm_mem(to.reg, to.offset + c->item->words - 1),
                cm_reg(from + FPU_TAIL));
}

uint32_t cm_emit_begin_loop(struct cm_collective_compiler *c, uint64_t count)
{
    return count > 1 ? CM_EMIT(c->imp, CM_OP_LOOP, cm_value((int64_t)count)) : 0;
}

void cm_emit_end_loop(struct cm_collective_compiler *c, uint64_t count, uint32_t start)
{
    if (count > 1)
        cm_emit_next(c->imp, start);
}
