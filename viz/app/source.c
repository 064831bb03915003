/* Opens trace files, and makes traces by running workloads. */
#include "source.h"

#include "program.h"

#include "../../programs/workload/result.h"
#include "../../trace/record.h"

#include "../../base/file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns true if a file is a workload: by its name, or because it begins with a brace, which a
 * trace never does. */
static bool is_workload(const char *path)
{
    struct stat about;
    char byte = ' ';
    ssize_t count = 1;
    size_t length = strlen(path);
    if (cm_view_is_program(path))
        return true;
    if (strcmp(path, "-") == 0 || (length > 5 && strcmp(path + length - 5, ".json") == 0))
        return true;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return false;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    while ((count == 1 && isspace((unsigned char)byte)) || (count < 0 && errno == EINTR))
        count = read(file, &byte, 1);
    close(file);
    return count == 1 && byte == '{';
}

/* Opens the recorded trace from the file of --trace, or from a copy of the recorder's memory. The
 * copy outlives the recorder. */
static enum cm_status open_recording(const struct cm_view_options *options, const char *name,
                                     struct cm_recorder *recorder, struct cm_view_source *source,
                                     struct cm_error *err)
{
    const void *bytes = NULL;
    enum cm_status status = cm_recorder_finish(recorder, true, err);
    if (status != CM_OK)
        return status;
    if (options->trace != NULL)
        return cm_trace_open(options->trace, &source->trace, err);
    size_t length = (size_t)cm_recorder_size(recorder, &bytes);
    source->bytes = malloc(length + 1);
    if (source->bytes == NULL)
        return cm_error_no_memory(err);
    if (length > 0)
        memcpy(source->bytes, bytes, length);
    return cm_trace_open_memory(source->bytes, length, name, &source->trace, err);
}

/* Keeps the trace of an interrupted or failed run under its temporary name, for --trace. */
static void keep_part(struct cm_recorder *recorder)
{
    struct cm_error err;
    memset(&err, 0, sizeof err);
    shell_interrupt_hold(true);
    if (cm_recorder_finish(recorder, false, &err) != CM_OK)
        shell_error(&err);
    else if (cm_recorder_part(recorder) != NULL)
        fprintf(stderr, "%s: what was recorded until then is in %s\n", shell_program_name,
                shell_shown(cm_recorder_part(recorder)).text);
    shell_interrupt_hold(false);
}

static void stop_run(void *run)
{
    cm_run_interrupt(run);
}

/* Runs and records a workload. Wrong results do not prevent the run from being shown. Only the exit
 * code reports them. */
static enum cm_status execute(const struct cm_view_options *options, struct cm_run *run,
                              struct cm_view_source *source, struct cm_error *err)
{
    struct cm_machine *machine = cm_system_machine(cm_run_system(run));
    const char *name = cm_run_result(run)->workload;
    struct cm_recorder_options recording = {.path = options->trace,
                                            .workload = name,
                                            .detail_first = options->detail_first,
                                            .detail_end = options->detail_end};
    struct cm_recorder *recorder = NULL;
    struct cm_buffer made_of;
    cm_buffer_init(&made_of);
    cm_result_made_of(cm_run_result(run), &made_of);
    recording.made_of = made_of.data;
    enum cm_status status = cm_buffer_ok(&made_of)
                                ? cm_recorder_create(machine, &recording, &recorder, err)
                                : cm_error_no_memory(err);
    cm_buffer_finish(&made_of);
    if (status != CM_OK)
        return status;
    cm_run_observe(run, cm_recorder_observer(recorder));
    shell_interrupt_watch(run, stop_run);
    status = cm_run_execute(run, err);
    shell_interrupt_watch(NULL, NULL);
    cm_run_observe(run, NULL);
    if (status == CM_CHECK_FAILED) {
        shell_error(err);
        source->checked = status;
        status = CM_OK;
    }
    if (options->debug && options->trace == NULL && status != CM_OK && status != CM_NO_MEMORY &&
        status != CM_INTERRUPTED) { /* the user steps through the program because it fails */
        shell_error(err);
        source->checked = status;
        status = CM_OK;
    }
    if (status == CM_OK)
        status = open_recording(options, name, recorder, source, err);
    else
        keep_part(recorder);
    if (status == CM_INTERRUPTED)
        cm_error_set(err, CM_INTERRUPTED, "interrupted");
    cm_recorder_destroy(recorder);
    return status;
}

enum cm_status cm_view_source_run(const struct cm_view_options *options,
                                  struct cm_workload *workload,
                                  const struct cm_run_options *settings,
                                  struct cm_view_source *source, struct cm_error *err)
{
    struct cm_run *run = NULL;
    enum cm_status status = cm_run_create(workload, settings, &run, err);
    if (status == CM_OK)
        status = execute(options, run, source, err);
    cm_run_destroy(run);
    return status;
}

static enum cm_status run_workload(const struct cm_view_options *options, const char *path,
                                   struct cm_view_source *source, struct cm_error *err)
{
    struct cm_workload *workload = NULL;
    struct shell_progress progress;
    shell_progress_begin(&progress, false);
    struct cm_run_options settings = cm_view_run_settings(options);
    struct cm_config config;
    settings.progress = shell_progress_step;
    settings.progress_context = &progress;
    enum cm_status status =
        cm_view_read_workload(options, path, &settings, &config, &workload, err);
    if (status == CM_OK)
        status = cm_view_source_run(options, workload, &settings, source, err);
    shell_progress_end(&progress);
    cm_workload_destroy(workload);
    return status;
}

static enum cm_status open_source(const struct cm_view_options *options, const char *path,
                                  struct cm_view_source *source, struct cm_error *err)
{
    if (is_workload(path))
        return run_workload(options, path, source, err);
    enum cm_status status = cm_trace_open(path, &source->trace, err);
    if (status != CM_OK)
        return status;
    const struct cm_trace_info *info = cm_trace_information(source->trace);
    if (!info->complete && info->notice != NULL)
        fprintf(stderr, "%s: %s\n", shell_shown(path).text, info->notice);
    return CM_OK;
}

/* Fails if options about a run are given, but only traces are opened. */
static int refuse_idle_options(const struct cm_view_options *options, uint32_t workloads)
{
    bool any = options->machine != NULL || options->sets.count > 0 || options->nodes != 0 ||
               options->threads != 0 || options->params.count > 0 || options->level > 0 ||
               options->trace != NULL || options->trace_window != NULL;
    if (workloads == 0 && any)
        return shell_usage(
            NULL,
            "--machine, --set, --nodes, --threads, --param, --optimize, --trace and --trace-window "
            "are for workloads, not for traces");
    if (workloads == 0 && options->debug)
        return shell_usage(NULL, "--debug steps through a program, not through a trace");
    if (options->debug && strcmp(options->common.operands.items[0], "-") == 0)
        return shell_usage(NULL, "--debug - : the program is read twice; name its file");
    if (options->trace != NULL && strcmp(options->trace, "-") == 0)
        return shell_usage(NULL, "--trace - : traces are not written to standard output");
    if (workloads == 2 && options->trace != NULL)
        return shell_usage(NULL, "--trace names one file, but two workloads run");
    return 0;
}

int cm_view_sources_open(const struct cm_view_options *options,
                         struct cm_view_source sources[CM_VIEW_RUNS_MAX],
                         struct cm_view_model **model)
{
    const char *paths[CM_VIEW_RUNS_MAX] = {options->common.operands.items[0], options->compare};
    struct cm_error err;
    enum cm_status status = CM_OK;
    uint32_t workloads = 0;
    for (uint32_t i = 0; i < CM_VIEW_RUNS_MAX; i++)
        workloads += paths[i] != NULL && is_workload(paths[i]);
    int code = refuse_idle_options(options, workloads);
    if (code != 0)
        return code;
    memset(&err, 0, sizeof err);
    for (uint32_t i = 0; i < CM_VIEW_RUNS_MAX && status == CM_OK; i++)
        if (paths[i] != NULL)
            status = open_source(options, paths[i], &sources[i], &err);
    if (status == CM_OK) {
        status = cm_view_model_create(sources[0].trace, sources[1].trace, model, &err);
        for (uint32_t i = 0; status == CM_OK && i < (*model)->run_count; i++)
            (*model)->runs[i].file = paths[i];
    } else {
        cm_trace_close(sources[0].trace);
        cm_trace_close(sources[1].trace);
    }
    return status == CM_OK ? 0 : shell_error(&err);
}

void cm_view_sources_close(struct cm_view_source sources[CM_VIEW_RUNS_MAX])
{
    for (uint32_t i = 0; i < CM_VIEW_RUNS_MAX; i++)
        free(sources[i].bytes);
}

int cm_view_sources_check(const struct cm_view_source sources[CM_VIEW_RUNS_MAX])
{
    enum cm_status first = sources[0].checked, second = sources[1].checked;
    return cm_status_exit_code(first != CM_OK ? first : second);
}
