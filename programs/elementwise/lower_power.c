/*
 * Powers as micro code, with the products that gfortran -O1 makes:
 *
 *     real, constant exponent    a chain of products (powers_of_odd), then 1 / x if the exponent is
 *                                negative
 *     real, int32 exponent       the squares of x that the bits of the exponent select, from the
 *                                lowest, then 1 / x if the exponent is negative
 *     complex                    as real, but x is inverted first, and constant exponents -1, 0, 1
 *                                and 2 are not split
 *     integers                   modulo 2^32. A negative exponent gives 0, except for 1 and -1.
 *     real to a real power       in lower_real_power.c
 */
#include "micro.h"

#include <stdlib.h>

/*
 * Factors of x ** n for odd n below 256: x ** n is x ** k times x ** (n - k). The table has k for n
 * = 3, 5, 7, ..., found by compiling all powers with gfortran 12. For an even n, k is n / 2. For an
 * odd n above 256, k is n without its lowest three bits.
 */
static const uint8_t powers_of_odd[] = {
    2,   3,   4,   6,   6,   10,  9,   16,  16,  12,  13,  17,  18,  24,  26,  17,  19,  33,  26,
    25,  40,  27,  44,  32,  34,  29,  44,  31,  34,  60,  36,  64,  34,  46,  37,  65,  50,  48,
    69,  49,  43,  51,  58,  64,  47,  59,  76,  65,  66,  67,  66,  70,  74,  104, 74,  64,  69,
    78,  68,  61,  80,  75,  68,  65,  128, 129, 90,  73,  131, 94,  88,  128, 98,  132, 121, 102,
    124, 132, 106, 97,  160, 99,  134, 86,  95,  160, 100, 113, 98,  107, 122, 111, 102, 126, 150,
    128, 130, 133, 195, 128, 123, 164, 138, 145, 146, 109, 149, 200, 146, 170, 157, 128, 130, 182,
    132, 200, 132, 158, 206, 240, 162, 147, 152, 166, 214, 138, 153};

#define TABLE_END 256u
#define LOW_BITS  7u

static uint32_t first_factor(uint32_t n)
{
    if (n % 2 == 0)
        return n / 2;
    return n < TABLE_END ? powers_of_odd[(n - 3) / 2] : n - (n & LOW_BITS);
}

/* Makes x ** n by a chain of products. Equal products are one entry, so each power is made once. */
static uint32_t chain(struct cm_lower *l, const struct cm_type_ops *ops, uint32_t x, uint32_t n)
{
    if (n == 1)
        return x;
    const uint32_t k = first_factor(n);
    const uint32_t first = chain(l, ops, x, k);
    const uint32_t second = n - k == k ? first : chain(l, ops, x, n - k);
    return cm_micro_plain(l, ops->multiply, first, second, 0);
}

static uint32_t magnitude_of(int32_t n)
{
    return n < 0 ? -(uint32_t)n : (uint32_t)n;
}

static uint32_t invert(struct cm_lower *l, const struct cm_type_ops *ops, uint32_t x)
{
    return cm_micro_plain(l, ops->divide, cm_micro_real(l, ops, 1), x, 0);
}

/* Returns an entry that is not 0 if bit number `bit` of the exponent is set. */
static uint32_t bit_of(struct cm_lower *l, uint32_t exponent, uint32_t bit)
{
    return CM_MICRO2(l, IAND, exponent, cm_micro_word(l, UINT32_C(1) << bit));
}

static uint32_t exponent_magnitude(struct cm_lower *l, uint32_t exponent)
{
    return CM_MICRO2(l, IMAX, exponent, CM_MICRO2(l, ISUB, cm_micro_word(l, 0), exponent));
}

static uint32_t squares(struct cm_lower *l, const struct cm_type_ops *ops, uint32_t x, uint32_t one,
                        uint32_t exponent)
{
    const uint32_t magnitude = exponent_magnitude(l, exponent);
    uint32_t power = cm_micro_select(l, ops->wide, bit_of(l, magnitude, 0), x, one);
    for (uint32_t bit = 1; bit < 32; bit++) {
        x = cm_micro_plain(l, ops->multiply, x, x, 0);
        power = cm_micro_select(l, ops->wide, bit_of(l, magnitude, bit),
                                cm_micro_plain(l, ops->multiply, power, x, 0), power);
    }
    return power;
}

/* Computes powers of integers with a negative exponent. Powers of 1 and -1 are 1 or -1, and powers
 * of all other numbers are 0. */
static uint32_t integer_inverse(struct cm_lower *l, uint32_t x, uint32_t odd)
{
    const uint32_t zero = cm_micro_word(l, 0), one = cm_micro_word(l, 1);
    const uint32_t minus_one = cm_micro_word(l, UINT32_MAX);
    const uint32_t sign = cm_micro_select(l, false, odd, minus_one, one);
    const uint32_t other =
        cm_micro_select(l, false, cm_micro_test(l, CM_OP_IEQ, x, minus_one), sign, zero);
    return cm_micro_select(l, false, cm_micro_test(l, CM_OP_IEQ, x, one), one, other);
}

static uint32_t integer_power(struct cm_lower *l, uint32_t x, uint32_t exponent,
                              const int32_t *constant)
{
    const struct cm_type_ops *ops = cm_type_ops(CM_TYPE_INT32);
    const uint32_t zero = cm_micro_word(l, 0), one = cm_micro_word(l, 1);
    if (constant && *constant >= 0)
        return *constant == 0 ? one : chain(l, ops, x, (uint32_t)*constant);
    const uint32_t inverse = integer_inverse(l, x, bit_of(l, exponent, 0));
    if (constant)
        return inverse;
    return cm_micro_select(l, false, cm_micro_test(l, CM_OP_ILT, exponent, zero), inverse,
                           squares(l, ops, x, one, exponent));
}

static uint32_t real_power(struct cm_lower *l, enum cm_type type, uint32_t x, uint32_t exponent,
                           const int32_t *constant)
{
    const struct cm_type_ops *ops = cm_type_ops(type);
    const uint32_t one = cm_micro_real(l, ops, 1);
    if (constant && *constant == 0)
        return one;
    if (constant) {
        const uint32_t power = chain(l, ops, x, magnitude_of(*constant));
        return *constant < 0 ? invert(l, ops, power) : power;
    }
    const uint32_t power = squares(l, ops, x, one, exponent);
    const uint32_t negative = cm_micro_test(l, CM_OP_ILT, exponent, cm_micro_word(l, 0));
    return cm_micro_select(l, ops->wide, negative, invert(l, ops, power), power);
}

static struct cm_parts select_parts(struct cm_lower *l, bool wide, uint32_t condition,
                                    struct cm_parts yes, struct cm_parts no)
{
    return (struct cm_parts){cm_micro_select(l, wide, condition, yes.re, no.re),
                             cm_micro_select(l, wide, condition, yes.im, no.im)};
}

static struct cm_parts complex_squares(struct cm_lower *l, enum cm_type part, struct cm_parts x,
                                       uint32_t exponent)
{
    const struct cm_type_ops *ops = cm_type_ops(part);
    const struct cm_parts one = {cm_micro_real(l, ops, 1), cm_micro_real(l, ops, 0)};
    const uint32_t magnitude = exponent_magnitude(l, exponent);
    const uint32_t negative = cm_micro_test(l, CM_OP_ILT, exponent, cm_micro_word(l, 0));
    struct cm_parts power = one;
    x = select_parts(l, ops->wide, negative, cm_lower_quotient(l, part, one, x), x);
    for (uint32_t bit = 0; bit < 32; bit++) {
        power = select_parts(l, ops->wide, bit_of(l, magnitude, bit),
                             cm_lower_product(l, part, power, x), power);
        if (bit < 31)
            x = cm_lower_product(l, part, x, x);
    }
    return power;
}

static struct cm_parts complex_power(struct cm_lower *l, enum cm_type part, struct cm_parts x,
                                     int32_t n)
{
    const struct cm_type_ops *ops = cm_type_ops(part);
    const struct cm_parts one = {cm_micro_real(l, ops, 1), cm_micro_real(l, ops, 0)};
    if (n == 0)
        return one;
    if (n == 1)
        return x;
    if (n == 2)
        return cm_lower_product(l, part, x, x);
    if (n < 0)
        x = cm_lower_quotient(l, part, one, x);
    if (n == -1)
        return x;
    struct cm_parts power = one;
    for (uint32_t rest = magnitude_of(n); rest > 0; rest >>= 1) {
        if (rest % 2 == 1)
            power = cm_lower_product(l, part, power, x);
        x = cm_lower_product(l, part, x, x);
    }
    return power;
}

struct cm_parts cm_lower_power(struct cm_lower *l, const struct cm_node *node, struct cm_parts x,
                               struct cm_parts y)
{
    const struct cm_node *exponent = &l->expression->nodes.items[node->operands[1]];
    const enum cm_type type = (enum cm_type)node->type;
    const int32_t value = (int32_t)exponent->value.words[0];
    const int32_t *constant = exponent->op == CM_NODE_CONSTANT ? &value : NULL;
    if (exponent->type != CM_TYPE_INT32)
        return (struct cm_parts){cm_lower_real_power(l, cm_type_ops(type), x.re, y.re), 0};
    if (type == CM_TYPE_INT32)
        return (struct cm_parts){integer_power(l, x.re, y.re, constant), 0};
    if (!cm_type_is_complex(type))
        return (struct cm_parts){real_power(l, type, x.re, y.re, constant), 0};
    return constant ? complex_power(l, cm_type_of_part(type), x, *constant)
                    : complex_squares(l, cm_type_of_part(type), x, y.re);
}
