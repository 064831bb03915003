/* Median, mean and worst of errors, and polynomial fits by least squares, which solve the normal
 * equations. */
#include "statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct cm_statistics cm_statistics_of(const double *errors, uint32_t count)
{
    double sizes[CM_STATISTICS_MAX];
    struct cm_statistics found = {0};
    if (count > CM_STATISTICS_MAX)
        count = CM_STATISTICS_MAX;
    if (count == 0)
        return found;
    for (uint32_t i = 0; i < count; i++) {
        sizes[i] = fabs(errors[i]);
        found.mean += sizes[i] / count;
        if (i == 0 || sizes[i] > fabs(found.worst)) {
            found.worst = errors[i];
            found.worst_index = i;
        }
    }
    qsort(sizes, count, sizeof *sizes, compare_doubles);
    found.count = count;
    found.median = (sizes[(count - 1) / 2] + sizes[count / 2]) / 2;
    return found;
}

static double power_of(double x, uint32_t power)
{
    double product = 1;
    while (power-- > 0)
        product *= x;
    return product;
}

struct system_of_equations {
    /* coefficients of an equation, then its right side */
    double row[CM_POLYNOMIAL_TERMS_MAX][CM_POLYNOMIAL_TERMS_MAX + 1];
    uint32_t size;
};

static void swap_rows(struct system_of_equations *system, uint32_t i, uint32_t j)
{
    double kept[CM_POLYNOMIAL_TERMS_MAX + 1];
    memcpy(kept, system->row[i], sizeof kept);
    memcpy(system->row[i], system->row[j], sizeof kept);
    memcpy(system->row[j], kept, sizeof kept);
}

/* Solves the equations by Gauss-Jordan elimination with the largest pivot of each column. Returns
 * false if they have no single solution. */
static bool solve(struct system_of_equations *system, double *solution)
{
    uint32_t n = system->size;
    for (uint32_t c = 0; c < n; c++) {
        uint32_t pivot = c;
        for (uint32_t i = c + 1; i < n; i++)
            pivot = fabs(system->row[i][c]) > fabs(system->row[pivot][c]) ? i : pivot;
        /* The bound is relative, because the rows are scaled. */
        if (!(fabs(system->row[pivot][c]) > 1e-12))
            return false;
        swap_rows(system, c, pivot);
        for (uint32_t i = 0; i < n; i++) {
            double factor = system->row[i][c] / system->row[c][c];
            for (uint32_t k = c; i != c && k <= n; k++)
                system->row[i][k] -= factor * system->row[c][k];
        }
    }
    for (uint32_t c = 0; c < n; c++)
        solution[c] = system->row[c][n] / system->row[c][c];
    return true;
}

bool cm_polynomial_fit(const double *x, const double *y, uint32_t points, const uint32_t *power,
                       uint32_t terms, double *coefficient)
{
    struct system_of_equations normal = {.size = terms};
    /* largest |x|. Each x is divided by the scale, so that all powers are at most 1 */
    double scale = 0;
    if (points < terms || terms == 0 || terms > CM_POLYNOMIAL_TERMS_MAX)
        return false;
    for (uint32_t p = 0; p < points; p++)
        scale = fmax(scale, fabs(x[p]));
    if (!(scale > 0))
        return false;
    for (uint32_t p = 0; p < points; p++) {
        for (uint32_t i = 0; i < terms; i++) {
            double left = power_of(x[p] / scale, power[i]);
            for (uint32_t j = 0; j < terms; j++)
                normal.row[i][j] += left * power_of(x[p] / scale, power[j]);
            normal.row[i][terms] += left * y[p];
        }
    }
    if (!solve(&normal, coefficient))
        return false;
    for (uint32_t j = 0; j < terms; j++)
        coefficient[j] /= power_of(scale, power[j]);
    return true;
}
