/*
 * Checks REPLICATE and DIAGONAL, which CM Fortran has in addition to Fortran 90. They are replaced
 * by functions of Fortran 90, so that no further code executes them:
 *
 *     REPLICATE(A, d, n)   RESHAPE(SPREAD(A, d + 1, n), s)
 *     DIAGONAL(V, f)       MERGE(SPREAD(V, 2, n), f, SPREAD([1:n], 2, n) == SPREAD([1:n], 1, n))
 *
 * Here s is the shape of A with n times the extent of dimension d.
 */
#include "check.h"

/* Makes a call of another intrinsic function at the same place of the source. */
static struct cm_intrinsic_call call_of(const struct cm_intrinsic_call *call,
                                        enum cm_fortran_intrinsic intrinsic, uint32_t count)
{
    return (struct cm_intrinsic_call){.intrinsic = intrinsic,
                                      .name = call->name,
                                      .tree = call->tree,
                                      .place = call->place,
                                      .count = count};
}

static struct cm_fortran_expression *spread(struct cm_check *check,
                                            const struct cm_intrinsic_call *call,
                                            struct cm_fortran_expression *source, int32_t dim,
                                            struct cm_fortran_expression *copies)
{
    struct cm_intrinsic_call made = call_of(call, CM_FORTRAN_SPREAD, 3);
    made.list = made.args;
    made.args[0] = source;
    made.args[1] = cm_check_int(check, dim, call->place);
    made.args[2] = copies;
    return source && made.args[1] && copies ? cm_check_transformation(check, &made) : NULL;
}

/* Makes the expression SIZE(array, dim). The array of the call occurs in it a second time. */
static struct cm_fortran_expression *extent(struct cm_check *check,
                                            const struct cm_intrinsic_call *call, int32_t dim)
{
    struct cm_intrinsic_call made = call_of(call, CM_FORTRAN_SIZE, 2);
    made.list = made.args;
    made.args[0] = call->args[0];
    made.args[1] = cm_check_int(check, dim, call->place);
    return made.args[1] ? cm_check_inquiry(check, &made) : NULL;
}

static bool has_call(const struct cm_fortran_expression *expression)
{
    if (!expression)
        return false;
    if (expression->kind == CM_FORTRAN_CALL || expression->kind == CM_FORTRAN_LIBRARY)
        return true;
    for (uint32_t i = 0; i < expression->count; i++)
        if (has_call(expression->args[i]))
            return true;
    return false;
}

/* Returns whether the array argument is valid. Reports an argument that calls a function of the
 * program, because the array is evaluated twice, and the function may have side effects. */
static bool check_array(struct cm_check *check, const struct cm_intrinsic_call *call,
                        bool is_vector)
{
    const struct cm_fortran_expression *array = call->args[0];
    if (array->rank == 0 || (is_vector && array->rank != 1))
        (void)cm_check_fail(check, array->place, "ARRAY of %s is %s", call->name,
                            is_vector ? "a vector" : "an array");
    else if (has_call(array))
        (void)cm_check_fail(check, array->place,
                            "ARRAY of %s calls a function of the program: assign it to an array "
                            "first",
                            call->name);
    else
        return true;
    return false;
}

struct cm_fortran_expression *cm_check_replicate(struct cm_check *check,
                                                 struct cm_intrinsic_call *call)
{
    struct cm_fortran_expression *array = call->args[0], *copies = call->args[2];
    int32_t dim;
    if (!check_array(check, call, false) || !cm_check_dim(check, call, call->args[1], array->rank))
        return NULL;
    if (!cm_constant_is_int(call->args[1], &dim))
        return cm_check_fail(check, call->args[1]->place, "DIM of %s is not constant", call->name);
    if (copies->type != CM_TYPE_INT32 || copies->rank > 0)
        return cm_check_fail(check, copies->place, "NCOPIES of %s is an INTEGER scalar",
                             call->name);
    struct cm_fortran_expression *shape =
        cm_check_new(check, CM_FORTRAN_CONSTRUCTOR, CM_TYPE_INT32, 1, call->place);
    if (!shape || !cm_check_args(check, shape, array->rank))
        return NULL;
    for (int32_t i = 1; i <= array->rank; i++) {
        struct cm_fortran_expression *length = extent(check, call, i);
        if (length && i == dim)
            length = cm_check_operation(check, CM_FORTRAN_MULTIPLY, length, copies, call->place);
        if (!length)
            return NULL;
        shape->args[i - 1] = length;
    }
    struct cm_intrinsic_call made = call_of(call, CM_FORTRAN_RESHAPE, 4);
    made.list = made.args;
    made.args[0] = spread(check, call, array, dim + 1, copies);
    made.args[1] = shape;
    return made.args[0] ? cm_check_transformation(check, &made) : NULL;
}

/* Returns the argument FILL of DIAGONAL, or 0 or .FALSE. in the type of the array if it is
 * absent. */
static struct cm_fortran_expression *fill_of(struct cm_check *check,
                                             const struct cm_intrinsic_call *call)
{
    const struct cm_fortran_expression *array = call->args[0];
    struct cm_fortran_expression *fill = call->args[1];
    if (!fill && array->type == CM_TYPE_LOGICAL)
        return cm_check_logical(check, false, call->place);
    struct cm_fortran_expression *zero = fill ? NULL : cm_check_int(check, 0, call->place);
    if (!fill)
        return zero ? cm_check_convert(check, zero, array->type) : NULL;
    if (fill->type == array->type && fill->rank == 0)
        return fill;
    return cm_check_fail(check, fill->place, "FILL of %s is a scalar of type %s", call->name,
                         cm_fortran_type_text(array->type));
}

struct cm_fortran_expression *cm_check_diagonal(struct cm_check *check,
                                                struct cm_intrinsic_call *call)
{
    if (!check_array(check, call, true))
        return NULL;
    struct cm_fortran_expression *length = extent(check, call, 1), *fill = fill_of(check, call);
    struct cm_fortran_expression *counts =
        length && fill ? cm_check_counts(check, length, call->place) : NULL;
    struct cm_fortran_expression *rows = counts ? spread(check, call, counts, 2, length) : NULL;
    struct cm_fortran_expression *columns = rows ? spread(check, call, counts, 1, length) : NULL;
    struct cm_fortran_expression *same =
        columns ? cm_check_operation(check, CM_FORTRAN_EQ, rows, columns, call->place) : NULL;
    struct cm_intrinsic_call made = call_of(call, CM_FORTRAN_MERGE, 3);
    made.list = made.args;
    made.args[0] = same ? spread(check, call, call->args[0], 2, length) : NULL;
    made.args[1] = fill;
    made.args[2] = same;
    return made.args[0] ? cm_check_elemental(check, &made) : NULL;
}
