/* Sets the observer of a machine, reports events to it, and answers its questions about slots and
 * charges. */
#include "observer.h"
#include "machine_private.h"

void cm_machine_observe(struct cm_machine *machine, const struct cm_observer *observer)
{
    machine->observer = observer;
    /* all causes, because it is unknown which of them earlier observers have seen */
    machine->clock.charged = (UINT32_C(1) << CM_CAUSE_COUNT) - 1;
}

const struct cm_observer *cm_machine_observer(const struct cm_machine *machine)
{
    return machine->observer;
}

void cm_machine_observed_slots(struct cm_machine *machine, enum cm_slots_kind kind, uint32_t number,
                               uint64_t *slots)
{
    struct cm_channels *channels = &machine->workers[0].channels;
    switch (kind) {
    case CM_SLOTS_TABLE:
        cm_channels_slots_of(channels, number, slots);
        break;
    case CM_SLOTS_PENDING:
        cm_channels_slots_pending(channels, number, slots);
        break;
    default:
        for (uint32_t node = 0; node < machine->nodes; node++)
            slots[node] = kind == CM_SLOTS_ONE ? UINT64_C(1) << number : 0;
        return;
    }
    if (machine->joined == CM_OK)
        machine->joined =
            cm_processes_gather(machine->link, slots, machine->own_nodes * sizeof *slots, 1, NULL);
}

void cm_machine_observed_table(struct cm_machine *machine, uint32_t number, uint8_t *slot)
{
    cm_channels_slot_of(&machine->workers[0].channels, number, slot);
    if (machine->joined == CM_OK)
        machine->joined =
            cm_processes_gather(machine->link, slot, machine->own_nodes * sizeof *slot, 1, NULL);
}

enum cm_slots_kind cm_machine_observed_load(const struct cm_machine *machine, uint32_t *state,
                                            uint32_t *number)
{
    const struct cm_channels *channels = &machine->workers[0].channels;
    bool direct = false;
    if (!cm_channels_last_load(channels, state, number, &direct))
        return channels->carried != NULL ? CM_SLOTS_PENDING : CM_SLOTS_NONE;
    return direct ? CM_SLOTS_ONE : CM_SLOTS_TABLE;
}

uint32_t cm_machine_observed_charges(const struct cm_machine *machine)
{
    return machine->clock.charged;
}

void cm_machine_route_begins(struct cm_machine *machine, const struct cm_router_options *options)
{
    CM_OBSERVE(machine->observer, router_begins, options,
               machine->clock.counters.cycles + machine->config.router_start_cycles);
}

void cm_machine_step_begins(const struct cm_machine *machine, const char *op, const char *where)
{
    struct cm_counters counters = cm_machine_counters(machine);
    CM_OBSERVE(machine->observer, step_begins, op, where, &counters);
}

void cm_machine_step_ends(const struct cm_machine *machine)
{
    struct cm_counters counters = cm_machine_counters(machine);
    CM_OBSERVE(machine->observer, step_ends, &counters);
}
