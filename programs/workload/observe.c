/* Reports to the observer of a run: where the elements of each array are. The machine itself
 * reports everything else. */
#include "../system/system_private.h"
#include "step.h"

void cm_run_observe(struct cm_run *run, const struct cm_observer *observer)
{
    cm_machine_observe(cm_system_machine(run->system), observer);
}

/* Returns the number of the first array whose elements are in the same nodes and places as those of
 * array `number`. This is `number` itself if no earlier array has its elements there. */
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
