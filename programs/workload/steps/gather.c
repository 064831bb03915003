/* The step gather: reads each element of an array from the place that its subscripts name. */
#include "gather_step.h"

#include <stdlib.h>
#include <string.h>

static const struct cm_key keys[] = {CM_GATHER_KEYS("src", "dst")};

static void read_gather(struct cm_workload *workload, struct cm_workload_step *step,
                        struct cm_reader *reader)
{
    cm_gather_step_read(workload, step, reader, CM_GATHER_GET);
}

static enum cm_status prepare(struct cm_run *run, struct cm_run_step *step, struct cm_error *err)
{
    return cm_gather_step_prepare(run, step, CM_GATHER_GET, err);
}

static enum cm_status check(struct cm_run *run, const struct cm_run_step *step,
                            struct cm_step_result *result, struct cm_error *err)
{
    const struct cm_gather_step *own = step->step->own;
    const struct cm_reference_array *src = &run->reference[own->src.number];
    struct cm_reference_array *dst = &run->reference[own->dst.number];
    const size_t bytes = cm_type_host_bytes(src->type);
    /* Results are collected in a copy, because dst may be a subscript array. */
    unsigned char *results = cm_run_copy_elements(dst, err);
    uint64_t number;
    if (results == NULL)
        return CM_NO_MEMORY;
    for (uint64_t e = 0; e < dst->elements_count; e++)
        if (cm_gather_step_find(run, own, e, src, &number))
            memcpy(results + e * bytes, (const char *)src->elements + number * bytes, bytes);
    memcpy(dst->elements, results, dst->elements_count * bytes);
    free(results);
    return cm_run_check_array(run, step, own->dst.number, 0, result, err);
}

const struct cm_step_kind cm_step_gather = {
    .name = "gather",
    .summary = "the elements of an array from where subscripts say",
    .example = "{\"gather\": {\"dst\": \"b\", \"src\": \"a\", \"index\": [\"i\", \"j\"]}}",
    .keys = keys,
    .key_count = CM_COUNT_OF(keys),
    .own_bytes = sizeof(struct cm_gather_step),
    .state_bytes = sizeof(struct cm_gather_state),
    .stateless = true,
    .path = "router",
    .read = read_gather,
    .prepare = prepare,
    .run = cm_gather_step_run,
    .check = check,
    .report = cm_gather_step_report,
    .finish = cm_gather_step_finish,
};
