/*
 * The run-time library's shifts: one at a time, any distance, any order of axis, padded axes. A
 * shift is one pass over the ring of all places of the axis (padding included), or two when padding
 * must be jumped: first as if there were none, then, under a mask, the places that the first pass
 * filled from beyond the end. Each pass moves what stays in its node, and sends the rest element by
 * element along the route of the axis (route.h), or, by the router path, leaves it to the router
 * (runtime_router.c).
 */
#include "runtime.h"

#include "../system/compiled_imps.h"
#include "boundary.h"
#include "runtime_compile.h"
#include "runtime_router.h"

#include <inttypes.h>

static void task_key(struct cm_buffer *key, const struct cm_runtime_task *task)
{
    cm_key_begin(key, CM_CACHE_RUNTIME);
    cm_key_layout(key, task->layout);
    cm_key_integer(key, task->axis);
    cm_key_integer(key, task->circular);
    cm_key_integer(key, task->distance);
    cm_key_integer(key, task->by_router);
}

static enum cm_status find(struct cm_system *system, const struct cm_runtime_task *task,
                           const struct cm_compiled **compiled, struct cm_error *err)
{
    struct cm_buffer key;
    task_key(&key, task);
    return cm_compiled_get(system, &key, cm_runtime_make, task, compiled, err);
}

/* A circular distance is reduced to 0 .. length - 1; an end-off one beyond the axis to its
 * length. */
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

static enum cm_status boundary_of(const struct cm_shift *shift, struct cm_boundary *boundary,
                                  bool *needed, struct cm_error *err)
{
    const struct cm_layout *layout = &shift->src->layout;
    enum cm_type type = layout->type;
    *boundary = (struct cm_boundary){.layout = layout, .axis = shift->axis};
    *needed = shift->type != CM_SHIFT_CSHIFT &&
              cm_boundary_places(&layout->axes[shift->axis], shift->distance, &boundary->low,
                                 &boundary->high);
    switch (shift->type) {
    case CM_SHIFT_EOSHIFT_0:
        boundary->scalar = cm_scalar_make(type, 0, 0);
        break;
    case CM_SHIFT_EOSHIFT_1:
        boundary->scalar = cm_scalar_make(type, 1, 0);
        break;
    case CM_SHIFT_EOSHIFT_ARRAY:
        boundary->array = shift->boundary_array;
        if (boundary->array)
            return cm_boundary_check(layout, shift->axis, boundary->array, err);
        boundary->scalar = shift->boundary_scalar;
        break;
    default:
        boundary->scalar = shift->boundary_scalar;
        break;
    }
    return CM_OK;
}

static enum cm_status check_shift(const struct cm_shift *shift, struct cm_error *err)
{
    const struct cm_layout *layout = &shift->src->layout;
    if (!cm_layout_equal(layout, &shift->dst->layout))
        return cm_error_set(err, CM_BAD_INPUT,
                            "arrays \"%s\" and \"%s\" differ in shape, type or layout",
                            shift->src->name, shift->dst->name);
    if (shift->axis >= layout->rank)
        return cm_error_set(err, CM_BAD_INPUT,
                            "axis %" PRIu32 " of array \"%s\", which has rank %" PRIu32,
                            shift->axis + 1, shift->src->name, layout->rank);
    return CM_OK;
}

/* How an array is copied: a shift by 0 of all of it. */
static struct cm_runtime_task copy_task(const struct cm_layout *layout)
{
    return (struct cm_runtime_task){.layout = layout, .circular = true};
}

static enum cm_status run_task(struct cm_system *system, const struct cm_runtime_task *task,
                               uint64_t dst, uint64_t src, enum cm_entry entry,
                               struct cm_error *err)
{
    const struct cm_compiled *compiled;
    uint64_t carry;
    enum cm_status status = find(system, task, &compiled, err);
    if (status != CM_OK)
        return status;
    status = cm_heap_allocate(system->heap, CM_HEAP_TABLES, task->layout->slices,
                              "an element on its way", &carry, err);
    if (status != CM_OK)
        return status;
    const struct cm_actual actuals[] = {{.address = compiled->has_table ? compiled->table : 0},
                                        {.address = dst},
                                        {.address = src},
                                        {.address = carry}};
    status = cm_compiled_run(system, compiled, actuals, entry, err);
    cm_heap_free(system->heap, carry);
    return status;
}

enum cm_status cm_runtime_copy_to(struct cm_system *system, const struct cm_layout *layout,
                                  uint64_t dst, uint64_t src, enum cm_entry entry,
                                  struct cm_error *err)
{
    struct cm_runtime_task task = copy_task(layout);
    return run_task(system, &task, dst, src, entry, err);
}

enum cm_status cm_runtime_prepare_copy(struct cm_system *system, const struct cm_layout *layout,
                                       struct cm_error *err)
{
    const struct cm_compiled *compiled;
    struct cm_runtime_task task = copy_task(layout);
    return find(system, &task, &compiled, err);
}

enum cm_status cm_runtime_copy(struct cm_system *system, struct cm_array *dst,
                               const struct cm_array *src, struct cm_error *err)
{
    if (!cm_layout_equal(&dst->layout, &src->layout))
        return cm_error_set(err, CM_BAD_INPUT,
                            "arrays \"%s\" and \"%s\" differ in shape, type or layout", src->name,
                            dst->name);
    if (dst->address == src->address)
        return CM_OK;
    return cm_runtime_copy_to(system, &src->layout, dst->address, src->address, CM_ENTRY_RUNTIME,
                              err);
}

/* The shift from `src`, an address, which is not the destination's. */
static enum cm_status shift_from(struct cm_system *system, const struct cm_shift *shift,
                                 uint64_t src, enum cm_entry entry, struct cm_error *err)
{
    struct cm_runtime_task task = task_of(shift);
    struct cm_boundary boundary;
    bool bounded;
    enum cm_status status = boundary_of(shift, &boundary, &bounded, err);
    if (status == CM_OK)
        status = run_task(system, &task, shift->dst->address, src, entry, err);
    if (status == CM_OK && task.by_router)
        status = cm_runtime_route(system, &task, shift->dst->address, src, err);
    if (status == CM_OK && bounded)
        status = cm_boundary_fill(system, &boundary, shift->dst, CM_ENTRY_CHAINED, err);
    return status;
}

enum cm_status cm_runtime_shift(struct cm_system *system, const struct cm_shift *shift,
                                struct cm_error *err)
{
    const struct cm_layout *layout = &shift->src->layout;
    uint64_t temporary;
    enum cm_status status = check_shift(shift, err);
    if (status != CM_OK)
        return status;
    if (shift->src->address != shift->dst->address)
        return shift_from(system, shift, shift->src->address, CM_ENTRY_RUNTIME, err);
    status = cm_heap_allocate(system->heap, CM_HEAP_TABLES, layout->local_words,
                              "a copy of the source", &temporary, err);
    if (status != CM_OK)
        return status;
    status =
        cm_runtime_copy_to(system, layout, temporary, shift->src->address, CM_ENTRY_RUNTIME, err);
    if (status == CM_OK)
        status = shift_from(system, shift, temporary, CM_ENTRY_CHAINED, err);
    cm_heap_free(system->heap, temporary);
    return status;
}

enum cm_status cm_runtime_prepare(struct cm_system *system, const struct cm_shift *shift,
                                  struct cm_error *err)
{
    const struct cm_compiled *compiled;
    struct cm_boundary boundary;
    bool bounded;
    enum cm_status status = check_shift(shift, err);
    if (status == CM_OK)
        status = boundary_of(shift, &boundary, &bounded, err);
    if (status != CM_OK)
        return status;
    struct cm_runtime_task task = task_of(shift);
    status = find(system, &task, &compiled, err);
    if (status == CM_OK && task.by_router)
        status = cm_runtime_route_check(system, &task, err);
    if (status == CM_OK && bounded)
        status = cm_boundary_prepare(system, &boundary, err);
    if (status == CM_OK && shift->src->address == shift->dst->address)
        status = cm_runtime_prepare_copy(system, &shift->src->layout, err);
    return status;
}
