/*
 * Indexed loads and stores: each node adds a register to the address. The sequencer has checked the
 * indices of all nodes before it calls the executor.
 *
 * These instructions are executed immediately, node after node. They are not deferred, because
 * deferred operations work on whole planes, and here each node accesses a plane of its own.
 */
#include "deferred_private.h"

#include <string.h>

static uint32_t operand_register(const struct cm_issue *issue, unsigned number)
{
    return issue->instruction->operands[number].reg;
}

void cm_execute_need_index(struct cm_worker *worker, const struct cm_issue *issue)
{
    cm_execute_need_register(worker, operand_register(issue, CM_INDEX_OPERAND));
}

/* Returns the low half of a split register in a node. */
static uint32_t low_half(const struct cm_fpu *fpu, uint32_t node, uint32_t reg)
{
    return cm_fpu_register(fpu, node, reg)[node % fpu->block_nodes];
}

static bool is_active(const struct cm_worker *worker, uint32_t node)
{
    const struct cm_machine *machine = worker->machine;
    const uint32_t partition = node / machine->partition_nodes;
    return worker->context_full || machine->context[partition * machine->partition_state_words +
                                                    node % machine->partition_nodes] != 0;
}

void cm_execute_find_index(const struct cm_worker *worker, const struct cm_issue *issue,
                           uint64_t *fault)
{
    const struct cm_machine *machine = worker->machine;
    const uint32_t reg = operand_register(issue, CM_INDEX_OPERAND);
    const uint64_t count = cm_reach_words(issue->instruction);
    const uint64_t words = cm_access_words(issue->instruction->op);
    for (uint32_t node = machine->first_node; node < machine->first_node + machine->own_nodes;
         node++) {
        const uint64_t index = low_half(&machine->fpu, node, reg);
        if (index + words <= count || !is_active(worker, node))
            continue;
        *fault = (uint64_t)node << 32 | index;
        return;
    }
}

/* One lane block of the worker's nodes. */
struct block {
    uint32_t first; /* first node, counted from the first node of the partition */
    uint32_t nodes;
    const uint32_t *context;   /* flags of the nodes, or NULL if all are set */
    const uint32_t *registers; /* registers of the nodes */
};

static struct block block_at(const struct cm_worker *worker, uint32_t first)
{
    const struct cm_fpu *fpu = &worker->machine->fpu;
    const uint32_t node = cm_worker_node(worker) + (first - worker->lanes.first);
    return (struct block){.first = first,
                          .nodes = fpu->block_nodes,
                          .context = worker->context_full ? NULL : worker->context + first,
                          .registers = cm_fpu_register(fpu, node, 0)};
}

static const uint32_t *register_of(const struct block *block, uint32_t reg)
{
    return block->registers + (size_t)reg * 2 * block->nodes;
}

/* Returns a pointer to the memory word that node n of a block selects by its index, or NULL if the
 * node's context flag is clear. */
static uint32_t *word_at(const struct cm_worker *worker, const struct block *block, uint32_t n,
                         uint32_t *plane, uint32_t index)
{
    if (block->context && block->context[n] == 0)
        return NULL;
    return plane + (size_t)index * worker->lanes.nodes + block->first + n;
}

static void load_block(struct cm_worker *worker, const struct cm_issue *issue,
                       const struct block *block)
{
    uint32_t indices[CM_FPU_BLOCK_NODES_MAX];
    uint32_t *plane = cm_worker_plane(worker, issue->at.data);
    uint32_t *narrow = (uint32_t *)register_of(block, operand_register(issue, 0));
    const bool wide = cm_access_words(issue->instruction->op) == 2;
    /* The indices are copied, because the result may go to their register. */
    memcpy(indices, register_of(block, operand_register(issue, CM_INDEX_OPERAND)),
           block->nodes * sizeof *indices);
    for (uint32_t n = 0; n < block->nodes; n++) {
        const uint32_t *from = word_at(worker, block, n, plane, indices[n]);
        if (wide) {
            narrow[n] = from ? from[0] : 0;
            narrow[block->nodes + n] = from ? from[worker->lanes.nodes] : 0;
        } else {
            narrow[n] = from ? *from : 0;
        }
    }
}

static void store_block(struct cm_worker *worker, const struct cm_issue *issue,
                        const struct block *block)
{
    const uint32_t *value = register_of(block, operand_register(issue, 1));
    const uint32_t *indices = register_of(block, operand_register(issue, CM_INDEX_OPERAND));
    uint32_t *plane = cm_worker_plane(worker, issue->at.data);
    const bool wide = cm_access_words(issue->instruction->op) == 2;
    for (uint32_t n = 0; n < block->nodes; n++) {
        uint32_t *to = word_at(worker, block, n, plane, indices[n]);
        if (!to)
            continue;
        to[0] = value[n];
        if (wide)
            to[worker->lanes.nodes] = value[block->nodes + n];
    }
}

static void for_each_block(struct cm_worker *worker, const struct cm_issue *issue,
                           void (*function)(struct cm_worker *worker, const struct cm_issue *issue,
                                            const struct block *block))
{
    for (uint32_t first = worker->lanes.first; first < worker->lanes.last;
         first += worker->machine->fpu.block_nodes) {
        const struct block block = block_at(worker, first);
        function(worker, issue, &block);
    }
}

void cm_execute_load_indexed(struct cm_worker *worker, const struct cm_issue *issue)
{
    cm_deferred_need(worker, operand_register(issue, CM_INDEX_OPERAND), false);
    cm_deferred_need(worker, operand_register(issue, 0), false);
    cm_execute_deferred(worker);
    for_each_block(worker, issue, load_block);
}

void cm_execute_store_indexed(struct cm_worker *worker, const struct cm_issue *issue)
{
    cm_deferred_load_aliases(worker, issue->at.data, cm_reach_words(issue->instruction));
    cm_deferred_need(worker, operand_register(issue, 1), false);
    cm_deferred_need(worker, operand_register(issue, CM_INDEX_OPERAND), false);
    cm_execute_deferred(worker);
    for_each_block(worker, issue, store_block);
}
