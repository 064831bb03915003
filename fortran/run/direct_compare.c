/* Compares the machine's elements with those of the direct evaluation (direct.h). */
#include "direct.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static uint32_t parts_of(enum cm_type type, const void *elements, uint64_t e, double parts[2])
{
    union cm_fortran_value value;
    cm_fortran_load(type, elements, e, &value);
    parts[1] = 0;
    switch (type) {
    case CM_TYPE_REAL32:
        parts[0] = (double)value.real;
        return 1;
    case CM_TYPE_REAL64:
        parts[0] = value.real64;
        return 1;
    case CM_TYPE_COMPLEX64:
        parts[0] = (double)value.complex[0];
        parts[1] = (double)value.complex[1];
        return 2;
    case CM_TYPE_COMPLEX128:
        memcpy(parts, value.complex128, 2 * sizeof *parts);
        return 2;
    default:
        return 0; /* integers and logical values are compared exactly */
    }
}

static bool part_agrees(double got, double expected, double bound, bool is_loose)
{
    if (isnan(got) || isnan(expected))
        return isnan(got) && isnan(expected);
    if (got == expected)
        return is_loose || bound > 0 || signbit(got) == signbit(expected);
    return fabs(got - expected) <= bound;
}

static bool agrees(const struct cm_fortran_comparison *comparison, uint64_t e)
{
    enum cm_type type = comparison->shape->type;
    size_t bytes = cm_type_host_bytes(type);
    double bound = comparison->bounds != NULL ? comparison->bounds[e] : 0;
    double got[2], expected[2];
    if (isinf(bound) || memcmp((const char *)comparison->got + e * bytes,
                               (const char *)comparison->expected + e * bytes, bytes) == 0)
        return true;
    uint32_t parts = parts_of(type, comparison->got, e, got);
    parts_of(type, comparison->expected, e, expected);
    for (uint32_t i = 0; i < parts; i++)
        if (!part_agrees(got[i], expected[i], bound, comparison->is_loose))
            return false;
    return parts > 0;
}

static void put_value(enum cm_type type, const void *elements, uint64_t e, char *text, size_t size)
{
    double parts[2];
    int digits = type == CM_TYPE_REAL64 || type == CM_TYPE_COMPLEX128 ? 17 : 9;
    uint32_t count = parts_of(type, elements, e, parts);
    if (count == 2)
        snprintf(text, size, "(%.*g, %.*g)", digits, parts[0], digits, parts[1]);
    else if (count == 1)
        snprintf(text, size, "%.*g", digits, parts[0]);
    else if (type == CM_TYPE_INT32)
        snprintf(text, size, "%" PRId32, ((const int32_t *)elements)[e]);
    else
        snprintf(text, size, "%s", ((const uint8_t *)elements)[e] ? ".TRUE." : ".FALSE.");
}

/* Returns the fault of the comparison's source line. If the line has no fault yet, makes it from
 * element `e`. Returns NULL if memory is exhausted. */
static struct cm_fortran_fault *fault_at(struct cm_fortran_checker *checker,
                                         const struct cm_fortran_comparison *comparison, uint64_t e)
{
    const struct cm_fortran_array *shape = comparison->shape;
    for (uint32_t i = 0; i < checker->faults.count; i++) {
        struct cm_fortran_fault *fault = &checker->faults.items[i];
        if (fault->place.file == comparison->place.file &&
            fault->place.line == comparison->place.line)
            return fault;
    }
    struct cm_fortran_fault *made = cm_list_add(&checker->faults);
    if (made == NULL)
        return NULL;
    made->place = comparison->place;
    snprintf(made->name, sizeof made->name, "%s", comparison->name);
    made->rank = shape->rank;
    put_value(shape->type, comparison->got, e, made->got, sizeof made->got);
    put_value(shape->type, comparison->expected, e, made->expected, sizeof made->expected);
    for (uint32_t i = 0; i < shape->rank; i++) {
        made->index[i] = shape->lower[i] + (int64_t)(e % shape->extent[i]);
        e /= shape->extent[i];
    }
    return made;
}

enum cm_status cm_fortran_compare(struct cm_fortran_run *run,
                                  const struct cm_fortran_comparison *comparison)
{
    struct cm_fortran_checker *checker = run->checker;
    uint64_t elements = comparison->shape->elements, differ = 0, first = 0;
    for (uint64_t e = 0; e < elements; e++) {
        if (agrees(comparison, e))
            continue;
        if (differ++ == 0)
            first = e;
    }
    if (differ == 0)
        return CM_OK;
    struct cm_fortran_fault *fault = fault_at(checker, comparison, first);
    if (fault == NULL)
        return cm_fortran_no_memory(run);
    fault->times++;
    fault->elements += differ;
    fault->compared += elements;
    checker->mismatches += differ;
    return CM_OK;
}

bool cm_fortran_is_loose(const struct cm_fortran_expression *expression)
{
    if (expression == NULL)
        return false;
    bool found =
        expression->kind == CM_FORTRAN_INTRINSIC &&
        (expression->intrinsic == CM_FORTRAN_MAXVAL || expression->intrinsic == CM_FORTRAN_MINVAL);
    for (uint32_t i = 0; i < expression->count && !found; i++)
        found = cm_fortran_is_loose(expression->args[i]);
    return found;
}
