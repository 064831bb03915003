/*
 * The loops that move data: straight lines over planes, on the nodes [first, last) that one host
 * thread owns. Ranges are aligned to their length, which is a power of two.
 */
#ifndef CM_SIM_KERNELS_H
#define CM_SIM_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The nodes that a host thread works on, of planes of `nodes` words. */
struct cm_lanes {
    uint32_t first;
    uint32_t last;
    uint32_t nodes;
};

/* dst = src. */
void cm_kernel_copy(struct cm_lanes lanes, uint32_t *dst, const uint32_t *src);
/* dst = src where mask is all ones, unchanged where it is 0. */
void cm_kernel_copy_masked(struct cm_lanes lanes, uint32_t *dst, const uint32_t *src,
                           const uint32_t *mask);
/*
 * `count` planes, one after the other: plane k of dst = plane k of src, each advancing by its
 * stride in planes. In order, so overlapping ranges behave as the machine's moves do.
 * `nontemporal`: the run moves more than the host's caches hold, so the stores bypass them.
 */
void cm_kernel_move(struct cm_lanes lanes, uint32_t *dst, const uint32_t *src, uint64_t count,
                    int64_t dst_stride, int64_t src_stride, bool nontemporal);
/* dst of node n = src of node n XOR 2^dimension. */
void cm_kernel_exchange(struct cm_lanes lanes, uint32_t *dst, const uint32_t *src,
                        uint32_t dimension);
void cm_kernel_fill(struct cm_lanes lanes, uint32_t *dst, uint32_t word);
/* mask = all ones where bit `bit` of the word is set, else 0. */
void cm_kernel_bit_to_mask(struct cm_lanes lanes, uint32_t *mask, const uint32_t *words,
                           uint32_t bit);
/* mask = mask where bit `bit` of the word is set, else 0. */
void cm_kernel_mask_and_bit(struct cm_lanes lanes, uint32_t *mask, const uint32_t *words,
                            uint32_t bit);
/* mask = the complement of mask. */
void cm_kernel_mask_not(struct cm_lanes lanes, uint32_t *mask);
/* mask = all ones where the word is not 0, else 0. */
void cm_kernel_words_to_mask(struct cm_lanes lanes, uint32_t *mask, const uint32_t *words);
/* mask = mask where the word is not 0, else 0. */
void cm_kernel_mask_and_words(struct cm_lanes lanes, uint32_t *mask, const uint32_t *words);
/* words = 1 where mask is all ones, else 0. */
void cm_kernel_mask_to_words(struct cm_lanes lanes, uint32_t *words, const uint32_t *mask);
/* dst = the number of the node. */
void cm_kernel_number(struct cm_lanes lanes, uint32_t *dst);

/*
 * nontemporal.c: copying many rows with stores that bypass the host's caches. A move larger than
 * the caches would otherwise read each destination line before it overwrites it.
 */
/* True when a run that moves so many bytes gains by it: more than the host's caches keep. */
bool cm_nontemporal_pays(double moved_bytes);
/* True when the host can copy rows of this length so. */
bool cm_nontemporal_can(size_t row_bytes);

/* Copies rows in order, first to last; strides in words between rows. Rows do not overlap in
 * part. */
void cm_nontemporal_rows(uint32_t *dst, const uint32_t *src, uint64_t count, size_t row_bytes,
                         int64_t dst_stride_words, int64_t src_stride_words);

#endif
