/* Reshape steps: how arrays lie before and after each, and the plan that the result tells of. */
#include "run_private.h"

#include <stdlib.h>
#include <string.h>

enum cm_status cm_run_allocate(const struct cm_run *run, uint32_t index,
                               struct cm_allocation *allocation, struct cm_error *err)
{
    const struct cm_workload_array *array = &run->workload->arrays[index];
    memset(allocation, 0, sizeof *allocation);
    if (!array->allocated)
        return CM_OK;
    if (array->meshed)
        return cm_run_allocate_mesh(run, array, allocation, err);
    return cm_allocation_create(array->request.shape, array->request.rank,
                                cm_machine_nodes(cm_system_machine(run->system)), array->encoding,
                                array->processor_rule, array->processor_list, allocation, err);
}

/* The canonical layout afterwards. An array that gets back the shape that it was declared with gets
 * back its weights too: else it would not lie as arrays like it do, nor as a repeat found it. */
static enum cm_status lay_out_after(const struct cm_run *run, const struct cm_run_step *plan,
                                    uint32_t nodes, struct cm_layout *layout, struct cm_error *err)
{
    const struct cm_layout_request *first = &run->workload->arrays[plan->step->dst].request;
    const struct cm_layout_request *to = &plan->step->reshape->to;
    bool same = first->rank == to->rank &&
                memcmp(first->shape, to->shape, to->rank * sizeof *to->shape) == 0;
    return cm_layout_create(same ? first : to, nodes, layout, err);
}

/* Where the array's elements are to lie: for a fixed assignment their dimensions stay, for a
 * consistent one the rule of the array, or the canonical layout, says it anew. */
static enum cm_status allocate_after(struct cm_run *run, const struct cm_run_step *plan,
                                     const struct cm_allocation *from, struct cm_allocation *to,
                                     struct cm_error *err)
{
    const struct cm_workload_reshape *reshape = plan->step->reshape;
    const struct cm_workload_array *array = &run->workload->arrays[plan->step->dst];
    if (reshape->consistent && !array->allocated)
        return cm_reshape_canonical(&plan->layout_after, to, err);
    enum cm_encoding encoding = reshape->has_encoding ? reshape->encoding
                                : array->allocated    ? array->encoding
                                                      : CM_ENCODING_MIXED;
    enum cm_processor_rule rule = CM_PROCESSOR_LIST;
    uint64_t list = from->processor;
    if (reshape->consistent) {
        rule = array->processor_rule;
        list = array->processor_list;
    }
    return cm_allocation_create(reshape->to.shape, reshape->to.rank, UINT32_C(1) << from->node_bits,
                                encoding, rule, list, to, err);
}

static enum cm_status summarise_plan(struct cm_run *run, const struct cm_run_step *plan,
                                     struct cm_error *err)
{
    struct cm_reshape_plan made;
    struct cm_reshape_summary *summary = calloc(1, sizeof *summary);
    if (summary == NULL)
        return cm_error_set(err, CM_NO_MEMORY, "out of memory");
    run->result.steps[plan->step->leaf].reshape = summary;
    enum cm_status status = cm_reshape_plan_elements(plan->reshape, &made, err);
    if (status == CM_OK) {
        *summary = (struct cm_reshape_summary){
            .dimensions = made.dimensions,
            .processor_dimensions = made.processor_dimensions,
            .delta = made.delta,
            .elements_per_node = made.elements,
            .steps = made.steps + made.swap_steps,
            .bound = made.bound,
            .lower_bound = made.lower_bound,
            .permutation_steps = made.swap_steps,
            .link_load_max = made.link_load_max,
            .algorithm = made.algorithm,
            .has_start = made.has_start,
            .start = made.start,
        };
        memcpy(summary->reasons, made.reasons, sizeof summary->reasons);
    }
    cm_reshape_plan_finish(&made);
    return status;
}

static enum cm_status place_error(const struct cm_run_step *plan, enum cm_status status,
                                  struct cm_error *err)
{
    if (status != CM_OK)
        cm_workload_place(plan->step->reshape->shape_json, err);
    return status;
}

static void adopt(struct cm_run *run, const struct cm_run_step *plan)
{
    struct cm_array *array = run->arrays[plan->step->dst];
    array->layout = plan->layout_after;
    array->allocation = plan->allocation_after;
}

enum cm_status cm_run_prepare_reshape(struct cm_run *run, struct cm_run_step *plan,
                                      struct cm_error *err)
{
    const struct cm_workload_reshape *reshape = plan->step->reshape;
    const struct cm_array *array = run->arrays[plan->step->dst];
    struct cm_reshape_task *task = calloc(1, sizeof *task);
    if (task == NULL)
        return cm_error_set(err, CM_NO_MEMORY, "out of memory");
    plan->reshape = task;
    task->from = array->allocation;
    task->algorithm = reshape->algorithm;
    task->order_count = reshape->order_count;
    task->has_start = reshape->has_start;
    task->start = reshape->start;
    task->slices = array->layout.slices;
    memcpy(task->order, reshape->order, sizeof task->order);
    enum cm_status status = CM_OK;
    bool canonical = array->allocation.dimensions == 0 && array->allocation.node_bits == 0;
    if (canonical)
        status = cm_reshape_canonical(&array->layout, &task->from, err);
    if (status == CM_OK)
        status = lay_out_after(run, plan, array->layout.nodes, &plan->layout_after, err);
    if (status == CM_OK)
        status = allocate_after(run, plan, &task->from, &task->to, err);
    if (status == CM_OK)
        status = cm_reshape_prepare(run->system, task, err);
    if (status == CM_OK)
        status = summarise_plan(run, plan, err);
    if (status != CM_OK)
        return place_error(plan, status, err);
    plan->allocation_after = task->to;
    if (reshape->consistent && !run->workload->arrays[plan->step->dst].allocated)
        memset(&plan->allocation_after, 0, sizeof plan->allocation_after);
    adopt(run, plan);
    return CM_OK;
}

enum cm_status cm_run_reshape(struct cm_run *run, const struct cm_run_step *plan,
                              struct cm_error *err)
{
    const struct cm_allocation *now = &run->arrays[plan->step->dst]->allocation;
    bool canonical = now->dimensions == 0 && now->node_bits == 0;
    if (!canonical && (now->processor != plan->reshape->from.processor ||
                       now->coupled != plan->reshape->from.coupled)) {
        cm_error_set(err, CM_BAD_INPUT, "\"%s\" lies otherwise than when this step was compiled",
                     run->arrays[plan->step->dst]->name);
        return cm_error_hint(err, "steps that repeat must leave the array as they found it");
    }
    enum cm_status status =
        cm_reshape(run->system, plan->reshape, run->arrays[plan->step->dst], err);
    if (status == CM_OK) {
        adopt(run, plan);
        cm_run_tell_array(run, plan->step->dst);
    }
    return status;
}

enum cm_status cm_run_rewind(struct cm_run *run, struct cm_error *err)
{
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; status == CM_OK && i < run->workload->array_count; i++) {
        struct cm_array *array = run->arrays[i];
        status = cm_layout_create(&run->workload->arrays[i].request, array->layout.nodes,
                                  &array->layout, err);
        if (status == CM_OK)
            status = cm_run_allocate(run, i, &array->allocation, err);
    }
    return status;
}
