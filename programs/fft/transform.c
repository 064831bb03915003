/* FFTs: checking a task, compiling it once, running it, and telling what it cost. */
#include "../system/emit.h"
#include "transform_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define UNROLL_POINTS 32u /* of a local pass's innermost loop, where the SRAM allows it */

const char *cm_fft_decimation_name(enum cm_fft_decimation decimation)
{
    static const char *const names[CM_FFT_DECIMATION_COUNT] = {"auto", "time", "frequency"};
    return decimation < CM_FFT_DECIMATION_COUNT ? names[decimation] : "unknown";
}

const struct cm_fft_operations *cm_fft_operations(const struct cm_fft_plan *plan)
{
    static const struct cm_fft_operations single = {CM_OP_FLOAD32, CM_OP_FSTORE32, CM_OP_FSCAL32,
                                                    CM_OP_FADD32,  CM_OP_FSUB32,   CM_OP_FMUL32,
                                                    CM_OP_FMA32};
    static const struct cm_fft_operations twice = {CM_OP_FLOAD64, CM_OP_FSTORE64, CM_OP_FSCAL64,
                                                   CM_OP_FADD64,  CM_OP_FSUB64,   CM_OP_FMUL64,
                                                   CM_OP_FMA64};
    return plan->component_words == 1 ? &single : &twice;
}

void cm_fft_begin(const struct cm_fft_plan *plan, const struct cm_fft_pass *pass,
                  struct cm_imp *imp)
{
    cm_imp_argument(imp, "array", CM_ARGUMENT_ADDRESS);
    cm_imp_argument(imp, "table", CM_ARGUMENT_ADDRESS);
    cm_imp_argument(imp, "scale", CM_ARGUMENT_SCALAR);
    cm_emit_argument(imp, CM_FFT_REG_DATA, CM_FFT_ARGUMENT_ARRAY, 0);
    cm_emit_argument(imp, CM_FFT_REG_TABLE, CM_FFT_ARGUMENT_TABLE, 0);
    if (pass->scaled)
        CM_EMIT(imp, cm_fft_operations(plan)->scalar, cm_reg(CM_FFT_SCALE_REGISTER),
                cm_value(CM_FFT_ARGUMENT_SCALE));
}

static enum cm_status check_axes(const struct cm_fft_transform_task *task, struct cm_error *err)
{
    uint64_t known = (UINT64_C(1) << task->mapping.rank) - 1;
    if (task->axes == 0) {
        cm_error_set(err, CM_BAD_INPUT, "FFT: no axis is named");
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
    uint32_t node_bits = task->mapping.bits - task->mapping.local_bits;
    uint32_t channels = cm_machine_config(system->machine)->network_channels_per_dimension;
    if (task->type != CM_TYPE_COMPLEX64 && task->type != CM_TYPE_COMPLEX128)
        return cm_error_refuse(err, "make the array complex; a real one has imaginary parts of 0",
                               "FFT: the elements are %s, expected complex64 or complex128",
                               cm_type_name(task->type));
    if (node_bits > cm_machine_dimensions(system->machine))
        return cm_error_refuse(err, "ask for more nodes, or map to a smaller mesh",
                               "FFT: the mapping is of 2^%" PRIu32
                               " nodes, the machine has 2^%" PRIu32,
                               node_bits, cm_machine_dimensions(system->machine));
    if (cm_type_slices(task->type) % channels != 0)
        return cm_error_set(err, CM_INTERNAL, "FFT: %" PRIu32 " channels a dimension", channels);
    return check_axes(task, err);
}

static enum cm_status compile_pass(const struct cm_fft_plan *plan, const struct cm_fft_pass *pass,
                                   uint32_t unroll, struct cm_compiled *compiled,
                                   struct cm_error *err)
{
    struct cm_imp *imp = cm_imp_create(pass->local ? "fft_local" : "fft_between_nodes");
    if (!imp)
        return cm_error_no_memory(err);
    if (pass->local)
        cm_fft_compile_local(plan, pass, unroll, imp);
    else
        cm_fft_compile_pipeline(plan, pass, imp);
    return cm_compiled_add(compiled, imp, err);
}

static void drop_code(struct cm_compiled *compiled)
{
    for (uint32_t i = 0; i < compiled->imp_count; i++)
        cm_imp_destroy(compiled->imps[i]);
    compiled->imp_count = 0;
}

static uint64_t longest_code(const struct cm_compiled *compiled)
{
    uint64_t words = 0;
    for (uint32_t i = 0; i < compiled->imp_count; i++)
        if (cm_imp_words(compiled->imps[i]) > words)
            words = cm_imp_words(compiled->imps[i]);
    return words;
}

/* Shorter pipelines, less unrolling and smaller butterflies until every pass fits the SRAM. */
static enum cm_status compile(const struct cm_fft_transform_task *task,
                              const struct cm_config *config, struct cm_fft_plan *plan,
                              struct cm_compiled *compiled, struct cm_error *err)
{
    uint32_t group = CM_FFT_GROUP_MAX, radix_bits = CM_FFT_RADIX_BITS_MAX, unroll = UNROLL_POINTS;
    enum cm_status status = CM_OK;
    for (;;) {
        cm_fft_plan_make(task, config, group, radix_bits, plan);
        for (uint32_t p = 0; status == CM_OK && p < plan->pass_count; p++)
            status = compile_pass(plan, &plan->passes[p], unroll, compiled, err);
        if (status != CM_OK || longest_code(compiled) <= config->sequencer_sram_words || group == 1)
            return status; /* what still does not fit the machine refuses */
        drop_code(compiled);
        group /= 2;
        unroll /= 2;
        radix_bits -= radix_bits > 1;
    }
}

/* What the steady loop of a pipeline touches stays in one page where it can. */
static uint64_t alignment(const struct cm_fft_plan *plan)
{
    bool fits = plan->room_words > 0 && plan->steady_words <= plan->config->memory_page_words;
    return fits ? plan->config->memory_page_words : 1;
}

/* What is kept of a transform; code comes first, so that cm_compiled_drop frees all of it. */
struct kept {
    struct cm_compiled code;
    uint64_t base; /* of the table */
    uint64_t table_words;
    enum cm_fft_decimation decimation;
};

static enum cm_status place_table(struct cm_system *system, const struct cm_fft_plan *plan,
                                  struct kept *kept, struct cm_error *err)
{
    uint64_t step = alignment(plan);
    if (plan->table_words == 0)
        return CM_OK;
    enum cm_status status =
        cm_heap_allocate(system->heap, CM_HEAP_TABLES, plan->table_words + step - 1,
                         "the FFT's table", &kept->code.table, err);
    if (status != CM_OK)
        return status;
    kept->code.has_table = true;
    kept->base = (kept->code.table + step - 1) / step * step;
    if (cm_machine_timing_only(system->machine))
        return CM_OK;
    uint32_t *planes = cm_machine_planes(system->machine, kept->base, plan->table_words);
    if (!planes)
        return cm_error_set(err, CM_INTERNAL, "the FFT's table lies outside node memory");
    return cm_fft_table_fill(plan, cm_machine_nodes(system->machine), planes, err);
}

static enum cm_status make(struct cm_system *system, const struct cm_fft_transform_task *task,
                           struct kept *kept, struct cm_error *err)
{
    struct cm_fft_plan *plan = calloc(1, sizeof *plan);
    if (!plan)
        return cm_error_no_memory(err);
    enum cm_status status =
        compile(task, cm_machine_config(system->machine), plan, &kept->code, err);
    if (status == CM_OK)
        status = place_table(system, plan, kept, err);
    kept->decimation = plan->decimation;
    kept->table_words = plan->table_words;
    free(plan);
    return status;
}

static void make_key(const struct cm_fft_transform_task *task, struct cm_buffer *key)
{
    const struct cm_fft_mapping *mapping = &task->mapping;
    const uint64_t fields[] = {task->type,          task->order,        task->decimation,
                               task->axes,          task->inverse,      task->stepwise,
                               mapping->rank,       mapping->mesh_rank, mapping->bits,
                               mapping->local_bits, mapping->local};
    cm_key_begin(key, CM_CACHE_FFT);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        cm_key_integer(key, (int64_t)fields[i]);
    for (uint32_t a = 0; a < mapping->rank; a++)
        cm_key_integer(key, mapping->array_bits[a]);
    for (uint32_t i = 0; i < mapping->mesh_rank; i++)
        cm_key_integer(key, mapping->mesh_bits[i] << 1 | (mapping->codes[i] == CM_FFT_GRAY));
    cm_buffer_append(key, mapping->place, mapping->bits);
}

static enum cm_status find(struct cm_system *system, const struct cm_fft_transform_task *task,
                           const struct kept **kept, struct cm_error *err)
{
    struct cm_buffer key;
    struct kept *made = NULL;
    enum cm_status status = CM_OK;
    make_key(task, &key);
    if (!cm_buffer_ok(&key))
        status = cm_error_no_memory(err);
    else if (!(*kept = cm_cache_find(system->cache, key.data, key.length))) {
        made = calloc(1, sizeof *made);
        if (!made)
            status = cm_error_no_memory(err);
        if (status == CM_OK)
            status = make(system, task, made, err);
        if (status == CM_OK)
            status =
                cm_cache_insert(system->cache, key.data, key.length, made, cm_compiled_drop, err);
        if (status != CM_OK)
            cm_compiled_drop(system, made);
        *kept = made;
    }
    cm_buffer_finish(&key);
    return status;
}

enum cm_status cm_fft_transform_prepare(struct cm_system *system,
                                        const struct cm_fft_transform_task *task,
                                        struct cm_error *err)
{
    const struct kept *kept;
    enum cm_status status = check_task(system, task, err);
    if (status == CM_OK)
        status = find(system, task, &kept, err);
    if (status == CM_OK && task->natural)
        status = cm_fft_reorder_prepare(system, task, err);
    return status;
}

/* Two allocations that put every element at the same place. */
static bool same_places(const struct cm_allocation *a, const struct cm_allocation *b)
{
    bool same = a->dimensions == b->dimensions && a->node_bits == b->node_bits &&
                a->processor == b->processor && a->coupled == b->coupled;
    for (uint32_t m = 0; same && m < a->dimensions; m++)
        same = (a->permuted ? a->place[m] : m) == (b->permuted ? b->place[m] : m);
    return same;
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
    if (own.dimensions == 0 && own.node_bits == 0) {
        enum cm_status status = cm_fft_mapping_canonical(layout, &canonical, err);
        if (status != CM_OK)
            return status;
        own = canonical.allocation;
    }
    if (layout->type == task->type && same_shape(layout, &task->mapping) &&
        layout->local_elements == UINT64_C(1) << task->mapping.local_bits &&
        same_places(&own, &task->mapping.allocation))
        return CM_OK;
    return cm_error_refuse(
        err,
        "give the array the mapping's allocation before elements go in, or use the mapping of its "
        "canonical layout",
        "FFT: array \"%s\" is not of the type and shape, or does not lie, as the "
        "transform's mapping says",
        array->name);
}

/* 1/N in the bits of a component. */
static uint64_t scale_bits(enum cm_type type, uint32_t point_bits)
{
    double scale = 1.0 / (double)(UINT64_C(1) << point_bits);
    float single = (float)scale;
    uint32_t low;
    uint64_t bits;
    memcpy(&low, &single, sizeof low);
    memcpy(&bits, &scale, sizeof bits);
    return type == CM_TYPE_COMPLEX64 ? low : bits;
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
                        const struct kept *kept, const struct cm_fft_schedule *schedule,
                        struct cm_fft_report *report)
{
    double hertz = (double)cm_machine_config(system->machine)->clock_hz;
    double nodes = (double)cm_machine_nodes(system->machine);
    report->decimation = kept->decimation;
    report->points = UINT64_C(1) << schedule->count;
    report->transforms = UINT64_C(1) << (task->mapping.bits - schedule->count);
    report->steps = schedule->count;
    for (uint32_t i = 0; i < schedule->count; i++)
        report->local_steps += schedule->steps[i].local;
    report->hops = schedule->hops;
    report->table_words = kept->table_words;
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
                          const struct kept *kept, uint32_t point_bits, struct cm_array *array,
                          struct cm_fft_report *report, struct cm_error *err)
{
    bool post = task->order == CM_FFT_POSTMORPHISM;
    const struct cm_actual actuals[] = {{.address = array->address},
                                        {.address = kept->base},
                                        {.scalar = scale_bits(task->type, point_bits)}};
    enum cm_status status = CM_OK;
    if (task->natural && post)
        status = reorder(system, task, array, &report->reordered, err);
    struct cm_counters before = cm_machine_counters(system->machine);
    if (status == CM_OK)
        status = cm_compiled_run(system, &kept->code, actuals, CM_ENTRY_RUNTIME, err);
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
    const struct kept *kept = NULL;
    struct cm_fft_report own = {0};
    struct cm_fft_schedule schedule;
    enum cm_status status = check_array(task, array, err);
    if (status == CM_OK)
        status = cm_fft_transform_prepare(system, task, err);
    if (status == CM_OK)
        status = find(system, task, &kept, err);
    if (status != CM_OK)
        return status;
    cm_fft_schedule(&task->mapping, task->order, task->axes, &schedule);
    status = run(system, task, kept, schedule.count, array, &own, err);
    if (status == CM_OK)
        fill_report(system, task, kept, &schedule, &own);
    if (report)
        *report = own;
    return status;
}
