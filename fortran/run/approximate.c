/*
 * Direct evaluation with bounds (approximate.h).
 *
 * An expression is evaluated in the front end, together with a bound for each element: the largest
 * allowed difference between the machine's value and the front end's. Functions that the machine
 * rounds in another way, or that sum in another order, introduce bounds. The bound of an
 * operation's result follows from the bounds of its operands. approximate_element.c has the rules
 * for one element, and this file has the rules for functions of whole arrays.
 */
#include "approximate_element.h"
#include "direct.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_number_with_rounding(uint8_t type)
{
    return type != CM_TYPE_INT32 && type != CM_TYPE_LOGICAL;
}

/* Returns true if the machine may round the result of an operation or function differently from the
 * front end, for equal operands. */
static bool rounds(const struct cm_fortran_expression *expression)
{
    if (expression->kind == CM_FORTRAN_OPERATION)
        return expression->op == CM_FORTRAN_POWER && expression->args[1]->type != CM_TYPE_INT32;
    if (expression->kind != CM_FORTRAN_INTRINSIC || expression->args[0] == NULL ||
        !is_number_with_rounding(expression->args[0]->type))
        return false;
    switch (expression->intrinsic) {
    case CM_FORTRAN_SUM:
    case CM_FORTRAN_PRODUCT:
    case CM_FORTRAN_DOT_PRODUCT:
    case CM_FORTRAN_MATMUL:
        return true;
    default:
        return cm_fortran_is_routine(expression);
    }
}

static bool is_array(const struct cm_fortran_expression *expression)
{
    return (expression->kind == CM_FORTRAN_VARIABLE || expression->kind == CM_FORTRAN_ELEMENT ||
            expression->kind == CM_FORTRAN_SECTION) &&
           expression->variable->rank > 0;
}

bool cm_fortran_is_approximate(struct cm_fortran_run *run,
                               const struct cm_fortran_expression *expression)
{
    if (expression == NULL)
        return false;
    bool found = rounds(expression) ||
                 (is_array(expression) && cm_fortran_direct_bounds(run, expression->variable));
    for (uint32_t i = 0; i < expression->count && !found; i++)
        found = cm_fortran_is_approximate(run, expression->args[i]);
    return found;
}

/* Copies an array that an earlier statement of the same group has assigned, together with its
 * bounds. */
static enum cm_status copy_array(struct cm_fortran_run *run,
                                 const struct cm_fortran_expression *expression,
                                 struct cm_fortran_approximate *result)
{
    enum cm_status status = cm_fortran_host_value(run, expression, &result->value);
    if (status != CM_OK)
        return status;
    size_t bytes = (size_t)result->value->elements * sizeof(double);
    result->bounds = malloc(bytes > 0 ? bytes : 1);
    if (result->bounds == NULL)
        return cm_fortran_no_memory(run);
    memcpy(result->bounds, cm_fortran_direct_bounds(run, expression->variable), bytes);
    return CM_OK;
}

void cm_fortran_approximate_finish(struct cm_fortran_run *run,
                                   struct cm_fortran_approximate *approximate)
{
    cm_fortran_array_destroy(run, approximate->value);
    free(approximate->bounds);
    *approximate = (struct cm_fortran_approximate){0};
}

/* ---- functions of whole arrays ---- */

static double bound_at(const struct cm_fortran_approximate *of, uint64_t e)
{
    return of->bounds == NULL ? 0 : of->bounds[of->value->rank > 0 ? e : 0];
}

static double largest_bound(const struct cm_fortran_approximate *of)
{
    double most = 0;
    for (uint64_t e = 0; of->bounds != NULL && e < of->value->elements; e++)
        most = fmax(most, of->bounds[e]);
    return most;
}

/* Makes a REAL*8 array of the magnitudes of an operand's elements. Adds their bounds if
 * `with_bounds` is true. */
static enum cm_status make_magnitudes(struct cm_fortran_run *run,
                                      const struct cm_fortran_approximate *of, bool with_bounds,
                                      struct cm_fortran_array **made)
{
    enum cm_status status =
        cm_fortran_array_host(run, CM_TYPE_REAL64, of->value->rank, of->value->extent, made);
    for (uint64_t e = 0; status == CM_OK && e < of->value->elements; e++) {
        union cm_fortran_value value;
        cm_fortran_load(of->value->type, of->value->host, e, &value);
        ((double *)(*made)->host)[e] =
            cm_fortran_norm(of->value->type, &value) + (with_bounds ? bound_at(of, e) : 0);
    }
    return status;
}

/* Computes the function of `call` for the magnitudes of the operands' elements. */
static enum cm_status of_magnitudes(struct cm_fortran_run *run,
                                    const struct cm_fortran_expression *call,
                                    const struct cm_fortran_approximate *args, bool with_bounds,
                                    struct cm_fortran_array **result)
{
    struct cm_fortran_array *arrays[CM_APPROXIMATE_ARGS] = {0}, *made[2] = {0};
    struct cm_fortran_expression sum = *call;
    bool two = call->intrinsic == CM_FORTRAN_DOT_PRODUCT || call->intrinsic == CM_FORTRAN_MATMUL;
    enum cm_status status = CM_OK;
    sum.type = CM_TYPE_REAL64;
    for (uint32_t i = 0; i < call->count; i++)
        arrays[i] = args[i].value;
    for (uint32_t i = 0; i < (two ? 2u : 1u) && status == CM_OK; i++) {
        status = make_magnitudes(run, &args[i], with_bounds, &made[i]);
        arrays[i] = made[i];
    }
    if (status == CM_OK)
        status = cm_fortran_host_apply(run, &sum, arrays, call->count, result);
    cm_fortran_array_destroy(run, made[0]);
    cm_fortran_array_destroy(run, made[1]);
    return status;
}

/* Sets the bounds of sums of n terms: n EPSILON times the sum of the terms' magnitudes, plus the
 * change of this sum that the bounds of the operands allow. */
static enum cm_status bound_sum(struct cm_fortran_run *run,
                                const struct cm_fortran_expression *call,
                                const struct cm_fortran_approximate *args,
                                struct cm_fortran_approximate *result)
{
    struct cm_fortran_array *least = NULL, *most = NULL;
    const struct cm_fortran_array *first = args[0].value;
    uint64_t results = result->value->elements > 0 ? result->value->elements : 1;
    double terms = call->intrinsic == CM_FORTRAN_MATMUL ? (double)first->extent[first->rank - 1]
                                                        : (double)(first->elements / results);
    double epsilon = cm_fortran_epsilon((enum cm_type)call->type);
    enum cm_status status = of_magnitudes(run, call, args, false, &least);
    if (status == CM_OK)
        status = of_magnitudes(run, call, args, true, &most);
    for (uint64_t e = 0; status == CM_OK && e < result->value->elements; e++) {
        double low = ((double *)least->host)[e], high = ((double *)most->host)[e];
        result->bounds[e] = terms * epsilon * high + (high - low);
        if (isnan(result->bounds[e])) /* a NaN results if the sum of the magnitudes overflows */
            result->bounds[e] = INFINITY;
    }
    cm_fortran_array_destroy(run, least);
    cm_fortran_array_destroy(run, most);
    return status;
}

static void bound_all(struct cm_fortran_approximate *result, double bound)
{
    for (uint64_t e = 0; e < result->value->elements; e++)
        result->bounds[e] = bound;
}

/* Sets the bounds of a PRODUCT. If the operands are exact, the relative error is bounded. Otherwise
 * any value is right. */
static void bound_product(const struct cm_fortran_approximate *array,
                          struct cm_fortran_approximate *result)
{
    const struct cm_fortran_array *value = result->value;
    for (uint64_t e = 0; e < value->elements; e++) {
        union cm_fortran_value product;
        cm_fortran_load(value->type, value->host, e, &product);
        double norm = cm_fortran_norm(value->type, &product);
        result->bounds[e] =
            largest_bound(array) > 0 || !isnormal(norm)
                ? INFINITY /* overflow or underflow depends on the order of the factors */
                : 2 * (double)array->value->elements * norm * cm_fortran_epsilon(value->type);
    }
}

/* Sets the bounds of a function that moves elements or chooses among them. Every result gets the
 * largest bound of the operand's elements. */
static void bound_moved(const struct cm_fortran_expression *call,
                        const struct cm_fortran_approximate *args,
                        struct cm_fortran_approximate *result)
{
    double bound = largest_bound(&args[0]);
    bool chooses = call->intrinsic == CM_FORTRAN_COUNT || call->intrinsic == CM_FORTRAN_ANY ||
                   call->intrinsic == CM_FORTRAN_ALL || call->intrinsic == CM_FORTRAN_MAXLOC ||
                   call->intrinsic == CM_FORTRAN_MINLOC;
    for (uint32_t i = 1; i < call->count; i++)
        if (args[i].value != NULL && largest_bound(&args[i]) > 0)
            bound = INFINITY;
    bound_all(result, chooses && bound > 0 ? INFINITY : bound);
}

static enum cm_status bound_function(struct cm_fortran_run *run,
                                     const struct cm_fortran_expression *call,
                                     const struct cm_fortran_approximate *args,
                                     struct cm_fortran_approximate *result)
{
    if (!is_number_with_rounding(call->type) || !rounds(call))
        bound_moved(call, args, result);
    else if (call->intrinsic == CM_FORTRAN_PRODUCT)
        bound_product(&args[0], result);
    else
        return bound_sum(run, call, args, result);
    return CM_OK;
}

/* ---- elementwise ---- */

static void bound_elements(const struct cm_fortran_expression *expression,
                           const struct cm_fortran_approximate *args,
                           struct cm_fortran_approximate *result)
{
    struct cm_fortran_point points[CM_APPROXIMATE_ARGS] = {{0}}, made = {0};
    for (uint64_t e = 0; e < result->value->elements; e++) {
        for (uint32_t i = 0; i < expression->count; i++) {
            const struct cm_fortran_array *value = args[i].value;
            if (value == NULL)
                continue;
            points[i].type = value->type;
            points[i].bound = bound_at(&args[i], e);
            cm_fortran_load(value->type, value->host, value->rank > 0 ? e : 0, &points[i].value);
        }
        made.type = result->value->type;
        cm_fortran_load(made.type, result->value->host, e, &made.value);
        result->bounds[e] = cm_fortran_bound(expression, points, &made);
    }
}

static bool is_elementwise(const struct cm_fortran_expression *expression)
{
    return expression->kind != CM_FORTRAN_INTRINSIC ||
           cm_fortran_intrinsic_class(expression->intrinsic) == CM_FORTRAN_CLASS_ELEMENTAL;
}

static enum cm_status apply(struct cm_fortran_run *run,
                            const struct cm_fortran_expression *expression,
                            const struct cm_fortran_approximate *args,
                            struct cm_fortran_approximate *result)
{
    struct cm_fortran_array *arrays[CM_APPROXIMATE_ARGS] = {0};
    for (uint32_t i = 0; i < expression->count; i++)
        arrays[i] = args[i].value;
    enum cm_status status =
        cm_fortran_host_apply(run, expression, arrays, expression->count, &result->value);
    if (status != CM_OK)
        return status;
    result->bounds = calloc((size_t)result->value->elements + 1, sizeof(double));
    if (result->bounds == NULL)
        return cm_fortran_no_memory(run);
    if (!is_elementwise(expression))
        return bound_function(run, expression, args, result);
    bound_elements(expression, args, result);
    return CM_OK;
}

enum cm_status cm_fortran_approximate(struct cm_fortran_run *run,
                                      const struct cm_fortran_expression *expression,
                                      struct cm_fortran_approximate *result, bool *done)
{
    struct cm_fortran_approximate args[CM_APPROXIMATE_ARGS] = {{0}};
    enum cm_status status = CM_OK;
    *result = (struct cm_fortran_approximate){0};
    *done = true;
    if (!cm_fortran_is_approximate(run, expression))
        return cm_fortran_host_value(run, expression, &result->value);
    if (expression->kind == CM_FORTRAN_VARIABLE) {
        status = copy_array(run, expression, result);
        if (status != CM_OK)
            cm_fortran_approximate_finish(run, result);
        return status;
    }
    bool has_rule = expression->kind == CM_FORTRAN_OPERATION ||
                    expression->kind == CM_FORTRAN_CONVERT ||
                    expression->kind == CM_FORTRAN_INTRINSIC;
    *done = has_rule && expression->count <= CM_APPROXIMATE_ARGS;
    for (uint32_t i = 0; status == CM_OK && *done && i < expression->count; i++)
        if (expression->args[i] != NULL)
            status = cm_fortran_approximate(run, expression->args[i], &args[i], done);
    if (status == CM_OK && *done)
        status = apply(run, expression, args, result);
    for (uint32_t i = 0; i < CM_APPROXIMATE_ARGS; i++)
        cm_fortran_approximate_finish(run, &args[i]);
    if (status != CM_OK || !*done)
        cm_fortran_approximate_finish(run, result);
    return status;
}
