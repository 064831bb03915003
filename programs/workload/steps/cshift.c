/* The step cshift: a circular shift by the run-time library. */
#include "array_shift.h"

static const struct cm_key keys[] = {CM_SHIFT_KEYS, CM_SHIFT_KEY_PATH};

static void read_cshift(struct cm_workload *workload, struct cm_workload_step *step,
                        struct cm_reader *reader)
{
    struct cm_step_array_shift *shift = step->own;
    shift->boundary.array = CM_NO_ARRAY;
    shift->type = CM_SHIFT_CSHIFT;
    cm_step_array_shift_read(workload, reader, step->body, shift);
}

const struct cm_step_kind cm_step_cshift = {
    .name = "cshift",
    .summary = "a circular shift by the run-time library",
    .example = "{\"cshift\": {\"dst\": \"b\", \"src\": \"a\", \"dim\": 1, \"distance\": -1}}",
    .keys = keys,
    .key_count = CM_COUNT_OF(keys),
    .own_bytes = sizeof(struct cm_step_array_shift),
    .state_bytes = sizeof(struct cm_shift *),
    .stateless = true,
    .path = "runtime",
    .read = read_cshift,
    .prepare = cm_step_array_shift_prepare,
    .run = cm_step_array_shift_run,
    .check = cm_step_array_shift_check_one,
    .has_formula = cm_step_array_shift_has_formula_one,
};
