/* Reduces whole array expressions to a scalar on the machine, by programs/collective. The front end
 * receives the scalar. */
#include "machine.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum cm_collective_op cm_fortran_collective_op(enum cm_fortran_intrinsic intrinsic)
{
    switch (intrinsic) {
    case CM_FORTRAN_SUM:
    case CM_FORTRAN_DOT_PRODUCT:
        return CM_COLLECTIVE_SUM;
    case CM_FORTRAN_PRODUCT:
        return CM_COLLECTIVE_PRODUCT;
    case CM_FORTRAN_MAXVAL:
        return CM_COLLECTIVE_MAX;
    case CM_FORTRAN_MINVAL:
        return CM_COLLECTIVE_MIN;
    case CM_FORTRAN_ANY:
        return CM_COLLECTIVE_OR;
    case CM_FORTRAN_ALL:
        return CM_COLLECTIVE_AND;
    case CM_FORTRAN_COUNT:
        return CM_COLLECTIVE_COUNT;
    case CM_FORTRAN_MAXLOC:
        return CM_COLLECTIVE_MAXLOC;
    case CM_FORTRAN_MINLOC:
        return CM_COLLECTIVE_MINLOC;
    default:
        return CM_COLLECTIVE_OPS;
    }
}

/* Elements that are reduced, on the machine, and a mask of those that take part. */
struct operand {
    /* elements, and a mask, which is NULL if all elements take part */
    struct cm_fortran_array *array, *mask;
    bool owned; /* true if the array is a temporary */
};

/* Makes the array of products for DOT_PRODUCT. If the factors are complex, the first factor is
 * conjugated. */
static enum cm_status multiply(struct cm_fortran_run *run, const struct cm_fortran_section *model,
                               const struct cm_fortran_expression *call, struct operand *operand)
{
    uint8_t type = call->args[0]->type;
    struct cm_fortran_expression conjugate = {.kind = CM_FORTRAN_INTRINSIC,
                                              .intrinsic = CM_FORTRAN_CONJG,
                                              .type = type,
                                              .rank = 1,
                                              .place = call->place,
                                              .args = call->args,
                                              .count = 1};
    struct cm_fortran_expression *factors[2] = {call->args[0], call->args[1]};
    struct cm_fortran_expression product = {.kind = CM_FORTRAN_OPERATION,
                                            .type = type,
                                            .rank = 1,
                                            .op = CM_FORTRAN_MULTIPLY,
                                            .place = call->place,
                                            .args = factors,
                                            .count = 2};
    if (type == CM_TYPE_LOGICAL)
        product.op = CM_FORTRAN_AND;
    if (type == CM_TYPE_COMPLEX64 || type == CM_TYPE_COMPLEX128)
        factors[0] = &conjugate;
    operand->owned = true;
    return cm_fortran_evaluate_at(run, model, &product, &operand->array);
}

static enum cm_status find_array(struct cm_fortran_run *run, const struct cm_fortran_section *model,
                                 const struct cm_fortran_expression *call, struct operand *operand)
{
    const struct cm_fortran_expression *array = call->args[0];
    if (call->intrinsic == CM_FORTRAN_DOT_PRODUCT)
        return multiply(run, model, call, operand);
    bool is_array = array->kind == CM_FORTRAN_VARIABLE || array->kind == CM_FORTRAN_SECTION;
    if (is_array && !model->array->machine->stepped) {
        operand->array = model->array;
        return CM_OK;
    }
    operand->owned = true;
    if (is_array)
        return cm_fortran_view_copy(run, model->view, &operand->array);
    return cm_fortran_evaluate_at(run, model, array, &operand->array);
}

/* Makes the mask of the elements that take part: those of the section for which the mask of the
 * call is true. */
static enum cm_status find_mask(struct cm_fortran_run *run, const struct cm_fortran_section *model,
                                const struct cm_fortran_expression *mask, struct operand *operand)
{
    struct cm_fortran_lowering lowering = {.run = run, .model = model};
    uint32_t node = 0, inside, target, number;
    if (mask == NULL && cm_fortran_section_is_all(model))
        return CM_OK;
    enum cm_status status =
        cm_fortran_array_like(run, model->array, CM_TYPE_LOGICAL, &operand->mask);
    if (status != CM_OK)
        return status;
    status = cm_fortran_lowering_begin(&lowering);
    if (status == CM_OK && mask != NULL)
        status = cm_fortran_lower(&lowering, mask, &node);
    if (status == CM_OK)
        status = cm_fortran_lower_array(&lowering, operand->mask->machine, &target, &number);
    if (status == CM_OK) {
        inside = cm_fortran_lower_section(&lowering);
        if (node == 0)
            node = inside;
        else if (inside != 0)
            node = cm_expression_node(lowering.graph, CM_EXPRESSION_AND, node, inside, 0);
        cm_expression_assign(lowering.graph, number, node,
                             cm_fortran_mask_padding(&lowering, operand->mask->machine, 0));
        status = cm_fortran_lowering_run(&lowering);
    }
    cm_fortran_lowering_end(&lowering);
    return status;
}

static enum cm_status reduce(struct cm_fortran_run *run, enum cm_collective_op op,
                             const struct operand *operand, union cm_fortran_value *value)
{
    struct cm_collective_task task = {.kind = CM_COLLECTIVE_REDUCE,
                                      .op = op,
                                      .layout = operand->array->machine->layout,
                                      .axis = CM_COLLECTIVE_WHOLE,
                                      .masked = operand->mask != NULL};
    struct cm_collective_arrays arrays = {.src = operand->array->machine,
                                          .mask = operand->mask != NULL ? operand->mask->machine
                                                                        : NULL};
    struct cm_collective *collective;
    struct cm_collective_value result;
    enum cm_status status = cm_fortran_find_collective(run, &task, &collective);
    if (status == CM_OK)
        status = cm_collective_call(run->system, collective, &arrays, &result, run->err);
    if (status != CM_OK)
        return status;
    if (result.type == CM_TYPE_LOGICAL)
        value->logical = result.bits.words[0] != 0;
    else
        memcpy(value, result.bits.words, cm_type_host_bytes(result.type));
    return CM_OK;
}

bool cm_fortran_is_empty_extreme(enum cm_fortran_intrinsic intrinsic, enum cm_type type,
                                 const union cm_fortran_value *value)
{
    double sign = intrinsic == CM_FORTRAN_MINVAL ? 1 : -1;
    bool is_extreme = intrinsic == CM_FORTRAN_MINVAL || intrinsic == CM_FORTRAN_MAXVAL;
    return is_extreme && ((type == CM_TYPE_REAL32 && value->real == (float)(sign * INFINITY)) ||
                          (type == CM_TYPE_REAL64 && value->real64 == sign * INFINITY));
}

static void set_real(enum cm_type type, double number, union cm_fortran_value *value)
{
    if (type == CM_TYPE_REAL32)
        value->real = (float)number;
    else
        value->real64 = number;
}

/* Corrects a MAXVAL or MINVAL that may come from no elements, or from NaNs alone. Fortran's value
 * is the number of largest magnitude in the first case, and a NaN in the second case. So the
 * function counts the elements under the mask, and looks for an element that is not a NaN. */
static enum cm_status correct_extreme(struct cm_fortran_run *run,
                                      enum cm_fortran_intrinsic intrinsic,
                                      const struct operand *operand, union cm_fortran_value *value)
{
    enum cm_type type = operand->array->type;
    bool least = intrinsic == CM_FORTRAN_MINVAL;
    double largest = type == CM_TYPE_REAL32 ? (double)FLT_MAX : DBL_MAX;
    union cm_fortran_value count = {.integer = 1}, place = {.integer = 0};
    const struct operand mask = {.array = operand->mask};
    enum cm_status status = CM_OK;
    if (!cm_fortran_is_empty_extreme(intrinsic, type, value))
        return CM_OK;
    if (operand->mask != NULL)
        status = reduce(run, CM_COLLECTIVE_COUNT, &mask, &count);
    if (status == CM_OK && count.integer == 0)
        set_real(type, least ? largest : -largest, value);
    if (status != CM_OK || count.integer == 0)
        return status;
    status = reduce(run, least ? CM_COLLECTIVE_MINLOC : CM_COLLECTIVE_MAXLOC, operand, &place);
    if (status == CM_OK && place.integer == 0)
        set_real(type, NAN, value);
    return status;
}

/* Returns the MASK argument of a reduction without DIM, or NULL. */
static const struct cm_fortran_expression *mask_of(const struct cm_fortran_expression *call)
{
    bool has_mask = call->intrinsic == CM_FORTRAN_SUM || call->intrinsic == CM_FORTRAN_PRODUCT ||
                    call->intrinsic == CM_FORTRAN_MAXVAL || call->intrinsic == CM_FORTRAN_MINVAL;
    return has_mask && call->count > 2 ? call->args[2] : NULL;
}

static bool is_reducible(const struct cm_fortran_expression *call)
{
    if (cm_fortran_collective_op(call->intrinsic) == CM_COLLECTIVE_OPS)
        return false;
    if (call->intrinsic == CM_FORTRAN_DOT_PRODUCT)
        return true;
    return call->count < 2 || call->args[1] == NULL; /* true if the call has no DIM */
}

enum cm_status cm_fortran_machine_reduce(struct cm_fortran_run *run,
                                         const struct cm_fortran_expression *call,
                                         union cm_fortran_value *value, bool *done)
{
    struct cm_fortran_section model;
    struct operand operand = {0};
    struct cm_fortran_selection selection;
    enum cm_collective_op op = cm_fortran_collective_op(call->intrinsic);
    bool found = false;
    *done = false;
    if (call->rank > 0 || run->uncharged || !is_reducible(call))
        return CM_OK;
    enum cm_status status = cm_fortran_find_model(run, call->args[0], &model, &found);
    if (status != CM_OK || !found)
        return status;
    if (call->intrinsic == CM_FORTRAN_DOT_PRODUCT && call->args[0]->type == CM_TYPE_LOGICAL)
        op = CM_COLLECTIVE_OR;
    *done = true;
    status = cm_fortran_selection_begin(run, call, 0, &selection);
    if (status == CM_OK)
        status = find_array(run, &model, call, &operand);
    cm_fortran_selection_end(run, &selection);
    if (status == CM_OK)
        status = find_mask(run, &model, mask_of(call), &operand);
    if (status == CM_OK)
        status = reduce(run, op, &operand, value);
    if (status == CM_OK)
        status = correct_extreme(run, call->intrinsic, &operand, value);
    if (operand.owned)
        cm_fortran_array_destroy(run, operand.array);
    cm_fortran_array_destroy(run, operand.mask);
    cm_fortran_section_finish(&model);
    return status;
}
