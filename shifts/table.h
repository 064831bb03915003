/*
 * A table of circular shifts: the cost in cycles of shifting by each of several distances q, by
 * each of several methods, next to the cost by the formulas of the textbook (Grama, Gupta, Karypis
 * and Kumar: Introduction to Parallel Computing). `cm200 shift --by all --method all` is its
 * command. No data are moved: programs/network/survey.h describes how the cycles are counted.
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
    struct cm_config config; /* machine whose cycles are counted */
    /* nodes, words in a message, shape of the mesh, and times of the textbook */
    struct cm_survey_task task;
    /* distances q of the shifts, from `first` to `last`. They are at least 1 and below the number
     * of nodes. */
    uint32_t first, last, step;
    bool wanted[CM_SURVEY_COUNT]; /* true for each method that the table has */
    /* true if a method that cannot shift over these nodes is left out, instead of refused */
    bool all;
    bool shaped; /* true if the user gave the shape of the mesh */
    bool hops;   /* true if the user gave the time of a hop, which only the method e-cube uses */
    const char *command; /* command line, which the results repeat */
    const char *commit;  /* commit of this build, which the results repeat. NULL: unknown. */
};

/* A table of shifts, with rows for the distances that have been counted. */
struct cm_shift_table {
    /* settings of the table. In `wanted`, methods that are left out are false */
    struct cm_shift_table_settings settings;
    struct cm_survey *survey;
    /* reason why a method cannot shift over these nodes. "": it can. */
    char left_out[CM_SURVEY_COUNT][200];
    struct cm_survey_row *rows; /* rows, sorted by distance, then by method */
    uint64_t row_count;
    uint64_t done;       /* number of distances whose rows are complete */
    atomic_bool stopped; /* true to count no further distance */
    /* crossovers, sorted by distance. NULL: the table lacks a method that is compared. */
    struct cm_survey_crossover *crossovers;
    uint64_t crossover_count;
};

/* table.c: makes a table of shifts without rows. Fails with CM_USAGE, or with the error of a
 * method, if the methods cannot shift over the nodes. The caller destroys the table in either case.
 */
enum cm_status cm_shift_table_create(const struct cm_shift_table_settings *settings,
                                     struct cm_shift_table **table, struct cm_error *err);
void cm_shift_table_destroy(struct cm_shift_table *table);
/* Counts the cycles of all rows, and calls `progress` after each distance with the number of
 * distances that are done. If cm_shift_table_stop is called in the meantime, the table keeps the
 * rows of the distances done until then. */
enum cm_status cm_shift_table_count(struct cm_shift_table *table,
                                    void (*progress)(void *context, uint64_t done, uint64_t total),
                                    void *context, struct cm_error *err);
/* Makes cm_shift_table_count end soon. `table` is a struct cm_shift_table. Safe in a signal
 * handler. */
void cm_shift_table_stop(void *table);
/* Returns the number of distances of the whole table. */
uint64_t cm_shift_table_distances(const struct cm_shift_table *table);
/* Returns true if some distances have not been counted. All texts that show the table then say how
 * many have been. */
bool cm_shift_table_is_partial(const struct cm_shift_table *table);
/* Appends, for each distance and method, the position of each message after each step, as in
 * figures 4.22 to 4.24 of the textbook. Fails with CM_USAGE on more than CM_NETWORK_TABLE_NODES_MAX
 * nodes. */
enum cm_status cm_shift_table_paths(const struct cm_shift_table *table, struct cm_buffer *text,
                                    struct cm_error *err);

/* show.c: these functions append the table as text for people, as JSON, and as CSV. */
void cm_shift_table_text(const struct cm_shift_table *table, struct cm_buffer *text);
void cm_shift_table_json(const struct cm_shift_table *table, struct cm_buffer *text);
void cm_shift_table_csv(const struct cm_shift_table *table, struct cm_buffer *text);
/* Appends one line of JSON, without a newline, with what the table was made of: machine, task,
 * command and version. */
void cm_shift_table_made_of(const struct cm_shift_table *table, struct cm_buffer *text);
/* Fails with CM_USAGE if the end of a path is not a format of figures. */
enum cm_status cm_shift_table_figure_check(const char *path, struct cm_error *err);
/* Appends the figure: cycles against distance, with a line for each method. The end of `path`
 * selects the format. */
enum cm_status cm_shift_table_figure(const struct cm_shift_table *table, const char *path,
                                     struct cm_buffer *out, struct cm_error *err);

#endif
