/*
 * Loops over the nodes, a vector of the host's SIMD units at a time, for each kind of host
 * processor. IEEE 754 leaves no room for different results. A vector of all sources is read before
 * the result is written, so an instruction may name a register twice.
 *
 * 64-bit values are kept in two planes. Within 128 bits, UNPACK joins the low and high words of two
 * nodes, and PACK separates them again; every SIMD unit has both as one operation. Where 32-bit and
 * 64-bit values meet, a half vector has as many nodes as a vector of 64-bit values.
 */
#ifndef CM_SIM_FPU_VECTORS_H
#define CM_SIM_FPU_VECTORS_H

#include "fpu.h"
#include "host.h"

#include <string.h>

/* The low (and high) planes of the operands, in order: result, then sources. */
struct planes {
    uint32_t *low[4];
    uint32_t *high[4];
};

typedef void (*operation)(struct planes p, struct cm_lanes lanes);

/* Vectors of each kind of host; those of the kind `one` hold one node. */
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

/* How words change places between two vectors. */
VECTORS(plain, 16)

#define LOW_plain(a, b)  __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define HIGH_plain(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#define EVEN_plain(a, b) __builtin_shufflevector(a, b, 0, 2, 4, 6)
#define ODD_plain(a, b)  __builtin_shufflevector(a, b, 1, 3, 5, 7)

#ifdef CM_HOST_X86
VECTORS(avx2, 32)

#define LOW_avx2(a, b)  __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define HIGH_avx2(a, b) __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define EVEN_avx2(a, b) __builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14)
#define ODD_avx2(a, b)  __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15)

VECTORS(avx512, 64)

#define LOW_avx512(a, b)                                                                           \
    __builtin_shufflevector(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29)
#define HIGH_avx512(a, b)                                                                          \
    __builtin_shufflevector(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31)
#define EVEN_avx512(a, b)                                                                          \
    __builtin_shufflevector(a, b, 0, 2, 16, 18, 4, 6, 20, 22, 8, 10, 24, 26, 12, 14, 28, 30)
#define ODD_avx512(a, b)                                                                           \
    __builtin_shufflevector(a, b, 1, 3, 17, 19, 5, 7, 21, 23, 9, 11, 25, 27, 13, 15, 29, 31)
#endif

/* The bits of a vector, as signed integers, and a vector's elements by a mask of them. */
#define BITS(a) ((__typeof__((a) < (a)))(a))
#define CHOOSE(mask, a, b)                                                                         \
    ((__typeof__(a))(((__typeof__(mask))(a) & (mask)) | ((__typeof__(mask))(b) & ~(mask))))

/* Nodes in a vector of 32-bit values. */
#define NODES_IN(type) ((uint32_t)(sizeof(type) / sizeof(uint32_t)))

/* A 32-bit operation on `operands` sources a (and b, c), of vectors as of single nodes. */
#define LOOP32(type, operands, expression)                                                         \
    for (; n + NODES_IN(type) <= lanes.last; n += NODES_IN(type)) {                                \
        type a, b = {0}, c = {0}, result;                                                          \
        memcpy(&a, p.low[1] + n, sizeof a);                                                        \
        if ((operands) >= 2)                                                                       \
            memcpy(&b, p.low[2] + n, sizeof b);                                                    \
        if ((operands) == 3)                                                                       \
            memcpy(&c, p.low[3] + n, sizeof c);                                                    \
        (void)b, (void)c;                                                                          \
        result = (expression);                                                                     \
        memcpy(p.low[0] + n, &result, sizeof result);                                              \
    }
#define OPERATION32(name, host, attributes, kind, scalar, operands, expression)                    \
    attributes static void name##_##host(struct planes p, struct cm_lanes lanes)                   \
    {                                                                                              \
        uint32_t n = lanes.first;                                                                  \
        LOOP32(kind##_##host, operands, expression)                                                \
        LOOP32(scalar, operands, expression)                                                       \
    }

/* Source i of a 64-bit operation, as two vectors: `half` 0 and 1. */
#define UNPACK(host, i)                                                                            \
    words_##host low##i, high##i;                                                                  \
    memcpy(&low##i, p.low[i] + n, sizeof low##i);                                                  \
    memcpy(&high##i, p.high[i] + n, sizeof high##i);                                               \
    doubles_##host source##i[2] = {(doubles_##host)LOW_##host(low##i, high##i),                    \
                                   (doubles_##host)HIGH_##host(low##i, high##i)}

/* The sources of an operation on one, two or three; those that it does not have are the last. */
#define UNPACK1(host)                                                                              \
    UNPACK(host, 1);                                                                               \
    const doubles_##host *source2 = source1, *source3 = source1
#define UNPACK2(host)                                                                              \
    UNPACK(host, 1);                                                                               \
    UNPACK(host, 2);                                                                               \
    const doubles_##host *source3 = source2
#define UNPACK3(host)                                                                              \
    UNPACK(host, 1);                                                                               \
    UNPACK(host, 2);                                                                               \
    UNPACK(host, 3)

#define PACK(host)                                                                                 \
    words_##host low = EVEN_##host((words_##host)result[0], (words_##host)result[1]);              \
    words_##host high = ODD_##host((words_##host)result[0], (words_##host)result[1]);              \
    memcpy(p.low[0] + n, &low, sizeof low);                                                        \
    memcpy(p.high[0] + n, &high, sizeof high)

/* A 64-bit operation. */
#define LOOP64(host, operands, expression)                                                         \
    for (; n + NODES_IN(words_##host) <= lanes.last; n += NODES_IN(words_##host)) {                \
        UNPACK##operands(host);                                                                    \
        doubles_##host result[2];                                                                  \
        for (uint32_t half = 0; half < 2; half++) {                                                \
            doubles_##host a = source1[half], b = source2[half], c = source3[half];                \
            (void)b, (void)c;                                                                      \
            result[half] = (expression);                                                           \
        }                                                                                          \
        PACK(host);                                                                                \
    }
#define LOAD64(value, i)                                                                           \
    do {                                                                                           \
        uint64_t whole = p.low[i][n] | (uint64_t)p.high[i][n] << 32;                               \
        memcpy(&(value), &whole, sizeof whole);                                                    \
    } while (0)
#define TAIL64(type, operands, expression)                                                         \
    for (; n < lanes.last; n++) {                                                                  \
        type a, b, c, result;                                                                      \
        uint64_t bits;                                                                             \
        LOAD64(a, 1);                                                                              \
        LOAD64(b, (operands) >= 2 ? 2 : 1);                                                        \
        LOAD64(c, operands);                                                                       \
        (void)b, (void)c;                                                                          \
        result = (expression);                                                                     \
        memcpy(&bits, &result, sizeof bits);                                                       \
        p.low[0][n] = (uint32_t)bits;                                                              \
        p.high[0][n] = (uint32_t)(bits >> 32);                                                     \
    }
#define OPERATION64(name, host, attributes, scalar, operands, expression)                          \
    attributes static void name##_##host(struct planes p, struct cm_lanes lanes)                   \
    {                                                                                              \
        uint32_t n = lanes.first;                                                                  \
        LOOP64(host, operands, expression)                                                         \
        TAIL64(scalar, operands, expression)                                                       \
    }

/* For each kind of host OPERATIONS(host, attributes) makes the functions and their table,
 * operations_host; then host_operations[cm_host()][instruction->op] is the one to call. */
#ifdef CM_HOST_X86
#define ON_EACH_HOST(OPERATIONS)                                                                   \
    OPERATIONS(plain, )                                                                            \
    OPERATIONS(avx2, CM_FOR_AVX2)                                                                  \
    OPERATIONS(avx512, CM_FOR_AVX512)                                                              \
    static const operation *const host_operations[CM_HOST_COUNT] = {                               \
        [CM_HOST_PLAIN] = operations_plain,                                                        \
        [CM_HOST_AVX2] = operations_avx2,                                                          \
        [CM_HOST_AVX512] = operations_avx512,                                                      \
    };
#else
#define ON_EACH_HOST(OPERATIONS)                                                                   \
    OPERATIONS(plain, )                                                                            \
    static const operation *const host_operations[CM_HOST_COUNT] = {                               \
        [CM_HOST_PLAIN] = operations_plain,                                                        \
    };
#endif

/* Of the operands of an instruction, which are all registers; the first is plane `first`. */
static inline struct planes operand_planes(const struct cm_fpu *fpu,
                                           const struct cm_instruction *instruction, uint32_t first)
{
    struct planes planes = {0};
    uint32_t count = cm_op_info(instruction->op)->operand_count;
    for (uint32_t i = 0; i < count; i++) {
        planes.low[first + i] = cm_fpu_low(fpu, instruction->operands[i].reg);
        planes.high[first + i] = cm_fpu_high(fpu, instruction->operands[i].reg);
    }
    return planes;
}

#endif
