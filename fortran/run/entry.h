/* This header declares calls of a Fortran subroutine from outside of a program, with arrays of the
 * system as arguments. It is not installed. */
#ifndef CM_FORTRAN_ENTRY_H
#define CM_FORTRAN_ENTRY_H

#include "run.h"

/* An actual argument: an array on the machine, or a scalar of the dummy argument's type. The
 * subroutine gets a copy of the scalar, which it may change. */
struct cm_fortran_actual {
    struct cm_array *array; /* array on the machine, or NULL for a scalar */
    union cm_fortran_value value;
};

/* Returns the subroutine of this name, whose case does not matter. If the program lacks it, returns
 * NULL and sets an error that suggests a similar name. */
const struct cm_fortran_unit *cm_fortran_find_subroutine(const struct cm_fortran_program *program,
                                                         const char *name, struct cm_error *err);
/*
 * Calls a subroutine. `actuals` has as many arguments as the subroutine. The caller makes sure that
 * arrays have the types and ranks of the dummy arguments. Variables with SAVE keep their values for
 * the next call. A STOP ends the call without an error. Fails like cm_fortran_run_execute(), and
 * with CM_BAD_INPUT if an array does not have the declared shape.
 */
enum cm_status cm_fortran_run_call(struct cm_fortran_run *run, const struct cm_fortran_unit *unit,
                                   const struct cm_fortran_actual *actuals, struct cm_error *err);

#endif
