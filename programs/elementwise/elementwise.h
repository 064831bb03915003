/*
 * Array statements: the assignments of an expression, compiled to one IMP, which is kept and serves
 * every call with arrays of that placement. Operands are loaded once an element; an element of an
 * array is written when all reads of it are done, so that an array may be operand and result.
 *
 * Results are those of IEEE arithmetic in the order of the expression, each operation rounded to
 * its type; docs/programs/elementwise.md says how exact functions are, and what complex operations
 * compute.
 */
#ifndef CM_PROGRAMS_ELEMENTWISE_ELEMENTWISE_H
#define CM_PROGRAMS_ELEMENTWISE_ELEMENTWISE_H

#include "../system/system.h"
#include "expression.h"

CM_BEGIN_DECLS

/*
 * Runs the assignments. arrays[k] is array argument k; arrays have one shape and placement, and
 * the types that the expression gives them. An array that is assigned to is not passed a second
 * time. scalars[k] is scalar argument k, of the type that the expression gives it. What the
 * expression does not use may be NULL.
 *
 * An array may be a view (cm_array.stepped). In a padded layout, a view with several distances
 * between its elements is stored with its padding, unless the expression masks the assignment.
 */
CM_API enum cm_status cm_elementwise_call(struct cm_system *system,
                                          const struct cm_expression *expression,
                                          struct cm_array *const *arrays, uint32_t array_count,
                                          const struct cm_scalar *scalars, uint32_t scalar_count,
                                          struct cm_error *err);
/* Compiles and keeps what cm_elementwise_call would run; charges nothing. */
CM_API enum cm_status cm_elementwise_prepare(struct cm_system *system,
                                             const struct cm_expression *expression,
                                             struct cm_array *const *arrays, uint32_t array_count,
                                             struct cm_error *err);

/* What the IMP does, to explain its cycles. */
struct cm_elementwise_info {
    uint32_t imps;          /* that make up the statement: 1, unless the SRAM is too small */
    uint64_t sram_words;    /* of the longest */
    uint32_t vector;        /* elements worked on together */
    uint32_t unrolled;      /* elements of an iteration of the subgrid loop */
    uint32_t constants;     /* constants and scalars */
    uint32_t resident;      /* of them, those that stay in a register */
    uint32_t registers;     /* of the FPU, in use at most */
    uint32_t spills;        /* values of a vector that leave their register for node memory */
    uint64_t scratch_words; /* of node memory while it runs */
    /* an element, what a vector shares divided among its elements */
    double loads;      /* words read, of arrays and spilled values */
    double stores;     /* words written */
    double operations; /* instructions on registers and on the context */
    double cycles;     /* of all these, without page faults, addresses and loops */
};

/* As cm_elementwise_prepare; then fills `info`. */
CM_API enum cm_status cm_elementwise_explain(struct cm_system *system,
                                             const struct cm_expression *expression,
                                             struct cm_array *const *arrays, uint32_t array_count,
                                             struct cm_elementwise_info *info,
                                             struct cm_error *err);

CM_END_DECLS

#endif
