/* The step scan: along a dimension, combines each element with all elements before it. */
#include "collective_step.h"

#include <stdlib.h>
#include <string.h>

static const char *const direction_names[] = {"upward", "downward", NULL};

static const struct cm_key keys[] = {
    CM_KEY(NAME, "op", struct cm_collective_step, op, "the operation; not minloc or maxloc",
           .required = true, .max = CM_COLLECTIVE_OPS - 1, .name_of = cm_collective_step_op),
    CM_KEY(ARRAY, "dst", struct cm_collective_step, dst,
           "the array that gets the result, of the shape of src", .required = true),
    CM_KEY(ARRAY, "src", struct cm_collective_step, src, "the array to scan; may be dst",
           .required = true),
    CM_KEY(INTEGER, "dim", struct cm_collective_step, dim, "the dimension to scan along", .min = 1,
           .max = CM_RANK_MAX, .form = "integer from 1 to the array's rank", .required = true),
    CM_KEY(FLAG, "exclusive", struct cm_collective_step, exclusive,
           "each element gets the combination of those before it, without itself"),
    CM_KEY(NAME, "direction", struct cm_collective_step, downward,
           "from the first index to the last, or from the last to the first",
           .names = direction_names),
    CM_KEY(ARRAY, "segments", struct cm_collective_step, segments,
           "a logical array of the shape of src; the scan begins again where it is true",
           .otherwise = "each column is one segment"),
    CM_KEY(ARRAY, "mask", struct cm_collective_step, mask,
           "a logical array of the shape of src; elements where it is false are left out",
           .otherwise = "all elements"),
};

/* Refuses a dst that is also a logical array of the step, because the step writes dst while it
 * reads the logical arrays. */
static void refuse_destination(const struct cm_workload *workload, struct cm_reader *reader,
                               const struct cm_collective_step *own)
{
    const bool mask = own->has_mask && own->mask.number == own->dst.number;
    const bool segments = own->has_segments && own->segments.number == own->dst.number;
    if (!cm_reader_ok(reader) || (!mask && !segments))
        return;
    cm_reader_fail(reader, own->dst.json, "\"%s\" is both dst and %s",
                   workload->arrays[own->dst.number].name, mask ? "mask" : "segments");
    cm_reader_hint(reader, "use another array for the result");
}

static void read_scan(struct cm_workload *workload, struct cm_workload_step *step,
                      struct cm_reader *reader)
{
    const struct cm_collective_step *own = step->own;
    if (cm_reader_ok(reader) &&
        (own->op == CM_COLLECTIVE_MINLOC || own->op == CM_COLLECTIVE_MAXLOC)) {
        cm_reader_fail(reader, cm_read_member(reader, step->body, "op"), "%s is not for scans",
                       cm_collective_op_name(own->op));
        cm_reader_hint(reader, "reduce finds locations");
    }
    cm_collective_step_read(workload, step, reader, NULL,
                            cm_collective_step_result(workload, step, reader));
    refuse_destination(workload, reader, own);
}

static enum cm_status prepare(struct cm_run *run, struct cm_run_step *step, struct cm_error *err)
{
    const struct cm_collective_step *own = step->step->own;
    struct cm_collective_task task = {.kind = CM_COLLECTIVE_SCAN, .op = own->op};
    return cm_collective_step_prepare(run, step, &task, err);
}

static enum cm_status check(struct cm_run *run, const struct cm_run_step *step,
                            struct cm_step_result *result, struct cm_error *err)
{
    const struct cm_collective_step *own = step->step->own;
    const struct cm_reference_array *dst = &run->reference[own->dst.number];
    struct cm_reference_scan scan = {
        .exclusive = own->exclusive,
        .downward = own->downward,
        .segments = own->has_segments ? run->reference[own->segments.number].elements : NULL,
    };
    void *results;
    cm_collective_step_describe(run, own, &scan.reduction);
    enum cm_status status = cm_reference_scan(&scan, &results, err);
    if (status != CM_OK)
        return status;
    memcpy(dst->elements, results, dst->elements_count * cm_type_host_bytes(dst->type));
    free(results);
    return cm_run_check_array(run, step, own->dst.number, 0, result, err);
}

const struct cm_step_kind cm_step_scan = {
    .name = "scan",
    .summary = "along a dimension, each element gets the combination of those before it",
    .example = "{\"scan\": {\"op\": \"sum\", \"dst\": \"b\", \"src\": \"a\", \"dim\": 1}}",
    .keys = keys,
    .key_count = CM_COUNT_OF(keys),
    .own_bytes = sizeof(struct cm_collective_step),
    .state_bytes = sizeof(struct cm_collective_state),
    .stateless = true,
    .path = "imp",
    .read = read_scan,
    .prepare = prepare,
    .run = cm_collective_step_run,
    .check = check,
    .report = cm_collective_step_report,
    .imp = cm_collective_step_imp,
    .finish = cm_collective_step_finish,
};
