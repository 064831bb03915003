/* FFT communication on the machine: compiles the steps, keeps their code in the cache, and executes
 * them. */
#include "exchange.h"

#include "../system/compiled_imps.h"
#include "../system/emit.h"
#include "exchange_compile.h"

#include <inttypes.h>

struct fill {
    const struct cm_fft_task *task;
    const struct cm_config *config;
};

/* Fills in the slots of hops up and down along mesh axis i. At an end of the axis, a node sends to
 * itself instead of out of the mesh. */
static void fill_wires(const struct fill *fill, uint32_t i, uint32_t base, uint32_t nodes,
                       uint32_t *planes)
{
    const struct cm_config *config = fill->config;
    uint32_t last = (UINT32_C(1) << fill->task->mapping.mesh_bits[i]) - 1;
    uint32_t *up = planes + (size_t)cm_fft_wire_table(i, false) * nodes;
    uint32_t *down = planes + (size_t)cm_fft_wire_table(i, true) * nodes;
    for (uint32_t node = 0; node < nodes; node++) {
        uint32_t at = cm_fft_coordinate_bits(&fill->task->mapping, node) >> base & last;
        up[node] = down[node] = 0;
        if (at < last) { /* in Gray code, neighbours differ in the bit that counting up sets */
            uint32_t above = base + (uint32_t)__builtin_ctz(at + 1);
            up[node] |= cm_hop_sends(config, above);
            down[node] |= cm_hop_receives(config, above);
        } else {
            down[node] |= cm_hop_stays(config);
        }
        if (at > 0) {
            uint32_t below = base + (uint32_t)__builtin_ctz(at);
            down[node] |= cm_hop_sends(config, below);
            up[node] |= cm_hop_receives(config, below);
        } else {
            up[node] |= cm_hop_stays(config);
        }
    }
}

static void fill_tables(const void *context, uint32_t nodes, uint32_t *planes)
{
    const struct fill *fill = context;
    const struct cm_fft_mapping *mapping = &fill->task->mapping;
    uint32_t base = 0;
    for (uint32_t node = 0; node < nodes; node++)
        planes[node] = cm_fft_coordinate_bits(mapping, node);
    for (uint32_t i = 0; fill->task->mesh_wires && i < mapping->mesh_rank; i++) {
        fill_wires(fill, i, base, nodes, planes);
        base += mapping->mesh_bits[i];
    }
}

static enum cm_status make(struct cm_system *system, const void *context,
                           struct cm_compiled *compiled, struct cm_error *err)
{
    const struct cm_fft_task *task = context;
    struct cm_fft_schedule schedule;
    enum cm_status status = CM_OK;
    cm_fft_task_schedule(task, &schedule);
    for (uint32_t n = 0; status == CM_OK && n < schedule.count; n++) {
        struct cm_fft_hops hops = cm_fft_hops_of(&schedule.steps[n]);
        struct cm_imp *imp =
            cm_fft_exchange_compile(cm_machine_config(system->machine), task, n, &hops);
        status = cm_compiled_add(compiled, imp, err);
    }
    const struct fill fill = {task, cm_machine_config(system->machine)};
    if (status == CM_OK)
        status = cm_compiled_table(system, compiled,
                                   &(struct cm_table_request){cm_fft_table_words(task),
                                                              "the table of mesh coordinates",
                                                              fill_tables, &fill},
                                   err);
    return status;
}

static enum cm_status find(struct cm_system *system, const struct cm_fft_task *task,
                           const struct cm_compiled **compiled, struct cm_error *err)
{
    struct cm_buffer key;
    cm_key_begin(&key, CM_CACHE_FFT_EXCHANGE);
    CM_CACHE_KEY(&key, task->order, task->axes, task->slices, task->broadcast, task->source,
                 task->mesh_wires);
    cm_fft_mapping_key(&task->mapping, &key);
    return cm_compiled_get(system, &key, make, task, compiled, err);
}

static enum cm_status check_task(const struct cm_system *system, const struct cm_fft_task *task,
                                 struct cm_error *err)
{
    const struct cm_fft_mapping *mapping = &task->mapping;
    uint64_t nodes = UINT64_C(1) << cm_fft_node_bits(mapping);
    if (nodes > cm_machine_nodes(system->machine))
        return cm_error_refuse(err, "use a smaller mesh, or more nodes",
                               "the mesh has %" PRIu64 " nodes, the machine %" PRIu32, nodes,
                               cm_machine_nodes(system->machine));
    for (uint32_t i = 0; task->mesh_wires && i < mapping->mesh_rank; i++)
        if (mapping->codes[i] != CM_FFT_GRAY && mapping->mesh_bits[i] > 1)
            return cm_error_refuse(err, "mesh axes in Gray code have them",
                                   "mesh axis %" PRIu32 " is in binary code, where neighbours on "
                                   "the mesh have no wire between them",
                                   i);
    if (task->broadcast && task->source >> mapping->bits != 0)
        return cm_error_refuse(err, "indices count from 0",
                               "a broadcast from index %" PRIu64 ", but there are %" PRIu64
                               " points",
                               task->source, UINT64_C(1) << mapping->bits);
    return CM_OK;
}

static enum cm_status check_array(const struct cm_fft_task *task, const struct cm_array *array,
                                  struct cm_error *err)
{
    if (array->layout.elements == UINT64_C(1) << task->mapping.bits &&
        array->layout.slices == task->slices)
        return CM_OK;
    return cm_error_refuse(err, "use a mapping of the array's shape",
                           "\"%s\" has %" PRIu64 " elements of %" PRIu32
                           " words, the mapping %" PRIu64 " of %" PRIu32,
                           array->name, array->layout.elements, array->layout.slices,
                           UINT64_C(1) << task->mapping.bits, task->slices);
}

enum cm_status cm_fft_communicate_prepare(struct cm_system *system, const struct cm_fft_task *task,
                                          struct cm_error *err)
{
    const struct cm_compiled *compiled;
    enum cm_status status = check_task(system, task, err);
    return status == CM_OK ? find(system, task, &compiled, err) : status;
}

/* Range of a schedule's steps: `first` to end - 1. */
struct steps {
    uint32_t first, end;
};

/* Executes a range of steps and measures the cost of each step. */
static enum cm_status run_steps(struct cm_system *system, const struct cm_fft_task *task,
                                struct steps steps, const struct cm_array *array,
                                struct cm_fft_cost *costs, struct cm_error *err)
{
    const struct cm_compiled *compiled;
    uint64_t scratch;
    enum cm_status status = check_task(system, task, err);
    if (status == CM_OK)
        status = check_array(task, array, err);
    if (status == CM_OK)
        status = find(system, task, &compiled, err);
    if (status == CM_OK)
        status = cm_heap_allocate(system->heap, CM_HEAP_TABLES, CM_FFT_SCRATCH_WORDS,
                                  "the scratch memory of an FFT", &scratch, err);
    if (status != CM_OK)
        return status;
    const struct cm_actual actuals[] = {
        {.address = compiled->table}, {.address = array->address}, {.address = scratch}};
    if (steps.end > compiled->imps.count)
        steps.end = compiled->imps.count;
    for (uint32_t n = steps.first; status == CM_OK && n < steps.end; n++) {
        struct cm_counters before = cm_machine_counters(system->machine);
        status = cm_system_run_overlay(system, compiled->imps.items[n], actuals,
                                       n == steps.first ? CM_ENTRY_RUNTIME : CM_ENTRY_CHAINED, err);
        struct cm_counters after = cm_machine_counters(system->machine);
        if (costs != NULL)
            costs[n] = (struct cm_fft_cost){.exchanges = after.exchanges - before.exchanges,
                                            .cycles = after.cycles - before.cycles};
    }
    cm_heap_free(system->heap, scratch);
    return status;
}

enum cm_status cm_fft_communicate(struct cm_system *system, const struct cm_fft_task *task,
                                  const struct cm_array *array, struct cm_fft_cost *costs,
                                  struct cm_error *err)
{
    return run_steps(system, task, (struct steps){0, UINT32_MAX}, array, costs, err);
}

enum cm_status cm_fft_communicate_step(struct cm_system *system, const struct cm_fft_task *task,
                                       uint32_t number, const struct cm_array *array,
                                       struct cm_error *err)
{
    return run_steps(system, task, (struct steps){number, number + 1}, array, NULL, err);
}

/*
 * Returns the lower bound of a broadcast. On its way from the source, the value can change the
 * coordinate bits of the broadcast's axes. Bits that are 0 change upwards along a mesh axis, bits
 * that are 1 downwards. If several bits change, the value crosses the cube dimensions in the
 * exclusive or of the bits' masks.
 */
struct cm_fft_bound cm_fft_broadcast_bound(const struct cm_fft_task *task)
{
    const struct cm_fft_mapping *mapping = &task->mapping;
    uint32_t coordinates[CM_FFT_AXES_MAX], masks[32], count = 0;
    uint64_t up[CM_FFT_AXES_MAX] = {0}, down[CM_FFT_AXES_MAX] = {0};
    struct cm_fft_schedule schedule;
    struct cm_fft_bound bound = {0};
    cm_fft_schedule(mapping, task->order, task->axes, &schedule);
    cm_fft_mapping_coordinates(mapping, task->source, coordinates);
    for (uint32_t n = 0; n < schedule.count; n++) {
        const struct cm_fft_step *step = &schedule.steps[n];
        if (step->local)
            continue;
        masks[count++] = step->node_mask;
        if (coordinates[step->mesh_axis] >> step->mesh_bit & 1)
            down[step->mesh_axis] += step->distance;
        else
            up[step->mesh_axis] += step->distance;
    }
    for (uint32_t i = 0; i < mapping->mesh_rank; i++)
        bound.distance += up[i] > down[i] ? up[i] : down[i];
    for (uint32_t change = 0; change >> count == 0; change++) {
        uint32_t crossed = 0;
        for (uint32_t b = 0; b < count; b++)
            crossed ^= change >> b & 1 ? masks[b] : 0;
        uint32_t hops = (uint32_t)__builtin_popcount(crossed);
        bound.hops = hops > bound.hops ? hops : bound.hops;
    }
    return bound;
}
