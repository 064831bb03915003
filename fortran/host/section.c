/* Sections of arrays: finds the elements that subscripts, triplets and vectors of subscripts name,
 * and reads or writes them in the front end or on the machine. */
#include "host.h"

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
    enum cm_status status = cm_fortran_host_value(run, expression->args[dim], &values);
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
    free(section->view);
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

/* Returns true if the simulator is faster when it accesses the section's elements one by one than
 * when it copies the whole array. An access to a single element takes some ten times as long as an
 * element of a copy. Both ways charge the same cycles. */
static bool is_sparse(const struct cm_fortran_section *section)
{
    return section->elements < section->array->elements / 16;
}

enum cm_status cm_fortran_section_get(struct cm_fortran_run *run,
                                      const struct cm_fortran_section *section, void *elements)
{
    const struct cm_fortran_array *array = section->array;
    struct cm_fortran_array *whole = NULL;
    union cm_fortran_value value;
    size_t bytes = cm_type_host_bytes(array->type);
    bool on_machine = cm_fortran_on_machine(array), sparse = on_machine && is_sparse(section);
    enum cm_status status = CM_OK;
    if (sparse)
        cm_fortran_charge_read(run, array, section->elements);
    else if (on_machine)
        status = cm_fortran_array_copy(run, array, section->elements, &whole);
    const char *host = on_machine ? (whole != NULL ? whole->host : NULL) : array->host;
    for (uint64_t e = 0; e < section->elements && status == CM_OK; e++) {
        uint64_t index = cm_fortran_section_index(section, e);
        if (sparse)
            status = cm_fortran_element_peek(run, array, index, &value);
        const void *from = sparse ? (const void *)&value : host + index * bytes;
        memcpy((char *)elements + e * bytes, from, bytes);
        if (status == CM_OK)
            status = cm_fortran_go_on(run);
    }
    cm_fortran_array_destroy(run, whole);
    return status;
}

/* Stores the elements of `value`, or its only element, in a section, where `mask` is true. Writes
 * to `host`, a copy of the array's elements, or to the machine if `host` is NULL. */
static enum cm_status put(struct cm_fortran_run *run, const struct cm_fortran_section *section,
                          const struct cm_fortran_array *value, const uint8_t *mask, char *host)
{
    size_t bytes = cm_type_host_bytes(section->array->type);
    union cm_fortran_value element;
    enum cm_status status = CM_OK;
    for (uint64_t e = 0; e < section->elements && status == CM_OK; e++) {
        status = cm_fortran_go_on(run);
        if (status != CM_OK || (mask != NULL && !mask[e]))
            continue;
        const char *from = (const char *)value->host + (value->rank > 0 ? e * bytes : 0);
        uint64_t index = cm_fortran_section_index(section, e);
        if (host != NULL) {
            memcpy(host + index * bytes, from, bytes);
            continue;
        }
        memcpy(&element, from, bytes);
        status = cm_fortran_element_poke(run, section->array, index, &element);
    }
    return status;
}

enum cm_status cm_fortran_section_put(struct cm_fortran_run *run,
                                      const struct cm_fortran_section *section,
                                      const struct cm_fortran_array *value, const uint8_t *mask)
{
    struct cm_fortran_array *whole;
    if (!cm_fortran_on_machine(section->array))
        return put(run, section, value, mask, section->array->host);
    if (is_sparse(section)) {
        cm_fortran_charge(run, section->array, section->elements);
        return put(run, section, value, mask, NULL);
    }
    enum cm_status status = cm_fortran_array_copy(run, section->array, 0, &whole);
    if (status != CM_OK)
        return status;
    put(run, section, value, mask, whole->host);
    status = cm_fortran_array_replace(run, section->array, whole->host, section->elements);
    cm_fortran_array_destroy(run, whole);
    return status;
}
