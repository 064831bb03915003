/* Runs: the machine, arrays and their first values, options. Saves are in run_save.c, steps in
 * run_steps.c and run_execute.c. */
#include "../../base/file.h"
#include "../system/system_private.h"
#include "run_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static enum cm_status out_of_memory(struct cm_error *err)
{
    return cm_error_set(err, CM_NO_MEMORY, "out of memory");
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
        char *path = cm_path_beside(cm_json_name(workload->document), workload->machine);
        if (path == NULL)
            return out_of_memory(err);
        status = cm_config_read(path, &run->config, err);
        if (status == CM_IO)
            cm_workload_named_at(workload->machine_json, err);
        free(path);
    } else {
        cm_json_error(cm_json_root(workload->document), err, "the workload names no machine");
        return cm_error_hint(err, "add \"machine\": \"FILE\", or give --machine FILE");
    }
    for (uint32_t i = 0; status == CM_OK && i < options->set_count; i++)
        status = cm_config_set(&run->config, options->sets[i], err);
    return status;
}

/* The option's nodes, else the workload's, else the whole machine's. */
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
    while (power && dimensions<CM_ROUTER_DIMENSIONS_MAX && * nodes> UINT64_C(1) << dimensions)
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

/* Words of each node's memory that the arrays will take, about: serial axes and padding take
 * more. */
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
    enum cm_status status = choose_nodes(run, options, &machine.nodes, err);
    if (status != CM_OK)
        return status;
    machine.working_words = words_in_use(run->workload, machine.nodes);
    status = cm_system_create(&run->config, &machine, &run->system, err);
    return status;
}

/* The host's copy of an array that the check evaluates on. */
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
    const char *file = cm_json_name(run->workload->document);
    enum cm_status status = cm_array_clear(run->system, run->arrays[i], err);
    if (status != CM_OK || array->init.kind == CM_INIT_ZERO)
        return status;
    if (cm_machine_timing_only(cm_system_machine(run->system)))
        return cm_init_fill(&array->init, layout, file, NULL, err);
    void *elements = run->check ? run->reference[i].elements
                                : malloc(layout->elements * cm_type_host_bytes(layout->type));
    if (elements == NULL)
        return cm_error_set(err, CM_NO_MEMORY, "out of memory for the values of \"%s\"",
                            array->name);
    status = cm_init_fill(&array->init, layout, file, elements, err);
    if (status == CM_OK)
        status = cm_array_scatter(run->system, run->arrays[i], elements, err);
    if (!run->check)
        free(elements);
    return status;
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
        status = cm_run_allocate(run, i, &run->arrays[i]->allocation, err);
    if (status != CM_OK) {
        cm_workload_place(array->shape, err);
        return status;
    }
    return CM_OK;
}

/* Gives an array its first values, and the check its own copy of them. */
static enum cm_status fill_array(struct cm_run *run, uint32_t i, struct cm_error *err)
{
    enum cm_status status = run->check ? create_reference(run, i, err) : CM_OK;
    if (status == CM_OK)
        status = initialise_array(run, i, err);
    if (status != CM_OK)
        cm_workload_place(run->workload->arrays[i].init.json, err);
    return status;
}

/* Lays the arrays; node memory is not touched yet. */
static enum cm_status create_arrays(struct cm_run *run, struct cm_error *err)
{
    uint32_t count = run->workload->array_count;
    enum cm_status status = CM_OK;
    run->arrays = calloc(count + 1u, sizeof(struct cm_array *));
    run->reference = calloc(count + 1u, sizeof *run->reference);
    if (run->arrays == NULL || run->reference == NULL)
        return out_of_memory(err);
    for (uint32_t i = 0; status == CM_OK && i < count; i++)
        status = create_array(run, i, err);
    return status;
}

/* One array after the other, so that the host holds the values of one at a time beside node
 * memory. */
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
    if (!run->check)
        return CM_OK;
    run->gathered = malloc(largest);
    return run->gathered == NULL ? out_of_memory(err) : CM_OK;
}

static enum cm_status create_counters(struct cm_run *run, struct cm_error *err)
{
    uint64_t channels = cm_run_channel_count(run);
    run->words_before = calloc(2 * channels + 1, sizeof *run->words_before);
    run->words_after = calloc(2 * channels + 1, sizeof *run->words_after);
    run->words_at_start = calloc(2 * channels + 1, sizeof *run->words_at_start);
    run->result.steps = calloc(run->workload->leaf_count + 1u, sizeof *run->result.steps);
    if (run->words_before == NULL || run->words_after == NULL || run->words_at_start == NULL ||
        run->result.steps == NULL)
        return out_of_memory(err);
    return CM_OK;
}

static void describe_result(struct cm_run *run)
{
    struct cm_machine *machine = cm_system_machine(run->system);
    struct cm_result *result = &run->result;
    result->workload = run->workload->name;
    result->machine = run->config.name;
    result->nodes = cm_machine_nodes(machine);
    result->clock_hz = run->config.clock_hz;
    result->timing_only = cm_machine_timing_only(machine);
    result->threads = cm_machine_threads(machine);
    result->step_count = run->workload->leaf_count;
}

static enum cm_status prepare(struct cm_run *run, const struct cm_run_options *options,
                              struct cm_error *err)
{
    enum cm_status status = read_machine(run, options, err);
    if (status == CM_OK)
        status = cm_run_collect_saves(run, options, err);
    if (status == CM_OK)
        status = create_system(run, options, err);
    if (status == CM_OK)
        status = create_arrays(run, err);
    if (status == CM_OK)
        status = create_counters(run, err);
    if (status == CM_OK)
        describe_result(run);
    if (status == CM_OK)
        status = cm_run_prepare_steps(run, err);
    if (status == CM_OK)
        status = cm_run_check_outputs(run, options, err);
    /* Last, as it may take long and much memory: what can be refused is refused by now. */
    if (status == CM_OK)
        status = fill_arrays(run, err);
    return status;
}

enum cm_status cm_run_create(const struct cm_workload *workload,
                             const struct cm_run_options *options, struct cm_run **run,
                             struct cm_error *err)
{
    struct cm_error local; /* so that the layers below always have one to give a place to */
    memset(&local, 0, sizeof local);
    *run = NULL;
    struct cm_run *made = calloc(1, sizeof *made);
    if (made == NULL)
        return out_of_memory(err);
    made->workload = workload;
    made->options.progress = options->progress;
    made->options.progress_context = options->progress_context;
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

void cm_run_destroy(struct cm_run *run)
{
    if (run == NULL)
        return;
    cm_run_finish_steps(run);
    for (uint32_t i = 0; run->arrays != NULL && i < run->workload->array_count; i++)
        cm_array_destroy(run->system, run->arrays[i]);
    for (uint32_t i = 0; run->reference != NULL && i < run->workload->array_count; i++)
        free(run->reference[i].elements);
    for (uint32_t i = 0; i < run->save_count; i++)
        free(run->saves[i].path);
    free(run->saves);
    free(run->reference);
    free(run->gathered);
    free(run->words_before);
    free(run->words_after);
    free(run->words_at_start);
    for (uint32_t i = 0; run->result.steps != NULL && i < run->workload->leaf_count; i++)
        free(run->result.steps[i].reshape);
    free(run->result.steps);
    free(run->arrays);
    cm_system_destroy(run->system);
    free(run);
}

uint64_t cm_run_channel_count(const struct cm_run *run)
{
    struct cm_machine *machine = cm_system_machine(run->system);
    return (uint64_t)cm_machine_nodes(machine) * cm_machine_dimensions(machine) * 2;
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

uint32_t cm_run_setup_count(const struct cm_run *run)
{
    return run->setup_count;
}

int cm_run_setup_at(const struct cm_run *run, uint32_t i, const char **title)
{
    *title = run->setups[i].title.data;
    return run->setups[i].id;
}

const struct cm_pshift_pattern *cm_run_setup_patterns(const struct cm_run *run, uint32_t i,
                                                      uint32_t *count)
{
    *count = run->setups[i].count;
    return run->setups[i].patterns;
}

void cm_run_interrupt(struct cm_run *run)
{
    atomic_store(&run->interrupted, true);
    cm_machine_interrupt(cm_system_machine(run->system));
}

const struct cm_result *cm_run_result(const struct cm_run *run)
{
    return &run->result;
}
