/*
 * Conversions between integers, 32-bit and 64-bit floating-point numbers: one loop over the nodes
 * of a block for each instruction and each kind of host. 64-bit values are split: the high halves
 * follow the low halves.
 */
#include "fpu_vectors.h"

/* LOAD_WIDE and STORE_WIDE read and write 64-bit values of a split register. */
#define LOAD_WIDE(host, bits)                                                                      \
    half_words_##host low, high;                                                                   \
    memcpy(&low, in_a + n, sizeof low);                                                            \
    memcpy(&high, in_a + count + n, sizeof high);                                                  \
    longs_##host bits = __builtin_convertvector(low, longs_##host) |                               \
                        __builtin_convertvector(high, longs_##host) << 32
#define STORE_WIDE(host, bits)                                                                     \
    half_words_##host low = __builtin_convertvector(bits, half_words_##host);                      \
    half_words_##host high = __builtin_convertvector(bits >> 32, half_words_##host);               \
    memcpy(out + n, &low, sizeof low);                                                             \
    memcpy(out + count + n, &high, sizeof high)

/* Converts to integers. Numbers in [-2^31, 2^31) are truncated. All other numbers give -2^31. */
#define TO_INTS(value, ints, in)                                                                   \
    ((__builtin_convertvector((__typeof__(value))(BITS(value) & (in)), ints) &                     \
      __builtin_convertvector(in, ints)) |                                                         \
     (~__builtin_convertvector(in, ints) & INT32_MIN))

#define LOOP_CONVERT32(from, to, expression)                                                       \
    for (; n + NODES_IN(from) <= count; n += NODES_IN(from)) {                                     \
        from a;                                                                                    \
        memcpy(&a, in_a + n, sizeof a);                                                            \
        to result = (expression);                                                                  \
        memcpy(out + n, &result, sizeof result);                                                   \
    }
#define CONVERSION32(name, host, attributes, from, to, expression)                                 \
    attributes static void name##_##host(uint32_t *const at[], uint32_t count, uint64_t word)      \
    {                                                                                              \
        OPERANDS;                                                                                  \
        LOOP_CONVERT32(from##_##host, to##_##host, expression(to##_##host))                        \
        LOOP_CONVERT32(from##_one, to##_one, expression(to##_one))                                 \
    }
#define FROM_INT(to) __builtin_convertvector(a, to)
#define TO_INT32(to) TO_INTS(a, to, (a >= -2147483648.0f) & (a < 2147483648.0f))

#define LOOP_WIDEN(host, from)                                                                     \
    for (; n + NODES_IN(from##_##host) <= count; n += NODES_IN(from##_##host)) {                   \
        from##_##host a;                                                                           \
        memcpy(&a, in_a + n, sizeof a);                                                            \
        longs_##host bits = (longs_##host) __builtin_convertvector(a, doubles_##host);             \
        STORE_WIDE(host, bits);                                                                    \
    }
#define WIDENING(name, host, attributes, from)                                                     \
    attributes static void name##_##host(uint32_t *const at[], uint32_t count, uint64_t word)      \
    {                                                                                              \
        OPERANDS;                                                                                  \
        LOOP_WIDEN(host, from)                                                                     \
        LOOP_WIDEN(one, from)                                                                      \
    }

#define LOOP_NARROW(host, to, expression)                                                          \
    for (; n + NODES_IN(to##_##host) <= count; n += NODES_IN(to##_##host)) {                       \
        LOAD_WIDE(host, bits);                                                                     \
        doubles_##host a = (doubles_##host)bits;                                                   \
        to##_##host result = expression(to##_##host);                                              \
        memcpy(out + n, &result, sizeof result);                                                   \
    }
#define NARROWING(name, host, attributes, to, expression)                                          \
    attributes static void name##_##host(uint32_t *const at[], uint32_t count, uint64_t word)      \
    {                                                                                              \
        OPERANDS;                                                                                  \
        LOOP_NARROW(host, to, expression)                                                          \
        LOOP_NARROW(one, to, expression)                                                           \
    }
#define TO_FLOAT(to) __builtin_convertvector(a, to)
#define TO_INT64(to) TO_INTS(a, to, (a > -2147483649.0) & (a < 2147483648.0))

#define OPERATIONS(host, attributes)                                                               \
    CONVERSION32(int_to_32, host, attributes, ints, floats, FROM_INT)                              \
    CONVERSION32(int_from_32, host, attributes, floats, ints, TO_INT32)                            \
    WIDENING(int_to_64, host, attributes, half_ints)                                               \
    WIDENING(widen, host, attributes, half_floats)                                                 \
    NARROWING(int_from_64, host, attributes, half_ints, TO_INT64)                                  \
    NARROWING(narrow, host, attributes, half_floats, TO_FLOAT)                                     \
    static const cm_lane_kernel operations_##host[CM_OP_COUNT] = {                                 \
        [CM_OP_I2F32] = int_to_32_##host,   [CM_OP_I2F64] = int_to_64_##host,                      \
        [CM_OP_F2I32] = int_from_32_##host, [CM_OP_F2I64] = int_from_64_##host,                    \
        [CM_OP_F32TO64] = widen_##host,     [CM_OP_F64TO32] = narrow_##host,                       \
    };

ON_EACH_HOST(OPERATIONS)

cm_lane_kernel cm_fpu_conversion_kernel(enum cm_op op)
{
    return host_operations[cm_host()][op];
}
