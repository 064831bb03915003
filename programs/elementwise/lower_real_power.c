/*
 * x ** y of real numbers as micro code: e^(y log |x|), with the sign and the special cases of C's
 * pow. For 32-bit numbers a logarithm of 64 bits suffices. For 64-bit numbers it is a sum of two
 * doubles.
 */
#include "routines.h"

#include <math.h>

/* parts of ln 2. The first has 32 bits, so that products with whole numbers are exact */
#define LN2_HIGH       0x1.62e42fee00000p-1
#define LN2_LOW        0x1.a39ef35793c76p-33
#define TWO_THIRDS     0x1.5555555555555p-1
#define TWO_THIRDS_LOW 0x1.5555555555555p-55

static const double log_rest64[] = {
    0x1.999999999999fp-2, 0x1.249249248e4d8p-2, 0x1.c71c71d7fbbacp-3, 0x1.745d09e3d8241p-3,
    0x1.3b18bc82cc745p-3, 0x1.1018374c7f117p-3, 0x1.087e4945615c6p-3};

/* Conditions on an exponent: it is a whole number, and it is an odd whole number. */
struct exponent {
    uint32_t whole, odd;
};

static struct exponent exponent_of(struct cm_lower *l, uint32_t y)
{
    const struct cm_type_ops *ops = cm_type_ops(CM_TYPE_REAL64);
    const uint32_t half = CM_MICRO2(l, FMUL64, y, cm_micro_double(l, 0.5));
    const uint32_t whole = cm_micro_test(l, CM_OP_FEQ64, cm_lower_truncate(l, ops, y), y);
    const uint32_t even = cm_micro_test(l, CM_OP_FEQ64, cm_lower_truncate(l, ops, half), half);
    return (struct exponent){whole, CM_MICRO2(l, IAND, whole, cm_micro_not(l, even))};
}

/* Turns the power of |x| into the power of x, also in the special cases. */
static uint32_t with_sign(struct cm_lower *l, uint32_t x, uint32_t y, uint32_t power)
{
    const uint32_t zero = cm_micro_double(l, 0), one = cm_micro_double(l, 1);
    const struct exponent exponent = exponent_of(l, y);
    const uint32_t finite = cm_micro_test(l, CM_OP_FLT64, cm_micro_double(l, -INFINITY), x);
    const uint32_t below = CM_MICRO2(l, IAND, finite, cm_micro_test(l, CM_OP_FLT64, x, zero));
    const uint32_t sign = cm_micro_test(l, CM_OP_ILT, CM_MICRO1(l, FHIGH, x), cm_micro_word(l, 0));
    const uint32_t negative = CM_MICRO2(l, IAND, sign, exponent.odd);
    const uint32_t none = CM_MICRO2(l, IAND, below, cm_micro_not(l, exponent.whole));
    power = cm_micro_select(l, true, negative, CM_MICRO1(l, FNEG64, power), power);
    power = cm_micro_select(l, true, none, cm_micro_double(l, NAN), power);
    power = cm_micro_select(l, true, cm_micro_test(l, CM_OP_FEQ64, y, zero), one, power);
    return cm_micro_select(l, true, cm_micro_test(l, CM_OP_FEQ64, x, one), one, power);
}

/* Computes 2 atanh s, with s = f / (2 + f), as 2 s + s^3 (2/3 + s^2 P(s^2)). All terms except P are
 * sums of two doubles. */
static struct cm_sum log_of_mantissa(struct cm_lower *l, uint32_t f)
{
    const uint32_t two = cm_micro_double(l, 2);
    const uint32_t d = CM_MICRO2(l, FADD64, two, f);
    const uint32_t d_low = CM_MICRO2(l, FSUB64, f, CM_MICRO2(l, FSUB64, d, two));
    const uint32_t s = CM_MICRO2(l, FDIV64, f, d);
    const struct cm_sum back = cm_exact_product(l, s, d);
    uint32_t rest = CM_MICRO2(l, FSUB64, CM_MICRO2(l, FSUB64, f, back.high), back.low);
    rest = CM_MICRO2(l, FSUB64, rest, CM_MICRO2(l, FMUL64, s, d_low));
    const uint32_t s_low = CM_MICRO2(l, FDIV64, rest, d);
    struct cm_sum z = cm_exact_product(l, s, s);
    const uint32_t twice = CM_MICRO2(l, FADD64, s, s);
    z.low = CM_MICRO3(l, FMA64, twice, s_low, z.low);
    const uint32_t third = cm_micro_double(l, TWO_THIRDS);
    const uint32_t polynomial = cm_routine_polynomial(l, CM_POLYNOMIAL(log_rest64), z.high);
    const uint32_t more =
        CM_MICRO3(l, FMA64, polynomial, z.high, cm_micro_double(l, TWO_THIRDS_LOW));
    const struct cm_sum factor = cm_exact_sum(l, third, more);
    struct cm_sum cube = cm_exact_product(l, z.high, s);
    cube.low = CM_MICRO3(l, FMA64, z.low, s, cube.low);
    cube.low = CM_MICRO3(l, FMA64, z.high, s_low, cube.low);
    struct cm_sum term = cm_exact_product(l, cube.high, factor.high);
    term.low = CM_MICRO3(l, FMA64, cube.high, factor.low, term.low);
    term.low = CM_MICRO3(l, FMA64, cube.low, factor.high, term.low);
    struct cm_sum sum = cm_exact_sum(l, twice, term.high);
    sum.low = CM_MICRO2(l, FADD64, sum.low, term.low);
    sum.low = CM_MICRO3(l, FMA64, two, s_low, sum.low);
    return sum;
}

static struct cm_sum exact_log(struct cm_lower *l, uint32_t x)
{
    const struct cm_frexp parts = cm_routine_frexp(l, false, x);
    const struct cm_sum mantissa = log_of_mantissa(l, parts.f);
    const uint32_t high = CM_MICRO2(l, FMUL64, parts.n, cm_micro_double(l, LN2_HIGH));
    struct cm_sum sum = cm_exact_sum(l, high, mantissa.high);
    sum.low = CM_MICRO2(l, FADD64, sum.low, mantissa.low);
    sum.low = CM_MICRO3(l, FMA64, parts.n, cm_micro_double(l, LN2_LOW), sum.low);
    sum = cm_exact_sum(l, sum.high, sum.low);
    sum.high = cm_special_log(l, x, sum.high);
    return sum;
}

static uint32_t wide_power(struct cm_lower *l, uint32_t magnitude, uint32_t y)
{
    const struct cm_sum logarithm = exact_log(l, magnitude);
    struct cm_sum exponent = cm_exact_product(l, y, logarithm.high);
    exponent.low = CM_MICRO3(l, FMA64, y, logarithm.low, exponent.low);
    return cm_routine_exp_of_sum(l, exponent);
}

static uint32_t single_power(struct cm_lower *l, uint32_t magnitude, uint32_t y)
{
    const uint32_t logarithm = cm_routine_log(l, false, magnitude);
    return cm_routine_exp(l, true, CM_MICRO2(l, FMUL64, y, logarithm));
}

uint32_t cm_lower_real_power(struct cm_lower *l, const struct cm_type_ops *ops, uint32_t x,
                             uint32_t y)
{
    if (ops->wide)
        return with_sign(l, x, y, wide_power(l, CM_MICRO1(l, FABS64, x), y));
    x = CM_MICRO1(l, F32TO64, x);
    y = CM_MICRO1(l, F32TO64, y);
    const uint32_t power = single_power(l, CM_MICRO1(l, FABS64, x), y);
    return CM_MICRO1(l, F64TO32, with_sign(l, x, y, power));
}
