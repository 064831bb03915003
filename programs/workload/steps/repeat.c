/* The step repeat: a list of steps, several times. It does nothing itself: the run walks its
 * list. */
#include "../step.h"

#include <string.h>

#define TIMES_MAX UINT64_C(1000000000000)

struct repeat {
    uint64_t times;
};

static const struct cm_key keys[] = {
    CM_KEY(INTEGER, "times", struct repeat, times, "how often", .required = true, .min = 1,
           .max = TIMES_MAX, .hint = "to skip the steps, leave the repeat out"),
    CM_KEY_FORM("steps", "list of steps", "inner_steps",
                "what to do; arrays must lie afterwards as they lay before", .required = true),
};

/* How an array lay before the steps. */
struct before {
    struct cm_layout_request now;
    bool displaced;
};

static void expect_unchanged(const struct cm_workload *workload, struct cm_reader *reader,
                             const struct before *before, struct cm_json json)
{
    for (uint32_t i = 0; i < workload->array_count; i++) {
        const struct cm_workload_array *array = &workload->arrays[i];
        const struct cm_layout_request *was = &before[i].now, *is = &array->now;
        if (was->rank == is->rank && before[i].displaced == array->displaced &&
            memcmp(was->shape, is->shape, was->rank * sizeof *was->shape) == 0)
            continue;
        cm_reader_fail(reader, json,
                       "the layout of \"%s\" changes in these steps, so they cannot repeat",
                       array->name);
        cm_reader_hint(reader, "reshape it back, consistently, at the end of the steps");
    }
}

static void read_repeat(struct cm_workload *workload, struct cm_workload_step *step,
                        struct cm_reader *reader)
{
    const struct repeat *own = step->own;
    struct cm_json steps = cm_read_member(reader, step->body, "steps");
    struct before *before =
        cm_workload_allocate(workload, reader, workload->array_count, sizeof *before);
    step->times = own->times;
    for (uint32_t i = 0; before != NULL && i < workload->array_count; i++)
        before[i] = (struct before){workload->arrays[i].now, workload->arrays[i].displaced};
    cm_workload_read_steps(workload, reader, steps, &step->steps, &step->step_count);
    if (!cm_reader_ok(reader))
        return;
    if (step->step_count == 0)
        cm_reader_fail(reader, steps, "there is nothing to repeat: steps is empty");
    expect_unchanged(workload, reader, before, steps);
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
