/* Inspection of the sequencer and the nodes, between runs or while an observer stops the run. */
#include "inspect.h"
#include "machine_private.h"

int64_t cm_machine_address_register(const struct cm_machine *machine, uint32_t reg)
{
    return machine->workers[0].address[reg];
}

uint32_t cm_machine_loop_count(const struct cm_machine *machine)
{
    return machine->workers[0].loop_depth;
}

struct cm_inspected_loop cm_machine_loop(const struct cm_machine *machine, uint32_t i)
{
    const struct cm_worker *worker = &machine->workers[0];
    return (struct cm_inspected_loop){worker->loops[i].start, worker->loops[i].left};
}

uint64_t cm_machine_exchange_left(const struct cm_machine *machine)
{
    return machine->clock.exchange_left;
}

/* Returns the worker that has a node, after executing the worker's deferred operations. */
static struct cm_worker *settled(struct cm_machine *machine, uint32_t node)
{
    const uint32_t nodes = machine->own_nodes / machine->active_workers;
    struct cm_worker *worker = &machine->workers[(node - machine->first_node) / nodes];
    cm_execute_deferred(worker);
    return worker;
}

bool cm_machine_context_flag(struct cm_machine *machine, uint32_t node)
{
    const struct cm_worker *worker = settled(machine, node);
    const struct cm_planes flags = cm_state_planes(machine, machine->context);
    return machine->timing_only || worker->context_full || *cm_planes_word(&flags, 0, node) != 0;
}

/* Reads a node's value from the storage of an FPU register. The register keeps the two halves of
 * 64-bit values separate, or joined. */
static uint64_t held(const struct cm_worker *worker, uint32_t node, uint32_t reg)
{
    const struct cm_fpu *fpu = &worker->machine->fpu;
    uint32_t lane = (node - cm_worker_node(worker)) % fpu->block_nodes;
    const uint32_t *words = cm_fpu_register(fpu, node - lane, reg);
    if (worker->deferred.registers[reg].joined)
        return ((const uint64_t *)(const void *)words)[lane];
    return words[lane] | (uint64_t)words[fpu->block_nodes + lane] << 32;
}

uint64_t cm_machine_fpu_register(struct cm_machine *machine, uint32_t node, uint32_t reg)
{
    if (machine->timing_only)
        return 0;
    const struct cm_worker *worker = settled(machine, node);
    const struct cm_register *r = &worker->deferred.registers[reg];
    uint64_t copy = r->constant;
    if (r->kind == CM_VALUE_REGISTER)
        return held(worker, node, reg);
    if (r->kind == CM_VALUE_MEMORY) {
        copy = *cm_memory_word(&machine->memory, node, r->address);
        if (r->wide)
            copy |= (uint64_t)*cm_memory_word(&machine->memory, node, r->address + 1) << 32;
    }
    if (r->wide)
        return copy;
    return (held(worker, node, reg) & ~(uint64_t)UINT32_MAX) | (uint32_t)copy;
}

uint32_t cm_machine_transposer_word(struct cm_machine *machine, uint32_t node,
                                    enum cm_transposer transposer, uint32_t slot)
{
    settled(machine, node);
    if (machine->transposers[transposer] == NULL || slot >= machine->config.transposer_slots)
        return 0;
    const struct cm_planes slots = cm_state_planes(machine, machine->transposers[transposer]);
    return *cm_planes_word(&slots, slot, node);
}

void cm_machine_slots_pending(struct cm_machine *machine, uint64_t *slots)
{
    struct cm_channels *channels = &machine->workers[0].channels;
    cm_channels_slots_pending(channels, cm_channels_pending(channels), slots);
}
