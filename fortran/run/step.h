/* The step program: a CM Fortran program as a step of a workload. Not installed. */
#ifndef CM_FORTRAN_STEP_H
#define CM_FORTRAN_STEP_H

#include "../../programs/workload/step.h"

struct cm_fortran_line;
struct cm_source;

/* Makes the kinds of steps of this room known. Once, when a program starts; false when there are
 * too many kinds. */
bool cm_fortran_register(void);

/* What a step program printed so far; NULL for other kinds. */
const struct cm_buffer *cm_fortran_step_output(const struct cm_step_result *step);
/* What its lines took, by file and line, and the source that they are in. NULL for other kinds. */
const struct cm_fortran_line *cm_fortran_step_lines(const struct cm_step_result *step,
                                                    uint32_t *count,
                                                    const struct cm_source **source);

/* Line `i` of those on which statements of a program begin, in no order, and its file; 0 past the
 * last, and for other kinds. */
uint32_t cm_fortran_step_line(const struct cm_step_result *step, uint32_t i, const char **file);
/* Array `i` that the unit under way has on the machine, and its name; NULL past the last, and for
 * other kinds. */
const struct cm_array *cm_fortran_step_array(const struct cm_step_result *step, uint32_t i,
                                             const char **name);
/* The statement that is being played, as file and line; false when none is, and for other kinds. */
bool cm_fortran_step_statement(const struct cm_step_result *step, uint32_t *file, uint32_t *line);

#endif
