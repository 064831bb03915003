/*
 * Comparisons, which set the context flag, and selections, which depend on it. There is one loop
 * over the nodes of a block for each instruction and each kind of host.
 */
#include "fpu_vectors.h"

/* Comparisons: the result, all ones or 0, is the context flag. */
#define LOOP_COMPARE32(type, mask, operator)                                                       \
    for (; n + NODES_IN(type) <= count; n += NODES_IN(type)) {                                     \
        type a, b;                                                                                 \
        memcpy(&a, in_a + n, sizeof a);                                                            \
        memcpy(&b, in_b + n, sizeof b);                                                            \
        mask result = (mask)(a operator b);                                                        \
        memcpy(out + n, &result, sizeof result);                                                   \
    }
#define COMPARISON32(name, host, attributes, kind, operator)                                       \
    attributes static void name##_##host(uint32_t *const at[], uint32_t count, uint64_t word)      \
    {                                                                                              \
        OPERANDS;                                                                                  \
        LOOP_COMPARE32(kind##_##host, words_##host, operator)                                      \
        LOOP_COMPARE32(kind##_one, words_one, operator)                                            \
    }

#define LOOP_COMPARE64(host, operator)                                                             \
    for (; n + WIDE_NODES_IN(doubles_##host) <= count; n += WIDE_NODES_IN(doubles_##host)) {       \
        doubles_##host a, b;                                                                       \
        memcpy(&a, in_a + (size_t)n * 2, sizeof a);                                                \
        memcpy(&b, in_b + (size_t)n * 2, sizeof b);                                                \
        half_ints_##host result = __builtin_convertvector(a operator b, half_ints_##host);         \
        memcpy(out + n, &result, sizeof result);                                                   \
    }
#define COMPARISON64(name, host, attributes, operator)                                             \
    attributes static void name##_##host(uint32_t *const at[], uint32_t count, uint64_t word)      \
    {                                                                                              \
        OPERANDS;                                                                                  \
        LOOP_COMPARE64(host, operator)                                                             \
        LOOP_COMPARE64(one, operator)                                                              \
    }

/* fsel64: source c is the mask, one word for each node. */
#define LOOP_SELECT64(host)                                                                        \
    for (; n + WIDE_NODES_IN(doubles_##host) <= count; n += WIDE_NODES_IN(doubles_##host)) {       \
        doubles_##host a, b;                                                                       \
        half_ints_##host c;                                                                        \
        memcpy(&a, in_a + (size_t)n * 2, sizeof a);                                                \
        memcpy(&b, in_b + (size_t)n * 2, sizeof b);                                                \
        memcpy(&c, in_c + n, sizeof c);                                                            \
        doubles_##host result = CHOOSE(__builtin_convertvector(c, __typeof__(a < b)), a, b);       \
        memcpy(out + (size_t)n * 2, &result, sizeof result);                                       \
    }
#define SELECTION64(host, attributes)                                                              \
    attributes static void select64_##host(uint32_t *const at[], uint32_t count, uint64_t word)    \
    {                                                                                              \
        OPERANDS;                                                                                  \
        LOOP_SELECT64(host)                                                                        \
        LOOP_SELECT64(one)                                                                         \
    }

/* Selections of values with separate halves. All sources are read before a result is written,
 * because the result may overwrite a source. */
#define APART(i) ((size_t)1 << (word >> (CM_HALVES_BITS * (i)) & ((1u << CM_HALVES_BITS) - 1)))
#define LOOP_SELECT_HALVES(type, both)                                                             \
    for (; n + NODES_IN(type) <= count; n += NODES_IN(type)) {                                     \
        type low_a, high_a, low_b, high_b, mask;                                                   \
        memcpy(&low_a, at[1] + n, sizeof mask);                                                    \
        memcpy(&high_a, at[1] + apart_a + n, sizeof mask);                                         \
        memcpy(&low_b, at[2] + n, sizeof mask);                                                    \
        memcpy(&high_b, at[2] + apart_b + n, sizeof mask);                                         \
        memcpy(&mask, at[3] + n, sizeof mask);                                                     \
        const type low = CHOOSE(mask, low_a, low_b), high = CHOOSE(mask, high_a, high_b);          \
        memcpy(at[0] + n, &low, sizeof low);                                                       \
        memcpy(at[0] + apart + n, &high, sizeof high);                                             \
        if (both) {                                                                                \
            const type low_4 = CHOOSE(mask, low_b, low_a), high_4 = CHOOSE(mask, high_b, high_a);  \
            memcpy(at[4] + n, &low_4, sizeof low_4);                                               \
            memcpy(at[4] + apart_4 + n, &high_4, sizeof high_4);                                   \
        }                                                                                          \
    }
#define SELECTION_OF_HALVES(name, host, attributes, both)                                          \
    attributes static void name##_##host(uint32_t *const at[], uint32_t count, uint64_t word)      \
    {                                                                                              \
        const size_t apart = APART(0), apart_a = APART(1), apart_b = APART(2), apart_4 = APART(4); \
        uint32_t n = 0;                                                                            \
        (void)apart_4;                                                                             \
        LOOP_SELECT_HALVES(words_##host, both)                                                     \
        LOOP_SELECT_HALVES(words_one, both)                                                        \
    }

/* In the selections below, source c is the context flag. */
#define OPERATIONS(host, attributes)                                                               \
    COMPARISON32(eq32, host, attributes, floats, ==)                                               \
    COMPARISON32(lt32, host, attributes, floats, <)                                                \
    COMPARISON32(le32, host, attributes, floats, <=)                                               \
    COMPARISON64(eq64, host, attributes, ==)                                                       \
    COMPARISON64(lt64, host, attributes, <)                                                        \
    COMPARISON64(le64, host, attributes, <=)                                                       \
    COMPARISON32(eqi, host, attributes, ints, ==)                                                  \
    COMPARISON32(lti, host, attributes, ints, <)                                                   \
    COMPARISON32(lei, host, attributes, ints, <=)                                                  \
    OPERATION32(select32, host, attributes, words, uint32_t, 3, (a & c) | (b & ~c))                \
    SELECTION64(host, attributes)                                                                  \
    SELECTION_OF_HALVES(select_halves, host, attributes, false)                                    \
    SELECTION_OF_HALVES(exchange_halves, host, attributes, true)                                   \
    static const cm_lane_kernel operations_##host[CM_OP_COUNT] = {                                 \
        [CM_OP_FEQ32] = eq32_##host,      [CM_OP_FLT32] = lt32_##host,                             \
        [CM_OP_FLE32] = le32_##host,      [CM_OP_FEQ64] = eq64_##host,                             \
        [CM_OP_FLT64] = lt64_##host,      [CM_OP_FLE64] = le64_##host,                             \
        [CM_OP_IEQ] = eqi_##host,         [CM_OP_ILT] = lti_##host,                                \
        [CM_OP_ILE] = lei_##host,         [CM_OP_FSEL32] = select32_##host,                        \
        [CM_OP_FSEL64] = select64_##host,                                                          \
    };

ON_EACH_HOST(OPERATIONS)

cm_lane_kernel cm_fpu_context_kernel(enum cm_op op)
{
    return host_operations[cm_host()][op];
}

static const cm_lane_kernel selections_of_halves[CM_HOST_COUNT][2] = {
    [CM_HOST_PLAIN] = {select_halves_plain, exchange_halves_plain},
#ifdef CM_HOST_X86
    [CM_HOST_AVX2] = {select_halves_avx2, exchange_halves_avx2},
    [CM_HOST_AVX512] = {select_halves_avx512, exchange_halves_avx512},
#endif
};

cm_lane_kernel cm_fpu_select_kernel(bool both)
{
    return selections_of_halves[cm_host()][both];
}
