/*
 * Bit reversal on the machine: each axis that is transformed has its index bits reversed, as a dimension permutation
 * of exchanges of two bits each (programs/reshape/reshape_permute.c: between memory bits, cube dimensions, or one and
 * the other). Cube dimensions exchange addresses, not coordinates; so mesh axes in Gray code that take part are first
 * recoded in binary, and back at the end, both of them reshapes.
 */
#include "../reshape/reshape_compile.h"
#include "transform_private.h"

#include <stdlib.h>

/* Where the bits of an index lie in an address: local bits from 0, cube dimensions from local_bits on. */
static uint32_t address_bit(const struct cm_fft_mapping *mapping, uint32_t axis, uint32_t bit)
{
    struct cm_fft_step step;
    cm_fft_mapping_step(mapping, axis, bit, &step);
    if (step.local)
        return step.local_bit;
    uint32_t at = mapping->local_bits + step.mesh_bit;
    for (uint32_t i = 0; i < step.mesh_axis; i++)
        at += mapping->mesh_bits[i];
    return at;
}

struct reversal {
    const struct cm_fft_transform_task *task;
    struct cm_reshape_swap swaps[CM_LOGIC_DIMENSIONS_MAX];
    uint32_t count;
    uint64_t touched; /* address bits */
};

static void add_swap(struct reversal *reversal, uint32_t a, uint32_t b)
{
    uint32_t local = reversal->task->mapping.local_bits;
    struct cm_reshape_swap swap = {.first_is_local = a < local, .second_is_local = b < local};
    swap.first = swap.first_is_local ? a : a - local;
    swap.second = swap.second_is_local ? b : b - local;
    reversal->swaps[reversal->count++] = swap;
    reversal->touched |= UINT64_C(1) << a | UINT64_C(1) << b;
}

static void find_reversal(const struct cm_fft_transform_task *task, struct reversal *reversal)
{
    const struct cm_fft_mapping *mapping = &task->mapping;
    *reversal = (struct reversal){.task = task};
    for (uint32_t a = 0; a < mapping->rank; a++) {
        uint32_t n = mapping->array_bits[a];
        if (!(task->axes >> a & 1))
            continue;
        for (uint32_t bit = 0; bit < n / 2; bit++)
            add_swap(reversal, address_bit(mapping, a, bit), address_bit(mapping, a, n - 1 - bit));
    }
}

/* The addresses of the nodes' memory as an array of their own: local bits, then cube dimensions. */
static struct cm_allocation addresses(const struct cm_fft_mapping *mapping)
{
    uint32_t nodes = mapping->bits - mapping->local_bits;
    return (struct cm_allocation){.dimensions = mapping->bits,
                                  .node_bits = nodes,
                                  .processor = ((UINT64_C(1) << nodes) - 1) << mapping->local_bits};
}

/* The reshape that recodes Gray-coded mesh axes with a bit that is exchanged; false when there are none. */
static bool recoding(const struct reversal *reversal, struct cm_reshape_task *task)
{
    const struct cm_fft_mapping *mapping = &reversal->task->mapping;
    uint32_t at = mapping->local_bits;
    *task = (struct cm_reshape_task){.from = addresses(mapping),
                                     .to = addresses(mapping),
                                     .slices = cm_type_slices(reversal->task->type)};
    for (uint32_t i = 0; i < mapping->mesh_rank; i++) {
        uint64_t axis = ((UINT64_C(1) << mapping->mesh_bits[i]) - 1) << at;
        at += mapping->mesh_bits[i];
        if (mapping->codes[i] == CM_FFT_GRAY && (axis & reversal->touched) != 0)
            task->from.coupled |= axis & axis >> 1;
    }
    return task->from.coupled != 0;
}

static struct cm_reshape_task turned_back(struct cm_reshape_task task)
{
    struct cm_allocation from = task.from;
    task.from = task.to;
    task.to = from;
    return task;
}

/* The plan of the exchanges alone; a unit is a word for each channel, as in every reshape. */
static enum cm_status plan_swaps(const struct reversal *reversal, uint32_t channels,
                                 struct cm_reshape_plan *plan, struct cm_error *err)
{
    const struct cm_fft_mapping *mapping = &reversal->task->mapping;
    uint64_t words = (uint64_t)cm_type_slices(reversal->task->type) << mapping->local_bits;
    *plan = (struct cm_reshape_plan){.from = addresses(mapping),
                                     .to = addresses(mapping),
                                     .elements = words / channels,
                                     .swap_count = reversal->count};
    plan->swaps = calloc(reversal->count + 1u, sizeof *plan->swaps);
    if (!plan->swaps)
        return cm_error_set(err, CM_NO_MEMORY, "out of memory for a plan");
    for (uint32_t i = 0; i < reversal->count; i++)
        plan->swaps[i] = reversal->swaps[i];
    return CM_OK;
}

static enum cm_status make(struct cm_system *system, const void *task, struct cm_compiled *compiled,
                           struct cm_error *err)
{
    const struct reversal *reversal = task;
    uint32_t channels = cm_machine_config(system->machine)->network_channels_per_dimension;
    struct cm_reshape_task reshape = {.from = addresses(&reversal->task->mapping),
                                      .to = addresses(&reversal->task->mapping),
                                      .slices = cm_type_slices(reversal->task->type)};
    struct cm_reshape_plan plan;
    enum cm_status status = plan_swaps(reversal, channels, &plan, err);
    if (status == CM_OK)
        status = cm_reshape_compile(system, &reshape, &plan, compiled, err);
    cm_reshape_plan_finish(&plan);
    return status;
}

static enum cm_status find_swaps(struct cm_system *system, const struct reversal *reversal,
                                 const struct cm_compiled **compiled, struct cm_error *err)
{
    struct cm_buffer key;
    cm_key_begin(&key, CM_CACHE_FFT_REORDER);
    cm_key_integer(&key, reversal->task->type);
    cm_key_integer(&key, reversal->task->mapping.bits);
    cm_key_integer(&key, reversal->task->mapping.local_bits);
    for (uint32_t i = 0; i < reversal->count; i++) {
        const struct cm_reshape_swap *swap = &reversal->swaps[i];
        cm_key_integer(&key, swap->first << 1 | swap->first_is_local);
        cm_key_integer(&key, swap->second << 1 | swap->second_is_local);
    }
    return cm_compiled_get(system, &key, make, reversal, compiled, err);
}

enum cm_status cm_fft_reorder_prepare(struct cm_system *system,
                                      const struct cm_fft_transform_task *task,
                                      struct cm_error *err)
{
    const struct cm_compiled *compiled;
    struct reversal reversal;
    struct cm_reshape_task gray;
    enum cm_status status = CM_OK;
    find_reversal(task, &reversal);
    if (reversal.count == 0)
        return CM_OK;
    if (recoding(&reversal, &gray)) {
        struct cm_reshape_task back = turned_back(gray);
        status = cm_reshape_prepare(system, &gray, err);
        if (status == CM_OK)
            status = cm_reshape_prepare(system, &back, err);
    }
    return status == CM_OK ? find_swaps(system, &reversal, &compiled, err) : status;
}

static enum cm_status run_swaps(struct cm_system *system, const struct reversal *reversal,
                                struct cm_array *array, struct cm_error *err)
{
    const struct cm_compiled *compiled;
    struct cm_reshape_plan plan;
    struct cm_reshape_task reshape = {.from = addresses(&reversal->task->mapping),
                                      .slices = cm_type_slices(reversal->task->type)};
    uint32_t channels = cm_machine_config(system->machine)->network_channels_per_dimension;
    uint64_t scratch, words;
    enum cm_status status = plan_swaps(reversal, channels, &plan, err);
    words = status == CM_OK ? cm_reshape_scratch_words(&plan, &reshape, channels) : 0;
    cm_reshape_plan_finish(&plan);
    if (status == CM_OK)
        status = find_swaps(system, reversal, &compiled, err);
    if (status == CM_OK)
        status = cm_heap_allocate(system->heap, CM_HEAP_TABLES, words, "elements on their way",
                                  &scratch, err);
    if (status != CM_OK)
        return status;
    const struct cm_actual actuals[] = {{.address = compiled->has_table ? compiled->table : 0},
                                        {.address = array->address},
                                        {.address = scratch}};
    status = cm_compiled_run(system, compiled, actuals, CM_ENTRY_RUNTIME, err);
    cm_heap_free(system->heap, scratch);
    return status;
}

enum cm_status cm_fft_reorder(struct cm_system *system, const struct cm_fft_transform_task *task,
                              struct cm_array *array, struct cm_error *err)
{
    struct reversal reversal;
    struct cm_reshape_task gray;
    find_reversal(task, &reversal);
    if (reversal.count == 0)
        return CM_OK;
    bool recoded = recoding(&reversal, &gray);
    enum cm_status status = recoded ? cm_reshape(system, &gray, array, err) : CM_OK;
    if (status == CM_OK)
        status = run_swaps(system, &reversal, array, err);
    if (status == CM_OK && recoded) {
        struct cm_reshape_task back = turned_back(gray);
        status = cm_reshape(system, &back, array, err);
    }
    return status;
}
