/* FFTs on the machine: checks the arguments of a transform, executes it, and reports its cost. */
#include "transform.h"

#include "../system/scalar.h"
#include "transform_private.h"

#include <inttypes.h>

const char *cm_fft_decimation_name(enum cm_fft_decimation decimation)
{
    static const char *const names[CM_FFT_DECIMATION_COUNT] = {"auto", "time", "frequency"};
    return decimation < CM_FFT_DECIMATION_COUNT ? names[decimation] : "unknown";
}

static enum cm_status check_axes(const struct cm_fft_transform_task *task, struct cm_error *err)
{
    uint64_t known = (UINT64_C(1) << task->mapping.rank) - 1;
    if (task->axes == 0) {
        cm_error_set(err, CM_BAD_INPUT, "FFT: no axes are named");
    } else if (task->axes != CM_FFT_ALL_AXES && (task->axes & ~known) != 0) {
        cm_error_set(err, CM_BAD_INPUT, "FFT: axis %d is named, but the array has %" PRIu32,
                     __builtin_ctzll(task->axes & ~known), task->mapping.rank);
    } else {
        return CM_OK;
    }
    cm_error_hint(err, "name one of the axes 0 to %" PRIu32 ", or all of them",
                  task->mapping.rank - 1);
    return CM_BAD_INPUT;
}

static enum cm_status check_task(const struct cm_system *system,
                                 const struct cm_fft_transform_task *task, struct cm_error *err)
{
    uint32_t node_bits = cm_fft_node_bits(&task->mapping);
    uint32_t channels = cm_machine_config(system->machine)->network_channels_per_dimension;
    if (task->type != CM_TYPE_COMPLEX64 && task->type != CM_TYPE_COMPLEX128)
        return cm_error_refuse(err, "make the array complex; a real one has imaginary parts of 0",
                               "FFT: the elements are %s, expected complex64 or complex128",
                               cm_type_name(task->type));
    if (node_bits > cm_machine_dimensions(system->machine))
        return cm_error_refuse(err, "ask for more nodes, or map to a smaller mesh",
                               "FFT: the mapping has 2^%" PRIu32 " nodes, the machine 2^%" PRIu32,
                               node_bits, cm_machine_dimensions(system->machine));
    if (task->mapping.idle_bits > 0)
        return cm_error_refuse(err,
                               "use a smaller mesh or a larger array; the communication alone, and "
                               "broadcasts, leave nodes idle",
                               "a transform needs a point on every node, where its factors are: "
                               "the array has %" PRIu64 " points, the mesh %" PRIu64 " nodes",
                               UINT64_C(1) << task->mapping.bits, UINT64_C(1) << node_bits);
    if (cm_type_slices(task->type) % channels != 0)
        return cm_error_set(err, CM_INTERNAL, "FFT: %" PRIu32 " channels a dimension", channels);
    return check_axes(task, err);
}

enum cm_status cm_fft_transform_prepare(struct cm_system *system,
                                        const struct cm_fft_transform_task *task,
                                        struct cm_error *err)
{
    const struct cm_compiled *compiled;
    enum cm_status status = check_task(system, task, err);
    if (status == CM_OK)
        status = cm_fft_transform_compile(system, task, &compiled, err);
    if (status == CM_OK && task->natural)
        status = cm_fft_reorder(system, task, NULL, err);
    return status;
}

static bool same_shape(const struct cm_layout *layout, const struct cm_fft_mapping *mapping)
{
    bool same = layout->rank == mapping->rank;
    for (uint32_t a = 0; same && a < layout->rank; a++)
        same = layout->axes[a].length == UINT64_C(1) << mapping->array_bits[a];
    return same;
}

static enum cm_status check_array(const struct cm_fft_transform_task *task,
                                  const struct cm_array *array, struct cm_error *err)
{
    const struct cm_layout *layout = &array->layout;
    struct cm_fft_mapping canonical;
    struct cm_allocation own = array->allocation;
    if (!cm_array_is_allocated(array)) {
        enum cm_status status = cm_fft_mapping_canonical(layout, &canonical, err);
        if (status != CM_OK)
            return status;
        own = canonical.allocation;
    }
    if (layout->type == task->type && same_shape(layout, &task->mapping) &&
        layout->local_elements == UINT64_C(1) << task->mapping.local_bits &&
        cm_allocation_equal(&own, &task->mapping.allocation))
        return CM_OK;
    return cm_error_refuse(
        err,
        "give the array the mapping's allocation before elements go in, or use the mapping of its "
        "canonical layout",
        "FFT: array \"%s\" does not have the type, shape and layout that the transform's "
        "mapping says",
        array->name);
}

static enum cm_status reorder(struct cm_system *system, const struct cm_fft_transform_task *task,
                              struct cm_array *array, struct cm_counters *counted,
                              struct cm_error *err)
{
    struct cm_counters before = cm_machine_counters(system->machine);
    enum cm_status status = cm_fft_reorder(system, task, array, err);
    struct cm_counters after = cm_machine_counters(system->machine);
    *counted = cm_counters_difference(&after, &before);
    return status;
}

static double rate(double amount, double seconds)
{
    return seconds > 0 ? amount / seconds / 1e9 : 0;
}

static void fill_report(const struct cm_system *system, const struct cm_fft_transform_task *task,
                        const struct cm_compiled *compiled, const struct cm_fft_schedule *schedule,
                        struct cm_fft_report *report)
{
    double hertz = (double)cm_machine_config(system->machine)->clock_hz;
    double nodes = (double)cm_machine_nodes(system->machine);
    report->decimation = (enum cm_fft_decimation)compiled->variant;
    report->transforms = UINT64_C(1) << (task->mapping.bits - schedule->count);
    report->steps = schedule->count;
    for (uint32_t i = 0; i < schedule->count; i++)
        report->local_steps += schedule->steps[i].local;
    report->hops = schedule->hops;
    report->factors = compiled->count;
    report->table_words = compiled->table_words;
    report->seconds = (double)report->counted.cycles / hertz;
    report->reorder_seconds = (double)report->reordered.cycles / hertz;
    report->nominal_flops =
        5.0 * (double)(UINT64_C(1) << task->mapping.bits) * (double)schedule->count;
    report->flops = (double)report->counted.flops * nodes;
    report->nominal_gflops = rate(report->nominal_flops, report->seconds);
    report->gflops = rate(report->flops, report->seconds);
    report->gbytes_moved = rate(4.0 * (double)report->counted.words_sent, report->seconds);
}

static enum cm_status run(struct cm_system *system, const struct cm_fft_transform_task *task,
                          const struct cm_compiled *compiled, struct cm_array *array,
                          struct cm_fft_report *report, struct cm_error *err)
{
    bool post = task->order == CM_FFT_POSTMORPHISM;
    struct cm_scalar scale = cm_scalar_make(task->type, 1.0 / (double)report->points, 0);
    struct cm_actual actuals[] = {{.address = array->address},
                                  {.address = compiled->table},
                                  {.scalar = cm_scalar_bits(task->type, &scale, 0)}};
    enum cm_status status = CM_OK;
    if (task->natural && post)
        status = reorder(system, task, array, &report->reordered, err);
    struct cm_counters before = cm_machine_counters(system->machine);
    if (status == CM_OK)
        status = cm_compiled_run(system, compiled, actuals, CM_ENTRY_RUNTIME, err);
    struct cm_counters after = cm_machine_counters(system->machine);
    report->counted = cm_counters_difference(&after, &before);
    if (status == CM_OK && task->natural && !post)
        status = reorder(system, task, array, &report->reordered, err);
    return status;
}

enum cm_status cm_fft_transform(struct cm_system *system, const struct cm_fft_transform_task *task,
                                struct cm_array *array, struct cm_fft_report *report,
                                struct cm_error *err)
{
    const struct cm_compiled *compiled = NULL;
    struct cm_fft_report own = {0};
    struct cm_fft_schedule schedule;
    enum cm_status status = check_array(task, array, err);
    if (status == CM_OK)
        status = cm_fft_transform_prepare(system, task, err);
    if (status == CM_OK)
        status = cm_fft_transform_compile(system, task, &compiled, err);
    if (status != CM_OK)
        return status;
    cm_fft_schedule(&task->mapping, task->order, task->axes, &schedule);
    own.points = UINT64_C(1) << schedule.count;
    status = run(system, task, compiled, array, &own, err);
    if (status == CM_OK)
        fill_report(system, task, compiled, &schedule, &own);
    if (report)
        *report = own;
    return status;
}
