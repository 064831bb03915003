/* How far numbers are off, and curves through them. Public for those who judge a machine of their
 * own. */
#ifndef CM_PROGRAMS_VALIDATION_STATISTICS_H
#define CM_PROGRAMS_VALIDATION_STATISTICS_H

#include "../../base/export.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of the sizes |e| of relative errors e; all 0 when there are no errors. */
struct cm_statistics {
    uint32_t count;       /* how many errors */
    double median;        /* of an even number: the mean of the middle two */
    double mean;          /* arithmetic */
    double worst;         /* the error of largest size, with its sign; the first of several */
    uint32_t worst_index; /* where it stands */
};

/* Errors that are taken in, at most. */
#define CM_STATISTICS_MAX 128u

/* Of at most CM_STATISTICS_MAX errors; further ones are left out. */
CM_API struct cm_statistics cm_statistics_of(const double *errors, uint32_t count);

/* Terms of a fit, at most. */
#define CM_POLYNOMIAL_TERMS_MAX 4u

/*
 * Least squares of y = sum over j of coefficient[j] * x^power[j]; `terms` is at most
 * CM_POLYNOMIAL_TERMS_MAX. False when the points do not determine the coefficients.
 */
CM_API bool cm_polynomial_fit(const double *x, const double *y, uint32_t points,
                              const uint32_t *power, uint32_t terms, double *coefficient);

#ifdef __cplusplus
}
#endif

#endif
