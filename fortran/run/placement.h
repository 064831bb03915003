/* This header lists the arrays of a program that is a step of a workload, and says whether they are
 * in the front end or on the machine, for `cm200 layout`. It is not installed. */
#ifndef CM_FORTRAN_PLACEMENT_H
#define CM_FORTRAN_PLACEMENT_H

#include "../check/program.h"

struct cm_step_result;

enum cm_fortran_home_kind {
    CM_FORTRAN_HOME_MACHINE,   /* on the machine, with the layout of `array` */
    CM_FORTRAN_HOME_FRONT_END, /* in the front end. `extent` is known if the array is static */
    /* on the machine, as soon as its unit is called or it is allocated */
    CM_FORTRAN_HOME_LATER,
    /* where the actual argument is, on the machine or in the front end */
    CM_FORTRAN_HOME_ARGUMENT,
};

struct cm_fortran_home {
    enum cm_fortran_home_kind kind;
    const char *unit;
    const struct cm_fortran_variable *variable;
    const struct cm_array *array;
    const uint64_t *extent; /* extents, or NULL if they are not known yet */
};

/* Describes array number i of the program. The numbers count the arrays of all units, unit by unit.
 * An array of COMMON counts once. Returns false past the last array, and if the step does not run a
 * program. */
bool cm_fortran_step_home(const struct cm_step_result *step, uint32_t i,
                          struct cm_fortran_home *home);

#endif
