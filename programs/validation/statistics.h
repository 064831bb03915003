/* Statistics of errors, and polynomial fits. Public, so that users can judge machines of their
 * own. */
#ifndef CM_PROGRAMS_VALIDATION_STATISTICS_H
#define CM_PROGRAMS_VALIDATION_STATISTICS_H

#include "../../base/export.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Statistics of the sizes |e| of relative errors e. All zeros without errors. */
struct cm_statistics {
    uint32_t count;       /* number of errors */
    double median;        /* median. The mean of the middle two if the number is even */
    double mean;          /* arithmetic mean */
    double worst;         /* error of largest size with its sign, the first of several */
    uint32_t worst_index; /* index of the worst error */
};

/* Largest number of errors of one statistic. */
#define CM_STATISTICS_MAX 128u

/* Computes the statistics of the first CM_STATISTICS_MAX errors and ignores further ones. */
CM_API struct cm_statistics cm_statistics_of(const double *errors, uint32_t count);

/* Largest number of terms of a fit. */
#define CM_POLYNOMIAL_TERMS_MAX 4u

/*
 * Fits y = sum over j of coefficient[j] * x^power[j] by least squares, with at most
 * CM_POLYNOMIAL_TERMS_MAX terms. Returns false if the points do not determine the coefficients.
 */
CM_API bool cm_polynomial_fit(const double *x, const double *y, uint32_t points,
                              const uint32_t *power, uint32_t terms, double *coefficient);

#ifdef __cplusplus
}
#endif

#endif
