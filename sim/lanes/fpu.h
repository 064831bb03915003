/*
 * The FPU of every node: 32 registers of 64 bits. 32-bit operations read and write the low half and
 * keep the high half. Arithmetic is IEEE 754 with rounding to nearest. A multiply-add rounds the
 * product, then the sum, which is an assumption: the Weitek parts chain two rounded operations.
 *
 * The registers of a block of nodes are adjacent, so that they stay in the host's first-level
 * cache. A register of a block is split (all low halves before all high halves) or joined (one
 * 64-bit value for each node). The worker that owns the block knows which (struct cm_register,
 * `joined`).
 */
#ifndef CM_SIM_FPU_H
#define CM_SIM_FPU_H

#include "../../isa/imp.h"
#include "kernels.h"

#define CM_FPU_BLOCK_NODES_MAX 2048u

struct cm_fpu {
    void *allocated;
    uint32_t *words;      /* [block][register][2 * block_nodes], with padding between blocks */
    uint32_t block_nodes; /* number of nodes in a block, a power of two */
};

/* Padding between blocks, in words. Cache lines whose distance is a power of two evict each other,
 * so blocks are not a power of two apart. */
#define CM_FPU_BLOCK_SPACE 80u
static inline size_t cm_fpu_block_words(const struct cm_fpu *fpu)
{
    return (size_t)CM_FPU_REGISTERS * 2 * fpu->block_nodes + CM_FPU_BLOCK_SPACE;
}

/* Returns the words of a register in the block that begins with node `first`. */
static inline uint32_t *cm_fpu_register(const struct cm_fpu *fpu, uint32_t first, uint32_t reg)
{
    return fpu->words + first / fpu->block_nodes * cm_fpu_block_words(fpu) +
           (size_t)reg * 2 * fpu->block_nodes;
}

/* True if an instruction is one of 64-bit arithmetic, comparisons and selections, whose registers
 * are joined. All other instructions without memory operands use split registers. */
bool cm_fpu_is_wide(enum cm_op op);

/*
 * Returns the kernel, a loop over nodes, of an instruction whose operands are all registers, or
 * NULL for other instructions. The result of a comparison is the context flag of each node, all
 * ones or 0. Source 3 of a selection is the context flag.
 */
cm_lane_kernel cm_fpu_kernel(enum cm_op op);
cm_lane_kernel cm_fpu_context_kernel(enum cm_op op);    /* kernels of comparisons and selections */
cm_lane_kernel cm_fpu_conversion_kernel(enum cm_op op); /* kernels of conversions */

/*
 * Returns the loop of a 64-bit selection on separate halves (fpu_context.c): at[0] = at[1] where
 * the mask at[3] is all ones, else at[2]. The high words of operand i are 2^s words behind its low
 * words. s is the value of CM_HALVES_BITS bits of `word` from bit CM_HALVES_BITS * i on. With
 * `both`, the value that was not selected goes to at[4].
 */
#define CM_HALVES_BITS 8u
cm_lane_kernel cm_fpu_select_kernel(bool both);

/* Loops that convert 64-bit values between a joined register and two planes, or the halves of a
 * split register (fpu_memory.c). */
struct cm_fpu_memory_kernels {
    cm_lane_kernel load;         /* joined register = low words, high words */
    cm_lane_kernel store;        /* low words, high words = joined register */
    cm_lane_kernel store_masked; /* as `store`, but only where the mask, operand 3, is all ones */
};
const struct cm_fpu_memory_kernels *cm_fpu_memory_kernels(void);
/* These functions convert a register from split to joined, and back. */
void cm_fpu_join(uint32_t *const at[], uint32_t count, uint64_t word);
void cm_fpu_split(uint32_t *const at[], uint32_t count, uint64_t word);

#endif
