/* Functions along a dimension of an array on the machine. A reduction leaves its results at the
 * first place of the axis, from where they are sent to the array of one dimension less; SPREAD sends
 * its argument to the first place of the new axis, from where it is copied along that. */
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

enum cm_status cm_fortran_transform_spread(struct cm_fortran_transform *transform)
{
    struct cm_fortran_array *source = transform->args[0];
    struct cm_fortran_section from, to;
    uint64_t extent[CM_RANK_MAX + 1], copies = number(transform->args[2]);
    uint32_t axis, rank = source->rank + 1;
    enum cm_status status = find_axis(transform, rank, &axis);
    if (status == CM_OK && (copies == 0 || rank > CM_RANK_MAX))
        status = cm_error_set(transform->run->err, CM_BAD_INPUT, "SPREAD makes no elements");
    if (status != CM_OK)
        return status;
    for (uint32_t i = 0, next = 0; i < rank; i++)
        extent[i] = i == axis ? copies : source->extent[next++];
    status = cm_fortran_transform_result(transform, rank, extent);
    if (status != CM_OK)
        return status;
    cm_fortran_section_of_all(source, &from);
    cm_fortran_section_of_all(transform->value, &to);
    cm_fortran_section_drop(&to, axis);
    status = cm_fortran_transform_move(transform, &from, &to);
    struct cm_array *machine = transform->value->machine;
    struct cm_collective_task task = {
        .kind = CM_COLLECTIVE_SPREAD, .layout = machine->layout, .axis = axis};
    struct cm_collective_arrays arrays = {.dst = machine, .src = machine};
    return status == CM_OK ? call_collective(transform, &task, &arrays, NULL) : status;
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
