/* Finds shapes of expressions, as far as they are constant, and checks whether two shapes are the
 * same. */
#include "check.h"

#include <stdio.h>

/* Returns the extent (number of elements) of first:last:step, or -1 if it is not constant. */
static int64_t extent_of(const struct cm_fortran_expression *first,
                         const struct cm_fortran_expression *last,
                         const struct cm_fortran_expression *step, int32_t first_default)
{
    int32_t from = first_default, to, by = 1;
    if ((first && !cm_constant_is_int(first, &from)) || !last || !cm_constant_is_int(last, &to) ||
        (step && !cm_constant_is_int(step, &by)) || by == 0)
        return -1;
    int64_t extent = ((int64_t)to - from + by) / by;
    return extent > 0 ? extent : 0;
}

void cm_variable_shape(const struct cm_fortran_variable *variable, struct cm_shape *shape)
{
    shape->rank = variable->rank;
    for (uint32_t axis = 0; axis < variable->rank; axis++)
        shape->extents[axis] =
            extent_of(variable->bounds[axis].lower, variable->bounds[axis].upper, NULL, 1);
}

static int64_t triplet_extent(const struct cm_fortran_variable *variable, uint32_t axis,
                              const struct cm_fortran_expression *triplet)
{
    const struct cm_fortran_bound *bound = &variable->bounds[axis];
    const struct cm_fortran_expression *step = triplet->args[2];
    int32_t by = 1;
    if (step && !cm_constant_is_int(step, &by))
        return -1;
    bool assumed = variable->assumed_size && axis + 1 == variable->rank;
    const struct cm_fortran_expression *lower = bound->lower,
                                       *upper = assumed ? NULL : bound->upper;
    if (!triplet->args[0] && !triplet->args[1] && (by == 1 || by == -1))
        return extent_of(lower, upper, NULL, 1);
    /* The lower bound of a deferred shape (allocatable or assumed shape) is not known, even if its
     * declaration has no bound. */
    bool deferred = variable->allocatable || (!bound->upper && !assumed);
    if (deferred && (!triplet->args[0] || !triplet->args[1]))
        return -1;
    const struct cm_fortran_expression *first = triplet->args[0], *last = triplet->args[1];
    if (by > 0)
        return extent_of(first ? first : lower, last ? last : upper, step, 1);
    if (!last && !lower)
        return -1;
    return extent_of(first ? first : upper, last ? last : lower, step, 1);
}

static void section_shape(const struct cm_fortran_expression *section, struct cm_shape *shape)
{
    uint32_t rank = 0;
    for (uint32_t axis = 0; axis < section->count && rank < CM_RANK_MAX; axis++) {
        const struct cm_fortran_expression *subscript = section->args[axis];
        if (!subscript)
            continue;
        if (subscript->kind == CM_FORTRAN_TRIPLET) {
            shape->extents[rank++] = triplet_extent(section->variable, axis, subscript);
        } else if (subscript->rank == 1) {
            struct cm_shape vector;
            cm_check_shape(subscript, &vector);
            shape->extents[rank++] = vector.extents[0];
        }
    }
}

static int64_t value_count(const struct cm_fortran_expression *value)
{
    if (value->kind == CM_FORTRAN_IMPLIED_DO) {
        int64_t count = extent_of(value->args[0], value->args[1], value->args[2], 1);
        int64_t each = 0;
        for (uint32_t i = 3; i < value->count; i++) {
            int64_t more = value->args[i] ? value_count(value->args[i]) : -1;
            if (more < 0)
                return -1;
            each += more;
        }
        return count < 0 || each > INT32_MAX ? -1 : count * each;
    }
    struct cm_shape shape;
    cm_check_shape(value, &shape);
    int64_t count = 1;
    for (uint32_t axis = 0; axis < shape.rank; axis++) {
        if (shape.extents[axis] < 0 || shape.extents[axis] > INT32_MAX || count > INT32_MAX)
            return -1;
        count *= shape.extents[axis];
    }
    return count;
}

static void constructor_shape(const struct cm_fortran_expression *constructor,
                              struct cm_shape *shape)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < constructor->count && sum >= 0; i++) {
        int64_t more = constructor->args[i] ? value_count(constructor->args[i]) : -1;
        sum = more < 0 ? -1 : sum + more;
    }
    shape->extents[0] = sum;
}

/* Fills in unknown extents of an elementwise expression's shape from the shapes of its operands. */
static void operands_shape(const struct cm_fortran_expression *expression, struct cm_shape *shape)
{
    for (uint32_t i = 0; i < expression->count; i++) {
        const struct cm_fortran_expression *operand = expression->args[i];
        if (!operand || operand->rank == 0)
            continue;
        struct cm_shape other;
        cm_check_shape(operand, &other);
        bool known = true;
        for (uint32_t axis = 0; axis < shape->rank && axis < other.rank; axis++) {
            if (shape->extents[axis] < 0)
                shape->extents[axis] = other.extents[axis];
            known = known && shape->extents[axis] >= 0;
        }
        if (known)
            return;
    }
}

static int32_t constant_or(const struct cm_fortran_expression *expression, int32_t otherwise)
{
    int32_t value;
    return expression && cm_constant_is_int(expression, &value) ? value : otherwise;
}

/* Sets `shape` to the shape of an array without dimension `dim`, which counts from 1. */
static void reduced_shape(const struct cm_fortran_expression *array, int32_t dim,
                          struct cm_shape *shape)
{
    struct cm_shape whole;
    cm_check_shape(array, &whole);
    if (dim < 1)
        return;
    for (uint32_t axis = 0, to = 0; axis < whole.rank && to < shape->rank; axis++)
        if (axis + 1 != (uint32_t)dim)
            shape->extents[to++] = whole.extents[axis];
}

static void spread_shape(const struct cm_fortran_expression *call, struct cm_shape *shape)
{
    struct cm_shape source;
    cm_check_shape(call->args[0], &source);
    int32_t dim = constant_or(call->args[1], 0);
    if (dim < 1)
        return;
    int32_t copies = constant_or(call->args[2], -1);
    for (uint32_t axis = 0, from = 0; axis < shape->rank; axis++)
        if (axis + 1 == (uint32_t)dim)
            shape->extents[axis] = copies;
        else if (from < source.rank)
            shape->extents[axis] = source.extents[from++];
}

static void matmul_shape(const struct cm_fortran_expression *call, struct cm_shape *shape)
{
    struct cm_shape a, b;
    cm_check_shape(call->args[0], &a);
    cm_check_shape(call->args[1], &b);
    uint32_t rank = 0;
    if (a.rank == 2)
        shape->extents[rank++] = a.extents[0];
    if (b.rank == 2)
        shape->extents[rank] = b.extents[1];
}

static void reshape_shape(const struct cm_fortran_expression *shape_arg, struct cm_shape *shape)
{
    if (shape_arg->kind != CM_FORTRAN_CONSTRUCTOR || shape_arg->count != shape->rank)
        return;
    for (uint32_t axis = 0; axis < shape->rank; axis++)
        shape->extents[axis] = constant_or(shape_arg->args[axis], -1);
}

static void transformed_shape(const struct cm_fortran_expression *call, struct cm_shape *shape)
{
    struct cm_shape other;
    switch (call->intrinsic) {
    case CM_FORTRAN_CSHIFT:
    case CM_FORTRAN_EOSHIFT:
        cm_check_shape(call->args[0], shape);
        break;
    case CM_FORTRAN_TRANSPOSE:
        cm_check_shape(call->args[0], &other);
        shape->extents[0] = other.extents[1];
        shape->extents[1] = other.extents[0];
        break;
    case CM_FORTRAN_MATMUL:
        matmul_shape(call, shape);
        break;
    case CM_FORTRAN_SPREAD:
        spread_shape(call, shape);
        break;
    case CM_FORTRAN_RESHAPE:
        reshape_shape(call->args[1], shape);
        break;
    case CM_FORTRAN_UNPACK:
        cm_check_shape(call->args[1], shape);
        break;
    case CM_FORTRAN_PACK:
        if (call->args[2])
            cm_check_shape(call->args[2], shape);
        break;
    case CM_FORTRAN_MAXLOC:
    case CM_FORTRAN_MINLOC:
    case CM_FORTRAN_LBOUND:
    case CM_FORTRAN_UBOUND:
    case CM_FORTRAN_SHAPE:
        shape->extents[0] = call->args[0]->rank;
        break;
    case CM_FORTRAN_ALL:
    case CM_FORTRAN_ANY:
    case CM_FORTRAN_COUNT:
    case CM_FORTRAN_MAXVAL:
    case CM_FORTRAN_MINVAL:
    case CM_FORTRAN_PRODUCT:
    case CM_FORTRAN_SUM:
        if (call->args[1])
            reduced_shape(call->args[0], constant_or(call->args[1], 0), shape);
        break;
    default:
        operands_shape(call, shape);
    }
}

void cm_check_shape(const struct cm_fortran_expression *expression, struct cm_shape *shape)
{
    *shape = (struct cm_shape){.rank = expression->rank};
    for (uint32_t axis = 0; axis < CM_RANK_MAX; axis++)
        shape->extents[axis] = -1;
    if (expression->rank == 0)
        return;
    switch (expression->kind) {
    case CM_FORTRAN_VARIABLE:
        cm_variable_shape(expression->variable, shape);
        break;
    case CM_FORTRAN_SECTION:
        section_shape(expression, shape);
        break;
    case CM_FORTRAN_CONSTRUCTOR:
        constructor_shape(expression, shape);
        break;
    case CM_FORTRAN_OPERATION:
    case CM_FORTRAN_CONVERT:
        operands_shape(expression, shape);
        break;
    case CM_FORTRAN_INTRINSIC:
        transformed_shape(expression, shape);
        break;
    case CM_FORTRAN_CALL:
        if (expression->unit->result)
            cm_variable_shape(expression->unit->result, shape);
        break;
    default:
        break;
    }
}

struct cm_check_shape_text cm_check_shape_text(const struct cm_shape *shape)
{
    struct cm_check_shape_text result;
    size_t at = 0;
    result.text[0] = '\0';
    if (shape->rank == 0) {
        (void)snprintf(result.text, sizeof result.text, "of a scalar");
        return result;
    }
    for (uint32_t axis = 0; axis < shape->rank && at + 24 < sizeof result.text; axis++) {
        int length = shape->extents[axis] >= 0
                         ? snprintf(result.text + at, 24, "%s%lld", axis > 0 ? ", " : "(",
                                    (long long)shape->extents[axis])
                         : snprintf(result.text + at, 24, "%s:", axis > 0 ? ", " : "(");
        at += (size_t)length;
    }
    (void)snprintf(result.text + at, sizeof result.text - at, ")");
    return result;
}

bool cm_check_conform(struct cm_check *check, const struct cm_fortran_expression *a,
                      const struct cm_fortran_expression *b, struct cm_source_place place,
                      const char *what)
{
    if (a->rank == 0 || b->rank == 0)
        return true;
    if (a->rank != b->rank) {
        cm_check_fail(check, place, "%s do not conform: rank %u and rank %u", what, a->rank,
                      b->rank);
        return false;
    }
    struct cm_shape shapes[2];
    cm_check_shape(a, &shapes[0]);
    cm_check_shape(b, &shapes[1]);
    for (uint32_t axis = 0; axis < a->rank; axis++) {
        int64_t x = shapes[0].extents[axis], y = shapes[1].extents[axis];
        if (x >= 0 && y >= 0 && x != y) {
            cm_check_fail(check, place, "%s do not conform: shapes %s and %s", what,
                          cm_check_shape_text(&shapes[0]).text,
                          cm_check_shape_text(&shapes[1]).text);
            return false;
        }
    }
    return true;
}
