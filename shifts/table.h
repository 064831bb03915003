/*
 * cm200 shift --by all --method all: what circular shifts cost by each method, as one table. No
 * data move; programs/network/survey.h says how it is counted. Internal to cm200.
 */
#ifndef CM_SHIFTS_TABLE_H
#define CM_SHIFTS_TABLE_H

#include "../cli/step.h"
#include "../programs/network/survey.h"

#include <stdatomic.h>

/* The options of a table, as they were typed; NULL: not given. */
struct cli_shift_values {
    const struct cli_step_values *step;
    const char *by, *method, *shape, *words, *ts, *tw, *th, *csv, *figure;
    bool paths; /* --table: what moves where, for each q */
};

/* Whether --by or --method ask for a table: all, FIRST:LAST, a list, or a method that one shift
 * names by other options. */
bool cli_shift_is_table(const char *by, const char *method);

/* table.c: makes and prints the table. Returns the exit code. */
int cm_shift_table(const struct cli_shift_values *values);

/* A table, made. */
struct cm_shift_table {
    const struct cli_shift_values *values;
    struct cm_config config;
    struct cm_survey *survey;
    struct cm_survey_task task;
    uint32_t first, last, step; /* q */
    bool wanted[CM_SURVEY_COUNT];
    char left_out[CM_SURVEY_COUNT][200]; /* why these nodes cannot do it, of all methods */
    struct cm_survey_row *rows;
    uint64_t row_count;
    uint64_t done;                          /* q whose rows are all there */
    atomic_bool stopped;                    /* by a signal: no further q is counted */
    struct cm_survey_crossover *crossovers; /* NULL: not of both methods */
    uint64_t crossover_count;
};

/* show.c: the table for people, as JSON, as CSV and as a figure. */
void cm_shift_table_text(const struct cm_shift_table *table, struct cm_buffer *text);
void cm_shift_table_json(const struct cm_shift_table *table, struct cm_buffer *text);
void cm_shift_table_csv(const struct cm_shift_table *table, struct cm_buffer *text);
/* One line of JSON: what the table was made of. */
void cm_shift_table_made_of(const struct cm_shift_table *table, struct cm_buffer *text);
/* Whether a signal came before all q were counted: all of these but the first say how far. */
bool cm_shift_table_is_partial(const struct cm_shift_table *table);
/* Returns an exit code. */
int cm_shift_table_figure_check(const char *path);
int cm_shift_table_figure(const struct cm_shift_table *table);

#endif
