/* FFT communication along dimensions of one array, which the steps fft and broadcast share. */
#include "mesh_steps.h"

#include "fft.h"

#include <inttypes.h>

const char *const cm_step_fft_order_names[] = {"post", "pre", NULL};
const char *const cm_step_fft_wires_names[] = {"cube", "mesh", NULL};

/* Reads a list of dimensions, which count from 1, to a set with one bit for each axis from 0. */
static uint64_t read_dims(struct cm_reader *reader, struct cm_json json, uint32_t rank)
{
    uint64_t axes = 0;
    cm_read_kind(reader, json, CM_JSON_ARRAY, "dims");
    if (cm_reader_ok(reader) && cm_json_count(json) == 0) {
        cm_reader_fail(reader, json, "dims is empty: there is no dimension to work along");
        cm_reader_hint(reader, "leave it out for all dimensions");
    }
    for (uint32_t i = 0; cm_reader_ok(reader) && i < cm_json_count(json); i++) {
        struct cm_json entry = cm_json_at(json, i, NULL);
        uint64_t dim = cm_read_u64(reader, entry, "a dimension", 1, rank);
        uint64_t bit = dim > 0 ? UINT64_C(1) << (dim - 1) : 0;
        if ((axes & bit) != 0)
            cm_reader_fail(reader, entry, "dimension %" PRIu64 " is listed twice", dim);
        axes |= bit;
    }
    return axes;
}

void cm_step_mesh_read(const struct cm_workload *workload, struct cm_workload_step *step,
                       struct cm_reader *reader)
{
    struct cm_step_mesh *own = step->own;
    const struct cm_workload_array *array = &workload->arrays[own->array.number];
    struct cm_json json;
    if (!array->meshed && (array->allocated || array->displaced)) {
        cm_reader_fail(reader, own->array.json,
                       "\"%s\" is neither on a mesh nor in its canonical layout here", array->name);
        cm_reader_hint(reader, "give the array a \"mesh\", or reshape it back consistently");
    }
    own->axes = CM_FFT_ALL_AXES;
    if (cm_read_optional(reader, step->body, "dims", &json))
        own->axes = read_dims(reader, json, array->now.rank);
}

void cm_step_mesh_task(const struct cm_workload *workload, const struct cm_workload_step *step,
                       struct cm_fft_task *task)
{
    const struct cm_step_mesh *own = step->own;
    task->order = own->order;
    task->axes = own->axes;
    task->mesh_wires = own->mesh_wires != 0;
    task->mapping = workload->arrays[own->array.number].mapping;
}

enum cm_status cm_step_mesh_begin(const struct cm_run *run, struct cm_run_step *step,
                                  struct cm_fft_task *task, struct cm_error *err)
{
    const struct cm_step_mesh *own = step->step->own;
    const struct cm_workload_array *array = &run->workload->arrays[own->array.number];
    const struct cm_layout *layout = &cm_run_array_of(run, own->array)->layout;
    cm_step_mesh_task(run->workload, step->step, task);
    task->slices = layout->slices;
    if (!array->meshed && cm_fft_mapping_canonical(layout, &task->mapping, err) != CM_OK)
        return cm_workload_place(own->array.json, err);
    cm_fft_result_begin(task, step->state);
    return CM_OK;
}

enum cm_status cm_step_mesh_run(struct cm_run *run, struct cm_run_step *step, struct cm_error *err)
{
    const struct cm_step_mesh *own = step->step->own;
    struct cm_fft_result *result = step->state;
    return cm_fft_communicate(run->system, &result->task, cm_run_array_of(run, own->array),
                              result->costs, err);
}

void cm_step_mesh_report(const struct cm_step_result *result, struct cm_report *report)
{
    cm_report_text(report, "\n  %s %s: ", result->op, result->where);
    cm_fft_report_result(result->state, report);
}

const struct cm_fft_result *cm_step_fft_result(const struct cm_step_result *step)
{
    return step->kind->report == cm_step_mesh_report ? step->state : NULL;
}
