/* Sorts: checks the arguments, computes sizes, compiles ahead of calls, and executes calls. */
#include "sort_sample.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Limit on the length of an axis, so that all indices, those of padding included, are less than
 * 2^31. */
#define LENGTH_MAX (UINT64_C(1) << 30)

const char *cm_sort_method_name(enum cm_sort_method method)
{
    static const char *const names[CM_SORT_METHODS] = {"bitonic", "sample", "auto"};
    assert(method < CM_SORT_METHODS);
    return names[method];
}

bool cm_sort_takes(enum cm_type type)
{
    return type < CM_TYPE_COUNT && cm_type_components(type) == 1;
}

static void add_part(struct cm_sort_record *record, bool wide)
{
    if (record->parts < PARTS_MAX) {
        record->offsets[record->parts] = record->words;
        record->wide[record->parts] = wide;
    }
    record->parts++;
    record->words += wide ? 2 : 1;
}

static void make_record(struct cm_sort *own)
{
    struct cm_sort_record *record = &own->record;
    for (uint32_t w = 0; w < own->task.layout.slices; w++)
        add_part(record, false);
    if (own->task.ranked || own->task.carried > 0) {
        record->index = record->parts;
        add_part(record, false);
    }
    record->keys = record->parts;
    for (uint32_t i = 0; i < own->task.carried; i++) {
        const uint32_t words = cm_type_slices(own->task.carried_types[i]);
        own->carried_offsets[i] = record->words;
        for (uint32_t w = 0; w < words; w += 2)
            add_part(record, words > 1);
    }
}

static enum cm_status check_task(const struct cm_sort_task *task, struct cm_error *err)
{
    const struct cm_layout *layout = &task->layout;
    if (task->axis >= layout->rank)
        return cm_error_set(err, CM_BAD_INPUT, "an array of rank %" PRIu32 " has no such axis",
                            layout->rank);
    if (!cm_sort_takes(layout->type))
        return cm_error_refuse(err, "keys are real32, real64, int32 or logical", "%s has no order",
                               cm_type_name(layout->type));
    if (task->method >= CM_SORT_METHODS)
        return cm_error_set(err, CM_BAD_INPUT, "the method of a sort is not known");
    if (task->carried > CM_SORT_CARRIED_MAX)
        return cm_error_set(err, CM_BAD_INPUT,
                            "%" PRIu32 " arrays to carry; a sort carries at most %u", task->carried,
                            CM_SORT_CARRIED_MAX);
    for (uint32_t i = 0; i < task->carried; i++)
        if (task->carried_types[i] >= CM_TYPE_COUNT)
            return cm_error_set(err, CM_BAD_INPUT, "the type of a carried array is not known");
    if (layout->axes[task->axis].length > LENGTH_MAX)
        return cm_error_refuse(err, "use a smaller shape",
                               "an axis to sort along has at most 2^30 "
                               "elements, this one has %" PRIu64,
                               layout->axes[task->axis].length);
    return CM_OK;
}

static enum cm_status check_record(const struct cm_sort *own, struct cm_error *err)
{
    if (own->record.parts <= PARTS_MAX)
        return CM_OK;
    return cm_error_refuse(err, "carry fewer arrays, or sort with ranks and send the arrays there",
                           "the FPU's registers do not hold two records: key, index and what is "
                           "carried need %" PRIu32 " registers, there are %u for each",
                           own->record.parts, PARTS_MAX);
}

/* Computes the sizes that follow from the arguments of the sort. */
static void measure(const struct cm_config *config, struct cm_sort *own)
{
    const struct cm_layout *layout = &own->task.layout;
    const struct cm_axis *axis = &layout->axes[own->task.axis];
    own->first_dimension = axis->first_dimension;
    own->dimensions = axis->node_bits;
    own->length = axis->local_length;
    own->values = layout->local_elements;
    cm_sort_measure(config, own);
}

/* Fills the tables. This function is a cm_table_fill. */
static void fill_tables(const void *context, uint32_t nodes, uint32_t *planes)
{
    const struct cm_sort *own = context;
    const struct cm_layout *layout = &own->task.layout;
    const uint32_t first = own->first_dimension;
    const uint32_t mask = (UINT32_C(1) << own->dimensions) - 1;
    for (uint32_t node = 0; own->dimensions > 0 && node < nodes; node++) {
        const uint32_t code = node >> first & mask;
        const uint32_t coordinate = cm_layout_coordinate(layout, node, own->task.axis);
        planes[TABLE_CODE * nodes + node] = code << first;
        planes[TABLE_COORDINATE * nodes + node] = coordinate << first;
        planes[TABLE_TURN * nodes + node] = (code ^ code >> 1) << first;
        planes[TABLE_BASE * nodes + node] = (uint32_t)(coordinate * own->length);
        planes[TABLE_PICK * nodes + node] = cm_sort_pick_bits(own, code, coordinate);
    }
}

static enum cm_status compile(const struct cm_config *config, struct cm_sort *own,
                              struct cm_error *err)
{
    enum cm_status status = cm_sort_add_begin(config, own, own->compiled, err);
    if (status == CM_OK)
        status = cm_sort_add_phases(config, own, own->compiled, err);
    return status == CM_OK ? cm_sort_add_end(config, own, own->compiled, err) : status;
}

static enum cm_status make(struct cm_system *system, struct cm_sort *own, struct cm_error *err)
{
    const struct cm_config *config = cm_machine_config(system->machine);
    enum cm_status status = check_record(own, err);
    if (status == CM_OK)
        status = cm_compiled_table(
            system, own->compiled,
            &(struct cm_table_request){TABLE_WORDS, "the tables of a sort", fill_tables, own}, err);
    if (status == CM_OK)
        status = cm_heap_allocate(system->heap, CM_HEAP_TABLES, own->work_words,
                                  "the work area of a sort", &own->work, err);
    if (status != CM_OK)
        own->work_words = 0;
    if (status == CM_OK)
        status = compile(config, own, err);
    if (status == CM_OK)
        status = cm_compiled_try(system, own->compiled, err);
    if (status == CM_OK)
        status = cm_sort_choose(system, own, err);
    return status;
}

enum cm_status cm_sort_setup(struct cm_system *system, const struct cm_sort_task *task,
                             struct cm_sort **sort, struct cm_error *err)
{
    *sort = NULL;
    enum cm_status status = check_task(task, err);
    if (status != CM_OK)
        return status;
    struct cm_sort *own = calloc(1, sizeof *own);
    struct cm_compiled *compiled = calloc(1, sizeof *compiled);
    if (!own || !compiled) {
        free(own);
        free(compiled);
        return cm_error_no_memory(err);
    }
    own->task = *task;
    own->compiled = compiled;
    make_record(own);
    measure(cm_machine_config(system->machine), own);
    status = make(system, own, err);
    if (status == CM_OK)
        *sort = own;
    else
        cm_sort_deallocate(system, own);
    return status;
}

void cm_sort_deallocate(struct cm_system *system, struct cm_sort *sort)
{
    if (!sort)
        return;
    cm_sampling_drop(system, sort->sampling);
    if (sort->work_words > 0)
        cm_heap_free(system->heap, sort->work);
    cm_compiled_drop(system, sort->compiled);
    free(sort);
}

static enum cm_status expect_layout(const struct cm_sort *own, enum cm_type type,
                                    const struct cm_array *array, const char *role,
                                    struct cm_error *err)
{
    struct cm_layout wanted = own->task.layout;
    if (!array)
        return cm_error_set(err, CM_BAD_INPUT, "the %s of a sort is missing", role);
    wanted.type = type;
    if (cm_layout_equal(&wanted, &array->layout) && !cm_array_is_allocated(array))
        return CM_OK;
    return cm_error_refuse(err, "arrays of one call need one shape and layout",
                           "the %s \"%s\" is not an array of type %s laid out as its setup says",
                           role, array->name, cm_type_name(type));
}

/* Lists the destination arrays of a call, and returns their number. An array is NULL if the caller
 * has not given it. */
static uint32_t collect_destinations(const struct cm_sort *own, const struct cm_sort_arrays *arrays,
                                     const struct cm_array **all)
{
    uint32_t count = 0;
    if (!own->task.keyless)
        all[count++] = arrays->dst;
    if (own->task.ranked)
        all[count++] = arrays->rank;
    for (uint32_t i = 0; i < own->task.carried; i++)
        all[count++] = arrays->carried[i].dst;
    return count;
}

static enum cm_status check_arrays(const struct cm_sort *own, const struct cm_sort_arrays *arrays,
                                   struct cm_error *err)
{
    const struct cm_sort_task *task = &own->task;
    const struct cm_array *all[2 + CM_SORT_CARRIED_MAX];
    enum cm_status status = expect_layout(own, task->layout.type, arrays->src, "source", err);
    if (status == CM_OK && !task->keyless)
        status = expect_layout(own, task->layout.type, arrays->dst, "destination", err);
    if (status == CM_OK && task->ranked)
        status = expect_layout(own, CM_TYPE_INT32, arrays->rank, "rank", err);
    for (uint32_t i = 0; status == CM_OK && i < task->carried; i++) {
        const enum cm_type type = task->carried_types[i];
        status = expect_layout(own, type, arrays->carried[i].src, "carried source", err);
        if (status == CM_OK)
            status = expect_layout(own, type, arrays->carried[i].dst, "carried destination", err);
    }
    const uint32_t count = status == CM_OK ? collect_destinations(own, arrays, all) : 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (all[i] == all[k])
                return cm_error_refuse(err, "use another array for one of them",
                                       "\"%s\" gets two results of a sort", all[i]->name);
    return status;
}

/* Fills in the addresses of a call's arrays and of the work area as arguments of the IMPs. */
static void find_actuals(const struct cm_sort *sort, const struct cm_sort_arrays *arrays,
                         struct cm_actual *actuals)
{
    memset(actuals, 0, ARGUMENTS * sizeof *actuals);
    actuals[ADDRESS_WORK].address = sort->work;
    actuals[ADDRESS_TABLES].address = sort->compiled->table;
    actuals[ADDRESS_SRC].address = arrays->src->address;
    actuals[ADDRESS_DST].address = sort->task.keyless ? 0 : arrays->dst->address;
    actuals[ADDRESS_RANK].address = sort->task.ranked ? arrays->rank->address : 0;
    for (uint32_t i = 0; i < sort->task.carried; i++) {
        actuals[ADDRESS_CARRIED + 2 * i].address = arrays->carried[i].src->address;
        actuals[ADDRESS_CARRIED + 2 * i + 1].address = arrays->carried[i].dst->address;
    }
}

enum cm_status cm_sort_call(struct cm_system *system, const struct cm_sort *sort,
                            const struct cm_sort_arrays *arrays, struct cm_error *err)
{
    struct cm_actual actuals[ARGUMENTS];
    bool sorted = false;
    enum cm_status status = check_arrays(sort, arrays, err);
    if (status != CM_OK)
        return status;
    find_actuals(sort, arrays, actuals);
    if (sort->sampling)
        status = cm_sampling_run(system, sort, actuals, &sorted, err);
    if (status != CM_OK || sorted)
        return status;
    return cm_compiled_run(system, sort->compiled, actuals, CM_ENTRY_IMP, err);
}

struct cm_sort_info cm_sort_info(const struct cm_sort *sort)
{
    struct cm_sort_info info = {
        .values = sort->values,
        .record_words = sort->record.words,
        .dimensions = sort->dimensions,
        .exchanges = sort->exchanges,
        .sram_words = cm_compiled_words(sort->compiled),
        .table_words = sort->compiled->table_words,
        .work_words = sort->work_words,
        .method = CM_SORT_BITONIC,
        .reason = sort->reason,
    };
    if (sort->sampling)
        cm_sampling_describe(sort->sampling, &info);
    return info;
}
