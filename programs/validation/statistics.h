/* Statistics of errors, and polynomial fits. This header is public, so that users can judge
 * machines of their own. */
#ifndef CM_PROGRAMS_VALIDATION_STATISTICS_H
#define CM_PROGRAMS_VALIDATION_STATISTICS_H

#include "../../base/export.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Statistics of the sizes |e| of relative errors e. All members are 0 without errors. */
struct cm_statistics {
    uint32_t count; /* number of errors */
    /* median of the sizes: the mean of the middle two if the number of errors is even */
    double median;
    double mean;  /* arithmetic mean of the sizes */
    double worst; /* error of largest size, with its sign. The first of several such errors */
    uint32_t worst_index; /* index of the worst error */
};

/* Largest number of errors of one statistic. */
#define CM_STATISTICS_MAX 128u

/* Computes the statistics of the first CM_STATISTICS_MAX errors and ignores the others. */
CM_API struct cm_statistics cm_statistics_of(const double *errors, uint32_t count);

/* Largest number of terms of a polynomial fit. */
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
