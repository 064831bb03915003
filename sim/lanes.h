/*
 * Lane blocks. Between two meetings of the workers nothing crosses lanes, so what instructions do
 * to planes and registers can wait: a worker collects it, addresses worked out, and then plays all
 * of it for one block of nodes after the other. The registers of a block and what they are loaded
 * from stay in the host's first-level cache. Loops of the sequencer are unrolled on the way.
 */
#ifndef CM_SIM_LANES_H
#define CM_SIM_LANES_H

#include "kernels.h"

#define CM_LANE_OPERANDS 4u

/* What an instruction does: a loop over nodes, its operands in the worker's first block, and how
 * many words they lie apart from one block to the next. */
struct cm_lane_work {
    cm_lane_kernel kernel;
    uint32_t *at[CM_LANE_OPERANDS];
    uint32_t step[CM_LANE_OPERANDS];
    uint64_t word;
    uint32_t word_step; /* what a block adds to word */
};

/* What a worker has collected, in order. */
struct cm_lane_queue {
    struct cm_lane_work *work;
    uint32_t count, capacity;
};

/* Plays the work of the queue in blocks of `block_nodes`, and empties it. */
void cm_lanes_play(struct cm_lane_queue *queue, struct cm_lanes lanes, uint32_t block_nodes);

#endif
