/* Evaluates expressions of rank 0, and assigns to scalars and array elements. Reads of elements on
 * the machine are charged in cycles. */
#include "host.h"

#include <inttypes.h>

#define ARGS_MAX 16u

enum cm_status cm_fortran_integer(struct cm_fortran_run *run,
                                  const struct cm_fortran_expression *expression, int64_t *value)
{
    union cm_fortran_value found = {0};
    enum cm_status status = cm_fortran_scalar(run, expression, &found);
    *value = found.integer;
    return status;
}

enum cm_status cm_fortran_logical(struct cm_fortran_run *run,
                                  const struct cm_fortran_expression *expression, bool *value)
{
    union cm_fortran_value found = {0};
    enum cm_status status = cm_fortran_scalar(run, expression, &found);
    *value = found.logical != 0;
    return status;
}

enum cm_status cm_fortran_offset(struct cm_fortran_run *run,
                                 const struct cm_fortran_expression *element,
                                 const struct cm_fortran_array *array, uint64_t *index)
{
    uint64_t offset = 0, stride = 1;
    for (uint32_t i = 0; i < element->count; i++) {
        int64_t subscript;
        enum cm_status status = cm_fortran_integer(run, element->args[i], &subscript);
        if (status != CM_OK)
            return status;
        int64_t upper = array->lower[i] + (int64_t)array->extent[i] - 1;
        if (subscript < array->lower[i] || subscript > upper)
            return cm_fortran_fail(run, element->args[i]->place,
                                   "subscript %" PRIu32 " of %s is %" PRId64
                                   ", outside the bounds %" PRId64 ":%" PRId64,
                                   i + 1, element->variable->name, subscript, array->lower[i],
                                   upper);
        offset += (uint64_t)(subscript - array->lower[i]) * stride;
        stride *= array->extent[i];
    }
    *index = offset;
    return CM_OK;
}

static enum cm_status element(struct cm_fortran_run *run,
                              const struct cm_fortran_expression *expression,
                              union cm_fortran_value *value)
{
    struct cm_fortran_array *array;
    uint64_t index;
    enum cm_status status =
        cm_fortran_array_of(run, expression->variable, expression->place, &array);
    if (status == CM_OK)
        status = cm_fortran_offset(run, expression, array, &index);
    if (status == CM_OK)
        status = cm_fortran_element_get(run, array, index, value);
    return status;
}

static enum cm_status division_by_zero(struct cm_fortran_run *run, struct cm_source_place place)
{
    return cm_fortran_fail(run, place, "integer division by zero");
}

static enum cm_status operation(struct cm_fortran_run *run,
                                const struct cm_fortran_expression *expression,
                                union cm_fortran_value *value)
{
    const struct cm_fortran_expression *a = expression->args[0];
    const struct cm_fortran_expression *b = expression->count > 1 ? expression->args[1] : NULL;
    union cm_fortran_value left, right = {0};
    if (a->type == CM_FORTRAN_CHARACTER)
        return cm_fortran_text_number(run, expression, value);
    enum cm_status status = cm_fortran_scalar(run, a, &left);
    if (status == CM_OK && b != NULL)
        status = cm_fortran_scalar(run, b, &right);
    if (status != CM_OK)
        return status;
    bool integer_exponent = expression->op == CM_FORTRAN_POWER && b->type == CM_TYPE_INT32;
    if (!cm_fortran_operate(expression->op, (enum cm_type)a->type, integer_exponent, &left, &right,
                            value))
        return division_by_zero(run, expression->place);
    return CM_OK;
}

/* Evaluates a function of arrays with a scalar value, on the machine if it can compute the
 * function, or else in the front end. */
static enum cm_status of_arrays(struct cm_fortran_run *run,
                                const struct cm_fortran_expression *expression,
                                union cm_fortran_value *value)
{
    bool done = false;
    struct cm_fortran_array *result = NULL;
    enum cm_status status = run->hooks->reduce(run, expression, value, &done);
    if (status != CM_OK || done)
        return status;
    status = cm_fortran_host_value(run, expression, &result);
    if (status == CM_OK)
        cm_fortran_load(result->type, result->host, 0, value);
    cm_fortran_array_destroy(run, result);
    return status;
}

enum cm_status cm_fortran_check_arguments(struct cm_fortran_run *run,
                                          const struct cm_fortran_expression *call,
                                          const union cm_fortran_value *args, uint32_t count)
{
    if (call->kind != CM_FORTRAN_INTRINSIC || call->intrinsic != CM_FORTRAN_ISHFTC || count < 3 ||
        (args[2].integer >= 1 && args[2].integer <= 32))
        return CM_OK;
    return cm_fortran_fail(run, call->place, "SIZE of ISHFTC is %" PRId32 ", not 1 to 32",
                           args[2].integer);
}

static bool has_array(const struct cm_fortran_expression *call)
{
    for (uint32_t i = 0; i < call->count; i++)
        if (call->args[i] != NULL && call->args[i]->rank > 0)
            return true;
    return false;
}

static enum cm_status intrinsic(struct cm_fortran_run *run,
                                const struct cm_fortran_expression *expression,
                                union cm_fortran_value *value)
{
    union cm_fortran_value args[ARGS_MAX];
    uint32_t count = 0;
    if (cm_fortran_intrinsic_class(expression->intrinsic) == CM_FORTRAN_CLASS_TEXT)
        return cm_fortran_text_number(run, expression, value);
    if (has_array(expression) || expression->intrinsic == CM_FORTRAN_PRESENT)
        return of_arrays(run, expression, value);
    for (; count < expression->count && count < ARGS_MAX; count++) {
        if (expression->args[count] == NULL)
            break;
        enum cm_status status = cm_fortran_scalar(run, expression->args[count], &args[count]);
        if (status != CM_OK)
            return status;
    }
    enum cm_status status = cm_fortran_check_arguments(run, expression, args, count);
    if (status != CM_OK)
        return status;
    if (!cm_fortran_elemental(expression->intrinsic, (enum cm_type)expression->args[0]->type,
                              (enum cm_type)expression->type, args, count, value))
        return division_by_zero(run, expression->place);
    return CM_OK;
}

enum cm_status cm_fortran_scalar(struct cm_fortran_run *run,
                                 const struct cm_fortran_expression *expression,
                                 union cm_fortran_value *value)
{
    const struct cm_fortran_unit *unit;
    union cm_fortran_value *variable;
    enum cm_status status;
    switch (expression->kind) {
    case CM_FORTRAN_CONSTANT:
        *value = expression->value;
        return CM_OK;
    case CM_FORTRAN_VARIABLE:
        status = cm_fortran_scalar_of(run, expression->variable, expression->place, &variable);
        if (status == CM_OK)
            *value = *variable;
        return status;
    case CM_FORTRAN_ELEMENT:
        return element(run, expression, value);
    case CM_FORTRAN_OPERATION:
        return operation(run, expression, value);
    case CM_FORTRAN_CONVERT:
        status = cm_fortran_scalar(run, expression->args[0], value);
        if (status == CM_OK) {
            union cm_fortran_value from = *value;
            cm_fortran_convert((enum cm_type)expression->args[0]->type,
                               (enum cm_type)expression->type, &from, value);
        }
        return status;
    case CM_FORTRAN_INTRINSIC:
        return intrinsic(run, expression, value);
    case CM_FORTRAN_CALL:
        status = cm_fortran_unit_of(run, expression->unit, expression->variable, expression->place,
                                    &unit);
        return status == CM_OK
                   ? run->hooks->call(run, unit, expression->args, expression->place, value, NULL)
                   : status;
    case CM_FORTRAN_LIBRARY:
        return run->hooks->library(run, expression->library, expression->args, expression->count,
                                   expression->place, value);
    case CM_FORTRAN_INDEX:
        value->integer = (int32_t)run->forall_values[expression->number];
        return CM_OK;
    default:
        return cm_fortran_fail(run, expression->place, "this expression is not a scalar");
    }
}

enum cm_status cm_fortran_assign_scalar(struct cm_fortran_run *run,
                                        const struct cm_fortran_expression *target,
                                        const union cm_fortran_value *value)
{
    struct cm_fortran_array *array;
    union cm_fortran_value *variable;
    uint64_t index;
    enum cm_status status;
    if (target->kind == CM_FORTRAN_VARIABLE) {
        status = cm_fortran_scalar_of(run, target->variable, target->place, &variable);
        if (status == CM_OK)
            *variable = *value;
        return status;
    }
    status = cm_fortran_array_of(run, target->variable, target->place, &array);
    if (status == CM_OK)
        status = cm_fortran_offset(run, target, array, &index);
    if (status == CM_OK)
        status = cm_fortran_element_put(run, array, index, value);
    return status;
}
