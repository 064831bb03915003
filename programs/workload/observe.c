/* What a run adds to the events of the machine besides steps: where the elements of arrays lie. */
#include "../system/system_private.h"
#include "step.h"

void cm_run_observe(struct cm_run *run, const struct cm_observer *observer)
{
    cm_machine_observe(cm_system_machine(run->system), observer);
}

/* An array before it whose elements lie in the same nodes and places; else itself. */
static uint32_t find_like(const struct cm_run *run, uint32_t number)
{
    const struct cm_array *array = run->arrays[number];
    for (uint32_t i = 0; i < number; i++) {
        if (cm_layout_equal(&run->arrays[i]->layout, &array->layout) &&
            cm_allocation_equal(&run->arrays[i]->allocation, &array->allocation))
            return i;
    }
    return number;
}

void cm_run_notify_array(const struct cm_run *run, uint32_t number)
{
    if (cm_machine_observer(cm_system_machine(run->system)) != NULL)
        cm_array_report_like(run->system, run->arrays[number], number, find_like(run, number));
}

void cm_run_notify_arrays(const struct cm_run *run)
{
    for (uint32_t i = 0; i < run->workload->array_count; i++)
        cm_run_notify_array(run, i);
}
