/*
 * Decides which arrays are on the machine. An array that is used in an array operation of its unit
 * is on the machine, and other arrays are in the front end. A COMMON array is on the machine in all
 * units or in none. An array that is passed to a dummy argument on the machine is on the machine,
 * too. The rule is applied until nothing changes.
 */
#include "check.h"

void cm_check_operates(struct cm_check *check, const struct cm_fortran_variable *variable)
{
    (void)check;
    /* CHARACTER arrays are always in the front end. The cast is safe, because the checker made the
     * variable. */
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

/* Puts all variables of a static storage on the machine if one of them, or the first one
 * (statics[slot]), is on the machine. Returns whether this changed a variable. */
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
