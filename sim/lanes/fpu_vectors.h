/*
 * Macros that make loops over the nodes of a block, one SIMD vector at a time, for each kind of
 * host. IEEE 754 defines every result, so all kinds of host give equal results. A vector of every
 * source is read before the result is written, so an instruction may name a register twice.
 *
 * Where 32-bit and 64-bit values meet, a half vector has as many nodes as a vector of 64-bit
 * values.
 */
#ifndef CM_SIM_FPU_VECTORS_H
#define CM_SIM_FPU_VECTORS_H

#include "../host/host.h"
#include "fpu.h"

#include <string.h>

/* Vector types of each kind of host. Vectors of the kind `one` hold one node. */
#define VECTORS(host, bytes)                                                                       \
    typedef float floats_##host __attribute__((vector_size(bytes)));                               \
    typedef double doubles_##host __attribute__((vector_size(bytes)));                             \
    typedef uint32_t words_##host __attribute__((vector_size(bytes)));                             \
    typedef int32_t ints_##host __attribute__((vector_size(bytes)));                               \
    HALF_VECTORS(host, bytes, (bytes) / 2)
#define HALF_VECTORS(host, bytes, half_bytes)                                                      \
    typedef uint64_t longs_##host __attribute__((vector_size(bytes)));                             \
    typedef float half_floats_##host __attribute__((vector_size(half_bytes)));                     \
    typedef uint32_t half_words_##host __attribute__((vector_size(half_bytes)));                   \
    typedef int32_t half_ints_##host __attribute__((vector_size(half_bytes)));

typedef float floats_one __attribute__((vector_size(4)));
typedef double doubles_one __attribute__((vector_size(8)));
typedef uint32_t words_one __attribute__((vector_size(4)));
typedef int32_t ints_one __attribute__((vector_size(4)));
HALF_VECTORS(one, 8, 4)

/* JOIN0 and JOIN1 interleave low words a and high words b to 64-bit values, for the first and the
 * second half of the nodes. EVEN and ODD extract the low and the high words of the values a, b. */
VECTORS(plain, 16)

#define JOIN0_plain(a, b) __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define JOIN1_plain(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#define EVEN_plain(a, b)  __builtin_shufflevector(a, b, 0, 2, 4, 6)
#define ODD_plain(a, b)   __builtin_shufflevector(a, b, 1, 3, 5, 7)

#ifdef CM_HOST_X86
VECTORS(avx2, 32)

#define JOIN0_avx2(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define JOIN1_avx2(a, b) __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#define EVEN_avx2(a, b)  __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14)
#define ODD_avx2(a, b)   __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15)

VECTORS(avx512, 64)

#define JOIN0_avx512(a, b)                                                                         \
    __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define JOIN1_avx512(a, b)                                                                         \
    __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define EVEN_avx512(a, b)                                                                          \
    __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)
#define ODD_avx512(a, b)                                                                           \
    __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31)
#endif

/* BITS gives the bits of a vector as signed integers. CHOOSE takes elements of a where the mask is
 * set, else of b. */
#define BITS(a) ((__typeof__((a) < (a)))(a))
#define CHOOSE(mask, a, b)                                                                         \
    ((__typeof__(a))(((__typeof__(mask))(a) & (mask)) | ((__typeof__(mask))(b) & ~(mask))))

/* Number of nodes in a vector of 32-bit values, and in a vector of 64-bit values. */
#define NODES_IN(type)      ((uint32_t)(sizeof(type) / sizeof(uint32_t)))
#define WIDE_NODES_IN(type) ((uint32_t)(sizeof(type) / sizeof(uint64_t)))

/* Copies the pointers to a kernel's operands to local variables, so that the compiler keeps them in
 * registers. */
#define OPERANDS                                                                                   \
    uint32_t *const out = at[0];                                                                   \
    const uint32_t *const in_a = at[1], *const in_b = at[2], *const in_c = at[3];                  \
    uint32_t n = 0;                                                                                \
    (void)in_a, (void)in_b, (void)in_c, (void)word

/* Loops over the nodes, evaluating an expression of `operands` sources, called a, b and c. `type`
 * is a vector, or the value of a single node. */
#define LOOP_OF(type, nodes, words_each, operands, expression)                                     \
    for (; n + (nodes) <= count; n += (nodes)) {                                                   \
        type a, b = {0}, c = {0}, result;                                                          \
        memcpy(&a, in_a + (size_t)n * (words_each), sizeof a);                                     \
        if ((operands) >= 2)                                                                       \
            memcpy(&b, in_b + (size_t)n * (words_each), sizeof b);                                 \
        if ((operands) == 3)                                                                       \
            memcpy(&c, in_c + (size_t)n * (words_each), sizeof c);                                 \
        (void)b, (void)c;                                                                          \
        result = (expression);                                                                     \
        memcpy(out + (size_t)n * (words_each), &result, sizeof result);                            \
    }
#define LOOP32(type, operands, expression) LOOP_OF(type, NODES_IN(type), 1, operands, expression)
#define LOOP64(type, operands, expression)                                                         \
    LOOP_OF(type, WIDE_NODES_IN(type), 2, operands, expression)

#define OPERATION(loop, name, host, attributes, kind, scalar, operands, expression)                \
    attributes static void name##_##host(uint32_t *const at[], uint32_t count, uint64_t word)      \
    {                                                                                              \
        OPERANDS;                                                                                  \
        loop(kind##_##host, operands, expression) loop(scalar, operands, expression)               \
    }
#define OPERATION32(name, host, attributes, kind, scalar, operands, expression)                    \
    OPERATION(LOOP32, name, host, attributes, kind, scalar, operands, expression)
#define OPERATION64(name, host, attributes, scalar, operands, expression)                          \
    OPERATION(LOOP64, name, host, attributes, doubles, scalar, operands, expression)

/* Expands the caller's macro OPERATIONS(host, attributes) for each kind of host. The macro defines
 * loops and a table of them, operations_host. The loop for an operation is
 * host_operations[cm_host()][op]. */
#ifdef CM_HOST_X86
#define ON_EACH_HOST(OPERATIONS)                                                                   \
    OPERATIONS(plain, )                                                                            \
    OPERATIONS(avx2, CM_FOR_AVX2)                                                                  \
    OPERATIONS(avx512, CM_FOR_AVX512)                                                              \
    static const cm_lane_kernel *const host_operations[CM_HOST_COUNT] = {                          \
        [CM_HOST_PLAIN] = operations_plain,                                                        \
        [CM_HOST_AVX2] = operations_avx2,                                                          \
        [CM_HOST_AVX512] = operations_avx512,                                                      \
    };
#else
#define ON_EACH_HOST(OPERATIONS)                                                                   \
    OPERATIONS(plain, )                                                                            \
    static const cm_lane_kernel *const host_operations[CM_HOST_COUNT] = {                          \
        [CM_HOST_PLAIN] = operations_plain,                                                        \
    };
#endif

#endif
