/*
 * Kernels: the loops over planes that move data. The loop of one instruction works on a block of
 * nodes. Moves and exchanges work on the nodes [first, last) that one host thread owns. Ranges are
 * aligned to their length, which is a power of two.
 */
#ifndef CM_SIM_KERNELS_H
#define CM_SIM_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Range of nodes that a host thread works on, in planes of `nodes` words. */
struct cm_lanes {
    uint32_t first;
    uint32_t last;
    uint32_t nodes;
};

/*
 * Kernel: loop of an instruction over `count` nodes. at[i] points to operand i, usually with the
 * result as operand 0. Where the instruction has no operand i, at[i] is any valid pointer. `word`
 * is a constant of the instruction.
 */
typedef void (*cm_lane_kernel)(uint32_t *const at[], uint32_t count, uint64_t word);

void cm_kernel_nothing(uint32_t *const at[], uint32_t count, uint64_t word);
/* Copies words: at[0] = at[1]. */
void cm_kernel_copy(uint32_t *const at[], uint32_t count, uint64_t word);
/* Copies 64-bit values: at[0] = at[1]. */
void cm_kernel_copy64(uint32_t *const at[], uint32_t count, uint64_t word);
/* Copies words where the mask at[2] is all ones: at[0] = at[1]. Other words stay. */
void cm_kernel_copy_masked(uint32_t *const at[], uint32_t count, uint64_t word);
/* These functions fill at[0] with `word`, of 32 or 64 bits. */
void cm_kernel_fill(uint32_t *const at[], uint32_t count, uint64_t word);
void cm_kernel_fill64(uint32_t *const at[], uint32_t count, uint64_t word);
/* Sets the mask at[0] to all ones where bit `word` of at[1] is set, else to 0. */
void cm_kernel_bit_to_mask(uint32_t *const at[], uint32_t count, uint64_t word);
/* Clears the mask at[0] where bit `word` of at[1] is not set. */
void cm_kernel_mask_and_bit(uint32_t *const at[], uint32_t count, uint64_t word);
/* Complements the mask at[0]. */
void cm_kernel_mask_not(uint32_t *const at[], uint32_t count, uint64_t word);
/* Sets the mask at[0] to all ones where at[1] is not 0, else to 0. */
void cm_kernel_words_to_mask(uint32_t *const at[], uint32_t count, uint64_t word);
/* Clears the mask at[0] where at[1] is 0. */
void cm_kernel_mask_and_words(uint32_t *const at[], uint32_t count, uint64_t word);
/* Sets the words at[0] to 1 where the mask at[1] is all ones, else to 0. */
void cm_kernel_mask_to_words(uint32_t *const at[], uint32_t count, uint64_t word);
/* Numbers the nodes: sets the words at[0] to word, word + 1 ... */
void cm_kernel_number(uint32_t *const at[], uint32_t count, uint64_t word);
/* Copies the high half of register at[1] to the low half of at[0]. Both registers are split. */
void cm_kernel_high_half(uint32_t *const at[], uint32_t count, uint64_t word);
/* Makes the low halves of at[1] and at[2] the low and the high half of register at[0]. All
 * registers are split. */
void cm_kernel_halves(uint32_t *const at[], uint32_t count, uint64_t word);

/* A move of `count` planes: plane k of dst = plane k of src, each advancing by its stride in
 * planes. */
struct cm_plane_move {
    uint32_t *dst;
    const uint32_t *src;
    uint64_t count;
    int64_t dst_stride, src_stride;
    /* True if stores bypass the host's caches. A run needs this if it moves more data than the
     * caches hold. */
    bool nontemporal;
};

/* Copies planes in order, one after the other. So overlapping ranges give the result of the
 * machine's move instruction. */
void cm_kernel_move(struct cm_lanes lanes, const struct cm_plane_move *move);
/* Exchanges words over a cube dimension: dst of node n = src of node n XOR 2^dimension. */
void cm_kernel_exchange(struct cm_lanes lanes, uint32_t *dst, const uint32_t *src,
                        uint32_t dimension);

/*
 * nontemporal.c: copies of many rows with stores that bypass the host's caches. A copy larger than
 * the caches would otherwise read each destination line before overwriting it.
 */
/* True if a run that moves `moved_bytes` gains from nontemporal stores, because it moves more than
 * the host's caches hold. */
bool cm_nontemporal_pays(double moved_bytes);
/* True if the host can copy rows of `row_bytes` with nontemporal stores. */
bool cm_nontemporal_can(size_t row_bytes);

/* Copies rows in order, first to last. Strides between rows are in words. A source row and a
 * destination row are equal or disjoint. */
void cm_nontemporal_rows(uint32_t *dst, const uint32_t *src, uint64_t count, size_t row_bytes,
                         int64_t dst_stride_words, int64_t src_stride_words);

#endif
