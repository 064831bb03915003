/*
 * Checks procedures that are passed as arguments. After all statements are checked, links from
 * actual to dummy arguments show which units a dummy procedure may be, also if it is passed on to
 * further dummy procedures. Each call of a dummy procedure is then compared with each of these
 * units, in the same way as a call of the unit itself.
 */
#include "flow.h"

/* A link from an actual argument to the dummy argument that it is passed to. */
struct cm_check_link {
    struct cm_check_link *next;
    const struct cm_fortran_expression *actual;
    struct cm_fortran_variable *dummy;
    const char *unit; /* name of the called unit */
    struct cm_source_place place;
};

/* A recorded call of a dummy procedure. */
struct cm_check_indirect {
    struct cm_check_indirect *next;
    struct cm_scope *caller;
    const struct cm_fortran_variable *procedure;
    struct cm_fortran_expression *const *args;
    uint32_t count;
    struct cm_source_place place;
    bool is_function;
    uint8_t type; /* type of the value, if the procedure is a function */
    /* number of the procedure's possible units with which the call was compared */
    uint32_t checked;
};

bool cm_check_is_argument(const struct cm_symbol *symbol)
{
    if (!symbol || !symbol->is_dummy || !symbol->variable)
        return false;
    bool may_become = symbol->kind == CM_SYMBOL_VARIABLE && !symbol->is_valued &&
                      symbol->variable->rank == 0 && symbol->variable->type != CM_FORTRAN_CHARACTER;
    return symbol->kind == CM_SYMBOL_PROCEDURE || may_become;
}

static void make_procedure(struct cm_symbol *symbol)
{
    symbol->kind = CM_SYMBOL_PROCEDURE;
    symbol->variable->is_procedure = true;
}

static struct cm_fortran_expression *check_procedure(struct cm_check *check,
                                                     const struct cm_symbol *symbol,
                                                     const struct cm_syntax_expression *tree)
{
    const struct cm_scope *scope = cm_check_unit(check, symbol->name);
    const struct cm_fortran_unit *unit = scope ? scope->unit : NULL;
    bool is_own = symbol->is_dummy && symbol->variable;
    if (!is_own && symbol->is_intrinsic) {
        unit = cm_check_passed(check, symbol->name, tree->place);
        if (!unit)
            return NULL;
    }
    if (!is_own && !unit && check->tree->is_incomplete)
        return NULL;
    if (!is_own && !unit)
        return cm_check_fail(check, tree->place, "there is no procedure \"%s\" in this file",
                             symbol->name);
    struct cm_fortran_expression *procedure =
        cm_check_new(check, CM_FORTRAN_PROCEDURE, symbol->type, 0, tree->place);
    if (procedure && is_own)
        procedure->variable = symbol->variable;
    else if (procedure)
        procedure->unit = unit;
    return procedure;
}

struct cm_fortran_expression *cm_check_actual(struct cm_check *check,
                                              const struct cm_syntax_expression *tree)
{
    const struct cm_symbol *symbol =
        tree->kind == CM_EXPRESSION_NAME ? cm_symbol_find(check->scope, tree->name) : NULL;
    if (symbol && (symbol->kind == CM_SYMBOL_PROCEDURE || symbol->is_intrinsic))
        return check_procedure(check, symbol, tree);
    return cm_check_named(check, tree);
}

void cm_check_link(struct cm_check *check, const struct cm_fortran_expression *actual,
                   struct cm_fortran_variable *dummy, const char *unit)
{
    struct cm_check_link *link = cm_check_take(check, sizeof *link);
    if (!link)
        return;
    *link = (struct cm_check_link){.next = check->links,
                                   .actual = actual,
                                   .dummy = dummy,
                                   .unit = unit,
                                   .place = actual->place};
    check->links = link;
}

/* ---- calls of dummy procedures ---- */

static bool check_arguments(struct cm_check *check, const struct cm_syntax_arguments *arguments,
                            struct cm_fortran_expression ***args, uint32_t *count)
{
    *count = 0;
    *args = cm_check_take(check, sizeof(void *) * ((size_t)arguments->count + 1));
    bool good = *args != NULL;
    for (const struct cm_syntax_argument *argument = arguments->first; argument && *args;
         argument = argument->next) {
        if (argument->keyword)
            (void)cm_check_fail(check, argument->place,
                                "the arguments of a procedure that is an argument have no "
                                "keywords");
        (*args)[*count] = argument->keyword ? NULL : cm_check_actual(check, argument->value);
        good = (*args)[(*count)++] && good;
    }
    return good;
}

static void add_indirect(struct cm_check *check, struct cm_check_indirect call)
{
    struct cm_check_indirect *added = cm_check_take(check, sizeof *added);
    if (!added)
        return;
    *added = call;
    added->caller = check->scope;
    added->next = check->indirect;
    check->indirect = added;
}

struct cm_fortran_expression *cm_check_indirect_function(struct cm_check *check,
                                                         struct cm_symbol *symbol,
                                                         const struct cm_syntax_expression *tree)
{
    uint8_t type;
    if (!check->flow)
        return cm_check_fail(check, tree->place,
                             "functions of the file cannot be used in declarations");
    make_procedure(symbol);
    if (!cm_symbol_type(check, symbol, &type))
        return NULL;
    struct cm_fortran_expression *call = cm_check_new(check, CM_FORTRAN_CALL, type, 0, tree->place);
    if (!call || !check_arguments(check, &tree->call.arguments, &call->args, &call->count))
        return NULL;
    call->variable = symbol->variable;
    add_indirect(check, (struct cm_check_indirect){.procedure = symbol->variable,
                                                   .args = call->args,
                                                   .count = call->count,
                                                   .place = tree->place,
                                                   .is_function = true,
                                                   .type = type});
    return call;
}

void cm_check_indirect_call(struct cm_check *check, struct cm_symbol *symbol,
                            const struct cm_syntax_statement *tree)
{
    struct cm_fortran_expression **args;
    uint32_t count;
    make_procedure(symbol);
    if (!check_arguments(check, &tree->call.arguments, &args, &count))
        return;
    struct cm_fortran_statement *call = cm_check_emit(check, CM_FORTRAN_CALL_UNIT, tree->place);
    if (!call)
        return;
    call->procedure = symbol->variable;
    call->args = args;
    call->count = count;
    add_indirect(check, (struct cm_check_indirect){.procedure = symbol->variable,
                                                   .args = args,
                                                   .count = count,
                                                   .place = tree->place});
}

/* ---- units that dummy procedures may be ---- */

static bool add_target(struct cm_check *check, struct cm_fortran_variable *dummy,
                       const struct cm_fortran_unit *unit)
{
    for (uint32_t i = 0; i < dummy->target_count; i++)
        if (dummy->targets[i] == unit)
            return false;
    const struct cm_fortran_unit **more =
        cm_check_grow(check, dummy->targets, dummy->target_count, sizeof(void *));
    if (!more)
        return false;
    dummy->targets = more;
    dummy->targets[dummy->target_count++] = unit;
    return true;
}

static bool follow_links(struct cm_check *check)
{
    bool changed = false;
    for (const struct cm_check_link *link = check->links; link; link = link->next) {
        const struct cm_fortran_expression *actual = link->actual;
        if (actual->kind != CM_FORTRAN_PROCEDURE)
            continue;
        if (actual->unit)
            changed |= add_target(check, link->dummy, actual->unit);
        for (uint32_t i = 0; !actual->unit && i < actual->variable->target_count; i++)
            changed |= add_target(check, link->dummy, actual->variable->targets[i]);
    }
    return changed;
}

/* Returns whether a unit may be called by a call of a dummy procedure: both are functions or both
 * are subroutines, with the same number of arguments and the same type of value. Reports a fault if
 * not. */
static bool check_kind(struct cm_check *check, const struct cm_check_indirect *call,
                       const struct cm_fortran_unit *unit)
{
    if (unit->is_function != call->is_function)
        cm_check_fail(check, call->place, "\"%s\" may be \"%s\", which is a %s",
                      call->procedure->name, unit->name,
                      unit->is_function ? "function" : "subroutine");
    else if (unit->argument_count != call->count)
        cm_check_fail(check, call->place,
                      "\"%s\" may be \"%s\", which has %u argument%s, and is called with %u",
                      call->procedure->name, unit->name, unit->argument_count,
                      unit->argument_count == 1 ? "" : "s", call->count);
    else if (unit->result && unit->result->rank > 0)
        cm_check_fail(check, call->place, "\"%s\" may be \"%s\", whose value is an array",
                      call->procedure->name, unit->name);
    else if (unit->result && unit->result->type != call->type)
        cm_check_fail(check, call->place, "the function \"%s\" is %s here, and may be \"%s\", %s",
                      call->procedure->name, cm_fortran_type_text(call->type), unit->name,
                      cm_fortran_type_text(unit->result->type));
    else
        return true;
    return false;
}

static void check_target(struct cm_check *check, const struct cm_check_indirect *call,
                         const struct cm_fortran_unit *unit)
{
    if (!check_kind(check, call, unit))
        return;
    for (uint32_t i = 0; i < call->count; i++)
        (void)cm_check_argument(check, call->args[i], unit->arguments[i], unit->name);
    check->scope = call->caller;
    for (uint32_t i = 0; i < check->scope_count; i++)
        if (check->scopes[i].unit == unit)
            cm_check_calls(check, &check->scopes[i], call->place);
}

static bool check_calls(struct cm_check *check)
{
    bool changed = false;
    for (struct cm_check_indirect *call = check->indirect; call; call = call->next)
        for (; call->checked < call->procedure->target_count; call->checked++) {
            check_target(check, call, call->procedure->targets[call->checked]);
            changed = true;
        }
    return changed;
}

static void check_link(struct cm_check *check, const struct cm_check_link *link)
{
    bool is_procedure = link->actual->kind == CM_FORTRAN_PROCEDURE;
    if (is_procedure && !link->dummy->is_procedure) {
        cm_check_fail(check, link->place, "argument \"%s\" of \"%s\" is not a procedure",
                      link->dummy->name, link->unit);
    } else if (!is_procedure && link->dummy->is_procedure) {
        cm_check_fail(check, link->place, "argument \"%s\" of \"%s\" is a procedure",
                      link->dummy->name, link->unit);
        const char *name =
            link->actual->kind == CM_FORTRAN_VARIABLE ? link->actual->variable->name : NULL;
        if (name)
            cm_messages_hint(check->messages, "declare %s %s", name,
                             cm_intrinsic_known(name) ? "INTRINSIC" : "EXTERNAL");
    }
}

void cm_check_procedures(struct cm_check *check)
{
    bool changed = true;
    while (changed && !check->arena->failed) {
        changed = follow_links(check);
        changed |= check_calls(check);
    }
    for (const struct cm_check_link *link = check->links; link; link = link->next)
        check_link(check, link);
    cm_check_add_passed(check);
}
