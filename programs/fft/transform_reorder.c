/*
 * Bit reversal on the machine: each axis that is transformed has its index bits reversed, as a dimension permutation of
 * exchanges of two bits each, none of which touches another:
 *
 *     a cube dimension and a local bit    several at once (transform_swaps.c)
 *     two cube dimensions                 all of them as a pipeline (transform_cube_swaps.c)
 *     two local bits                      one after the other, as reshapes make them (programs/reshape)
 *
 * Cube dimensions exchange addresses, not coordinates; so mesh axes in Gray code that take part are first recoded in
 * binary, and back at the end, both of them reshapes.
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

enum kind { KIND_MIXED, KIND_CUBE, KIND_LOCAL, KIND_COUNT };

struct reversal {
    const struct cm_fft_transform_task *task;
    /* Mixed: first is a cube dimension, second a local bit. */
    struct cm_reshape_swap swaps[KIND_COUNT][CM_LOGIC_DIMENSIONS_MAX];
    uint32_t counts[KIND_COUNT];
    uint64_t touched; /* address bits */
};

static void add_swap(struct reversal *reversal, uint32_t a, uint32_t b)
{
    uint32_t local = reversal->task->mapping.local_bits;
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    enum kind kind = high < local ? KIND_LOCAL : low < local ? KIND_MIXED : KIND_CUBE;
    reversal->touched |= UINT64_C(1) << a | UINT64_C(1) << b;
    reversal->swaps[kind][reversal->counts[kind]++] =
        (struct cm_reshape_swap){.first = kind == KIND_LOCAL ? high : high - local,
                                 .second = kind == KIND_CUBE ? low - local : low,
                                 .first_is_local = kind == KIND_LOCAL,
                                 .second_is_local = kind != KIND_CUBE};
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

static uint64_t array_words(const struct reversal *reversal)
{
    const struct cm_fft_transform_task *task = reversal->task;
    return (uint64_t)cm_type_slices(task->type) << task->mapping.local_bits;
}

/* The plan of exchanges of local bits, and the task that it is of. */
static enum cm_status plan_local(const struct reversal *reversal, struct cm_reshape_task *task,
                                 struct cm_reshape_plan *plan, struct cm_error *err)
{
    struct cm_allocation places = addresses(&reversal->task->mapping);
    uint32_t count = reversal->counts[KIND_LOCAL];
    *task = (struct cm_reshape_task){
        .from = places, .to = places, .slices = cm_type_slices(reversal->task->type)};
    *plan = (struct cm_reshape_plan){.from = places,
                                     .to = places,
                                     .elements = array_words(reversal) / task->slices,
                                     .swap_count = count,
                                     .round_count = count};
    plan->swaps = calloc(count + 1u, sizeof *plan->swaps);
    plan->rounds = calloc(count + 1u, sizeof *plan->rounds);
    if (!plan->swaps || !plan->rounds)
        return cm_error_set(err, CM_NO_MEMORY, "out of memory for a plan");
    for (uint32_t i = 0; i < count; i++) {
        plan->swaps[i] = reversal->swaps[KIND_LOCAL][i];
        plan->rounds[i] = (struct cm_reshape_round){
            .kind = CM_RESHAPE_ROUND_LOCAL, .first_swap = i, .swap_count = 1};
    }
    return CM_OK;
}

static enum cm_status make_local(struct cm_system *system, const void *reversal,
                                 struct cm_compiled *compiled, struct cm_error *err)
{
    struct cm_reshape_task task;
    struct cm_reshape_plan plan;
    enum cm_status status = plan_local(reversal, &task, &plan, err);
    if (status == CM_OK)
        status = cm_reshape_compile(system, &task, &plan, compiled, err);
    cm_reshape_plan_finish(&plan);
    return status;
}

static enum cm_status compile_mixed(const struct cm_config *config, const struct reversal *reversal,
                                    uint32_t most, struct cm_compiled *compiled,
                                    struct cm_error *err)
{
    uint32_t local_bits = reversal->task->mapping.local_bits;
    uint32_t total = reversal->counts[KIND_MIXED];
    enum cm_status status = CM_OK;
    for (uint32_t at = 0, count; at < total; at += count) {
        count = cm_fft_swaps_together(total - at, local_bits, most);
        for (uint32_t turn = 0; status == CM_OK && turn < count; turn++) {
            struct cm_imp *imp = cm_imp_create("fft_reorder");
            if (!imp)
                return cm_error_set(err, CM_NO_MEMORY, "out of memory while compiling");
            cm_fft_compile_swaps(config, &reversal->swaps[KIND_MIXED][at], count, turn, local_bits,
                                 cm_type_slices(reversal->task->type), imp);
            status = cm_compiled_add(compiled, imp, err);
        }
    }
    return status;
}

static enum cm_status compile_cube(const struct cm_config *config, const struct reversal *reversal,
                                   uint32_t most, struct cm_compiled *compiled,
                                   struct cm_error *err)
{
    uint32_t total = reversal->counts[KIND_CUBE];
    enum cm_status status = CM_OK;
    for (uint32_t at = 0; status == CM_OK && at < total; at += most) {
        struct cm_imp *imp = cm_imp_create("fft_reorder");
        if (!imp)
            return cm_error_set(err, CM_NO_MEMORY, "out of memory while compiling");
        cm_fft_compile_cube_swaps(config, reversal->swaps[KIND_CUBE], at,
                                  total - at < most ? total - at : most, array_words(reversal),
                                  imp);
        status = cm_compiled_add(compiled, imp, err);
    }
    return status;
}

/* A plane of control words, and room for what is on its way. */
static enum cm_status make_table(struct cm_system *system, const struct reversal *reversal,
                                 enum kind kind, struct cm_compiled *compiled, struct cm_error *err)
{
    uint32_t nodes = cm_machine_nodes(system->machine);
    uint32_t channels = cm_machine_config(system->machine)->network_channels_per_dimension;
    uint64_t words = kind == KIND_MIXED
                         ? cm_fft_swap_words(channels)
                         : cm_fft_cube_swap_words(reversal->counts[KIND_CUBE], channels);
    uint32_t *planes = calloc(words * nodes, sizeof *planes);
    if (!planes)
        return cm_error_set(err, CM_NO_MEMORY, "out of memory for control words");
    for (uint32_t node = 0; node < nodes; node++)
        planes[node] = kind == KIND_MIXED
                           ? node
                           : cm_fft_cube_swap_control(reversal->swaps[KIND_CUBE],
                                                      reversal->counts[KIND_CUBE], node);
    enum cm_status status =
        cm_table_create(system, planes, words, "control words", &compiled->table, err);
    compiled->has_table = status == CM_OK;
    free(planes);
    return status;
}

/* Fewer exchanges at once until the code fits the SRAM. */
static enum cm_status make_crossing(struct cm_system *system, const struct reversal *reversal,
                                    enum kind kind, struct cm_compiled *compiled,
                                    struct cm_error *err)
{
    const struct cm_config *config = cm_machine_config(system->machine);
    enum cm_status status;
    for (uint32_t most = kind == KIND_MIXED ? CM_FFT_SWAPS_MAX : 16;; most /= 2) {
        status = kind == KIND_MIXED ? compile_mixed(config, reversal, most, compiled, err)
                                    : compile_cube(config, reversal, most, compiled, err);
        if (status != CM_OK || most == 1 ||
            cm_fft_code_longest(compiled) <= config->sequencer_sram_words)
            break;
        cm_fft_code_drop(compiled);
    }
    return status == CM_OK ? make_table(system, reversal, kind, compiled, err) : status;
}

static enum cm_status make_mixed(struct cm_system *system, const void *reversal,
                                 struct cm_compiled *compiled, struct cm_error *err)
{
    return make_crossing(system, reversal, KIND_MIXED, compiled, err);
}

static enum cm_status make_cube(struct cm_system *system, const void *reversal,
                                struct cm_compiled *compiled, struct cm_error *err)
{
    return make_crossing(system, reversal, KIND_CUBE, compiled, err);
}

static enum cm_status find(struct cm_system *system, const struct reversal *reversal,
                           enum kind kind, const struct cm_compiled **compiled,
                           struct cm_error *err)
{
    static const cm_compiled_make makes[KIND_COUNT] = {make_mixed, make_cube, make_local};
    const struct cm_reshape_swap *swaps = reversal->swaps[kind];
    struct cm_buffer key;
    cm_key_begin(&key, CM_CACHE_FFT_REORDER);
    cm_key_integer(&key, kind);
    cm_key_integer(&key, reversal->task->type);
    cm_key_integer(&key, reversal->task->mapping.local_bits);
    for (uint32_t i = 0; i < reversal->counts[kind]; i++) {
        cm_key_integer(&key, swaps[i].first);
        cm_key_integer(&key, swaps[i].second);
    }
    return cm_compiled_get(system, &key, makes[kind], reversal, compiled, err);
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
    if (recoding(&reversal, &gray)) {
        struct cm_reshape_task back = turned_back(gray);
        status = cm_reshape_prepare(system, &gray, err);
        if (status == CM_OK)
            status = cm_reshape_prepare(system, &back, err);
    }
    for (enum kind kind = 0; status == CM_OK && kind < KIND_COUNT; kind++)
        if (reversal.counts[kind] > 0)
            status = find(system, &reversal, kind, &compiled, err);
    return status;
}

/* What exchanges of local bits need beside the array. */
static enum cm_status allocate_scratch(struct cm_system *system, const struct reversal *reversal,
                                       uint64_t *scratch, struct cm_error *err)
{
    struct cm_reshape_task task;
    struct cm_reshape_plan plan;
    enum cm_status status = plan_local(reversal, &task, &plan, err);
    uint64_t words = status == CM_OK ? cm_reshape_scratch_words(&plan, &task) : 0;
    cm_reshape_plan_finish(&plan);
    if (status != CM_OK)
        return status;
    return cm_heap_allocate(system->heap, CM_HEAP_TABLES, words, "elements on their way", scratch,
                            err);
}

static enum cm_status run(struct cm_system *system, const struct reversal *reversal, enum kind kind,
                          struct cm_array *array, struct cm_error *err)
{
    const struct cm_compiled *compiled;
    uint64_t scratch = 0;
    enum cm_status status = find(system, reversal, kind, &compiled, err);
    if (status == CM_OK && kind == KIND_LOCAL)
        status = allocate_scratch(system, reversal, &scratch, err);
    if (status != CM_OK)
        return status;
    const struct cm_actual actuals[] = {{.address = compiled->has_table ? compiled->table : 0},
                                        {.address = array->address},
                                        {.address = scratch}};
    status = cm_compiled_run(system, compiled, actuals, CM_ENTRY_RUNTIME, err);
    if (kind == KIND_LOCAL)
        cm_heap_free(system->heap, scratch);
    return status;
}

enum cm_status cm_fft_reorder(struct cm_system *system, const struct cm_fft_transform_task *task,
                              struct cm_array *array, struct cm_error *err)
{
    struct reversal reversal;
    struct cm_reshape_task gray;
    find_reversal(task, &reversal);
    bool recoded = recoding(&reversal, &gray);
    enum cm_status status = recoded ? cm_reshape(system, &gray, array, err) : CM_OK;
    for (enum kind kind = 0; status == CM_OK && kind < KIND_COUNT; kind++)
        if (reversal.counts[kind] > 0)
            status = run(system, &reversal, kind, array, err);
    if (status == CM_OK && recoded) {
        struct cm_reshape_task back = turned_back(gray);
        status = cm_reshape(system, &back, array, err);
    }
    return status;
}
