/* A run on the command line: a workload, the options of its run, and how its result is shown.
 * `cm200 run` and the commands with workloads of one step use it. */
#ifndef CM_CLI_JOB_H
#define CM_CLI_JOB_H

#include "cli.h"

/* A workload that is read, and how to run it. Each of the functions may be NULL. */
struct cli_job {
    const struct cm_workload *workload;
    const struct shell_values *common;
    struct cli_machine_values machine;
    bool trusted; /* true if the workload may write anywhere (cm_run_options.trusted) */
    const struct cli_run_values *run;
    const void *context; /* first argument of the next four functions */
    /* Appends what a program printed, which comes before the result. */
    void (*output)(const void *context, const struct cm_result *result, struct cm_buffer *text);
    /* Appends the result for people. NULL: the summary is printed. */
    void (*text)(const void *context, const struct cm_result *result, struct cm_buffer *text);
    /* Appends to the text of --explain, before the part about the trace. */
    void (*explain)(const void *context, const struct cm_result *result, struct cm_buffer *text);
    /* Writes further files once the run is over. The result says if the run was interrupted.
     * Returns an exit code. */
    int (*files)(const void *context, const struct cm_result *result);
    /* Prints an error, and returns its exit code. NULL: shell_error does. */
    int (*error)(const void *error_context, const struct cm_error *err);
    const void *error_context;
};
/* Runs the workload as `cm200 run` does: with progress, signals, a trace and several processes.
 * Prints the result. Returns the exit code. */
int cli_run_workload(const struct cli_job *job);

/* Lets signals interrupt a run from now on (shell_interrupt_watch). NULL ends this. */
bool cli_watch_run(struct cm_run *run);
/* Watches one run of several, as a callback of cm_run_execute_watched. Returns false if a signal
 * ends all runs. */
bool cli_watch_among(void *context, struct cm_run *run);

#endif
