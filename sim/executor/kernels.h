/*
 * The loops that move data: straight lines over planes. Those of one instruction work on a block of
 * nodes; moves and exchanges on the nodes [first, last) that one host thread owns. Ranges are
 * aligned to their length, which is a power of two.
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

/*
 * The loop of an instruction, on `count` nodes whose operands begin at at[0] (the result) to at[3];
 * those that it does not have are any valid pointer. `word` is a constant of the instruction.
 */
typedef void (*cm_lane_kernel)(uint32_t *const at[], uint32_t count, uint64_t word);

void cm_kernel_nothing(uint32_t *const at[], uint32_t count, uint64_t word);
/* at[0] = at[1]. */
void cm_kernel_copy(uint32_t *const at[], uint32_t count, uint64_t word);
/* The same for 64-bit values. */
void cm_kernel_copy64(uint32_t *const at[], uint32_t count, uint64_t word);
/* at[0] = at[1] where the mask at[2] is all ones, unchanged where it is 0. */
void cm_kernel_copy_masked(uint32_t *const at[], uint32_t count, uint64_t word);
/* at[0] = word, of 32 or 64 bits. */
void cm_kernel_fill(uint32_t *const at[], uint32_t count, uint64_t word);
void cm_kernel_fill64(uint32_t *const at[], uint32_t count, uint64_t word);
/* mask at[0] = all ones where bit `word` of at[1] is set, else 0. */
void cm_kernel_bit_to_mask(uint32_t *const at[], uint32_t count, uint64_t word);
/* mask at[0] = itself where bit `word` of at[1] is set, else 0. */
void cm_kernel_mask_and_bit(uint32_t *const at[], uint32_t count, uint64_t word);
/* mask at[0] = its complement. */
void cm_kernel_mask_not(uint32_t *const at[], uint32_t count, uint64_t word);
/* mask at[0] = all ones where at[1] is not 0, else 0. */
void cm_kernel_words_to_mask(uint32_t *const at[], uint32_t count, uint64_t word);
/* mask at[0] = itself where at[1] is not 0, else 0. */
void cm_kernel_mask_and_words(uint32_t *const at[], uint32_t count, uint64_t word);
/* at[0] = 1 where the mask at[1] is all ones, else 0. */
void cm_kernel_mask_to_words(uint32_t *const at[], uint32_t count, uint64_t word);
/* at[0] = word, word + 1 ... */
void cm_kernel_number(uint32_t *const at[], uint32_t count, uint64_t word);
/* at[0] = the second half of register at[1]; both split. */
void cm_kernel_high_half(uint32_t *const at[], uint32_t count, uint64_t word);
/* The halves of register at[0] = the first halves of at[1] and at[2]; all split. */
void cm_kernel_halves(uint32_t *const at[], uint32_t count, uint64_t word);

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
