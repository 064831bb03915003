/*
 * Direct evaluation (direct.h) with bounds: how far the machine's value may be from the front
 * end's.
 *
 * A value that the machine computes bit for bit has the bound 0. SUM, PRODUCT, DOT_PRODUCT and
 * MATMUL of reals add in another order: their bound is n EPSILON times the sum of the magnitudes.
 * Routines such as EXP are within 2 ulp, in the ranges that docs/programs/elementwise.md gives.
 * Beyond these ranges nothing is compared. An operation on values with bounds gives a value with a
 * bound. Not installed.
 */
#ifndef CM_FORTRAN_APPROXIMATE_H
#define CM_FORTRAN_APPROXIMATE_H

#include "../host/evaluate.h"

struct cm_fortran_approximate {
    struct cm_fortran_array *value; /* in the front end */
    /* Absolute bound of each element, for each part of a complex one. Infinite: any value is right.
     * NULL: all are zero. */
    double *bounds;
};

/* Evaluates an expression whose arrays are all in the front end. Sets *done to false if no bounds
 * can be given for this kind of expression. In this case, and after an error, there is no value to
 * finish. */
enum cm_status cm_fortran_approximate(struct cm_fortran_run *run,
                                      const struct cm_fortran_expression *expression,
                                      struct cm_fortran_approximate *result, bool *done);
void cm_fortran_approximate_finish(struct cm_fortran_run *run,
                                   struct cm_fortran_approximate *approximate);
/* Returns true if a value of the expression may have a bound other than 0. */
bool cm_fortran_is_approximate(struct cm_fortran_run *run,
                               const struct cm_fortran_expression *expression);

#endif
