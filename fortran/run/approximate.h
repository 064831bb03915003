/*
 * Values of the direct evaluation (direct.h) with bounds of how far the machine's may be from them.
 * What the machine computes bit for bit has the bound 0. SUM, PRODUCT, DOT_PRODUCT and MATMUL of
 * reals add in another order: n EPSILON of the sum of magnitudes. Routines as EXP are within 2 ulp
 * (docs/programs/elementwise.md has their ranges; beyond these nothing is compared). Operations on
 * such values carry the bounds on. Not installed.
 */
#ifndef CM_FORTRAN_APPROXIMATE_H
#define CM_FORTRAN_APPROXIMATE_H

#include "../host/evaluate.h"

struct cm_fortran_approximate {
    struct cm_fortran_array *value; /* in the front end */
    double *bounds; /* of each element, absolute; of a complex one for both parts; infinite: any
                       value is right. NULL: zeros */
};

/* Evaluates an expression whose arrays are all in the front end. *done is false if it is of a kind
 * that bounds cannot be given for; then and after an error there is no value. */
enum cm_status cm_fortran_approximate(struct cm_fortran_run *run,
                                      const struct cm_fortran_expression *expression,
                                      struct cm_fortran_approximate *result, bool *done);
void cm_fortran_approximate_finish(struct cm_fortran_run *run,
                                   struct cm_fortran_approximate *approximate);
/* Whether any value of an expression may have a bound other than 0. */
bool cm_fortran_is_approximate(struct cm_fortran_run *run,
                               const struct cm_fortran_expression *expression);

#endif
