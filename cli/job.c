/*
 * A run on the command line: prepares a workload, runs it with progress, Ctrl-C, a trace and
 * several processes, and prints and writes its result. `cm200 run` and all commands that make a
 * workload of one step use it.
 */
#include "job.h"

#include "../programs/workload/intervals.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INSTALLED_MACHINES "cm200-machines.json"

static int fail(const struct cli_job *job, const struct cm_error *err)
{
    return job->error != NULL ? job->error(job->error_context, err) : shell_error(err);
}

/* Writes the result to the file of the option --result, or to FILE.partial if the run was
 * interrupted. */
static int write_result(const struct cli_job *job, const struct cm_result *result)
{
    struct cm_buffer text;
    struct cm_error err = {0};
    const char *path = job->run->output;
    const struct cli_partial partial = {path, "the result of what was done is", NULL};
    cm_buffer_init(&text);
    enum cm_status status = cm_result_json(result, &text, &err);
    return result->partial ? cli_deliver_partial(&partial, &text, status, &err)
                           : shell_deliver(path, &text, status, &err);
}

static int print_result(const struct cli_job *job, const struct cm_result *result)
{
    struct cm_buffer text;
    struct cm_error err = {0};
    enum cm_status status = CM_OK;
    int code = job->run->output != NULL ? write_result(job, result) : 0;
    cm_buffer_init(&text);
    if (job->run->json && job->run->output == NULL)
        status = cm_result_json(result, &text, &err);
    else if (!job->run->json && !job->run->quiet && job->text != NULL)
        job->text(job->context, result, &text);
    else if (!job->run->json && !job->run->quiet)
        cm_result_summary(result, cli_summary_style(), &text);
    return shell_first_of(code, shell_deliver(NULL, &text, status, &err));
}

static void stop_run(void *run)
{
    cm_run_interrupt(run);
}

bool cli_watch_run(struct cm_run *run)
{
    return shell_interrupt_watch(run, stop_run);
}

/* Lets Ctrl-C interrupt one run of several. If Ctrl-C came during the last step, the run is still
 * complete, but the command stops. */
bool cli_watch_among(void *context, struct cm_run *run)
{
    (void)context;
    bool watched = cli_watch_run(run);
    return run != NULL || watched;
}

/* Computes the intervals of cycles for --intervals. *intervals is NULL if the option is not given.
 * Returns an exit code. */
static int make_intervals(const struct cli_job *job, const struct cm_run_options *options,
                          struct cm_intervals **intervals)
{
    char buffer[1024];
    struct cm_error err = {0};
    struct cm_intervals_options how = {
        .path = job->run->intervals, .run = *options, .watch = cli_watch_among};
    *intervals = NULL;
    if (how.path == NULL)
        return 0;
    if (how.path[0] == '\0')
        how.path = cli_config_path(INSTALLED_MACHINES, buffer, sizeof buffer);
    if (how.path == NULL)
        return shell_usage("run",
                           INSTALLED_MACHINES " is neither in ./configs nor next to the "
                                              "program; name a file of machines: --intervals=FILE");
    enum cm_status status = cm_intervals_run(job->workload, &how, intervals, &err);
    if (status == CM_INTERRUPTED)
        cm_error_set(&err, CM_INTERRUPTED, "interrupted");
    return status == CM_OK ? 0 : fail(job, &err);
}

/* Shows a result after adding the command line, the commit and the intervals, which the library
 * does not know. */
static int with_host(const struct cli_job *job, const struct cm_result *result,
                     const struct cm_intervals *intervals,
                     int (*show)(const struct cli_job *job, const struct cm_result *result))
{
    struct cm_result shown = *result;
    struct cm_buffer command;
    cm_buffer_init(&command);
    shell_command_line(job->common, &command);
    shown.intervals = intervals;
    shown.command = cm_buffer_ok(&command) ? command.data : NULL;
    shown.commit = cli_commit[0] != '\0' ? cli_commit : NULL;
    int code = show(job, &shown);
    cm_buffer_finish(&command);
    return code;
}

/* Ends a complete run: prints the result, and then whether a check failed. Then writes files, and
 * saves arrays if no check failed. */
static int finish(const struct cli_job *job, struct cm_run *run,
                  const struct cm_intervals *intervals, enum cm_status status,
                  struct cli_tracing *tracing, struct cm_error *err)
{
    const struct cm_result *result = cm_run_result(run);
    int code = with_host(job, result, intervals, print_result);
    tracing->printed = code == 0;
    if (status == CM_CHECK_FAILED)
        code = shell_first_of(code, fail(job, err));
    if (job->files != NULL)
        code = shell_first_of(code, job->files(job->context, result));
    if (status == CM_OK && cm_run_save(run, err) != CM_OK)
        code = shell_first_of(code, shell_error(err));
    return shell_first_of(code, (int)result->stop_code);
}

static int execute(const struct cli_job *job, struct cm_run *run,
                   const struct cm_intervals *intervals, struct cli_stream *stream)
{
    struct cm_error err = {0};
    struct cli_tracing tracing;
    shell_interrupt_hold(true);
    int code = cli_trace_begin(job, run, &tracing);
    if (code != 0)
        goto done;
    cli_watch_run(run);
    shell_interrupt_after(job->run->max_seconds);
    enum cm_status status = cm_run_execute(run, &err);
    shell_interrupt_after(0);
    cli_watch_run(NULL);
    shell_progress_end(stream->progress);
    bool complete = status == CM_OK || status == CM_CHECK_FAILED, written = stream->code == 0;
    const int printed = cli_stream_end(stream);
    if (status == CM_INTERRUPTED)
        shell_name_interrupt(&err);
    if (complete && printed == 0)
        code = finish(job, run, intervals, status, &tracing, &err);
    else if (!complete && written) /* a failed write has already printed its message */
        code = fail(job, &err);
    code = shell_first_of(printed, code);
    if (status == CM_INTERRUPTED && shell_names_file(job->run->output))
        with_host(job, cm_run_result(run), intervals, write_result);
    if (status == CM_INTERRUPTED && job->files != NULL)
        job->files(job->context, cm_run_result(run));
    code = shell_first_of(code, cli_trace_end(job->run, run, &tracing, status));
done:
    shell_interrupt_hold(false);
    return code;
}

/* longest preparation of an estimate, in seconds, for a run of more than a second */
#define FORESEE_SECONDS 0.5

/* Returns an estimate of the seconds left in a run, negative if unknown. Until all steps have run
 * once, the estimate needs a second run without data, which is made at the first call. */
static double seconds_left(void *run)
{
    if (!CM_FOR_A_PAGE && cm_run_seconds_left(run) < 0)
        cm_run_estimate(run, FORESEE_SECONDS);
    return cm_run_seconds_left(run);
}

static void show_part(const void *run, char *text, size_t size)
{
    struct cm_step_progress part = cm_run_step_progress(run);
    if (part.total > 0)
        snprintf(text, size, ", %s %" PRIu64 " of %" PRIu64, part.unit, part.done, part.total);
}

static int run_workload(const struct cli_job *job)
{
    struct cm_run *prepared = NULL;
    struct cm_intervals *intervals = NULL;
    struct cm_error err = {0};
    struct shell_progress progress;
    struct cli_stream stream;
    struct cm_run_options options = cli_run_settings(job->common, &job->machine, job->run);
    options.trusted = job->trusted;
    shell_progress_begin(&progress, job->run->quiet);
    if (shell_progress_ask(&progress, job->common->syntax->command, job->run->progress) != 0)
        return cm_status_exit_code(CM_USAGE);
    options.progress = shell_progress_step;
    options.progress_context = &progress;
    cli_stream_begin(&stream, &progress);
    options.print = job->prints && !job->run->json ? cli_stream_print : NULL;
    options.print_error = job->prints ? cli_stream_print_error : NULL;
    options.input = job->prints ? cli_stream_input : NULL;
    options.files_anywhere = job->run->allow_anywhere;
    options.print_context = &stream;
    options.keep_output = job->run->output != NULL || job->run->json;
    enum cm_status status = cm_run_create(job->workload, &options, &prepared, &err);
    int code = status == CM_OK ? make_intervals(job, &options, &intervals) : fail(job, &err);
    progress.left = seconds_left;
    progress.part = show_part;
    progress.left_context = prepared;
    if (status == CM_OK && code == 0)
        code = execute(job, prepared, intervals, &stream);
    cm_intervals_destroy(intervals);
    cm_run_destroy(prepared);
    return code;
}

int cli_run_workload(const struct cli_job *job)
{
    int code = cli_processes_start(job);
    return code != 0 ? code : cli_processes_stop(run_workload(job));
}
