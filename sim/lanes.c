/* Plays what instructions do, block by block. */
#include "lanes.h"

static void play(const struct cm_lane_work *work, uint32_t block, uint32_t block_nodes)
{
    uint32_t *at[CM_LANE_OPERANDS];
    for (uint32_t i = 0; i < CM_LANE_OPERANDS; i++)
        at[i] = work->at[i] + (size_t)block * work->step[i];
    work->kernel(at, block_nodes, work->word + (uint64_t)block * work->word_step);
}

void cm_lanes_play(struct cm_lane_queue *queue, struct cm_lanes lanes, uint32_t block_nodes)
{
    uint32_t blocks = (lanes.last - lanes.first) / block_nodes;
    for (uint32_t block = 0; block < blocks; block++)
        for (uint32_t i = 0; i < queue->count; i++)
            play(&queue->work[i], block, block_nodes);
    queue->count = 0;
}
