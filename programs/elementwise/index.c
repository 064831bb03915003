/*
 * Tables of indices in node memory.
 *
 * A node could compute the indices of its elements from its own number and from nested loops over
 * its local axes. Loops over short axes would cost 10 cycles of control and more for each
 * iteration. A word from a table costs one cycle.
 */
#include "index.h"

#include "../system/compiled_imps.h"

struct task {
    const struct cm_layout *layout;
    const struct cm_index_range *range;
};

static uint64_t words_of(const struct task *task)
{
    return task->range->places > 0 ? task->range->places : task->layout->local_elements;
}

static enum cm_status write_table(struct cm_system *system, const struct task *task,
                                  uint64_t address, struct cm_error *err)
{
    const struct cm_layout *layout = task->layout;
    const struct cm_axis *axis = &layout->axes[task->range->axis];
    enum cm_status status = CM_OK;
    uint32_t *begins = malloc(2 * layout->nodes * sizeof *begins);
    if (!begins)
        return cm_error_no_memory(err);
    uint32_t *plane = begins + layout->nodes;
    for (uint32_t node = 0; node < layout->nodes; node++)
        begins[node] =
            (uint32_t)(cm_layout_coordinate(layout, node, task->range->axis) * axis->local_length) +
            1;
    for (uint64_t e = 0; status == CM_OK && e < words_of(task); e++) {
        const uint64_t stride = task->range->places > 0 ? 1 : axis->stride;
        const uint32_t local = (uint32_t)((task->range->first + e / stride) % axis->local_length);
        for (uint32_t node = 0; node < layout->nodes; node++)
            plane[node] = begins[node] + local;
        status = cm_machine_write_plane(system->machine, address + e, plane, err);
    }
    free(begins);
    return status;
}

/* Serves as a cm_compiled_make for the cache: makes a table and no IMPs. */
static enum cm_status make(struct cm_system *system, const void *context,
                           struct cm_compiled *compiled, struct cm_error *err)
{
    const struct task *task = context;
    enum cm_status status =
        cm_compiled_reserve(system, compiled, words_of(task), 1, "a table of indices", err);
    if (status != CM_OK || cm_machine_timing_only(system->machine))
        return status;
    return write_table(system, task, compiled->table, err);
}

enum cm_status cm_index_table(struct cm_system *system, const struct cm_layout *layout,
                              const struct cm_index_range *range, uint64_t *address,
                              struct cm_error *err)
{
    const struct task task = {layout, range};
    const struct cm_compiled *table;
    struct cm_buffer key;
    cm_key_begin(&key, CM_CACHE_INDEX);
    CM_CACHE_KEY(&key, range->axis, range->places, range->first);
    for (uint32_t a = 0; a < layout->rank; a++)
        CM_CACHE_KEY(&key, layout->axes[a].length, layout->axes[a].order,
                     layout->axes[a].node_bits);
    enum cm_status status = cm_compiled_get(system, &key, make, &task, &table, err);
    *address = status == CM_OK ? table->table : 0;
    return status;
}
