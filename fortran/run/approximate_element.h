/* Bounds of single elements, by operation and function (approximate.h). Not installed. */
#ifndef CM_FORTRAN_APPROXIMATE_ELEMENT_H
#define CM_FORTRAN_APPROXIMATE_ELEMENT_H

#include "approximate.h"

#define CM_APPROXIMATE_ARGS 16u /* most arguments of an operation or function */

/* A value and its absolute bound. */
struct cm_fortran_point {
    enum cm_type type;
    union cm_fortran_value value;
    double bound;
};

/* Returns the bound of `made`, the value that an operation, a conversion or an elemental function
 * has for the arguments. */
double cm_fortran_bound(const struct cm_fortran_expression *expression,
                        const struct cm_fortran_point *args, const struct cm_fortran_point *made);
/* Returns true for an elemental function that is a routine of the machine. A routine rounds in its
 * own way. */
bool cm_fortran_is_routine(const struct cm_fortran_expression *call);
/* Returns the absolute value, for a complex number the sum of the absolute values of its parts. */
double cm_fortran_norm(enum cm_type type, const union cm_fortran_value *value);
/* Returns the distance from 1 to the next greater number of a real type, or of a complex type's
 * parts. */
double cm_fortran_epsilon(enum cm_type type);

#endif
