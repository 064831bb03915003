/* Functions along a dimension of an array on the machine. A reduction leaves its results at the
 * first place of the axis, from where they are sent to the array of one dimension less; SPREAD
 * sends its argument to the first place of the new axis, from where it is copied along that. */
#include "machine_transform.h"

static uint64_t number(const struct cm_fortran_array *scalar)
{
    int32_t value = *(const int32_t *)scalar->host;
    return value > 0 ? (uint64_t)value : 0;
}

/* The axis that DIM names, from 0, of `rank` axes. */
static enum cm_status find_axis(const struct cm_fortran_transform *transform, uint32_t rank,
                                uint32_t *axis)
{
    uint64_t dim = transform->args[1] != NULL ? number(transform->args[1]) : 0;
    *axis = (uint32_t)dim - 1;
    return dim > 0 && dim <= rank
               ? CM_OK
               : cm_error_set(transform->run->err, CM_BAD_INPUT, "DIM is not one of the array's");
}

static enum cm_status call_collective(struct cm_fortran_transform *transform,
                                      const struct cm_collective_task *task,
                                      const struct cm_collective_arrays *arrays,
                                      struct cm_collective_value *value)
{
    struct cm_fortran_run *run = transform->run;
    struct cm_collective *made;
    enum cm_status status = cm_fortran_find_collective(run, task, &made);
    return status == CM_OK ? cm_collective_call(run->system, made, arrays, value, run->err)
                           : status;
}

/* Combines along the axis, into `reduced` at its first place. */
static enum cm_status reduce(struct cm_fortran_transform *transform, uint32_t axis,
                             struct cm_fortran_array *reduced)
{
    const struct cm_fortran_array *source = transform->args[0], *mask = transform->args[2];
    struct cm_collective_task task = {.kind = CM_COLLECTIVE_REDUCE,
                                      .op = cm_fortran_collective_op(transform->call->intrinsic),
                                      .layout = source->machine->layout,
                                      .axis = axis,
                                      .masked = mask != NULL};
    struct cm_collective_arrays arrays = {.dst = reduced->machine,
                                          .src = source->machine,
                                          .mask = mask != NULL ? mask->machine : NULL};
    return call_collective(transform, &task, &arrays, NULL);
}

enum cm_status cm_fortran_transform_reduce(struct cm_fortran_transform *transform)
{
    struct cm_fortran_array *source = transform->args[0], *reduced;
    struct cm_fortran_section from, to;
    uint32_t axis;
    enum cm_status status = find_axis(transform, source->rank, &axis);
    if (status == CM_OK)
        status = cm_fortran_array_like(transform->run, source, (enum cm_type)transform->call->type,
                                       &reduced);
    if (status != CM_OK)
        return status;
    status = reduce(transform, axis, reduced);
    cm_fortran_section_of_all(reduced, &from);
    cm_fortran_section_drop(&from, axis);
    if (status == CM_OK)
        status = cm_fortran_transform_result(transform, from.rank, from.extent);
    if (status == CM_OK) {
        cm_fortran_section_of_all(transform->value, &to);
        status = cm_fortran_transform_move(transform, &from, &to);
    }
    cm_fortran_array_destroy(transform->run, reduced);
    return status;
}

/* Whether the source is all that there is at one place of an axis whose length is wanted. */
static bool lies_along(const struct cm_fortran_section *source, uint32_t axis, uint64_t copies)
{
    const struct cm_fortran_array *array = source->array;
    if (array->rank != source->rank + 1 || array->extent[axis] != copies)
        return false;
    for (uint32_t i = 0; i < array->rank; i++) {
        const struct cm_fortran_range *range = &source->ranges[i];
        if (i == axis ? !range->dropped
                      : range->dropped || range->count != array->extent[i] || range->stride != 1)
            return false;
    }
    return true;
}

/* Copies what is at a place of the axis of `from` to all places of the value. */
static enum cm_status copy_along(struct cm_fortran_transform *transform,
                                 const struct cm_fortran_array *from, uint32_t axis, uint64_t place)
{
    struct cm_collective_task task = {.kind = CM_COLLECTIVE_SPREAD,
                                      .layout = from->machine->layout,
                                      .axis = axis,
                                      .place = place};
    struct cm_collective_arrays arrays = {.dst = transform->value->machine, .src = from->machine};
    return call_collective(transform, &task, &arrays, NULL);
}

static enum cm_status spread(struct cm_fortran_transform *transform,
                             const struct cm_fortran_section *from, uint32_t axis, uint64_t copies)
{
    struct cm_fortran_section to;
    uint64_t extent[CM_RANK_MAX];
    for (uint32_t i = 0, next = 0; i <= from->rank; i++)
        extent[i] = i == axis ? copies : from->extent[next++];
    enum cm_status status = cm_fortran_transform_result(transform, from->rank + 1, extent);
    if (status != CM_OK)
        return status;
    cm_fortran_section_of_all(transform->value, &to);
    cm_fortran_section_drop(&to, axis);
    status = cm_fortran_transform_move(transform, from, &to);
    return status == CM_OK ? copy_along(transform, transform->value, axis, 0) : status;
}

enum cm_status cm_fortran_transform_spread(struct cm_fortran_transform *transform)
{
    struct cm_fortran_section from = transform->source;
    uint64_t copies = number(transform->args[2]);
    uint32_t axis;
    if (!transform->has_source)
        cm_fortran_section_of_all(transform->args[0], &from);
    enum cm_status status = find_axis(transform, from.rank + 1, &axis);
    if (status == CM_OK && (copies == 0 || from.rank == CM_RANK_MAX))
        status = cm_error_set(transform->run->err, CM_BAD_INPUT, "SPREAD makes no elements");
    if (status != CM_OK)
        return status;
    if (!lies_along(&from, axis, copies))
        return spread(transform, &from, axis, copies);
    status = cm_fortran_array_like(transform->run, from.array, from.array->type, &transform->value);
    return status == CM_OK
               ? copy_along(transform, from.array, axis, (uint64_t)from.ranges[axis].first)
               : status;
}

/* The subscripts, from 1 in each dimension; the value is in the front end. */
enum cm_status cm_fortran_transform_locate(struct cm_fortran_transform *transform)
{
    const struct cm_fortran_array *source = transform->args[0], *mask = transform->args[1];
    struct cm_collective_task task = {.kind = CM_COLLECTIVE_REDUCE,
                                      .op = cm_fortran_collective_op(transform->call->intrinsic),
                                      .layout = source->machine->layout,
                                      .axis = CM_COLLECTIVE_WHOLE,
                                      .masked = mask != NULL};
    struct cm_collective_arrays arrays = {.src = source->machine,
                                          .mask = mask != NULL ? mask->machine : NULL};
    struct cm_collective_value found;
    uint64_t rank = source->rank;
    enum cm_status status = call_collective(transform, &task, &arrays, &found);
    if (status == CM_OK)
        status = cm_fortran_array_host(transform->run, CM_TYPE_INT32, 1, &rank, &transform->value);
    uint64_t left = status == CM_OK ? found.bits.words[0] : 0;
    for (uint32_t i = 0; left > 0 && i < source->rank; i++) {
        ((int32_t *)transform->value->host)[i] = (int32_t)((left - 1) % source->extent[i]) + 1;
        left = (left - 1) / source->extent[i] + 1;
    }
    return status;
}
