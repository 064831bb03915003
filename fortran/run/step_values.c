/* Arrays of a step's main program, which the caller of the library reads and sets without files
 * (step.h). */
#include "data.h"
#include "step_private.h"

#include "../../programs/workload/run_private.h"

#include <string.h>

/* Returns the run of a step "program", or NULL for steps of other kinds. */
static struct cm_fortran_run *run_of(const struct cm_step_result *step)
{
    const struct cm_fortran_step_state *state = step->state;
    return strcmp(step->op, "program") == 0 && state != NULL ? state->run : NULL;
}

bool cm_fortran_step_values_at(const struct cm_step_result *step, uint32_t i,
                               struct cm_fortran_values *values)
{
    const struct cm_fortran_run *run = run_of(step);
    return run != NULL && cm_fortran_run_values_at(run, i, values);
}

enum cm_status cm_fortran_step_values_read(const struct cm_step_result *step, uint32_t i,
                                           void *elements, struct cm_error *err)
{
    struct cm_fortran_run *run = run_of(step);
    if (run == NULL)
        return cm_error_set(err, CM_USAGE, "the step is not a CM Fortran program");
    return cm_fortran_run_values_read(run, i, elements, err);
}

enum cm_status cm_fortran_step_values_give(struct cm_run *run, uint32_t step, uint32_t i,
                                           const void *elements, struct cm_error *err)
{
    const struct cm_step_result *result = &run->result.steps[step];
    struct cm_fortran_values values;
    if (!cm_fortran_step_values_at(result, i, &values))
        return cm_error_set(err, CM_USAGE, "the program has no array number %u", i);
    if (run->done > 0)
        return cm_error_set(err, CM_USAGE, "array \"%s\" is given after the run has begun",
                            values.name);
    enum cm_status status = cm_fortran_run_values_write(run_of(result), i, elements, err);
    const size_t bytes = (size_t)values.elements * cm_type_host_bytes(values.type);
    return status == CM_OK ? cm_run_note_given(run, values.name, elements, bytes, err) : status;
}
