/* The step eoshift: an end-off shift by the run-time library. */
#include "array_shift.h"

static const struct cm_key keys[] = {
    CM_SHIFT_KEYS,
    CM_SHIFT_KEY_PATH,
    CM_KEY(VALUE, "boundary", struct cm_step_array_shift, boundary,
           "what comes in at the end: an array has the shape of src without dim", .otherwise = "0"),
};

static void read_eoshift(struct cm_workload *workload, struct cm_workload_step *step,
                         struct cm_reader *reader)
{
    struct cm_step_array_shift *shift = step->own;
    struct cm_json json;
    shift->type = CM_SHIFT_EOSHIFT_0;
    cm_step_array_shift_read(workload, reader, step->body, shift);
    if (!cm_read_optional(reader, step->body, "boundary", &json))
        return;
    shift->type =
        shift->boundary.array == CM_NO_ARRAY ? CM_SHIFT_EOSHIFT_SCALAR : CM_SHIFT_EOSHIFT_ARRAY;
    cm_step_array_shift_check_boundary(workload, reader, shift);
}

const struct cm_step_kind cm_step_eoshift = {
    .name = "eoshift",
    .summary = "an end-off shift by the run-time library",
    .example = "{\"eoshift\": {\"dst\": \"b\", \"src\": \"a\", \"dim\": 1, \"distance\": 1, "
               "\"boundary\": 0.5}}",
    .keys = keys,
    .key_count = CM_COUNT_OF(keys),
    .own_bytes = sizeof(struct cm_step_array_shift),
    .state_bytes = sizeof(struct cm_shift *),
    .stateless = true,
    .path = "runtime",
    .read = read_eoshift,
    .prepare = cm_step_array_shift_prepare,
    .run = cm_step_array_shift_run,
    .check = cm_step_array_shift_check_one,
    .has_formula = cm_step_array_shift_has_formula_one,
};
