/* Operations with nodes of other processes: fetching their words for the front end, and
 * exchanges. */
#include "remote.h"

#include <inttypes.h>

/* Checks whether all processes have the same machine description. */
static enum cm_status compare(const struct cm_machine *machine, bool *same, struct cm_error *err)
{
    uint64_t numbers[CM_CONFIG_KEY_COUNT + 2] = {machine->nodes};
    for (uint32_t i = 0; i < cm_config_count() && i <= CM_CONFIG_KEY_COUNT; i++)
        numbers[i + 1] = cm_config_at(&machine->config, i).value;
    return cm_processes_agree(machine->link, numbers, sizeof numbers, same, err);
}

/* Divides the nodes among the processes. Without data each process executes all nodes. */
enum cm_status cm_remote_join(struct cm_machine *machine, struct cm_error *err)
{
    const struct cm_process_link *link = machine->timing_only ? NULL : cm_processes();
    bool same = true;
    machine->own_nodes = machine->nodes;
    if (link == NULL)
        return CM_OK;
    if (link->count > machine->nodes) {
        cm_error_set(err, CM_BAD_INPUT,
                     "%" PRIu32 " processes for %" PRIu32 " node%s: a process needs one at least",
                     link->count, machine->nodes, machine->nodes == 1 ? "" : "s");
        return cm_error_hint(err, "use at most %" PRIu32 " processes", machine->nodes);
    }
    machine->link = link;
    machine->own_nodes = machine->nodes / link->count;
    machine->first_node = link->rank * machine->own_nodes;
    enum cm_status status = compare(machine, &same, err);
    if (status != CM_OK || same)
        return status;
    return cm_error_refuse(err, "give all hosts the same files",
                           "the processes do not have the same machine description");
}

enum cm_status cm_remote_gather(const struct cm_machine *machine, uint32_t *planes, uint64_t count,
                                struct cm_error *err)
{
    return cm_processes_gather(machine->link, planes, machine->own_nodes * sizeof *planes, count,
                               err);
}

void cm_remote_agree(struct cm_machine *machine, const struct cm_channels_finding *finding)
{
    static const enum cm_combination ways[] = {CM_COMBINE_MIN, CM_COMBINE_SUM, CM_COMBINE_OR,
                                               CM_COMBINE_OR};
    uint64_t numbers[] = {finding->fault, finding->sent_words, finding->slot_mask,
                          finding->no_memory};
    if (machine->joined == CM_OK)
        machine->joined = cm_processes_combine(machine->link, numbers, ways, 4, NULL);
    machine->finding = *finding;
    machine->finding.fault = numbers[0];
    machine->finding.sent_words = numbers[1];
    machine->finding.slot_mask = numbers[2];
    machine->finding.no_memory = numbers[3] != 0;
}

void cm_remote_begin(struct cm_machine *machine, uint32_t *to, const uint32_t *from,
                     uint32_t dimension)
{
    const struct cm_process_link *link = machine->link;
    uint32_t partner = (machine->first_node ^ UINT32_C(1) << dimension) / machine->own_nodes;
    if (machine->joined == CM_OK &&
        !cm_processes_begin(link, partner, from + machine->first_node, to + machine->first_node,
                            machine->own_nodes * sizeof *to))
        machine->joined = CM_IO;
}

void cm_remote_push(struct cm_machine *machine)
{
    machine->link->push(machine->link->context);
}

void cm_remote_finish(struct cm_machine *machine)
{
    if (machine->joined == CM_OK && !cm_processes_finish(machine->link))
        machine->joined = CM_IO;
}
