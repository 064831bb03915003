/* What an observer of a run is told beside what the machine tells: steps, and where the elements of arrays lie. */
#include "../system_private.h"
#include "run_private.h"

void cm_run_observe(struct cm_run *run, const struct cm_observer *observer)
{
    cm_machine_observe(cm_system_machine(run->system), observer);
}

static void place_canonical(const void *layout, uint64_t index, uint32_t *node, uint64_t *local)
{
    const struct cm_array *array = layout;
    uint64_t at[CM_RANK_MAX] = {0};
    for (uint32_t a = 0; a < array->layout.rank; a++) {
        at[a] = index % array->layout.axes[a].length;
        index /= array->layout.axes[a].length;
    }
    cm_layout_place(&array->layout, at, node, local);
}

static void place_allocated(const void *layout, uint64_t index, uint32_t *node, uint64_t *local)
{
    const struct cm_array *array = layout;
    cm_allocation_place(&array->allocation, index, node, local);
}

void cm_run_tell_array(const struct cm_run *run, uint32_t number)
{
    const struct cm_observer *observer = cm_machine_observer(cm_system_machine(run->system));
    const struct cm_array *array = run->arrays[number];
    const struct cm_allocation *allocation = &array->allocation;
    uint64_t shape[CM_RANK_MAX];
    if (observer == NULL || observer->array_lies == NULL)
        return;
    for (uint32_t a = 0; a < array->layout.rank; a++)
        shape[a] = array->layout.axes[a].length;
    bool canonical = allocation->dimensions == 0 && allocation->node_bits == 0;
    observer->array_lies(observer->context,
                         &(struct cm_observed_array){
                             .number = number,
                             .name = array->name,
                             .rank = array->layout.rank,
                             .shape = shape,
                             .elements = array->layout.elements,
                             .slices = array->layout.slices,
                             .address = array->address,
                             .words = array->layout.local_words,
                             .layout = array,
                             .place = canonical ? place_canonical : place_allocated,
                         });
}

void cm_run_tell_arrays(const struct cm_run *run)
{
    for (uint32_t i = 0; i < run->workload->array_count; i++)
        cm_run_tell_array(run, i);
}

void cm_run_tell_step(const struct cm_run *run, const struct cm_run_step *plan)
{
    const struct cm_machine *machine = cm_system_machine(run->system);
    const struct cm_observer *observer = cm_machine_observer(machine);
    if (observer == NULL || observer->step_begins == NULL)
        return;
    struct cm_counters counters = cm_machine_counters(machine);
    observer->step_begins(observer->context, cm_step_kind_names[plan->step->kind],
                          plan->step->where, &counters);
}

void cm_run_tell_step_end(const struct cm_run *run)
{
    const struct cm_machine *machine = cm_system_machine(run->system);
    const struct cm_observer *observer = cm_machine_observer(machine);
    if (observer == NULL || observer->step_ends == NULL)
        return;
    struct cm_counters counters = cm_machine_counters(machine);
    observer->step_ends(observer->context, &counters);
}
