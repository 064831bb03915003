/* The arrays of a program that is prepared as a step, and their homes, for `cm200 layout`. Not
 * installed. */
#ifndef CM_FORTRAN_PLACEMENT_H
#define CM_FORTRAN_PLACEMENT_H

#include "../check/program.h"

struct cm_step_result;

enum cm_fortran_home_kind {
    CM_FORTRAN_HOME_MACHINE,   /* `array` is laid */
    CM_FORTRAN_HOME_FRONT_END, /* `extent` holds its shape if it is known: static */
    CM_FORTRAN_HOME_LATER,     /* on the machine, once its unit is called or it is allocated */
    CM_FORTRAN_HOME_ARGUMENT,  /* that of the actual argument */
};

struct cm_fortran_home {
    enum cm_fortran_home_kind kind;
    const char *unit;
    const struct cm_fortran_variable *variable;
    const struct cm_array *array;
    const uint64_t *extent; /* NULL: not known yet */
};

/* Array number i of the program, unit by unit; an array of COMMON once. False past the last, and
 * for other kinds of steps. */
bool cm_fortran_step_home(const struct cm_step_result *step, uint32_t i,
                          struct cm_fortran_home *home);

#endif
