/* Computes 95 % intervals of means. */
#include "confidence.h"

#include <math.h>

#define DECIMALS_MAX    6
#define CORRELATION_MAX 0.95

double cm_student(uint32_t freedom)
{
    static const double few[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262};
    const double z = 1.959964, n = freedom, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
    if (freedom <= sizeof few / sizeof few[0])
        return few[freedom > 0 ? freedom - 1 : 0];
    /* Formula 26.7.5 of Abramowitz and Stegun approximates Student's t for many degrees of
     * freedom. */
    return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n) +
           (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * n * n * n);
}

struct cm_interval cm_interval_of_means(const double *values, uint32_t count)
{
    struct cm_interval interval = {.known = count > 1};
    double squares = 0;
    for (uint32_t i = 0; i < count; i++)
        interval.mean += values[i] / count;
    for (uint32_t i = 0; i < count; i++)
        squares += (values[i] - interval.mean) * (values[i] - interval.mean);
    if (interval.known)
        interval.half = cm_student(count - 1) * sqrt(squares / (count - 1.0) / count);
    return interval;
}

/* Returns the factor by which the correlation of successive batches multiplies the variance of
 * their mean. `measured` is the autocorrelation of successive batches as computed from `count`
 * batches. If r is the true autocorrelation, `measured` is too small by about (1 + 3 r) / count
 * (Kendall, Biometrika 41, 1954). */
static double variance_factor(double measured, uint32_t count)
{
    const double r = fmin(measured + (1 + 3 * fmax(measured, 0)) / count, CORRELATION_MAX);
    return r * sqrt(count) > 1 ? (1 + r) / (1 - r) : 1;
}

struct cm_interval cm_interval_of_batches(const double *sums, const double *counts, uint32_t count)
{
    struct cm_interval interval = {0};
    double sum = 0, all = 0, squares = 0, products = 0, before = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += sums[i];
        all += counts[i];
    }
    if (all <= 0)
        return interval;
    interval.mean = sum / all;
    for (uint32_t i = 0; i < count; i++) {
        const double residual = sums[i] - interval.mean * counts[i];
        squares += residual * residual;
        products += residual * before;
        before = residual;
    }
    const double factor = variance_factor(squares > 0 ? products / squares : 0, count);
    const double variance = squares * count / (count - 1.0) / (all * all);
    const double freedom = fmax(count / factor - 1, 1);
    interval.known = count > 1;
    interval.half = cm_student((uint32_t)freedom) * sqrt(variance * factor);
    return interval;
}

int cm_interval_decimals(double half)
{
    if (!(half > 0))
        return DECIMALS_MAX;
    const double decimals = 1 - floor(log10(half));
    return (int)fmin(fmax(decimals, 0), DECIMALS_MAX);
}
