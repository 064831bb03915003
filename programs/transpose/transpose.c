/* Compiles and calls transposes: the compilation chooses exchanges or the router, a call copies the
 * source and executes the plan. */
#include "transpose.h"

#include "transpose_private.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum { ADDRESS_DST, ADDRESS_SRC };

const char *cm_transpose_algorithm_name(enum cm_transpose_algorithm algorithm)
{
    static const char *const names[CM_TRANSPOSE_ALGORITHMS] = {"auto", "exchange", "router"};
    assert(algorithm < CM_TRANSPOSE_ALGORITHMS);
    return names[algorithm];
}

static enum cm_status check_axes(const struct cm_transpose_task *task, struct cm_error *err)
{
    const uint32_t rank = task->src.rank;
    for (uint32_t i = 0; i < 2; i++)
        if (task->axes[i] >= rank)
            return cm_error_refuse(err, "axes count from 0",
                                   "an array of rank %" PRIu32 " has no axis %" PRIu32, rank,
                                   task->axes[i]);
    if (task->axes[0] == task->axes[1])
        return cm_error_refuse(err, "name two different axes",
                               "axis %" PRIu32 " cannot change places with itself", task->axes[0]);
    return CM_OK;
}

static enum cm_status check_task(const struct cm_transpose_task *task, struct cm_error *err)
{
    const struct cm_layout *src = &task->src, *dst = &task->dst;
    enum cm_status status = check_axes(task, err);
    if (status != CM_OK)
        return status;
    bool alike = src->rank == dst->rank && src->type == dst->type && src->nodes == dst->nodes;
    for (uint32_t a = 0; alike && a < src->rank; a++) {
        const uint32_t b = a == task->axes[0]   ? task->axes[1]
                           : a == task->axes[1] ? task->axes[0]
                                                : a;
        alike = src->axes[a].length == dst->axes[b].length;
    }
    if (!alike)
        return cm_error_refuse(err,
                               "the destination has the source's type, and its shape with the "
                               "two lengths exchanged",
                               "source and destination of a transpose do not match");
    if (task->algorithm >= CM_TRANSPOSE_ALGORITHMS)
        return cm_error_set(err, CM_BAD_INPUT, "the algorithm of a transpose is not known");
    return CM_OK;
}

/* Compiles an IMP that copies all words of src to dst. */
static enum cm_status compile_copy(struct cm_system *system, struct cm_transpose *own,
                                   struct cm_error *err)
{
    struct cm_imp *imp = cm_emit_begin("transpose copy", "dst src");
    if (imp)
        cm_emit_move(imp, (struct cm_place){ADDRESS_DST, 0}, (struct cm_place){ADDRESS_SRC, 0},
                     own->task.src.local_words);
    enum cm_status status = cm_compiled_add(own->copy, cm_emit_end(imp), err);
    return status == CM_OK ? cm_compiled_try(system, own->copy, err) : status;
}

/* Returns the least number of exchanges of any method. Half of a node's K words must cross each
 * dimension whose bit changes, over `channels` channels. */
static uint64_t lower_bound(const struct cm_system *system, const struct cm_transpose_info *info)
{
    const uint64_t channels = cm_machine_config(system->machine)->network_channels_per_dimension;
    return info->dimensions == 0 ? 0 : (info->words + 2 * channels - 1) / (2 * channels);
}

static enum cm_status choose(struct cm_transpose *own, struct cm_error *err)
{
    struct cm_transpose_info *info = &own->info;
    info->words = own->task.src.local_words;
    info->algorithm = own->task.algorithm;
    if (info->algorithm == CM_TRANSPOSE_ROUTER)
        return CM_OK;
    const bool needs_router =
        cm_transpose_needs_router(&own->task, info->reason, sizeof info->reason);
    if (needs_router && info->algorithm == CM_TRANSPOSE_EXCHANGE)
        return cm_error_refuse(err, "use the algorithm auto or router",
                               "exchanges cannot do this transpose: %s", info->reason);
    info->algorithm = needs_router ? CM_TRANSPOSE_ROUTER : CM_TRANSPOSE_EXCHANGE;
    return CM_OK;
}

static enum cm_status make(struct cm_system *system, struct cm_transpose *own, struct cm_error *err)
{
    enum cm_status status = choose(own, err);
    if (status == CM_OK)
        status = compile_copy(system, own, err);
    if (status != CM_OK)
        return status;
    if (own->info.algorithm == CM_TRANSPOSE_EXCHANGE) {
        status = cm_transpose_set_up_exchanges(system, own, err);
        own->info.lower_bound = lower_bound(system, &own->info);
        return status;
    }
    status = cm_packet_list_check(system, own->task.src.slices, err);
    if (status == CM_OK)
        status = cm_transpose_list_packets(&own->task, &own->list, err);
    own->info.packets = own->list.packets.count;
    return status;
}

enum cm_status cm_transpose_setup(struct cm_system *system, const struct cm_transpose_task *task,
                                  struct cm_transpose **transpose, struct cm_error *err)
{
    *transpose = NULL;
    enum cm_status status = check_task(task, err);
    if (status != CM_OK)
        return status;
    struct cm_transpose *own = calloc(1, sizeof *own);
    if (!own)
        return cm_error_no_memory(err);
    own->task = *task;
    own->copy = calloc(1, sizeof *own->copy);
    own->chains = calloc(1, sizeof *own->chains);
    status = own->copy && own->chains ? make(system, own, err) : cm_error_no_memory(err);
    if (status == CM_OK)
        *transpose = own;
    else
        cm_transpose_deallocate(system, own);
    return status;
}

void cm_transpose_deallocate(struct cm_system *system, struct cm_transpose *transpose)
{
    if (!transpose)
        return;
    cm_compiled_drop(system, transpose->chains);
    cm_compiled_drop(system, transpose->copy);
    cm_packet_list_finish(&transpose->list);
    free(transpose);
}

static enum cm_status expect_layout(const struct cm_layout *layout, const struct cm_array *array,
                                    const char *role, struct cm_error *err)
{
    if (cm_layout_equal(layout, &array->layout) && !cm_array_is_allocated(array))
        return CM_OK;
    return cm_error_refuse(err, "set up a transpose for the arrays that it is called with",
                           "the %s \"%s\" is not laid out as the setup of the transpose says", role,
                           array->name);
}

static enum cm_status copy_words(struct cm_system *system, const struct cm_transpose *transpose,
                                 uint64_t dst, uint64_t src, struct cm_error *err)
{
    struct cm_actual actuals[] = {
        [ADDRESS_DST] = {.address = dst}, [ADDRESS_SRC] = {.address = src}};
    return cm_compiled_run(system, transpose->copy, actuals, CM_ENTRY_RUNTIME, err);
}

/* Transposes an array in place through the router, from a copy of the source. Otherwise arriving
 * elements would overwrite elements that have not left. */
static enum cm_status route_in_place(struct cm_system *system, const struct cm_transpose *transpose,
                                     uint64_t array, struct cm_error *err)
{
    uint64_t aside;
    enum cm_status status =
        cm_heap_allocate(system->heap, CM_HEAP_TABLES, transpose->task.src.local_words,
                         "a copy of the source", &aside, err);
    if (status != CM_OK)
        return status;
    status = copy_words(system, transpose, aside, array, err);
    if (status == CM_OK)
        status = cm_transpose_route(system, transpose, array, aside, err);
    cm_heap_free(system->heap, aside);
    return status;
}

static enum cm_status exchange(struct cm_system *system, const struct cm_transpose *transpose,
                               struct cm_array *dst, const struct cm_array *src,
                               struct cm_error *err)
{
    enum cm_status status = CM_OK;
    if (dst->address != src->address)
        status = copy_words(system, transpose, dst->address, src->address, err);
    return status == CM_OK ? cm_transpose_exchange(system, transpose, dst, err) : status;
}

enum cm_status cm_transpose_call(struct cm_system *system, const struct cm_transpose *transpose,
                                 struct cm_array *dst, const struct cm_array *src,
                                 struct cm_error *err)
{
    enum cm_status status = expect_layout(&transpose->task.src, src, "source", err);
    if (status == CM_OK)
        status = expect_layout(&transpose->task.dst, dst, "destination", err);
    if (status != CM_OK)
        return status;
    if (transpose->info.algorithm == CM_TRANSPOSE_EXCHANGE)
        return exchange(system, transpose, dst, src, err);
    if (dst->address == src->address)
        return route_in_place(system, transpose, dst->address, err);
    return cm_transpose_route(system, transpose, dst->address, src->address, err);
}

struct cm_transpose_info cm_transpose_info(const struct cm_transpose *transpose)
{
    return transpose->info;
}
