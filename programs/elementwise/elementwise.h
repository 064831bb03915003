/*
 * Array statements: a compiler from expressions over arrays to IMPs, and the calls that run the
 * IMPs.
 *
 * A statement computes an element of each result from the elements at the same place of its
 * operands, such as r = sqrt(x**2 + y**2) where x > 0. All arrays of a statement have one shape and
 * one placement, so nothing moves between nodes. The caller builds a struct cm_expression
 * (expression.h) and passes arrays and scalars. The system's cache keeps the IMP for every later
 * call with the same expression and layout.
 *
 * The compiler works in stages:
 *
 *   expression.c, expression_types.c   builds the graph of typed nodes and checks types
 *   lower.c, lower_*.c, micro.c        turns nodes into micro code: instructions for one element,
 *                                      without registers
 *   plan.c                             orders the micro code, chooses the number of elements in a
 *                                      vector, and the scalars that stay in registers
 *   registers.c                        allocates FPU registers for a vector
 *   compile.c                          emits the IMP: loop, addresses, context
 *   near.c                             emits the IMP if operands are at offsets
 *   elementwise.c                      checks a call, compiles or finds the IMPs, and runs them
 *   index.c                            makes the tables of an element's own indices
 *   combine.c                          builds the expression of a sum of products
 *
 * Invariants:
 *
 *   - An IMP does not depend on the values of scalars, nor on the addresses of arrays.
 *   - A statement reads every element of an array before it writes that element, so an array may be
 *     operand and result.
 *   - Each operation is rounded to its type, in the order of the expression.
 *     docs/programs/elementwise.md lists the accuracy of functions and the sequence of complex
 *     operations.
 */
#ifndef CM_PROGRAMS_ELEMENTWISE_ELEMENTWISE_H
#define CM_PROGRAMS_ELEMENTWISE_ELEMENTWISE_H

#include "../system/system.h"
#include "expression.h"

CM_BEGIN_DECLS

/* Arguments of an expression: arrays and scalars, by the numbers that the expression uses for them.
 * An array has the type that the expression gives it. Arguments that the expression does not use
 * may be NULL. */
struct cm_elementwise_arguments {
    struct cm_array *const *arrays;  /* arrays by their numbers */
    uint32_t array_count;            /* number of entries in `arrays` */
    const struct cm_scalar *scalars; /* values of the scalars. Compiling does not read them */
    uint32_t scalar_count;           /* number of entries in `scalars` */
};

/*
 * Runs the assignments of an expression. Fails with CM_BAD_INPUT if arrays differ in shape or
 * placement, or if an array that is assigned to is passed twice.
 *
 * An array may be a view (cm_array.stepped). If the layout is padded, a view with several distances
 * between its elements is also stored to in its padding, unless the expression masks the
 * assignment.
 */
CM_API enum cm_status cm_elementwise_call(struct cm_system *system,
                                          const struct cm_expression *expression,
                                          const struct cm_elementwise_arguments *arguments,
                                          struct cm_error *err);
/* Compiles and caches the IMPs that cm_elementwise_call would run. Charges no cycles. */
CM_API enum cm_status cm_elementwise_prepare(struct cm_system *system,
                                             const struct cm_expression *expression,
                                             const struct cm_elementwise_arguments *arguments,
                                             struct cm_error *err);

/* Properties of a statement's IMP that explain its cycles. */
struct cm_elementwise_info {
    uint32_t imps;          /* number of IMPs. More than 1 if the SRAM is small */
    uint64_t sram_words;    /* number of SRAM words of the longest IMP */
    uint32_t vector;        /* number of elements in a vector */
    uint32_t unrolled;      /* number of elements in an iteration of the loop */
    uint32_t constants;     /* number of constants and scalars in the expression */
    uint32_t resident;      /* number of constants and scalars that stay in a register */
    uint32_t registers;     /* most FPU registers that are in use at a time */
    uint32_t spills;        /* number of values of a vector that are spilled to node memory */
    uint64_t scratch_words; /* number of words of node memory for spilled values */
    /* Means per element. What all elements of a vector share is divided by the number of
     * elements. */
    double loads;      /* number of words read, from arrays and spilled values */
    double stores;     /* number of words written */
    double operations; /* number of instructions on registers and on the context */
    double cycles;     /* number of cycles, without those of page faults, addresses and loops */
};

/* Compiles as cm_elementwise_prepare does, and fills in `info`. */
CM_API enum cm_status cm_elementwise_explain(struct cm_system *system,
                                             const struct cm_expression *expression,
                                             const struct cm_elementwise_arguments *arguments,
                                             struct cm_elementwise_info *info,
                                             struct cm_error *err);

CM_END_DECLS

#endif
