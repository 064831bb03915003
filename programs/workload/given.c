/* First values of arrays that the caller sets (cm_run_give). */
#include "../../base/sha256.h"
#include "provenance.h"
#include "run_private.h"

#include <string.h>

/* Enters the SHA-256 of an array's values in the result. */
static enum cm_status describe(struct cm_run *run, const char *name, const void *elements,
                               size_t bytes, struct cm_error *err)
{
    struct cm_result *result = &run->result;
    struct cm_result_file *given = run->given;
    if (given == NULL)
        given = run->given = cm_run_allocate(run, run->workload->array_count, sizeof *given, err);
    if (given == NULL)
        return CM_NO_MEMORY;
    result->given = given;
    uint32_t at = 0;
    while (at < result->given_count && strcmp(given[at].file, name) != 0)
        at++;
    given[at].file = name;
    memcpy(given[at].sha256, cm_sha256_of(elements, bytes).text, sizeof given[at].sha256);
    result->given_count += at == result->given_count;
    return CM_OK;
}

enum cm_status cm_run_give(struct cm_run *run, const char *name, const void *elements,
                           struct cm_error *err)
{
    struct cm_array *array = cm_run_array(run, name);
    if (array == NULL)
        return cm_error_set(err, CM_USAGE, "the workload has no array \"%s\"", name);
    if (run->done > 0)
        return cm_error_set(err, CM_USAGE, "array \"%s\" is given after the run has begun", name);
    uint32_t number = 0;
    while (run->arrays[number] != array)
        number++;
    size_t bytes = (size_t)array->layout.elements * cm_type_host_bytes(array->layout.type);
    enum cm_status status = cm_array_scatter(run->system, array, elements, err);
    if (status == CM_OK && run->check)
        memcpy(run->reference[number].elements, elements, bytes);
    return status == CM_OK ? describe(run, array->name, elements, bytes, err) : status;
}
