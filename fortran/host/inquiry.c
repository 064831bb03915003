/* Evaluates inquiry functions: bounds, extents, and whether an array is allocated or an argument
 * present. These functions do not read the elements of their arguments. */
#include "evaluate.h"

#include <inttypes.h>

/* Finds the shape and the bounds of an argument. A variable has its own lower bounds, and any other
 * expression has lower bounds of 1. */
static enum cm_status find_shape(struct cm_fortran_run *run,
                                 const struct cm_fortran_expression *argument,
                                 struct cm_fortran_array *shape)
{
    struct cm_fortran_array *array = NULL;
    struct cm_fortran_section section;
    enum cm_status status;
    if (argument->kind == CM_FORTRAN_VARIABLE && argument->rank > 0) {
        status = cm_fortran_array_of(run, argument->variable, argument->place, &array);
        if (status == CM_OK)
            *shape = *array;
        return status;
    }
    *shape = (struct cm_fortran_array){.rank = argument->rank};
    for (uint32_t i = 0; i < argument->rank; i++)
        shape->lower[i] = 1;
    if (argument->kind == CM_FORTRAN_SECTION) {
        status = cm_fortran_section_find(run, argument, &section);
        for (uint32_t i = 0; i < argument->rank && status == CM_OK; i++)
            shape->extent[i] = section.extent[i];
        if (status == CM_OK)
            cm_fortran_section_finish(&section);
        return status;
    }
    status = cm_fortran_host_value(run, argument, &array);
    for (uint32_t i = 0; i < argument->rank && status == CM_OK; i++)
        shape->extent[i] = array->extent[i];
    cm_fortran_array_destroy(run, array);
    return status;
}

static int32_t property(enum cm_fortran_intrinsic intrinsic, const struct cm_fortran_array *shape,
                        uint32_t dim)
{
    bool is_empty = shape->extent[dim] == 0;
    switch (intrinsic) {
    case CM_FORTRAN_LBOUND:
        return is_empty ? 1 : (int32_t)shape->lower[dim];
    case CM_FORTRAN_UBOUND:
        return is_empty ? 0 : (int32_t)(shape->lower[dim] + (int64_t)shape->extent[dim] - 1);
    default:
        return (int32_t)shape->extent[dim];
    }
}

/* Makes an array of `count` numbers if `rank` is 1, or of one number if `rank` is 0. */
static enum cm_status make(struct cm_fortran_run *run, enum cm_type type, uint32_t rank,
                           uint64_t count, struct cm_fortran_array **value)
{
    return cm_fortran_array_host(run, type, rank, &count, value);
}

/* Computes ALLOCATED or PRESENT. */
static enum cm_status allocated(struct cm_fortran_run *run,
                                const struct cm_fortran_expression *call,
                                struct cm_fortran_array **value)
{
    enum cm_status status = make(run, CM_TYPE_LOGICAL, 0, 1, value);
    const struct cm_fortran_binding *binding = cm_fortran_binding_of(run, call->args[0]->variable);
    if (status == CM_OK)
        *(uint8_t *)(*value)->host =
            binding->array != NULL || binding->scalar != NULL || binding->unit != NULL;
    return status;
}

enum cm_status cm_fortran_inquire(struct cm_fortran_run *run,
                                  const struct cm_fortran_expression *call,
                                  struct cm_fortran_array **value)
{
    struct cm_fortran_array shape;
    int64_t dim = 0;
    if (call->intrinsic == CM_FORTRAN_ALLOCATED || call->intrinsic == CM_FORTRAN_PRESENT)
        return allocated(run, call, value);
    const struct cm_fortran_expression *which =
        call->count > 1 && call->intrinsic != CM_FORTRAN_SHAPE ? call->args[1] : NULL;
    enum cm_status status = find_shape(run, call->args[0], &shape);
    if (status == CM_OK && which != NULL)
        status = cm_fortran_integer(run, which, &dim);
    if (status != CM_OK)
        return status;
    if (which != NULL && (dim < 1 || dim > shape.rank))
        return cm_fortran_fail(run, which->place, "DIM is %" PRId64 "; the array has rank %" PRIu32,
                               dim, shape.rank);
    if (which != NULL || call->intrinsic == CM_FORTRAN_SIZE) {
        status = make(run, CM_TYPE_INT32, 0, 1, value);
        uint32_t size = 1;
        for (uint32_t i = 0; i < shape.rank && which == NULL; i++)
            size *= (uint32_t)shape.extent[i];
        if (status == CM_OK)
            *(int32_t *)(*value)->host = which != NULL
                                             ? property(call->intrinsic, &shape, (uint32_t)dim - 1)
                                             : (int32_t)size;
        return status;
    }
    status = make(run, CM_TYPE_INT32, 1, shape.rank, value);
    for (uint32_t i = 0; i < shape.rank && status == CM_OK; i++)
        ((int32_t *)(*value)->host)[i] = property(call->intrinsic, &shape, i);
    return status;
}
