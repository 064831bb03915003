/* Transfers of 64-bit values between node memory, whose words have 32 bits, and FPU registers. */
#include "fpu_vectors.h"

/* Joins low and high words to vectors of 64-bit values. */
#define JOIN(host)                                                                                 \
    words_##host low, high;                                                                        \
    memcpy(&low, lows + n, sizeof low);                                                            \
    memcpy(&high, highs + n, sizeof high);                                                         \
    words_##host value0 = JOIN0_##host(low, high), value1 = JOIN1_##host(low, high);               \
    memcpy(joined + (size_t)n * 2, &value0, sizeof value0);                                        \
    memcpy(joined + (size_t)n * 2 + NODES_IN(words_##host), &value1, sizeof value1)
/* Splits vectors of 64-bit values into low and high words. */
#define SPLIT(host)                                                                                \
    words_##host value0, value1;                                                                   \
    memcpy(&value0, joined + (size_t)n * 2, sizeof value0);                                        \
    memcpy(&value1, joined + (size_t)n * 2 + NODES_IN(words_##host), sizeof value1);               \
    words_##host low = EVEN_##host(value0, value1), high = ODD_##host(value0, value1)
/* Replaces results by the previous words where the mask is not set. */
#define UNDER_MASK(host)                                                                           \
    words_##host mask, low_before, high_before;                                                    \
    memcpy(&mask, masks + n, sizeof mask);                                                         \
    memcpy(&low_before, lows + n, sizeof low_before);                                              \
    memcpy(&high_before, highs + n, sizeof high_before);                                           \
    low = CHOOSE(mask, low, low_before);                                                           \
    high = CHOOSE(mask, high, high_before)
#define FOR_VECTORS(host) for (; n + NODES_IN(words_##host) <= count; n += NODES_IN(words_##host))

#define OPERATIONS(host, attributes)                                                               \
    attributes static void load_##host(uint32_t *const at[], uint32_t count, uint64_t word)        \
    {                                                                                              \
        uint32_t *const joined = at[0];                                                            \
        const uint32_t *const lows = at[1], *const highs = at[2];                                  \
        uint32_t n = 0;                                                                            \
        (void)word;                                                                                \
        FOR_VECTORS(host)                                                                          \
        {                                                                                          \
            JOIN(host);                                                                            \
        }                                                                                          \
        for (; n < count; n++) {                                                                   \
            joined[2 * (size_t)n] = lows[n];                                                       \
            joined[2 * (size_t)n + 1] = highs[n];                                                  \
        }                                                                                          \
    }                                                                                              \
    attributes static void store_##host(uint32_t *const at[], uint32_t count, uint64_t word)       \
    {                                                                                              \
        uint32_t *const lows = at[0], *const highs = at[1];                                        \
        const uint32_t *const joined = at[2];                                                      \
        uint32_t n = 0;                                                                            \
        (void)word;                                                                                \
        FOR_VECTORS(host)                                                                          \
        {                                                                                          \
            SPLIT(host);                                                                           \
            memcpy(lows + n, &low, sizeof low);                                                    \
            memcpy(highs + n, &high, sizeof high);                                                 \
        }                                                                                          \
        for (; n < count; n++) {                                                                   \
            lows[n] = joined[2 * (size_t)n];                                                       \
            highs[n] = joined[2 * (size_t)n + 1];                                                  \
        }                                                                                          \
    }                                                                                              \
    attributes static void store_masked_##host(uint32_t *const at[], uint32_t count,               \
                                               uint64_t word)                                      \
    {                                                                                              \
        uint32_t *const lows = at[0], *const highs = at[1];                                        \
        const uint32_t *const joined = at[2], *const masks = at[3];                                \
        uint32_t n = 0;                                                                            \
        (void)word;                                                                                \
        FOR_VECTORS(host)                                                                          \
        {                                                                                          \
            SPLIT(host);                                                                           \
            UNDER_MASK(host);                                                                      \
            memcpy(lows + n, &low, sizeof low);                                                    \
            memcpy(highs + n, &high, sizeof high);                                                 \
        }                                                                                          \
        for (; n < count; n++)                                                                     \
            if (masks[n]) {                                                                        \
                lows[n] = joined[2 * (size_t)n];                                                   \
                highs[n] = joined[2 * (size_t)n + 1];                                              \
            }                                                                                      \
    }                                                                                              \
    static const struct cm_fpu_memory_kernels kernels_##host = {                                   \
        .load = load_##host, .store = store_##host, .store_masked = store_masked_##host};

OPERATIONS(plain, )
#ifdef CM_HOST_X86
OPERATIONS(avx2, CM_FOR_AVX2)
OPERATIONS(avx512, CM_FOR_AVX512)
#endif

const struct cm_fpu_memory_kernels *cm_fpu_memory_kernels(void)
{
    static const struct cm_fpu_memory_kernels *const kernels[CM_HOST_COUNT] = {
        [CM_HOST_PLAIN] = &kernels_plain,
#ifdef CM_HOST_X86
        [CM_HOST_AVX2] = &kernels_avx2,
        [CM_HOST_AVX512] = &kernels_avx512,
#endif
    };
    return kernels[cm_host()];
}

void cm_fpu_join(uint32_t *const at[], uint32_t count, uint64_t word)
{
    uint32_t halves[2 * CM_FPU_BLOCK_NODES_MAX];
    memcpy(halves, at[0], (size_t)count * 2 * sizeof *halves);
    cm_fpu_memory_kernels()->load((uint32_t *const[]){at[0], halves, halves + count}, count, word);
}

void cm_fpu_split(uint32_t *const at[], uint32_t count, uint64_t word)
{
    uint32_t joined[2 * CM_FPU_BLOCK_NODES_MAX];
    memcpy(joined, at[0], (size_t)count * 2 * sizeof *joined);
    cm_fpu_memory_kernels()->store((uint32_t *const[]){at[0], at[0] + count, joined}, count, word);
}
