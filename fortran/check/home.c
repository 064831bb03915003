/*
 * Homes of arrays: the CM if an array operation of a unit uses the array (FACTS: decided unit by
 * unit), else the front end. A COMMON array has one home in all units. An array that is passed to
 * an argument used in array operations is on the CM too.
 */
#include "check.h"

void cm_check_operates(struct cm_check *check, const struct cm_fortran_variable *variable)
{
    (void)check;
    /* texts are in the front end; the checker made the variable, and may change it */
    if (variable->rank > 0 && variable->type != CM_FORTRAN_CHARACTER)
        ((struct cm_fortran_variable *)variable)->on_machine = true;
}

void cm_check_passes(struct cm_check *check, const struct cm_fortran_variable *actual,
                     const struct cm_fortran_variable *dummy)
{
    struct cm_passing *passing = cm_check_take(check, sizeof *passing);
    if (!passing)
        return;
    passing->actual = (struct cm_fortran_variable *)actual;
    passing->dummy = dummy;
    passing->next = check->passings;
    check->passings = passing;
}

/* Gives the variables of a static storage one home: that of the first, statics[slot]. */
static bool join_statics(struct cm_fortran_program *program)
{
    bool changed = false;
    for (uint32_t i = 0; i < program->unit_count; i++) {
        const struct cm_fortran_unit *unit = program->units[i];
        for (uint32_t j = 0; j < unit->variable_count; j++) {
            struct cm_fortran_variable *variable = unit->variables[j];
            if (variable->storage != CM_FORTRAN_STATIC || variable->slot >= program->static_count)
                continue;
            struct cm_fortran_variable *first = program->statics[variable->slot];
            if (variable->on_machine == first->on_machine)
                continue;
            variable->on_machine = first->on_machine = true;
            changed = true;
        }
    }
    return changed;
}

void cm_check_homes(struct cm_check *check)
{
    bool changed = true;
    while (changed) {
        changed = join_statics(check->program);
        for (const struct cm_passing *passing = check->passings; passing; passing = passing->next)
            if (passing->dummy->on_machine && !passing->actual->on_machine) {
                passing->actual->on_machine = true;
                changed = true;
            }
    }
}
