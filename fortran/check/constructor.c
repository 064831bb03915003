/* Checks array constructors, such as [1:n] and (/ (i*i, i = 1, n) /), and implied DO loops. */
#include "check.h"

bool cm_check_loop_bounds(struct cm_check *check, struct cm_fortran_expression *loop,
                          const struct cm_syntax_expression *first,
                          const struct cm_syntax_expression *last,
                          const struct cm_syntax_expression *step, uint8_t type)
{
    const struct cm_syntax_expression *trees[3] = {first, last, step};
    bool good = true;
    for (uint32_t i = 0; i < 3; i++) {
        if (!trees[i])
            continue;
        struct cm_fortran_expression *bound = cm_check_expression(check, trees[i]);
        if (bound && (bound->rank > 0 || !cm_type_is_number(bound->type) ||
                      cm_type_is_complex(bound->type))) {
            cm_check_fail(check, trees[i]->place, "the bounds of a loop are scalar numbers");
            bound = NULL;
        }
        loop->args[i] = cm_check_convert(check, bound, type);
        good = good && loop->args[i];
    }
    int32_t value;
    if (cm_constant_is_int(loop->args[2], &value) && value == 0) {
        cm_check_fail(check, step->place, "the step of a loop cannot be 0");
        return false;
    }
    return good;
}

static struct cm_fortran_expression *new_loop(struct cm_check *check, uint32_t values,
                                              const char *name, struct cm_source_place place)
{
    struct cm_fortran_expression *loop =
        cm_check_new(check, CM_FORTRAN_IMPLIED_DO, CM_TYPE_INT32, 1, place);
    if (!loop || !cm_check_args(check, loop, 3 + values))
        return NULL;
    if (name)
        loop->variable = cm_check_hidden(check, name, CM_TYPE_INT32, place);
    return name && !loop->variable ? NULL : loop;
}

static struct cm_fortran_expression *check_value(struct cm_check *check,
                                                 const struct cm_syntax_expression *tree);

/* Makes the implied DO loop (i, i = lower, upper, stride) for a range lower:upper:stride in a
 * constructor. */
static struct cm_fortran_expression *check_range(struct cm_check *check,
                                                 const struct cm_syntax_expression *tree)
{
    if (!tree->range.lower || !tree->range.upper)
        return cm_check_fail(check, tree->place, "a range in a constructor has both bounds");
    struct cm_fortran_expression *loop = new_loop(check, 1, "range", tree->place);
    if (!loop)
        return NULL;
    bool good = true;
    const struct cm_syntax_expression *trees[3] = {tree->range.lower, tree->range.upper,
                                                   tree->range.stride};
    for (uint32_t i = 0; i < 3; i++) {
        if (trees[i])
            loop->args[i] = cm_check_scalar(check, trees[i], CM_TYPE_INT32, "a range");
        good = good && (!trees[i] || loop->args[i]);
    }
    int32_t stride;
    if (cm_constant_is_int(loop->args[2], &stride) && stride == 0)
        return cm_check_fail(check, tree->place, "the step of a range cannot be 0");
    loop->args[3] = cm_check_variable_reference(check, (struct cm_fortran_variable *)loop->variable,
                                                tree->place);
    return good && loop->args[3] ? loop : NULL;
}

struct cm_fortran_expression *cm_check_counts(struct cm_check *check,
                                              struct cm_fortran_expression *last,
                                              struct cm_source_place place)
{
    struct cm_fortran_expression *vector =
        cm_check_new(check, CM_FORTRAN_CONSTRUCTOR, CM_TYPE_INT32, 1, place);
    struct cm_fortran_expression *loop = new_loop(check, 1, "range", place);
    if (!vector || !loop || !cm_check_args(check, vector, 1))
        return NULL;
    loop->args[0] = cm_check_int(check, 1, place);
    loop->args[1] = last;
    loop->args[3] =
        cm_check_variable_reference(check, (struct cm_fortran_variable *)loop->variable, place);
    vector->args[0] = loop;
    return loop->args[0] && loop->args[3] ? vector : NULL;
}

/* Makes the implied DO loop ([1, 2], i = 1, 3) for a repeated constructor such as 3[1, 2]. */
static struct cm_fortran_expression *check_repeat(struct cm_check *check,
                                                  const struct cm_syntax_expression *tree)
{
    struct cm_fortran_expression *loop = new_loop(check, 1, "repeat", tree->place);
    if (!loop)
        return NULL;
    loop->args[0] = cm_check_int(check, 1, tree->place);
    loop->args[1] = cm_check_scalar(check, tree->repeat.count, CM_TYPE_INT32, "a repeat count");
    loop->args[3] = check_value(check, tree->repeat.value);
    if (!loop->args[0] || !loop->args[1] || !loop->args[3])
        return NULL;
    loop->type = loop->args[3]->type;
    return loop;
}

/* Extends the type of a constructor's values by one more value. The type of several numbers is the
 * type of their sum. */
static bool join_type(struct cm_check *check, uint8_t *type,
                      const struct cm_fortran_expression *value)
{
    if (*type == CM_FORTRAN_NO_TYPE || *type == value->type) {
        *type = value->type;
        return true;
    }
    if (!cm_type_is_number(*type) || !cm_type_is_number(value->type)) {
        cm_check_fail(check, value->place, "a constructor cannot join %s and %s",
                      cm_fortran_type_text(*type), cm_fortran_type_text(value->type));
        return false;
    }
    *type = cm_type_join(*type, value->type);
    return true;
}

static bool check_values(struct cm_check *check, const struct cm_syntax_arguments *items,
                         struct cm_fortran_expression *into, uint32_t from)
{
    uint8_t type = CM_FORTRAN_NO_TYPE;
    bool good = true;
    uint32_t at = from;
    for (const struct cm_syntax_argument *item = items->first; item; item = item->next) {
        struct cm_fortran_expression *value = check_value(check, item->value);
        into->args[at++] = value;
        good = good && value && join_type(check, &type, value);
    }
    into->type = type;
    return good;
}

static struct cm_fortran_expression *check_loop(struct cm_check *check,
                                                const struct cm_syntax_expression *tree)
{
    struct cm_fortran_expression *loop =
        new_loop(check, tree->loop.items.count, tree->loop.variable, tree->place);
    if (!loop)
        return NULL;
    bool good = cm_check_loop_bounds(check, loop, tree->loop.first, tree->loop.last,
                                     tree->loop.step, CM_TYPE_INT32);
    struct cm_meaning meaning = {.name = tree->loop.variable};
    meaning.value = cm_check_variable_reference(check, (struct cm_fortran_variable *)loop->variable,
                                                tree->loop.variable_place);
    cm_check_push(check, &meaning);
    good = check_values(check, &tree->loop.items, loop, 3) && good;
    check->meanings = meaning.outer;
    return good ? loop : NULL;
}

static struct cm_fortran_expression *check_value(struct cm_check *check,
                                                 const struct cm_syntax_expression *tree)
{
    struct cm_fortran_expression *value;
    switch (tree->kind) {
    case CM_EXPRESSION_RANGE:
        return check_range(check, tree);
    case CM_EXPRESSION_REPEAT:
        return check_repeat(check, tree);
    case CM_EXPRESSION_IMPLIED_DO:
        return check_loop(check, tree);
    default:
        value = cm_check_expression(check, tree);
        if (value && value->type >= CM_TYPE_COUNT)
            return cm_check_fail(check, tree->place, "arrays of CHARACTER are not supported");
        return value;
    }
}

/* Converts the values of a constructor to its type, also those in its implied DO loops. */
static bool convert_values(struct cm_check *check, struct cm_fortran_expression *list,
                           uint32_t from, uint8_t type)
{
    for (uint32_t i = from; i < list->count; i++) {
        struct cm_fortran_expression *value = list->args[i];
        if (value->kind == CM_FORTRAN_IMPLIED_DO) {
            if (!convert_values(check, value, 3, type))
                return false;
            continue;
        }
        list->args[i] = cm_check_convert(check, value, type);
        if (!list->args[i])
            return false;
    }
    list->type = type;
    return true;
}

struct cm_fortran_expression *cm_check_constructor(struct cm_check *check,
                                                   const struct cm_syntax_expression *tree)
{
    if (tree->items.count == 0) {
        cm_check_fail(check, tree->place, "an empty constructor has no type");
        cm_messages_hint(check->messages, "[1:0] is an INTEGER array without elements");
        return NULL;
    }
    struct cm_fortran_expression *result =
        cm_check_new(check, CM_FORTRAN_CONSTRUCTOR, CM_TYPE_INT32, 1, tree->place);
    if (!result || !cm_check_args(check, result, tree->items.count) ||
        !check_values(check, &tree->items, result, 0))
        return NULL;
    return convert_values(check, result, 0, result->type) ? result : NULL;
}

/* Checks an implied DO loop of input or output. */
static struct cm_fortran_expression *
check_item_loop(struct cm_check *check, const struct cm_syntax_expression *tree,
                struct cm_fortran_expression *(*item)(struct cm_check *check,
                                                      const struct cm_syntax_expression *tree))
{
    struct cm_fortran_expression *loop = new_loop(check, tree->loop.items.count, NULL, tree->place);
    struct cm_symbol *symbol =
        loop ? cm_symbol_of(check, tree->loop.variable, tree->loop.variable_place) : NULL;
    struct cm_fortran_variable *variable =
        symbol ? cm_symbol_variable(check, symbol, tree->loop.variable_place) : NULL;
    if (!variable)
        return NULL;
    if (variable->rank > 0 || variable->type != CM_TYPE_INT32)
        return cm_check_fail(check, tree->loop.variable_place,
                             "the variable of a loop in a list is an INTEGER scalar");
    loop->variable = variable;
    bool good = cm_check_loop_bounds(check, loop, tree->loop.first, tree->loop.last,
                                     tree->loop.step, CM_TYPE_INT32);
    uint32_t at = 3;
    for (const struct cm_syntax_argument *next = tree->loop.items.first; next;
         next = next->next, at++) {
        loop->args[at] = cm_check_item(check, next->value, item);
        good = good && loop->args[at];
    }
    return good ? loop : NULL;
}

struct cm_fortran_expression *
cm_check_item(struct cm_check *check, const struct cm_syntax_expression *tree,
              struct cm_fortran_expression *(*item)(struct cm_check *check,
                                                    const struct cm_syntax_expression *tree))
{
    return tree->kind == CM_EXPRESSION_IMPLIED_DO ? check_item_loop(check, tree, item)
                                                  : item(check, tree);
}
