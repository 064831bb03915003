/* Checks the initial values of arrays in declarations: constants, and constructors of constants
 * with implied DO loops. */
#include "check.h"

/* Limit of the number of elements to which a constructor gives initial values. */
#define ELEMENTS_MAX 1000000u

/* The current value of the variable of an open implied DO loop. */
struct loop_value {
    struct loop_value *outer;
    const struct cm_fortran_variable *variable;
    struct cm_fortran_expression *value;
};

struct filling {
    struct cm_check *check;
    struct cm_fortran_variable *variable;
    struct loop_value *loops;
    uint64_t at;
};

/* Returns an expression with the variables of implied DO loops replaced by their values, folded if
 * possible. */
static struct cm_fortran_expression *evaluate(struct filling *filling,
                                              struct cm_fortran_expression *expression)
{
    if (expression->kind == CM_FORTRAN_CONSTANT)
        return expression;
    if (expression->kind == CM_FORTRAN_VARIABLE) {
        for (const struct loop_value *loop = filling->loops; loop; loop = loop->outer)
            if (loop->variable == expression->variable)
                return loop->value;
        return expression;
    }
    struct cm_fortran_expression *copy = cm_check_take(filling->check, sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *expression;
    if (!cm_check_args(filling->check, copy, expression->count))
        return NULL;
    for (uint32_t i = 0; i < expression->count; i++) {
        if (!expression->args[i])
            continue;
        copy->args[i] = evaluate(filling, expression->args[i]);
        if (!copy->args[i])
            return NULL;
    }
    return cm_check_fold(filling->check, copy);
}

static bool fill(struct filling *filling, struct cm_fortran_expression *value);

static bool add(struct filling *filling, struct cm_fortran_expression *value, uint64_t count)
{
    struct cm_fortran_variable *variable = filling->variable;
    value = evaluate(filling, value);
    if (!value)
        return false;
    if (value->kind != CM_FORTRAN_CONSTANT && value->kind != CM_FORTRAN_TEXT) {
        cm_check_fail(filling->check, value->place, "the value of \"%s\" is not constant",
                      variable->name);
        return false;
    }
    if (filling->at >= ELEMENTS_MAX) {
        cm_check_fail(filling->check, value->place, "a constructor here has at most %u elements",
                      ELEMENTS_MAX);
        return false;
    }
    value = cm_check_convert(filling->check, value, variable->type);
    struct cm_fortran_initial *more =
        cm_check_grow(filling->check, variable->initials, variable->initial_count, sizeof *more);
    if (!value || !more)
        return false;
    variable->initials = more;
    variable->initials[variable->initial_count++] = (struct cm_fortran_initial){
        .first = filling->at, .count = count, .value = cm_check_initial_value(value)};
    filling->at += count;
    return true;
}

static bool fill_loop(struct filling *filling, const struct cm_fortran_expression *loop)
{
    int32_t bounds[3] = {0, 0, 1};
    for (uint32_t i = 0; i < 3; i++) {
        if (!loop->args[i])
            continue;
        if (!cm_constant_is_int(evaluate(filling, loop->args[i]), &bounds[i]) ||
            (i == 2 && bounds[2] == 0)) {
            cm_check_fail(filling->check, loop->place, "a loop in this value is not constant");
            return false;
        }
    }
    struct loop_value value = {.outer = filling->loops, .variable = loop->variable};
    filling->loops = &value;
    bool good = true;
    uint64_t turns = 0;
    for (int64_t i = bounds[0]; good && (bounds[2] > 0 ? i <= bounds[1] : i >= bounds[1]);
         i += bounds[2]) {
        value.value = cm_check_int(filling->check, (int32_t)i, loop->place);
        good = value.value && ++turns <= ELEMENTS_MAX;
        for (uint32_t j = 3; good && j < loop->count; j++)
            good = fill(filling, loop->args[j]);
    }
    filling->loops = value.outer;
    return good;
}

static bool fill(struct filling *filling, struct cm_fortran_expression *value)
{
    if (value->kind == CM_FORTRAN_IMPLIED_DO)
        return fill_loop(filling, value);
    if (value->rank == 0)
        return add(filling, value, 1);
    bool reshapes = value->kind == CM_FORTRAN_INTRINSIC && value->intrinsic == CM_FORTRAN_RESHAPE &&
                    !value->args[2] && !value->args[3];
    if (reshapes || value->kind == CM_FORTRAN_CONVERT)
        return fill(filling, value->args[0]);
    if (value->kind != CM_FORTRAN_CONSTRUCTOR) {
        cm_check_fail(filling->check, value->place,
                      "the value of \"%s\" is not a constant or a constructor of constants",
                      filling->variable->name);
        return false;
    }
    for (uint32_t i = 0; i < value->count; i++)
        if (!fill(filling, value->args[i]))
            return false;
    return true;
}

void cm_check_initial(struct cm_check *check, struct cm_fortran_variable *variable,
                      const struct cm_fortran_expression *value)
{
    struct filling filling = {.check = check, .variable = variable};
    struct cm_fortran_expression *from = (struct cm_fortran_expression *)value;
    struct cm_shape shape;
    uint64_t elements = 1;
    cm_variable_shape(variable, &shape);
    for (uint32_t axis = 0; axis < shape.rank; axis++) {
        if (shape.extents[axis] < 0)
            return; /* A bound that is not constant was reported before. */
        elements = elements > UINT32_MAX ? elements : elements * (uint64_t)shape.extents[axis];
    }
    if (value->rank == 0) {
        (void)add(&filling, from, elements);
        return;
    }
    struct cm_fortran_expression *whole =
        cm_check_variable_reference(check, variable, value->place);
    if (!whole || !cm_check_conform(check, whole, value, value->place, "the array and its value"))
        return;
    if (fill(&filling, from) && filling.at != elements)
        cm_check_fail(check, value->place, "\"%s\" has %llu elements, and its value %llu",
                      variable->name, (unsigned long long)elements, (unsigned long long)filling.at);
}
