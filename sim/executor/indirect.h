/*
 * Transfers between planes and transposers in which each node has a slot of its own. Neighbouring
 * nodes use few different slots, so a block of nodes is done slot by slot with masks, in vectors,
 * instead of node by node.
 */
#ifndef CM_SIM_INDIRECT_H
#define CM_SIM_INDIRECT_H

#include "kernels.h"

#define CM_INDIRECT_BLOCK 64u /* nodes */

/* The slot of each node, and which slots occur in each block of nodes (bit s: slot s). */
struct cm_indirect {
    const uint8_t *slots;
    const uint64_t *present; /* a block each; the last may be short */
};

/* The loops, for one kind of host processor. */
struct cm_indirect_kernels {
    /* registers[slot of n] of node n = src; registers is slot-major. */
    void (*scatter)(struct cm_lanes lanes, uint32_t *registers, struct cm_indirect choice,
                    const uint32_t *src);
    /* dst = registers[slot of n] of node n. */
    void (*gather)(struct cm_lanes lanes, uint32_t *dst, const uint32_t *registers,
                   struct cm_indirect choice);
    /* The same where mask is all ones. */
    void (*gather_masked)(struct cm_lanes lanes, uint32_t *dst, const uint32_t *registers,
                          struct cm_indirect choice, const uint32_t *mask);
};

/* The fastest that this host can run. */
const struct cm_indirect_kernels *cm_indirect_kernels_choose(void);

#endif
