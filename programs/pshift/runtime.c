/*
 * Shifts of the run-time library: one shift at a time, by any distance, along an axis of any order,
 * padded or not.
 *
 * A shift is one pass over the ring of all places of the axis, padding included. If it must skip
 * padding, it takes two passes: the first as if there were no padding, the second under a mask for
 * the places that the first pass filled from beyond the end. A pass moves the elements that stay in
 * their node, and sends the other elements one by one in hops along the axis (axis_hops.h). If the
 * path is the router, the router sends them (runtime_router.c). The boundary is filled last.
 *
 * A shift of an array onto itself copies only the elements that are overwritten before they are
 * sent, if this is less than the array.
 */
#include "runtime_private.h"

#include "../system/compiled_imps.h"
#include "boundary.h"

#include <inttypes.h>

/* Returns the movement of elements in a shift. Reduces a circular distance to 0 .. length - 1, and
 * an end-off distance beyond the axis to its length. */
static struct cm_runtime_task task_of(const struct cm_shift *shift)
{
    const struct cm_layout *layout = &shift->src->layout;
    int64_t length = (int64_t)layout->axes[shift->axis].length;
    struct cm_runtime_task task = {.layout = layout,
                                   .axis = shift->axis,
                                   .circular = shift->type == CM_SHIFT_CSHIFT,
                                   .distance = shift->distance,
                                   .by_router = shift->path == CM_PATH_ROUTER};
    if (task.circular)
        task.distance = (task.distance % length + length) % length;
    else if (task.distance > length || task.distance < -length)
        task.distance = length;
    return task;
}

/* Returns the movement that copies an array: a shift by distance 0. */
static struct cm_runtime_task copy_of(const struct cm_layout *layout)
{
    return (struct cm_runtime_task){.layout = layout, .circular = true};
}

static enum cm_status check_layouts(const struct cm_array *src, const struct cm_array *dst,
                                    struct cm_error *err)
{
    if (src == NULL || dst == NULL)
        return cm_error_set(err, CM_BAD_INPUT, "the shift has no %s",
                            src == NULL ? "source" : "destination");
    if (cm_layout_equal(&src->layout, &dst->layout))
        return CM_OK;
    return cm_error_set(err, CM_BAD_INPUT,
                        "arrays \"%s\" and \"%s\" differ in shape, type or layout", src->name,
                        dst->name);
}

static enum cm_status check_shift(const struct cm_shift *shift, struct cm_error *err)
{
    enum cm_status status = check_layouts(shift->src, shift->dst, err);
    if (status != CM_OK)
        return status;
    const struct cm_layout *layout = &shift->src->layout;
    if ((unsigned)shift->type >= CM_SHIFT_TYPE_COUNT)
        return cm_error_set(err, CM_BAD_INPUT, "there is no kind of shift %d", (int)shift->type);
    if ((unsigned)shift->path >= CM_PATH_COUNT)
        return cm_error_set(err, CM_BAD_INPUT, "there is no path %d of a shift", (int)shift->path);
    if (shift->axis >= layout->rank)
        return cm_error_set(err, CM_BAD_INPUT,
                            "axis %" PRIu32 " of array \"%s\", which has rank %" PRIu32,
                            shift->axis, shift->src->name, layout->rank);
    if (shift->type == CM_SHIFT_EOSHIFT_ARRAY)
        return cm_boundary_check(layout, shift->axis, shift->boundary_array, err);
    return CM_OK;
}

static enum cm_status find(struct cm_system *system, const struct cm_runtime_task *task,
                           const struct cm_compiled **compiled, struct cm_error *err)
{
    struct cm_buffer key;
    cm_key_begin(&key, CM_CACHE_RUNTIME);
    cm_key_layout(&key, task->layout);
    CM_CACHE_KEY(&key, task->axis, task->circular, (uint64_t)task->distance, task->by_router,
                 task->in_place);
    return cm_compiled_get(system, &key, cm_runtime_make, task, compiled, err);
}

static enum cm_status prepare_task(struct cm_system *system, const struct cm_runtime_task *task,
                                   struct cm_error *err)
{
    const struct cm_compiled *compiled;
    return find(system, task, &compiled, err);
}

static enum cm_status run_task(struct cm_system *system, const struct cm_runtime_task *task,
                               uint64_t dst, uint64_t src, enum cm_entry entry,
                               struct cm_error *err)
{
    const struct cm_compiled *compiled;
    enum cm_status status = find(system, task, &compiled, err);
    if (status != CM_OK)
        return status;
    struct cm_actual actuals[4] = {
        {.address = compiled->table}, {.address = dst}, {.address = src}};
    return cm_compiled_run(system, compiled, actuals, entry, err);
}

enum cm_status cm_runtime_set_aside(struct cm_system *system, const struct cm_layout *layout,
                                    const char *what, enum cm_entry entry, uint64_t *address,
                                    struct cm_error *err)
{
    struct cm_runtime_task task = copy_of(layout);
    uint64_t copy;
    enum cm_status status =
        cm_heap_allocate(system->heap, CM_HEAP_TABLES, layout->local_words, what, &copy, err);
    if (status != CM_OK)
        return status;
    status = run_task(system, &task, copy, *address, entry, err);
    if (status == CM_OK)
        *address = copy;
    else
        cm_heap_free(system->heap, copy);
    return status;
}

enum cm_status cm_runtime_prepare_aside(struct cm_system *system, const struct cm_layout *layout,
                                        struct cm_error *err)
{
    struct cm_runtime_task task = copy_of(layout);
    return prepare_task(system, &task, err);
}

enum cm_status cm_runtime_copy(struct cm_system *system, struct cm_array *dst,
                               const struct cm_array *src, struct cm_error *err)
{
    enum cm_status status = check_layouts(src, dst, err);
    if (status != CM_OK || dst->address == src->address)
        return status;
    struct cm_runtime_task task = copy_of(&src->layout);
    return run_task(system, &task, dst->address, src->address, CM_ENTRY_RUNTIME, err);
}

/* Executes the movement of a shift, then fills its boundary. */
static enum cm_status run_shift(struct cm_system *system, const struct cm_shift *shift,
                                const struct cm_runtime_task *task, uint64_t src,
                                enum cm_entry entry, struct cm_error *err)
{
    enum cm_status status = run_task(system, task, shift->dst->address, src, entry, err);
    if (status == CM_OK && task->by_router)
        status = cm_runtime_route(system, task, shift->dst->address, src, err);
    if (status != CM_OK)
        return status;
    struct cm_boundary boundary = cm_boundary_of(shift);
    return cm_boundary_fill(system, &boundary, shift->dst, CM_ENTRY_CHAINED, err);
}

enum cm_status cm_runtime_shift_from(struct cm_system *system, const struct cm_shift *shift,
                                     uint64_t src, enum cm_entry entry, struct cm_error *err)
{
    const struct cm_runtime_task task = task_of(shift);
    return run_shift(system, shift, &task, src, entry, err);
}

/* Returns the movement of a shift whose source is its destination. It is done in place if it copies
 * fewer elements to scratch memory than the array has. */
static struct cm_runtime_task onto_itself(const struct cm_system *system,
                                          const struct cm_shift *shift)
{
    struct cm_runtime_task task = task_of(shift);
    task.in_place =
        !task.by_router && cm_runtime_aside_elements(&task, cm_machine_config(system->machine)) <
                               task.layout->local_elements;
    return task;
}

enum cm_status cm_runtime_prepare_from(struct cm_system *system, const struct cm_shift *shift,
                                       struct cm_error *err)
{
    struct cm_runtime_task task = task_of(shift);
    struct cm_boundary boundary = cm_boundary_of(shift);
    enum cm_status status = prepare_task(system, &task, err);
    if (status == CM_OK && task.by_router)
        status = cm_runtime_route_check(system, &task, err);
    return status == CM_OK ? cm_boundary_prepare(system, &boundary, err) : status;
}

enum cm_status cm_runtime_shift(struct cm_system *system, const struct cm_shift *shift,
                                struct cm_error *err)
{
    enum cm_status status = check_shift(shift, err);
    if (status != CM_OK)
        return status;
    uint64_t src = shift->src->address;
    if (src != shift->dst->address)
        return cm_runtime_shift_from(system, shift, src, CM_ENTRY_RUNTIME, err);
    const struct cm_runtime_task task = onto_itself(system, shift);
    if (task.in_place)
        return run_shift(system, shift, &task, src, CM_ENTRY_RUNTIME, err);
    status = cm_runtime_set_aside(system, &shift->src->layout, "a copy of the source",
                                  CM_ENTRY_RUNTIME, &src, err);
    if (status != CM_OK)
        return status;
    status = cm_runtime_shift_from(system, shift, src, CM_ENTRY_CHAINED, err);
    cm_heap_free(system->heap, src);
    return status;
}

enum cm_status cm_runtime_prepare(struct cm_system *system, const struct cm_shift *shift,
                                  struct cm_error *err)
{
    enum cm_status status = check_shift(shift, err);
    if (status == CM_OK)
        status = cm_runtime_prepare_from(system, shift, err);
    if (status != CM_OK || shift->src->address != shift->dst->address)
        return status;
    const struct cm_runtime_task task = onto_itself(system, shift);
    if (task.in_place)
        status = prepare_task(system, &task, err);
    else
        status = cm_runtime_prepare_aside(system, &shift->src->layout, err);
    return status;
}
