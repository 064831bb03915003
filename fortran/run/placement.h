/* Arrays of a program that is prepared as a step, and their homes, for `cm200 layout`. Not
 * installed. */
#ifndef CM_FORTRAN_PLACEMENT_H
#define CM_FORTRAN_PLACEMENT_H

#include "../check/program.h"

struct cm_step_result;

enum cm_fortran_home_kind {
    CM_FORTRAN_HOME_MACHINE,   /* on the machine: `array` has its layout */
    CM_FORTRAN_HOME_FRONT_END, /* in the front end: `extent` is known if the array is static */
    CM_FORTRAN_HOME_LATER,     /* on the machine, once its unit is called or it is allocated */
    CM_FORTRAN_HOME_ARGUMENT,  /* the home of the actual argument */
};

struct cm_fortran_home {
    enum cm_fortran_home_kind kind;
    const char *unit;
    const struct cm_fortran_variable *variable;
    const struct cm_array *array;
    const uint64_t *extent; /* NULL if not known yet */
};

/* Describes array number i of the program, counted unit by unit. An array of COMMON counts once.
 * Returns false past the last array, and for steps of other kinds. */
bool cm_fortran_step_home(const struct cm_step_result *step, uint32_t i,
                          struct cm_fortran_home *home);

#endif
