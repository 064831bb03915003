/*
 * Array statements evaluated on the host, element by element, as the Fortran standard and gfortran
 * define each operation: C's own arithmetic on a tree. It must share no code with the compiler of
 * programs/elementwise.
 *
 * EXP and the like need not agree to the last bit, so a number has a bound of its error: 0 where it
 * is exact, infinite where nothing can be said, as of a comparison of inexact numbers.
 */
#ifndef CM_TESTS_PROPERTY_ELEMENTWISE_CM_REFERENCE_H
#define CM_TESTS_PROPERTY_ELEMENTWISE_CM_REFERENCE_H

#include "../elementwise/expression.h"

/* A number of any type: integers and logicals in `whole`, the others in re and im, which hold
 * 32-bit numbers exactly. */
struct cm_reference_number {
    enum cm_type type;
    int32_t whole;
    double re, im;
    double error; /* of either part at most */
};

enum cm_reference_leaf {
    CM_REFERENCE_ARRAY = CM_EXPRESSION_OP_COUNT,
    CM_REFERENCE_SCALAR,
    CM_REFERENCE_CONSTANT,
    CM_REFERENCE_INDEX,
    CM_REFERENCE_CONVERT
};

struct cm_reference_tree {
    int op; /* enum cm_expression_op or enum cm_reference_leaf */
    enum cm_type type;
    uint32_t leaf; /* array, scalar or axis */
    struct cm_reference_number value;
    const struct cm_reference_tree *operands[3];
};

/* What leaves stand for, of one element. */
struct cm_reference_leaves {
    const struct cm_reference_number *arrays;
    const struct cm_reference_number *scalars;
    const int32_t *indices;
};

struct cm_reference_number cm_reference_evaluate(const struct cm_reference_tree *tree,
                                                 const struct cm_reference_leaves *leaves);
/* Elements of arrays on the host, and bits of scalars. */
struct cm_reference_number cm_reference_read(enum cm_type type, const void *element);
void cm_reference_write(const struct cm_reference_number *number, void *element);
/* Equal to the last bit, or within the error of `b`; two NaNs are equal. */
bool cm_reference_same(const struct cm_reference_number *a, const struct cm_reference_number *b);

#endif
