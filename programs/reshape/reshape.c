/* Reshapes on the machine: makes plans in elements and in units, compiles them, keeps compiled IMPs
 * in the cache, and executes them. */
#include "reshape.h"

#include "reshape_emit.h"

#include <inttypes.h>
#include <string.h>

enum cm_status cm_reshape_canonical(const struct cm_layout *layout,
                                    struct cm_allocation *allocation, struct cm_error *err)
{
    uint64_t shape[CM_RANK_MAX];
    for (uint32_t a = 0; a < layout->rank; a++) {
        const struct cm_axis *axis = &layout->axes[a];
        shape[a] = axis->length;
        if (axis->order != CM_ORDER_NEWS || axis->padded)
            return cm_error_refuse(err, "give the array powers of two, news axes, or an encoding",
                                   "axis %" PRIu32 " (dim %" PRIu32
                                   " in a workload) is %s; a reshape needs %s",
                                   a, a + 1, axis->padded ? "padded" : cm_order_name(axis->order),
                                   axis->padded ? "lengths that divide" : "news axes");
    }
    return cm_allocation_create(
        &(struct cm_allocation_request){shape, layout->rank, layout->nodes, CM_ENCODING_MIXED,
                                        CM_PROCESSOR_LIST, cm_layout_processor_dimensions(layout)},
        allocation, err);
}

static uint64_t local_elements(const struct cm_reshape_task *task)
{
    return UINT64_C(1) << (task->from.dimensions - task->from.node_bits);
}

static struct cm_reshape_request request_of(const struct cm_reshape_task *task)
{
    return (struct cm_reshape_request){.from = task->from,
                                       .to = task->to,
                                       .algorithm = task->algorithm,
                                       .order = task->order_count ? task->order : NULL,
                                       .order_count = task->order_count,
                                       .has_start = task->has_start,
                                       .start = task->start,
                                       .no_partners = task->no_partners,
                                       .auto_algorithm = task->auto_algorithm};
}

/* Converts the arguments of a reshape to units. A unit has one word for each channel of a
 * dimension. Words of an element and channels of a dimension are powers of two. */
static struct cm_reshape_request request_of_units(const struct cm_reshape_task *task,
                                                  uint32_t channels)
{
    struct cm_reshape_request request = request_of(task);
    uint64_t words = local_elements(task) * task->slices;
    request.elements = words > channels ? words / channels : 1;
    if (task->slices < channels)
        request.unit_shift = words > 1 ? -1 : 0;
    else
        request.unit_shift = __builtin_ctz(task->slices) - __builtin_ctz(channels);
    return request;
}

/* Makes a plan in units by the algorithm that was chosen for the plan in elements, so that both
 * counts describe one plan. */
static enum cm_status plan_units_as(const struct cm_reshape_task *task, uint32_t channels,
                                    const struct cm_reshape_plan *elements,
                                    struct cm_reshape_plan *plan, struct cm_error *err)
{
    struct cm_reshape_request request = request_of_units(task, channels);
    /* If this algorithm is impossible in units, another one is tried, so its error stays here. */
    struct cm_error reason;
    memset(&reason, 0, sizeof reason);
    request.algorithm = elements->algorithm;
    enum cm_status status = cm_reshape_plan_make(&request, plan, &reason);
    if (status != CM_OK && status != CM_BAD_INPUT && err != NULL)
        *err = reason;
    if (status != CM_BAD_INPUT)
        return status;
    /* A node may have fewer units than elements. Then the algorithm's conditions on their number
     * can hold for elements and not for units, and any algorithm is allowed. */
    cm_reshape_plan_finish(plan);
    request.algorithm = request.auto_algorithm = CM_RESHAPE_AUTO;
    return cm_reshape_plan_make(&request, plan, err);
}

enum cm_status cm_reshape_plan_elements(const struct cm_reshape_task *task,
                                        struct cm_reshape_plan *plan, struct cm_error *err)
{
    struct cm_reshape_request request = request_of(task);
    return cm_reshape_plan_make(&request, plan, err);
}

enum cm_status cm_reshape_plan_units(const struct cm_reshape_task *task, uint32_t channels,
                                     struct cm_reshape_plan *plan, struct cm_error *err)
{
    struct cm_reshape_plan elements;
    enum cm_status status = cm_reshape_plan_elements(task, &elements, err);
    if (status == CM_OK)
        status = plan_units_as(task, channels, &elements, plan, err);
    else
        memset(plan, 0, sizeof *plan);
    cm_reshape_plan_finish(&elements);
    return status;
}

/* Compiles a reshape. Serves as a cm_compiled_make for the cache of compiled IMPs. */
static enum cm_status make(struct cm_system *system, const void *context,
                           struct cm_compiled *compiled, struct cm_error *err)
{
    const struct cm_reshape_task *task = context;
    struct cm_reshape_plan plan;
    uint32_t channels = cm_machine_config(system->machine)->network_channels_per_dimension;
    enum cm_status status = cm_reshape_plan_units(task, channels, &plan, err);
    if (status == CM_OK)
        status = cm_reshape_compile(system, task->slices, &plan, compiled, err);
    cm_reshape_plan_finish(&plan);
    return status;
}

static enum cm_status find(struct cm_system *system, const struct cm_reshape_task *task,
                           const struct cm_compiled **compiled, struct cm_error *err)
{
    const struct cm_allocation *from = &task->from, *to = &task->to;
    struct cm_buffer key;
    cm_key_begin(&key, CM_CACHE_RESHAPE);
    CM_CACHE_KEY(&key, from->dimensions, from->node_bits, from->processor, from->coupled,
                 to->processor, to->coupled, task->algorithm, task->slices, task->no_partners,
                 task->auto_algorithm, task->has_start, task->start, task->order_count);
    for (uint32_t i = 0; i < task->order_count; i++)
        CM_CACHE_KEY(&key, task->order[i]);
    for (uint32_t m = 0; to->permuted && m < to->dimensions; m++)
        CM_CACHE_KEY(&key, to->place[m]);
    return cm_compiled_get(system, &key, make, task, compiled, err);
}

enum cm_status cm_reshape_prepare(struct cm_system *system, const struct cm_reshape_task *task,
                                  struct cm_error *err)
{
    const struct cm_compiled *compiled;
    return find(system, task, &compiled, err);
}

enum cm_status cm_reshape(struct cm_system *system, const struct cm_reshape_task *task,
                          struct cm_array *array, struct cm_error *err)
{
    const struct cm_compiled *compiled;
    enum cm_status status = find(system, task, &compiled, err);
    if (status != CM_OK)
        return status;
    struct cm_actual actuals[3] = {{.address = compiled->table}, {.address = array->address}};
    return cm_compiled_run(system, compiled, actuals, CM_ENTRY_RUNTIME, err);
}
