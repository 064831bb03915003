/*
 * Operations on complex numbers as micro code, in the order of operations of gfortran
 * -fcx-fortran-rules:
 *
 *     product    (a + bi)(c + di) = (ac - bd) + (ad + bc)i
 *     quotient   R. L. Smith, Algorithm 116: Complex division, CACM 5(8), 1962: by the part of the
 *                divisor that is larger in magnitude
 *
 * Magnitudes and square roots of 32-bit parts are computed in 64 bits.
 */
#include "micro.h"

#include <math.h>

static struct cm_parts product(struct cm_lower *l, const struct cm_type_ops *ops, struct cm_parts x,
                               struct cm_parts y)
{
    const uint32_t ac = cm_micro_plain(l, ops->multiply, x.re, y.re, 0);
    const uint32_t bd = cm_micro_plain(l, ops->multiply, x.im, y.im, 0);
    const uint32_t ad = cm_micro_plain(l, ops->multiply, x.re, y.im, 0);
    const uint32_t bc = cm_micro_plain(l, ops->multiply, x.im, y.re, 0);
    return (struct cm_parts){cm_micro_plain(l, ops->subtract, ac, bd, 0),
                             cm_micro_plain(l, ops->add, ad, bc, 0)};
}

/*
 * Computes a quotient of complex numbers. The divisor is c + di. The part with the greater
 * magnitude is e and the other part is f. With r = f / e and n = f r + e, the parts of the quotient
 * are
 *
 *     |c| < |d|   (a r + b) / n,   (b r - a) / n
 *     else        (b r + a) / n,   (b - a r) / n
 */
static struct cm_parts quotient(struct cm_lower *l, const struct cm_type_ops *ops,
                                struct cm_parts x, struct cm_parts y)
{
    const bool wide = ops->wide;
    const uint32_t less = cm_micro_test(l, ops->less, cm_micro_plain(l, ops->magnitude, y.re, 0, 0),
                                        cm_micro_plain(l, ops->magnitude, y.im, 0, 0));
    const uint32_t greater = cm_micro_select(l, wide, less, y.im, y.re);
    const uint32_t lesser = cm_micro_select(l, wide, less, y.re, y.im);
    const uint32_t p = cm_micro_select(l, wide, less, x.re, x.im);
    const uint32_t q = cm_micro_select(l, wide, less, x.im, x.re);
    const uint32_t ratio = cm_micro_plain(l, ops->divide, lesser, greater, 0);
    const uint32_t divisor =
        cm_micro_plain(l, ops->add, cm_micro_plain(l, ops->multiply, lesser, ratio, 0), greater, 0);
    const uint32_t re =
        cm_micro_plain(l, ops->add, cm_micro_plain(l, ops->multiply, p, ratio, 0), q, 0);
    /* The numerator is b r - a or b - a r, so only the order of the operands is selected by the
     * condition. */
    const uint32_t product = cm_micro_plain(l, ops->multiply, q, ratio, 0);
    const uint32_t first = cm_micro_select(l, wide, less, product, p);
    const uint32_t second = cm_micro_select(l, wide, less, p, product);
    const uint32_t im = cm_micro_plain(l, ops->subtract, first, second, 0);
    return (struct cm_parts){cm_micro_plain(l, ops->divide, re, divisor, 0),
                             cm_micro_plain(l, ops->divide, im, divisor, 0)};
}

struct cm_parts cm_lower_product(struct cm_lower *l, enum cm_type part, struct cm_parts x,
                                 struct cm_parts y)
{
    return product(l, cm_type_ops(part), x, y);
}

struct cm_parts cm_lower_quotient(struct cm_lower *l, enum cm_type part, struct cm_parts x,
                                  struct cm_parts y)
{
    return quotient(l, cm_type_ops(part), x, y);
}

static uint32_t widen(struct cm_lower *l, const struct cm_type_ops *ops, uint32_t x)
{
    return ops->wide ? x : CM_MICRO1(l, F32TO64, x);
}

static uint32_t narrow(struct cm_lower *l, const struct cm_type_ops *ops, uint32_t x)
{
    return ops->wide ? x : CM_MICRO1(l, F64TO32, x);
}

/* Makes a magnitude infinite if a part of the number is infinite, even if the other part is
 * a NaN. */
static uint32_t infinite_if_part_is(struct cm_lower *l, uint32_t magnitude, uint32_t re,
                                    uint32_t im)
{
    const uint32_t infinity = cm_micro_double(l, INFINITY);
    magnitude =
        cm_micro_select(l, true, cm_micro_test(l, CM_OP_FEQ64, re, infinity), infinity, magnitude);
    return cm_micro_select(l, true, cm_micro_test(l, CM_OP_FEQ64, im, infinity), infinity,
                           magnitude);
}

/* Computes the magnitude of a complex number in 64 bits. Squares of 32-bit numbers neither
 * overflow nor vanish in 64 bits. For 64-bit numbers the lesser part is divided by the
 * greater part first. */
static uint32_t magnitude64(struct cm_lower *l, const struct cm_type_ops *ops, struct cm_parts x)
{
    const uint32_t re = CM_MICRO1(l, FABS64, widen(l, ops, x.re));
    const uint32_t im = CM_MICRO1(l, FABS64, widen(l, ops, x.im));
    uint32_t result;
    if (ops->wide) {
        const uint32_t greater = CM_MICRO2(l, FMAX64, re, im);
        const uint32_t ratio = CM_MICRO2(l, FDIV64, CM_MICRO2(l, FMIN64, im, re), greater);
        const uint32_t one = cm_micro_double(l, 1), zero = cm_micro_double(l, 0);
        const uint32_t root = CM_MICRO1(l, FSQRT64, CM_MICRO3(l, FMA64, ratio, ratio, one));
        const uint32_t sum = CM_MICRO2(l, FADD64, re, im); /* not 0 if a part is a NaN */
        result = cm_micro_select(l, true, cm_micro_test(l, CM_OP_FEQ64, sum, zero), zero,
                                 CM_MICRO2(l, FMUL64, greater, root));
    } else {
        result = CM_MICRO1(l, FSQRT64, CM_MICRO3(l, FMA64, re, re, CM_MICRO2(l, FMUL64, im, im)));
    }
    return infinite_if_part_is(l, result, re, im);
}

/* Computes the square root of a complex number x. With t = sqrt((|x| + |re|) / 2) the parts are t
 * and im / 2t. If re is negative they are |im| / 2t and t with the sign of im. */
static struct cm_parts root(struct cm_lower *l, const struct cm_type_ops *ops, struct cm_parts x)
{
    const struct cm_type_ops *wide = cm_type_ops(CM_TYPE_REAL64);
    const uint32_t half = cm_micro_double(l, 0.5), zero = cm_micro_double(l, 0);
    const uint32_t re = widen(l, ops, x.re), im = widen(l, ops, x.im);
    const uint32_t halved = CM_MICRO2(l, FMUL64, half, CM_MICRO1(l, FABS64, re));
    const uint32_t t =
        CM_MICRO1(l, FSQRT64, CM_MICRO3(l, FMA64, half, magnitude64(l, ops, x), halved));
    const uint32_t ratio =
        CM_MICRO2(l, FDIV64, CM_MICRO2(l, FMUL64, half, CM_MICRO1(l, FABS64, im)), t);
    const uint32_t other =
        cm_micro_select(l, true, cm_micro_test(l, CM_OP_FEQ64, t, zero), zero, ratio);
    const uint32_t left = cm_micro_test(l, CM_OP_FLT64, re, zero);
    const uint32_t real = cm_micro_select(l, true, left, other, t);
    const uint32_t imaginary = cm_micro_select(l, true, left, t, other);
    return (struct cm_parts){narrow(l, ops, real),
                             narrow(l, ops, cm_lower_sign(l, wide, imaginary, im))};
}

struct cm_parts cm_lower_complex(struct cm_lower *l, enum cm_expression_op op, enum cm_type part,
                                 struct cm_parts x, struct cm_parts y)
{
    const struct cm_type_ops *ops = cm_type_ops(part);
    switch (op) {
    case CM_EXPRESSION_NEGATE:
        return (struct cm_parts){cm_micro_plain(l, ops->negate, x.re, 0, 0),
                                 cm_micro_plain(l, ops->negate, x.im, 0, 0)};
    case CM_EXPRESSION_ADD:
        return (struct cm_parts){cm_micro_plain(l, ops->add, x.re, y.re, 0),
                                 cm_micro_plain(l, ops->add, x.im, y.im, 0)};
    case CM_EXPRESSION_SUBTRACT:
        return (struct cm_parts){cm_micro_plain(l, ops->subtract, x.re, y.re, 0),
                                 cm_micro_plain(l, ops->subtract, x.im, y.im, 0)};
    case CM_EXPRESSION_MULTIPLY:
        return product(l, ops, x, y);
    case CM_EXPRESSION_DIVIDE:
        return quotient(l, ops, x, y);
    case CM_EXPRESSION_ABS:
        return (struct cm_parts){narrow(l, ops, magnitude64(l, ops, x)), 0};
    case CM_EXPRESSION_SQRT:
        return root(l, ops, x);
    case CM_EXPRESSION_CMPLX:
        return (struct cm_parts){x.re, y.re};
    case CM_EXPRESSION_CONJG:
        return (struct cm_parts){x.re, cm_micro_plain(l, ops->negate, x.im, 0, 0)};
    default: /* this is AIMAG */
        return (struct cm_parts){x.im, 0};
    }
}
