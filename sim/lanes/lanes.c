/* Executes a queue of deferred operations, block by block, with compiled loops. */
#include "lanes.h"

#include <assert.h>

/* Copies an operand that is not in a register to `to`, in the form that the kernel expects. */
static void fetch(const struct cm_lane_operation *operation, uint32_t i, const uint32_t *words,
                  struct cm_lanes lanes, uint32_t block_nodes, uint64_t *to)
{
    uint32_t *const narrow = (uint32_t *)(void *)to;
    const bool joined = operation->joined >> i & 1;
    const uint64_t constant = operation->operands[i].constant;
    for (uint32_t n = 0; n < block_nodes; n++)
        if (operation->operands[i].kind == CM_VALUE_MEMORY)
            to[n] = words[n] | (uint64_t)words[lanes.nodes + n] << 32;
        else if (joined)
            to[n] = constant;
        else
            narrow[n] = (uint32_t)constant;
}

static void put(uint32_t *words, struct cm_lanes lanes, uint32_t block_nodes, const uint64_t *from)
{
    for (uint32_t n = 0; n < block_nodes; n++) {
        words[n] = (uint32_t)from[n];
        words[lanes.nodes + n] = (uint32_t)(from[n] >> 32);
    }
}

static void execute(const struct cm_lane_operation *operation, uint32_t block,
                    struct cm_lanes lanes, uint32_t block_nodes)
{
    uint64_t fetched[CM_LANE_OPERANDS][CM_LANE_CODE_NODES];
    uint32_t *at[CM_LANE_OPERANDS], *out = NULL;
    for (uint32_t i = 0; i < CM_LANE_OPERANDS; i++) {
        const struct cm_lane_operand *operand = &operation->operands[i];
        const bool constant = operand->kind == CM_VALUE_CONSTANT;
        at[i] = constant ? NULL : operand->at + (size_t)block * operand->step;
        if (!constant && !(operation->joined >> i & 1))
            continue;
        assert(block_nodes <= CM_LANE_CODE_NODES);
        if (i == 0)
            out = at[i];
        else
            fetch(operation, i, at[i], lanes, block_nodes, fetched[i]);
        at[i] = (uint32_t *)(void *)fetched[i];
    }
    operation->kernel(at, block_nodes, operation->word + (uint64_t)block * operation->word_step);
    if (out)
        put(out, lanes, block_nodes, fetched[0]);
}

static void execute_block(const struct cm_lane_queue *queue, uint32_t block, struct cm_lanes lanes,
                          uint32_t block_nodes)
{
    for (uint32_t i = 0; i < queue->count; i++)
        if (queue->operations[i].kernel)
            execute(&queue->operations[i], block, lanes, block_nodes);
        else
            queue->chain_kernels[queue->operations[i].wide](&queue->chains[i], block, block_nodes);
}

void cm_lanes_execute(const struct cm_lane_queue *queue, struct cm_lanes lanes,
                      uint32_t block_nodes)
{
    uint32_t blocks = (lanes.last - lanes.first) / block_nodes;
    for (uint32_t block = 0; block < blocks; block++)
        execute_block(queue, block, lanes, block_nodes);
}
