/* Transfers through communication tables: one source of the loops, compiled for each kind of
 * host. */
#include "indirect.h"

#include "../host/host.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

INLINE void scatter_block(uint32_t *restrict registers, size_t nodes, const uint8_t *restrict slots,
                          uint64_t present, const uint32_t *restrict src)
{
    for (; present; present &= present - 1) {
        uint8_t slot = (uint8_t)__builtin_ctzll(present);
        uint32_t *restrict to = registers + slot * nodes;
        for (size_t i = 0; i < CM_INDIRECT_BLOCK; i++)
            to[i] = slots[i] == slot ? src[i] : to[i];
    }
}

INLINE void gather_block(uint32_t *restrict dst, const uint32_t *restrict registers, size_t nodes,
                         const uint8_t *restrict slots, uint64_t present)
{
    uint32_t words[CM_INDIRECT_BLOCK] = {0};
    for (; present; present &= present - 1) {
        uint8_t slot = (uint8_t)__builtin_ctzll(present);
        const uint32_t *restrict from = registers + slot * nodes;
        for (size_t i = 0; i < CM_INDIRECT_BLOCK; i++)
            words[i] = slots[i] == slot ? from[i] : words[i];
    }
    memcpy(dst, words, sizeof words);
}

#ifdef CM_HOST_X86
#include <immintrin.h>
#define VECTOR 16u /* words in a vector of 512 bits */

/* Returns the nodes of a block whose slot is `slot`, a bit each. */
CM_FOR_AVX512 INLINE uint64_t nodes_of(__m512i slots, uint8_t slot)
{
    return _mm512_cmpeq_epi8_mask(slots, _mm512_set1_epi8((char)slot));
}

/* Writes the words of a block of nodes to the nodes' slots, with masks. Slots of other nodes are
 * neither read nor written. */
CM_FOR_AVX512 INLINE void scatter_block_masked(uint32_t *registers, size_t nodes,
                                               const uint8_t *slots, uint64_t present,
                                               const uint32_t *src)
{
    const __m512i all = _mm512_loadu_si512(slots);
    for (; present; present &= present - 1) {
        const uint8_t slot = (uint8_t)__builtin_ctzll(present);
        const uint64_t mask = nodes_of(all, slot);
        uint32_t *to = registers + slot * nodes;
        for (size_t i = 0; i < CM_INDIRECT_BLOCK; i += VECTOR)
            _mm512_mask_storeu_epi32(to + i, (__mmask16)(mask >> i), _mm512_loadu_si512(src + i));
    }
}

CM_FOR_AVX512 INLINE void gather_block_masked(uint32_t *dst, const uint32_t *registers,
                                              size_t nodes, const uint8_t *slots, uint64_t present)
{
    const __m512i all = _mm512_loadu_si512(slots);
    __m512i words[CM_INDIRECT_BLOCK / VECTOR];
    for (size_t i = 0; i < CM_INDIRECT_BLOCK / VECTOR; i++)
        words[i] = _mm512_setzero_si512();
    for (; present; present &= present - 1) {
        const uint8_t slot = (uint8_t)__builtin_ctzll(present);
        const uint64_t mask = nodes_of(all, slot);
        const uint32_t *from = registers + slot * nodes;
        for (size_t i = 0; i < CM_INDIRECT_BLOCK; i += VECTOR)
            words[i / VECTOR] =
                _mm512_mask_loadu_epi32(words[i / VECTOR], (__mmask16)(mask >> i), from + i);
    }
    for (size_t i = 0; i < CM_INDIRECT_BLOCK; i += VECTOR)
        _mm512_storeu_si512(dst + i, words[i / VECTOR]);
}
#endif

INLINE int is_single(uint64_t present)
{
    return (present & (present - 1)) == 0;
}

static void gather_masked(struct cm_lanes lanes, uint32_t *dst, const uint32_t *registers,
                          struct cm_indirect choice, const uint32_t *mask)
{
    for (size_t n = lanes.first; n < lanes.last; n++) {
        uint32_t word = registers[(size_t)choice.slots[n] * lanes.nodes + n];
        dst[n] = (word & mask[n]) | (dst[n] & ~mask[n]);
    }
}

#define BODIES(name, attributes, scatter_function, gather_function)                                \
    attributes static void scatter_##name(struct cm_lanes lanes, uint32_t *registers,              \
                                          struct cm_indirect choice, const uint32_t *src)          \
    {                                                                                              \
        size_t n = lanes.first;                                                                    \
        for (; n % CM_INDIRECT_BLOCK == 0 && n + CM_INDIRECT_BLOCK <= lanes.last;                  \
             n += CM_INDIRECT_BLOCK) {                                                             \
            uint64_t present = choice.present[n / CM_INDIRECT_BLOCK];                              \
            if (is_single(present))                                                                \
                memcpy(registers + (size_t)__builtin_ctzll(present) * lanes.nodes + n, src + n,    \
                       CM_INDIRECT_BLOCK * sizeof *src);                                           \
            else                                                                                   \
                scatter_function(registers + n, lanes.nodes, choice.slots + n, present, src + n);  \
        }                                                                                          \
        for (; n < lanes.last; n++)                                                                \
            registers[(size_t)choice.slots[n] * lanes.nodes + n] = src[n];                         \
    }                                                                                              \
    attributes static void gather_##name(struct cm_lanes lanes, uint32_t *dst,                     \
                                         const uint32_t *registers, struct cm_indirect choice)     \
    {                                                                                              \
        size_t n = lanes.first;                                                                    \
        for (; n % CM_INDIRECT_BLOCK == 0 && n + CM_INDIRECT_BLOCK <= lanes.last;                  \
             n += CM_INDIRECT_BLOCK) {                                                             \
            uint64_t present = choice.present[n / CM_INDIRECT_BLOCK];                              \
            if (is_single(present))                                                                \
                memcpy(dst + n, registers + (size_t)__builtin_ctzll(present) * lanes.nodes + n,    \
                       CM_INDIRECT_BLOCK * sizeof *dst);                                           \
            else                                                                                   \
                gather_function(dst + n, registers + n, lanes.nodes, choice.slots + n, present);   \
        }                                                                                          \
        for (; n < lanes.last; n++)                                                                \
            dst[n] = registers[(size_t)choice.slots[n] * lanes.nodes + n];                         \
    }                                                                                              \
    static const struct cm_indirect_kernels kernels_##name = {                                     \
        .scatter = scatter_##name, .gather = gather_##name, .gather_masked = gather_masked};

BODIES(plain, , scatter_block, gather_block)

#ifdef CM_HOST_X86
BODIES(avx2, CM_FOR_AVX2, scatter_block, gather_block)
BODIES(avx512, CM_FOR_AVX512, scatter_block_masked, gather_block_masked)
#endif

const struct cm_indirect_kernels *cm_indirect_kernels_choose(void)
{
    static const struct cm_indirect_kernels *const kernels[CM_HOST_COUNT] = {
        [CM_HOST_PLAIN] = &kernels_plain,
#ifdef CM_HOST_X86
        [CM_HOST_AVX2] = &kernels_avx2,
        [CM_HOST_AVX512] = &kernels_avx512,
#endif
    };
    return kernels[cm_host()];
}
