/* Checks calls of the file's program units and of statement functions, and searches for
 * recursion. */
#include "check.h"

static bool is_variable(const struct cm_fortran_expression *actual)
{
    return actual->kind == CM_FORTRAN_VARIABLE || actual->kind == CM_FORTRAN_ELEMENT ||
           actual->kind == CM_FORTRAN_SECTION ||
           (actual->kind == CM_FORTRAN_SUBSTRING && actual->variable != NULL);
}

static void hint_constant(struct cm_check *check, const struct cm_fortran_expression *actual,
                          uint8_t type)
{
    if (actual->kind != CM_FORTRAN_CONSTANT || !cm_type_is_number(actual->type))
        return;
    const char *hint = type == CM_TYPE_REAL64   ? "write a constant with D0"
                       : type == CM_TYPE_REAL32 ? "write a constant with a decimal point, and "
                                                  "without D"
                                                : NULL;
    if (hint)
        cm_messages_hint(check->messages, "%s", hint);
}

/* Returns whether the dummy array has more elements than the actual argument, if both numbers are
 * constant. Sets `shapes` to the shapes of the two. */
static bool is_larger(const struct cm_fortran_variable *dummy,
                      const struct cm_fortran_expression *actual, struct cm_shape shapes[2])
{
    cm_variable_shape(dummy, &shapes[0]);
    cm_check_shape(actual, &shapes[1]);
    double elements[2] = {1, 1};
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t axis = 0; axis < shapes[i].rank; axis++) {
            if (shapes[i].extents[axis] < 0)
                return false;
            elements[i] *= (double)shapes[i].extents[axis];
        }
    return elements[0] > elements[1];
}

static bool check_rank(struct cm_check *check, const struct cm_fortran_expression *actual,
                       const struct cm_fortran_variable *dummy, const char *unit)
{
    struct cm_shape shapes[2];
    if (actual->rank != dummy->rank) {
        if (dummy->rank == 0)
            cm_check_fail(check, actual->place,
                          "argument \"%s\" of \"%s\" is a scalar, not an array of rank %u",
                          dummy->name, unit, actual->rank);
        else if (actual->rank == 0)
            cm_check_fail(check, actual->place,
                          "argument \"%s\" of \"%s\" is an array of rank %u, not a scalar",
                          dummy->name, unit, dummy->rank);
        else
            cm_check_fail(check, actual->place, "argument \"%s\" of \"%s\" has rank %u, not %u",
                          dummy->name, unit, dummy->rank, actual->rank);
        if (actual->kind == CM_FORTRAN_ELEMENT && dummy->rank > 0)
            cm_messages_hint(check->messages,
                             actual->type == CM_FORTRAN_CHARACTER
                                 ? "pass the whole array %s"
                                 : "pass a section, such as %s(i:j)",
                             actual->variable->name);
        return false;
    }
    if (dummy->rank > 0 && is_larger(dummy, actual, shapes)) {
        cm_check_fail(check, actual->place,
                      "argument \"%s\" of \"%s\" has the shape %s, and this array only %s",
                      dummy->name, unit, cm_check_shape_text(&shapes[0]).text,
                      cm_check_shape_text(&shapes[1]).text);
        return false;
    }
    return true;
}

bool cm_check_argument(struct cm_check *check, const struct cm_fortran_expression *actual,
                       struct cm_fortran_variable *dummy, const char *unit)
{
    bool is_procedure = actual->kind == CM_FORTRAN_PROCEDURE || dummy->is_procedure;
    if (is_procedure || (actual->rank == 0 && dummy->rank == 0))
        cm_check_link(check, actual, dummy, unit);
    if (is_procedure)
        return true;
    if (actual->type != dummy->type) {
        cm_check_fail(check, actual->place, "argument \"%s\" of \"%s\" is %s, not %s", dummy->name,
                      unit, cm_fortran_type_text(dummy->type), cm_fortran_type_text(actual->type));
        hint_constant(check, actual, dummy->type);
        return false;
    }
    if (!check_rank(check, actual, dummy, unit))
        return false;
    if (is_variable(actual) && dummy->rank > 0)
        cm_check_passes(check, actual->variable, dummy);
    return true;
}

static bool check_actual(struct cm_check *check, const struct cm_fortran_expression *actual,
                         const struct cm_syntax_expression *tree, struct cm_fortran_variable *dummy,
                         const struct cm_scope *callee)
{
    const char *unit = callee->tree->name;
    if (!cm_check_argument(check, actual, dummy, unit))
        return false;
    const struct cm_symbol *symbol = callee->master ? callee->master->first : callee->first;
    while (symbol && symbol->variable != dummy)
        symbol = symbol->later;
    if (symbol && (symbol->intent & CM_ATTRIBUTE_OUT)) {
        if (!is_variable(actual)) {
            cm_check_fail(check, actual->place,
                          "argument \"%s\" of \"%s\" returns a value: it needs a variable",
                          dummy->name, unit);
            return false;
        }
        if (!cm_check_changes(check, tree))
            return false;
    }
    return true;
}

static bool find_dummy(struct cm_check *check, const struct cm_scope *callee,
                       const struct cm_syntax_argument *argument, uint32_t *at)
{
    const struct cm_syntax_entity *entity = callee->tree->arguments.first;
    for (*at = 0; entity; entity = entity->next, ++*at)
        if (entity->name == argument->keyword)
            return true;
    cm_check_fail(check, argument->place, "\"%s\" has no argument \"%s\"", callee->tree->name,
                  argument->keyword);
    return false;
}

static uint32_t required_of(const struct cm_fortran_unit *unit)
{
    uint32_t required = 0;
    for (uint32_t i = 0; i < unit->argument_count; i++)
        required += !unit->arguments[i]->is_optional;
    return required;
}

static bool check_count(struct cm_check *check, const struct cm_scope *callee,
                        struct cm_source_place place, uint32_t given)
{
    uint32_t wanted = callee->unit->argument_count;
    if (given <= wanted && given >= required_of(callee->unit))
        return true;
    cm_check_fail(check, place, "\"%s\" has %u argument%s, and is called with %u",
                  callee->tree->name, wanted, wanted == 1 ? "" : "s", given);
    cm_messages_hint(check->messages, "it is in %s, line %u",
                     cm_source_name(check->messages->source, callee->tree->place.file),
                     callee->tree->place.line);
    return false;
}

void cm_check_unknown(struct cm_check *check, const struct cm_syntax_arguments *arguments)
{
    for (const struct cm_syntax_argument *argument = arguments->first; argument;
         argument = argument->next)
        (void)cm_check_named(check, argument->value);
}

/* Returns whether a call has all arguments that are not OPTIONAL. Reports a missing one. */
static bool check_given(struct cm_check *check, const struct cm_scope *callee,
                        struct cm_source_place place, struct cm_fortran_expression *const *args)
{
    for (uint32_t i = 0; i < callee->unit->argument_count; i++) {
        const struct cm_fortran_variable *dummy = callee->unit->arguments[i];
        if (!args[i] && !dummy->is_optional) {
            cm_check_fail(check, place, "argument \"%s\" of \"%s\" is missing", dummy->name,
                          callee->tree->name);
            return false;
        }
    }
    return true;
}

bool cm_check_actuals(struct cm_check *check, struct cm_scope *callee, struct cm_source_place place,
                      const struct cm_syntax_arguments *arguments,
                      struct cm_fortran_expression ***args, uint32_t *count)
{
    *count = callee->unit->argument_count;
    *args = cm_check_take(check, sizeof(void *) * ((size_t)*count + 1));
    if (!*args || !check_count(check, callee, place, arguments->count))
        return false;
    bool good = true;
    uint32_t next = 0;
    for (const struct cm_syntax_argument *argument = arguments->first; argument;
         argument = argument->next) {
        uint32_t at = next++;
        if (argument->keyword && !find_dummy(check, callee, argument, &at))
            return false;
        struct cm_fortran_expression *actual = cm_check_actual(check, argument->value);
        if ((*args)[at] && actual)
            actual = cm_check_fail(check, argument->place, "this argument is given twice");
        (*args)[at] = actual;
        struct cm_fortran_variable *dummy = callee->unit->arguments[at];
        good = actual && check_actual(check, actual, argument->value, dummy, callee) && good;
    }
    return good && check_given(check, callee, place, *args);
}

void cm_check_calls(struct cm_check *check, struct cm_scope *callee, struct cm_source_place place)
{
    if (callee->master)
        callee = callee->master;
    struct cm_scope_call *call = cm_check_take(check, sizeof *call);
    if (!call)
        return;
    call->callee = callee;
    call->place = place;
    *(check->scope->last_call ? &check->scope->last_call->next : &check->scope->calls) = call;
    check->scope->last_call = call;
}

/* Returns whether the type that the caller declares for a function is the function's type. Reports
 * a fault if not. */
static bool check_result_type(struct cm_check *check, const struct cm_scope *callee,
                              const struct cm_syntax_expression *tree)
{
    struct cm_symbol *symbol = cm_symbol_of(check, tree->call.name, tree->place);
    uint8_t type;
    if (!symbol || symbol->has_interface || callee == check->scope)
        return symbol != NULL;
    symbol->kind = CM_SYMBOL_PROCEDURE;
    if (!symbol->typed && check->scope->implicit_none) {
        cm_check_fail(check, tree->place, "the function \"%s\" is not declared", tree->call.name);
        symbol->typed = true; /* No second message about this name follows. */
        symbol->type = callee->unit->result->type;
    } else if (!cm_symbol_type(check, symbol, &type) || type == callee->unit->result->type) {
        return true;
    } else {
        cm_check_fail(check, tree->place, "the function \"%s\" is %s here, and %s in its unit",
                      tree->call.name, cm_fortran_type_text(type),
                      cm_fortran_type_text(callee->unit->result->type));
    }
    cm_messages_hint(check->messages, "declare it: %s %s",
                     cm_fortran_type_text(callee->unit->result->type), tree->call.name);
    return false;
}

struct cm_fortran_expression *cm_check_function(struct cm_check *check, struct cm_scope *callee,
                                                const struct cm_syntax_expression *tree)
{
    if (!callee->unit->is_function) {
        cm_check_fail(check, tree->place, "\"%s\" is a subroutine, not a function",
                      tree->call.name);
        cm_messages_hint(check->messages, "write CALL %s", tree->call.name);
        return NULL;
    }
    if (!callee->declared || !check->scope->declared || !check->flow)
        return cm_check_fail(check, tree->place,
                             "functions of the file cannot be used in declarations");
    if (!callee->unit->result || !check_result_type(check, callee, tree))
        return NULL;
    struct cm_fortran_variable *result = callee->unit->result;
    struct cm_fortran_expression *call =
        cm_check_new(check, CM_FORTRAN_CALL, result->type, result->rank, tree->place);
    if (!call)
        return NULL;
    call->unit = callee->unit;
    cm_check_operates(check, result);
    cm_check_calls(check, callee, tree->place);
    return cm_check_actuals(check, callee, tree->place, &tree->call.arguments, &call->args,
                            &call->count)
               ? call
               : NULL;
}

/* Returns the number of nodes of an expression, or `most` if there are more. */
static uint32_t size_of(const struct cm_fortran_expression *expression, uint32_t most)
{
    uint32_t size = 1;
    for (uint32_t i = 0; i < expression->count && size < most; i++)
        if (expression->args[i])
            size += size_of(expression->args[i], most - size);
    return size;
}

static bool bind(struct cm_check *check, const struct cm_syntax_expression *tree,
                 const struct cm_syntax_entity *entity, const struct cm_syntax_argument *argument,
                 struct cm_meaning *meaning)
{
    struct cm_fortran_expression *value = cm_check_expression(check, argument->value);
    struct cm_symbol *symbol = cm_symbol_of(check, entity->name, entity->place);
    uint8_t type;
    if (!value || !symbol || !cm_symbol_type(check, symbol, &type))
        return false;
    if (value->rank > 0) {
        cm_check_fail(check, argument->place,
                      "an argument of the statement function \"%s\" is a "
                      "scalar",
                      tree->call.name);
        return false;
    }
    if (value->type != type) {
        cm_check_fail(check, argument->place,
                      "argument \"%s\" of the statement function \"%s\" is %s, not %s",
                      entity->name, tree->call.name, cm_fortran_type_text(type),
                      cm_fortran_type_text(value->type));
        hint_constant(check, value, type);
        return false;
    }
    meaning->name = entity->name;
    meaning->value = value;
    meaning->size = size_of(value, CM_FORMULA_MAX_NODES);
    return true;
}

static struct cm_fortran_expression *expand(struct cm_check *check, struct cm_symbol *symbol,
                                            struct cm_meaning *arguments)
{
    struct cm_meaning *outer = check->meanings;
    uint8_t type;
    check->meanings = arguments;
    symbol->is_busy = true;
    check->formula_depth++;
    check->formula_nodes++;
    struct cm_fortran_expression *value =
        cm_check_expression(check, symbol->formula->function.value);
    check->formula_depth--;
    symbol->is_busy = false;
    check->meanings = outer;
    if (!value || !cm_symbol_type(check, symbol, &type))
        return NULL;
    if (value->rank > 0)
        return cm_check_fail(check, symbol->formula->place,
                             "the value of a statement function is a scalar");
    return cm_check_assigned(check, value, type);
}

struct cm_fortran_expression *cm_check_formula(struct cm_check *check, struct cm_symbol *symbol,
                                               const struct cm_syntax_expression *tree)
{
    const struct cm_syntax_entities *entities = &symbol->formula->function.arguments;
    const struct cm_syntax_arguments *arguments = &tree->call.arguments;
    if (symbol->is_busy)
        return cm_check_fail(check, tree->place, "the statement function \"%s\" uses itself",
                             symbol->name);
    if (arguments->count != entities->count)
        return cm_check_fail(
            check, tree->place, "the statement function \"%s\" has %u argument%s, not %u",
            symbol->name, entities->count, entities->count == 1 ? "" : "s", arguments->count);
    if (check->formula_depth >= CM_FORMULA_MAX_DEPTH || check->formula_nodes > CM_FORMULA_MAX_NODES)
        return cm_check_fail(check, tree->place, "statement functions are nested too deeply");
    struct cm_meaning *meanings =
        cm_check_take(check, sizeof *meanings * ((size_t)arguments->count + 1));
    if (!meanings)
        return NULL;
    const struct cm_syntax_entity *entity = entities->first;
    uint32_t at = 0;
    for (const struct cm_syntax_argument *argument = arguments->first; argument && entity;
         argument = argument->next, entity = entity->next, at++) {
        if (!bind(check, tree, entity, argument, &meanings[at]))
            return NULL;
        meanings[at].outer = at > 0 ? &meanings[at - 1] : NULL;
    }
    return expand(check, symbol, at > 0 ? &meanings[at - 1] : NULL);
}

static void report_recursion(struct cm_check *check, const struct cm_scope *caller,
                             const struct cm_scope_call *call)
{
    bool recursive = call->callee->is_recursive;
    for (const struct cm_scope *scope = caller; scope && scope != call->callee;
         scope = scope->caller)
        recursive = recursive && scope->is_recursive;
    if (recursive)
        return;
    cm_check_fail(check, call->place, "\"%s\" calls itself%s", call->callee->tree->name,
                  caller == call->callee ? "" : " through other units");
    cm_messages_hint(check->messages, "declare the units RECURSIVE");
}

/* Searches for recursion among the units that a unit calls, directly or through others, depth
 * first. The search is iterative, because a file may have very many units. */
static void search(struct cm_check *check, struct cm_scope *scope)
{
    scope->visit = CM_SCOPE_OPEN;
    scope->next_call = scope->calls;
    scope->caller = NULL;
    while (scope) {
        const struct cm_scope_call *call = scope->next_call;
        if (!call) {
            scope->visit = CM_SCOPE_DONE;
            scope = scope->caller;
            continue;
        }
        scope->next_call = call->next;
        if (call->callee->visit == CM_SCOPE_OPEN)
            report_recursion(check, scope, call);
        if (call->callee->visit != CM_SCOPE_NEW)
            continue;
        call->callee->visit = CM_SCOPE_OPEN;
        call->callee->caller = scope;
        call->callee->next_call = call->callee->calls;
        scope = call->callee;
    }
}

void cm_check_recursion(struct cm_check *check)
{
    for (uint32_t i = 0; i < check->scope_count; i++)
        if (check->scopes[i].visit == CM_SCOPE_NEW)
            search(check, &check->scopes[i]);
}
