/* Creation of a run: makes the machine, lays out and fills the arrays, prepares the steps.
 * execute.c executes the steps, and save.c saves arrays. */
#include "../../base/npy_parts.h"
#include "../../base/processes.h"
#include "provenance.h"
#include "step.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Creates the common state of a kind when the first of its steps is prepared. */
static enum cm_status create_common(struct cm_run *run, const struct cm_step_kind *kind,
                                    struct cm_error *err)
{
    if (kind->common_bytes == 0 || cm_run_common(run, kind) != NULL)
        return CM_OK;
    struct cm_run_common *common = cm_run_allocate(run, 1, sizeof *common, err);
    void *state = cm_run_allocate(run, 1, kind->common_bytes, err);
    if (common == NULL || state == NULL)
        return CM_NO_MEMORY;
    *common = (struct cm_run_common){.next = run->commons, .kind = kind, .state = state};
    run->commons = common;
    return CM_OK;
}

static enum cm_status read_machine(struct cm_run *run, const struct cm_run_options *options,
                                   struct cm_error *err)
{
    const struct cm_workload *workload = run->workload;
    enum cm_status status = CM_OK;
    if (options->config != NULL) {
        run->config = *options->config;
    } else if (options->machine != NULL) {
        status = cm_config_read(options->machine, &run->config, err);
    } else if (workload->machine != NULL) {
        status = cm_config_read(workload->machine->path, &run->config, err);
        if (status != CM_OK)
            cm_workload_hint_place(workload->machine->json, err);
    } else {
        const char *name = workload->machine_name;
        status = cm_config_read(name != NULL ? name : "cm200", &run->config, err);
    }
    if (status == CM_OK)
        status = cm_config_set(&run->config, options->sets, options->set_count, err);
    return status;
}

/* Takes the number of nodes from the options, else from the workload, else the number of the whole
 * machine. */
static enum cm_status choose_nodes(const struct cm_run *run, const struct cm_run_options *options,
                                   uint32_t *nodes, struct cm_error *err)
{
    uint64_t most = UINT64_C(1) << run->config.network_dimensions;
    *nodes = options->nodes != 0 ? options->nodes : run->workload->nodes;
    if (*nodes == 0)
        *nodes = (uint32_t)most;
    bool power = (*nodes & (*nodes - 1)) == 0;
    if (power && *nodes <= most)
        return CM_OK;
    if (!power)
        cm_error_set(err, CM_BAD_INPUT, "nodes is %" PRIu32 ", expected a power of two", *nodes);
    else
        cm_error_set(err, CM_BAD_INPUT,
                     "nodes is %" PRIu32 ", but the machine %s has at most %" PRIu64, *nodes,
                     run->config.name, most);
    uint32_t dimensions = run->config.network_dimensions;
    while (power && *nodes >> dimensions > 1)
        dimensions++;
    if (power && *nodes == UINT64_C(1) << dimensions)
        cm_error_hint(err,
                      "a power of two from 1 to %" PRIu64
                      "; or a larger machine: --set network.dimensions=%" PRIu32,
                      most, dimensions);
    else
        cm_error_hint(err, "a power of two from 1 to %" PRIu64, most);
    return options->nodes != 0 || err == NULL ? CM_BAD_INPUT
                                              : cm_workload_place(run->workload->nodes_json, err);
}

/* Returns the approximate number of words of each node's memory that the arrays use. Serial axes
 * and padding take more words and are not counted. */
static uint64_t words_in_use(const struct cm_workload *workload, uint32_t nodes)
{
    double words = 0;
    for (uint32_t i = 0; i < workload->array_count; i++) {
        const struct cm_layout_request *request = &workload->arrays[i].request;
        double elements = 1;
        for (uint32_t a = 0; a < request->rank; a++)
            elements *= (double)request->shape[a];
        words += elements * cm_type_slices(request->type) / nodes;
    }
    return words < 1 ? 1 : words < 1e15 ? (uint64_t)words : UINT64_C(1000000000000000);
}

static enum cm_status create_system(struct cm_run *run, const struct cm_run_options *options,
                                    struct cm_error *err)
{
    struct cm_machine_options machine = {
        .threads = options->threads,
        .timing_only = options->timing_only,
    };
    enum cm_status status = cm_executor_find(options->executor, &machine.executor, err);
    if (status == CM_OK)
        status = choose_nodes(run, options, &machine.nodes, err);
    if (status != CM_OK)
        return status;
    machine.working_words = words_in_use(run->workload, machine.nodes);
    return cm_system_create(&run->config, &machine, &run->system, err);
}

/* Allocates the host's array for the direct evaluation of array number `i`. */
static enum cm_status create_reference(struct cm_run *run, uint32_t i, struct cm_error *err)
{
    const struct cm_layout_request *request = &run->workload->arrays[i].request;
    struct cm_reference_array *array = &run->reference[i];
    size_t size = cm_type_host_bytes(request->type);
    array->type = request->type;
    array->rank = request->rank;
    memcpy(array->shape, request->shape, sizeof array->shape);
    array->elements_count = run->arrays[i]->layout.elements;
    array->elements = calloc(array->elements_count, size);
    if (array->elements == NULL)
        return cm_error_set(err, CM_NO_MEMORY, "out of memory for the check of \"%s\"",
                            run->arrays[i]->name);
    return CM_OK;
}

static enum cm_status initialise_array(struct cm_run *run, uint32_t i, struct cm_error *err)
{
    const struct cm_workload_array *array = &run->workload->arrays[i];
    const struct cm_layout *layout = &run->arrays[i]->layout;
    enum cm_status status = cm_array_clear(run->system, run->arrays[i], err);
    if (status != CM_OK || array->init.kind == CM_INIT_ZERO)
        return status;
    if (run->formulas != NULL)
        return cm_run_fill_by_formula(run, i, err);
    if (cm_machine_timing_only(cm_system_machine(run->system)) && !run->arrays[i]->held)
        return cm_init_fill(&array->init, layout, NULL, err);
    void *elements = run->check ? run->reference[i].elements
                                : malloc(layout->elements * cm_type_host_bytes(layout->type));
    if (elements == NULL)
        return cm_error_set(err, CM_NO_MEMORY, "out of memory for the values of \"%s\"",
                            array->name);
    status = cm_init_fill(&array->init, layout, elements, err);
    if (status == CM_OK)
        status = cm_array_scatter(run->system, run->arrays[i], elements, err);
    if (!run->check)
        free(elements);
    return status;
}

/* Refuses a mesh whose size differs from the number of nodes. */
static enum cm_status place_on_mesh(const struct cm_run *run, const struct cm_workload_array *array,
                                    struct cm_allocation *allocation, struct cm_error *err)
{
    uint32_t nodes = cm_machine_nodes(cm_system_machine(run->system));
    *allocation = array->mapping.allocation;
    if (UINT32_C(1) << allocation->node_bits == nodes)
        return CM_OK;
    cm_json_error(array->mesh_json, err, "the mesh has %" PRIu32 " nodes, but %" PRIu32 " are used",
                  UINT32_C(1) << allocation->node_bits, nodes);
    return cm_error_hint(err, "set the workload's nodes, or give --nodes %" PRIu32,
                         UINT32_C(1) << allocation->node_bits);
}

enum cm_status cm_run_place(const struct cm_run *run, uint32_t index,
                            struct cm_allocation *allocation, struct cm_error *err)
{
    const struct cm_workload_array *array = &run->workload->arrays[index];
    memset(allocation, 0, sizeof *allocation);
    if (!array->allocated)
        return CM_OK;
    if (array->meshed)
        return place_on_mesh(run, array, allocation, err);
    return cm_allocation_create(
        &(struct cm_allocation_request){array->request.shape, array->request.rank,
                                        cm_machine_nodes(cm_system_machine(run->system)),
                                        array->encoding, array->processor_rule,
                                        array->processor_list},
        allocation, err);
}

enum cm_status cm_run_expect_layout(const struct cm_run *run, struct cm_array_reference array,
                                    struct cm_array_reference model, struct cm_error *err)
{
    const struct cm_array *one = cm_run_array_of(run, array), *other = cm_run_array_of(run, model);
    struct cm_layout layout = one->layout;
    layout.type = other->layout.type; /* The reader has compared the types already. */
    if (cm_layout_equal(&layout, &other->layout))
        return CM_OK;
    cm_json_error(array.json, err, "\"%s\" and \"%s\" have the same shape, but different layouts",
                  one->name, other->name);
    return cm_error_hint(err, "give both the same axes and weights: {\"like\": \"%s\"}",
                         other->name);
}

static enum cm_status create_array(struct cm_run *run, uint32_t i, struct cm_error *err)
{
    const struct cm_workload_array *array = &run->workload->arrays[i];
    uint32_t nodes = cm_machine_nodes(cm_system_machine(run->system));
    struct cm_layout layout;
    enum cm_status status = cm_layout_create(&array->request, nodes, &layout, err);
    if (status == CM_OK)
        status = cm_array_place(run->system, array->name, &layout, &run->arrays[i], err);
    if (status == CM_OK)
        status = cm_run_place(run, i, &run->arrays[i]->allocation, err);
    return status == CM_OK ? CM_OK : cm_workload_place(array->shape, err);
}

/* Fills an array with its first values, and also the host's copy for the check. */
static enum cm_status fill_array(struct cm_run *run, uint32_t i, struct cm_error *err)
{
    bool copied = run->check && run->formulas == NULL;
    enum cm_status status = copied ? create_reference(run, i, err) : CM_OK;
    if (status == CM_OK)
        status = initialise_array(run, i, err);
    if (status != CM_OK)
        cm_workload_place(run->workload->arrays[i].init.json, err);
    return status;
}

/* Lays out the arrays without touching node memory. */
static enum cm_status create_arrays(struct cm_run *run, struct cm_error *err)
{
    uint32_t count = run->workload->array_count;
    enum cm_status status = CM_OK;
    run->arrays = cm_run_allocate(run, count, sizeof *run->arrays, err);
    run->reference = cm_run_allocate(run, count, sizeof *run->reference, err);
    if (run->arrays == NULL || run->reference == NULL || cm_run_create_scalars(run, err) != CM_OK)
        return CM_NO_MEMORY;
    for (uint32_t i = 0; status == CM_OK && i < count; i++)
        status = create_array(run, i, err);
    return status;
}

/* Fills the arrays one after the other, so that the host has only one copy of an array in addition
 * to node memory. */
static enum cm_status fill_arrays(struct cm_run *run, struct cm_error *err)
{
    size_t largest = 1;
    for (uint32_t i = 0; i < run->workload->array_count; i++) {
        enum cm_status status = fill_array(run, i, err);
        if (status != CM_OK)
            return status;
        const struct cm_layout *layout = &run->arrays[i]->layout;
        size_t bytes = layout->elements * cm_type_host_bytes(layout->type);
        largest = bytes > largest ? bytes : largest;
    }
    if (!run->check || run->formulas != NULL)
        return CM_OK;
    run->gathered = malloc(largest);
    return run->gathered == NULL ? cm_error_no_memory(err) : CM_OK;
}

/* Returns true if the words of each channel are needed: a repeat sums them up, and the router
 * counts them itself. */
static bool needs_channels(const struct cm_workload *workload)
{
    for (uint32_t i = 0; i < workload->step_count; i++)
        if (workload->steps[i].kind->holds_steps || workload->steps[i].kind->sent != NULL)
            return true;
    return false;
}

static enum cm_status create_counters(struct cm_run *run, const struct cm_run_options *options,
                                      struct cm_error *err)
{
    uint64_t words = 2 * cm_run_channel_count(run);
    const struct cm_machine *machine = cm_system_machine(run->system);
    const bool several = cm_machine_own_nodes(machine) < cm_machine_nodes(machine);
    const bool many = cm_machine_nodes(machine) > CM_CHANNELS_KEPT_NODES;
    const bool spare = many || options->sparing || several;
    run->channels_summed = (many || options->sparing) && !needs_channels(run->workload);
    run->own_channels = several && !needs_channels(run->workload);
    if (run->channels_summed)
        words = 0;
    run->words_before = cm_run_allocate(run, 2 * words + 1, sizeof *run->words_before, err);
    run->result.steps =
        cm_run_allocate(run, run->workload->leaf_count, sizeof *run->result.steps, err);
    if (run->words_before == NULL || run->result.steps == NULL)
        return CM_NO_MEMORY;
    run->words_after = run->words_before + words;
    return run->check && spare ? cm_run_create_formulas(run, err) : CM_OK;
}

static void describe_result(struct cm_run *run)
{
    struct cm_machine *machine = cm_system_machine(run->system);
    struct cm_result *result = &run->result;
    result->workload = run->workload->name;
    result->parameters = run->workload->parameters;
    result->parameter_count = run->workload->parameter_count;
    result->machine = run->config.name;
    result->nodes = cm_machine_nodes(machine);
    result->clock_hz = run->config.clock_hz;
    result->overlap = run->config.exchange_overlap != 0;
    result->timing_only = cm_machine_timing_only(machine);
    result->threads = cm_machine_threads(machine);
    result->executor = result->timing_only ? NULL : cm_executor_name(cm_machine_executor(machine));
    result->step_count = run->workload->leaf_count;
}

static enum cm_status prepare_step(struct cm_run *run, const struct cm_workload_step *step,
                                   bool repeated, struct cm_error *err)
{
    struct cm_run_step *plan = &run->steps[step->leaf];
    plan->step = step;
    plan->path = step->kind->path;
    plan->state = cm_run_allocate(run, 1, step->kind->state_bytes, err);
    if (plan->state == NULL || create_common(run, step->kind, err) != CM_OK)
        return CM_NO_MEMORY;
    enum cm_status status = step->kind->prepare(run, plan, err);
    if (status == CM_OK && repeated) {
        plan->channel_words =
            cm_run_allocate(run, 2 * cm_run_channel_count(run), sizeof(uint64_t), err);
        status = plan->channel_words == NULL ? CM_NO_MEMORY : CM_OK;
    }
    if (status != CM_OK)
        return cm_workload_place(step->json, err);
    struct cm_step_result *result = &run->result.steps[step->leaf];
    result->op = step->kind->name;
    result->where = step->where;
    result->path = plan->path;
    result->kind = step->kind;
    result->own = step->own;
    result->state = plan->state;
    return CM_OK;
}

/* Prepares the steps of a list and of the repeats in it. `repeated` is true if the list is in a
 * repeat. */
static enum cm_status prepare_list(struct cm_run *run, const struct cm_workload_step *steps,
                                   uint32_t count, bool repeated, struct cm_error *err);

/* Prepares the steps of a repeat for the layouts of the first iteration. Refuses a repeat whose
 * iteration changes a layout. */
static enum cm_status prepare_repeat(struct cm_run *run, const struct cm_workload_step *repeat,
                                     struct cm_error *err)
{
    uint32_t count = run->workload->array_count;
    struct cm_array *before = calloc(count + 1u, sizeof *before);
    if (before == NULL)
        return cm_error_no_memory(err);
    for (uint32_t i = 0; i < count; i++)
        before[i] = *run->arrays[i];
    enum cm_status status = prepare_list(run, repeat->steps, repeat->step_count, true, err);
    for (uint32_t i = 0; status == CM_OK && repeat->times > 1 && i < count; i++) {
        const struct cm_array *after = run->arrays[i];
        if (cm_layout_equal(&before[i].layout, &after->layout) &&
            cm_allocation_equal(&before[i].allocation, &after->allocation))
            continue;
        cm_error_set(err, CM_BAD_INPUT,
                     "the layout of \"%s\" changes in these steps, so they cannot repeat",
                     after->name);
        cm_error_hint(err, "reshape it back to its shape, encoding and processor dimensions at the "
                           "end of the steps");
        status = cm_workload_place(repeat->json, err);
    }
    free(before);
    return status;
}

static enum cm_status prepare_list(struct cm_run *run, const struct cm_workload_step *steps,
                                   uint32_t count, bool repeated, struct cm_error *err)
{
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; status == CM_OK && i < count; i++)
        status = steps[i].kind->holds_steps ? prepare_repeat(run, &steps[i], err)
                                            : prepare_step(run, &steps[i], repeated, err);
    return status;
}

/* Returns the number of executions of all steps, or UINT64_MAX if the number is larger. */
static uint64_t count_executions(const struct cm_workload_step *steps, uint32_t count)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t inner =
            steps[i].kind->holds_steps ? count_executions(steps[i].steps, steps[i].step_count) : 1;
        if (inner > (UINT64_MAX - total) / steps[i].times)
            return UINT64_MAX;
        total += inner * steps[i].times;
    }
    return total;
}

/* Restores the layouts that the arrays have before the first step. */
static enum cm_status rewind_arrays(struct cm_run *run, struct cm_error *err)
{
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; status == CM_OK && i < run->workload->array_count; i++) {
        struct cm_array *array = run->arrays[i];
        status = cm_layout_create(&run->workload->arrays[i].request, array->layout.nodes,
                                  &array->layout, err);
        if (status == CM_OK)
            status = cm_run_place(run, i, &array->allocation, err);
    }
    return status;
}

static enum cm_status prepare_steps(struct cm_run *run, struct cm_error *err)
{
    const struct cm_workload *workload = run->workload;
    run->steps = cm_run_allocate(run, workload->leaf_count, sizeof *run->steps, err);
    if (run->steps == NULL)
        return CM_NO_MEMORY;
    run->step_count = workload->leaf_count;
    run->total = count_executions(workload->steps, workload->step_count);
    enum cm_status status = prepare_list(run, workload->steps, workload->step_count, false, err);
    return status == CM_OK ? rewind_arrays(run, err) : status;
}

static enum cm_status prepare(struct cm_run *run, const struct cm_run_options *options,
                              struct cm_error *err)
{
    enum cm_status status = cm_run_compare_workloads(run, err);
    if (status == CM_OK)
        status = cm_run_check_names(run, options, err);
    if (status == CM_OK)
        status = read_machine(run, options, err);
    if (status == CM_OK)
        status = cm_run_collect_saves(run, options, err);
    if (status == CM_OK)
        status = create_system(run, options, err);
    if (status == CM_OK)
        status = create_arrays(run, err);
    if (status == CM_OK)
        status = create_counters(run, options, err);
    if (status == CM_OK)
        describe_result(run);
    if (status == CM_OK)
        status = prepare_steps(run, err);
    if (status == CM_OK)
        status = cm_run_check_outputs(run, options, err);
    if (status == CM_OK)
        status = cm_run_find_provenance(run, err);
    /* This comes last, because it can take long and much memory. */
    if (status == CM_OK)
        status = fill_arrays(run, err);
    return status;
}

/* Adds `more` to the number of runs of a workload, which must outlive its runs. Several threads may
 * make runs of one workload. */
static void count_run(const struct cm_workload *workload, int more)
{
    (void)atomic_fetch_add(&((struct cm_workload *)workload)->runs, more);
}

enum cm_status cm_run_create(const struct cm_workload *workload,
                             const struct cm_run_options *options, struct cm_run **run,
                             struct cm_error *err)
{
    struct cm_error local; /* error to which lower layers can add a place, even if `err` is NULL */
    memset(&local, 0, sizeof local);
    *run = NULL;
    struct cm_run *made = calloc(1, sizeof *made);
    if (made == NULL)
        return cm_error_no_memory(err);
    made->workload = workload;
    count_run(workload, 1);
    made->options.progress = options->progress;
    made->options.progress_context = options->progress_context;
    made->options.print = options->print;
    made->options.print_error = options->print_error;
    made->options.input = options->input;
    made->options.files_anywhere = options->files_anywhere;
    made->options.no_files = options->no_files;
    made->options.print_context = options->print_context;
    made->options.keep_output = options->keep_output;
    made->options.max_output = options->max_output;
    made->check = workload->check && !options->no_check && !options->timing_only;
    atomic_init(&made->interrupted, false);
    enum cm_status status = prepare(made, options, &local);
    if (status != CM_OK) {
        if (err != NULL)
            *err = local;
        cm_run_destroy(made);
        return status;
    }
    *run = made;
    return CM_OK;
}

static void finish_steps(struct cm_run *run)
{
    for (uint32_t i = 0; i < run->step_count; i++) {
        const struct cm_workload_step *step = run->steps[i].step;
        if (step != NULL && run->steps[i].state != NULL && step->kind->finish != NULL)
            step->kind->finish(run, &run->steps[i]);
    }
    for (const struct cm_run_common *common = run->commons; common != NULL; common = common->next)
        if (common->kind->finish_common != NULL)
            common->kind->finish_common(run, common->state);
}

void cm_run_destroy(struct cm_run *run)
{
    if (run == NULL)
        return;
    finish_steps(run);
    for (uint32_t i = 0; run->arrays != NULL && i < run->workload->array_count; i++)
        cm_array_destroy(run->system, run->arrays[i]);
    for (uint32_t i = 0; run->reference != NULL && i < run->workload->array_count; i++)
        free(run->reference[i].elements);
    for (uint32_t i = 0; run->maps != NULL && i < run->workload->array_count; i++)
        cm_npy_unmap(&run->maps[i]);
    count_run(run->workload, -1);
    free(run->gathered);
    cm_system_destroy(run->system);
    cm_blocks_free(run->blocks);
    free(run);
}

uint64_t cm_run_channel_count(const struct cm_run *run)
{
    struct cm_machine *machine = cm_system_machine(run->system);
    return (uint64_t)cm_machine_nodes(machine) * cm_machine_dimensions(machine) * 2;
}

enum cm_status cm_run_read_words(const struct cm_run *run, uint64_t *words, struct cm_error *err)
{
    struct cm_machine *machine = cm_system_machine(run->system);
    uint64_t count = cm_run_channel_count(run);
    const uint64_t *routed = cm_system_routed_words(run->system);
    enum cm_status status = run->own_channels ? cm_machine_own_channel_words(machine, words, err)
                                              : cm_machine_channel_words(machine, words, err);
    if (routed != NULL)
        memcpy(words + count, routed, count * sizeof *words);
    return status;
}

struct cm_system *cm_run_system(struct cm_run *run)
{
    return run->system;
}

struct cm_array *cm_run_array(struct cm_run *run, const char *name)
{
    uint32_t i = cm_workload_find_array(run->workload, name);
    return i == CM_NO_ARRAY ? NULL : run->arrays[i];
}

uint32_t cm_run_array_count(const struct cm_run *run)
{
    return run->workload->array_count;
}

struct cm_array *cm_run_array_at(struct cm_run *run, uint32_t i)
{
    return run->arrays[i];
}

uint32_t cm_run_step_count(const struct cm_run *run)
{
    return run->step_count;
}

const struct cm_imp *cm_run_step_imp(const struct cm_run *run, uint32_t step, uint32_t i,
                                     const char **op, const char **where)
{
    const struct cm_run_step *at = &run->steps[step];
    *op = at->step->kind->name;
    *where = at->step->where;
    return at->step->kind->imp != NULL ? at->step->kind->imp(at, i) : NULL;
}

void cm_run_interrupt(struct cm_run *run)
{
    atomic_store(&run->interrupted, true);
    cm_machine_interrupt(cm_system_machine(run->system));
    cm_processes_interrupt();
}

const struct cm_result *cm_run_result(const struct cm_run *run)
{
    return &run->result;
}
