/*
 * A sweep: a workload run over a grid of settings, in several processes, with a journal of what is
 * done, so that a sweep that was killed goes on where it was. Internal to cm200.
 */
#ifndef CM_SWEEP_SWEEP_H
#define CM_SWEEP_SWEEP_H

#include "../figure/figure.h"

#define CM_SWEEP_AXES_MAX 8u
#define CM_SWEEP_RUNS_MAX 1000000u

enum cm_sweep_kind {
    CM_SWEEP_MACHINE,   /* "memory.page_words": a number of the machine */
    CM_SWEEP_PARAMETER, /* "param.L" */
    CM_SWEEP_NODES,     /* "option.nodes" */
    CM_SWEEP_FILE,      /* "option.machine": a machine's file */
    CM_SWEEP_PLACE,     /* "steps/0/pshift/setup": a value of the workload */
};

/* NAME=LIST of --over. */
struct cm_sweep_axis {
    enum cm_sweep_kind kind;
    char *name;
    char **values; /* `name` and they are of one allocation */
    uint32_t count;
};

struct cm_sweep_values {
    struct shell_values common;
    struct cli_machine_values machine;
    struct cli_param_values param;
    struct shell_list over;
    bool timing_only, quiet;
    const char *csv, *json_lines, *figure, *x, *y, *group, *logarithmic, *progress;
    uint64_t jobs;
};

struct cm_sweep {
    const struct cm_sweep_values *values;
    char *text; /* of the workload */
    size_t length;
    struct cm_sweep_axis axes[CM_SWEEP_AXES_MAX];
    uint32_t axis_count;
    uint32_t runs;            /* the first axis varies slowest */
    char signature[65];       /* of all that the results depend on */
    struct cm_buffer command; /* for the results */
    struct cm_buffer journal; /* its path */
};

/* The value of an axis in a run. */
const char *cm_sweep_value(const struct cm_sweep *sweep, uint32_t run, uint32_t axis);

/* plan.c: reads the workload and the axes. Finish it in either case. Returns an exit code. */
int cm_sweep_plan(const struct cm_sweep_values *values, struct cm_sweep *sweep);
void cm_sweep_finish(struct cm_sweep *sweep);

/* edit.c: the workload's text with another value at a place; replaces *text, which is given
 * back. */
enum cm_status cm_sweep_edit(const char *name, char **text, size_t *length, const char *place,
                             const char *value, struct cm_error *err);

/* run.c: makes run `run`, and appends it to `line` as one line of JSON, with a newline: the
 * result, or why it failed. */
enum cm_status cm_sweep_run(const struct cm_sweep *sweep, uint32_t run, struct cm_buffer *line);

/* Whether the names of the axes are right, before anything runs: a value may be refused in some
 * runs, but a wrong name is wrong in all. Returns an exit code. */
int cm_sweep_check(const struct cm_sweep *sweep);

/* work.c: makes all runs that the journal lacks. Returns an exit code; 0: all are there. */
int cm_sweep_work(struct cm_sweep *sweep);

/* The journal as it is when all runs are in it: where the line of each begins. */
struct cm_sweep_lines {
    char *text;
    size_t length;
    const char **lines; /* of each run, NULL: not there; not terminated */
    size_t *lengths;
    uint32_t count; /* that are there */
};
/* Reads the journal; one that is missing has no lines. Lines that were cut off are left out, and
 * *whole is the length without them. CM_BAD_INPUT when it is of another sweep. */
enum cm_status cm_sweep_read_journal(const struct cm_sweep *sweep, struct cm_sweep_lines *lines,
                                     size_t *whole, struct cm_error *err);
void cm_sweep_free_lines(struct cm_sweep_lines *lines);

/* table.c: the CSV, the lines of JSON and the figure of all runs. Returns an exit code: 1 if
 * a run found wrong data, 3 when one could not be made. */
int cm_sweep_report(const struct cm_sweep *sweep);
/* After a signal: the rows of the runs that were made, in FILE.partial; the column "partial" says
 * how many they are. */
void cm_sweep_report_partial(const struct cm_sweep *sweep);

/* figure.c */
struct cm_figure_page cm_sweep_page(const struct cm_sweep_values *values);
int cm_sweep_figure(const struct cm_sweep *sweep, struct cm_figure_point *points, uint32_t count);

#endif
