/* Makes the variables of a unit's declarations: storage, rank and bounds. */
#include "check.h"

#include <stdio.h>

struct cm_fortran_variable *cm_check_new_variable(struct cm_check *check, const char *name,
                                                  uint8_t type, struct cm_source_place place)
{
    struct cm_fortran_variable *variable = cm_check_take(check, sizeof *variable);
    if (!variable)
        return NULL;
    variable->name = cm_check_copy(check, name);
    variable->type = type;
    variable->place = place;
    for (uint32_t axis = 0; axis < CM_RANK_MAX; axis++)
        variable->weights[axis] = 1;
    struct cm_fortran_unit *unit = check->scope->unit;
    if (!unit)
        return variable;
    struct cm_fortran_variable **more =
        cm_check_grow(check, unit->variables, unit->variable_count, sizeof(void *));
    if (!more)
        return NULL;
    unit->variables = more;
    unit->variables[unit->variable_count++] = variable;
    return variable;
}

static void make_static(struct cm_check *check, struct cm_fortran_variable *variable)
{
    struct cm_fortran_program *program = check->program;
    struct cm_fortran_variable **more =
        cm_check_grow(check, program->statics, program->static_count, sizeof(void *));
    if (!more)
        return;
    program->statics = more;
    variable->storage = CM_FORTRAN_STATIC;
    variable->slot = program->static_count;
    program->statics[program->static_count++] = variable;
}

void cm_check_storage(struct cm_check *check, struct cm_fortran_variable *variable, bool is_static)
{
    const struct cm_scope *scope = check->scope;
    variable->is_of_main = scope->is_main;
    if (is_static || !scope->unit || scope->is_main || scope->saves_all) {
        make_static(check, variable);
        return;
    }
    variable->storage = CM_FORTRAN_LOCAL;
    variable->slot = scope->unit->locals++;
}

struct cm_fortran_variable *cm_check_hidden(struct cm_check *check, const char *name, uint8_t type,
                                            struct cm_source_place place)
{
    char text[80];
    (void)snprintf(text, sizeof text, "%.60s#%u", name, ++check->scope->variables);
    struct cm_fortran_variable *variable = cm_check_new_variable(check, text, type, place);
    if (!variable)
        return NULL;
    variable->storage = CM_FORTRAN_LOCAL;
    if (check->scope->unit)
        variable->slot = check->scope->unit->locals++;
    return variable;
}

/* Returns whether the declarations alone make the symbol a variable, before a statement uses it. */
static bool is_declared_variable(const struct cm_symbol *symbol)
{
    if (symbol->kind == CM_SYMBOL_CONSTANT)
        return symbol->shape != NULL;
    return symbol->kind == CM_SYMBOL_OPEN &&
           (symbol->shape || symbol->is_dummy || symbol->is_result || symbol->is_common ||
            symbol->is_allocatable || symbol->is_saved);
}

/* Makes the variable of a dummy procedure. Its type is that of the function's value. */
static void make_procedure(struct cm_check *check, struct cm_symbol *symbol)
{
    char letter = symbol->name[0];
    if (!symbol->typed && letter >= 'a' && letter <= 'z')
        symbol->type = check->scope->implicit[letter - 'a'];
    symbol->variable = cm_check_new_variable(check, symbol->name, symbol->type, symbol->place);
    if (!symbol->variable)
        return;
    symbol->variable->storage = CM_FORTRAN_DUMMY;
    symbol->variable->is_procedure = true;
    symbol->variable->is_optional = symbol->is_optional;
}

static void make_result(struct cm_scope *scope, struct cm_fortran_variable *variable)
{
    variable->storage = CM_FORTRAN_RESULT;
    variable->slot = scope->unit->locals++;
    scope->unit->result = variable;
}

static void make_variable(struct cm_check *check, struct cm_symbol *symbol)
{
    struct cm_scope *scope = check->scope;
    uint8_t type;
    if (!cm_symbol_type(check, symbol, &type))
        return;
    if (type == CM_FORTRAN_CHARACTER && !cm_check_character(check, symbol))
        type = CM_TYPE_INT32;
    struct cm_fortran_variable *variable =
        cm_check_new_variable(check, symbol->name, type, symbol->place);
    if (!variable)
        return;
    symbol->variable = variable;
    variable->length = symbol->length;
    if (symbol->kind == CM_SYMBOL_OPEN)
        symbol->kind = CM_SYMBOL_VARIABLE;
    variable->rank = symbol->shape ? (uint8_t)symbol->shape->count : 0;
    variable->allocatable = symbol->is_allocatable;
    variable->is_optional = symbol->is_optional;
    if (symbol->is_allocatable && (symbol->is_dummy || symbol->is_result))
        cm_check_fail(check, symbol->place, "ALLOCATABLE arguments and results are not supported");
    else if (symbol->is_allocatable && !symbol->shape)
        cm_check_fail(check, symbol->place, "the ALLOCATABLE \"%s\" has no dimensions",
                      symbol->name);
    if (symbol->is_dummy)
        variable->storage = CM_FORTRAN_DUMMY;
    else if (symbol->is_result && scope->unit)
        make_result(scope, variable);
    else if (!symbol->is_common && !scope->unit && symbol->kind == CM_SYMBOL_VARIABLE)
        cm_check_fail(check, symbol->place, "\"%s\" is in BLOCK DATA and not in COMMON",
                      symbol->name);
    else if (!symbol->is_common)
        cm_check_storage(check, variable, symbol->is_saved || symbol->kind == CM_SYMBOL_CONSTANT);
}

/* Returns a variable in the expression of an array bound that has no value when the unit begins, or
 * NULL. */
static const struct cm_fortran_variable *
undefined_in(const struct cm_fortran_expression *expression)
{
    if (!expression)
        return NULL;
    if (expression->kind == CM_FORTRAN_VARIABLE && expression->rank == 0 &&
        (expression->variable->storage == CM_FORTRAN_LOCAL ||
         expression->variable->storage == CM_FORTRAN_RESULT))
        return expression->variable;
    for (uint32_t i = 0; i < expression->count; i++) {
        const struct cm_fortran_variable *found = undefined_in(expression->args[i]);
        if (found)
            return found;
    }
    return NULL;
}

static struct cm_fortran_expression *check_bound(struct cm_check *check,
                                                 const struct cm_symbol *symbol,
                                                 const struct cm_syntax_expression *tree)
{
    if (!tree)
        return NULL;
    struct cm_fortran_expression *bound = cm_check_scalar(check, tree, CM_TYPE_INT32, "a bound");
    if (!bound || bound->kind == CM_FORTRAN_CONSTANT)
        return bound;
    if (symbol->is_common || symbol->variable->storage == CM_FORTRAN_STATIC) {
        cm_check_fail(check, tree->place, "the bounds of \"%s\" are not constant", symbol->name);
        cm_messages_hint(check->messages, "%s",
                         check->scope->is_main ? "use a PARAMETER, or ALLOCATE the array"
                                               : "arrays of COMMON, SAVE and DATA have constant "
                                                 "bounds");
        return NULL;
    }
    const struct cm_fortran_variable *undefined = undefined_in(bound);
    if (undefined)
        return cm_check_fail(check, tree->place,
                             "\"%s\" has no value when the bounds of \"%s\" are computed",
                             undefined->name, symbol->name);
    return bound;
}

static void check_dimension(struct cm_check *check, struct cm_symbol *symbol,
                            const struct cm_syntax_bound *tree, uint32_t axis)
{
    struct cm_fortran_variable *variable = symbol->variable;
    struct cm_fortran_bound *bound = &variable->bounds[axis];
    bound->lower = check_bound(check, symbol, tree->lower);
    bool is_explicit = tree->kind == CM_BOUND_EXPLICIT;
    if (is_explicit)
        bound->upper = check_bound(check, symbol, tree->upper);
    if (variable->allocatable && (is_explicit || tree->kind == CM_BOUND_ASSUMED)) {
        cm_check_fail(check, tree->place, "ALLOCATABLE \"%s\" has bounds in its declaration",
                      symbol->name);
        cm_messages_hint(check->messages, "write (:), and the bounds in ALLOCATE");
    } else if (tree->kind == CM_BOUND_DEFERRED && !variable->allocatable && !symbol->is_dummy) {
        cm_check_fail(check, tree->place, "dimension %u of \"%s\" has no upper bound", axis + 1,
                      symbol->name);
        cm_messages_hint(check->messages, "only ALLOCATABLE arrays and arguments can have (:)");
    } else if (tree->kind == CM_BOUND_ASSUMED && !symbol->is_dummy) {
        cm_check_fail(check, tree->place, "\"%s\" is not an argument, and cannot have (*)",
                      symbol->name);
    } else if (tree->kind == CM_BOUND_ASSUMED && tree->next) {
        cm_check_fail(check, tree->place, "only the last dimension can be *");
    } else if (tree->kind == CM_BOUND_ASSUMED) {
        variable->assumed_size = true;
    }
}

/* Lists the dummy arguments of a unit or of an ENTRY, and gives those without a slot the next one.
 * `names` has the names of the unit that contains the ENTRY. */
static void number_arguments(struct cm_check *check, const struct cm_scope *names,
                             const struct cm_scope *scope, uint32_t *slots)
{
    struct cm_fortran_unit *unit = scope->unit;
    unit->arguments =
        cm_check_take(check, sizeof(void *) * ((size_t)scope->tree->arguments.count + 1));
    if (!unit->arguments)
        return;
    for (const struct cm_syntax_entity *entity = scope->tree->arguments.first; entity;
         entity = entity->next) {
        struct cm_symbol *symbol = cm_symbol_find(names, entity->name);
        if (!symbol || !symbol->variable)
            continue;
        if (!symbol->is_numbered)
            symbol->variable->slot = (*slots)++;
        symbol->is_numbered = true;
        unit->arguments[unit->argument_count++] = symbol->variable;
    }
}

/* Numbers the dummy arguments of a unit and of its ENTRYs. */
static void number_all_arguments(struct cm_check *check, struct cm_scope *scope)
{
    uint32_t slots = 0;
    number_arguments(check, scope, scope, &slots);
    for (uint32_t i = 0; i < check->scope_count; i++)
        if (check->scopes[i].master == scope && check->scopes[i].unit)
            number_arguments(check, scope, &check->scopes[i], &slots);
    scope->unit->slots = slots;
}

/* Checks the initial value of an array that is a PARAMETER, or of a variable declared as in REAL ::
 * X = 1. */
static void check_initial(struct cm_check *check, struct cm_symbol *symbol)
{
    struct cm_fortran_variable *variable = symbol->variable;
    struct cm_fortran_expression *value = cm_check_expression(check, symbol->initial);
    variable->is_constant = symbol->kind == CM_SYMBOL_CONSTANT;
    value = value ? cm_check_assigned(check, value, variable->type) : NULL;
    if (value)
        cm_check_initial(check, variable, value);
}

void cm_check_variables(struct cm_check *check, struct cm_scope *scope)
{
    check->scope = scope;
    scope->declared = true;
    for (struct cm_symbol *symbol = scope->first; symbol; symbol = symbol->later)
        if (is_declared_variable(symbol))
            make_variable(check, symbol);
        else if (symbol->is_dummy && symbol->kind == CM_SYMBOL_PROCEDURE)
            make_procedure(check, symbol);
    if (scope->unit)
        number_all_arguments(check, scope);
    for (struct cm_symbol *symbol = scope->first; symbol; symbol = symbol->later) {
        if (!symbol->variable || !symbol->shape)
            continue;
        const struct cm_syntax_bound *bound = symbol->shape->first;
        for (uint32_t axis = 0; bound && axis < symbol->shape->count; axis++) {
            check_dimension(check, symbol, bound, axis);
            bound = bound->next;
        }
    }
    for (const struct cm_syntax_statement *statement = scope->tree->block.first; statement;
         statement = statement->next)
        if (statement->kind == CM_STATEMENT_COMMON)
            cm_check_common(check, statement->common);
    cm_check_commons_agree(check);
    for (struct cm_symbol *symbol = scope->first; symbol; symbol = symbol->later)
        if (symbol->initial && symbol->variable)
            check_initial(check, symbol);
    cm_check_layouts(check, scope);
}
