/* Checks interface blocks: compares them with the units of the file that they describe. */
#include "check.h"

static void hint_unit(struct cm_check *check, const struct cm_scope *unit)
{
    cm_messages_hint(check->messages, "the unit is in %s, line %u",
                     cm_source_name(check->messages->source, unit->tree->place.file),
                     unit->tree->place.line);
}

static void compare_variable(struct cm_check *check, const struct cm_fortran_variable *here,
                             const struct cm_fortran_variable *there, const struct cm_scope *unit)
{
    if (here->type == there->type && here->rank == there->rank)
        return;
    if (here->is_procedure || there->is_procedure)
        return; /* A dummy procedure need not be compared, because each call of it is checked. */
    if (here->type != there->type)
        cm_check_fail(check, here->place, "\"%s\" is %s in this interface, and %s in the unit",
                      here->name, cm_fortran_type_text(here->type),
                      cm_fortran_type_text(there->type));
    else
        cm_check_fail(check, here->place,
                      "\"%s\" has rank %u in this interface, and rank %u in the unit", here->name,
                      here->rank, there->rank);
    hint_unit(check, unit);
}

static void compare(struct cm_check *check, const struct cm_scope *interface,
                    const struct cm_scope *unit)
{
    const struct cm_fortran_unit *here = interface->unit, *there = unit->unit;
    struct cm_source_place place = interface->tree->name_place;
    if (here->is_function != there->is_function) {
        cm_check_fail(check, place, "\"%s\" is a %s in this interface, and a %s in the file",
                      here->name, here->is_function ? "function" : "subroutine",
                      there->is_function ? "function" : "subroutine");
        hint_unit(check, unit);
        return;
    }
    if (here->argument_count != there->argument_count) {
        cm_check_fail(check, place,
                      "\"%s\" has %u argument%s in this interface, and %u in the unit", here->name,
                      here->argument_count, here->argument_count == 1 ? "" : "s",
                      there->argument_count);
        hint_unit(check, unit);
        return;
    }
    for (uint32_t i = 0; i < here->argument_count; i++)
        compare_variable(check, here->arguments[i], there->arguments[i], unit);
    if (here->result && there->result)
        compare_variable(check, here->result, there->result, unit);
}

static void check_interface(struct cm_check *check, struct cm_scope *outer,
                            const struct cm_syntax_unit *tree)
{
    struct cm_scope *unit = cm_check_unit(check, tree->name);
    struct cm_scope *scope = cm_check_take(check, sizeof *scope);
    struct cm_symbol *argument = cm_symbol_find(outer, tree->name);
    bool is_argument = argument && argument->is_dummy;
    if ((!unit && !is_argument) || !scope)
        return; /* The unit is missing, which is reported where it is called. */
    scope->tree = tree;
    cm_scope_init(scope);
    scope->unit = cm_check_take(check, sizeof *scope->unit);
    if (!scope->unit)
        return;
    scope->unit->name = cm_check_copy(check, tree->name);
    scope->unit->is_function = tree->kind == CM_UNIT_FUNCTION;
    cm_check_declarations(check, scope);
    cm_check_variables(check, scope);
    if (is_argument && scope->unit->result) {
        argument->typed = true;
        argument->type = scope->unit->result->type;
    } else if (!is_argument && !unit->is_broken)
        compare(check, scope, unit);
}

void cm_check_interfaces(struct cm_check *check, struct cm_scope *scope)
{
    for (const struct cm_syntax_statement *tree = scope->tree->block.first; tree; tree = tree->next)
        for (const struct cm_syntax_unit *unit =
                 tree->kind == CM_STATEMENT_INTERFACE ? tree->interface.units : NULL;
             unit; unit = unit->next)
            check_interface(check, scope, unit);
}
