/* Checks the initial values of variables: DATA, REAL X /1.0/, REAL :: X = 1, and arrays that are
 * PARAMETERs. */
#include "flow.h"

/* Limit of the number of iterations of implied DO loops in one list of a DATA statement. */
#define ITERATIONS_MAX 1000000u

/* An iterator over a list of values in DATA, which returns each value as often as it is
 * repeated. */
struct values {
    struct cm_check *check;
    const struct cm_syntax_argument *next;
    const struct cm_fortran_expression *value;
    uint64_t left; /* number of times that the current value is still to be used */
    uint32_t iterations;
    struct cm_source_place place;
    bool is_missing; /* true if it was reported that the list is too short */
};

/* Returns the number of elements of a variable whose bounds are constant, or 0 if a bound is not
 * constant. */
static uint64_t elements_of(const struct cm_fortran_variable *variable)
{
    struct cm_shape shape;
    cm_variable_shape(variable, &shape);
    uint64_t count = 1;
    for (uint32_t axis = 0; axis < shape.rank; axis++) {
        if (shape.extents[axis] < 0 || count > UINT32_MAX)
            return 0;
        count *= (uint64_t)shape.extents[axis];
    }
    return count;
}

static bool add_initial(struct cm_check *check, struct cm_fortran_variable *variable,
                        uint64_t first, uint64_t count, const union cm_fortran_value *value)
{
    /* A COMMON array is stored in the variable of the first unit that names it. */
    if (variable->storage == CM_FORTRAN_STATIC && variable->slot < check->program->static_count)
        variable = check->program->statics[variable->slot];
    struct cm_fortran_initial *more =
        cm_check_grow(check, variable->initials, variable->initial_count, sizeof *more);
    if (!more)
        return false;
    variable->initials = more;
    variable->initials[variable->initial_count++] =
        (struct cm_fortran_initial){.first = first, .count = count, .value = *value};
    return true;
}

/* Evaluates the repeat count n of a value n*value. */
static bool repeat_count(struct cm_check *check, const struct cm_syntax_expression *tree,
                         uint64_t *count)
{
    int32_t number;
    if (!cm_check_integer(check, tree, "a repeat count", &number))
        return false;
    if (number < 0)
        cm_check_fail(check, tree->place, "a repeat count is not negative");
    *count = number > 0 ? (uint64_t)number : 0;
    return number >= 0;
}

/* Advances to the next value of the list if the current value is used up. Reports a list that is
 * too short. */
static bool next_value(struct values *values)
{
    struct cm_check *check = values->check;
    while (values->left == 0) {
        const struct cm_syntax_argument *argument = values->next;
        if (!argument) {
            cm_check_fail(check, values->place, "DATA has fewer values than elements");
            values->is_missing = true;
            return false;
        }
        values->next = argument->next;
        const struct cm_syntax_expression *tree = argument->value;
        values->left = 1;
        if (tree->kind == CM_EXPRESSION_REPEAT) {
            if (!repeat_count(check, tree->repeat.count, &values->left))
                return false;
            tree = tree->repeat.value;
        }
        values->value = cm_check_expression(check, tree);
        if (!values->value)
            return false;
        if (values->value->kind != CM_FORTRAN_CONSTANT && values->value->kind != CM_FORTRAN_TEXT) {
            cm_check_fail(check, tree->place, "a value of DATA is not constant");
            return false;
        }
    }
    return true;
}

/* Assigns the next values of the list to `count` elements of a variable. */
static bool give(struct values *values, struct cm_fortran_variable *variable, uint64_t first,
                 uint64_t count)
{
    while (count > 0) {
        if (!next_value(values))
            return false;
        const struct cm_fortran_expression *value = cm_check_assigned(
            values->check, (struct cm_fortran_expression *)values->value, variable->type);
        uint64_t now = count < values->left ? count : values->left;
        if (!value)
            return false;
        union cm_fortran_value initial = cm_check_initial_value(value);
        if (!add_initial(values->check, variable, first, now, &initial))
            return false;
        values->left -= now;
        first += now;
        count -= now;
    }
    return true;
}

static bool give_element(struct values *values, const struct cm_fortran_expression *element)
{
    const struct cm_fortran_variable *variable = element->variable;
    uint64_t index = 0, stride = 1;
    struct cm_shape shape;
    cm_variable_shape(variable, &shape);
    for (uint32_t axis = 0; axis < variable->rank; axis++) {
        int32_t subscript, lower = 1;
        if (!cm_constant_is_int(element->args[axis], &subscript)) {
            cm_check_fail(values->check, element->place, "a subscript in DATA is not constant");
            return false;
        }
        if (variable->bounds[axis].lower)
            (void)cm_constant_is_int(variable->bounds[axis].lower, &lower);
        index += (uint64_t)((int64_t)subscript - lower) * stride;
        stride *= shape.extents[axis] > 0 ? (uint64_t)shape.extents[axis] : 0;
    }
    return give(values, (struct cm_fortran_variable *)variable, index, 1);
}

static bool give_objects(struct values *values, const struct cm_syntax_arguments *objects);

/* Assigns the next values of the list to the variables of an implied DO loop. */
static bool give_loop(struct values *values, const struct cm_syntax_expression *tree)
{
    struct cm_check *check = values->check;
    int32_t first, last, step = 1;
    if (!cm_check_integer(check, tree->loop.first, "a bound in DATA", &first) ||
        !cm_check_integer(check, tree->loop.last, "a bound in DATA", &last) ||
        (tree->loop.step && !cm_check_integer(check, tree->loop.step, "a step in DATA", &step)))
        return false;
    if (step == 0) {
        cm_check_fail(check, tree->place, "the step of a loop cannot be 0");
        return false;
    }
    struct cm_meaning meaning = {.name = tree->loop.variable};
    cm_check_push(check, &meaning);
    bool good = true;
    for (int64_t i = first; good && (step > 0 ? i <= last : i >= last); i += step) {
        meaning.value = cm_check_int(check, (int32_t)i, tree->loop.variable_place);
        if (++values->iterations > ITERATIONS_MAX) {
            cm_check_fail(check, tree->place, "DATA has more than %u elements in loops",
                          ITERATIONS_MAX);
            good = false;
        }
        good = good && meaning.value && give_objects(values, &tree->loop.items);
    }
    check->meanings = meaning.outer;
    return good;
}

static bool give_object(struct values *values, const struct cm_syntax_expression *tree)
{
    struct cm_check *check = values->check;
    if (tree->kind == CM_EXPRESSION_IMPLIED_DO)
        return give_loop(values, tree);
    if (tree->kind != CM_EXPRESSION_NAME && tree->kind != CM_EXPRESSION_CALL) {
        cm_check_fail(check, tree->place, "this is not a variable");
        return false;
    }
    if (!cm_check_changes(check, tree))
        return false;
    const struct cm_fortran_expression *object = cm_check_named(check, tree);
    if (!object)
        return false;
    if (object->kind == CM_FORTRAN_ELEMENT)
        return give_element(values, object);
    if (object->kind != CM_FORTRAN_VARIABLE) {
        cm_check_fail(check, tree->place, "DATA takes variables, arrays and elements");
        return false;
    }
    const struct cm_fortran_variable *variable = object->variable;
    if (variable->storage != CM_FORTRAN_STATIC || variable->allocatable) {
        cm_check_fail(check, tree->place, "\"%s\" cannot have a value by DATA", variable->name);
        return false;
    }
    return give(values, (struct cm_fortran_variable *)variable, 0, elements_of(variable));
}

static bool give_objects(struct values *values, const struct cm_syntax_arguments *objects)
{
    for (const struct cm_syntax_argument *object = objects->first; object; object = object->next)
        if (!give_object(values, object->value))
            return false;
    return true;
}

static void check_rest(struct values *values)
{
    if (values->left > 0 || values->next)
        cm_check_fail(values->check, values->place, "DATA has more values than elements");
}

static void check_data(struct cm_check *check, const struct cm_syntax_data *data)
{
    for (; data; data = data->next) {
        struct values values = {.check = check, .next = data->values.first};
        values.place =
            data->objects.first ? data->objects.first->place : (struct cm_source_place){0, 0, 0};
        if (give_objects(&values, &data->objects))
            check_rest(&values);
    }
}

/* Checks a DATA statement, which may be among executable statements. */
static void check_statement(struct cm_check *check, const struct cm_syntax_statement *tree)
{
    if (tree->kind == CM_STATEMENT_DATA)
        check_data(check, tree->data);
}

void cm_check_all_data(struct cm_check *check, struct cm_scope *scope)
{
    check->scope = scope;
    for (struct cm_symbol *symbol = scope->first; symbol; symbol = symbol->later) {
        if (!symbol->data || !symbol->variable)
            continue;
        struct values values = {.check = check, .next = symbol->data->first};
        values.place = symbol->place;
        if (give(&values, symbol->variable, 0, elements_of(symbol->variable)))
            check_rest(&values);
    }
    cm_check_each_statement(check, &scope->tree->block, check_statement);
}
