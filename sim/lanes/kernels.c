/* The loops that move data, written so that the compiler's vectorizer takes them. */
#include "kernels.h"

#include "../host/host.h"

#include <string.h>
#ifdef CM_HOST_X86
#include <immintrin.h>
#endif

static size_t lane_count(struct cm_lanes lanes)
{
    return lanes.last - lanes.first;
}

static void copy_plane(struct cm_lanes lanes, uint32_t *dst, const uint32_t *src)
{
    memmove(dst + lanes.first, src + lanes.first, lane_count(lanes) * sizeof *dst);
}

/* True if the move is one memmove: adjacent planes of all nodes, where copying forward overwrites
 * nothing that is still to be read. */
static bool is_one_block(struct cm_lanes lanes, const struct cm_plane_move *move)
{
    return lane_count(lanes) == lanes.nodes && move->dst_stride == 1 && move->src_stride == 1 &&
           (move->dst <= move->src || move->dst >= move->src + move->count * lanes.nodes);
}

void cm_kernel_move(struct cm_lanes lanes, const struct cm_plane_move *move)
{
    const int64_t to_step = move->dst_stride * (int64_t)lanes.nodes;
    const int64_t from_step = move->src_stride * (int64_t)lanes.nodes;
    uint32_t *dst = move->dst;
    const uint32_t *src = move->src;
    size_t bytes = lane_count(lanes) * sizeof *dst;
    if (move->nontemporal && cm_nontemporal_can(bytes)) {
        cm_nontemporal_rows(dst + lanes.first, src + lanes.first, move->count, bytes, to_step,
                            from_step);
        return;
    }
    if (is_one_block(lanes, move)) {
        memmove(dst, src, move->count * bytes);
        return;
    }
    for (uint64_t k = 0; k < move->count; k++) {
        copy_plane(lanes, dst, src);
        dst += to_step;
        src += from_step;
    }
}

/* Exchanges neighbours within groups of 2 to 64 nodes. The compiler turns the fixed pattern into
 * shuffles. */
#define EXCHANGE_WITHIN(name, distance)                                                            \
    static void name(uint32_t *restrict dst, const uint32_t *restrict src, size_t count)           \
    {                                                                                              \
        for (size_t n = 0; n < count; n += 2 * (distance))                                         \
            for (size_t k = 0; k < (distance); k++) {                                              \
                uint32_t low = src[n + k];                                                         \
                dst[n + k] = src[n + k + (distance)];                                              \
                dst[n + k + (distance)] = low;                                                     \
            }                                                                                      \
    }

EXCHANGE_WITHIN(exchange_within_2, 1)
EXCHANGE_WITHIN(exchange_within_4, 2)
EXCHANGE_WITHIN(exchange_within_8, 4)
EXCHANGE_WITHIN(exchange_within_16, 8)
EXCHANGE_WITHIN(exchange_within_32, 16)
EXCHANGE_WITHIN(exchange_within_64, 32)

/* Functions that exchange over the six lowest dimensions. Over higher dimensions, neighbours are
 * exchanged in rows of adjacent nodes. */
static void (*const exchanges_within[])(uint32_t *restrict, const uint32_t *restrict, size_t) = {
    exchange_within_2,  exchange_within_4,  exchange_within_8,
    exchange_within_16, exchange_within_32, exchange_within_64,
};

void cm_kernel_exchange(struct cm_lanes lanes, uint32_t *dst, const uint32_t *src,
                        uint32_t dimension)
{
    size_t distance = (size_t)1 << dimension;
    if (distance >= lane_count(lanes)) { /* all neighbours are in one other range of nodes */
        memcpy(dst + lanes.first, src + (lanes.first ^ distance), lane_count(lanes) * sizeof *dst);
        return;
    }
    if (dimension < sizeof exchanges_within / sizeof *exchanges_within)
        exchanges_within[dimension](dst + lanes.first, src + lanes.first, lane_count(lanes));
    else
        for (size_t n = lanes.first; n < lanes.last; n += distance)
            memcpy(dst + n, src + (n ^ distance), distance * sizeof *dst);
}

/* Loops of instructions, written so that the compiler's vectorizer takes them. Operands are equal
 * or disjoint. AVX-512 does not make these loops faster than AVX2. */
#define LANE_BODY(name, attributes, statement)                                                     \
    attributes static void name(uint32_t *const at[], uint32_t count, uint64_t word)               \
    {                                                                                              \
        uint32_t *const to = at[0];                                                                \
        const uint32_t *const a = at[1], *const b = at[2];                                         \
        (void)a, (void)b, (void)word;                                                              \
        for (size_t n = 0; n < count; n++)                                                         \
            statement;                                                                             \
    }
#ifdef CM_HOST_X86
#define LANE_LOOP(name, statement)                                                                 \
    LANE_BODY(name##_plain, , statement)                                                           \
    LANE_BODY(name##_avx2, CM_FOR_AVX2, statement)                                                 \
    void cm_kernel_##name(uint32_t *const at[], uint32_t count, uint64_t word)                     \
    {                                                                                              \
        (cm_host() == CM_HOST_PLAIN ? name##_plain : name##_avx2)(at, count, word);                \
    }
#else
#define LANE_LOOP(name, statement)                                                                 \
    LANE_BODY(name##_plain, , statement)                                                           \
    void cm_kernel_##name(uint32_t *const at[], uint32_t count, uint64_t word)                     \
    {                                                                                              \
        name##_plain(at, count, word);                                                             \
    }
#endif

LANE_LOOP(fill, to[n] = (uint32_t)word)
LANE_LOOP(bit_to_mask, to[n] = 0u - (a[n] >> (word & 31) & 1u))
LANE_LOOP(mask_and_bit, to[n] &= 0u - (a[n] >> (word & 31) & 1u))
LANE_LOOP(mask_not, to[n] = ~to[n])
LANE_LOOP(words_to_mask, to[n] = 0u - (uint32_t)(a[n] != 0))
LANE_LOOP(mask_and_words, to[n] &= 0u - (uint32_t)(a[n] != 0))
LANE_LOOP(mask_to_words, to[n] = a[n] & 1u)
LANE_LOOP(number, to[n] = (uint32_t)(word + n))

/*
 * Masked copies skip cache lines whose mask is all clear. Masks often select nodes by a bit of
 * their number, so whole lines are not written, and bringing a line in takes most of the time.
 */
LANE_BODY(copy_masked_plain, , to[n] = (a[n] & b[n]) | (to[n] & ~b[n]))

#ifdef CM_HOST_X86
CM_FOR_AVX2 static void copy_masked_avx2(uint32_t *const at[], uint32_t count, uint64_t word)
{
    uint32_t n = 0;
    for (; n + 8 <= count; n += 8) {
        const __m256i mask = _mm256_loadu_si256((const __m256i *)(const void *)(at[2] + n));
        if (_mm256_testz_si256(mask, mask))
            continue;
        const __m256i from = _mm256_loadu_si256((const __m256i *)(const void *)(at[1] + n));
        __m256i *to = (__m256i *)(void *)(at[0] + n);
        _mm256_storeu_si256(to, _mm256_blendv_epi8(_mm256_loadu_si256(to), from, mask));
    }
    copy_masked_plain((uint32_t *const[]){at[0] + n, at[1] + n, at[2] + n}, count - n, word);
}

CM_FOR_AVX512 static void copy_masked_avx512(uint32_t *const at[], uint32_t count, uint64_t word)
{
    uint32_t n = 0;
    for (; n + 16 <= count; n += 16) {
        const __m512i words = _mm512_loadu_si512(at[2] + n);
        const __mmask16 mask = _mm512_test_epi32_mask(words, words);
        if (mask)
            _mm512_mask_storeu_epi32(at[0] + n, mask, _mm512_loadu_si512(at[1] + n));
    }
    copy_masked_plain((uint32_t *const[]){at[0] + n, at[1] + n, at[2] + n}, count - n, word);
}
#endif

void cm_kernel_copy_masked(uint32_t *const at[], uint32_t count, uint64_t word)
{
    static const cm_lane_kernel kernels[CM_HOST_COUNT] = {
        [CM_HOST_PLAIN] = copy_masked_plain,
#ifdef CM_HOST_X86
        [CM_HOST_AVX2] = copy_masked_avx2,
        [CM_HOST_AVX512] = copy_masked_avx512,
#endif
    };
    kernels[cm_host()](at, count, word);
}

void cm_kernel_nothing(uint32_t *const at[], uint32_t count, uint64_t word)
{
    (void)at, (void)count, (void)word;
}

void cm_kernel_copy(uint32_t *const at[], uint32_t count, uint64_t word)
{
    (void)word;
    memmove(at[0], at[1], count * sizeof *at[0]);
}

void cm_kernel_copy64(uint32_t *const at[], uint32_t count, uint64_t word)
{
    cm_kernel_copy(at, 2 * count, word);
}

void cm_kernel_fill64(uint32_t *const at[], uint32_t count, uint64_t word)
{
    for (size_t n = 0; n < count; n++)
        memcpy(at[0] + 2 * n, &word, sizeof word);
}

void cm_kernel_high_half(uint32_t *const at[], uint32_t count, uint64_t word)
{
    cm_kernel_copy((uint32_t *const[]){at[0], at[1] + count}, count, word);
}

/* Copies the second half first, so that no first half is overwritten before it is read. */
void cm_kernel_halves(uint32_t *const at[], uint32_t count, uint64_t word)
{
    cm_kernel_copy((uint32_t *const[]){at[0] + count, at[2]}, count, word);
    cm_kernel_copy((uint32_t *const[]){at[0], at[1]}, count, word);
}
