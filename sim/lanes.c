/* Plays what instructions do, block by block. */
#include "lanes.h"

static void play(const struct cm_lane_work *work, uint32_t block, uint32_t block_nodes)
{
    uint32_t *at[CM_LANE_OPERANDS];
    for (uint32_t i = 0; i < CM_LANE_OPERANDS; i++)
        at[i] = work->operands[i].at + (size_t)block * work->operands[i].step;
    work->kernel(at, block_nodes, work->word + (uint64_t)block * work->word_step);
}

static void play_block(const struct cm_lane_queue *queue, uint32_t block, uint32_t block_nodes)
{
    for (uint32_t i = 0; i < queue->count; i++)
        if (queue->work[i].kernel)
            play(&queue->work[i], block, block_nodes);
        else
            queue->chain_kernels[queue->work[i].wide](&queue->chains[i], block, block_nodes);
}

void cm_lanes_play(const struct cm_lane_queue *queue, struct cm_lanes lanes, uint32_t block_nodes)
{
    uint32_t blocks = (lanes.last - lanes.first) / block_nodes;
    for (uint32_t block = 0; block < blocks; block++)
        play_block(queue, block, block_nodes);
}
