/*
 * A sweep: a workload run over a grid of settings, in several processes, with a journal of what is
 * done, so that a sweep that was killed goes on where it was. Internal to cm200.
 */
#ifndef CM_CLI_SWEEP_H
#define CM_CLI_SWEEP_H

#include "../figure/figure.h"

#define CLI_SWEEP_AXES_MAX 8u
#define CLI_SWEEP_RUNS_MAX 1000000u

enum cli_sweep_kind {
    CLI_SWEEP_MACHINE,   /* "memory.page_words": a number of the machine */
    CLI_SWEEP_PARAMETER, /* "param.L" */
    CLI_SWEEP_NODES,     /* "option.nodes" */
    CLI_SWEEP_FILE,      /* "option.machine": a machine's file */
    CLI_SWEEP_PLACE,     /* "steps/0/pshift/setup": a value of the workload */
};

/* NAME=LIST of --over. */
struct cli_sweep_axis {
    enum cli_sweep_kind kind;
    char *name;
    char **values; /* `name` and they are of one allocation */
    uint32_t count;
};

struct cli_sweep_values {
    struct shell_values common;
    struct cli_machine_values machine;
    struct cli_param_values param;
    struct shell_list over;
    bool timing_only, quiet;
    const char *csv, *json_lines, *figure, *x, *y, *group, *logarithmic, *progress;
    uint64_t jobs;
};

struct cli_sweep {
    const struct cli_sweep_values *values;
    char *text; /* of the workload */
    size_t length;
    struct cli_sweep_axis axes[CLI_SWEEP_AXES_MAX];
    uint32_t axis_count;
    uint32_t runs;            /* the first axis varies slowest */
    char signature[65];       /* of all that the results depend on */
    struct cm_buffer command; /* for the results */
    struct cm_buffer journal; /* its path */
};

/* The value of an axis in a run. */
const char *cli_sweep_value(const struct cli_sweep *sweep, uint32_t run, uint32_t axis);

/* plan.c: reads the workload and the axes. Finish it in either case. Returns an exit code. */
int cli_sweep_plan(const struct cli_sweep_values *values, struct cli_sweep *sweep);
void cli_sweep_finish(struct cli_sweep *sweep);

/* edit.c: the workload's text with another value at a place; replaces *text, which is given
 * back. */
enum cm_status cli_sweep_edit(const char *name, char **text, size_t *length, const char *place,
                              const char *value, struct cm_error *err);

/* run.c: makes run `run`, and appends it to `line` as one line of JSON, with a newline: the
 * result, or why it failed. */
enum cm_status cli_sweep_run(const struct cli_sweep *sweep, uint32_t run, struct cm_buffer *line);

/* Whether the names of the axes are right, before anything runs: a value may be refused in some
 * runs, but a wrong name is wrong in all. Returns an exit code. */
int cli_sweep_check(const struct cli_sweep *sweep);

/* work.c: makes all runs that the journal lacks. Returns an exit code; 0: all are there. */
int cli_sweep_work(struct cli_sweep *sweep);

/* The journal as it is when all runs are in it: where the line of each begins. */
struct cli_sweep_lines {
    char *text;
    size_t length;
    const char **lines; /* of each run, NULL: not there; not terminated */
    size_t *lengths;
    uint32_t count; /* that are there */
};
/* Reads the journal; one that is missing has no lines. Lines that were cut off are left out, and
 * *whole is the length without them. CM_BAD_INPUT when it is of another sweep. */
enum cm_status cli_sweep_read_journal(const struct cli_sweep *sweep, struct cli_sweep_lines *lines,
                                      size_t *whole, struct cm_error *err);
void cli_sweep_free_lines(struct cli_sweep_lines *lines);

/* table.c: the CSV, the lines of JSON and the figure of all runs. Returns an exit code: 1 if
 * a run found wrong data, 3 when one could not be made. */
int cli_sweep_report(const struct cli_sweep *sweep);
/* After a signal: the rows of the runs that were made, in FILE.partial; the column "partial" says
 * how many they are. */
void cli_sweep_report_partial(const struct cli_sweep *sweep);

/* figure.c */
struct cli_figure_page cli_sweep_page(const struct cli_sweep_values *values);
int cli_sweep_figure(const struct cli_sweep *sweep, struct cli_figure_point *points,
                     uint32_t count);

#endif
