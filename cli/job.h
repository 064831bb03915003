/* A run on the command line: a workload, the options of its run, and the way its result is shown.
 * `cm200 run` and the commands that make a workload of one step use it. */
#ifndef CM_CLI_JOB_H
#define CM_CLI_JOB_H

#include "cli.h"

/* A workload that has been read, and how to run it. Each of its functions may be NULL. */
struct cli_job {
    const struct cm_workload *workload;
    const struct shell_values *common;
    struct cli_machine_values machine;
    bool trusted; /* true if the workload may write files anywhere (cm_run_options.trusted) */
    const struct cli_run_values *run;
    const void *context; /* first argument of the next three callbacks */
    bool prints;         /* true if the text of Fortran programs is printed while they run */
    /* Appends the result in words. NULL: the command prints the summary of the library. */
    void (*text)(const void *context, const struct cm_result *result, struct cm_buffer *text);
    /* Appends the command's own part of --explain, before the part about the trace. */
    void (*explain)(const void *context, const struct cm_result *result, struct cm_buffer *text);
    /* Writes further files once the run is over. A member of the result says if the run was
     * interrupted. Returns an exit code. */
    int (*files)(const void *context, const struct cm_result *result);
    /* Prints an error, and returns its exit code. NULL: shell_error prints it. */
    int (*error)(const void *error_context, const struct cm_error *err);
    const void *error_context;
};
/* Runs the workload as `cm200 run` does: with progress, signals, a trace and several processes.
 * Prints the result. Returns the exit code. */
int cli_run_workload(const struct cli_job *job);

/* stream.c: text that a running Fortran program prints, on its way to the standard output. */
struct cli_stream {
    /* progress line, which is removed from the terminal before text is written */
    struct shell_progress *progress;
    struct cm_buffer text; /* text that is not written yet */
    bool at_once;          /* true to write text without delay, as on a terminal */
    /* exit code of a failed write, whose message has been printed. 0: no failure */
    int code;
};
void cli_stream_begin(struct cli_stream *stream, struct shell_progress *progress);
/* Writes text of a Fortran program. A callback for cm_run_options.print. Fails with CM_IO, and then
 * stores the exit code in the stream. */
enum cm_status cli_stream_print(void *stream, const char *text, size_t length,
                                struct cm_error *err);
/* Writes text of a Fortran program to the standard error output, behind the text that it printed
 * before. A callback for cm_run_options.print_error. */
enum cm_status cli_stream_print_error(void *stream, const char *text, size_t length,
                                      struct cm_error *err);
/* Reads the standard input for a Fortran program. A callback for cm_run_options.input. With several
 * processes the input is empty. */
enum cm_status cli_stream_input(void *stream, char *bytes, size_t size, size_t *got,
                                struct cm_error *err);
/* Writes the rest of the text, and frees it. Returns an exit code. */
int cli_stream_end(struct cli_stream *stream);

/* Lets signals such as Ctrl-C interrupt `run` from now on (shell_interrupt_watch). NULL: signals
 * interrupt no run any more. */
bool cli_watch_run(struct cm_run *run);
/* Lets signals interrupt the run that is the present one of several. A callback of
 * cm_run_execute_watched. Returns false if a signal has ended the series of runs. */
bool cli_watch_among(void *context, struct cm_run *run);

#endif
