/*
 * Evaluation of array expressions in the front end.
 *
 * The value of every expression is a new array in the front end. The arguments of an operation or a
 * function are evaluated first, then the operation runs over their elements in a plain loop. A
 * scalar argument is an array of rank 0, and is combined with every element of the other arguments.
 */
#include "evaluate.h"

#include "../../base/list.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARGS_MAX 64u

static void put_extent(char *text, size_t size, const struct cm_fortran_array *array)
{
    size_t at = 0;
    for (uint32_t i = 0; i < array->rank && at < size; i++)
        at += (size_t)snprintf(text + at, size - at, i == 0 ? "%" PRIu64 : ", %" PRIu64,
                               array->extent[i]);
}

enum cm_status cm_fortran_conform(struct cm_fortran_run *run, struct cm_source_place place,
                                  const struct cm_fortran_array *a,
                                  const struct cm_fortran_array *b)
{
    if (a->rank == b->rank && memcmp(a->extent, b->extent, a->rank * sizeof(a->extent[0])) == 0)
        return CM_OK;
    char first[160] = "", second[160] = "";
    put_extent(first, sizeof(first), a);
    put_extent(second, sizeof(second), b);
    return cm_fortran_fail(run, place, "the shapes (%s) and (%s) do not conform", first, second);
}

/* Makes the array for the values of an elementwise operation. Fails if the arguments have different
 * shapes. */
static enum cm_status make_result(struct cm_fortran_run *run,
                                  const struct cm_fortran_expression *expression,
                                  struct cm_fortran_array *const *args, uint32_t count,
                                  struct cm_fortran_array **value)
{
    const struct cm_fortran_array *shape = args[0];
    for (uint32_t i = 1; i < count; i++) {
        if (args[i]->rank == 0)
            continue;
        if (shape->rank == 0) {
            shape = args[i];
            continue;
        }
        enum cm_status status = cm_fortran_conform(run, expression->place, shape, args[i]);
        if (status != CM_OK)
            return status;
    }
    return cm_fortran_array_host(run, (enum cm_type)expression->type, shape->rank, shape->extent,
                                 value);
}

static bool apply(const struct cm_fortran_expression *expression, bool integer_exponent,
                  const union cm_fortran_value *args, uint32_t count, union cm_fortran_value *out)
{
    enum cm_type type = (enum cm_type)expression->args[0]->type;
    if (expression->kind == CM_FORTRAN_OPERATION)
        return cm_fortran_operate(expression->op, type, integer_exponent, &args[0], &args[1], out);
    if (expression->kind == CM_FORTRAN_INTRINSIC)
        return cm_fortran_elemental(expression->intrinsic, type, (enum cm_type)expression->type,
                                    args, count, out);
    cm_fortran_convert(type, (enum cm_type)expression->type, &args[0], out);
    return true;
}

/* Applies an operation, a conversion or an elemental function to the values of its arguments. */
static enum cm_status elementwise(struct cm_fortran_run *run,
                                  const struct cm_fortran_expression *expression,
                                  struct cm_fortran_array *const *args, uint32_t count,
                                  struct cm_fortran_array **value)
{
    union cm_fortran_value operands[ARGS_MAX], out = {0};
    bool integer_exponent = expression->kind == CM_FORTRAN_OPERATION &&
                            expression->op == CM_FORTRAN_POWER &&
                            expression->args[1]->type == CM_TYPE_INT32;
    bool divides = cm_fortran_divides(expression);
    enum cm_status status = make_result(run, expression, args, count, value);
    if (status == CM_OK && divides)
        status = cm_fortran_check_quotient(run, expression, *value, args[1]);
    if (status != CM_OK)
        return status;
    for (uint64_t e = 0; e < (*value)->elements; e++) {
        for (uint32_t i = 0; i < count; i++)
            cm_fortran_load(args[i]->type, args[i]->host, args[i]->rank > 0 ? e : 0, &operands[i]);
        status = cm_fortran_check_arguments(run, expression, operands, count);
        if (status == CM_OK)
            status = cm_fortran_go_on(run);
        if (status != CM_OK)
            return status;
        if (!apply(expression, integer_exponent, operands, count, &out)) {
            if (!divides)
                return cm_fortran_fail(run, expression->place, "integer division by zero");
            /* a zero divisor is possible only in an element that is not used (division.c) */
            out.integer = 0;
        }
        cm_fortran_store((*value)->type, (*value)->host, e, &out);
    }
    return CM_OK;
}

static bool is_elementwise(const struct cm_fortran_expression *expression)
{
    return expression->kind != CM_FORTRAN_INTRINSIC ||
           cm_fortran_intrinsic_class(expression->intrinsic) == CM_FORTRAN_CLASS_ELEMENTAL;
}

static bool is_inquiry(const struct cm_fortran_expression *expression)
{
    return expression->kind == CM_FORTRAN_INTRINSIC &&
           cm_fortran_intrinsic_class(expression->intrinsic) == CM_FORTRAN_CLASS_INQUIRY;
}

enum cm_status cm_fortran_host_apply(struct cm_fortran_run *run,
                                     const struct cm_fortran_expression *expression,
                                     struct cm_fortran_array **args, uint32_t count,
                                     struct cm_fortran_array **value)
{
    while (count > 0 && args[count - 1] == NULL)
        count--;
    enum cm_status status = is_elementwise(expression)
                                ? elementwise(run, expression, args, count, value)
                                : cm_fortran_host_intrinsic(run, expression, args, value);
    if (status != CM_OK) {
        cm_fortran_array_destroy(run, *value);
        *value = NULL;
    }
    return status;
}

/* Evaluates the arguments of an operation or a function, then applies it to their values. */
static enum cm_status with_arguments(struct cm_fortran_run *run,
                                     const struct cm_fortran_expression *expression,
                                     struct cm_fortran_array **value)
{
    struct cm_fortran_array *args[ARGS_MAX] = {0};
    enum cm_status status = CM_OK;
    uint32_t count = expression->count < ARGS_MAX ? expression->count : ARGS_MAX;
    if (is_inquiry(expression))
        return cm_fortran_inquire(run, expression, value);
    for (uint32_t i = 0; i < count && status == CM_OK; i++) {
        struct cm_fortran_selection selection;
        if (expression->args[i] == NULL)
            continue;
        status = cm_fortran_selection_begin(run, expression, i, &selection);
        if (status == CM_OK)
            status = cm_fortran_host_value(run, expression->args[i], &args[i]);
        cm_fortran_selection_end(run, &selection);
    }
    if (status == CM_OK)
        status = cm_fortran_host_apply(run, expression, args, count, value);
    for (uint32_t i = 0; i < expression->count && i < ARGS_MAX; i++)
        cm_fortran_array_destroy(run, args[i]);
    return status;
}

static enum cm_status of_section(struct cm_fortran_run *run,
                                 const struct cm_fortran_expression *expression,
                                 struct cm_fortran_array **value)
{
    struct cm_fortran_section section;
    enum cm_status status = cm_fortran_section_find(run, expression, &section);
    if (status != CM_OK)
        return status;
    status = cm_fortran_array_host(run, section.array->type, section.rank, section.extent, value);
    if (status == CM_OK)
        status = cm_fortran_section_get(run, &section, (*value)->host);
    cm_fortran_section_finish(&section);
    if (status != CM_OK) {
        cm_fortran_array_destroy(run, *value);
        *value = NULL;
    }
    return status;
}

/* ---- constructors ---- */

struct values {
    uint8_t *items;
    uint64_t count, capacity; /* in bytes */
    bool failed;
};

static enum cm_status collect(struct cm_fortran_run *run, const struct cm_fortran_expression *item,
                              struct values *values);

/* Fails if an implied DO loop in a constructor makes more elements than an array may have. Only
 * items of rank 0 are counted, because an item that is an array may be empty. */
static enum cm_status check_loop(struct cm_fortran_run *run,
                                 const struct cm_fortran_expression *loop, int64_t first,
                                 int64_t last, int64_t step)
{
    uint64_t scalars = 0;
    int64_t span = step > 0 ? last - first : first - last;
    for (uint32_t k = 3; k < loop->count; k++)
        scalars += loop->args[k]->kind != CM_FORTRAN_IMPLIED_DO && loop->args[k]->rank == 0;
    if (span < 0 ||
        ((uint64_t)span / (uint64_t)llabs(step) + 1) * scalars <= CM_FORTRAN_ELEMENTS_MAX)
        return CM_OK;
    return cm_fortran_too_many(run);
}

static enum cm_status collect_loop(struct cm_fortran_run *run,
                                   const struct cm_fortran_expression *loop, struct values *values)
{
    int64_t first, last, step = 1;
    enum cm_status status = cm_fortran_integer(run, loop->args[0], &first);
    if (status == CM_OK)
        status = cm_fortran_integer(run, loop->args[1], &last);
    if (status == CM_OK && loop->args[2] != NULL)
        status = cm_fortran_integer(run, loop->args[2], &step);
    if (status == CM_OK && step == 0)
        status = cm_fortran_fail(run, loop->place, "the step of the implied DO is 0");
    if (status == CM_OK)
        status = check_loop(run, loop, first, last, step);
    union cm_fortran_value *variable = NULL;
    if (status == CM_OK)
        status = cm_fortran_scalar_of(run, loop->variable, loop->place, &variable);
    if (status != CM_OK)
        return status;
    union cm_fortran_value before = *variable;
    for (int64_t i = first; status == CM_OK && (step > 0 ? i <= last : i >= last); i += step) {
        variable->integer = (int32_t)i;
        status = cm_fortran_go_on(run);
        for (uint32_t k = 3; k < loop->count && status == CM_OK; k++)
            status = collect(run, loop->args[k], values);
    }
    *variable = before;
    return status;
}

static enum cm_status collect(struct cm_fortran_run *run, const struct cm_fortran_expression *item,
                              struct values *values)
{
    struct cm_fortran_array *array = NULL;
    if (item->kind == CM_FORTRAN_IMPLIED_DO)
        return collect_loop(run, item, values);
    enum cm_status status = cm_fortran_host_value(run, item, &array);
    if (status != CM_OK)
        return status;
    uint64_t size = cm_type_host_bytes(array->type), bytes = array->elements * size;
    if (values->count + bytes > CM_FORTRAN_ELEMENTS_MAX * size) {
        cm_fortran_array_destroy(run, array);
        return cm_fortran_too_many(run);
    }
    if (cm_list_room(values, values->count + bytes)) {
        memcpy(values->items + values->count, array->host, bytes);
        values->count += bytes;
    }
    cm_fortran_array_destroy(run, array);
    return values->failed ? cm_fortran_no_memory(run) : CM_OK;
}

static enum cm_status of_constructor(struct cm_fortran_run *run,
                                     const struct cm_fortran_expression *expression,
                                     struct cm_fortran_array **value)
{
    struct values values = {0};
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; i < expression->count && status == CM_OK; i++)
        status = collect(run, expression->args[i], &values);
    uint64_t elements = values.count / cm_type_host_bytes((enum cm_type)expression->type);
    if (status == CM_OK)
        status = cm_fortran_array_host(run, (enum cm_type)expression->type, 1, &elements, value);
    if (status == CM_OK && values.count > 0)
        memcpy((*value)->host, values.items, values.count);
    free(values.items);
    return status;
}

/* ---- any expression ---- */

static enum cm_status of_scalar(struct cm_fortran_run *run,
                                const struct cm_fortran_expression *expression,
                                struct cm_fortran_array **value)
{
    union cm_fortran_value scalar;
    enum cm_status status = cm_fortran_scalar(run, expression, &scalar);
    if (status == CM_OK)
        status = cm_fortran_array_host(run, (enum cm_type)expression->type, 0, NULL, value);
    if (status == CM_OK)
        cm_fortran_store((enum cm_type)expression->type, (*value)->host, 0, &scalar);
    return status;
}

/* Calls a function of the program, and copies its array value to the front end. */
static enum cm_status of_call(struct cm_fortran_run *run,
                              const struct cm_fortran_expression *expression,
                              struct cm_fortran_array **value)
{
    struct cm_fortran_array *result = NULL;
    enum cm_status status =
        run->hooks->call(run, expression->unit, expression->args, expression->place, NULL, &result);
    if (status == CM_OK)
        status = cm_fortran_array_copy(run, result, result->elements, value);
    cm_fortran_array_destroy(run, result);
    return status;
}

/* Evaluates an index of a FORALL that is executed as an assignment of array sections: makes the
 * array of the index's values at the section's elements. */
static enum cm_status of_index(struct cm_fortran_run *run,
                               const struct cm_fortran_expression *expression,
                               struct cm_fortran_array **value)
{
    const struct cm_fortran_indices *indices = run->forall_indices;
    uint32_t dim = indices->dim[expression->number];
    uint64_t inner = 1;
    for (uint32_t i = 0; i < dim; i++)
        inner *= indices->extent[i];
    enum cm_status status =
        cm_fortran_array_host(run, CM_TYPE_INT32, indices->rank, indices->extent, value);
    for (uint64_t e = 0; status == CM_OK && e < (*value)->elements;
         e++, status = cm_fortran_go_on(run))
        ((int32_t *)(*value)->host)[e] = (int32_t)(indices->first[expression->number] +
                                                   (int64_t)(e / inner % indices->extent[dim]) *
                                                       indices->stride[expression->number]);
    return status;
}

/* Returns true for a function of arrays with a scalar value, such as SUM(A), which is evaluated
 * here if the machine does not compute it. scalar.c evaluates all other expressions of rank 0. */
static bool is_function_of_arrays(const struct cm_fortran_expression *expression)
{
    return expression->kind == CM_FORTRAN_INTRINSIC && !is_elementwise(expression) &&
           cm_fortran_intrinsic_class(expression->intrinsic) != CM_FORTRAN_CLASS_TEXT;
}

enum cm_status cm_fortran_host_value(struct cm_fortran_run *run,
                                     const struct cm_fortran_expression *expression,
                                     struct cm_fortran_array **value)
{
    struct cm_fortran_array *array;
    enum cm_status status;
    *value = NULL;
    if (expression->rank == 0 && !is_function_of_arrays(expression))
        return of_scalar(run, expression, value);
    switch (expression->kind) {
    case CM_FORTRAN_VARIABLE:
        status = cm_fortran_array_of(run, expression->variable, expression->place, &array);
        return status == CM_OK ? cm_fortran_array_copy(run, array, array->elements, value) : status;
    case CM_FORTRAN_SECTION:
        return of_section(run, expression, value);
    case CM_FORTRAN_CONSTRUCTOR:
        return of_constructor(run, expression, value);
    case CM_FORTRAN_CALL:
        return of_call(run, expression, value);
    case CM_FORTRAN_INDEX:
        return of_index(run, expression, value);
    default:
        return with_arguments(run, expression, value);
    }
}

/* ---- assignment ---- */

enum cm_status cm_fortran_host_assign(struct cm_fortran_run *run,
                                      const struct cm_fortran_expression *target,
                                      const struct cm_fortran_array *value,
                                      const struct cm_fortran_array *mask)
{
    struct cm_fortran_section section;
    struct cm_fortran_array *where = NULL;
    enum cm_status status = cm_fortran_section_find(run, target, &section);
    if (status != CM_OK)
        return status;
    struct cm_fortran_array shape = {.rank = section.rank};
    memcpy(shape.extent, section.extent, sizeof(shape.extent));
    if (!run->uncharged)
        run->host_elements += section.elements;
    if (value->rank > 0)
        status = cm_fortran_conform(run, target->place, &shape, value);
    if (status == CM_OK && mask != NULL)
        status = cm_fortran_conform(run, target->place, &shape, mask);
    if (status == CM_OK && mask != NULL)
        status = cm_fortran_array_copy(run, mask, mask->elements, &where);
    if (status == CM_OK)
        status = cm_fortran_section_put(run, &section, value, where != NULL ? where->host : NULL);
    cm_fortran_array_destroy(run, where);
    cm_fortran_section_finish(&section);
    return status;
}
