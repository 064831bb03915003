/*
 * Homes of arrays. An array that an array operation of its unit uses lives on the machine, and
 * another array in the front end. A COMMON array has one home in all units. An array that is passed
 * to a dummy argument on the machine lives on the machine, too. The rule decides unit by unit.
 */
#include "check.h"

void cm_check_operates(struct cm_check *check, const struct cm_fortran_variable *variable)
{
    (void)check;
    /* Texts are in the front end. The cast is safe, because the checker made the variable. */
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

/* Gives the variables of each static storage the home of the first one, statics[slot]. */
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
