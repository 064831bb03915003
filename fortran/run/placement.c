/* Lists whether a program's arrays are in the front end or on the machine, for `cm200 layout`
 * (placement.h). */
#include "placement.h"

#include "run_private.h"
#include "step_private.h"

/* Returns true if an earlier unit has the same static array, which is then listed there. */
static bool is_listed(const struct cm_fortran_program *program, uint32_t unit,
                      const struct cm_fortran_variable *variable)
{
    for (uint32_t u = 0; u < unit; u++)
        for (uint32_t k = 0; k < program->units[u]->variable_count; k++) {
            const struct cm_fortran_variable *other = program->units[u]->variables[k];
            if (other->storage == CM_FORTRAN_STATIC && other->slot == variable->slot)
                return true;
        }
    return false;
}

static void describe(const struct cm_fortran_run *run, const struct cm_fortran_unit *unit,
                     const struct cm_fortran_variable *variable, struct cm_fortran_home *home)
{
    const struct cm_fortran_array *array =
        variable->storage == CM_FORTRAN_STATIC ? run->statics[variable->slot].array : NULL;
    *home = (struct cm_fortran_home){.unit = unit->name, .variable = variable};
    if (array != NULL) {
        home->array = array->machine;
        home->extent = array->extent;
    }
    if (variable->storage == CM_FORTRAN_DUMMY)
        home->kind = CM_FORTRAN_HOME_ARGUMENT;
    else if (home->array != NULL)
        home->kind = CM_FORTRAN_HOME_MACHINE;
    else
        home->kind = variable->on_machine && array == NULL ? CM_FORTRAN_HOME_LATER
                                                           : CM_FORTRAN_HOME_FRONT_END;
}

bool cm_fortran_step_home(const struct cm_step_result *step, uint32_t i,
                          struct cm_fortran_home *home)
{
    const struct cm_fortran_step_state *state = step->state;
    if (cm_fortran_step_output(step) == NULL)
        return false;
    const struct cm_fortran_program *program = state->program;
    for (uint32_t u = 0; u < program->unit_count; u++)
        for (uint32_t k = 0;
             k < (program->units[u]->is_entry ? 0 : program->units[u]->variable_count); k++) {
            const struct cm_fortran_variable *variable = program->units[u]->variables[k];
            bool listed = variable->storage == CM_FORTRAN_STATIC && is_listed(program, u, variable);
            if (variable->rank == 0 || listed || i-- > 0)
                continue;
            describe(state->run, program->units[u], variable, home);
            return true;
        }
    return false;
}
