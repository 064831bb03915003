/* Operations on int32 and real numbers, and conversions. They become FPU instructions that give the
 * same bits as gfortran's code. */
#include "micro.h"

static uint32_t integer_sign(struct cm_lower *l, uint32_t x, uint32_t sign)
{
    const uint32_t zero = cm_micro_word(l, 0);
    const uint32_t differ = cm_micro_test(l, CM_OP_ILT, CM_MICRO2(l, IXOR, x, sign), zero);
    return cm_micro_select(l, false, differ, CM_MICRO2(l, ISUB, zero, x), x);
}

/* Computes MODULO of integers: the remainder of imod, moved to the side of 0 on which y is. */
static uint32_t integer_modulo(struct cm_lower *l, uint32_t x, uint32_t y)
{
    const uint32_t zero = cm_micro_word(l, 0);
    const uint32_t rest = CM_MICRO2(l, IMOD, x, y);
    const uint32_t differ = cm_micro_test(l, CM_OP_ILT, CM_MICRO2(l, IXOR, rest, y), zero);
    const uint32_t moved = cm_micro_select(l, false, differ, CM_MICRO2(l, IADD, rest, y), rest);
    return cm_micro_select(l, false, cm_micro_test(l, CM_OP_IEQ, rest, zero), rest, moved);
}

/* Shifts x left by `count` bits, or right by -count. The result is the OR of both shifts. A
 * negative count shifts all bits out in the left shift, and a positive count in the right shift. */
static uint32_t shift(struct cm_lower *l, uint32_t x, uint32_t count)
{
    const uint32_t back = CM_MICRO2(l, ISUB, cm_micro_word(l, 0), count);
    return CM_MICRO2(l, IOR, CM_MICRO2(l, ISHL, x, count), CM_MICRO2(l, ISHR, x, back));
}

static uint32_t integer_bits(struct cm_lower *l, enum cm_expression_op op, uint32_t x, uint32_t y)
{
    const uint32_t one = cm_micro_word(l, 1), ones = cm_micro_word(l, UINT32_MAX);
    switch (op) {
    case CM_EXPRESSION_IAND:
        return CM_MICRO2(l, IAND, x, y);
    case CM_EXPRESSION_IOR:
        return CM_MICRO2(l, IOR, x, y);
    case CM_EXPRESSION_IEOR:
        return CM_MICRO2(l, IXOR, x, y);
    case CM_EXPRESSION_INOT:
        return CM_MICRO2(l, IXOR, x, ones);
    case CM_EXPRESSION_ISHFT:
        return shift(l, x, y);
    case CM_EXPRESSION_BTEST:
        return CM_MICRO2(l, IAND, CM_MICRO2(l, ISHR, x, y), one);
    case CM_EXPRESSION_IBSET:
        return CM_MICRO2(l, IOR, x, CM_MICRO2(l, ISHL, one, y));
    default: /* this is IBCLR */
        return CM_MICRO2(l, IAND, x, CM_MICRO2(l, IXOR, CM_MICRO2(l, ISHL, one, y), ones));
    }
}

uint32_t cm_lower_integer(struct cm_lower *l, enum cm_expression_op op, uint32_t x, uint32_t y)
{
    const uint32_t zero = cm_micro_word(l, 0);
    switch (op) {
    case CM_EXPRESSION_NEGATE:
        return CM_MICRO2(l, ISUB, zero, x);
    case CM_EXPRESSION_ADD:
        return CM_MICRO2(l, IADD, x, y);
    case CM_EXPRESSION_SUBTRACT:
        return CM_MICRO2(l, ISUB, x, y);
    case CM_EXPRESSION_MULTIPLY:
        return CM_MICRO2(l, IMUL, x, y);
    case CM_EXPRESSION_DIVIDE:
        return CM_MICRO2(l, IDIV, x, y);
    case CM_EXPRESSION_ABS:
        return CM_MICRO2(l, IMAX, x, CM_MICRO2(l, ISUB, zero, x));
    case CM_EXPRESSION_MOD:
        return CM_MICRO2(l, IMOD, x, y);
    case CM_EXPRESSION_MODULO:
        return integer_modulo(l, x, y);
    case CM_EXPRESSION_MIN:
        return CM_MICRO2(l, IMIN, x, y);
    case CM_EXPRESSION_MAX:
        return CM_MICRO2(l, IMAX, x, y);
    case CM_EXPRESSION_SIGN:
        return integer_sign(l, x, y);
    case CM_EXPRESSION_DIM:
        return CM_MICRO2(l, IMAX, CM_MICRO2(l, ISUB, x, y), zero);
    default:
        return integer_bits(l, op, x, y);
    }
}

/*
 * Removes the fraction of a magnitude. From 2^52 on (2^23 for 32-bit numbers) numbers have no
 * fractions, so adding this power rounds to a whole number. A result that was rounded up is lowered
 * by 1. Larger numbers and NaNs stay as they are.
 */
static uint32_t whole_magnitude(struct cm_lower *l, const struct cm_type_ops *ops,
                                uint32_t magnitude)
{
    const uint32_t power = cm_micro_real(l, ops, ops->wide ? 0x1p52 : 0x1p23);
    const uint32_t one = cm_micro_real(l, ops, 1);
    const uint32_t sum = cm_micro_plain(l, ops->add, magnitude, power, 0);
    const uint32_t rounded = cm_micro_plain(l, ops->subtract, sum, power, 0);
    const uint32_t above = cm_micro_test(l, ops->less, magnitude, rounded);
    const uint32_t whole = cm_micro_select(
        l, ops->wide, above, cm_micro_plain(l, ops->subtract, rounded, one, 0), rounded);
    const uint32_t has_fraction = cm_micro_test(l, ops->less, magnitude, power);
    return cm_micro_select(l, ops->wide, has_fraction, whole, magnitude);
}

uint32_t cm_lower_truncate(struct cm_lower *l, const struct cm_type_ops *ops, uint32_t x)
{
    const uint32_t magnitude = cm_micro_plain(l, ops->magnitude, x, 0, 0);
    return cm_lower_sign(l, ops, whole_magnitude(l, ops, magnitude), x);
}

static uint32_t round_real(struct cm_lower *l, const struct cm_type_ops *ops, uint32_t x)
{
    const uint32_t one = cm_micro_real(l, ops, 1), half = cm_micro_real(l, ops, 0.5);
    const uint32_t magnitude = cm_micro_plain(l, ops->magnitude, x, 0, 0);
    const uint32_t whole = whole_magnitude(l, ops, magnitude);
    const uint32_t fraction = cm_micro_plain(l, ops->subtract, magnitude, whole, 0);
    const uint32_t up = cm_micro_test(l, ops->less_equal, half, fraction);
    const uint32_t rounded =
        cm_micro_select(l, ops->wide, up, cm_micro_plain(l, ops->add, whole, one, 0), whole);
    return cm_lower_sign(l, ops, rounded, x);
}

static uint32_t to_integer(struct cm_lower *l, const struct cm_type_ops *ops, uint32_t x)
{
    return cm_micro_plain(l, ops->wide ? CM_OP_F2I64 : CM_OP_F2I32, x, 0, 0);
}

static uint32_t from_integer(struct cm_lower *l, const struct cm_type_ops *ops, uint32_t x)
{
    return cm_micro_plain(l, ops->wide ? CM_OP_I2F64 : CM_OP_I2F32, x, 0, 0);
}

/* Computes NINT, FLOOR or CEILING as x truncated, plus 1, 0 or -1. */
static uint32_t round_to_integer(struct cm_lower *l, enum cm_expression_op op,
                                 const struct cm_type_ops *ops, uint32_t x)
{
    const uint32_t one = cm_micro_word(l, 1);
    const uint32_t whole = to_integer(l, ops, x);
    const uint32_t back = from_integer(l, ops, whole);
    if (op == CM_EXPRESSION_FLOOR)
        return cm_micro_select(l, false, cm_micro_test(l, ops->less_equal, back, x), whole,
                               CM_MICRO2(l, ISUB, whole, one));
    if (op == CM_EXPRESSION_CEILING)
        return cm_micro_select(l, false, cm_micro_test(l, ops->less_equal, x, back), whole,
                               CM_MICRO2(l, IADD, whole, one));
    /* NINT adds twice the fraction that was cut off. This number is exact. Truncated, it is -1, 0
     * or 1. */
    const uint32_t rest = cm_micro_plain(l, ops->subtract, x, back, 0);
    const uint32_t twice = cm_micro_plain(l, ops->add, rest, rest, 0);
    return CM_MICRO2(l, IADD, whole, to_integer(l, ops, twice));
}

static uint32_t arithmetic(struct cm_lower *l, enum cm_expression_op op,
                           const struct cm_type_ops *ops, uint32_t x, uint32_t y)
{
    switch (op) {
    case CM_EXPRESSION_NEGATE:
        return cm_micro_plain(l, ops->negate, x, 0, 0);
    case CM_EXPRESSION_ADD:
        return cm_micro_plain(l, ops->add, x, y, 0);
    case CM_EXPRESSION_SUBTRACT:
        return cm_micro_plain(l, ops->subtract, x, y, 0);
    case CM_EXPRESSION_MULTIPLY:
        return cm_micro_plain(l, ops->multiply, x, y, 0);
    case CM_EXPRESSION_DIVIDE:
        return cm_micro_plain(l, ops->divide, x, y, 0);
    case CM_EXPRESSION_ABS:
        return cm_micro_plain(l, ops->magnitude, x, 0, 0);
    case CM_EXPRESSION_SQRT:
        return cm_micro_plain(l, ops->root, x, 0, 0);
    case CM_EXPRESSION_MIN:
        return cm_micro_plain(l, ops->least, x, y, 0);
    default: /* this is MAX */
        return cm_micro_plain(l, ops->greatest, x, y, 0);
    }
}

static uint32_t difference(struct cm_lower *l, const struct cm_type_ops *ops, uint32_t x,
                           uint32_t y)
{
    const uint32_t zero = cm_micro_real(l, ops, 0);
    const uint32_t rest = cm_micro_plain(l, ops->subtract, x, y, 0);
    return cm_micro_select(l, ops->wide, cm_micro_test(l, ops->less_equal, rest, zero), zero, rest);
}

uint32_t cm_lower_real(struct cm_lower *l, enum cm_expression_op op, enum cm_type type, uint32_t x,
                       uint32_t y)
{
    const struct cm_type_ops *ops = cm_type_ops(type);
    switch (op) {
    case CM_EXPRESSION_SIGN:
        return cm_lower_sign(l, ops, x, y);
    case CM_EXPRESSION_DIM:
        return difference(l, ops, x, y);
    case CM_EXPRESSION_AINT:
        return cm_lower_truncate(l, ops, x);
    case CM_EXPRESSION_ANINT:
        return round_real(l, ops, x);
    case CM_EXPRESSION_NINT:
    case CM_EXPRESSION_FLOOR:
    case CM_EXPRESSION_CEILING:
        return round_to_integer(l, op, ops, x);
    case CM_EXPRESSION_MOD:
    case CM_EXPRESSION_MODULO:
        return cm_lower_remainder(l, op, ops, x, y);
    case CM_EXPRESSION_EXP:
    case CM_EXPRESSION_LOG:
    case CM_EXPRESSION_SIN:
    case CM_EXPRESSION_COS:
    case CM_EXPRESSION_TAN:
    case CM_EXPRESSION_ATAN:
    case CM_EXPRESSION_SINH:
    case CM_EXPRESSION_COSH:
    case CM_EXPRESSION_TANH:
    case CM_EXPRESSION_ASIN:
    case CM_EXPRESSION_ACOS:
    case CM_EXPRESSION_LOG10:
    case CM_EXPRESSION_ATAN2:
        return cm_lower_function(l, op, ops, x, y);
    default:
        return arithmetic(l, op, ops, x, y);
    }
}

static uint32_t convert_part(struct cm_lower *l, enum cm_type from, enum cm_type to, uint32_t x)
{
    if (from == to)
        return x;
    if (from == CM_TYPE_INT32)
        return from_integer(l, cm_type_ops(to), x);
    if (to == CM_TYPE_INT32)
        return to_integer(l, cm_type_ops(from), x);
    return to == CM_TYPE_REAL64 ? CM_MICRO1(l, F32TO64, x) : CM_MICRO1(l, F64TO32, x);
}

struct cm_parts cm_lower_convert(struct cm_lower *l, enum cm_type from, enum cm_type to,
                                 struct cm_parts x)
{
    const enum cm_type part_from = cm_type_of_part(from), part_to = cm_type_of_part(to);
    struct cm_parts parts = {convert_part(l, part_from, part_to, x.re), 0};
    if (cm_type_is_complex(to))
        parts.im = cm_type_is_complex(from) ? convert_part(l, part_from, part_to, x.im)
                                            : cm_micro_real(l, cm_type_ops(part_to), 0);
    return parts;
}
