/*
 * Intervals that contain a mean with a probability of 95 %. Student's t is used, because the
 * variance is estimated from the values that the mean is computed from. This header is internal to
 * the library.
 */
#ifndef CM_PROGRAMS_NETWORK_CONFIDENCE_H
#define CM_PROGRAMS_NETWORK_CONFIDENCE_H

#include <stdbool.h>
#include <stdint.h>

/* A mean, and half the width of its interval. */
struct cm_interval {
    double mean, half;
    bool known; /* false if there are too few values to determine the interval */
};

/* Returns the 97.5 % quantile of Student's t with `freedom` degrees of freedom, at least 1. */
double cm_student(uint32_t freedom);

/* Returns the interval of the mean of `count` independent values. */
struct cm_interval cm_interval_of_means(const double *values, uint32_t count);

/*
 * Returns the interval of sum(sums) / sum(counts) over batches of a series (Law, Simulation
 * Modeling and Analysis, 9.5.3, with the ratio's residuals). Correlated batches widen the interval.
 * Let r be the autocorrelation of successive batches, corrected for its bias. If r is above its
 * standard error, the variance is multiplied by (1 + r) / (1 - r), and the number of batches that
 * Student's t is computed for is divided by this factor.
 */
struct cm_interval cm_interval_of_batches(const double *sums, const double *counts, uint32_t count);

/* Returns how many digits after the point show two digits of a half width: 0 to 6. */
int cm_interval_decimals(double half);

#endif
