/*
 * This header declares the direct evaluation (direct.h) with bounds. The bound of a value is the
 * largest allowed difference between the machine's value and the front end's.
 *
 * A value that the machine computes bit for bit has the bound 0. On the machine, SUM, PRODUCT,
 * DOT_PRODUCT and MATMUL of reals combine elements in another order. The bound of a sum of n terms
 * is n EPSILON times the sum of their magnitudes. Routines such as EXP are within 2 ulp, for the
 * arguments that docs/programs/elementwise.md gives. Values for other arguments are not compared.
 * An operation on values with bounds gives a value with a bound. This header is not installed.
 */
#ifndef CM_FORTRAN_APPROXIMATE_H
#define CM_FORTRAN_APPROXIMATE_H

#include "../host/evaluate.h"

struct cm_fortran_approximate {
    struct cm_fortran_array *value; /* value of the expression, in the front end */
    /* Absolute bound of each element, which holds for each part of a complex element. Infinite if
     * any value is right. NULL if all bounds are 0. */
    double *bounds;
};

/* Evaluates an expression, with bounds, whose arrays are all in the front end. Sets *done to false
 * if this kind of expression has no rule for bounds. Then, and after an error, `result` needs no
 * finish. */
enum cm_status cm_fortran_approximate(struct cm_fortran_run *run,
                                      const struct cm_fortran_expression *expression,
                                      struct cm_fortran_approximate *result, bool *done);
void cm_fortran_approximate_finish(struct cm_fortran_run *run,
                                   struct cm_fortran_approximate *approximate);
/* Returns true if the expression may have a value whose bound is not 0. */
bool cm_fortran_is_approximate(struct cm_fortran_run *run,
                               const struct cm_fortran_expression *expression);

#endif
