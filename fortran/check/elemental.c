/* Checks elemental intrinsic functions: types of arguments and results. Most rules are columns of
 * intrinsics.def. */
#include "check.h"
#include "compute.h"

static const char *const takes_text[] = {
    [CM_TYPES_I] = "INTEGER",
    [CM_TYPES_R] = "REAL or DOUBLE PRECISION",
    [CM_TYPES_IR] = "INTEGER, REAL or DOUBLE PRECISION",
    [CM_TYPES_C] = "COMPLEX",
    [CM_TYPES_RC] = "REAL, DOUBLE PRECISION or COMPLEX",
    [CM_TYPES_IRC] = "a number",
};

static bool check_type(struct cm_check *check, const struct cm_intrinsic_call *call,
                       const struct cm_fortran_expression *argument)
{
    uint32_t set = cm_intrinsic_row(call->intrinsic)->takes;
    if (cm_fortran_types_of(argument->type) & set)
        return true;
    cm_check_fail(check, argument->place, "%s takes %s, not %s", call->name, takes_text[set],
                  cm_fortran_type_text(argument->type));
    if (argument->type == CM_TYPE_INT32 && set & CM_TYPES_R)
        cm_messages_hint(check->messages, "REAL(n) makes a REAL of an INTEGER");
    return false;
}

/* Returns whether the first `count` arguments have the same type. Reports a fault if not. */
static bool check_equal(struct cm_check *check, const struct cm_intrinsic_call *call,
                        uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (call->list[i] && call->list[i]->type != call->list[0]->type) {
            cm_check_fail(check, call->list[i]->place,
                          "the arguments of %s have different types: %s and %s", call->name,
                          cm_fortran_type_text(call->list[0]->type),
                          cm_fortran_type_text(call->list[i]->type));
            cm_messages_hint(check->messages, "INT, REAL and DBLE convert");
            return false;
        }
    return true;
}

/* Returns the rank of the result. Reports arrays of different shapes, and returns -1. */
static int check_ranks(struct cm_check *check, const struct cm_intrinsic_call *call)
{
    const struct cm_fortran_expression *array = NULL;
    for (uint32_t i = 0; i < call->count; i++) {
        const struct cm_fortran_expression *argument = call->list[i];
        if (!argument || argument->rank == 0)
            continue;
        if (array && !cm_check_conform(check, array, argument, call->place,
                                       "the arguments of this function"))
            return -1;
        array = argument;
    }
    return array ? array->rank : 0;
}

static struct cm_fortran_expression *check_real(struct cm_check *check,
                                                struct cm_intrinsic_call *call)
{
    struct cm_fortran_expression *from = call->args[0];
    uint8_t type = cm_type_is_complex(from->type) ? cm_type_parts(from->type) : CM_TYPE_REAL32;
    if (call->has_kind)
        type = call->kind == 8 ? CM_TYPE_REAL64 : CM_TYPE_REAL32;
    return cm_check_convert(check, from, type);
}

static struct cm_fortran_expression *check_cmplx(struct cm_check *check,
                                                 struct cm_intrinsic_call *call, uint32_t rank)
{
    uint8_t type = call->has_kind && call->kind == 8 ? CM_TYPE_COMPLEX128 : CM_TYPE_COMPLEX64;
    if (!call->args[1])
        return cm_check_convert(check, call->args[0], type);
    for (uint32_t i = 0; i < 2; i++) {
        if (cm_type_is_complex(call->args[i]->type))
            return cm_check_fail(check, call->args[i]->place,
                                 "the parts of %s are not COMPLEX themselves", call->name);
        call->args[i] = cm_check_convert(check, call->args[i], cm_type_parts(type));
        if (!call->args[i])
            return NULL;
    }
    return cm_intrinsic_result(check, call, type, rank);
}

static struct cm_fortran_expression *check_merge(struct cm_check *check,
                                                 struct cm_intrinsic_call *call)
{
    int rank = check_ranks(check, call);
    if (rank < 0 || !check_equal(check, call, 2))
        return NULL;
    if (call->args[2]->type != CM_TYPE_LOGICAL)
        return cm_check_fail(check, call->args[2]->place, "MASK of MERGE is LOGICAL, not %s",
                             cm_fortran_type_text(call->args[2]->type));
    return cm_intrinsic_result(check, call, call->args[0]->type, (uint32_t)rank);
}

static uint8_t result_type(const struct cm_intrinsic_call *call)
{
    uint8_t type = call->list[0]->type;
    switch (cm_intrinsic_row(call->intrinsic)->result) {
    case CM_GIVES_PARTS:
        return cm_type_parts(type);
    case CM_GIVES_LOGICAL:
        return CM_TYPE_LOGICAL;
    case CM_GIVES_INTEGER:
        return CM_TYPE_INT32;
    default:
        return type;
    }
}

/* Makes a call of an elemental function with one or two arguments, as a part of the expression for
 * another function. */
static struct cm_fortran_expression *part(struct cm_check *check,
                                          const struct cm_intrinsic_call *whole,
                                          enum cm_fortran_intrinsic intrinsic,
                                          struct cm_fortran_expression *a,
                                          struct cm_fortran_expression *b)
{
    struct cm_intrinsic_call call = {.intrinsic = intrinsic,
                                     .name = whole->name,
                                     .tree = whole->tree,
                                     .place = whole->place,
                                     .args = {a, b},
                                     .count = b ? 2 : 1};
    call.list = call.args;
    return a ? cm_check_elemental(check, &call) : NULL;
}

/* Makes IBITS(i, pos, len) of other functions: `i` is shifted right by `pos`, and ANDed with the
 * complement of -1 shifted left by `len`. */
static struct cm_fortran_expression *check_bits(struct cm_check *check,
                                                struct cm_intrinsic_call *call)
{
    struct cm_fortran_expression *back =
        cm_check_operation(check, CM_FORTRAN_NEGATE, call->args[1], NULL, call->args[1]->place);
    struct cm_fortran_expression *low =
        back ? part(check, call, CM_FORTRAN_ISHFT, call->args[0], back) : NULL;
    struct cm_fortran_expression *ones = cm_check_int(check, -1, call->place);
    struct cm_fortran_expression *above = part(check, call, CM_FORTRAN_ISHFT, ones, call->args[2]);
    struct cm_fortran_expression *mask = part(check, call, CM_FORTRAN_NOT_BITS, above, NULL);
    return low && mask ? part(check, call, CM_FORTRAN_IAND, low, mask) : NULL;
}

static struct cm_fortran_expression *check_product(struct cm_check *check,
                                                   struct cm_intrinsic_call *call)
{
    for (uint32_t i = 0; i < 2; i++) {
        if (call->args[i]->type != CM_TYPE_REAL32)
            return cm_check_fail(check, call->args[i]->place, "%s takes REAL, not %s", call->name,
                                 cm_fortran_type_text(call->args[i]->type));
        call->args[i] = cm_check_convert(check, call->args[i], CM_TYPE_REAL64);
    }
    return call->args[0] && call->args[1]
               ? cm_check_operation(check, CM_FORTRAN_MULTIPLY, call->args[0], call->args[1],
                                    call->place)
               : NULL;
}

struct cm_fortran_expression *cm_check_elemental(struct cm_check *check,
                                                 struct cm_intrinsic_call *call)
{
    if (call->intrinsic == CM_FORTRAN_MERGE)
        return check_merge(check, call);
    for (uint32_t i = 0; i < call->count; i++)
        if (call->list[i] && !check_type(check, call, call->list[i]))
            return NULL;
    int rank = check_ranks(check, call);
    if (rank < 0)
        return NULL;
    if (call->intrinsic == CM_FORTRAN_REAL)
        return check_real(check, call);
    if (call->intrinsic == CM_FORTRAN_CMPLX)
        return check_cmplx(check, call, (uint32_t)rank);
    if (!check_equal(check, call, call->count))
        return NULL;
    if (call->intrinsic == CM_FORTRAN_IBITS)
        return check_bits(check, call);
    if (call->intrinsic == CM_FORTRAN_DPROD)
        return check_product(check, call);
    uint8_t type = result_type(call);
    struct cm_fortran_expression *result = cm_intrinsic_result(check, call, type, (uint32_t)rank);
    if (!call->has_kind)
        return result;
    if (type == CM_TYPE_INT32)
        return call->kind == 4
                   ? result
                   : cm_check_fail(check, call->place, "INTEGER of 8 bytes is not supported");
    return cm_check_convert(check, result, call->kind == 8 ? CM_TYPE_REAL64 : CM_TYPE_REAL32);
}
