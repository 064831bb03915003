/*
 * FPU arithmetic: one loop over the nodes for each instruction, a vector of the host's SIMD units
 * at a time, for each kind of host processor. IEEE 754 leaves no room for different results. A
 * vector of all sources is read before the result is written, so an instruction may name a register
 * twice.
 *
 * 64-bit values are kept in two planes. Within 128 bits, UNPACK joins the low and high words of two
 * nodes, and PACK separates them again; every SIMD unit has both as one operation.
 */
#include "fpu.h"

#include "host.h"

#include <string.h>

/* The low (and high) planes of the operands, in order: result, then sources. */
struct planes {
    uint32_t *low[4];
    uint32_t *high[4];
};

static struct planes operand_planes(const struct cm_fpu *fpu,
                                    const struct cm_instruction *instruction)
{
    struct planes planes = {0};
    uint32_t count = cm_op_info(instruction->op)->operand_count;
    for (uint32_t i = 0; i < count; i++) {
        planes.low[i] = cm_fpu_low(fpu, instruction->operands[i].reg);
        planes.high[i] = cm_fpu_high(fpu, instruction->operands[i].reg);
    }
    return planes;
}

static inline double as_double(uint32_t low, uint32_t high)
{
    uint64_t bits = low | (uint64_t)high << 32;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Vectors of each kind of host, and how words change places between two of them. */
#define VECTORS(host, bytes)                                                                       \
    typedef float floats_##host __attribute__((vector_size(bytes)));                               \
    typedef double doubles_##host __attribute__((vector_size(bytes)));                             \
    typedef uint32_t words_##host __attribute__((vector_size(bytes)));

VECTORS(plain, 16)

#define LOW_plain(a, b)  __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define HIGH_plain(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#define EVEN_plain(a, b) __builtin_shufflevector(a, b, 0, 2, 4, 6)
#define ODD_plain(a, b)  __builtin_shufflevector(a, b, 1, 3, 5, 7)

/* A 32-bit operation on `operands` sources a, b (and c), of vectors as of single nodes. */
#define LOOP32(type, operands, expression)                                                         \
    for (; n + sizeof(type) / sizeof(uint32_t) <= lanes.last;                                      \
         n += (uint32_t)(sizeof(type) / sizeof(uint32_t))) {                                       \
        type a, b, c = {0}, result;                                                                \
        memcpy(&a, p.low[1] + n, sizeof a);                                                        \
        memcpy(&b, p.low[2] + n, sizeof b);                                                        \
        if ((operands) == 3)                                                                       \
            memcpy(&c, p.low[3] + n, sizeof c);                                                    \
        (void)c;                                                                                   \
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

#define UNPACK2(host)                                                                              \
    UNPACK(host, 1);                                                                               \
    UNPACK(host, 2)
#define UNPACK3(host)                                                                              \
    UNPACK2(host);                                                                                 \
    UNPACK(host, 3)

#define PACK(host)                                                                                 \
    words_##host low = EVEN_##host((words_##host)result[0], (words_##host)result[1]);              \
    words_##host high = ODD_##host((words_##host)result[0], (words_##host)result[1]);              \
    memcpy(p.low[0] + n, &low, sizeof low);                                                        \
    memcpy(p.high[0] + n, &high, sizeof high)

/* A 64-bit operation on `operands` sources; with two, c is b again. */
#define OPERATION64(name, host, attributes, operands, expression)                                  \
    attributes static void name##_##host(struct planes p, struct cm_lanes lanes)                   \
    {                                                                                              \
        const uint32_t step = sizeof(words_##host) / sizeof(uint32_t);                             \
        uint32_t n = lanes.first;                                                                  \
        for (; n + step <= lanes.last; n += step) {                                                \
            UNPACK##operands(host);                                                                \
            doubles_##host result[2];                                                              \
            for (uint32_t half = 0; half < 2; half++) {                                            \
                doubles_##host a = source1[half], b = source2[half], c = source##operands[half];   \
                (void)c;                                                                           \
                result[half] = (expression);                                                       \
            }                                                                                      \
            PACK(host);                                                                            \
        }                                                                                          \
        for (; n < lanes.last; n++) {                                                              \
            double a = as_double(p.low[1][n], p.high[1][n]);                                       \
            double b = as_double(p.low[2][n], p.high[2][n]);                                       \
            double c = as_double(p.low[operands][n], p.high[operands][n]);                         \
            double result = (expression);                                                          \
            uint64_t bits;                                                                         \
            (void)c;                                                                               \
            memcpy(&bits, &result, sizeof bits);                                                   \
            p.low[0][n] = (uint32_t)bits;                                                          \
            p.high[0][n] = (uint32_t)(bits >> 32);                                                 \
        }                                                                                          \
    }

typedef void (*operation)(struct planes p, struct cm_lanes lanes);

#define OPERATIONS(host, attributes)                                                               \
    OPERATION32(add32, host, attributes, floats, float, 2, a + b)                                  \
    OPERATION32(sub32, host, attributes, floats, float, 2, a - b)                                  \
    OPERATION32(mul32, host, attributes, floats, float, 2, a *b)                                   \
    OPERATION32(fma32, host, attributes, floats, float, 3, a *b + c)                               \
    OPERATION32(addi, host, attributes, words, uint32_t, 2, a + b)                                 \
    OPERATION32(subi, host, attributes, words, uint32_t, 2, a - b)                                 \
    OPERATION32(muli, host, attributes, words, uint32_t, 2, a *b)                                  \
    OPERATION64(add64, host, attributes, 2, a + b)                                                 \
    OPERATION64(sub64, host, attributes, 2, a - b)                                                 \
    OPERATION64(mul64, host, attributes, 2, a *b)                                                  \
    OPERATION64(fma64, host, attributes, 3, a *b + c)                                              \
    static const operation operations_##host[CM_OP_COUNT] =                                        \
        {                                                                                          \
            [CM_OP_FADD32] = add32_##host, [CM_OP_FADD64] = add64_##host,                          \
            [CM_OP_FSUB32] = sub32_##host, [CM_OP_FSUB64] = sub64_##host,                          \
            [CM_OP_FMUL32] = mul32_##host, [CM_OP_FMUL64] = mul64_##host,                          \
            [CM_OP_FMA32] = fma32_##host,  [CM_OP_FMA64] = fma64_##host,                           \
            [CM_OP_IADD] = addi_##host,    [CM_OP_ISUB] = subi_##host,                             \
            [CM_OP_IMUL] = muli_##host,                                                            \
    };

OPERATIONS(plain, )

#ifdef CM_HOST_X86
VECTORS(avx2, 32)

#define LOW_avx2(a, b)  __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define HIGH_avx2(a, b) __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define EVEN_avx2(a, b) __builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14)
#define ODD_avx2(a, b)  __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15)

OPERATIONS(avx2, CM_FOR_AVX2)

VECTORS(avx512, 64)

#define LOW_avx512(a, b)                                                                           \
    __builtin_shufflevector(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29)
#define HIGH_avx512(a, b)                                                                          \
    __builtin_shufflevector(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31)
#define EVEN_avx512(a, b)                                                                          \
    __builtin_shufflevector(a, b, 0, 2, 16, 18, 4, 6, 20, 22, 8, 10, 24, 26, 12, 14, 28, 30)
#define ODD_avx512(a, b)                                                                           \
    __builtin_shufflevector(a, b, 1, 3, 17, 19, 5, 7, 21, 23, 9, 11, 25, 27, 13, 15, 29, 31)

OPERATIONS(avx512, CM_FOR_AVX512)
#endif

static const operation *const host_operations[CM_HOST_COUNT] = {
    [CM_HOST_PLAIN] = operations_plain,
#ifdef CM_HOST_X86
    [CM_HOST_AVX2] = operations_avx2,
    [CM_HOST_AVX512] = operations_avx512,
#endif
};

void cm_fpu_execute(const struct cm_fpu *fpu, struct cm_lanes lanes,
                    const struct cm_instruction *instruction)
{
    host_operations[cm_host()][instruction->op](operand_planes(fpu, instruction), lanes);
}
