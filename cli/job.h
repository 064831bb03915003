/* A run on the command line: a workload, the options of the run, and how its result is shown. */
#ifndef CM_CLI_JOB_H
#define CM_CLI_JOB_H

#include "cli.h"

/* A workload that is read, and how to run it. */
struct cli_job {
    const struct cm_workload *workload;
    const struct shell_values *common;
    struct cli_machine_values machine;
    bool builtin; /* on the CM-200 that is built in: no machine is named */
    bool trusted; /* cm_run_options.trusted */
    const struct cli_run_values *run;
    const void *context; /* for the functions below, each of which may be NULL */
    /* Appends what a program printed, which comes before the result. */
    void (*output)(const void *context, const struct cm_result *result, struct cm_buffer *text);
    /* Appends the result for people; without it, its summary is printed. */
    void (*text)(const void *context, const struct cm_result *result, struct cm_buffer *text);
    /* Appends to what --explain prints, before the trace's part. */
    void (*explain)(const void *context, const struct cm_result *result, struct cm_buffer *text);
    /* Writes further files, when the run is over or, as the result says, was interrupted; returns
     * an exit code. */
    int (*files)(const void *context, const struct cm_result *result);
    /* Prints an error; returns its exit code. Without it, shell_error does. */
    int (*error)(const void *error_context, const struct cm_error *err);
    const void *error_context;
};
/* Runs it as `cm200 run` does. Returns the exit code. */
int cli_run_workload(const struct cli_job *job);

/* While a run is watched, a signal interrupts it (shell_interrupt_watch). NULL: none any more. */
bool cli_watch_run(struct cm_run *run);
/* The same for one run of several, as a callback; false when a signal ends them all. */
bool cli_watch_among(void *context, struct cm_run *run);

#endif
