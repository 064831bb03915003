/* cm200 shift when it makes a table of many shifts: with --by all, or --method with several names.
 */
#ifndef CM_CLI_SHIFT_TABLE_H
#define CM_CLI_SHIFT_TABLE_H

#include "step.h"

/* Options of a table of shifts, as they were typed. NULL: the option was not given. */
struct cli_shift_values {
    const struct cli_step_values *step;
    const char *by, *method, *shape, *words, *ts, *tw, *th, *csv, *figure;
    bool paths; /* --table: list the position of each message after each step */
};

/* Returns true if --by or --method ask for a table: all, FIRST:LAST, a list of methods, or a method
 * that a single shift selects by other options. */
bool cli_shift_is_table(const char *by, const char *method);

/* Makes the table of shifts, prints it, and writes it to files. Returns an exit code. */
int cli_shift_table(const struct cli_shift_values *values);

#endif
