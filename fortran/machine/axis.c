/*
 * Computes functions along one axis of an array on the machine, such as SUM(A, DIM=1) and SPREAD.
 *
 * A reduction along an axis leaves its results at the first index of the axis. The router then
 * sends them to the result array, which has one dimension less. SPREAD works the other way: the
 * router sends the source to the first index of the new axis, and a collective operation copies it
 * along the axis.
 */
#include "transform.h"

#include <stdlib.h>

static uint64_t number(const struct cm_fortran_array *scalar)
{
    int32_t value = *(const int32_t *)scalar->host;
    return value > 0 ? (uint64_t)value : 0;
}

/* Finds the axis, from 0, that the DIM argument names. Fails unless it is one of `rank` axes. */
static enum cm_status find_axis(const struct cm_fortran_transform *transform, uint32_t rank,
                                uint32_t *axis)
{
    uint64_t dim = transform->args[1] != NULL ? number(transform->args[1]) : 0;
    *axis = (uint32_t)dim - 1;
    return dim > 0 && dim <= rank ? CM_OK
                                  : cm_error_set(transform->run->err, CM_BAD_INPUT,
                                                 "DIM is not a dimension of the array");
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

/* Reduces `source` along an axis into the first index of this axis of `reduced`, and sends the
 * results from there to transform->value. */
static enum cm_status combine(struct cm_fortran_transform *transform, enum cm_collective_op op,
                              uint32_t axis, const struct cm_fortran_array *source,
                              const struct cm_fortran_array *mask, struct cm_fortran_array *reduced)
{
    struct cm_fortran_section from, to;
    struct cm_collective_task task = {.kind = CM_COLLECTIVE_REDUCE,
                                      .op = op,
                                      .layout = source->machine->layout,
                                      .axis = axis,
                                      .masked = mask != NULL};
    struct cm_collective_arrays arrays = {.dst = reduced->machine,
                                          .src = source->machine,
                                          .mask = mask != NULL ? mask->machine : NULL};
    enum cm_status status = call_collective(transform, &task, &arrays, NULL);
    cm_fortran_section_of_all(reduced, &from);
    cm_fortran_section_drop(&from, axis);
    if (status == CM_OK)
        status = cm_fortran_transform_result(transform, from.rank, from.extent);
    if (status != CM_OK)
        return status;
    cm_fortran_section_of_all(transform->value, &to);
    return cm_fortran_route(transform->run, &from, &to);
}

/* Fails if a result of MAXVAL or MINVAL is an infinity that may come from no elements or from NaNs
 * alone. Fortran has other values in these cases, so the front end computes the function. The host
 * looks at the results, which costs no cycles. */
static enum cm_status check_extremes(const struct cm_fortran_transform *transform)
{
    enum cm_fortran_intrinsic intrinsic = transform->call->intrinsic;
    struct cm_fortran_array *copy;
    if (intrinsic != CM_FORTRAN_MAXVAL && intrinsic != CM_FORTRAN_MINVAL)
        return CM_OK;
    enum cm_status status = cm_fortran_array_copy(transform->run, transform->value, 0, &copy);
    if (status != CM_OK)
        return status;
    for (uint64_t e = 0; e < copy->elements && status == CM_OK; e++) {
        union cm_fortran_value value;
        cm_fortran_load(copy->type, copy->host, e, &value);
        if (cm_fortran_is_empty_extreme(intrinsic, copy->type, &value))
            status = cm_error_set(transform->run->err, CM_BAD_INPUT,
                                  "an extreme of no element, of NaNs or of infinities alone");
    }
    cm_fortran_array_destroy(transform->run, copy);
    return status;
}

enum cm_status cm_fortran_transform_reduce(struct cm_fortran_transform *transform)
{
    const struct cm_fortran_array *source = transform->args[0];
    struct cm_fortran_array *reduced;
    uint32_t axis;
    enum cm_status status = find_axis(transform, source->rank, &axis);
    if (status == CM_OK)
        status = cm_fortran_array_like(transform->run, source, (enum cm_type)transform->call->type,
                                       &reduced);
    if (status != CM_OK)
        return status;
    status = combine(transform, cm_fortran_collective_op(transform->call->intrinsic), axis, source,
                     transform->args[2], reduced);
    if (status == CM_OK)
        status = check_extremes(transform);
    cm_fortran_array_destroy(transform->run, reduced);
    return status;
}

/* Returns true if SPREAD copies the elements at one index of an axis, and this axis is as long as
 * the number of copies. Then the router is not needed. */
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

/* Copies the elements at index `place` of an axis of `from` to all indices of this axis of `to`, an
 * array with the same placement. */
static enum cm_status copy_along(struct cm_fortran_transform *transform,
                                 const struct cm_fortran_array *from, uint32_t axis, uint64_t place,
                                 const struct cm_fortran_array *to)
{
    struct cm_collective_task task = {.kind = CM_COLLECTIVE_SPREAD,
                                      .layout = from->machine->layout,
                                      .axis = axis,
                                      .place = place};
    struct cm_collective_arrays arrays = {.dst = to->machine, .src = from->machine};
    return call_collective(transform, &task, &arrays, NULL);
}

/* Sends a section to the first index of an axis of `to`, and copies it from there along the
 * axis. */
static enum cm_status spread_to(struct cm_fortran_transform *transform,
                                const struct cm_fortran_section *from, uint32_t axis,
                                struct cm_fortran_array *to)
{
    struct cm_fortran_section first;
    cm_fortran_section_of_all(to, &first);
    cm_fortran_section_drop(&first, axis);
    enum cm_status status = cm_fortran_route(transform->run, from, &first);
    return status == CM_OK ? copy_along(transform, to, axis, 0, to) : status;
}

static enum cm_status spread(struct cm_fortran_transform *transform,
                             const struct cm_fortran_section *from, uint32_t axis, uint64_t copies)
{
    uint64_t extent[CM_RANK_MAX];
    for (uint32_t i = 0, next = 0; i <= from->rank; i++)
        extent[i] = i == axis ? copies : from->extent[next++];
    enum cm_status status = cm_fortran_transform_result(transform, from->rank + 1, extent);
    return status == CM_OK ? spread_to(transform, from, axis, transform->value) : status;
}

/* Spreads a section. If it selects elements along serial axes, copies them to a temporary array
 * first. */
static enum cm_status spread_selected(struct cm_fortran_transform *transform,
                                      struct cm_fortran_section *from, uint32_t axis,
                                      uint64_t copies)
{
    struct cm_fortran_array *copy = NULL;
    bool narrowed;
    enum cm_status status = cm_fortran_section_narrow(transform->run, from, true, &narrowed);
    if (status == CM_OK && narrowed) {
        status = cm_fortran_view_copy(transform->run, from->view, &copy);
        from->array = copy;
    }
    if (status == CM_OK)
        status = spread(transform, from, axis, copies);
    if (narrowed)
        free(from->view);
    cm_fortran_array_destroy(transform->run, copy);
    return status;
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
        return spread_selected(transform, &from, axis, copies);
    status = cm_fortran_array_like(transform->run, from.array, from.array->type, &transform->value);
    return status == CM_OK ? copy_along(transform, from.array, axis,
                                        (uint64_t)from.ranges[axis].first, transform->value)
                           : status;
}

/* Finds the number, from 1, of the largest or smallest element, or 0 if the array has no such
 * element. */
static enum cm_status find_extreme(struct cm_fortran_transform *transform,
                                   const struct cm_fortran_array *source,
                                   struct cm_collective_value *found)
{
    const struct cm_fortran_array *mask = transform->args[1];
    struct cm_collective_task task = {.kind = CM_COLLECTIVE_REDUCE,
                                      .op = cm_fortran_collective_op(transform->call->intrinsic),
                                      .layout = source->machine->layout,
                                      .axis = CM_COLLECTIVE_WHOLE,
                                      .masked = mask != NULL};
    struct cm_collective_arrays arrays = {.src = source->machine,
                                          .mask = mask != NULL ? mask->machine : NULL};
    return call_collective(transform, &task, &arrays, found);
}

/* Finds the first element under the mask, for an array that has NaNs alone: reduces an array of
 * zeros under the same mask. */
static enum cm_status find_first(struct cm_fortran_transform *transform,
                                 struct cm_collective_value *found)
{
    struct cm_fortran_array *zeros;
    struct cm_fortran_section model;
    union cm_fortran_value zero = {.integer = 0};
    struct cm_fortran_expression constant = {.kind = CM_FORTRAN_CONSTANT,
                                             .type = CM_TYPE_INT32,
                                             .place = transform->call->place,
                                             .value = zero};
    cm_fortran_section_of_all(transform->args[0], &model);
    enum cm_status status = cm_fortran_evaluate_at(transform->run, &model, &constant, &zeros);
    if (status != CM_OK)
        return status;
    status = find_extreme(transform, zeros, found);
    cm_fortran_array_destroy(transform->run, zeros);
    return status;
}

/* Computes MAXLOC or MINLOC. The result is an array in the front end with the subscripts of the
 * element, from 1. */
enum cm_status cm_fortran_transform_locate(struct cm_fortran_transform *transform)
{
    const struct cm_fortran_array *source = transform->args[0];
    struct cm_collective_value found;
    uint64_t rank = source->rank;
    enum cm_status status = find_extreme(transform, source, &found);
    if (status == CM_OK && found.bits.words[0] == 0 && source->type != CM_TYPE_INT32)
        status = find_first(transform, &found);
    if (status == CM_OK)
        status = cm_fortran_array_host(transform->run, CM_TYPE_INT32, 1, &rank, &transform->value);
    uint64_t left = status == CM_OK ? found.bits.words[0] : 0;
    for (uint32_t i = 0; left > 0 && i < source->rank; i++) {
        ((int32_t *)transform->value->host)[i] = (int32_t)((left - 1) % source->extent[i]) + 1;
        left = (left - 1) / source->extent[i] + 1;
    }
    return status;
}

/* Computes the array `product` = `matrix` * `product`, element by element. */
static enum cm_status multiply(struct cm_fortran_run *run, struct cm_fortran_array *matrix,
                               const struct cm_fortran_array *product)
{
    struct cm_fortran_section model;
    struct cm_fortran_lowering lowering = {.run = run, .model = &model};
    uint32_t a, b, number, target;
    cm_fortran_section_of_all(matrix, &model);
    enum cm_status status = cm_fortran_lowering_begin(&lowering);
    if (status == CM_OK)
        status = cm_fortran_lower_array(&lowering, matrix->machine, &a, &number);
    if (status == CM_OK)
        status = cm_fortran_lower_array(&lowering, product->machine, &b, &target);
    if (status == CM_OK) {
        uint32_t node = cm_expression_node(lowering.graph, CM_EXPRESSION_MULTIPLY, a, b, 0);
        cm_expression_assign(lowering.graph, target, node, 0);
        status = cm_fortran_lowering_run(&lowering);
    }
    cm_fortran_lowering_end(&lowering);
    return status;
}

/* Computes MATMUL of a matrix and a vector: spreads the vector over an array like the matrix,
 * multiplies the two, and sums the products along an axis. */
enum cm_status cm_fortran_transform_vector(struct cm_fortran_transform *transform)
{
    /* axis along which products are summed */
    uint32_t axis = transform->args[0]->rank == 1 ? 0 : 1;
    struct cm_fortran_array *vector = transform->args[axis], *matrix = transform->args[1 - axis];
    struct cm_fortran_array *product;
    struct cm_fortran_section from;
    if (matrix->type == CM_TYPE_LOGICAL)
        return cm_error_set(transform->run->err, CM_BAD_INPUT, "MATMUL of logical arrays");
    enum cm_status status = cm_fortran_array_like(transform->run, matrix, matrix->type, &product);
    if (status != CM_OK)
        return status;
    cm_fortran_section_of_all(vector, &from);
    status = spread_to(transform, &from, 1 - axis, product);
    if (status == CM_OK)
        status = multiply(transform->run, matrix, product);
    if (status == CM_OK)
        status = combine(transform, CM_COLLECTIVE_SUM, axis, product, NULL, product);
    cm_fortran_array_destroy(transform->run, product);
    return status;
}
