/*
 * This header declares the check of a program, which is a second, direct evaluation of every array
 * statement.
 *
 * Before an array statement is executed, its arrays on the machine are copied to the front end.
 * After the machine has executed the statement, the front end evaluates it on these copies. Then
 * all elements of these arrays are compared with the copies, also elements that the statement must
 * not change. A reduction to a scalar is compared as soon as the machine has computed it.
 *
 * The functions of host/evaluate.c evaluate the statement, in plain loops that know nothing of
 * nodes, layouts or IMPs. The check charges no cycles. The program goes on with the machine's
 * values.
 *
 * The check does not compare statements that call functions of the program (statements within these
 * functions are compared), random numbers, and values for which approximate.h has no bound. This
 * header is not installed.
 */
#ifndef CM_FORTRAN_DIRECT_H
#define CM_FORTRAN_DIRECT_H

#include "approximate.h"
#include "run.h"

/* Wrong elements that the statements of one source line computed. The members name, rank, index,
 * got and expected describe the first wrong element. */
struct cm_fortran_fault {
    struct cm_source_place place;
    char name[64]; /* name of the array, or of the function for a reduction */
    uint32_t rank; /* rank of the array, 0 for a scalar */
    int64_t index[CM_RANK_MAX];
    char got[80], expected[80];
    uint64_t times; /* number of times that a comparison at this line found wrong elements */
    /* number of wrong elements, and number of all compared elements, in these comparisons */
    uint64_t elements, compared;
};

struct cm_fortran_checker {
    uint64_t statements; /* number of array statements and reductions that were compared */
    /* number of array statements and reductions that the machine executed and that were not
     * compared */
    uint64_t not_compared;
    uint64_t mismatches; /* number of wrong elements */
    CM_LIST(struct cm_fortran_fault) faults;
    /* copies that the names of arrays are bound to at present, or NULL */
    const struct cm_fortran_direct *current;
};

struct cm_fortran_direct_storage;
struct cm_fortran_direct_binding;

/* Copies of the arrays that a statement, or a group of statements, names. They are made before the
 * statement is executed. */
struct cm_fortran_direct {
    bool is_compared;
    CM_LIST(struct cm_fortran_direct_storage) storages;
    CM_LIST(struct cm_fortran_direct_binding) bindings;
    /* copy of the mask within which an ELSEWHERE applies, or NULL */
    struct cm_fortran_array *pending;
};

/*
 * These functions compare the machine with the direct evaluation. cm_fortran_direct_begin() is
 * called before statement number `at` of the current unit is executed. It makes copies also for the
 * following statements that may form one group with this statement. cm_fortran_direct_end() is
 * called after `executed` statements were executed with the result `status`. It returns `status`,
 * or the status of the comparison if the statements succeeded.
 */
enum cm_status cm_fortran_direct_begin(struct cm_fortran_run *run, uint32_t at,
                                       struct cm_fortran_direct *direct);
enum cm_status cm_fortran_direct_end(struct cm_fortran_run *run, uint32_t at, uint32_t executed,
                                     enum cm_status status, struct cm_fortran_direct *direct);
/* Compares the value of a reduction to a scalar with the direct evaluation, after the machine has
 * computed it. */
enum cm_status cm_fortran_direct_scalar(struct cm_fortran_run *run,
                                        const struct cm_fortran_expression *call,
                                        const union cm_fortran_value *value);

/* Returns the bounds of the elements of a variable's copy, while a statement is evaluated on
 * copies. NULL means that all bounds are 0. */
const double *cm_fortran_direct_bounds(struct cm_fortran_run *run,
                                       const struct cm_fortran_variable *variable);

/* ---- direct_compare.c ---- */

/* The two values of an array or a scalar that are compared: `got` from the machine, and `expected`
 * from the direct evaluation. */
struct cm_fortran_comparison {
    struct cm_source_place place;
    const char *name;
    /* array with the type, lower bounds and extents of the values */
    const struct cm_fortran_array *shape;
    const void *got, *expected;
    const double *bounds; /* allowed absolute difference of each element. NULL if all are 0 */
    /* true if zeros may differ in sign, because the result of MINVAL or MAXVAL depends on the order
     * of zeros */
    bool is_loose;
};

/* Compares the elements of two values, and records differences in run->checker. */
enum cm_status cm_fortran_compare(struct cm_fortran_run *run,
                                  const struct cm_fortran_comparison *comparison);
/* Returns true if an expression contains MINVAL or MAXVAL, so that zeros may differ in sign from
 * the direct evaluation. */
bool cm_fortran_is_loose(const struct cm_fortran_expression *expression);

#endif
