/* Array statements evaluated on the host, element by element, as the Fortran standard and gfortran
 * define each operation: C's own arithmetic on a tree. */
#ifndef CM_TESTS_PROPERTY_ELEMENTWISE_ORACLE_H
#define CM_TESTS_PROPERTY_ELEMENTWISE_ORACLE_H

#include "../../programs/elementwise/expression.h"

/* A number of any type: integers and logicals in `whole`, the others in re and im, which hold
 * 32-bit numbers exactly. */
struct oracle_number {
    enum cm_type type;
    int32_t whole;
    double re, im;
};

enum oracle_leaf {
    ORACLE_ARRAY = CM_EXPRESSION_OP_COUNT,
    ORACLE_SCALAR,
    ORACLE_CONSTANT,
    ORACLE_INDEX,
    ORACLE_CONVERT
};

struct oracle_tree {
    int op; /* enum cm_expression_op or enum oracle_leaf */
    enum cm_type type;
    uint32_t leaf; /* array, scalar or axis */
    struct oracle_number value;
    const struct oracle_tree *operands[3];
};

/* What leaves stand for, of one element. */
struct oracle_scene {
    const struct oracle_number *arrays;
    const struct oracle_number *scalars;
    const int32_t *indices;
};

struct oracle_number oracle_evaluate(const struct oracle_tree *tree,
                                     const struct oracle_scene *scene);
/* Elements of arrays on the host, and bits of scalars. */
struct oracle_number oracle_read(enum cm_type type, const void *element);
void oracle_write(const struct oracle_number *number, void *element);
/* Equal to the last bit; two NaNs are equal. */
bool oracle_same(const struct oracle_number *a, const struct oracle_number *b);

#endif
