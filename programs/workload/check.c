/* Check of a step: compares the machine's arrays with their direct evaluation on the host, which
 * the step's kind has computed in run->reference. */
#include "run_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *cm_run_copy_elements(const struct cm_reference_array *from, struct cm_error *err)
{
    size_t bytes = from->elements_count * cm_type_host_bytes(from->type);
    void *copy = malloc(bytes);
    if (copy == NULL)
        cm_error_set(err, CM_NO_MEMORY, "out of memory for the check of a step");
    else
        memcpy(copy, from->elements, bytes);
    return copy;
}

static void format_element(enum cm_type type, const void *element, char *text, size_t size)
{
    const float *f = element;
    const double *d = element;
    if (type == CM_TYPE_REAL32)
        snprintf(text, size, "%.9g", (double)f[0]);
    else if (type == CM_TYPE_REAL64)
        snprintf(text, size, "%.17g", d[0]);
    else if (type == CM_TYPE_COMPLEX64)
        snprintf(text, size, "(%.9g, %.9g)", (double)f[0], (double)f[1]);
    else if (type == CM_TYPE_COMPLEX128)
        snprintf(text, size, "(%.17g, %.17g)", d[0], d[1]);
    else if (type == CM_TYPE_INT32)
        snprintf(text, size, "%" PRId32, *(const int32_t *)element);
    else
        snprintf(text, size, "%u", *(const uint8_t *)element);
}

void cm_run_describe_mismatch(const struct cm_run *run, const struct cm_run_step *step,
                              const struct cm_mismatch *mismatch, struct cm_error *err)
{
    const struct cm_layout_request *request = &run->workload->arrays[mismatch->array].request;
    char expected[80], found[80], where[200];
    uint64_t index[CM_RANK_MAX], rest = mismatch->first;
    for (uint32_t a = 0; a < request->rank; a++) {
        index[a] = rest % request->shape[a] + 1;
        rest /= request->shape[a];
    }
    format_element(request->type, mismatch->expected, expected, sizeof expected);
    format_element(request->type, mismatch->found, found, sizeof found);
    cm_error_set(err, CM_CHECK_FAILED,
                 "%s%s is %s on the machine, but %s by direct evaluation; %" PRIu64 " of %" PRIu64
                 " elements differ",
                 run->arrays[mismatch->array]->name,
                 cm_shape_text(index, request->rank, where, sizeof where), found, expected,
                 mismatch->differ, run->arrays[mismatch->array]->layout.elements);
    cm_workload_place(step->step->json, err);
}

static void describe(const struct cm_run *run, const struct cm_run_step *step, uint32_t array,
                     uint64_t first, uint64_t differ, struct cm_error *err)
{
    size_t at = first * cm_type_host_bytes(run->reference[array].type);
    const struct cm_mismatch mismatch = {
        .array = array,
        .first = first,
        .differ = differ,
        .expected = (const char *)run->reference[array].elements + at,
        .found = (const char *)run->gathered + at,
    };
    cm_run_describe_mismatch(run, step, &mismatch, err);
}

/* Overwrites the host's copy of an array with the machine's elements, so that an error in one step
 * does not make later steps fail. */
static void adopt(struct cm_run *run, uint32_t array)
{
    struct cm_reference_array *reference = &run->reference[array];
    memcpy(reference->elements, run->gathered,
           reference->elements_count * cm_type_host_bytes(reference->type));
}

enum cm_status cm_run_check_array(struct cm_run *run, const struct cm_run_step *step,
                                  uint32_t array, uint32_t bits, struct cm_step_result *result,
                                  struct cm_error *err)
{
    const struct cm_reference_array *reference = &run->reference[array];
    uint64_t first = 0, differ;
    result->checked = true;
    enum cm_status status = cm_array_gather(run->system, run->arrays[array], run->gathered, err);
    if (status != CM_OK)
        return status;
    if (bits > 0)
        differ = cm_reference_compare_transform(reference, run->gathered, bits, &first);
    else
        differ = cm_reference_compare(reference->type, reference->elements_count,
                                      reference->elements, run->gathered, &first);
    result->rounded = result->rounded || bits > 0;
    if (differ > 0 && run->result.mismatches == 0)
        describe(run, step, array, first, differ, err);
    result->mismatches += differ;
    run->result.mismatches += differ;
    if (differ > 0 || bits > 0)
        adopt(run, array);
    return CM_OK;
}

void cm_run_count_mismatches(struct cm_run *run, const struct cm_run_step *step,
                             uint64_t mismatches, const char *what, struct cm_step_result *result,
                             struct cm_error *err)
{
    result->checked = true;
    if (mismatches == 0)
        return;
    if (run->result.mismatches == 0) {
        cm_error_set(err, CM_CHECK_FAILED, "%" PRIu64 " %s", mismatches, what);
        cm_workload_place(step->step->json, err);
    }
    result->mismatches += mismatches;
    run->result.mismatches += mismatches;
}
