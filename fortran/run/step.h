/* This header declares the steps "program" and "call" of a workload, which run CM Fortran programs.
 * The commands, the debugger and the viewer call its functions. It is not installed. */
#ifndef CM_FORTRAN_STEP_H
#define CM_FORTRAN_STEP_H

#include "../../programs/workload/step.h"

struct cm_fortran_line;
struct cm_source;

/* Registers the steps "program" and "call". A command calls this function once, when it starts.
 * Returns false if there are too many kinds of steps. */
bool cm_fortran_register(void);

/* Returns the text that the program of a step has printed so far, or NULL for steps of other
 * kinds. */
const struct cm_buffer *cm_fortran_step_output(const struct cm_step_result *step);
/* Returns the records of the program's source lines, sorted by file and line, and the source.
 * Returns NULL for steps of other kinds. */
const struct cm_fortran_line *cm_fortran_step_lines(const struct cm_step_result *step,
                                                    uint32_t *count,
                                                    const struct cm_source **source);

/* Finds line number `i`, from 0, of the source lines on which statements begin, which are in no
 * particular order. Returns the number of the line in its file, and the file. Returns 0 past the
 * last line, and for steps of other kinds. */
uint32_t cm_fortran_step_line(const struct cm_step_result *step, uint32_t i, const char **file);
/* Returns array number `i`, from 0, of those arrays of the unit being executed that are on the
 * machine, and its name. Returns NULL past the last array, and for steps of other kinds. */
const struct cm_array *cm_fortran_step_array(const struct cm_step_result *step, uint32_t i,
                                             const char **name);
/* Finds the file and line of the statement that is being executed. Returns false before the first
 * statement, and for steps of other kinds. */
bool cm_fortran_step_statement(const struct cm_step_result *step, uint32_t *file, uint32_t *line);

/* An array of the main program, in the front end or on the machine. */
struct cm_fortran_values {
    const char *name; /* name in lower case */
    enum cm_type type;
    uint32_t rank;
    const uint64_t *extent;
    uint64_t elements; /* product of the extents */
};
/* Describes array number `i`, from 0, of those arrays of a step's main program that exist now.
 * Returns false past the last array, and for steps of other kinds. */
bool cm_fortran_step_values_at(const struct cm_step_result *step, uint32_t i,
                               struct cm_fortran_values *values);
/* Copies all elements of array number `i` to the caller's memory, in Fortran order. */
enum cm_status cm_fortran_step_values_read(const struct cm_step_result *step, uint32_t i,
                                           void *elements, struct cm_error *err);
/* Sets all elements of array number `i` of step number `step` before the run begins. The result
 * names the array and the SHA-256 of its elements under "given". */
enum cm_status cm_fortran_step_values_give(struct cm_run *run, uint32_t step, uint32_t i,
                                           const void *elements, struct cm_error *err);

#endif
