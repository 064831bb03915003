/* Fills halos of stencils from boundary arrays, with the code that the run-time library uses for
 * end-off shifts. */
#include "../pshift/boundary.h"
#include "stencil_plan.h"

#include <inttypes.h>

/* Halo that the nodes at the edge of an axis fill from a boundary array. */
struct task {
    const struct cm_stencil_plan *plan;
    const struct cm_box *halo;
    uint32_t axis, side;
    const struct cm_array *array;
};

bool cm_stencil_has_boundary_array(const struct cm_stencil_plan *plan, uint32_t a)
{
    return plan->layout.rank > 1 && plan->pattern.boundaries[a] == CM_SHIFT_EOSHIFT_ARRAY;
}

/* Returns true if halo (a, side) of a source has elements and is filled from a boundary array. */
static bool fills(const struct cm_stencil_plan *plan, uint32_t source, uint32_t a, uint32_t side)
{
    return cm_stencil_has_boundary_array(plan, a) &&
           !cm_box_empty(&plan->sources[source].halos[a][side], plan->layout.rank);
}

bool cm_stencil_has_boundary_arrays(const struct cm_stencil_plan *plan)
{
    for (uint32_t s = 0; s < plan->source_count; s++)
        for (uint32_t a = 0; a < plan->layout.rank; a++)
            for (uint32_t side = 0; side < CM_STENCIL_SIDES; side++)
                if (fills(plan, s, a, side))
                    return true;
    return false;
}

/*
 * Returns the place in the halo for the boundary element that is meant for local element `local`.
 * The run-time library delivers the boundary to the first or last elements of the axis, as many as
 * the halo is wide. Each of these elements is moved outside by the width of the halo.
 */
static uint64_t store_at(const void *context, uint64_t local)
{
    const struct task *task = context;
    const struct cm_layout *layout = &task->plan->layout;
    int64_t x[CM_STENCIL_RANK_MAX];
    int64_t width = task->halo->high[task->axis] - task->halo->low[task->axis];
    for (uint32_t a = 0; a < layout->rank; a++) {
        x[a] = (int64_t)(local % layout->axes[a].local_length);
        local /= layout->axes[a].local_length;
    }
    x[task->axis] += task->side == 0 ? -width : width;
    return (uint64_t)cm_box_at(task->halo, layout->rank, x);
}

/* Compiles the code for one halo. This function is a cm_compiled_make for a struct task. */
static enum cm_status make(struct cm_system *system, const void *context,
                           struct cm_compiled *compiled, struct cm_error *err)
{
    const struct task *task = context;
    const struct cm_layout *layout = &task->plan->layout;
    uint64_t length = layout->axes[task->axis].length;
    uint64_t width = (uint64_t)(task->halo->high[task->axis] - task->halo->low[task->axis]);
    struct cm_boundary boundary = {.layout = layout,
                                   .axis = task->axis,
                                   .low = task->side == 0 ? 0 : length - width,
                                   .high = task->side == 0 ? width : length,
                                   .array = task->array,
                                   .store_at = store_at,
                                   .context = task};
    return cm_boundary_array_make(system, &boundary, compiled, err);
}

static enum cm_status find(struct cm_system *system, const struct task *task,
                           const struct cm_compiled **compiled, struct cm_error *err)
{
    struct cm_buffer key;
    cm_key_begin(&key, CM_CACHE_STENCIL_BOUNDARY);
    cm_key_layout(&key, &task->plan->layout);
    CM_CACHE_KEY(&key, task->axis, task->side,
                 (uint64_t)(task->halo->high[task->axis] - task->halo->low[task->axis]),
                 (uint64_t)task->halo->offset);
    cm_key_layout(&key, &task->array->layout);
    return cm_compiled_get(system, &key, make, task, compiled, err);
}

/* Compiles the code that fills one halo from its boundary array, and executes it unless `entry` is
 * NULL. *entry becomes the kind of start for the code that follows. */
static enum cm_status fill_halo(struct cm_system *system, const struct task *task, uint64_t address,
                                enum cm_entry *entry, struct cm_error *err)
{
    const struct cm_compiled *compiled;
    if (!task->array)
        return cm_error_set(err, CM_BAD_INPUT,
                            "axis %" PRIu32 " has an array as boundary, which is missing",
                            task->axis);
    enum cm_status status = cm_boundary_check(&task->plan->layout, task->axis, task->array, err);
    if (status == CM_OK)
        status = find(system, task, &compiled, err);
    if (status != CM_OK || entry == NULL)
        return status;
    struct cm_actual actuals[4] = {
        {.address = compiled->table}, {.address = address}, {.address = task->array->address}};
    status = cm_compiled_run(system, compiled, actuals, *entry, err);
    *entry = CM_ENTRY_CHAINED;
    return status;
}

enum cm_status cm_stencil_fill_boundary_arrays(struct cm_system *system,
                                               const struct cm_stencil_plan *plan,
                                               const uint64_t *halos,
                                               const struct cm_stencil_arguments *arguments,
                                               enum cm_entry *entry, struct cm_error *err)
{
    enum cm_status status = CM_OK;
    for (uint32_t s = 0; s < plan->source_count; s++)
        for (uint32_t a = 0; a < plan->layout.rank; a++)
            for (uint32_t side = 0; status == CM_OK && side < CM_STENCIL_SIDES; side++) {
                struct task task = {plan, &plan->sources[s].halos[a][side], a, side,
                                    arguments->boundary_arrays[a]};
                if (fills(plan, s, a, side))
                    status = fill_halo(system, &task, halos[s], entry, err);
            }
    return status;
}
