/*
 * A table of circular shifts: what it costs to shift by each of several distances q, by each of
 * several methods, next to the textbook's formulas. `cm200 shift --by all --method all` is its
 * command. No data move: programs/network/survey.h says how cycles are counted.
 *
 * The caller creates a table from settings, which checks the methods. It then either counts the
 * rows (cm_shift_table_count) and shows them as text, JSON, CSV or a figure, or lists the paths of
 * the messages instead. The room prints nothing and writes no file.
 *
 * table.c owns the table, and counts its rows.
 * show.c  shows the rows, and changes nothing.
 */
#ifndef CM_SHIFTS_TABLE_H
#define CM_SHIFTS_TABLE_H

#include "../base/buffer.h"
#include "../base/error.h"
#include "../programs/network/survey.h"

#include <stdatomic.h>

/* Settings of a table. The caller owns the strings, which must outlive the table. */
struct cm_shift_table_settings {
    struct cm_config config;    /* machine that the cycles are of */
    struct cm_survey_task task; /* nodes, words of a message, shape of the mesh, times */
    /* distances q, both ends included. From 1, below the number of nodes. */
    uint32_t first, last, step;
    bool wanted[CM_SURVEY_COUNT]; /* true for each method of the table */
    bool all;    /* true if a method that cannot serve these nodes is left out, not refused */
    bool shaped; /* true if the user gave the shape of the mesh */
    bool hops;   /* true if the user gave the time of a hop, which needs e-cube */
    const char *command; /* command line, for the results */
    const char *commit;  /* commit of this build, for the results. NULL: unknown. */
};

/* A table, with the rows of the distances that are counted. */
struct cm_shift_table {
    struct cm_shift_table_settings settings; /* `wanted` without the methods that are left out */
    struct cm_survey *survey;
    char left_out[CM_SURVEY_COUNT][200]; /* why a method cannot serve these nodes. "": it can. */
    struct cm_survey_row *rows;          /* by distance, then by method */
    uint64_t row_count;
    uint64_t done;                          /* distances whose rows are all there */
    atomic_bool stopped;                    /* true: no further distance is counted */
    struct cm_survey_crossover *crossovers; /* by distance. NULL: not both methods are wanted. */
    uint64_t crossover_count;
};

/* table.c: makes a table without rows. CM_USAGE, or the error of a method, if the methods do not
 * serve the nodes. The caller destroys the table in either case. */
enum cm_status cm_shift_table_create(const struct cm_shift_table_settings *settings,
                                     struct cm_shift_table **table, struct cm_error *err);
void cm_shift_table_destroy(struct cm_shift_table *table);
/* Counts the rows, and calls `progress` after each distance with the number of those done. If
 * cm_shift_table_stop is called meanwhile, the rows of the distances done until then remain. */
enum cm_status cm_shift_table_count(struct cm_shift_table *table,
                                    void (*progress)(void *context, uint64_t done, uint64_t total),
                                    void *context, struct cm_error *err);
/* Stops cm_shift_table_count soon. `table` is a struct cm_shift_table. Safe in a signal handler. */
void cm_shift_table_stop(void *table);
/* Returns how many distances the whole table has. */
uint64_t cm_shift_table_distances(const struct cm_shift_table *table);
/* Returns true if some distances are not counted. All of the texts below then say how many are. */
bool cm_shift_table_is_partial(const struct cm_shift_table *table);
/* Appends which message is where after each step, for each distance and method: figures 4.22 to
 * 4.24 of the textbook. CM_USAGE on more than CM_NETWORK_TABLE_NODES_MAX nodes. */
enum cm_status cm_shift_table_paths(const struct cm_shift_table *table, struct cm_buffer *text,
                                    struct cm_error *err);

/* show.c: appends the table for people, as JSON, and as CSV. */
void cm_shift_table_text(const struct cm_shift_table *table, struct cm_buffer *text);
void cm_shift_table_json(const struct cm_shift_table *table, struct cm_buffer *text);
void cm_shift_table_csv(const struct cm_shift_table *table, struct cm_buffer *text);
/* Appends one line of JSON, without a newline: machine, task, command and version. */
void cm_shift_table_made_of(const struct cm_shift_table *table, struct cm_buffer *text);
/* Refuses a path that is not of a figure's format: CM_USAGE. */
enum cm_status cm_shift_table_figure_check(const char *path, struct cm_error *err);
/* Appends the figure: cycles by distance, a line for each method. Its path says the format. */
enum cm_status cm_shift_table_figure(const struct cm_shift_table *table, const char *path,
                                     struct cm_buffer *out, struct cm_error *err);

#endif
