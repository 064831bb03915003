/*
 * A sweep runs a workload once for every point of a grid of settings, and makes a table of the
 * results. `cm200 sweep` is its command.
 *
 * A grid has up to CM_SWEEP_AXES_MAX axes. An axis is a name and a list of values: a number of the
 * machine, a parameter of the workload, the number of nodes, a machine file, or a place in the
 * workload's JSON. Run `i` of the sweep has one value of each axis. The first axis varies slowest.
 *
 * Several processes of this host make the runs side by side. Each appends the line of a finished
 * run to the journal, a file that only one sweep can hold. The journal begins with the signature of
 * the sweep: a hash of everything that the results depend on. A sweep that was killed goes on where
 * its journal ends, and its table is the same as that of a sweep that was not.
 *
 * plan.c   reads the workload and signs the sweep.
 * edit.c   changes a value in the text of a workload, for axes that are places in it.
 * run.c    makes one run, and its line for the journal.
 * work.c   owns the journal and the worker processes.
 * table.c  makes the table, the lines of JSON and the points of the figure from a journal.
 * columns.c says which columns the table has.
 * figure.c draws the points.
 *
 * The room prints nothing, and writes no file but the journal. Its caller gives callbacks that
 * report progress and watch for signals.
 */
#ifndef CM_SWEEP_SWEEP_H
#define CM_SWEEP_SWEEP_H

#include "../base/buffer.h"
#include "../figure/figure.h"
#include "../programs/workload/workload.h"

#define CM_SWEEP_AXES_MAX 8u
#define CM_SWEEP_RUNS_MAX 1000000u

/* What the values of an axis change. */
enum cm_sweep_kind {
    CM_SWEEP_MACHINE,   /* a number of the machine, as "memory.page_words" */
    CM_SWEEP_PARAMETER, /* a parameter of the workload, as "param.L" */
    CM_SWEEP_NODES,     /* the number of nodes, "option.nodes" */
    CM_SWEEP_FILE,      /* the machine file, "option.machine" */
    CM_SWEEP_PLACE,     /* a value of the workload, as "steps/0/pshift/setup" */
};

/* An axis of the grid. No two axes have the same name, and every axis has a value. */
struct cm_sweep_axis {
    enum cm_sweep_kind kind;
    char *name;
    char **values; /* one allocation, which also holds the texts and the name */
    uint32_t count;
};

/* Settings of a sweep. The caller owns all pointers, which must outlive the sweep. */
struct cm_sweep_settings {
    const char *workload;          /* path of the workload file */
    struct cm_run_options options; /* options of every run. `threads` is not used. */
    const char *const *params;     /* "NAME=VALUE" for parameters of the workload */
    uint32_t param_count;
    const struct cm_sweep_axis *axes;
    uint32_t axis_count;     /* from 1 */
    const char *const *over; /* texts of the axes, as the user typed them, for the signature */
    uint32_t over_count;
    const char *journal;     /* path of the journal */
    uint32_t jobs;           /* worker processes. 0: as many as the host has processors. */
    const char *command;     /* command line, for the results */
    const char *commit;      /* commit of this build, for the results. NULL: unknown. */
    const char *figure;      /* path of the figure. NULL: none is drawn. */
    const char *x, *y;       /* columns along the figure's axes */
    const char *group;       /* axis of the grid with a line for each value. NULL: one line. */
    const char *logarithmic; /* logarithmic axes of the figure: "x", "y", "xy". NULL: none. */
    const char *title;       /* title of the figure. NULL: the name of the workload's file. */
    const char *x_title, *y_title; /* labels of its axes. NULL: the columns with their units. */
    const char *const *columns; /* columns of the table: names, or begins of names before a '/' */
    uint32_t column_count;      /* 0: the usual columns */
};

/* A sweep whose workload was read. */
struct cm_sweep {
    struct cm_sweep_settings settings;
    char *text; /* the workload, as it is in its file */
    size_t length;
    uint32_t runs;      /* number of points of the grid, at most CM_SWEEP_RUNS_MAX */
    char signature[65]; /* SHA-256 in hexadecimal of everything that the results depend on */
};

/* plan.c: reads the workload, counts the runs and signs the sweep. The caller finishes the sweep in
 * either case. */
enum cm_status cm_sweep_open(const struct cm_sweep_settings *settings, struct cm_sweep *sweep,
                             struct cm_error *err);
void cm_sweep_finish(struct cm_sweep *sweep);
/* Returns true if a path is a regular file that this process may read. Reading it fails only
 * because the host lacks something, and the sweep then ends. Other files are bad settings of a
 * run. */
bool cm_sweep_may_read(const char *path);
/* Returns the value that an axis has in a run. Runs and axes count from 0. */
const char *cm_sweep_value(const struct cm_sweep *sweep, uint32_t run, uint32_t axis);

/* edit.c: replaces the value at a place of a workload's text, and leaves the rest of the text as it
 * is. *text is freed, and becomes the new text. `name` is the file's, for errors. */
enum cm_status cm_sweep_edit(const char *name, char **text, size_t *length, const char *place,
                             const char *value, struct cm_error *err);

/* run.c: checks the names of all axes before anything runs. A value may be refused in some runs,
 * but a wrong name is wrong in all of them. */
enum cm_status cm_sweep_check(const struct cm_sweep *sweep, struct cm_error *err);
/* Makes run `run`, and appends it to `line` as one line of JSON without a newline. The line has the
 * result, or the error if the settings were refused. Returns CM_OK in both cases. Fails with
 * CM_NO_MEMORY, CM_INTERNAL, or CM_IO if a file that may be read could not be. */
enum cm_status cm_sweep_run(const struct cm_sweep *sweep, uint32_t run, struct cm_buffer *line,
                            struct cm_error *err);

#define CM_SWEEP_DAMAGED_SHOWN 8u

/* The text of a journal, and where the JSON of each run begins. */
struct cm_sweep_lines {
    char *text;
    size_t length;
    const char **lines; /* of each run, not terminated. NULL: the journal lacks the run. */
    size_t *lengths;
    uint32_t count;                                 /* runs that the journal has */
    uint64_t damaged;                               /* lines whose checksums do not match */
    uint64_t damaged_lines[CM_SWEEP_DAMAGED_SHOWN]; /* numbers of the first damaged lines, from 1 */
};
/* journal.c: reads the journal. A journal that does not exist has no lines. Damaged lines and a
 * last line that was cut off are left out. *whole is the length of the text without a line that
 * was cut off. CM_BAD_INPUT if the journal is of another sweep. The caller frees the lines in
 * either case. */
enum cm_status cm_sweep_read_journal(const struct cm_sweep *sweep, struct cm_sweep_lines *lines,
                                     size_t *whole, struct cm_error *err);
void cm_sweep_free_lines(struct cm_sweep_lines *lines);
/* Opens the journal for appending, locks it, and cuts it to its `whole` bytes. A new journal gets
 * its first line. The caller closes the descriptor unless it is negative. CM_IO if the journal
 * cannot be written, or another sweep holds it. */
enum cm_status cm_sweep_open_journal(const struct cm_sweep *sweep, size_t whole, int *journal,
                                     struct cm_error *err);
/* Appends the line of a run, by a single write. */
enum cm_status cm_sweep_add_line(const struct cm_sweep *sweep, int journal,
                                 const struct cm_buffer *json, struct cm_error *err);

/* Callbacks of cm_sweep_work, all of which run in the caller's process. */
struct cm_sweep_host {
    void *context; /* first argument of `resumed` and `progress` */
    /* Called with the lines of a journal that was there, before any run is made. */
    void (*resumed)(void *context, const struct cm_sweep_lines *lines);
    /* Called up to 200 times a second while workers run, with the number of finished runs.
     * `seconds_left` is negative if it is not known. */
    void (*progress)(void *context, uint32_t done, double seconds_left);
    /* Calls stop(work) from now on when a signal comes. `stop` is safe in a signal handler. A NULL
     * `work` ends this, and returns false if a signal has come. */
    bool (*watch)(void *work, void (*stop)(void *work));
};

/* work.c: makes all runs that the journal lacks. CM_OK: the journal has all runs. CM_INTERRUPTED: a
 * signal came, and the journal has the runs that were finished. Otherwise *err is the error of the
 * first worker that failed. CM_IO if another sweep holds the journal. */
enum cm_status cm_sweep_work(const struct cm_sweep *sweep, const struct cm_sweep_host *host,
                             struct cm_error *err);

/* table.c: a journal as a table. */
struct cm_sweep_table;
/* Reads the journal. CM_IO if a run is missing, unless `partial` is true: then the table has the
 * runs that are there, and a column "partial" that says how many these are. The caller closes the
 * table in either case. */
enum cm_status cm_sweep_table_open(const struct cm_sweep *sweep, bool partial,
                                   struct cm_sweep_table **table, struct cm_error *err);
void cm_sweep_table_close(struct cm_sweep_table *table);
/* Appends a row of CSV for each run, and a heading. Counts the runs (cm_sweep_table_counts).
 * CM_USAGE if no run has one of the columns of the settings. */
enum cm_status cm_sweep_table_csv(struct cm_sweep_table *table, struct cm_buffer *text,
                                  struct cm_error *err);
/* Appends JSON with what the rows were made of, for columns that the table leaves out: the values
 * that all runs share, and the names of those that differ. After cm_sweep_table_csv. */
void cm_sweep_table_made_of(const struct cm_sweep_table *table, struct cm_buffer *text);
/* Appends a line of JSON for each run, as the journal has it. No run may be missing. */
void cm_sweep_table_json_lines(const struct cm_sweep_table *table, struct cm_buffer *text);
/* Appends the figure, after cm_sweep_table_csv. CM_USAGE if it has no points, or several with the
 * same x. */
enum cm_status cm_sweep_table_figure(struct cm_sweep_table *table, struct cm_buffer *out,
                                     struct cm_error *err);
/* Numbers of runs in a table. `refused` and `wrong` are known after cm_sweep_table_csv. */
struct cm_sweep_counts {
    uint32_t done;    /* runs that the journal has */
    uint32_t refused; /* runs whose settings were refused */
    uint32_t wrong;   /* runs that found wrong data */
};
struct cm_sweep_counts cm_sweep_table_counts(const struct cm_sweep_table *table);

/* columns.c: returns true if a name of --columns stands for a column: for the column itself, with
 * or without its unit, or for a part of the result that the column is in. "all" stands for every
 * column, and '*' for any part between slashes. */
bool cm_sweep_is_named(const char *pattern, const char *name);
/* Returns true if the table has a column. It always has the run, the axes and the error. */
bool cm_sweep_is_shown(const struct cm_sweep *sweep, const char *name);
/* Returns true if a column says what a row was made of. */
bool cm_sweep_is_made_of(const char *name);

/* figure.c: returns the page of the figure, without its description. */
struct cm_figure_page cm_sweep_page(const struct cm_sweep_settings *settings);
/* Draws the points, which are sorted, and appends the file to `out`. */
enum cm_status cm_sweep_figure(const struct cm_sweep *sweep, struct cm_figure_point *points,
                               uint32_t count, struct cm_buffer *out, struct cm_error *err);

#endif
