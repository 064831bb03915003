/* Runs: the machine, arrays and their first values, options and saves. Steps are in run_steps.c and
 * run_execute.c. */
#include "../base/file.h"
#include "../base/npy.h"
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
    cm_error_hint(err, "a power of two from 1 to %" PRIu64, most);
    return options->nodes != 0 || err == NULL ? CM_BAD_INPUT
                                              : cm_workload_place(run->workload->nodes_json, err);
}

static enum cm_status create_system(struct cm_run *run, const struct cm_run_options *options,
                                    struct cm_error *err)
{
    struct cm_machine_options machine = {
        .threads = options->threads,
        .timing_only = options->timing_only,
    };
    enum cm_status status = choose_nodes(run, options, &machine.nodes, err);
    if (status == CM_OK)
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
    if (array->init.kind == CM_INIT_ZERO)
        return CM_OK; /* arrays are made of zeros */
    if (cm_machine_timing_only(cm_system_machine(run->system)))
        return cm_init_fill(&array->init, layout, file, NULL, err);
    void *elements = run->check ? run->reference[i].elements
                                : malloc(layout->elements * cm_type_host_bytes(layout->type));
    if (elements == NULL)
        return cm_error_set(err, CM_NO_MEMORY, "out of memory for the values of \"%s\"",
                            array->name);
    enum cm_status status = cm_init_fill(&array->init, layout, file, elements, err);
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
        status = cm_array_create(run->system, array->name, &layout, &run->arrays[i], err);
    if (status == CM_OK)
        status = cm_run_allocate(run, i, &run->arrays[i]->allocation, err);
    if (status != CM_OK) {
        cm_workload_place(array->shape, err);
        return status;
    }
    if (run->check)
        status = create_reference(run, i, err);
    if (status == CM_OK)
        status = initialise_array(run, i, err);
    if (status != CM_OK)
        cm_workload_place(array->init.json, err);
    return status;
}

/* One array after the other, so that the host holds the values of one at a time beside node memory.
 */
static enum cm_status create_arrays(struct cm_run *run, struct cm_error *err)
{
    uint32_t count = run->workload->array_count;
    size_t largest = 1;
    enum cm_status status = CM_OK;
    run->arrays = calloc(count + 1u, sizeof(struct cm_array *));
    run->reference = calloc(count + 1u, sizeof *run->reference);
    if (run->arrays == NULL || run->reference == NULL)
        return out_of_memory(err);
    for (uint32_t i = 0; status == CM_OK && i < count; i++) {
        status = create_array(run, i, err);
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

/* "ARRAY=FILE", as --save takes it. */
static enum cm_status read_save_option(const struct cm_run *run, const char *text,
                                       struct cm_run_save *save, struct cm_error *err)
{
    const char *equals = strchr(text, '=');
    char name[sizeof((struct cm_array *)0)->name];
    if (equals == NULL || equals == text || equals[1] == '\0')
        return cm_error_set(err, CM_USAGE, "--save %.200s: expected ARRAY=FILE.npy", text);
    size_t length = (size_t)(equals - text);
    save->array = CM_NO_ARRAY;
    if (length < sizeof name) {
        memcpy(name, text, length);
        name[length] = '\0';
        save->array = cm_workload_find_array(run->workload, name);
    }
    if (save->array == CM_NO_ARRAY) {
        cm_error_set(err, CM_BAD_INPUT, "--save %.200s: the workload has no array \"%.*s\"", text,
                     length < 64 ? (int)length : 64, text);
        const char *near =
            length < sizeof name ? cm_workload_suggest_array(run->workload, name) : NULL;
        if (near != NULL)
            cm_error_hint(err, "did you mean \"%s\"?", near);
        return CM_BAD_INPUT;
    }
    save->path = strdup(equals + 1);
    return save->path == NULL ? out_of_memory(err) : CM_OK;
}

static enum cm_status collect_saves(struct cm_run *run, const struct cm_run_options *options,
                                    struct cm_error *err)
{
    const struct cm_workload *workload = run->workload;
    if (options->timing_only && options->save_count > 0) {
        cm_error_set(err, CM_USAGE, "--save needs data, but a timing-only run moves none");
        return cm_error_hint(err, "leave --timing-only or --save out");
    }
    if (options->timing_only) /* the workload's own saves hold for runs with data */
        return CM_OK;
    run->saves = calloc((size_t)workload->save_count + options->save_count + 1, sizeof *run->saves);
    if (run->saves == NULL)
        return out_of_memory(err);
    for (uint32_t i = 0; i < workload->save_count; i++) {
        struct cm_run_save *save = &run->saves[run->save_count++];
        save->array = workload->saves[i].array;
        save->path = cm_path_beside(cm_json_name(workload->document), workload->saves[i].path);
        if (save->path == NULL)
            return out_of_memory(err);
    }
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; status == CM_OK && i < options->save_count; i++) {
        run->save_count++;
        status = read_save_option(run, options->saves[i], &run->saves[run->save_count - 1], err);
    }
    return status;
}

static enum cm_status create_counters(struct cm_run *run, struct cm_error *err)
{
    uint64_t channels = cm_run_channel_count(run);
    run->words_before = calloc(channels + 1, sizeof *run->words_before);
    run->words_after = calloc(channels + 1, sizeof *run->words_after);
    run->result.steps = calloc(run->workload->leaf_count + 1u, sizeof *run->result.steps);
    if (run->words_before == NULL || run->words_after == NULL || run->result.steps == NULL)
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
        status = collect_saves(run, options, err);
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

static enum cm_status save_array(struct cm_run *run, const struct cm_run_save *save,
                                 struct cm_error *err)
{
    const struct cm_array *array = run->arrays[save->array];
    const struct cm_layout *layout = &array->layout;
    struct cm_npy npy = {
        .type = (enum cm_npy_type)cm_init_npy_type(layout->type),
        .fortran_order = true,
        .rank = layout->rank,
        .count = layout->elements,
    };
    for (uint32_t a = 0; a < layout->rank; a++)
        npy.shape[a] = layout->axes[a].length;
    npy.data = malloc(layout->elements * cm_type_host_bytes(layout->type));
    if (npy.data == NULL)
        return cm_error_set(err, CM_NO_MEMORY, "out of memory for saving \"%s\"", array->name);
    enum cm_status status = cm_array_gather(run->system, array, npy.data, err);
    if (status == CM_OK)
        status = cm_npy_write(save->path, &npy, err);
    cm_npy_finish(&npy);
    return status;
}

enum cm_status cm_run_save(struct cm_run *run, struct cm_error *err)
{
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; status == CM_OK && i < run->save_count; i++)
        status = save_array(run, &run->saves[i], err);
    return status;
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
