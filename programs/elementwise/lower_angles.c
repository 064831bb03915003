/*
 * SIN, COS, TAN, ASIN, ACOS, ATAN and ATAN2 as micro code.
 *
 *     sin, cos   x = n pi / 2 + r, |r| <= pi / 4, with r as a sum of two doubles (W. J. Cody and
 *                W. Waite, Software Manual for the Elementary Functions, 1980, with three parts of
 *                pi / 2). Polynomials give sin r and cos r. n modulo 4 selects one of them and its
 *                sign.
 *     tan        sin / cos
 *     asin, acos up to 1/2 by a polynomial. Above 1/2, |x| is cos 2a, and sin a is the root of
 *                (1 - |x|) / 2. So a is asin of that root, and asin |x| = pi / 2 - 2 a.
 *     atan       |x| = (c + t) / (1 - c t), with c the nearest of 0, 1/2, 1, 3/2 and infinity.
 *                Then atan |x| = atan c + atan t.
 *     atan2      arctangent of the quotient, then the quadrant
 */
#include "routines.h"

#include <math.h>

/* parts of pi / 2 with 33 bits each, so that products with whole numbers below 2^20 are exact */
#define HALF_PI_1 0x1.921fb54400000p+0
#define HALF_PI_2 0x1.0b4611a600000p-34
#define HALF_PI_3 0x1.3198a2e037073p-69
#define PI        0x1.921fb54442d18p+1
#define PI_LOW    0x1.1a62633145c07p-53
#define TINY      0x1p-27 /* bound below which sin x = tan x = atan x = x */

static const double sin32[] = {-0x1.555555545df18p-3, 0x1.11110deef0ae3p-7, -0x1.a013a740c35cep-13,
                               0x1.6dbded5452c9bp-19};
static const double sin64[] = {
    -0x1.5555555555555p-3,  0x1.1111111111110p-7,  -0x1.a01a01a019937p-13, 0x1.71de3a54607a5p-19,
    -0x1.ae64541295cdfp-26, 0x1.61217ee5cca1bp-33, -0x1.ab17bdcbd3414p-41};
static const double cos32[] = {0x1.5555555502c6dp-5, -0x1.6c16bf54be1f5p-10, 0x1.a015c4462d9e2p-16,
                               -0x1.25243c2f39550p-22};
static const double cos64[] = {
    0x1.5555555555555p-5,  -0x1.6c16c16c16c16p-10, 0x1.a01a01a019d0ap-16, -0x1.27e4fb7712ca2p-22,
    0x1.1eed8deb82809p-29, -0x1.9394b9eb4d56dp-37, 0x1.ab78473be59d7p-45};
static const double atan32[] = {-0x1.555555443d322p-2, 0x1.9999673f25edap-3,  -0x1.248626fc7555cp-3,
                                0x1.c4f1eb89918fbp-4,  -0x1.5d79d739ad6aap-4, 0x1.8b0b06b85d537p-5};
static const double atan64[] = {-0x1.5555555555555p-2, 0x1.99999999998c5p-3,  -0x1.2492492485503p-3,
                                0x1.c71c71bd2b8bcp-4,  -0x1.745d154c84f7ap-4, 0x1.3b1375ce5bdc6p-4,
                                -0x1.110c9ce7b0572p-4, 0x1.e170800a46210p-5,  -0x1.ab59b417b2d3fp-5,
                                0x1.7001816fd063fp-5,  -0x1.0f62bba6a2558p-5, 0x1.e4167464d3de8p-7};
static const double asin32[] = {0x1.555554e3e720bp-3, 0x1.333431929508ep-4, 0x1.6d5b8d274f089p-5,
                                0x1.fd9219f7fef5fp-6, 0x1.18e1f5c4845ebp-6, 0x1.14138bacdace2p-5};
static const double asin64[] = {0x1.5555555555556p-3, 0x1.3333333332ec4p-4, 0x1.6db6db6e3292ep-5,
                                0x1.f1c71c1d4aa0dp-6, 0x1.6e8bb1d89492bp-6, 0x1.1c4d343fa57f6p-6,
                                0x1.c9cf3759fd8ffp-7, 0x1.78246f32d075cp-7, 0x1.524ea8b3aad31p-7,
                                0x1.653a8f8cfd43cp-8, 0x1.1d661531b222ep-6, -0x1.e7a24f548c99fp-7,
                                0x1.d78189767524ep-6};

/* Computes x - n pi / 2 as a sum of two doubles. For 32-bit numbers one double suffices, and `low`
 * is 0. */
static struct cm_sum reduced(struct cm_lower *l, bool single, uint32_t x, uint32_t n)
{
    const uint32_t first = CM_MICRO3(l, FMA64, n, cm_micro_double(l, -HALF_PI_1), x);
    const uint32_t second = CM_MICRO2(l, FMUL64, n, cm_micro_double(l, -HALF_PI_2));
    if (single)
        return (struct cm_sum){CM_MICRO2(l, FADD64, first, second), 0};
    const struct cm_sum sum = cm_exact_sum(l, first, second);
    const uint32_t low = CM_MICRO3(l, FMA64, n, cm_micro_double(l, -HALF_PI_3), sum.low);
    return cm_exact_sum(l, sum.high, low);
}

/* Computes the sine of r.high + r.low, as r + (r z P(z) + low (1 - z / 2)) with z = r^2. */
static uint32_t sine(struct cm_lower *l, bool single, struct cm_sum r, uint32_t z)
{
    const uint32_t cube = CM_MICRO2(l, FMUL64, r.high, z);
    const uint32_t polynomial =
        cm_routine_polynomial(l, single ? CM_POLYNOMIAL(sin32) : CM_POLYNOMIAL(sin64), z);
    if (single)
        return CM_MICRO3(l, FMA64, cube, polynomial, r.high);
    const uint32_t less = CM_MICRO2(l, FMUL64, z, cm_micro_double(l, -0.5));
    const uint32_t low = CM_MICRO3(l, FMA64, less, r.low, r.low);
    return CM_MICRO2(l, FADD64, r.high, CM_MICRO3(l, FMA64, cube, polynomial, low));
}

/* Computes the cosine of r.high + r.low, as 1 - z / 2 + (z^2 P(z) - r low) with z = r^2. Also adds
 * what the rounding of 1 - z / 2 loses. */
static uint32_t cosine(struct cm_lower *l, bool single, struct cm_sum r, uint32_t z)
{
    const uint32_t one = cm_micro_double(l, 1);
    const uint32_t half = CM_MICRO2(l, FMUL64, z, cm_micro_double(l, 0.5));
    const uint32_t square = CM_MICRO2(l, FMUL64, z, z);
    const uint32_t polynomial =
        cm_routine_polynomial(l, single ? CM_POLYNOMIAL(cos32) : CM_POLYNOMIAL(cos64), z);
    const uint32_t first = CM_MICRO2(l, FSUB64, one, half);
    if (single)
        return CM_MICRO3(l, FMA64, square, polynomial, first);
    const uint32_t lost = CM_MICRO2(l, FSUB64, CM_MICRO2(l, FSUB64, one, first), half);
    const uint32_t rest = CM_MICRO2(l, FSUB64, lost, CM_MICRO2(l, FMUL64, r.high, r.low));
    return CM_MICRO2(l, FADD64, first, CM_MICRO3(l, FMA64, square, polynomial, rest));
}

static uint32_t negative_where(struct cm_lower *l, uint32_t condition, uint32_t x)
{
    return cm_micro_select(l, true, condition, CM_MICRO1(l, FNEG64, x), x);
}

/* Returns x itself if its magnitude is below TINY, or else `result`. Keeps the sign of a zero. */
static uint32_t unless_tiny(struct cm_lower *l, uint32_t x, uint32_t result)
{
    const uint32_t magnitude = CM_MICRO1(l, FABS64, x);
    return cm_micro_select(
        l, true, cm_micro_test(l, CM_OP_FLT64, magnitude, cm_micro_double(l, TINY)), x, result);
}

uint32_t cm_routine_circular(struct cm_lower *l, enum cm_expression_op op, bool single, uint32_t x)
{
    uint32_t n, sum;
    cm_routine_nearest(l, x, 0x1.45f306dc9c883p-1, &n, &sum);
    const struct cm_sum r = reduced(l, single, x, n);
    const uint32_t z = CM_MICRO2(l, FMUL64, r.high, r.high);
    const uint32_t sin_r = sine(l, single, r, z), cos_r = cosine(l, single, r, z);
    const uint32_t one = cm_micro_word(l, 1), two = cm_micro_word(l, 2);
    const uint32_t odd = CM_MICRO2(l, IAND, sum, one);
    if (op == CM_EXPRESSION_TAN) {
        const uint32_t over = cm_micro_select(l, true, odd, cos_r, sin_r);
        const uint32_t under = cm_micro_select(l, true, odd, sin_r, cos_r);
        return unless_tiny(l, x, negative_where(l, odd, CM_MICRO2(l, FDIV64, over, under)));
    }
    if (op == CM_EXPRESSION_SIN)
        return unless_tiny(l, x,
                           negative_where(l, CM_MICRO2(l, IAND, sum, two),
                                          cm_micro_select(l, true, odd, cos_r, sin_r)));
    const uint32_t next = CM_MICRO2(l, IADD, sum, one);
    return negative_where(l, CM_MICRO2(l, IAND, next, two),
                          cm_micro_select(l, true, odd, sin_r, cos_r));
}

/* Computes what the rounding of a square root lost: (z - root^2) / (2 root). */
static uint32_t rest_of_root(struct cm_lower *l, uint32_t z, uint32_t root)
{
    const struct cm_sum square = cm_exact_product(l, root, root);
    const uint32_t lack = CM_MICRO2(l, FSUB64, CM_MICRO2(l, FSUB64, z, square.high), square.low);
    const uint32_t twice = CM_MICRO2(l, FADD64, root, root);
    return CM_MICRO2(l, FDIV64, lack, CM_MICRO2(l, FMAX64, cm_micro_double(l, 0x1p-60), twice));
}

/* Computes base + factor * (s + rest) for an arc s + rest, where base is a multiple of pi / 2. */
static uint32_t turned(struct cm_lower *l, bool single, struct cm_sum base, uint32_t factor,
                       struct cm_sum arc)
{
    const uint32_t first = CM_MICRO2(l, FMUL64, factor, arc.high);
    if (single)
        return CM_MICRO3(l, FMA64, factor, arc.low, CM_MICRO2(l, FADD64, base.high, first));
    const struct cm_sum sum = cm_exact_sum(l, base.high, first);
    const uint32_t low = CM_MICRO2(l, FADD64, sum.low, base.low);
    return CM_MICRO2(l, FADD64, sum.high, CM_MICRO3(l, FMA64, factor, arc.low, low));
}

/* Selects `yes` if a condition is true, or else `no`. */
static struct cm_sum either(struct cm_lower *l, uint32_t condition, struct cm_sum yes,
                            struct cm_sum no)
{
    return (struct cm_sum){cm_micro_select(l, true, condition, yes.high, no.high),
                           cm_micro_select(l, true, condition, yes.low, no.low)};
}

/* Computes the arcsine of a magnitude x up to 1/2. If the condition `far` holds, computes it of the
 * square root of (1 - x) / 2 instead. */
static struct cm_sum small_arc(struct cm_lower *l, bool single, uint32_t x, uint32_t far)
{
    const uint32_t rest = CM_MICRO2(l, FSUB64, cm_micro_double(l, 1), x);
    const uint32_t z =
        cm_micro_select(l, true, far, CM_MICRO2(l, FMUL64, rest, cm_micro_double(l, 0.5)),
                        CM_MICRO2(l, FMUL64, x, x));
    const uint32_t s = cm_micro_select(l, true, far, CM_MICRO1(l, FSQRT64, z), x);
    const uint32_t polynomial =
        cm_routine_polynomial(l, single ? CM_POLYNOMIAL(asin32) : CM_POLYNOMIAL(asin64), z);
    uint32_t low = cm_micro_double(l, 0);
    if (!single)
        low = cm_micro_select(l, true, far, rest_of_root(l, z, s), low);
    return (struct cm_sum){s, CM_MICRO3(l, FMA64, CM_MICRO2(l, FMUL64, s, z), polynomial, low)};
}

uint32_t cm_routine_arc(struct cm_lower *l, enum cm_expression_op op, bool single, uint32_t x)
{
    const uint32_t magnitude = CM_MICRO1(l, FABS64, x), none = cm_micro_double(l, 0);
    const uint32_t far = cm_micro_test(l, CM_OP_FLT64, cm_micro_double(l, 0.5), magnitude);
    const struct cm_sum arc = small_arc(l, single, magnitude, far), nothing = {none, none};
    const struct cm_sum quarter = {cm_micro_double(l, PI / 2), cm_micro_double(l, PI_LOW / 2)};
    const uint32_t size =
        cm_micro_select(l, true, far, cm_micro_double(l, -2), cm_micro_double(l, 1));
    if (op == CM_EXPRESSION_ASIN) {
        const struct cm_sum base = either(l, far, quarter, nothing);
        return cm_lower_sign(l, cm_type_ops(CM_TYPE_REAL64), turned(l, single, base, size, arc), x);
    }
    const struct cm_sum half = {cm_micro_double(l, PI), cm_micro_double(l, PI_LOW)};
    const uint32_t left = cm_micro_test(l, CM_OP_FLT64, x, none);
    const struct cm_sum base = either(l, far, either(l, left, half, nothing), quarter);
    const uint32_t factor = cm_micro_select(l, true, left, size, CM_MICRO1(l, FNEG64, size));
    return turned(l, single, base, factor, arc);
}

/* Range of arguments of the arctangent: its start, its c = b / a, and atan c in two parts. */
struct range {
    double from, a, b, high, low;
};
static const struct range ranges64[] = {
    {0, 1, 0, 0, 0},
    {0.4375, 2, 1, 0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
    {0.6875, 1, 1, PI / 4, PI_LOW / 4},
    {1.1875, 1, 1.5, 0x1.f730bd281f69bp-1, 0x1.007887af0cbbdp-56},
    {2.4375, 0, 1, PI / 2, PI_LOW / 2}};
static const struct range ranges32[] = {
    {0, 1, 0, 0, 0}, {0.4142, 1, 1, PI / 4, 0}, {2.4142, 0, 1, PI / 2, 0}};

/* Entries of micro code for the constants of the range in which a magnitude is. A chain of
 * selections chooses each constant. */
struct constants {
    uint32_t a, b, high, low;
};

static struct constants constants_for(struct cm_lower *l, const struct range *ranges,
                                      uint32_t count, uint32_t magnitude)
{
    struct constants c = {cm_micro_double(l, ranges[0].a), cm_micro_double(l, ranges[0].b),
                          cm_micro_double(l, ranges[0].high), cm_micro_double(l, ranges[0].low)};
    for (uint32_t i = 1; i < count; i++) {
        const struct range *range = &ranges[i];
        const uint32_t inside =
            cm_micro_test(l, CM_OP_FLE64, cm_micro_double(l, range->from), magnitude);
        c.a = cm_micro_select(l, true, inside, cm_micro_double(l, range->a), c.a);
        c.b = cm_micro_select(l, true, inside, cm_micro_double(l, range->b), c.b);
        c.high = cm_micro_select(l, true, inside, cm_micro_double(l, range->high), c.high);
        c.low = cm_micro_select(l, true, inside, cm_micro_double(l, range->low), c.low);
    }
    return c;
}

/* Computes the arctangent of a magnitude. For magnitudes above 2^60 the result is that of 2^60, and
 * a NaN stays a NaN. */
static uint32_t arctangent(struct cm_lower *l, bool single, uint32_t magnitude)
{
    const uint32_t x = CM_MICRO2(l, FMIN64, cm_micro_double(l, 0x1p60), magnitude);
    const struct constants c =
        single ? constants_for(l, ranges32, sizeof ranges32 / sizeof ranges32[0], x)
               : constants_for(l, ranges64, sizeof ranges64 / sizeof ranges64[0], x);
    const uint32_t over = CM_MICRO2(l, FSUB64, CM_MICRO2(l, FMUL64, c.a, x), c.b);
    const uint32_t t = CM_MICRO2(l, FDIV64, over, CM_MICRO3(l, FMA64, c.b, x, c.a));
    const uint32_t z = CM_MICRO2(l, FMUL64, t, t);
    const uint32_t polynomial =
        cm_routine_polynomial(l, single ? CM_POLYNOMIAL(atan32) : CM_POLYNOMIAL(atan64), z);
    const uint32_t rest = CM_MICRO3(l, FMA64, CM_MICRO2(l, FMUL64, t, z), polynomial, c.low);
    return CM_MICRO2(l, FADD64, c.high, CM_MICRO2(l, FADD64, t, rest));
}

uint32_t cm_routine_atan(struct cm_lower *l, bool single, uint32_t x)
{
    const struct cm_type_ops *ops = cm_type_ops(CM_TYPE_REAL64);
    const uint32_t angle = arctangent(l, single, CM_MICRO1(l, FABS64, x));
    return unless_tiny(l, x, cm_lower_sign(l, ops, angle, x));
}

/* Computes the quotient y / x of two magnitudes. The quotient is 1 if they are equal, even if both
 * are infinite, and 0 if both are 0. */
static uint32_t quotient(struct cm_lower *l, uint32_t y, uint32_t x)
{
    const uint32_t zero = cm_micro_double(l, 0), one = cm_micro_double(l, 1);
    const uint32_t q = cm_micro_select(l, true, cm_micro_test(l, CM_OP_FEQ64, y, x), one,
                                       CM_MICRO2(l, FDIV64, y, x));
    const uint32_t none = cm_micro_test(l, CM_OP_FEQ64, CM_MICRO2(l, FADD64, y, x), zero);
    return cm_micro_select(l, true, none, zero, q);
}

uint32_t cm_routine_atan2(struct cm_lower *l, bool single, uint32_t y, uint32_t x)
{
    const struct cm_type_ops *ops = cm_type_ops(CM_TYPE_REAL64);
    const uint32_t q = quotient(l, CM_MICRO1(l, FABS64, y), CM_MICRO1(l, FABS64, x));
    uint32_t angle = arctangent(l, single, q);
    angle = cm_micro_select(l, true, cm_micro_test(l, CM_OP_FLT64, q, cm_micro_double(l, TINY)), q,
                            angle);
    const uint32_t left = cm_micro_test(l, CM_OP_ILT, CM_MICRO1(l, FHIGH, x), cm_micro_word(l, 0));
    const uint32_t rest = CM_MICRO2(l, FSUB64, angle, cm_micro_double(l, PI_LOW));
    const uint32_t other = CM_MICRO2(l, FSUB64, cm_micro_double(l, PI), rest);
    return cm_lower_sign(l, ops, cm_micro_select(l, true, left, other, angle), y);
}
