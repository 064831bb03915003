/* FPU arithmetic: a loop over the nodes of a block for each instruction and each kind of host. */
#include "fpu_vectors.h"

#include <math.h>

/* Square roots of the elements of a vector, because C has no operator for them. */
#ifdef __wasm_simd128__
#include <wasm_simd128.h>

#define ROOT32_plain(a) ((floats_plain)wasm_f32x4_sqrt((v128_t)(a)))
#define ROOT64_plain(a) ((doubles_plain)wasm_f64x2_sqrt((v128_t)(a)))
#else
static inline floats_plain root32_plain(floats_plain a)
{
    for (uint32_t i = 0; i < sizeof a / sizeof a[0]; i++)
        a[i] = sqrtf(a[i]);
    return a;
}

static inline doubles_plain root64_plain(doubles_plain a)
{
    for (uint32_t i = 0; i < sizeof a / sizeof a[0]; i++)
        a[i] = sqrt(a[i]);
    return a;
}

#define ROOT32_plain(a) root32_plain(a)
#define ROOT64_plain(a) root64_plain(a)
#endif

#ifdef CM_HOST_X86
#include <immintrin.h>

#define ROOT32_avx2(a)   ((floats_avx2)_mm256_sqrt_ps((__m256)(a)))
#define ROOT64_avx2(a)   ((doubles_avx2)_mm256_sqrt_pd((__m256d)(a)))
#define ROOT32_avx512(a) ((floats_avx512)_mm512_sqrt_ps((__m512)(a)))
#define ROOT64_avx512(a) ((doubles_avx512)_mm512_sqrt_pd((__m512d)(a)))
#endif

#define SQUARE_ROOTS(host, attributes)                                                             \
    attributes static void sqrt32_##host(uint32_t *const at[], uint32_t count, uint64_t word)      \
    {                                                                                              \
        OPERANDS;                                                                                  \
        LOOP32(floats_##host, 1, ROOT32_##host(a))                                                 \
        LOOP32(float, 1, sqrtf(a))                                                                 \
    }                                                                                              \
    attributes static void sqrt64_##host(uint32_t *const at[], uint32_t count, uint64_t word)      \
    {                                                                                              \
        OPERANDS;                                                                                  \
        LOOP64(doubles_##host, 1, ROOT64_##host(a))                                                \
        LOOP64(double, 1, sqrt(a))                                                                 \
    }

/*
 * Integer division by a division of doubles, truncated. The result is exact: a quotient that is not
 * an integer differs from every integer by at least 2^-31 of itself, and rounding changes it by at
 * most 2^-53. For a divisor of 0 or -1 the loop divides by 1. The result is then 0 for 0 and the
 * negated dividend for -1. So -2^31 / -1, which does not fit 32 bits, gives -2^31.
 */
#define LOOP_DIVIDE(host, expression)                                                              \
    for (; n + NODES_IN(half_words_##host) <= count; n += NODES_IN(half_words_##host)) {           \
        half_ints_##host a, b;                                                                     \
        memcpy(&a, in_a + n, sizeof a);                                                            \
        memcpy(&b, in_b + n, sizeof b);                                                            \
        half_ints_##host by_zero = b == 0, by_minus_one = b == -1;                                 \
        half_ints_##host divisor =                                                                 \
            (b & ~(by_zero | by_minus_one)) | ((by_zero | by_minus_one) & 1);                      \
        half_words_##host negate = (half_words_##host)by_minus_one;                                \
        half_words_##host quotient = (half_words_##host) __builtin_convertvector(                  \
            __builtin_convertvector(a, doubles_##host) /                                           \
                __builtin_convertvector(divisor, doubles_##host),                                  \
            half_ints_##host);                                                                     \
        quotient = (quotient ^ negate) - negate;                                                   \
        half_words_##host result = (expression) & ~(half_words_##host)by_zero;                     \
        memcpy(out + n, &result, sizeof result);                                                   \
    }
#define DIVISION(name, host, attributes, expression)                                               \
    attributes static void name##_##host(uint32_t *const at[], uint32_t count, uint64_t word)      \
    {                                                                                              \
        OPERANDS;                                                                                  \
        LOOP_DIVIDE(host, expression)                                                              \
        LOOP_DIVIDE(one, expression)                                                               \
    }
#define DIVISIONS(host, attributes)                                                                \
    DIVISION(divi, host, attributes, quotient)                                                     \
    DIVISION(modi, host, attributes, (__typeof__(quotient))a - quotient * (__typeof__(quotient))b)

/* All ones for nodes in which a shift by `count` leaves bits of the word, because `count` is below
 * 32. */
#define IN_WORD(count) ((count) >> 5 == 0)

#define OPERATIONS(host, attributes)                                                               \
    OPERATION32(add32, host, attributes, floats, float, 2, a + b)                                  \
    OPERATION64(add64, host, attributes, double, 2, a + b)                                         \
    OPERATION32(sub32, host, attributes, floats, float, 2, a - b)                                  \
    OPERATION64(sub64, host, attributes, double, 2, a - b)                                         \
    OPERATION32(mul32, host, attributes, floats, float, 2, a *b)                                   \
    OPERATION64(mul64, host, attributes, double, 2, a *b)                                          \
    OPERATION32(div32, host, attributes, floats, float, 2, a / b)                                  \
    OPERATION64(div64, host, attributes, double, 2, a / b)                                         \
    OPERATION32(fma32, host, attributes, floats, float, 3, a *b + c)                               \
    OPERATION64(fma64, host, attributes, double, 3, a *b + c)                                      \
    OPERATION32(min32, host, attributes, floats, floats_one, 2, CHOOSE(a < b, a, b))               \
    OPERATION64(min64, host, attributes, doubles_one, 2, CHOOSE(a < b, a, b))                      \
    OPERATION32(mini, host, attributes, ints, ints_one, 2, CHOOSE(a < b, a, b))                    \
    OPERATION32(max32, host, attributes, floats, floats_one, 2, CHOOSE(a > b, a, b))               \
    OPERATION64(max64, host, attributes, doubles_one, 2, CHOOSE(a > b, a, b))                      \
    OPERATION32(maxi, host, attributes, ints, ints_one, 2, CHOOSE(a > b, a, b))                    \
    OPERATION32(neg32, host, attributes, words, uint32_t, 1, a ^ (UINT32_C(1) << 31))              \
    OPERATION64(neg64, host, attributes, doubles_one, 1, (__typeof__(a))(BITS(a) ^ INT64_MIN))     \
    OPERATION32(abs32, host, attributes, words, uint32_t, 1, a & ~(UINT32_C(1) << 31))             \
    OPERATION64(abs64, host, attributes, doubles_one, 1, (__typeof__(a))(BITS(a) & INT64_MAX))     \
    OPERATION32(addi, host, attributes, words, uint32_t, 2, a + b)                                 \
    OPERATION32(subi, host, attributes, words, uint32_t, 2, a - b)                                 \
    OPERATION32(muli, host, attributes, words, uint32_t, 2, a *b)                                  \
    OPERATION32(andi, host, attributes, words, uint32_t, 2, a &b)                                  \
    OPERATION32(ori, host, attributes, words, uint32_t, 2, a | b)                                  \
    OPERATION32(xori, host, attributes, words, uint32_t, 2, a ^ b)                                 \
    OPERATION32(shli, host, attributes, words, words_one, 2,                                       \
                (a << (b & 31u)) & (__typeof__(a))IN_WORD(b))                                      \
    OPERATION32(shri, host, attributes, words, words_one, 2,                                       \
                (a >> (b & 31u)) & (__typeof__(a))IN_WORD(b))                                      \
    OPERATION32(sari, host, attributes, ints, ints_one, 2,                                         \
                a >> ((b & IN_WORD(b)) | (~IN_WORD(b) & 31)))                                      \
    SQUARE_ROOTS(host, attributes)                                                                 \
    DIVISIONS(host, attributes)                                                                    \
    static const cm_lane_kernel operations_##host[CM_OP_COUNT] = {                                 \
        [CM_OP_FADD32] = add32_##host,   [CM_OP_FADD64] = add64_##host,                            \
        [CM_OP_FSUB32] = sub32_##host,   [CM_OP_FSUB64] = sub64_##host,                            \
        [CM_OP_FMUL32] = mul32_##host,   [CM_OP_FMUL64] = mul64_##host,                            \
        [CM_OP_FDIV32] = div32_##host,   [CM_OP_FDIV64] = div64_##host,                            \
        [CM_OP_FMA32] = fma32_##host,    [CM_OP_FMA64] = fma64_##host,                             \
        [CM_OP_FSQRT32] = sqrt32_##host, [CM_OP_FSQRT64] = sqrt64_##host,                          \
        [CM_OP_FNEG32] = neg32_##host,   [CM_OP_FNEG64] = neg64_##host,                            \
        [CM_OP_FABS32] = abs32_##host,   [CM_OP_FABS64] = abs64_##host,                            \
        [CM_OP_FMIN32] = min32_##host,   [CM_OP_FMIN64] = min64_##host,                            \
        [CM_OP_FMAX32] = max32_##host,   [CM_OP_FMAX64] = max64_##host,                            \
        [CM_OP_IADD] = addi_##host,      [CM_OP_ISUB] = subi_##host,                               \
        [CM_OP_IMUL] = muli_##host,      [CM_OP_IDIV] = divi_##host,                               \
        [CM_OP_IMOD] = modi_##host,      [CM_OP_IMIN] = mini_##host,                               \
        [CM_OP_IMAX] = maxi_##host,      [CM_OP_IAND] = andi_##host,                               \
        [CM_OP_IOR] = ori_##host,        [CM_OP_IXOR] = xori_##host,                               \
        [CM_OP_ISHL] = shli_##host,      [CM_OP_ISHR] = shri_##host,                               \
        [CM_OP_ISAR] = sari_##host,                                                                \
    };

ON_EACH_HOST(OPERATIONS)

cm_lane_kernel cm_fpu_kernel(enum cm_op op)
{
    switch (cm_op_info(op)->cost) {
    case CM_COST_FPU_CONVERT:
        return cm_fpu_conversion_kernel(op);
    case CM_COST_FPU_COMPARE:
        return cm_fpu_context_kernel(op);
    default:
        break;
    }
    if (op == CM_OP_FSEL32 || op == CM_OP_FSEL64)
        return cm_fpu_context_kernel(op);
    return host_operations[cm_host()][op];
}

bool cm_fpu_is_wide(enum cm_op op)
{
    switch (op) {
    case CM_OP_FADD64:
    case CM_OP_FSUB64:
    case CM_OP_FMUL64:
    case CM_OP_FMA64:
    case CM_OP_FDIV64:
    case CM_OP_FSQRT64:
    case CM_OP_FNEG64:
    case CM_OP_FABS64:
    case CM_OP_FMIN64:
    case CM_OP_FMAX64:
    case CM_OP_FEQ64:
    case CM_OP_FLT64:
    case CM_OP_FLE64:
    case CM_OP_FSEL64:
        return true;
    default:
        return false;
    }
}
