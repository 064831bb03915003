/* The step copy: copies the elements of an array to another array of the same layout. */
#include "../step.h"

#include "../../pshift/runtime.h"

#include <string.h>

struct copy {
    struct cm_array_reference dst, src;
};

static const struct cm_key keys[] = {
    CM_KEY(ARRAY, "dst", struct copy, dst, "the array to write", .required = true),
    CM_KEY(ARRAY, "src", struct copy, src, "the array to read", .required = true),
};

static void read_copy(struct cm_workload *workload, struct cm_workload_step *step,
                      struct cm_reader *reader)
{
    const struct copy *own = step->own;
    cm_workload_expect_same_type(workload, reader, own->src, own->dst);
}

static enum cm_status prepare(struct cm_run *run, struct cm_run_step *step, struct cm_error *err)
{
    const struct copy *own = step->step->own;
    return cm_run_expect_layout(run, own->src, own->dst, err);
}

static enum cm_status run_copy(struct cm_run *run, struct cm_run_step *step, struct cm_error *err)
{
    const struct copy *own = step->step->own;
    return cm_runtime_copy(run->system, cm_run_array_of(run, own->dst),
                           cm_run_array_of(run, own->src), err);
}

static enum cm_status check(struct cm_run *run, const struct cm_run_step *step,
                            struct cm_step_result *result, struct cm_error *err)
{
    const struct copy *own = step->step->own;
    struct cm_reference_array *dst = &run->reference[own->dst.number];
    const struct cm_reference_array *src = &run->reference[own->src.number];
    if (dst != src)
        memcpy(dst->elements, src->elements, dst->elements_count * cm_type_host_bytes(dst->type));
    return cm_run_check_array(run, step, own->dst.number, 0, result, err);
}

const struct cm_step_kind cm_step_copy = {
    .name = "copy",
    .summary = "an array into another one",
    .example = "{\"copy\": {\"dst\": \"b\", \"src\": \"a\"}}",
    .keys = keys,
    .key_count = CM_COUNT_OF(keys),
    .own_bytes = sizeof(struct copy),
    .stateless = true,
    .path = "runtime",
    .read = read_copy,
    .prepare = prepare,
    .run = run_copy,
    .check = check,
};
