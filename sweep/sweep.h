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
 * the sweep: a hash of everything that the results depend on. A sweep that was killed can be
 * started again. It then makes only the runs that its journal lacks, and its table is the same as
 * without the interruption.
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

/* Kind of setting that an axis changes. */
enum cm_sweep_kind {
    CM_SWEEP_MACHINE,   /* a number of the machine, such as "memory.page_words" */
    CM_SWEEP_PARAMETER, /* a parameter of the workload, such as "param.L" */
    CM_SWEEP_NODES,     /* the number of nodes, "option.nodes" */
    CM_SWEEP_FILE,      /* the machine file, "option.machine" */
    CM_SWEEP_PLACE,     /* a value in the workload's JSON, such as "steps/0/pshift/setup" */
};

/* An axis of the grid of settings. No two axes have the same name, and every axis has at least one
 * value. */
struct cm_sweep_axis {
    enum cm_sweep_kind kind;
    char *name;
    char **values; /* the values. The same block of memory also holds their texts and the name */
    uint32_t count;
};

/* Settings of a sweep. The caller owns all pointers, which must outlive the sweep. */
struct cm_sweep_settings {
    const char *workload;          /* path of the workload file */
    struct cm_run_options options; /* options of every run, except the number of threads */
    /* "NAME=VALUE" for each parameter of the workload that the user sets */
    const char *const *params;
    uint32_t param_count;
    const struct cm_sweep_axis *axes;
    uint32_t axis_count; /* number of axes, at least 1 */
    /* texts of --over that define the axes, as the user typed them. They are part of the signature
     */
    const char *const *over;
    uint32_t over_count;
    const char *journal; /* path of the sweep's journal */
    /* number of worker processes. 0: as many as the host has processors. */
    uint32_t jobs;
    const char *command; /* command line, which the results repeat */
    const char *commit;  /* commit of this build, which the results repeat. NULL: unknown. */
    const char *figure;  /* path of the figure's file. NULL: no figure is drawn. */
    const char *x, *y;   /* names of the columns along the axes of the figure */
    /* name of the grid's axis that has a line for each value. NULL: a single line. */
    const char *group;
    /* the logarithmic axes of the figure: "x", "y" or "xy". NULL: no axis is logarithmic. */
    const char *logarithmic;
    /* title of the figure. NULL: the name of the workload's file is the title. */
    const char *title;
    /* labels of the figure's axes. NULL: names of columns with their units. */
    const char *x_title, *y_title;
    /* columns of the table: names, or beginnings of names that end before a '/' */
    const char *const *columns;
    /* number of names in `columns`. 0: the table has its default columns */
    uint32_t column_count;
};

/* A sweep whose workload was read. */
struct cm_sweep {
    struct cm_sweep_settings settings;
    char *text; /* text of the workload, as it is in the workload's file */
    size_t length;
    uint32_t runs;      /* number of points of the grid, at most CM_SWEEP_RUNS_MAX */
    char signature[65]; /* SHA-256 in hexadecimal of everything that the results depend on */
};

/* plan.c: reads the workload, computes the number of runs, and computes the signature of the sweep.
 * The caller finishes the sweep in either case. */
enum cm_status cm_sweep_open(const struct cm_sweep_settings *settings, struct cm_sweep *sweep,
                             struct cm_error *err);
void cm_sweep_finish(struct cm_sweep *sweep);
/* Returns true if a path is a regular file that this process may read. If reading such a file
 * fails, the host is the cause, and the sweep ends. Any other path is a wrong setting of a run,
 * which the run reports. */
bool cm_sweep_may_read(const char *path);
/* Returns the value that an axis has in a run, as text. Runs and axes are numbered from 0. */
const char *cm_sweep_value(const struct cm_sweep *sweep, uint32_t run, uint32_t axis);

/* edit.c: replaces one value in the text of a workload, and leaves the rest of the text unchanged.
 * `place` is the path of the value in the JSON. *text is freed, and becomes the new text. `name` is
 * the name of the file, for errors. */
enum cm_status cm_sweep_edit(const char *name, char **text, size_t *length, const char *place,
                             const char *value, struct cm_error *err);

/* run.c: checks the names of all axes before the first run. A wrong name would be wrong in every
 * run, whereas a wrong value is reported in the runs that have it. */
enum cm_status cm_sweep_check(const struct cm_sweep *sweep, struct cm_error *err);
/* Makes run number `run` of the sweep, and appends its line for the journal to `line`: JSON without
 * a newline. The line has the result, or the error if the settings were refused. Returns CM_OK in
 * both cases. Fails with CM_NO_MEMORY, with CM_INTERNAL, or with CM_IO if a file could not be read
 * although this process may read it. */
enum cm_status cm_sweep_run(const struct cm_sweep *sweep, uint32_t run, struct cm_buffer *line,
                            struct cm_error *err);

#define CM_SWEEP_DAMAGED_SHOWN 8u

/* The text of a journal, and the place in it of the JSON of each run. */
struct cm_sweep_lines {
    char *text;
    size_t length;
    /* the JSON of each run, which does not end with NUL. NULL: the journal lacks the run. */
    const char **lines;
    size_t *lengths;
    uint32_t count; /* number of runs that the journal has */
    /* number of lines whose checksums do not match */
    uint64_t damaged;
    /* line numbers of the first damaged lines, from 1 */
    uint64_t damaged_lines[CM_SWEEP_DAMAGED_SHOWN];
};
/* journal.c: reads the journal. A journal that does not exist has no lines. Damaged lines and a
 * last line that was cut off are left out. *whole becomes the length of the text without a line
 * that was cut off. Fails with CM_BAD_INPUT if the journal belongs to another sweep. The caller
 * frees the lines in either case. */
enum cm_status cm_sweep_read_journal(const struct cm_sweep *sweep, struct cm_sweep_lines *lines,
                                     size_t *whole, struct cm_error *err);
void cm_sweep_free_lines(struct cm_sweep_lines *lines);
/* Opens the journal for appending, locks it, and cuts it to its first `whole` bytes. A new journal
 * gets its first line. The caller closes the descriptor *journal unless it is negative. Fails with
 * CM_IO if the journal cannot be written, or if another sweep has locked it. */
enum cm_status cm_sweep_open_journal(const struct cm_sweep *sweep, size_t whole, int *journal,
                                     struct cm_error *err);
/* Appends the line of a run to the journal by a single write. If the file system writes only a
 * part, appends the whole line once more. */
enum cm_status cm_sweep_add_line(const struct cm_sweep *sweep, int journal,
                                 const struct cm_buffer *json, struct cm_error *err);

/* Callbacks of cm_sweep_work, all of which are called in the caller's process. */
struct cm_sweep_host {
    void *context; /* first argument of `resumed` and `progress` */
    /* Called if a journal exists, with its lines, before the first run is made. */
    void (*resumed)(void *context, const struct cm_sweep_lines *lines);
    /* Called up to 200 times a second while workers run, with the number of finished runs.
     * `seconds_left` is negative if it is not known. */
    void (*progress)(void *context, uint32_t done, double seconds_left);
    /* Makes signals call stop(work) from now on. `stop` is safe in a signal handler. A NULL `work`
     * ends this, and then the function returns false if a signal has come. */
    bool (*watch)(void *work, void (*stop)(void *work));
};

/* work.c: makes all runs that the journal lacks. Returns CM_OK if the journal has all runs. Returns
 * CM_INTERRUPTED if a signal came, and then the journal has the runs that were finished. Returns
 * CM_IO if another sweep has locked the journal. Any other *err is the error of the first worker
 * process that failed. */
enum cm_status cm_sweep_work(const struct cm_sweep *sweep, const struct cm_sweep_host *host,
                             struct cm_error *err);

/* table.c: the results in a journal, as a table. */
struct cm_sweep_table;
/* Reads the journal. Fails with CM_IO if a run is missing, unless `partial` is true: then the table
 * has the finished runs, and a column "partial" that says how many runs are finished. The caller
 * closes the table in either case. */
enum cm_status cm_sweep_table_open(const struct cm_sweep *sweep, bool partial,
                                   struct cm_sweep_table **table, struct cm_error *err);
void cm_sweep_table_close(struct cm_sweep_table *table);
/* Appends CSV: a heading, and a row for each run. Counts the runs by their outcome
 * (cm_sweep_table_counts). Fails with CM_USAGE if no run has a column that the settings name. */
enum cm_status cm_sweep_table_csv(struct cm_sweep_table *table, struct cm_buffer *text,
                                  struct cm_error *err);
/* Appends JSON about the columns of inputs that the table leaves out: the values that all runs
 * share, and the names of the columns whose values differ. It is called after cm_sweep_table_csv.
 */
void cm_sweep_table_made_of(const struct cm_sweep_table *table, struct cm_buffer *text);
/* Appends for each run its line of JSON from the journal. No run may be missing. */
void cm_sweep_table_json_lines(const struct cm_sweep_table *table, struct cm_buffer *text);
/* Appends the figure, after cm_sweep_table_csv. Fails with CM_USAGE if the figure has no points, or
 * several points of a line with the same x. */
enum cm_status cm_sweep_table_figure(struct cm_sweep_table *table, struct cm_buffer *out,
                                     struct cm_error *err);
/* Numbers of runs in a table, by outcome. `refused` and `wrong` are known after cm_sweep_table_csv.
 */
struct cm_sweep_counts {
    uint32_t done;    /* number of runs that the journal has */
    uint32_t refused; /* number of runs whose settings were refused */
    uint32_t wrong;   /* number of runs that found wrong data */
};
struct cm_sweep_counts cm_sweep_table_counts(const struct cm_sweep_table *table);

/* columns.c: returns true if a name of the option --columns selects a column of the table. The name
 * is that of the column, with or without its unit, or of a part of the result that contains the
 * column. "all" stands for every column, and '*' for any part between slashes. */
bool cm_sweep_is_named(const char *pattern, const char *name);
/* Returns true if the table shows a column. It always shows the number of the run, the axes and the
 * error. */
bool cm_sweep_is_shown(const struct cm_sweep *sweep, const char *name);
/* Returns true if a column describes an input that a row was made of, such as a hash or the
 * version. */
bool cm_sweep_is_made_of(const char *name);

/* figure.c: returns the size, look and file of the figure, without its description. */
struct cm_figure_page cm_sweep_page(const struct cm_sweep_settings *settings);
/* Draws the points of the figure, and appends the file to `out`. The points are sorted in place. */
enum cm_status cm_sweep_figure(const struct cm_sweep *sweep, struct cm_figure_point *points,
                               uint32_t count, struct cm_buffer *out, struct cm_error *err);

#endif
