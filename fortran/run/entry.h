/* Calling a subroutine from outside of a program, with arrays of the system. Not installed. */
#ifndef CM_FORTRAN_ENTRY_H
#define CM_FORTRAN_ENTRY_H

#include "run.h"

/* An actual argument: an array on the machine, or a scalar of the dummy's type. The subroutine may
 * change its own copy of the scalar. */
struct cm_fortran_actual {
    struct cm_array *array; /* NULL for a scalar */
    union cm_fortran_value value;
};

/* Returns the subroutine of this name, in either case. Otherwise returns NULL, with an error that
 * suggests a similar name. */
const struct cm_fortran_unit *cm_fortran_find_subroutine(const struct cm_fortran_program *program,
                                                         const char *name, struct cm_error *err);
/*
 * Calls a subroutine. `actuals` has as many arguments as the subroutine, and arrays have the
 * dummies' types and ranks. Variables with SAVE keep their values for the next call. A STOP ends
 * the call. Returns CM_BAD_INPUT as cm_fortran_run_execute, and if an array does not have the
 * declared shape.
 */
enum cm_status cm_fortran_run_call(struct cm_fortran_run *run, const struct cm_fortran_unit *unit,
                                   const struct cm_fortran_actual *actuals, struct cm_error *err);

#endif
