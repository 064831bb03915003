/* Steps of FFT communication: arrays as they lie, the task of each step, and its direct
 * evaluation. */
#include "run_private.h"

#include <inttypes.h>
#include <stdlib.h>

enum cm_status cm_run_allocate_mesh(const struct cm_run *run, const struct cm_workload_array *array,
                                    struct cm_allocation *allocation, struct cm_error *err)
{
    uint32_t nodes = cm_machine_nodes(cm_system_machine(run->system));
    *allocation = array->mapping.allocation;
    if (UINT32_C(1) << allocation->node_bits == nodes)
        return CM_OK;
    cm_json_error(array->mesh_json, err, "the mesh has %" PRIu32 " nodes, but %" PRIu32 " are used",
                  UINT32_C(1) << allocation->node_bits, nodes);
    return cm_error_hint(err, "set the workload's nodes, or give --nodes %" PRIu32,
                         UINT32_C(1) << allocation->node_bits);
}

static enum cm_status find_mapping(const struct cm_run *run, const struct cm_workload_step *step,
                                   struct cm_fft_mapping *mapping, struct cm_error *err)
{
    const struct cm_workload_array *array = &run->workload->arrays[step->dst];
    if (!array->meshed)
        return cm_fft_mapping_canonical(&run->arrays[step->dst]->layout, mapping, err);
    *mapping = array->mapping;
    return CM_OK;
}

enum cm_status cm_run_prepare_fft(struct cm_run *run, struct cm_run_step *plan,
                                  struct cm_error *err)
{
    const struct cm_workload_fft *fft = plan->step->fft;
    const struct cm_layout *layout = &run->arrays[plan->step->dst]->layout;
    struct cm_fft_task task = {.order = fft->order,
                               .axes = fft->axes,
                               .slices = layout->slices,
                               .broadcast = plan->step->kind == CM_STEP_BROADCAST};
    uint64_t stride = 1;
    for (uint32_t a = 0; a < layout->rank; a++) {
        task.source += stride * fft->source[a];
        stride *= layout->axes[a].length;
    }
    plan->fft = calloc(1, sizeof *plan->fft);
    if (plan->fft == NULL)
        return cm_error_set(err, CM_NO_MEMORY, "out of memory");
    enum cm_status status = find_mapping(run, plan->step, &task.mapping, err);
    if (status != CM_OK)
        return cm_workload_place(plan->step->dst_json, err);
    cm_fft_result_begin(&task, plan->fft);
    if (!fft->transform)
        return cm_fft_communicate_prepare(run->system, &plan->fft->task, err);
    plan->fft->transformed = true;
    plan->fft->transform = (struct cm_fft_transform_task){
        .mapping = task.mapping,
        .type = layout->type,
        .order = fft->order,
        .decimation = fft->decimation,
        .axes = fft->axes,
        .inverse = fft->inverse,
        .natural = !fft->input_reversed && !fft->output_reversed,
        .stepwise = fft->stepwise,
    };
    return cm_fft_transform_prepare(run->system, &plan->fft->transform, err);
}

enum cm_status cm_run_fft(struct cm_run *run, const struct cm_run_step *plan, struct cm_error *err)
{
    if (plan->fft->transformed)
        return cm_fft_transform(run->system, &plan->fft->transform, run->arrays[plan->step->dst],
                                &plan->fft->report, err);
    return cm_fft_communicate(run->system, &plan->fft->task, run->arrays[plan->step->dst],
                              plan->fft->costs, err);
}

enum cm_status cm_run_evaluate_fft(struct cm_run *run, const struct cm_run_step *plan,
                                   struct cm_error *err)
{
    const struct cm_workload_fft *fft = plan->step->fft;
    struct cm_reference_array *reference = &run->reference[plan->step->dst];
    if (plan->step->kind == CM_STEP_BROADCAST)
        return cm_reference_broadcast(reference, fft->axes, fft->source, err);
    if (fft->transform) {
        const struct cm_reference_dft dft = {.axes = fft->axes,
                                             .inverse = fft->inverse,
                                             .input_reversed = fft->input_reversed,
                                             .output_reversed = fft->output_reversed};
        return cm_reference_transform(reference, &dft, err);
    }
    return cm_reference_turn(reference, fft->axes, err);
}
