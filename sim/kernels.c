/* The data loops, written so that the compiler's vectorizer takes them. */
#include "kernels.h"

#include <string.h>

static size_t lane_count(struct cm_lanes lanes)
{
    return lanes.last - lanes.first;
}

void cm_kernel_copy(struct cm_lanes lanes, uint32_t *dst, const uint32_t *src)
{
    memmove(dst + lanes.first, src + lanes.first, lane_count(lanes) * sizeof *dst);
}

void cm_kernel_copy_masked(struct cm_lanes lanes, uint32_t *dst, const uint32_t *src,
                           const uint32_t *mask)
{
    for (uint32_t n = lanes.first; n < lanes.last; n++)
        dst[n] = (src[n] & mask[n]) | (dst[n] & ~mask[n]);
}

/* Planes next to each other, of all nodes: one block, if copying forward overwrites nothing that is
 * still to be read. */
static bool is_one_block(struct cm_lanes lanes, const uint32_t *dst, const uint32_t *src,
                         uint64_t count, int64_t dst_stride, int64_t src_stride)
{
    return lane_count(lanes) == lanes.nodes && dst_stride == 1 && src_stride == 1 &&
           (dst <= src || dst >= src + count * lanes.nodes);
}

void cm_kernel_move(struct cm_lanes lanes, uint32_t *dst, const uint32_t *src, uint64_t count,
                    int64_t dst_stride, int64_t src_stride, bool nontemporal)
{
    size_t bytes = lane_count(lanes) * sizeof *dst;
    if (nontemporal && cm_nontemporal_can(bytes)) {
        cm_nontemporal_rows(dst + lanes.first, src + lanes.first, count, bytes,
                            dst_stride * (int64_t)lanes.nodes, src_stride * (int64_t)lanes.nodes);
        return;
    }
    if (is_one_block(lanes, dst, src, count, dst_stride, src_stride)) {
        memmove(dst, src, count * bytes);
        return;
    }
    for (uint64_t k = 0; k < count; k++) {
        cm_kernel_copy(lanes, dst, src);
        dst += dst_stride * (int64_t)lanes.nodes;
        src += src_stride * (int64_t)lanes.nodes;
    }
}

/* Neighbours are within a group of 2, 4 or 8 nodes: the compiler turns the fixed pattern into
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

void cm_kernel_exchange(struct cm_lanes lanes, uint32_t *dst, const uint32_t *src,
                        uint32_t dimension)
{
    size_t distance = (size_t)1 << dimension;
    if (distance >= lane_count(lanes)) { /* all our neighbours belong to one other range */
        memcpy(dst + lanes.first, src + (lanes.first ^ distance), lane_count(lanes) * sizeof *dst);
        return;
    }
    if (distance == 1)
        exchange_within_2(dst + lanes.first, src + lanes.first, lane_count(lanes));
    else if (distance == 2)
        exchange_within_4(dst + lanes.first, src + lanes.first, lane_count(lanes));
    else if (distance == 4)
        exchange_within_8(dst + lanes.first, src + lanes.first, lane_count(lanes));
    else
        for (size_t n = lanes.first; n < lanes.last; n += distance)
            memcpy(dst + n, src + (n ^ distance), distance * sizeof *dst);
}

void cm_kernel_fill(struct cm_lanes lanes, uint32_t *dst, uint32_t word)
{
    for (size_t n = lanes.first; n < lanes.last; n++)
        dst[n] = word;
}

void cm_kernel_bit_to_mask(struct cm_lanes lanes, uint32_t *mask, const uint32_t *words,
                           uint32_t bit)
{
    for (size_t n = lanes.first; n < lanes.last; n++)
        mask[n] = 0u - (words[n] >> bit & 1u);
}

void cm_kernel_mask_and_bit(struct cm_lanes lanes, uint32_t *mask, const uint32_t *words,
                            uint32_t bit)
{
    for (size_t n = lanes.first; n < lanes.last; n++)
        mask[n] &= 0u - (words[n] >> bit & 1u);
}

void cm_kernel_mask_not(struct cm_lanes lanes, uint32_t *mask)
{
    for (size_t n = lanes.first; n < lanes.last; n++)
        mask[n] = ~mask[n];
}

void cm_kernel_words_to_mask(struct cm_lanes lanes, uint32_t *mask, const uint32_t *words)
{
    for (size_t n = lanes.first; n < lanes.last; n++)
        mask[n] = 0u - (uint32_t)(words[n] != 0);
}

void cm_kernel_mask_and_words(struct cm_lanes lanes, uint32_t *mask, const uint32_t *words)
{
    for (size_t n = lanes.first; n < lanes.last; n++)
        mask[n] &= 0u - (uint32_t)(words[n] != 0);
}

void cm_kernel_mask_to_words(struct cm_lanes lanes, uint32_t *words, const uint32_t *mask)
{
    for (size_t n = lanes.first; n < lanes.last; n++)
        words[n] = mask[n] & 1u;
}

void cm_kernel_number(struct cm_lanes lanes, uint32_t *dst)
{
    for (uint32_t n = lanes.first; n < lanes.last; n++)
        dst[n] = n;
}
