/*
 * Functions such as EXP and SIN as micro code without branches: argument reduction, then a
 * polynomial. All functions compute on 64-bit numbers. If `single` is true, argument and result
 * have 32 bits, so that a shorter polynomial suffices.
 */
#ifndef CM_PROGRAMS_ELEMENTWISE_ROUTINES_H
#define CM_PROGRAMS_ELEMENTWISE_ROUTINES_H

#include "micro.h"

/* Polynomial, whose constant term comes first. coefficients.py prints the coefficients. */
struct cm_polynomial {
    const double *coefficients;
    uint32_t count;
};
#define CM_POLYNOMIAL(array) ((struct cm_polynomial){(array), sizeof(array) / sizeof((array)[0])})

uint32_t cm_routine_polynomial(struct cm_lower *lower, struct cm_polynomial polynomial, uint32_t z);

/*
 * Splits x = n * unit + rest, where n is the nearest whole number and one_by_unit is 1 / unit. *n
 * is the entry of n as a double. The low word of *sum is n modulo 2^32, because adding 3 * 2^51
 * moves the last whole bit of a double to its lowest bit.
 */
void cm_routine_nearest(struct cm_lower *lower, uint32_t x, double one_by_unit, uint32_t *n,
                        uint32_t *sum);

/* A number as a sum of two doubles. `low` is less than an ulp (unit in the last place) of
 * `high`. */
struct cm_sum {
    uint32_t high, low;
};
/* These functions compute a + b and a * b exactly, as a sum of two doubles. */
struct cm_sum cm_exact_sum(struct cm_lower *lower, uint32_t a, uint32_t b);
struct cm_sum cm_exact_product(struct cm_lower *lower, uint32_t a, uint32_t b);
/* Splits a number into its upper 26 bits (high) and the rest (low). */
struct cm_sum cm_halves(struct cm_lower *lower, uint32_t x);

/* Computes e^x = 2^n (high + low), where `low` is less than an ulp of `high`. n is the low word of
 * *n. */
struct cm_sum cm_routine_exp_parts(struct cm_lower *lower, uint32_t x, uint32_t *n);
/* Computes x 2^n. Takes two steps if 2^n itself may be out of range. */
uint32_t cm_routine_scaled(struct cm_lower *lower, bool single, uint32_t x, uint32_t n);

/* A positive number as 2^n (1 + f). */
struct cm_frexp {
    uint32_t n; /* entry of n as a double */
    uint32_t f;
};
struct cm_frexp cm_routine_frexp(struct cm_lower *lower, bool single, uint32_t x);
/* Returns the logarithm of x if x is zero, negative, infinite or NaN, or else `result`. */
uint32_t cm_special_log(struct cm_lower *lower, uint32_t x, uint32_t result);

/* Computes e^(high + low). Does not use `low` if the result is 0 or infinite. */
uint32_t cm_routine_exp_of_sum(struct cm_lower *lower, struct cm_sum x);
uint32_t cm_routine_exp(struct cm_lower *lower, bool single, uint32_t x);
uint32_t cm_routine_log(struct cm_lower *lower, bool single, uint32_t x);
uint32_t cm_routine_log10(struct cm_lower *lower, bool single, uint32_t x);
/* Computes SINH, COSH or TANH, depending on `op`. */
uint32_t cm_routine_hyperbolic(struct cm_lower *lower, enum cm_expression_op op, bool single,
                               uint32_t x);
/* These functions compute SIN, COS or TAN (circular), ASIN or ACOS (arc), ATAN, and ATAN2. */
uint32_t cm_routine_circular(struct cm_lower *lower, enum cm_expression_op op, bool single,
                             uint32_t x);
uint32_t cm_routine_arc(struct cm_lower *lower, enum cm_expression_op op, bool single, uint32_t x);
uint32_t cm_routine_atan(struct cm_lower *lower, bool single, uint32_t x);
uint32_t cm_routine_atan2(struct cm_lower *lower, bool single, uint32_t y, uint32_t x);

#endif
