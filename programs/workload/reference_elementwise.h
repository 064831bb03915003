/*
 * Direct evaluation of array statements on the host, element by element. Each operation follows the
 * Fortran standard and gfortran, by C's own arithmetic on an expression tree. This code must not
 * share code with the compiler of programs/elementwise.
 *
 * Functions such as EXP need not agree to the last bit, so each number has a bound of its error.
 * The bound is 0 for an exact number. It is infinite if nothing is known about the error, as for a
 * comparison of inexact numbers.
 */
#ifndef CM_TESTS_PROPERTY_ELEMENTWISE_CM_REFERENCE_H
#define CM_TESTS_PROPERTY_ELEMENTWISE_CM_REFERENCE_H

#include "../elementwise/expression.h"

/* Number of any type. Integers and logicals are in `whole`. Other numbers are in `re` and `im`,
 * which hold 32-bit numbers exactly. */
struct cm_reference_number {
    enum cm_type type;
    int32_t whole;
    double re, im;
    double error; /* bound of the error of the real part and of the imaginary part */
};

enum cm_reference_leaf {
    CM_REFERENCE_ARRAY = CM_EXPRESSION_OP_COUNT,
    CM_REFERENCE_SCALAR,
    CM_REFERENCE_CONSTANT,
    CM_REFERENCE_INDEX,
    CM_REFERENCE_CONVERT
};

struct cm_reference_tree {
    int op; /* operation (enum cm_expression_op), or kind of leaf (enum cm_reference_leaf) */
    enum cm_type type;
    uint32_t leaf; /* number of the array, scalar or axis of a leaf */
    struct cm_reference_number value;
    const struct cm_reference_tree *operands[3];
};

/* Values of the leaves of a tree, for the evaluation of one element. */
struct cm_reference_leaves {
    const struct cm_reference_number *arrays;
    const struct cm_reference_number *scalars;
    const int32_t *indices;
};

struct cm_reference_number cm_reference_evaluate(const struct cm_reference_tree *tree,
                                                 const struct cm_reference_leaves *leaves);
/* Read a number from an element of an array on the host or from the bits of a scalar (read), and
 * write a number as such an element (write). */
struct cm_reference_number cm_reference_read(enum cm_type type, const void *element);
void cm_reference_write(const struct cm_reference_number *number, void *element);
/* Returns true if two numbers are equal bit for bit, or differ by at most the error bound of `b`.
 * Two NaNs are equal. */
bool cm_reference_same(const struct cm_reference_number *a, const struct cm_reference_number *b);

#endif
