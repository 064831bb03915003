/* This header declares the bounds of single elements, by operation and function (approximate.h). It
 * is not installed. */
#ifndef CM_FORTRAN_APPROXIMATE_ELEMENT_H
#define CM_FORTRAN_APPROXIMATE_ELEMENT_H

#include "approximate.h"

#define CM_APPROXIMATE_ARGS 16u /* largest number of arguments of an operation or function */

/* A scalar value and its absolute bound. */
struct cm_fortran_point {
    enum cm_type type;
    union cm_fortran_value value;
    double bound;
};

/* Returns the bound of `made`, which is the value of an operation, a conversion or an elemental
 * function for the arguments `args`. */
double cm_fortran_bound(const struct cm_fortran_expression *expression,
                        const struct cm_fortran_point *args, const struct cm_fortran_point *made);
/* Returns true for an elemental function that the machine computes by a routine, whose rounding
 * differs from the front end's. */
bool cm_fortran_is_routine(const struct cm_fortran_expression *call);
/* Returns the absolute value of a real number, or the sum of the absolute values of the parts of a
 * complex number. */
double cm_fortran_norm(enum cm_type type, const union cm_fortran_value *value);
/* Returns the distance from 1 to the next greater number of a real type, or of the type of a
 * complex type's parts. */
double cm_fortran_epsilon(enum cm_type type);

#endif
