/* A subroutine called from outside, with arrays of the system. Not installed. */
#ifndef CM_FORTRAN_ENTRY_H
#define CM_FORTRAN_ENTRY_H

#include "run.h"

/* An actual argument: an array on the machine, or the value of a scalar of the dummy's type, which
 * the subroutine may change for itself. */
struct cm_fortran_actual {
    struct cm_array *array; /* NULL: a scalar */
    union cm_fortran_value value;
};

/* The subroutine of that name, in either case; NULL, with an error that names the nearest one. */
const struct cm_fortran_unit *cm_fortran_find_subroutine(const struct cm_fortran_program *program,
                                                         const char *name, struct cm_error *err);
/*
 * Calls it; there are as many arguments as it has, and arrays have its types and ranks. What is
 * SAVEd stays for the next call. A STOP ends the call. CM_BAD_INPUT, with the place in the source,
 * as cm_fortran_run_execute, and where an array does not have the declared shape.
 */
enum cm_status cm_fortran_run_call(struct cm_fortran_run *run, const struct cm_fortran_unit *unit,
                                   const struct cm_fortran_actual *actuals, struct cm_error *err);

#endif
