/*
 * Distribution of nodes to workers. Either all workers are active with equally many nodes each, a
 * power of two, or worker 0 is active with all nodes, partition by partition.
 *
 * A worker that becomes active again copies the state of the sequencer, the FPU registers and the
 * channels from worker 0. Data in planes, transposers and registers do not move.
 */
#include "../lanes/code.h"
#include "machine_private.h"

#include <string.h>

void cm_worker_select_partition(struct cm_worker *worker, uint32_t partition)
{
    const struct cm_machine *machine = worker->machine;
    struct cm_lane_code *code = cm_lane_queue_code(&worker->deferred.queue);
    const size_t state = partition * machine->partition_state_words;
    worker->partition = partition;
    if (machine->timing_only)
        return;
    for (uint32_t i = 0; i < CM_TRANSPOSER_COUNT; i++)
        worker->transposers[i] = machine->transposers[i] + state;
    worker->context = machine->context + state;
    if (code)
        cm_lane_code_begin(code, worker->context + worker->lanes.first);
}

/* Gives each worker a slice of the single partition, or one or more whole partitions. */
static void give_nodes(struct cm_machine *machine, uint32_t count)
{
    const uint32_t nodes = machine->own_nodes / count;
    for (uint32_t i = 0; i < count; i++) {
        struct cm_worker *worker = &machine->workers[i];
        const bool whole = !CM_FOR_A_PAGE && machine->partition_count > 1;
        const uint32_t first = whole ? 0 : machine->first_node + i * nodes;
        worker->partition_count = whole ? machine->partition_count / count : 1;
        worker->first_partition = whole ? i * worker->partition_count : 0;
        worker->lanes = (struct cm_lanes){.first = first,
                                          .last = first + nodes / worker->partition_count,
                                          .nodes = machine->partition_nodes};
        cm_worker_select_partition(worker, worker->first_partition);
    }
    machine->crossing_slots =
        machine->channel_slots & ~cm_channel_slots(machine->config.transposer_slots,
                                                   (uint32_t)__builtin_ctz(nodes),
                                                   machine->config.network_channels_per_dimension);
    machine->active_workers = count;
}

/* Copies what is known about the contents of FPU registers to another worker. Neither worker has
 * deferred operations. Each worker numbers its operations separately, so the copy has no operation
 * numbers. */
static void copy_registers(struct cm_deferred *to, const struct cm_deferred *from)
{
    memcpy(to->registers, from->registers, sizeof to->registers);
    for (uint32_t reg = 0; reg < CM_FPU_REGISTERS; reg++) {
        to->registers[reg].written = to->registers[reg].read = 0;
        to->registers[reg].stamp = 0;
    }
    to->changed = UINT32_MAX;
    to->aliases = from->aliases;
    to->selection.number = 0;
}

static bool catch_up(struct cm_worker *worker, const struct cm_worker *first)
{
    memcpy(worker->address, first->address, sizeof worker->address);
    copy_registers(&worker->deferred, &first->deferred);
    return cm_channels_copy(&worker->channels, &first->channels);
}

bool cm_workers_activate(struct cm_machine *machine, uint32_t count)
{
    /* a browser page has one worker */
    const bool comes_back = !CM_FOR_A_PAGE && machine->active_workers > 0;
    if (machine->active_workers == count)
        return true;
    for (uint32_t i = machine->active_workers; comes_back && i < count; i++)
        if (!catch_up(&machine->workers[i], &machine->workers[0]))
            return false;
    give_nodes(machine, count);
    return true;
}
