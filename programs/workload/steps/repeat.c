/* The step repeat: executes a list of steps several times. The reader reads the list, and the run
 * executes it, so this kind has neither a read nor a run function. */
#include "../step.h"

#define TIMES_MAX UINT64_C(1000000000000)

struct repeat {
    uint64_t times;
};

static const struct cm_key keys[] = {
    CM_KEY(INTEGER, "times", struct repeat, times, "how often", .required = true, .min = 1,
           .max = TIMES_MAX, .hint = "to skip the steps, leave the repeat out"),
    CM_KEY_FORM("steps", "list of steps", "inner_steps",
                "what to repeat; every array must have the same layout afterwards as before",
                .required = true),
};

static void read_repeat(struct cm_workload *workload, struct cm_workload_step *step,
                        struct cm_reader *reader)
{
    const struct repeat *own = step->own;
    (void)workload;
    (void)reader;
    step->times = own->times;
}

const struct cm_step_kind cm_step_repeat = {
    .name = "repeat",
    .summary = "a list of steps, several times",
    .example = "{\"repeat\": {\"times\": 10, \"steps\": [{\"copy\": {\"dst\": \"a\", \"src\": "
               "\"b\"}}]}}",
    .keys = keys,
    .key_count = CM_COUNT_OF(keys),
    .holds_steps = true,
    .own_bytes = sizeof(struct repeat),
    .read = read_repeat,
};
