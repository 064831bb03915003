/* The steps "program" and "call" of a workload, which run CM Fortran programs. The functions answer
 * the commands, the debugger and the viewer. Not installed. */
#ifndef CM_FORTRAN_STEP_H
#define CM_FORTRAN_STEP_H

#include "../../programs/workload/step.h"

struct cm_fortran_line;
struct cm_source;

/* Registers both kinds of steps. Called once, when a command starts. Returns false if there are too
 * many kinds. */
bool cm_fortran_register(void);

/* Returns the text that a program has printed so far, or NULL for steps of other kinds. */
const struct cm_buffer *cm_fortran_step_output(const struct cm_step_result *step);
/* Returns the records of the source lines, sorted by file and line, and their source. Returns NULL
 * for steps of other kinds. */
const struct cm_fortran_line *cm_fortran_step_lines(const struct cm_step_result *step,
                                                    uint32_t *count,
                                                    const struct cm_source **source);

/* Finds line `i`, from 0, of the source lines on which statements begin, in no order. Returns the
 * line and its file, 0 past the last line, and for steps of other kinds. */
uint32_t cm_fortran_step_line(const struct cm_step_result *step, uint32_t i, const char **file);
/* Returns array `i`, from 0, on the machine of the unit being executed, and its name. Returns NULL
 * past the last array, and for steps of other kinds. */
const struct cm_array *cm_fortran_step_array(const struct cm_step_result *step, uint32_t i,
                                             const char **name);
/* Finds the file and line of the statement being executed. Returns false before the first
 * statement, and for steps of other kinds. */
bool cm_fortran_step_statement(const struct cm_step_result *step, uint32_t *file, uint32_t *line);

#endif
