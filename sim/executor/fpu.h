/*
 * The FPU of every node: 32 registers of 64 bits. 32-bit operations read and write the low half and
 * leave the high half alone. IEEE 754, rounding to nearest; a multiply-add rounds the product, then
 * the sum (an assumption: the Weitek parts chain two rounded operations).
 *
 * The registers of a block of nodes lie together, so that they stay in the host's first-level
 * cache. A register of a block is split, all low halves before all high halves, or joined, a 64-bit
 * value for each node; the worker of the block knows which (struct cm_worker, `joined`).
 */
#ifndef CM_SIM_FPU_H
#define CM_SIM_FPU_H

#include "../../isa/imp.h"
#include "kernels.h"

#define CM_FPU_BLOCK_NODES_MAX 2048u

struct cm_fpu {
    void *allocated;
    uint32_t *words;      /* [block][register][2 * block_nodes], with space between blocks */
    uint32_t block_nodes; /* a power of two */
};

/* From a register of one block to the same of the next. Lines of the host's caches that are a power
 * of two apart displace each other, so blocks are not. */
#define CM_FPU_BLOCK_SPACE 80u
static inline size_t cm_fpu_block_words(const struct cm_fpu *fpu)
{
    return (size_t)CM_FPU_REGISTERS * 2 * fpu->block_nodes + CM_FPU_BLOCK_SPACE;
}

/* A register in the block that begins with node `first`. */
static inline uint32_t *cm_fpu_register(const struct cm_fpu *fpu, uint32_t first, uint32_t reg)
{
    return fpu->words + first / fpu->block_nodes * cm_fpu_block_words(fpu) +
           (size_t)reg * 2 * fpu->block_nodes;
}

/* True for 64-bit arithmetic, comparisons and selections, whose registers are joined; those of all
 * other instructions without memory operands are split. */
bool cm_fpu_is_wide(enum cm_op op);

/*
 * The loop of an instruction whose operands are all registers; NULL for others. The result of a
 * comparison is the context of each node, all ones or 0; source 3 of a selection is the context.
 */
cm_lane_kernel cm_fpu_kernel(enum cm_op op);
cm_lane_kernel cm_fpu_context_kernel(enum cm_op op);    /* fpu_context.c */
cm_lane_kernel cm_fpu_conversion_kernel(enum cm_op op); /* fpu_convert.c */

/*
 * fpu_context.c: at[0] = at[1] where the mask at[3] is all ones, else at[2], of 64-bit values whose
 * low and high words are apart, 2^s words for operand i, s being CM_HALVES_BITS bits of `word` from
 * bit CM_HALVES_BITS * i on. With `both` the other of the two goes to at[4].
 */
#define CM_HALVES_BITS 8u
cm_lane_kernel cm_fpu_select_kernel(bool both);

/* fpu_memory.c: 64-bit values between a joined register and two planes, of low and high words, or
 * the halves of a split one. */
struct cm_fpu_memory_kernels {
    cm_lane_kernel load;         /* joined register = low words, high words */
    cm_lane_kernel store;        /* low words, high words = joined register */
    cm_lane_kernel store_masked; /* the same where the mask, operand 3, is all ones */
};
const struct cm_fpu_memory_kernels *cm_fpu_memory_kernels(void);
/* A register changes from split to joined, and back. */
void cm_fpu_join(uint32_t *const at[], uint32_t count, uint64_t word);
void cm_fpu_split(uint32_t *const at[], uint32_t count, uint64_t word);

#endif
