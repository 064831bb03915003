/*
 * SINH, COSH and TANH as micro code.
 *
 *     sinh, cosh   (e^x - e^-x) / 2 and (e^x + e^-x) / 2, with e^x as a sum of two doubles
 *     tanh         1 - 2 / (e^2x + 1), corrected by the rounding error of the quotient
 *
 * Near 0, differences would lose digits. There sinh and tanh of 64-bit numbers are x + x^3 P(x^2).
 * Results of 32-bit numbers have digits to spare, and are x below 2^-13.
 */
#include "routines.h"

#define TINY32 0x1p-13 /* at this bound x^3 / 6 is 2^-28 of x */

static const double sinh64[] = {0x1.5555555555555p-3,  0x1.1111111111111p-7,  0x1.a01a01a01a001p-13,
                                0x1.71de3a556f972p-19, 0x1.ae64567929d60p-26, 0x1.612467cd33b6dp-33,
                                0x1.ae777bd0e83dfp-41, 0x1.99f09fd512ca7p-49};
static const double tanh64[] = {
    -0x1.5555555555555p-2,  0x1.1111111111032p-3,  -0x1.ba1ba1b9feb3cp-5,  0x1.664f48770be76p-6,
    -0x1.226e32eebbb26p-7,  0x1.d6d338edc6017p-9,  -0x1.7d97cb7a94b76p-10, 0x1.34c57de48a611p-11,
    -0x1.ec0e9550d42c9p-13, 0x1.64f707d11ba4fp-14, -0x1.59962093e21d0p-16};

static uint32_t odd_series(struct cm_lower *l, struct cm_polynomial polynomial, uint32_t x)
{
    const uint32_t z = CM_MICRO2(l, FMUL64, x, x);
    const uint32_t value = cm_routine_polynomial(l, polynomial, z);
    return CM_MICRO3(l, FMA64, CM_MICRO2(l, FMUL64, x, z), value, x);
}

/* Selects `near` if x is below the bound, or else `far`. */
static uint32_t joined(struct cm_lower *l, uint32_t x, double bound, uint32_t near, uint32_t far)
{
    const uint32_t inside = cm_micro_test(l, CM_OP_FLT64, x, cm_micro_double(l, bound));
    return cm_micro_select(l, true, inside, near, far);
}

/* Computes half the sum or half the difference of e^x and e^-x. The result is infinite from x = 711
 * on, and a NaN stays a NaN. */
static uint32_t half_sum(struct cm_lower *l, uint32_t x, enum cm_op op)
{
    uint32_t n;
    const struct cm_sum e =
        cm_routine_exp_parts(l, CM_MICRO2(l, FMIN64, cm_micro_double(l, 712), x), &n);
    n = CM_MICRO2(l, ISUB, n, cm_micro_word(l, 1));
    const uint32_t high = cm_routine_scaled(l, false, e.high, n);
    const uint32_t low = cm_routine_scaled(l, false, e.low, n);
    const uint32_t other = CM_MICRO2(l, FDIV64, cm_micro_double(l, 0.25), high);
    return CM_MICRO2(l, FADD64, high, cm_micro_plain(l, op, low, other, 0));
}

/* Computes 1 - 2 / w, with w = e^2x + 1 as a sum of two doubles. The result is 1 from x = 22 on. */
static uint32_t quotient(struct cm_lower *l, uint32_t x)
{
    uint32_t n;
    const uint32_t one = cm_micro_double(l, 1), two = cm_micro_double(l, 2);
    x = CM_MICRO2(l, FMIN64, cm_micro_double(l, 22), x);
    const struct cm_sum e = cm_routine_exp_parts(l, CM_MICRO2(l, FADD64, x, x), &n);
    const struct cm_sum w = cm_exact_sum(l, cm_routine_scaled(l, true, e.high, n), one);
    const uint32_t low = CM_MICRO2(l, FADD64, w.low, cm_routine_scaled(l, true, e.low, n));
    const uint32_t q = CM_MICRO2(l, FDIV64, two, w.high);
    const struct cm_sum back = cm_exact_product(l, q, w.high);
    uint32_t lack = CM_MICRO2(l, FSUB64, CM_MICRO2(l, FSUB64, two, back.high), back.low);
    lack = CM_MICRO2(l, FSUB64, lack, CM_MICRO2(l, FMUL64, q, low));
    const uint32_t half = CM_MICRO2(l, FMUL64, q, cm_micro_double(l, 0.5));
    const struct cm_sum all = cm_exact_sum(l, one, CM_MICRO1(l, FNEG64, q));
    return CM_MICRO2(l, FADD64, all.high,
                     CM_MICRO2(l, FSUB64, all.low, CM_MICRO2(l, FMUL64, lack, half)));
}

static uint32_t of_single(struct cm_lower *l, enum cm_expression_op op, uint32_t x)
{
    const uint32_t one = cm_micro_double(l, 1), half = cm_micro_double(l, 0.5);
    const bool is_tangent = op == CM_EXPRESSION_TANH;
    const uint32_t e = cm_routine_exp(l, true, is_tangent ? CM_MICRO2(l, FADD64, x, x) : x);
    const uint32_t other = is_tangent ? one : CM_MICRO2(l, FDIV64, one, e);
    const uint32_t sum = CM_MICRO2(l, FADD64, e, other);
    const uint32_t difference = CM_MICRO2(l, FSUB64, e, other);
    if (op == CM_EXPRESSION_COSH)
        return CM_MICRO2(l, FMUL64, sum, half);
    const uint32_t far =
        is_tangent ? CM_MICRO2(l, FDIV64, difference, sum) : CM_MICRO2(l, FMUL64, difference, half);
    return joined(l, x, TINY32, x, far);
}

static uint32_t of_double(struct cm_lower *l, enum cm_expression_op op, uint32_t x)
{
    if (op == CM_EXPRESSION_COSH)
        return half_sum(l, x, CM_OP_FADD64);
    if (op == CM_EXPRESSION_SINH)
        return joined(l, x, 1, odd_series(l, CM_POLYNOMIAL(sinh64), x),
                      half_sum(l, x, CM_OP_FSUB64));
    return joined(l, x, 0.55, odd_series(l, CM_POLYNOMIAL(tanh64), x), quotient(l, x));
}

uint32_t cm_routine_hyperbolic(struct cm_lower *l, enum cm_expression_op op, bool single,
                               uint32_t x)
{
    const uint32_t magnitude = CM_MICRO1(l, FABS64, x);
    const uint32_t value = single ? of_single(l, op, magnitude) : of_double(l, op, magnitude);
    return op == CM_EXPRESSION_COSH ? value
                                    : cm_lower_sign(l, cm_type_ops(CM_TYPE_REAL64), value, x);
}
