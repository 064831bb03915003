/*
 * Makes constants, and folds expressions: an expression of constants is replaced by a constant.
 * Values are computed in double precision (compute.h) and then rounded, because gfortran folds with
 * more precision than REAL has. An INTEGER division by zero stays an expression, so that the run
 * reports it with its line.
 */
#include "check.h"
#include "compute.h"

#include <math.h>

struct cm_fortran_expression *cm_check_int(struct cm_check *check, int32_t value,
                                           struct cm_source_place place)
{
    struct cm_fortran_expression *constant =
        cm_check_new(check, CM_FORTRAN_CONSTANT, CM_TYPE_INT32, 0, place);
    if (constant)
        constant->value.integer = value;
    return constant;
}

struct cm_fortran_expression *cm_check_logical(struct cm_check *check, bool value,
                                               struct cm_source_place place)
{
    struct cm_fortran_expression *constant =
        cm_check_new(check, CM_FORTRAN_CONSTANT, CM_TYPE_LOGICAL, 0, place);
    if (constant)
        constant->value.logical = value;
    return constant;
}

bool cm_constant_is_int(const struct cm_fortran_expression *expression, int32_t *value)
{
    if (!expression || expression->kind != CM_FORTRAN_CONSTANT || expression->type != CM_TYPE_INT32)
        return false;
    *value = expression->value.integer;
    return true;
}

void cm_constant_parts(const struct cm_fortran_expression *constant, double *re, double *im)
{
    union cm_fortran_value wide;
    cm_fortran_convert((enum cm_type)constant->type, CM_TYPE_COMPLEX128, &constant->value, &wide);
    *re = wide.complex128[0];
    *im = wide.complex128[1];
}

void cm_constant_set(struct cm_fortran_expression *constant, double re, double im)
{
    union cm_fortran_value wide = {.complex128 = {re, im}};
    cm_fortran_convert(CM_TYPE_COMPLEX128, (enum cm_type)constant->type, &wide, &constant->value);
}

/* Returns the type in which expressions of constants of a type are computed. */
static enum cm_type wide_type(uint8_t type)
{
    if (cm_type_is_complex(type))
        return CM_TYPE_COMPLEX128;
    return cm_type_is_real(type) ? CM_TYPE_REAL64 : (enum cm_type)type;
}

static union cm_fortran_value widened(const struct cm_fortran_expression *constant,
                                      enum cm_type type)
{
    union cm_fortran_value wide;
    cm_fortran_convert((enum cm_type)constant->type, type, &constant->value, &wide);
    return wide;
}

/* Returns whether an operation with constant operands of this type is folded. Quotients and powers
 * of complex numbers are not. */
static bool is_folded(enum cm_fortran_op op, enum cm_type type)
{
    if (op == CM_FORTRAN_CONCATENATE || (type == CM_TYPE_LOGICAL && op < CM_FORTRAN_NOT))
        return false;
    return type != CM_TYPE_COMPLEX128 || (op != CM_FORTRAN_DIVIDE && op != CM_FORTRAN_POWER);
}

static bool fold_operation(const struct cm_fortran_expression *operation,
                           struct cm_fortran_expression *value)
{
    const struct cm_fortran_expression *a = operation->args[0];
    const struct cm_fortran_expression *b = operation->count > 1 ? operation->args[1] : a;
    enum cm_type type = wide_type(a->type);
    enum cm_type result = operation->type == CM_TYPE_LOGICAL ? CM_TYPE_LOGICAL : type;
    if (a->type >= CM_TYPE_COUNT || !is_folded(operation->op, type))
        return false;
    union cm_fortran_value x = widened(a, type), y = widened(b, type), z;
    if (!cm_fortran_operate(operation->op, type, false, &x, &y, &z))
        return false;
    cm_fortran_convert(result, (enum cm_type)operation->type, &z, &value->value);
    return true;
}

/* Folds MIN and MAX of constants, unless one is a NaN. If the values are equal, the first one is
 * the result, as in gfortran. */
static bool fold_extreme(const struct cm_fortran_expression *call,
                         struct cm_fortran_expression *value)
{
    enum cm_type type = wide_type(call->args[0]->type);
    union cm_fortran_value pair[2];
    for (uint32_t i = 0; i < call->count; i++) {
        pair[0] = widened(call->args[i], type);
        if (type == CM_TYPE_REAL64 && isnan(pair[0].real64))
            return false;
        if (i > 0)
            (void)cm_fortran_elemental(call->intrinsic, type, type, pair, 2, &pair[0]);
        pair[1] = pair[0];
    }
    cm_fortran_convert(type, (enum cm_type)call->type, &pair[1], &value->value);
    return true;
}

static bool fold_intrinsic(const struct cm_fortran_expression *call,
                           struct cm_fortran_expression *value)
{
    const struct cm_fortran_expression *a = call->args[0];
    uint32_t count = call->count > 1 && call->args[1] ? 2 : 1;
    if (!a || !(cm_intrinsic_row(call->intrinsic)->folds & cm_fortran_types_of(a->type)))
        return false;
    if (call->intrinsic == CM_FORTRAN_MIN || call->intrinsic == CM_FORTRAN_MAX)
        return fold_extreme(call, value);
    enum cm_type type = wide_type(a->type), result = wide_type(call->type);
    union cm_fortran_value args[2] = {widened(a, type)}, z;
    if (count > 1)
        args[1] = widened(call->args[1], type);
    if (call->intrinsic == CM_FORTRAN_MOD && type == CM_TYPE_REAL64 && args[1].real64 == 0)
        return false;
    if (!cm_fortran_elemental(call->intrinsic, type, result, args, count, &z))
        return false;
    cm_fortran_convert(result, (enum cm_type)call->type, &z, &value->value);
    return true;
}

static bool fold_into(const struct cm_fortran_expression *expression,
                      struct cm_fortran_expression *value)
{
    switch (expression->kind) {
    case CM_FORTRAN_OPERATION:
        return fold_operation(expression, value);
    case CM_FORTRAN_CONVERT:
        value->value = widened(expression->args[0], (enum cm_type)expression->type);
        return true;
    case CM_FORTRAN_INTRINSIC:
        return fold_intrinsic(expression, value);
    default:
        return false;
    }
}

struct cm_fortran_expression *cm_check_fold(struct cm_check *check,
                                            struct cm_fortran_expression *expression)
{
    if (!expression || expression->rank > 0 || expression->count == 0)
        return expression;
    for (uint32_t i = 0; i < expression->count; i++)
        if (expression->args[i] && expression->args[i]->kind != CM_FORTRAN_CONSTANT)
            return expression;
    struct cm_fortran_expression value = {.kind = CM_FORTRAN_CONSTANT, .type = expression->type};
    if (!fold_into(expression, &value))
        return expression;
    struct cm_fortran_expression *constant =
        cm_check_new(check, CM_FORTRAN_CONSTANT, expression->type, 0, expression->place);
    if (constant)
        constant->value = value.value;
    return constant;
}
