/* The step spread: copies the elements at one index of a dimension to all indices of that
 * dimension. */
#include "collective_step.h"

#include <string.h>

static const struct cm_key keys[] = {
    CM_KEY(ARRAY, "dst", struct cm_collective_step, dst, "the array that gets the result",
           .required = true),
    CM_KEY(ARRAY, "src", struct cm_collective_step, src, "the array to read; may be dst",
           .required = true),
    CM_KEY(INTEGER, "dim", struct cm_collective_step, dim, "the dimension to spread along",
           .min = 1, .max = CM_RANK_MAX, .form = "integer from 1 to the array's rank",
           .required = true),
    CM_KEY(INTEGER, "from", struct cm_collective_step, place,
           "the index along dim whose elements are spread", .min = 1, .max = CM_STEP_INDEX_MAX,
           .form = "integer from 1 to the dimension's length", .initial = 1),
};

static void read_spread(struct cm_workload *workload, struct cm_workload_step *step,
                        struct cm_reader *reader)
{
    const struct cm_collective_step *own = step->own;
    cm_collective_step_read(workload, step, reader, "from",
                            cm_workload_array_now(workload, own->src)->type);
}

static enum cm_status prepare(struct cm_run *run, struct cm_run_step *step, struct cm_error *err)
{
    struct cm_collective_task task = {.kind = CM_COLLECTIVE_SPREAD};
    return cm_collective_step_prepare(run, step, &task, err);
}

static enum cm_status check(struct cm_run *run, const struct cm_run_step *step,
                            struct cm_step_result *result, struct cm_error *err)
{
    const struct cm_collective_step *own = step->step->own;
    struct cm_reference_array *dst = &run->reference[own->dst.number];
    const struct cm_reference_array *src = &run->reference[own->src.number];
    uint64_t source[CM_RANK_MAX] = {0};
    if (dst != src)
        memcpy(dst->elements, src->elements, dst->elements_count * cm_type_host_bytes(dst->type));
    source[own->dim - 1] = own->place - 1;
    enum cm_status status = cm_reference_pick(dst, UINT64_C(1) << (own->dim - 1), source, err);
    return status == CM_OK ? cm_run_check_array(run, step, own->dst.number, 0, result, err)
                           : status;
}

const struct cm_step_kind cm_step_spread = {
    .name = "spread",
    .summary = "the elements at one index of a dimension to all indices",
    .example = "{\"spread\": {\"dst\": \"b\", \"src\": \"a\", \"dim\": 2, \"from\": 1}}",
    .keys = keys,
    .key_count = CM_COUNT_OF(keys),
    .own_bytes = sizeof(struct cm_collective_step),
    .state_bytes = sizeof(struct cm_collective_state),
    .stateless = true,
    .path = "imp",
    .read = read_spread,
    .prepare = prepare,
    .run = cm_collective_step_run,
    .check = check,
    .report = cm_collective_step_report,
    .imp = cm_collective_step_imp,
    .finish = cm_collective_step_finish,
};
