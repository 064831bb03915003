/* Bounds of one element (approximate.h). Not installed. */
#ifndef CM_FORTRAN_APPROXIMATE_ELEMENT_H
#define CM_FORTRAN_APPROXIMATE_ELEMENT_H

#include "approximate.h"

#define CM_APPROXIMATE_ARGS 16u /* of an operation or function */

/* A value that is known up to a bound. */
struct cm_fortran_point {
    enum cm_type type;
    union cm_fortran_value value;
    double bound;
};

/* The bound of the value `made` that an operation, conversion or elemental function has of the
 * points. */
double cm_fortran_bound(const struct cm_fortran_expression *expression,
                        const struct cm_fortran_point *args, const struct cm_fortran_point *made);
/* Whether an elemental function is a routine of the machine, which rounds in its own way. */
bool cm_fortran_is_routine(const struct cm_fortran_expression *call);
/* Absolute value; of a complex number the sum of the parts' absolute values. */
double cm_fortran_norm(enum cm_type type, const union cm_fortran_value *value);
/* Distance of 1 from the next number of a type or its parts. */
double cm_fortran_epsilon(enum cm_type type);

#endif
