/* Records a run for --trace, --trace-window, --explain and --why. */
#include "../explain/explain.h"
#include "../trace/record.h"
#include "../trace/trace.h"
#include "job.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Initial size of the description of a run's inputs, in bytes. It suffices for most runs. */
#define MADE_OF_BYTES 4096u

/* Reads a window "A:B" of cycles, where A is less than B. */
static bool read_window(const char *text, uint64_t window[2])
{
    return shell_read_numbers(text, ':', window, 2) == 2 && window[0] < window[1] &&
           window[1] < UINT64_C(1) << 62;
}

int cli_trace_check(const struct cli_run_values *values, const char *command)
{
    uint64_t window[2];
    if (values->trace != NULL && strcmp(values->trace, "-") == 0)
        return shell_usage(command, "--trace - : traces are not written to standard output");
    if (values->explain && values->json)
        return shell_usage(command, "--explain prints text, --json only the result");
    if (values->why && values->json)
        return shell_usage(command, "--why prints text, --json only the result");
    if (values->trace_window == NULL)
        return 0;
    if (values->trace == NULL)
        return shell_usage(command, "--trace-window needs --trace FILE");
    if (values->timing_only)
        return shell_usage(command, "--trace-window needs data, which --timing-only does not move");
    if (!read_window(values->trace_window, window))
        return shell_usage(command,
                           "--trace-window is \"%s\", expected two cycles, the first before the "
                           "second, as in 1000:2000",
                           values->trace_window);
    return 0;
}

int cli_trace_begin(const struct cli_job *job, struct cm_run *run, struct cli_tracing *tracing)
{
    const struct cli_run_values *values = job->run;
    struct cm_error err = {0};
    struct cm_recorder_options options = {.path = values->trace,
                                          .workload = cm_run_result(run)->workload};
    memset(tracing, 0, sizeof *tracing);
    tracing->job = job;
    if (values->trace == NULL && !values->explain && !values->why)
        return 0;
    if (values->trace_window != NULL && read_window(values->trace_window, tracing->window)) {
        options.detail_first = tracing->window[0];
        options.detail_end = tracing->window[1];
    }
    struct cm_buffer made_of;
    cm_buffer_init(&made_of);
    (void)cm_buffer_room(&made_of, MADE_OF_BYTES);
    cm_result_made_of(cm_run_result(run), &made_of);
    options.made_of = made_of.data;
    enum cm_status status = cm_buffer_ok(&made_of)
                                ? cm_recorder_create(cm_system_machine(cm_run_system(run)),
                                                     &options, &tracing->file, &err)
                                : cm_error_no_memory(&err);
    cm_buffer_finish(&made_of);
    if (status != CM_OK)
        return shell_error(&err);
    cm_run_observe(run, cm_recorder_observer(tracing->file));
    return 0;
}

/* Renames the trace of an interrupted run from FILE.part to FILE.partial. Programs that read the
 * trace notice that its end is missing. */
static char *name_partial(const struct cli_run_values *values, const char *part)
{
    char *name = part != NULL ? cli_partial_name(values->trace) : NULL;
    if (name != NULL && rename(part, name) == 0)
        return name;
    free(name);
    return NULL;
}

/* Prints the name of an unfinished trace, `part`, or that no exchange was in the window. */
static void print_notes(const struct cli_tracing *tracing, const struct cm_run *run,
                        const char *part, bool complete)
{
    uint64_t cycles = cm_run_result(run)->total.cycles;
    if (!complete && part != NULL)
        fprintf(stderr, "cm200: what was recorded until then is in %s\n", shell_shown(part).text);
    else if (complete && tracing->window[1] > 0 && cm_recorder_wires(tracing->file) == 0)
        fprintf(stderr,
                "cm200: no exchange was in the window %" PRIu64 ":%" PRIu64
                "; the run took %" PRIu64 " cycles\n",
                tracing->window[0], tracing->window[1], cycles);
}

/* Prints --explain and --why of the trace that was just recorded, in its file or in memory. */
static int explain(const struct cli_run_values *values, struct cm_run *run,
                   const struct cli_tracing *tracing)
{
    struct cm_trace *trace;
    struct cm_error err = {0};
    struct cm_buffer text;
    const void *bytes = NULL;
    uint64_t length = cm_recorder_size(tracing->file, &bytes);
    enum cm_status status = values->trace != NULL
                                ? cm_trace_open(values->trace, &trace, &err)
                                : cm_trace_open_memory(bytes, length, "trace", &trace, &err);
    if (status != CM_OK)
        return shell_error(&err);
    cm_buffer_init(&text);
    if (!values->quiet) /* separates the summary above by a blank line */
        cm_buffer_printf(&text, "\n");
    if (values->explain) {
        if (tracing->job->explain != NULL)
            tracing->job->explain(tracing->job->context, cm_run_result(run), &text);
        cm_explain_shifts(run, &text);
        cm_explain_trace(trace, cli_summary_style(), &text);
    }
    if (values->explain && values->why)
        cm_buffer_printf(&text, "\n");
    if (values->why)
        cm_explain_why(trace, cli_summary_style(), &text);
    text.failed = text.failed || cm_trace_failed(trace);
    cm_trace_close(trace);
    return shell_deliver(NULL, &text, CM_OK, NULL);
}

int cli_trace_end(const struct cli_run_values *values, struct cm_run *run,
                  struct cli_tracing *tracing, enum cm_status status)
{
    bool complete = status == CM_OK || status == CM_CHECK_FAILED;
    struct cm_error err = {0};
    int code = 0;
    if (tracing->file != NULL) {
        char *partial = NULL;
        if (cm_recorder_finish(tracing->file, complete, &err) != CM_OK)
            code = shell_error(&err);
        else if (status == CM_INTERRUPTED)
            partial = name_partial(values, cm_recorder_part(tracing->file));
        if (code == 0)
            print_notes(tracing, run, partial != NULL ? partial : cm_recorder_part(tracing->file),
                        complete);
        free(partial);
        /* All files are written by now. A signal may therefore end the program during the analysis,
         * which can take long. */
        shell_interrupt_hold(false);
        if (code == 0 && tracing->printed && (values->explain || values->why))
            code = explain(values, run, tracing);
        shell_interrupt_hold(true);
    }
    cm_run_observe(run, NULL);
    cm_recorder_destroy(tracing->file);
    return code;
}
