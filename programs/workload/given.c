/* First values of arrays that the caller sets (cm_run_give). */
#include "../../base/sha256.h"
#include "provenance.h"
#include "run_private.h"

#include <string.h>

enum cm_status cm_run_note_given(struct cm_run *run, const char *name, const void *elements,
                                 size_t bytes, struct cm_error *err)
{
    struct cm_result *result = &run->result;
    uint32_t at = 0, count = result->given_count;
    while (at < count && strcmp(run->given[at].file, name) != 0)
        at++;
    /* The table grows when its length is a power of two. */
    if (at == count && (count & (count - 1)) == 0) {
        struct cm_result_file *grown =
            cm_run_allocate(run, count > 0 ? 2 * count : 1, sizeof *grown, err);
        if (grown == NULL)
            return CM_NO_MEMORY;
        if (count > 0)
            memcpy(grown, run->given, count * sizeof *grown);
        result->given = run->given = grown;
    }
    run->given[at].file = name;
    memcpy(run->given[at].sha256, cm_sha256_of(elements, bytes).text, sizeof run->given[at].sha256);
    result->given_count += at == count;
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
    return status == CM_OK ? cm_run_note_given(run, array->name, elements, bytes, err) : status;
}
