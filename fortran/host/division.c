/*
 * Checks for integer division by zero in array expressions.
 *
 * Fortran reports such a division as an error, but the machine's instructions give 0. So the host
 * looks at the divisor's elements before a statement that divides by an array. This costs no
 * cycles. A zero is allowed in an element whose quotient is not used, because the mask of WHERE,
 * MERGE or a reduction leaves it out. Selections (host/state.h) describe the elements whose
 * quotients are used.
 */
#include "host.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- expressions that divide ---- */

bool cm_fortran_divides(const struct cm_fortran_expression *expression)
{
    bool divides =
        (expression->kind == CM_FORTRAN_OPERATION && expression->op == CM_FORTRAN_DIVIDE) ||
        (expression->kind == CM_FORTRAN_INTRINSIC &&
         (expression->intrinsic == CM_FORTRAN_MOD || expression->intrinsic == CM_FORTRAN_MODULO));
    if (!divides || expression->type != CM_TYPE_INT32)
        return false;
    const struct cm_fortran_expression *divisor = expression->args[1];
    return divisor->kind != CM_FORTRAN_CONSTANT || divisor->value.integer == 0;
}

static bool any_divides(const struct cm_fortran_expression *expression)
{
    if (expression == NULL)
        return false;
    bool found = cm_fortran_divides(expression);
    for (uint32_t i = 0; i < expression->count && !found; i++)
        found = any_divides(expression->args[i]);
    return found;
}

/* Returns true if an expression calls a function, whose side effects must not be repeated by a
 * second evaluation. */
static bool has_call(const struct cm_fortran_expression *expression)
{
    if (expression == NULL)
        return false;
    bool found = expression->kind == CM_FORTRAN_CALL || expression->kind == CM_FORTRAN_LIBRARY;
    for (uint32_t i = 0; i < expression->count && !found; i++)
        found = has_call(expression->args[i]);
    return found;
}

/* Evaluates an expression that calls no functions of the program. Charges no cycles. */
static enum cm_status evaluate_uncharged(struct cm_fortran_run *run,
                                         const struct cm_fortran_expression *expression,
                                         struct cm_fortran_array **value)
{
    bool outer = run->uncharged;
    run->uncharged = true;
    enum cm_status status = cm_fortran_host_value(run, expression, value);
    run->uncharged = outer;
    return status;
}

/* ---- elements whose quotients are used ---- */

/* Returns the mask of a call such as MERGE, which selects the used elements of the call's argument,
 * or NULL if all elements are used. Sets *negated to true if the used elements are those where the
 * mask is false. */
static const struct cm_fortran_expression *mask_of(const struct cm_fortran_expression *call,
                                                   uint32_t argument, bool *negated)
{
    uint32_t at = 2;
    *negated = false;
    if (call->kind != CM_FORTRAN_INTRINSIC || argument > 1)
        return NULL;
    switch (call->intrinsic) {
    case CM_FORTRAN_MERGE:
        *negated = argument == 1;
        return call->args[2];
    case CM_FORTRAN_MAXLOC:
    case CM_FORTRAN_MINLOC:
    case CM_FORTRAN_PACK:
        at = 1;
        break;
    case CM_FORTRAN_SUM:
    case CM_FORTRAN_PRODUCT:
    case CM_FORTRAN_MAXVAL:
    case CM_FORTRAN_MINVAL:
        break;
    default:
        return NULL;
    }
    return argument == 0 && at < call->count ? call->args[at] : NULL;
}

static bool keeps_elements(const struct cm_fortran_expression *expression)
{
    return expression->kind != CM_FORTRAN_INTRINSIC ||
           cm_fortran_intrinsic_class(expression->intrinsic) == CM_FORTRAN_CLASS_ELEMENTAL;
}

enum cm_status cm_fortran_selection_begin(struct cm_fortran_run *run,
                                          const struct cm_fortran_expression *call,
                                          uint32_t argument, struct cm_fortran_selection *selection)
{
    *selection = (struct cm_fortran_selection){.previous = run->selection};
    if (!any_divides(call->args[argument]))
        return CM_OK;
    const struct cm_fortran_expression *mask = mask_of(call, argument, &selection->negated);
    selection->outer = keeps_elements(call) ? run->selection : NULL;
    run->selection = selection->outer;
    if (mask == NULL)
        return CM_OK;
    selection->unknown = has_call(mask);
    enum cm_status status =
        selection->unknown ? CM_OK : evaluate_uncharged(run, mask, &selection->owned);
    selection->mask = selection->owned;
    run->selection = selection;
    return status;
}

void cm_fortran_selection_end(struct cm_fortran_run *run, struct cm_fortran_selection *selection)
{
    run->selection = selection->previous;
    cm_fortran_array_destroy(run, selection->owned);
    selection->owned = NULL;
}

static bool same_shape(const struct cm_fortran_array *a, const struct cm_fortran_array *b)
{
    return a->rank == b->rank && memcmp(a->extent, b->extent, a->rank * sizeof(a->extent[0])) == 0;
}

/* Sets counts[e] to 0 for each element `e` that a selection leaves out. */
static enum cm_status apply_mask(struct cm_fortran_run *run,
                                 const struct cm_fortran_selection *selection,
                                 const struct cm_fortran_array *shape, uint8_t *counts)
{
    struct cm_fortran_array *copy;
    if (selection->unknown)
        memset(counts, 0, (size_t)shape->elements);
    if (selection->mask == NULL ||
        (selection->mask->rank > 0 && !same_shape(selection->mask, shape)))
        return CM_OK;
    bool outer = run->uncharged;
    run->uncharged = true;
    enum cm_status status = cm_fortran_array_copy(run, selection->mask, 0, &copy);
    run->uncharged = outer;
    for (uint64_t e = 0; status == CM_OK && e < shape->elements; e++) {
        bool holds = ((const uint8_t *)copy->host)[copy->rank > 0 ? e : 0] != 0;
        counts[e] = counts[e] && holds != selection->negated;
    }
    if (status == CM_OK)
        cm_fortran_array_destroy(run, copy);
    return status;
}

/* Makes an array with a byte for each element of `shape`: 1 if the element is in every selection in
 * force, or else 0. */
static enum cm_status find_selected(struct cm_fortran_run *run,
                                    const struct cm_fortran_array *shape, uint8_t **counts)
{
    enum cm_status status = CM_OK;
    *counts = malloc((size_t)shape->elements + 1);
    if (*counts == NULL)
        return cm_fortran_no_memory(run);
    memset(*counts, 1, (size_t)shape->elements);
    for (const struct cm_fortran_selection *selection = run->selection;
         selection != NULL && status == CM_OK; selection = selection->outer)
        status = apply_mask(run, selection, shape, *counts);
    return status;
}

/* ---- the error message and the check ---- */

static enum cm_status fail(struct cm_fortran_run *run,
                           const struct cm_fortran_expression *expression,
                           const struct cm_fortran_array *shape, uint64_t element)
{
    if (expression->args[1]->rank == 0)
        return cm_fortran_fail(run, expression->place, "integer division by zero");
    char text[CM_RANK_MAX * 22] = "";
    size_t at = 0;
    for (uint32_t i = 0; i < shape->rank && at < sizeof(text); i++) {
        at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%" PRIu64, i > 0 ? ", " : "",
                               element % shape->extent[i] + 1);
        element /= shape->extent[i];
    }
    enum cm_status status = cm_fortran_fail(
        run, expression->place, "integer division by zero: element (%s) of the divisor is 0", text);
    cm_error_hint(run->err, "WHERE leaves such elements out");
    return status;
}

enum cm_status cm_fortran_check_quotient(struct cm_fortran_run *run,
                                         const struct cm_fortran_expression *expression,
                                         const struct cm_fortran_array *shape,
                                         const struct cm_fortran_array *divisor)
{
    const int32_t *values = divisor->host;
    uint8_t *counts = NULL;
    uint64_t e = 0;
    while (e < shape->elements && values[divisor->rank > 0 ? e : 0] != 0)
        e++;
    if (e == shape->elements)
        return CM_OK;
    enum cm_status status = find_selected(run, shape, &counts);
    for (; e < shape->elements && status == CM_OK; e++)
        if (values[divisor->rank > 0 ? e : 0] == 0 && counts[e])
            status = fail(run, expression, shape, e);
    free(counts);
    return status;
}

enum cm_status cm_fortran_check_divisor(struct cm_fortran_run *run,
                                        const struct cm_fortran_expression *expression)
{
    const struct cm_fortran_expression *divisor = expression->args[1];
    struct cm_fortran_array *value;
    if (has_call(divisor))
        return CM_OK;
    enum cm_status status = evaluate_uncharged(run, divisor, &value);
    if (status == CM_OK)
        status = cm_fortran_check_quotient(run, expression, value, value);
    cm_fortran_array_destroy(run, value);
    return status;
}
