/* Sections of arrays: which elements subscripts, triplets and vectors of subscripts name. */
#include "run_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static enum cm_status out_of_bounds(struct cm_fortran_run *run,
                                    const struct cm_fortran_expression *expression, uint32_t dim,
                                    int64_t subscript, const struct cm_fortran_array *array)
{
    return cm_fortran_fail(run, expression->args[dim]->place,
                           "subscript %" PRIu32 " of %s is %" PRId64 ", outside the bounds %" PRId64
                           ":%" PRId64,
                           dim + 1, expression->variable->name, subscript, array->lower[dim],
                           array->lower[dim] + (int64_t)array->extent[dim] - 1);
}

static bool is_inside(const struct cm_fortran_array *array, uint32_t dim, int64_t subscript)
{
    return subscript >= array->lower[dim] &&
           subscript < array->lower[dim] + (int64_t)array->extent[dim];
}

static enum cm_status optional(struct cm_fortran_run *run,
                               const struct cm_fortran_expression *expression, int64_t *value)
{
    return expression == NULL ? CM_OK : cm_fortran_integer(run, expression, value);
}

static enum cm_status triplet(struct cm_fortran_run *run,
                              const struct cm_fortran_expression *expression, uint32_t dim,
                              const struct cm_fortran_array *array, struct cm_fortran_range *range)
{
    const struct cm_fortran_expression *args = expression->args[dim];
    int64_t lower = array->lower[dim], upper = lower + (int64_t)array->extent[dim] - 1;
    int64_t stride = 1;
    enum cm_status status = optional(run, args->args[2], &stride);
    if (status == CM_OK)
        status = optional(run, args->args[0], &lower);
    if (status == CM_OK)
        status = optional(run, args->args[1], &upper);
    if (status != CM_OK)
        return status;
    if (stride == 0)
        return cm_fortran_fail(run, args->place, "the stride is 0");
    int64_t span = stride > 0 ? upper - lower : lower - upper;
    range->count = span < 0 ? 0 : (uint64_t)(span / llabs(stride)) + 1;
    range->first = lower - array->lower[dim];
    range->stride = stride;
    if (range->count == 0)
        return CM_OK;
    int64_t last = lower + (int64_t)(range->count - 1) * stride;
    if (!is_inside(array, dim, lower))
        return out_of_bounds(run, expression, dim, lower, array);
    return is_inside(array, dim, last) ? CM_OK : out_of_bounds(run, expression, dim, last, array);
}

static enum cm_status vector(struct cm_fortran_run *run,
                             const struct cm_fortran_expression *expression, uint32_t dim,
                             const struct cm_fortran_array *array, struct cm_fortran_range *range)
{
    struct cm_fortran_array *values;
    enum cm_status status = cm_fortran_host(run, expression->args[dim], &values);
    if (status != CM_OK)
        return status;
    range->count = values->elements;
    range->vector = values->host;
    values->host = NULL;
    cm_fortran_array_destroy(run, values);
    for (uint64_t i = 0; i < range->count; i++) {
        if (!is_inside(array, dim, range->vector[i]))
            return out_of_bounds(run, expression, dim, range->vector[i], array);
        range->vector[i] -= (int32_t)array->lower[dim];
    }
    return CM_OK;
}

static enum cm_status find_range(struct cm_fortran_run *run,
                                 const struct cm_fortran_expression *expression, uint32_t dim,
                                 const struct cm_fortran_array *array,
                                 struct cm_fortran_range *range)
{
    const struct cm_fortran_expression *subscript = expression->args[dim];
    if (subscript->kind == CM_FORTRAN_TRIPLET)
        return triplet(run, expression, dim, array, range);
    if (subscript->rank > 0)
        return vector(run, expression, dim, array, range);
    int64_t value;
    enum cm_status status = cm_fortran_integer(run, subscript, &value);
    if (status == CM_OK && !is_inside(array, dim, value))
        status = out_of_bounds(run, expression, dim, value, array);
    range->dropped = true;
    range->count = 1;
    range->first = status == CM_OK ? value - array->lower[dim] : 0;
    return status;
}

enum cm_status cm_fortran_section_find(struct cm_fortran_run *run,
                                       const struct cm_fortran_expression *expression,
                                       struct cm_fortran_section *section)
{
    memset(section, 0, sizeof(*section));
    enum cm_status status =
        cm_fortran_array_of(run, expression->variable, expression->place, &section->array);
    if (status != CM_OK)
        return status;
    const struct cm_fortran_array *array = section->array;
    section->elements = 1;
    for (uint32_t i = 0; i < array->rank; i++) {
        struct cm_fortran_range *range = &section->ranges[i];
        range->count = array->extent[i];
        range->stride = 1;
        if (expression->kind != CM_FORTRAN_VARIABLE)
            status = find_range(run, expression, i, array, range);
        if (status != CM_OK) {
            cm_fortran_section_finish(section);
            return status;
        }
        if (!range->dropped)
            section->extent[section->rank++] = range->count;
        section->elements *= range->count;
    }
    return CM_OK;
}

void cm_fortran_section_finish(struct cm_fortran_section *section)
{
    for (uint32_t i = 0; i < CM_RANK_MAX; i++)
        free(section->ranges[i].vector);
    memset(section, 0, sizeof(*section));
}

uint64_t cm_fortran_section_index(const struct cm_fortran_section *section, uint64_t number)
{
    uint64_t index = 0, stride = 1;
    for (uint32_t i = 0; i < section->array->rank; i++) {
        const struct cm_fortran_range *range = &section->ranges[i];
        uint64_t at = number % range->count;
        number /= range->count;
        int64_t offset =
            range->vector != NULL ? range->vector[at] : range->first + (int64_t)at * range->stride;
        index += (uint64_t)offset * stride;
        stride *= section->array->extent[i];
    }
    return index;
}
