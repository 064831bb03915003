/*
 * Expressions over the elements of arrays of one shape, as an array statement of Fortran has them.
 *
 * An expression is a graph of typed nodes and a list of assignments. A node is a value. Equal nodes
 * are one node. An array that is read before an assignment to it is the array as it was before.
 *
 *     y = (a * x + y) where x > 0:
 *         x = cm_expression_array(e, 0, CM_TYPE_REAL32);
 *         y = cm_expression_array(e, 1, CM_TYPE_REAL32);
 *         a = cm_expression_scalar(e, 0, CM_TYPE_REAL32);
 *         ax = cm_expression_node(e, CM_EXPRESSION_MULTIPLY, a, x, 0);
 *         value = cm_expression_node(e, CM_EXPRESSION_ADD, ax, y, 0);
 *         zero = cm_expression_number(e, CM_TYPE_REAL32, 0);
 *         mask = cm_expression_node(e, CM_EXPRESSION_GREATER, x, zero, 0);
 *         cm_expression_assign(e, 1, value, mask);
 *
 * Errors stick. A function that fails returns node 0, later functions pass node 0 on, and every
 * user of the expression gets the first error.
 */
#ifndef CM_PROGRAMS_ELEMENTWISE_EXPRESSION_H
#define CM_PROGRAMS_ELEMENTWISE_EXPRESSION_H

#include "../system/scalar.h"

CM_BEGIN_DECLS

/* most arrays of an expression: each needs an address register of the sequencer */
#define CM_EXPRESSION_ARRAYS_MAX  60u
#define CM_EXPRESSION_SCALARS_MAX 64u /* most scalars of an expression */

/* Operations of an expression, listed in expression_op.def. */
enum cm_expression_op {
#define CM_EXPRESSION_OP(symbol, name, operands, rule, effect) CM_EXPRESSION_##symbol,
#include "expression_op.def"
#undef CM_EXPRESSION_OP
    CM_EXPRESSION_OP_COUNT
};

struct cm_expression;

/* Creates an empty expression. Returns NULL if memory runs out. */
CM_API struct cm_expression *cm_expression_create(void);
/* Destroys an expression. NULL is allowed. */
CM_API void cm_expression_destroy(struct cm_expression *expression);

/* These functions add leaves of the graph. `number` is the number of an array or scalar among the
 * arguments of the call. An argument has one type in all its uses. */
CM_API uint32_t cm_expression_array(struct cm_expression *expression, uint32_t number,
                                    enum cm_type type);
CM_API uint32_t cm_expression_scalar(struct cm_expression *expression, uint32_t number,
                                     enum cm_type type);
CM_API uint32_t cm_expression_constant(struct cm_expression *expression, enum cm_type type,
                                       struct cm_scalar value);
/* Adds a constant. cm_scalar_make rounds `value` to the type. */
CM_API uint32_t cm_expression_number(struct cm_expression *expression, enum cm_type type,
                                     double value);
/* Adds the index of each element along an axis, an int32 that counts from 1. Axes count from 0. */
CM_API uint32_t cm_expression_index(struct cm_expression *expression, uint32_t axis);

/*
 * Adds an operation on nodes. Unused operands are 0. Operands must have the types that the
 * operation takes (docs/programs/elementwise.md). The only implicit conversions are those of
 * cm_expression_convert.
 */
CM_API uint32_t cm_expression_node(struct cm_expression *expression, enum cm_expression_op op,
                                   uint32_t x, uint32_t y, uint32_t z);
/*
 * Converts a node as an assignment in Fortran does. A number that becomes int32 is truncated. A
 * wider number that becomes narrower is rounded. A complex number that becomes real loses its
 * imaginary part, and a real number that becomes complex has imaginary part 0. The type logical
 * converts to logical only.
 */
CM_API uint32_t cm_expression_convert(struct cm_expression *expression, uint32_t x,
                                      enum cm_type type);
/* Converts two nodes to the type that Fortran's arithmetic on them has: the higher of int32, real
 * and complex, with the higher precision of the two nodes. */
CM_API void cm_expression_promote(struct cm_expression *expression, uint32_t *x, uint32_t *y);

/* Returns the type of a node, or CM_TYPE_COUNT for node 0. */
CM_API enum cm_type cm_expression_type(const struct cm_expression *expression, uint32_t node);

/*
 * Assigns node `value` to array argument `number` where the logical node `mask` is true, or
 * everywhere if `mask` is 0. The node must have the array's type. Later reads of the array get the
 * assigned value.
 */
CM_API void cm_expression_assign(struct cm_expression *expression, uint32_t number, uint32_t value,
                                 uint32_t mask);

/*
 * A table: array argument `number` has the element at index 0 of each place. The element at index i
 * is i * stride local elements after it, in the same node, and i is from 0 to count - 1. In
 * Fortran, A(K(i), i) reads a table along the serial first axis of A, with K(i) - 1 as the index.
 * If elements are assigned, no two places may have elements in common.
 */
struct cm_expression_table {
    uint32_t number;   /* number of the array argument */
    enum cm_type type; /* type of the elements */
    uint32_t count;    /* number of indices */
    uint32_t stride;   /* number of local elements from one index to the next */
};
/* Adds the element of a table at an index, which is an int32 node. An index that is out of range is
 * a fault of the running program, except in padding. The index times the words of a stride is
 * computed modulo 2^32. */
CM_API uint32_t cm_expression_lookup(struct cm_expression *expression,
                                     const struct cm_expression_table *table, uint32_t index);
/* Assigns node `value` to the element of a table at an index where the logical node `mask` is true,
 * or everywhere if `mask` is 0. The array must be assigned to only once, and not be read
 * afterwards. The index must be in range everywhere. */
CM_API void cm_expression_assign_at(struct cm_expression *expression,
                                    const struct cm_expression_table *table, uint32_t index,
                                    uint32_t value, uint32_t mask);
/* Adds the assignments of the expression `other` after those of `expression`. Both expressions must
 * number arrays and scalars in the same way. */
CM_API void cm_expression_append(struct cm_expression *expression,
                                 const struct cm_expression *other);

/* Returns CM_OK, or the status of the first error of the expression, which is copied to `err`. */
CM_API enum cm_status cm_expression_status(const struct cm_expression *expression,
                                           struct cm_error *err);

/*
 * Returns the type of an operation's result. `types` has the types of the operands, with
 * CM_TYPE_COUNT for a missing operand. If the operation does not take these types, returns
 * CM_TYPE_COUNT and points *expected to a text with the types that it takes.
 */
CM_API enum cm_type cm_expression_result(enum cm_expression_op op, const enum cm_type types[3],
                                         const char **expected);
/* Returns the number of operands of an operation. */
CM_API uint32_t cm_expression_operands(enum cm_expression_op op);

/* Returns the name of an operation in messages and in text, such as "sqrt" or "+". */
CM_API const char *cm_expression_op_name(enum cm_expression_op op);

CM_END_DECLS

#endif
