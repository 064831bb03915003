/*
 * Expressions over the elements of arrays of one shape: what an array statement of Fortran computes
 * for each element. A graph of typed nodes, and a list of assignments. A node is a value: equal
 * nodes are one node, and an array read before an assignment to it is the array as it was before.
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
 * Errors stick: a function that fails returns node 0, which all others pass on, and whoever uses
 * the expression returns the first error.
 */
#ifndef CM_PROGRAMS_ELEMENTWISE_EXPRESSION_H
#define CM_PROGRAMS_ELEMENTWISE_EXPRESSION_H

#include "../system/scalar.h"

CM_BEGIN_DECLS

#define CM_EXPRESSION_ARRAYS_MAX  60u /* each has an address register of the sequencer */
#define CM_EXPRESSION_SCALARS_MAX 64u /* of the front end */

/* The operations, as expression_op.def lists them. */
enum cm_expression_op {
#define CM_EXPRESSION_OP(symbol, name, operands, rule, effect) CM_EXPRESSION_##symbol,
#include "expression_op.def"
#undef CM_EXPRESSION_OP
    CM_EXPRESSION_OP_COUNT
};

struct cm_expression;

/* An empty expression; NULL when out of memory. */
CM_API struct cm_expression *cm_expression_create(void);
/* NULL is allowed. */
CM_API void cm_expression_destroy(struct cm_expression *expression);

/* Leaves. An array or scalar is argument `number`, from 0, of the call; it has one type. */
CM_API uint32_t cm_expression_array(struct cm_expression *expression, uint32_t number,
                                    enum cm_type type);
CM_API uint32_t cm_expression_scalar(struct cm_expression *expression, uint32_t number,
                                     enum cm_type type);
CM_API uint32_t cm_expression_constant(struct cm_expression *expression, enum cm_type type,
                                       struct cm_scalar value);
/* The constant that cm_scalar_make makes of a number. */
CM_API uint32_t cm_expression_number(struct cm_expression *expression, enum cm_type type,
                                     double value);
/* The element's own index along an axis (from 0), counted from 1: int32. */
CM_API uint32_t cm_expression_index(struct cm_expression *expression, uint32_t axis);

/*
 * An operation on nodes; unused operands are 0. Operands must have the types that the operation
 * takes (docs/programs/elementwise.md): nothing is converted but by cm_expression_convert.
 */
CM_API uint32_t cm_expression_node(struct cm_expression *expression, enum cm_expression_op op,
                                   uint32_t x, uint32_t y, uint32_t z);
/*
 * Conversion as in an assignment: to integers truncated, to lower precision rounded, of complex
 * numbers the real part, to complex numbers with imaginary part 0. Logical converts to logical
 * alone.
 */
CM_API uint32_t cm_expression_convert(struct cm_expression *expression, uint32_t x,
                                      enum cm_type type);
/* Converts both to the type that Fortran's arithmetic on them has: the higher of int32, real,
 * complex, with the higher precision of the two. */
CM_API void cm_expression_promote(struct cm_expression *expression, uint32_t *x, uint32_t *y);

/* Of a node; CM_TYPE_COUNT of node 0. */
CM_API enum cm_type cm_expression_type(const struct cm_expression *expression, uint32_t node);

/*
 * Assigns a node to array argument `number`, where the logical node `mask` is true; mask 0:
 * everywhere. The value is converted to nothing: it has the array's type. `number` read after this
 * is the array as it is now.
 */
CM_API void cm_expression_assign(struct cm_expression *expression, uint32_t number, uint32_t value,
                                 uint32_t mask);

/* CM_OK, or the first error. */
CM_API enum cm_status cm_expression_status(const struct cm_expression *expression,
                                           struct cm_error *err);

/* The type that an operation gives for operands of these types (CM_TYPE_COUNT: not there), or
 * CM_TYPE_COUNT when it does not take them; then `expected` says what it takes. */
CM_API enum cm_type cm_expression_result(enum cm_expression_op op, const enum cm_type types[3],
                                         const char **expected);
/* How many operands an operation takes. */
CM_API uint32_t cm_expression_operands(enum cm_expression_op op);

/* Name in messages and in text: "sqrt", "+". */
CM_API const char *cm_expression_op_name(enum cm_expression_op op);

CM_END_DECLS

#endif
