/* The step broadcast: sends one element of an array to all places along the chosen dimensions. */
#include "mesh_steps.h"

#include <inttypes.h>

struct broadcast {
    struct cm_step_mesh mesh;
    uint64_t source[CM_RANK_MAX]; /* coordinates of the source, from 0 */
    uint64_t number;              /* element number of the source, axis 0 fastest */
};

static const struct cm_key keys[] = {
    CM_MESH_KEYS,
    CM_KEY_FORM("from", "list of indices", "indices",
                "where the value is, from 1 in each dimension", .otherwise = "the first element"),
};

static void read_broadcast(struct cm_workload *workload, struct cm_workload_step *step,
                           struct cm_reader *reader)
{
    struct broadcast *own = step->own;
    struct cm_json json;
    uint64_t stride = 1;
    cm_step_mesh_read(workload, step, reader);
    if (!cm_read_optional(reader, step->body, "from", &json))
        return;
    const struct cm_layout_request *now = cm_workload_array_now(workload, own->mesh.array);
    cm_read_kind(reader, json, CM_JSON_ARRAY, "from");
    if (cm_reader_ok(reader) && cm_json_count(json) != now->rank)
        cm_reader_fail(reader, json,
                       "from is a list of %" PRIu32
                       ", expected an index for each dimension: %" PRIu32,
                       cm_json_count(json), now->rank);
    for (uint32_t a = 0; cm_reader_ok(reader) && a < now->rank; a++) {
        uint64_t index =
            cm_read_u64(reader, cm_json_at(json, a, NULL), "an index", 1, now->shape[a]);
        if (!cm_reader_ok(reader))
            return;
        own->source[a] = index - 1;
        own->number += stride * own->source[a];
        stride *= now->shape[a];
    }
}

void cm_step_broadcast_task(const struct cm_workload *workload, const struct cm_workload_step *step,
                            struct cm_fft_task *task)
{
    const struct broadcast *own = step->own;
    cm_step_mesh_task(workload, step, task);
    task->broadcast = true;
    task->source = own->number;
}

static enum cm_status prepare(struct cm_run *run, struct cm_run_step *step, struct cm_error *err)
{
    struct cm_fft_task task = {0};
    cm_step_broadcast_task(run->workload, step->step, &task);
    enum cm_status status = cm_step_mesh_begin(run, step, &task, err);
    return status == CM_OK ? cm_fft_communicate_prepare(run->system, &task, err) : status;
}

static enum cm_status check(struct cm_run *run, const struct cm_run_step *step,
                            struct cm_step_result *result, struct cm_error *err)
{
    const struct broadcast *own = step->step->own;
    uint32_t array = own->mesh.array.number;
    enum cm_status status =
        cm_reference_pick(&run->reference[array], own->mesh.axes, own->source, err);
    return status == CM_OK ? cm_run_check_array(run, step, array, 0, result, err) : status;
}

const struct cm_step_kind cm_step_broadcast = {
    .name = "broadcast",
    .summary = "one element of an array to all places along dimensions",
    .example = "{\"broadcast\": {\"array\": \"a\", \"from\": [1, 1]}}",
    .keys = keys,
    .key_count = CM_COUNT_OF(keys),
    .own_bytes = sizeof(struct broadcast),
    .state_bytes = sizeof(struct cm_fft_result),
    .path = "imp",
    .read = read_broadcast,
    .prepare = prepare,
    .run = cm_step_mesh_run,
    .check = check,
    .report = cm_step_mesh_report,
};
