/*
 * Transfers between planes and transposers through a communication table, where each node has its
 * own slot. Neighbouring nodes use few different slots, so a block of nodes is transferred slot by
 * slot with masks, in vectors, instead of node by node.
 */
#ifndef CM_SIM_INDIRECT_H
#define CM_SIM_INDIRECT_H

#include "kernels.h"

#define CM_INDIRECT_BLOCK 64u /* nodes of a block */

/* Slot of each node, and the slots that occur in each block of nodes (bit s: slot s). */
struct cm_indirect {
    const uint8_t *slots;
    const uint64_t *present; /* One word for each block. The last block may be short. */
};

/* Loops of indirect transfers, for one kind of host. */
struct cm_indirect_kernels {
    /* Writes each node's word of `src` to the node's slot: registers[slot of n] of node n = src.
     * `registers` has one plane for each slot. */
    void (*scatter)(struct cm_lanes lanes, uint32_t *registers, struct cm_indirect choice,
                    const uint32_t *src);
    /* Reads each node's slot into its word of `dst`: dst = registers[slot of n] of node n. */
    void (*gather)(struct cm_lanes lanes, uint32_t *dst, const uint32_t *registers,
                   struct cm_indirect choice);
    /* As `gather`, but only for nodes whose mask is all ones. */
    void (*gather_masked)(struct cm_lanes lanes, uint32_t *dst, const uint32_t *registers,
                          struct cm_indirect choice, const uint32_t *mask);
};

/* Returns the fastest loops that this host can run. */
const struct cm_indirect_kernels *cm_indirect_kernels_choose(void);

#endif
