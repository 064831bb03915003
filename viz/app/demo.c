/* Runs and records the workloads of tour_runs.def, one after the other, for the guided tour. */
#include "demo.h"

#include "../../base/json.h"

#include <stdio.h>
#include <string.h>

struct tour_run {
    const char *names[CM_VIEW_RUNS_MAX];
    uint32_t nodes;
};

static const struct tour_run tour_runs[CM_TOUR_RUN_COUNT] = {
#define CM_TOUR_RUN(symbol, first, second, nodes) {{first, second}, nodes},
#include "../model/tour_runs.def"
#undef CM_TOUR_RUN
};

static const struct cm_demo_file *file_of(const char *name)
{
    const struct cm_demo_file *file = cm_demo_files;
    while (file->name != NULL && strcmp(file->name, name) != 0)
        file++;
    return file;
}

static enum cm_status read_machine(struct cm_config *config, struct cm_error *err)
{
    const struct cm_demo_file *file = file_of("cm200");
    struct cm_json_document *document = NULL;
    enum cm_status status = cm_json_parse("cm200.json", file->bytes, file->length, &document, err);
    if (status == CM_OK)
        status = cm_config_parse(cm_json_root(document), config, err);
    cm_json_destroy(document);
    return status;
}

/* Runs one workload of the tour, records it, and opens its trace. */
static enum cm_status record(const struct cm_view_options *options, const char *name,
                             const struct cm_run_options *settings, struct cm_view_source *source,
                             struct cm_error *err)
{
    const struct cm_demo_file *file = file_of(name);
    struct cm_workload *workload = NULL;
    enum cm_status status = cm_workload_parse(name, file->bytes, file->length, &workload, err);
    if (status == CM_OK)
        status = cm_view_source_run(options, workload, settings, source, err);
    cm_workload_destroy(workload);
    return status;
}

static enum cm_status open_run(const struct cm_view_options *options,
                               const struct cm_config *config, uint32_t number,
                               struct cm_demo *demo, struct cm_error *err)
{
    const struct tour_run *run = &tour_runs[number];
    struct cm_view_source *sources = demo->sources[number];
    struct cm_run_options settings = {
        .nodes = run->nodes, .threads = (uint32_t)options->threads, .config = config};
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; i < CM_VIEW_RUNS_MAX && status == CM_OK; i++)
        if (run->names[i][0] != '\0')
            status = record(options, run->names[i], &settings, &sources[i], err);
    if (status != CM_OK) {
        cm_trace_close(sources[0].trace);
        cm_trace_close(sources[1].trace);
        return status;
    }
    status = cm_view_model_create(sources[0].trace, sources[1].trace, &demo->models[number], err);
    for (uint32_t i = 0; status == CM_OK && i < demo->models[number]->run_count; i++)
        demo->models[number]->runs[i].file = run->names[i];
    demo->shown[number] = demo->models[number];
    return status;
}

enum cm_status cm_demo_open(const struct cm_view_options *options, struct cm_demo *demo,
                            struct cm_error *err)
{
    struct cm_config config;
    enum cm_status status = read_machine(&config, err);
    for (uint32_t i = 0; i < CM_TOUR_RUN_COUNT && status == CM_OK; i++)
        status = open_run(options, &config, i, demo, err);
    return status;
}

void cm_demo_close(struct cm_demo *demo)
{
    for (uint32_t i = 0; i < CM_TOUR_RUN_COUNT; i++) {
        cm_view_model_free(demo->models[i]);
        cm_view_sources_close(demo->sources[i]);
    }
}
