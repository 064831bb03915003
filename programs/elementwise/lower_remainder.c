/*
 * MOD and MODULO of real numbers as micro code. The result is exact, as that of fmod: x - q y with
 * q the whole number nearest to x / y. Each of two steps makes up to 25 bits of the quotient, or 28
 * bits for 32-bit numbers, which are computed in 64 bits.
 *
 * A step subtracts q h, then q t, where h + t is y and h has half of its bits. Each operation is
 * exact. q h and q t fit 53 bits. The rest is a multiple of the lesser of the last bits of x and y,
 * and is below y in magnitude, because q is the nearest whole number. 32-bit numbers need no
 * halves.
 */
#include "routines.h"

struct divisor {
    /* the divisor, and its halves. `low` is 0 if `all` has only half of the bits */
    uint32_t all, high, low;
};

static struct divisor scaled(struct cm_lower *l, struct divisor y, double factor)
{
    const uint32_t by = cm_micro_double(l, factor);
    struct divisor made = {.all = CM_MICRO2(l, FMUL64, y.all, by)};
    made.high = y.low ? CM_MICRO2(l, FMUL64, y.high, by) : made.all;
    made.low = y.low ? CM_MICRO2(l, FMUL64, y.low, by) : 0;
    return made;
}

/* Computes rest - q y with the whole number q nearest to rest / y. */
static uint32_t step(struct cm_lower *l, uint32_t rest, struct divisor y)
{
    const uint32_t round = cm_micro_double(l, 0x1.8p52);
    const uint32_t quotient = CM_MICRO2(l, FDIV64, rest, y.all);
    const uint32_t q = CM_MICRO2(l, FSUB64, CM_MICRO2(l, FADD64, quotient, round), round);
    uint32_t left = CM_MICRO2(l, FSUB64, rest, CM_MICRO2(l, FMUL64, q, y.high));
    if (y.low)
        left = CM_MICRO2(l, FSUB64, left, CM_MICRO2(l, FMUL64, q, y.low));
    return left;
}

/* Computes the magnitude of the remainder from the magnitudes x and y. Skips the first of the two
 * steps if x is less than its divisor. This divisor is y times a power of two and may have
 * overflowed. */
static uint32_t remainder_of(struct cm_lower *l, bool wide, uint32_t x, uint32_t y)
{
    const uint32_t zero = cm_micro_double(l, 0);
    const struct cm_sum halves = wide ? cm_halves(l, y) : (struct cm_sum){y, 0};
    const struct divisor fine = {y, halves.high, halves.low};
    const struct divisor coarse = scaled(l, fine, wide ? 0x1p25 : 0x1p28);
    const uint32_t is_less = cm_micro_test(l, CM_OP_FLT64, x, coarse.all);
    uint32_t rest = cm_micro_select(l, true, is_less, x, step(l, x, coarse));
    rest = step(l, rest, fine);
    rest = cm_micro_select(l, true, cm_micro_test(l, CM_OP_FLT64, rest, zero),
                           CM_MICRO2(l, FADD64, rest, y), rest);
    return cm_micro_select(l, true, cm_micro_test(l, CM_OP_FLT64, x, y), x, rest);
}

/* Moves a remainder to the side of 0 on which y is. A remainder of 0 gets the sign of y. */
static uint32_t modulo(struct cm_lower *l, const struct cm_type_ops *ops, uint32_t rest, uint32_t y)
{
    const uint32_t zero = cm_micro_real(l, ops, 0);
    const uint32_t moved = cm_micro_plain(l, ops->add, rest, y, 0);
    const uint32_t if_negative =
        cm_micro_select(l, ops->wide, cm_micro_test(l, ops->less, rest, zero), moved, rest);
    const uint32_t if_positive =
        cm_micro_select(l, ops->wide, cm_micro_test(l, ops->less, zero, rest), moved, rest);
    const uint32_t result = cm_micro_select(l, ops->wide, cm_micro_test(l, ops->less, y, zero),
                                            if_positive, if_negative);
    return cm_micro_select(l, ops->wide, cm_micro_test(l, ops->equal, rest, zero),
                           cm_lower_sign(l, ops, zero, y), result);
}

uint32_t cm_lower_remainder(struct cm_lower *l, enum cm_expression_op op,
                            const struct cm_type_ops *ops, uint32_t x, uint32_t y)
{
    uint32_t a = cm_micro_plain(l, ops->magnitude, x, 0, 0);
    uint32_t b = cm_micro_plain(l, ops->magnitude, y, 0, 0);
    if (!ops->wide) {
        a = CM_MICRO1(l, F32TO64, a);
        b = CM_MICRO1(l, F32TO64, b);
    }
    uint32_t rest = remainder_of(l, ops->wide, a, b);
    rest = ops->wide ? rest : CM_MICRO1(l, F64TO32, rest);
    rest = cm_lower_sign(l, ops, rest, x);
    return op == CM_EXPRESSION_MOD ? rest : modulo(l, ops, rest, y);
}
