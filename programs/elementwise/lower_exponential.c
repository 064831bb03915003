/*
 * EXP, LOG and LOG10 as micro code.
 *
 *     e^x     x = n ln 2 + r, |r| <= ln 2 / 2, and e^r = 1 + (r + r^2 P(r)). The product with 2^n
 *             takes two steps, because 2^n itself may be out of range.
 *     log x   x = 2^n m, with m between sqrt(1/2) and sqrt(2). With f = m - 1, s = f / (2 + f) and
 *             z = s^2: log m = 2 atanh s = f - (f^2 / 2 - s (f^2 / 2 + z P(z))).
 *     log10 x the same with 1 / ln 10 in two parts. The product of the upper half of log m and the
 *             first part is exact.
 */
#include "routines.h"

#include <math.h>

/* parts of ln 2. The first has 32 bits, so that products with whole numbers below 2^21 are exact */
#define LN2_HIGH 0x1.62e42fee00000p-1
#define LN2_LOW  0x1.a39ef35793c76p-33

#define BY_LN10_HIGH 0x1.bcb7b14000000p-2 /* first part of 1 / ln 10, with 27 bits */
#define BY_LN10_LOW  0x1.26e50e32a6ab7p-30
#define LG2_HIGH     0x1.3441350800000p-2 /* first part of log10 2, with 32 bits */
#define LG2_LOW      0x1.f79fef311f12bp-34

static const double exp32[] = {0x1.0000000b9129bp-1, 0x1.5555555a78ed4p-3,  0x1.5554e9063586ep-5,
                               0x1.1110e0f238322p-7, 0x1.6d43246b523b4p-10, 0x1.a124f19fe89acp-13};
static const double exp64[] = {0x1.0000000000000p-1,  0x1.5555555555557p-3,  0x1.5555555555556p-5,
                               0x1.11111111100dcp-7,  0x1.6c16c16c162d4p-10, 0x1.a01a01abe7fe1p-13,
                               0x1.a01a01a6d889cp-16, 0x1.71de0231960ebp-19, 0x1.27e4db646b17ep-22,
                               0x1.af4de97ca4194p-26, 0x1.1f730349868cep-29};
static const double log32[] = {0x1.5555554ba8b0ep-1, 0x1.9999eb9d6ddfep-2, 0x1.245c273432202p-2,
                               0x1.ddd4dad98e4c4p-3};
static const double log64[] = {0x1.5555555555558p-1, 0x1.9999999995273p-2, 0x1.2492492dfd86cp-2,
                               0x1.c71c62d5e53e0p-3, 0x1.7462b91b8df65p-3, 0x1.39fdcceb4bb45p-3,
                               0x1.2b5f68a50d903p-3};

uint32_t cm_routine_polynomial(struct cm_lower *l, struct cm_polynomial polynomial, uint32_t z)
{
    uint32_t sum = cm_micro_double(l, polynomial.coefficients[polynomial.count - 1]);
    for (uint32_t i = polynomial.count - 1; i-- > 0;)
        sum = CM_MICRO3(l, FMA64, sum, z, cm_micro_double(l, polynomial.coefficients[i]));
    return sum;
}

void cm_routine_nearest(struct cm_lower *l, uint32_t x, double one_by_unit, uint32_t *n,
                        uint32_t *sum)
{
    const uint32_t round = cm_micro_double(l, 0x1.8p52);
    *sum = CM_MICRO3(l, FMA64, x, cm_micro_double(l, one_by_unit), round);
    *n = CM_MICRO2(l, FSUB64, *sum, round);
}

/* Computes 2^n for an integer n between -1022 and 1023. */
static uint32_t power_of_two(struct cm_lower *l, uint32_t n)
{
    const uint32_t biased = CM_MICRO2(l, IADD, n, cm_micro_word(l, 1023));
    return CM_MICRO2(l, FJOIN, cm_micro_word(l, 0),
                     CM_MICRO2(l, ISHL, biased, cm_micro_word(l, 20)));
}

uint32_t cm_routine_scaled(struct cm_lower *l, bool single, uint32_t x, uint32_t n)
{
    if (single)
        return CM_MICRO2(l, FMUL64, x, power_of_two(l, n));
    const uint32_t half = CM_MICRO2(l, ISAR, n, cm_micro_word(l, 1));
    const uint32_t scaled = CM_MICRO2(l, FMUL64, x, power_of_two(l, half));
    return CM_MICRO2(l, FMUL64, scaled, power_of_two(l, CM_MICRO2(l, ISUB, n, half)));
}

/* Computes e^(x + low), where x is within bounds. `low` is the entry of a number less than an ulp
 * of x, or 0 for none. */
static uint32_t exponential(struct cm_lower *l, bool single, uint32_t x, uint32_t low)
{
    uint32_t n, sum;
    cm_routine_nearest(l, x, 0x1.71547652b82fep+0, &n, &sum);
    uint32_t r = CM_MICRO3(l, FMA64, n, cm_micro_double(l, -LN2_HIGH), x);
    r = CM_MICRO3(l, FMA64, n, cm_micro_double(l, -LN2_LOW), r);
    if (low)
        r = CM_MICRO2(l, FADD64, r, low);
    const uint32_t square = CM_MICRO2(l, FMUL64, r, r);
    const uint32_t rest =
        cm_routine_polynomial(l, single ? CM_POLYNOMIAL(exp32) : CM_POLYNOMIAL(exp64), r);
    const uint32_t one = cm_micro_double(l, 1);
    const uint32_t e = CM_MICRO2(l, FADD64, one, CM_MICRO3(l, FMA64, square, rest, r));
    return cm_routine_scaled(l, single, e, sum);
}

struct cm_sum cm_routine_exp_parts(struct cm_lower *l, uint32_t x, uint32_t *n)
{
    uint32_t whole;
    cm_routine_nearest(l, x, 0x1.71547652b82fep+0, &whole, n);
    const uint32_t first = CM_MICRO3(l, FMA64, whole, cm_micro_double(l, -LN2_HIGH), x);
    const uint32_t second = CM_MICRO2(l, FMUL64, whole, cm_micro_double(l, LN2_LOW));
    const uint32_t r = CM_MICRO2(l, FSUB64, first, second);
    const uint32_t lost = CM_MICRO2(l, FSUB64, CM_MICRO2(l, FSUB64, first, r), second);
    const uint32_t rest = cm_routine_polynomial(l, CM_POLYNOMIAL(exp64), r);
    const uint32_t more = CM_MICRO3(l, FMA64, CM_MICRO2(l, FMUL64, r, r), rest, lost);
    const struct cm_sum sum = cm_exact_sum(l, cm_micro_double(l, 1), r);
    const struct cm_sum all = cm_exact_sum(l, sum.high, more);
    return (struct cm_sum){all.high, CM_MICRO2(l, FADD64, sum.low, all.low)};
}

/* Limits x to a range. Beyond its ends e^x is 0 or infinite. A NaN stays a NaN. */
static uint32_t bounded(struct cm_lower *l, bool single, uint32_t x)
{
    const uint32_t least = cm_micro_double(l, single ? -150 : -750);
    const uint32_t greatest = cm_micro_double(l, single ? 150 : 750);
    return CM_MICRO2(l, FMAX64, least, CM_MICRO2(l, FMIN64, greatest, x));
}

uint32_t cm_routine_exp(struct cm_lower *l, bool single, uint32_t x)
{
    return exponential(l, single, bounded(l, single, x), 0);
}

uint32_t cm_routine_exp_of_sum(struct cm_lower *l, struct cm_sum x)
{
    const uint32_t magnitude = CM_MICRO1(l, FABS64, x.high);
    const uint32_t inside = cm_micro_test(l, CM_OP_FLT64, magnitude, cm_micro_double(l, 750));
    const uint32_t low = cm_micro_select(l, true, inside, x.low, cm_micro_double(l, 0));
    return exponential(l, false, bounded(l, false, x.high), low);
}

/* Splits x into 2^n (1 + f). An addition to the high word makes the exponent increase at sqrt(1/2)
 * instead of 1. Subnormal numbers are multiplied by 2^54 first. */
struct cm_frexp cm_routine_frexp(struct cm_lower *l, bool single, uint32_t x)
{
    const uint32_t root = UINT32_C(0x3fe6a09e), one = UINT32_C(0x3ff00000);
    uint32_t bias = cm_micro_word(l, 1023);
    if (!single) {
        const uint32_t small = cm_micro_test(l, CM_OP_FLT64, x, cm_micro_double(l, 0x1p-1022));
        const uint32_t larger = CM_MICRO2(l, FMUL64, x, cm_micro_double(l, 0x1p54));
        x = cm_micro_select(l, true, small, larger, x);
        bias = cm_micro_select(l, false, small, cm_micro_word(l, 1023 + 54), bias);
    }
    const uint32_t high = CM_MICRO2(l, IADD, CM_MICRO1(l, FHIGH, x), cm_micro_word(l, one - root));
    const uint32_t n = CM_MICRO2(l, ISUB, CM_MICRO2(l, ISHR, high, cm_micro_word(l, 20)), bias);
    const uint32_t fraction = CM_MICRO2(l, IAND, high, cm_micro_word(l, UINT32_C(0xfffff)));
    const uint32_t m = CM_MICRO2(l, FJOIN, x, CM_MICRO2(l, IADD, fraction, cm_micro_word(l, root)));
    return (struct cm_frexp){CM_MICRO1(l, I2F64, n),
                             CM_MICRO2(l, FSUB64, m, cm_micro_double(l, 1))};
}

/* Replaces the logarithm if x is 0, negative, infinite or NaN. */
uint32_t cm_special_log(struct cm_lower *l, uint32_t x, uint32_t result)
{
    const uint32_t zero = cm_micro_double(l, 0), infinity = cm_micro_double(l, INFINITY);
    result = cm_micro_select(l, true, cm_micro_test(l, CM_OP_FLT64, x, infinity), result, x);
    result = cm_micro_select(l, true, cm_micro_test(l, CM_OP_FLT64, x, zero),
                             cm_micro_double(l, NAN), result);
    return cm_micro_select(l, true, cm_micro_test(l, CM_OP_FEQ64, x, zero),
                           cm_micro_double(l, -INFINITY), result);
}

uint32_t cm_routine_log(struct cm_lower *l, bool single, uint32_t x)
{
    const struct cm_frexp parts = cm_routine_frexp(l, single, x);
    const uint32_t f = parts.f;
    const uint32_t sum = CM_MICRO2(l, FADD64, cm_micro_double(l, 2), f);
    const uint32_t s = CM_MICRO2(l, FDIV64, f, sum);
    const uint32_t z = CM_MICRO2(l, FMUL64, s, s);
    const uint32_t polynomial = CM_MICRO2(
        l, FMUL64, z,
        cm_routine_polynomial(l, single ? CM_POLYNOMIAL(log32) : CM_POLYNOMIAL(log64), z));
    const uint32_t square =
        CM_MICRO2(l, FMUL64, CM_MICRO2(l, FMUL64, cm_micro_double(l, 0.5), f), f);
    const uint32_t low = CM_MICRO2(l, FMUL64, parts.n, cm_micro_double(l, LN2_LOW));
    const uint32_t rest = CM_MICRO3(l, FMA64, s, CM_MICRO2(l, FADD64, square, polynomial), low);
    const uint32_t below = CM_MICRO2(l, FSUB64, CM_MICRO2(l, FSUB64, square, rest), f);
    const uint32_t high = CM_MICRO2(l, FMUL64, parts.n, cm_micro_double(l, LN2_HIGH));
    return cm_special_log(l, x, CM_MICRO2(l, FSUB64, high, below));
}

static uint32_t log10_of_double(struct cm_lower *l, uint32_t x)
{
    const struct cm_frexp parts = cm_routine_frexp(l, false, x);
    const uint32_t f = parts.f;
    const uint32_t s = CM_MICRO2(l, FDIV64, f, CM_MICRO2(l, FADD64, cm_micro_double(l, 2), f));
    const uint32_t z = CM_MICRO2(l, FMUL64, s, s);
    const uint32_t polynomial =
        CM_MICRO2(l, FMUL64, z, cm_routine_polynomial(l, CM_POLYNOMIAL(log64), z));
    const uint32_t square =
        CM_MICRO2(l, FMUL64, CM_MICRO2(l, FMUL64, cm_micro_double(l, 0.5), f), f);
    const uint32_t high = cm_halves(l, CM_MICRO2(l, FSUB64, f, square)).high;
    const uint32_t left = CM_MICRO2(l, FSUB64, CM_MICRO2(l, FSUB64, f, high), square);
    const uint32_t low = CM_MICRO3(l, FMA64, s, CM_MICRO2(l, FADD64, square, polynomial), left);
    const uint32_t by_high = cm_micro_double(l, BY_LN10_HIGH);
    const struct cm_sum sum =
        cm_exact_sum(l, CM_MICRO2(l, FMUL64, parts.n, cm_micro_double(l, LG2_HIGH)),
                     CM_MICRO2(l, FMUL64, high, by_high));
    uint32_t rest = CM_MICRO3(l, FMA64, parts.n, cm_micro_double(l, LG2_LOW), sum.low);
    rest =
        CM_MICRO3(l, FMA64, CM_MICRO2(l, FADD64, low, high), cm_micro_double(l, BY_LN10_LOW), rest);
    return CM_MICRO2(l, FADD64, sum.high, CM_MICRO3(l, FMA64, low, by_high, rest));
}

uint32_t cm_routine_log10(struct cm_lower *l, bool single, uint32_t x)
{
    if (!single)
        return cm_special_log(l, x, log10_of_double(l, x));
    return CM_MICRO2(l, FMUL64, cm_routine_log(l, true, x),
                     cm_micro_double(l, BY_LN10_HIGH + BY_LN10_LOW));
}
