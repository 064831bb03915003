/* What the routines of EXP, SIN and the like share. All work on 64-bit numbers; `single`: of a
 * 32-bit argument, for a 32-bit result, so that shorter polynomials do. */
#ifndef CM_PROGRAMS_ELEMENTWISE_ROUTINES_H
#define CM_PROGRAMS_ELEMENTWISE_ROUTINES_H

#include "micro.h"

/* Coefficients, the constant term first, from coefficients.py. */
struct cm_polynomial {
    const double *coefficients;
    uint32_t count;
};
#define CM_POLYNOMIAL(array) ((struct cm_polynomial){(array), sizeof(array) / sizeof((array)[0])})

uint32_t cm_routine_polynomial(struct cm_lower *lower, struct cm_polynomial polynomial, uint32_t z);

/*
 * x = n * unit + rest, n whole and nearest. *n is n's double, the low word of *sum is n modulo
 * 2^32: adding 3 * 2^51 moves a number's last bit to the place of 1.
 */
void cm_routine_nearest(struct cm_lower *lower, uint32_t x, double one_by_unit, uint32_t *n,
                        uint32_t *sum);

/* A number as a sum of two doubles, the second below an ulp of the first. */
struct cm_sum {
    uint32_t high, low;
};
/* a + b and a b, exactly. */
struct cm_sum cm_exact_sum(struct cm_lower *lower, uint32_t a, uint32_t b);
struct cm_sum cm_exact_product(struct cm_lower *lower, uint32_t a, uint32_t b);
/* The half of a number that has its upper 26 bits, and the rest. */
struct cm_sum cm_halves(struct cm_lower *lower, uint32_t x);

/* e^x = 2^n (high + low), low below an ulp of high; n is the low word of *n. */
struct cm_sum cm_routine_exp_parts(struct cm_lower *lower, uint32_t x, uint32_t *n);
/* x 2^n, in two steps where 2^n itself may be out of range. */
uint32_t cm_routine_scaled(struct cm_lower *lower, bool single, uint32_t x, uint32_t n);

/* A positive number as 2^n (1 + f). */
struct cm_apart {
    uint32_t n; /* a double */
    uint32_t f;
};
struct cm_apart cm_take_apart(struct cm_lower *lower, bool single, uint32_t x);
/* The logarithm of x where it is special, else `result`. */
uint32_t cm_special_log(struct cm_lower *lower, uint32_t x, uint32_t result);

/* e^(high + low); low is not used where the result is 0 or infinite. */
uint32_t cm_routine_exp_of_sum(struct cm_lower *lower, struct cm_sum x);
uint32_t cm_routine_exp(struct cm_lower *lower, bool single, uint32_t x);
uint32_t cm_routine_log(struct cm_lower *lower, bool single, uint32_t x);
uint32_t cm_routine_log10(struct cm_lower *lower, bool single, uint32_t x);
/* SINH, COSH, TANH. */
uint32_t cm_routine_hyperbolic(struct cm_lower *lower, enum cm_expression_op op, bool single,
                               uint32_t x);
/* SIN, COS, TAN; ASIN, ACOS; ATAN; ATAN2. */
uint32_t cm_routine_circular(struct cm_lower *lower, enum cm_expression_op op, bool single,
                             uint32_t x);
uint32_t cm_routine_arc(struct cm_lower *lower, enum cm_expression_op op, bool single, uint32_t x);
uint32_t cm_routine_atan(struct cm_lower *lower, bool single, uint32_t x);
uint32_t cm_routine_atan2(struct cm_lower *lower, bool single, uint32_t y, uint32_t x);

#endif
