/* Scalars of the front end while a workload runs. They are constants, except where a reduction
 * computes them. */
#include "run_private.h"

#include <inttypes.h>

enum cm_status cm_run_create_scalars(struct cm_run *run, struct cm_error *err)
{
    const struct cm_workload *workload = run->workload;
    run->scalars = cm_run_allocate(run, workload->scalar_count + 1u, sizeof *run->scalars, err);
    for (uint32_t i = 0; run->scalars != NULL && i < workload->scalar_count; i++)
        run->scalars[i] = workload->scalars[i].number;
    return run->scalars != NULL ? CM_OK : CM_NO_MEMORY;
}

const struct cm_number *cm_run_number(const struct cm_run *run,
                                      const struct cm_workload_value *value)
{
    return value->scalar != 0 ? &run->scalars[value->scalar - 1] : &value->number;
}

bool cm_run_computed(const struct cm_run *run, const struct cm_workload_value *value)
{
    return value->scalar != 0 && run->workload->scalars[value->scalar - 1].computed != 0;
}

/* Returns the set of types whose numbers `type` can hold, one bit each. */
static uint32_t types_within(enum cm_type type)
{
    const uint32_t logical = 1u << CM_TYPE_LOGICAL, integer = logical | 1u << CM_TYPE_INT32;
    if (type == CM_TYPE_LOGICAL)
        return logical;
    if (type == CM_TYPE_INT32)
        return integer;
    if (cm_type_components(type) == 1)
        return integer | 1u << CM_TYPE_REAL32 | 1u << CM_TYPE_REAL64;
    return UINT32_MAX;
}

enum cm_status cm_run_expect_number(const struct cm_run *run, const struct cm_workload_value *value,
                                    enum cm_type type, struct cm_error *err)
{
    if (!cm_run_computed(run, value))
        return CM_OK;
    const struct cm_workload_scalar *scalar = &run->workload->scalars[value->scalar - 1];
    const uint32_t others = scalar->computed & ~types_within(type);
    if (others == 0)
        return CM_OK;
    cm_json_error(value->json, err, "\"%s\" is %s, as a reduction computes it, but the array is %s",
                  scalar->name, cm_type_name((enum cm_type)__builtin_ctz(others)),
                  cm_type_name(type));
    return cm_error_hint(err, "a computed scalar goes to arrays of its type, or of one that holds "
                              "its numbers");
}

enum cm_status cm_run_expect_constant(const struct cm_run *run,
                                      const struct cm_workload_value *value, const char *user,
                                      struct cm_error *err)
{
    if (!cm_run_computed(run, value))
        return CM_OK;
    cm_json_error(value->json, err,
                  "\"%s\" is computed by a reduction, and %s takes constants only",
                  run->workload->scalars[value->scalar - 1].name, user);
    return cm_error_hint(err, "combine, fill and stencil take scalars that are computed");
}
