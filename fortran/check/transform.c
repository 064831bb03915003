/* Checks reductions and transformational functions: types, ranks and shapes of their arguments. */
#include "check.h"

bool cm_check_dim(struct cm_check *check, const struct cm_intrinsic_call *call,
                  struct cm_fortran_expression *dim, uint32_t rank)
{
    if (dim->type != CM_TYPE_INT32 || dim->rank > 0) {
        cm_check_fail(check, dim->place, "DIM of %s is an INTEGER scalar", call->name);
        return false;
    }
    int32_t value;
    if (!cm_constant_is_int(dim, &value) || (value >= 1 && (uint32_t)value <= rank))
        return true;
    cm_check_fail(check, dim->place, "DIM of %s is %d; the %s has rank %u", call->name, value,
                  call->intrinsic == CM_FORTRAN_SPREAD ? "result" : "array", rank);
    return false;
}

static bool check_mask(struct cm_check *check, const struct cm_intrinsic_call *call,
                       const struct cm_fortran_expression *mask,
                       const struct cm_fortran_expression *array)
{
    if (mask->type != CM_TYPE_LOGICAL) {
        cm_check_fail(check, mask->place, "MASK of %s is LOGICAL, not %s", call->name,
                      cm_fortran_type_text(mask->type));
        return false;
    }
    return cm_check_conform(check, array, mask, mask->place, "the array and MASK");
}

static bool check_reduced(struct cm_check *check, const struct cm_intrinsic_call *call,
                          const struct cm_fortran_expression *array)
{
    const char *wanted = "numbers";
    bool good = cm_type_is_number(array->type);
    if (call->intrinsic == CM_FORTRAN_ALL || call->intrinsic == CM_FORTRAN_ANY ||
        call->intrinsic == CM_FORTRAN_COUNT) {
        wanted = "LOGICAL values";
        good = array->type == CM_TYPE_LOGICAL;
    } else if (call->intrinsic != CM_FORTRAN_SUM && call->intrinsic != CM_FORTRAN_PRODUCT) {
        wanted = "numbers that have an order";
        good = good && !cm_type_is_complex(array->type);
    }
    if (array->rank == 0)
        cm_check_fail(check, array->place, "%s takes an array, not a scalar", call->name);
    else if (!good)
        cm_check_fail(check, array->place, "%s takes an array of %s, not of %s", call->name, wanted,
                      cm_fortran_type_text(array->type));
    return good && array->rank > 0;
}

/* Moves the second argument of a call such as SUM(array, mask) to the argument MASK if it is
 * LOGICAL. */
static void move_mask(struct cm_intrinsic_call *call)
{
    if (call->count == 3 && call->args[1] && !call->args[2] &&
        call->args[1]->type == CM_TYPE_LOGICAL) {
        call->args[2] = call->args[1];
        call->args[1] = NULL;
    }
}

struct cm_fortran_expression *cm_check_reduction(struct cm_check *check,
                                                 struct cm_intrinsic_call *call)
{
    move_mask(call);
    struct cm_fortran_expression *array = call->args[0];
    if (!check_reduced(check, call, array))
        return NULL;
    bool locates = call->intrinsic == CM_FORTRAN_MAXLOC || call->intrinsic == CM_FORTRAN_MINLOC;
    const struct cm_fortran_expression *mask = call->count == 3 ? call->args[2]
                                               : locates        ? call->args[1]
                                                                : NULL;
    if (mask && !check_mask(check, call, mask, array))
        return NULL;
    if (locates)
        return cm_intrinsic_result(check, call, CM_TYPE_INT32, 1);
    struct cm_fortran_expression *dim = call->args[1];
    if (dim && !cm_check_dim(check, call, dim, array->rank))
        return NULL;
    uint8_t type = call->intrinsic == CM_FORTRAN_COUNT ? CM_TYPE_INT32 : array->type;
    return cm_intrinsic_result(check, call, type, dim ? array->rank - 1u : 0);
}

/* Checks the type and rank of the argument SHIFT or BOUNDARY, which is a scalar or has one
 * dimension less than the array. */
static bool check_reduced_argument(struct cm_check *check, const struct cm_intrinsic_call *call,
                                   const struct cm_fortran_expression *argument, const char *what,
                                   uint8_t type)
{
    const struct cm_fortran_expression *array = call->args[0];
    if (argument->type != type)
        cm_check_fail(check, argument->place, "%s of %s is %s, not %s", what, call->name,
                      cm_fortran_type_text(type), cm_fortran_type_text(argument->type));
    else if (argument->rank != 0 && argument->rank + 1 != array->rank)
        cm_check_fail(check, argument->place, "%s of %s has rank %u; it is a scalar or has rank %u",
                      what, call->name, argument->rank, array->rank - 1u);
    else
        return true;
    return false;
}

static struct cm_fortran_expression *check_shift(struct cm_check *check,
                                                 struct cm_intrinsic_call *call)
{
    const struct cm_fortran_expression *array = call->args[0];
    if (!check_reduced_argument(check, call, call->args[2], "SHIFT", CM_TYPE_INT32))
        return NULL;
    if (call->intrinsic == CM_FORTRAN_EOSHIFT && call->args[3]) {
        if (cm_type_is_number(array->type) && cm_type_is_number(call->args[3]->type) &&
            call->args[3]->kind == CM_FORTRAN_CONSTANT)
            call->args[3] = cm_check_convert(check, call->args[3], array->type);
        if (!call->args[3] ||
            !check_reduced_argument(check, call, call->args[3], "BOUNDARY", array->type))
            return NULL;
    }
    return cm_intrinsic_result(check, call, array->type, array->rank);
}

/* Converts the factors of a product of vectors or matrices to one type. Both factors must be
 * numbers, or both LOGICAL. */
static bool join_factors(struct cm_check *check, struct cm_intrinsic_call *call)
{
    uint8_t a = call->args[0]->type, b = call->args[1]->type;
    if (a == CM_TYPE_LOGICAL && b == CM_TYPE_LOGICAL)
        return true;
    if (!cm_type_is_number(a) || !cm_type_is_number(b)) {
        cm_check_fail(check, call->place, "%s cannot join %s and %s", call->name,
                      cm_fortran_type_text(a), cm_fortran_type_text(b));
        return false;
    }
    for (uint32_t i = 0; i < 2; i++)
        call->args[i] = cm_check_convert(check, call->args[i], cm_type_join(a, b));
    return call->args[0] && call->args[1];
}

static struct cm_fortran_expression *check_dot(struct cm_check *check,
                                               struct cm_intrinsic_call *call)
{
    if (call->args[0]->rank != 1 || call->args[1]->rank != 1)
        return cm_check_fail(check, call->place, "%s takes two vectors, not ranks %u and %u",
                             call->name, call->args[0]->rank, call->args[1]->rank);
    if (!join_factors(check, call) ||
        !cm_check_conform(check, call->args[0], call->args[1], call->place, "the vectors"))
        return NULL;
    return cm_intrinsic_result(check, call, call->args[0]->type, 0);
}

static struct cm_fortran_expression *check_matmul(struct cm_check *check,
                                                  struct cm_intrinsic_call *call)
{
    uint32_t a = call->args[0]->rank, b = call->args[1]->rank;
    if (a < 1 || a > 2 || b < 1 || b > 2 || a + b < 3)
        return cm_check_fail(check, call->place,
                             "MATMUL takes two matrices, or a matrix and a vector, not ranks %u "
                             "and %u",
                             a, b);
    struct cm_shape shapes[2];
    cm_check_shape(call->args[0], &shapes[0]);
    cm_check_shape(call->args[1], &shapes[1]);
    int64_t columns = shapes[0].extents[a - 1], rows = shapes[1].extents[0];
    if (columns >= 0 && rows >= 0 && columns != rows)
        return cm_check_fail(check, call->place, "MATMUL cannot multiply the shapes %s and %s",
                             cm_check_shape_text(&shapes[0]).text,
                             cm_check_shape_text(&shapes[1]).text);
    return join_factors(check, call)
               ? cm_intrinsic_result(check, call, call->args[0]->type, a + b - 2)
               : NULL;
}

static bool is_vector_of(struct cm_check *check, const struct cm_intrinsic_call *call,
                         const struct cm_fortran_expression *vector, const char *what, uint8_t type)
{
    if (vector->rank == 1 && vector->type == type)
        return true;
    cm_check_fail(check, vector->place, "%s of %s is a vector of type %s", what, call->name,
                  cm_fortran_type_text(type));
    return false;
}

static struct cm_fortran_expression *check_pack(struct cm_check *check,
                                                struct cm_intrinsic_call *call)
{
    const struct cm_fortran_expression *array = call->args[0];
    if (array->rank == 0)
        return cm_check_fail(check, array->place, "PACK takes an array, not a scalar");
    if (!check_mask(check, call, call->args[1], array) ||
        (call->args[2] && !is_vector_of(check, call, call->args[2], "VECTOR", array->type)))
        return NULL;
    return cm_intrinsic_result(check, call, array->type, 1);
}

static struct cm_fortran_expression *check_unpack(struct cm_check *check,
                                                  struct cm_intrinsic_call *call)
{
    const struct cm_fortran_expression *vector = call->args[0], *mask = call->args[1];
    if (!is_vector_of(check, call, vector, "VECTOR", vector->type))
        return NULL;
    if (mask->rank == 0 || mask->type != CM_TYPE_LOGICAL)
        return cm_check_fail(check, mask->place, "MASK of UNPACK is a LOGICAL array");
    if (call->args[2]->type != vector->type)
        return cm_check_fail(check, call->args[2]->place, "FIELD of UNPACK is %s, not %s",
                             cm_fortran_type_text(vector->type),
                             cm_fortran_type_text(call->args[2]->type));
    if (!cm_check_conform(check, mask, call->args[2], call->place, "MASK and FIELD"))
        return NULL;
    return cm_intrinsic_result(check, call, vector->type, mask->rank);
}

/* Returns the number of elements of a shape, or -1 if it is not constant. */
static int64_t elements_of(const struct cm_shape *shape)
{
    int64_t count = 1;
    for (uint32_t axis = 0; axis < shape->rank; axis++) {
        if (shape->extents[axis] < 0 || count > INT32_MAX)
            return -1;
        count *= shape->extents[axis];
    }
    return count;
}

static struct cm_fortran_expression *check_reshape(struct cm_check *check,
                                                   struct cm_intrinsic_call *call)
{
    const struct cm_fortran_expression *source = call->args[0], *shape = call->args[1];
    if (source->rank == 0)
        return cm_check_fail(check, source->place, "SOURCE of RESHAPE is an array");
    if (!is_vector_of(check, call, shape, "SHAPE", CM_TYPE_INT32))
        return NULL;
    struct cm_shape extents, from, to;
    cm_check_shape(shape, &extents);
    if (extents.extents[0] < 1 || extents.extents[0] > CM_RANK_MAX)
        return cm_check_fail(check, shape->place,
                             "SHAPE of RESHAPE has a constant number of 1 to %u extents",
                             CM_RANK_MAX);
    if (call->args[2] && (call->args[2]->type != source->type || call->args[2]->rank == 0))
        return cm_check_fail(check, call->args[2]->place, "PAD of RESHAPE is an array of type %s",
                             cm_fortran_type_text(source->type));
    if (call->args[3] && !is_vector_of(check, call, call->args[3], "ORDER", CM_TYPE_INT32))
        return NULL;
    struct cm_fortran_expression *result =
        cm_intrinsic_result(check, call, source->type, (uint32_t)extents.extents[0]);
    if (!result)
        return NULL;
    cm_check_shape(source, &from);
    cm_check_shape(result, &to);
    int64_t have = elements_of(&from), need = elements_of(&to);
    if (!call->args[2] && have >= 0 && need > have)
        return cm_check_fail(check, call->place, "RESHAPE needs %lld elements, and SOURCE has %lld",
                             (long long)need, (long long)have);
    return result;
}

static struct cm_fortran_expression *check_spread(struct cm_check *check,
                                                  struct cm_intrinsic_call *call)
{
    const struct cm_fortran_expression *source = call->args[0], *copies = call->args[2];
    if (source->rank >= CM_RANK_MAX)
        return cm_check_fail(check, source->place, "the result of SPREAD would have rank %u",
                             source->rank + 1u);
    if (!cm_check_dim(check, call, call->args[1], source->rank + 1u))
        return NULL;
    if (copies->type != CM_TYPE_INT32 || copies->rank > 0)
        return cm_check_fail(check, copies->place, "NCOPIES of SPREAD is an INTEGER scalar");
    return cm_intrinsic_result(check, call, source->type, source->rank + 1u);
}

struct cm_fortran_expression *cm_check_transformation(struct cm_check *check,
                                                      struct cm_intrinsic_call *call)
{
    switch (call->intrinsic) {
    case CM_FORTRAN_CSHIFT:
    case CM_FORTRAN_EOSHIFT:
        return check_shift(check, call);
    case CM_FORTRAN_DOT_PRODUCT:
        return check_dot(check, call);
    case CM_FORTRAN_MATMUL:
        return check_matmul(check, call);
    case CM_FORTRAN_PACK:
        return check_pack(check, call);
    case CM_FORTRAN_RESHAPE:
        return check_reshape(check, call);
    case CM_FORTRAN_SPREAD:
        return check_spread(check, call);
    case CM_FORTRAN_UNPACK:
        return check_unpack(check, call);
    case CM_FORTRAN_REPLICATE:
        return cm_check_replicate(check, call);
    case CM_FORTRAN_DIAGONAL:
        return cm_check_diagonal(check, call);
    default:
        if (call->args[0]->rank != 2)
            return cm_check_fail(check, call->place, "TRANSPOSE takes a matrix, not rank %u",
                                 call->args[0]->rank);
        return cm_intrinsic_result(check, call, call->args[0]->type, 2);
    }
}
