/*
 * The check of a program: a second, direct evaluation of every array statement.
 *
 * Before an array statement, the elements of the arrays on the machine that it names are copied to
 * the front end. After the machine has executed the statement, the front end evaluates it on these
 * copies. Then all elements of the arrays are compared, also those that the statement must not
 * change. A reduction to a scalar is compared at once.
 *
 * The evaluation is that of host/evaluate.c, in plain loops that know nothing of nodes, layouts or
 * IMPs. It charges no cycles. The program goes on with the machine's values.
 *
 * Not compared are: statements that call functions of the program (the statements of these
 * functions are compared), random numbers, and values for which approximate.h has no bound. Not
 * installed.
 */
#ifndef CM_FORTRAN_DIRECT_H
#define CM_FORTRAN_DIRECT_H

#include "approximate.h"
#include "run.h"

/* Wrong elements of one source line. Members that describe an element describe the first one. */
struct cm_fortran_fault {
    struct cm_source_place place;
    char name[64]; /* of the array, or of the function if it is a reduction */
    uint32_t rank; /* 0 for a scalar */
    int64_t index[CM_RANK_MAX];
    char got[80], expected[80];
    uint64_t times; /* number of statements of the line that were wrong */
    /* number of wrong elements, and of all elements, in these statements */
    uint64_t elements, compared;
};

struct cm_fortran_checker {
    uint64_t statements; /* number of statements and reductions that were compared */
    /* number of statements and reductions of the machine that were not compared */
    uint64_t not_compared;
    uint64_t mismatches; /* number of wrong elements */
    CM_LIST(struct cm_fortran_fault) faults;
    /* statement whose copies are bound to the names at present, or NULL */
    const struct cm_fortran_direct *current;
};

struct cm_fortran_direct_storage;
struct cm_fortran_direct_binding;

/* Copies of what a statement, or a group of statements, reads and writes, from before it. */
struct cm_fortran_direct {
    bool is_compared;
    CM_LIST(struct cm_fortran_direct_storage) storages;
    CM_LIST(struct cm_fortran_direct_binding) bindings;
    struct cm_fortran_array *pending; /* copy of the mask that an ELSEWHERE inherits */
};

/* Compares the machine with the direct evaluation. _begin is called before statement number `at` of
 * run->frame is executed. It copies also for the statements that may form one group with it. _end
 * is called after `executed` statements, with their status. It returns this status, or the status
 * of the comparison if the statements succeeded. */
enum cm_status cm_fortran_direct_begin(struct cm_fortran_run *run, uint32_t at,
                                       struct cm_fortran_direct *direct);
enum cm_status cm_fortran_direct_end(struct cm_fortran_run *run, uint32_t at, uint32_t executed,
                                     enum cm_status status, struct cm_fortran_direct *direct);
/* Compares the value of a reduction, after the machine has computed it. */
enum cm_status cm_fortran_direct_scalar(struct cm_fortran_run *run,
                                        const struct cm_fortran_expression *call,
                                        const union cm_fortran_value *value);

/* Returns the bounds of the elements of a variable's copy while a statement is evaluated. NULL
 * means that all bounds are zero. */
const double *cm_fortran_direct_bounds(struct cm_fortran_run *run,
                                       const struct cm_fortran_variable *variable);

/* ---- direct_compare.c ---- */

/* Two values of an array or a scalar: from the machine (`got`) and from the direct evaluation. */
struct cm_fortran_comparison {
    struct cm_source_place place;
    const char *name;
    const struct cm_fortran_array *shape; /* type, lower bounds and extents */
    const void *got, *expected;
    const double *bounds; /* allowed difference of each element, NULL for zeros */
    /* true if zeros may differ in sign, as the order of MINVAL and MAXVAL decides it */
    bool is_loose;
};

/* Compares the elements, and records differences in run->checker. */
enum cm_status cm_fortran_compare(struct cm_fortran_run *run,
                                  const struct cm_fortran_comparison *comparison);
/* Returns true if an expression contains MINVAL or MAXVAL, so that zeros may differ in sign. */
bool cm_fortran_is_loose(const struct cm_fortran_expression *expression);

#endif
