/* Arrays of a run for the Python module (arrays.h). */
#include "arrays.h"

#include "../fortran/run/step.h"
#include "../programs/system/system.h"

#include <string.h>

/* Returns the only step of a run that has no arrays of its own, or NULL for other runs. */
static const struct cm_step_result *program_of(struct cm_run *run)
{
    const struct cm_result *result = cm_run_result(run);
    return cm_run_array_count(run) == 0 && result->step_count == 1 ? &result->steps[0] : NULL;
}

bool cm_python_array_at(struct cm_run *run, uint32_t i, struct cm_python_array *array)
{
    const struct cm_step_result *program = program_of(run);
    struct cm_fortran_values values;
    if (program != NULL && cm_fortran_step_values_at(program, i, &values)) {
        *array = (struct cm_python_array){values.name, values.type, values.rank, {0}};
        memcpy(array->shape, values.extent, values.rank * sizeof array->shape[0]);
        return true;
    }
    if (i >= cm_run_array_count(run))
        return false;
    const struct cm_array *own = cm_run_array_at(run, i);
    *array = (struct cm_python_array){own->name, own->layout.type, own->layout.rank, {0}};
    for (uint32_t a = 0; a < own->layout.rank; a++)
        array->shape[a] = own->layout.axes[a].length;
    return true;
}

enum cm_status cm_python_array_read(struct cm_run *run, uint32_t i, void *elements,
                                    struct cm_error *err)
{
    const struct cm_step_result *program = program_of(run);
    if (program != NULL)
        return cm_fortran_step_values_read(program, i, elements, err);
    return cm_array_gather(cm_run_system(run), cm_run_array_at(run, i), elements, err);
}

enum cm_status cm_python_array_give(struct cm_run *run, uint32_t i, const void *elements,
                                    struct cm_error *err)
{
    if (program_of(run) != NULL)
        return cm_fortran_step_values_give(run, 0, i, elements, err);
    return cm_run_give(run, cm_run_array_at(run, i)->name, elements, err);
}
