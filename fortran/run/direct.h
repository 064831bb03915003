/*
 * The check of a program: every array statement that the machine plays is evaluated again in the
 * front end, on copies of its operands as they were before it, and the arrays that it assigns are
 * compared, with all elements that it must not change. The evaluation is host/evaluate.c's, plain
 * loops that know nothing of nodes, layouts or IMPs. Reductions to a scalar are compared where they
 * happen. Nothing is charged, and the program goes on with what the machine has. Not installed.
 *
 * Not compared are statements that call functions of the program (the statements of these are),
 * random numbers, and what approximate.h has no bound for.
 */
#ifndef CM_FORTRAN_DIRECT_H
#define CM_FORTRAN_DIRECT_H

#include "approximate.h"
#include "run.h"

/* The first element that differs in a line, and how many do. */
struct cm_fortran_fault {
    struct cm_source_place place;
    char name[64]; /* of the array; of a reduction its function */
    uint32_t rank; /* 0: a scalar */
    int64_t index[CM_RANK_MAX];
    char got[80], expected[80];
    uint64_t times;              /* statements of the line that were wrong */
    uint64_t elements, compared; /* that differed, of all, in these */
};

struct cm_fortran_checker {
    uint64_t statements;   /* and reductions: compared */
    uint64_t not_compared; /* played by the machine, but not compared */
    uint64_t mismatches;   /* elements */
    CM_LIST(struct cm_fortran_fault) faults;
    const struct cm_fortran_direct *current; /* whose copies are bound; or NULL */
};

struct cm_fortran_direct_storage;
struct cm_fortran_direct_binding;

/* A statement on its way: what it reads and writes, as it was before. */
struct cm_fortran_direct {
    bool is_compared;
    CM_LIST(struct cm_fortran_direct_storage) storages;
    CM_LIST(struct cm_fortran_direct_binding) bindings;
    struct cm_fortran_array *pending; /* of an ELSEWHERE */
};

/* Before statement number `at` of run->frame is executed, with those that may be one group with it;
 * after `played` statements, which a status of CM_OK says were played. Returns the first status
 * that is not CM_OK. */
enum cm_status cm_fortran_direct_begin(struct cm_fortran_run *run, uint32_t at,
                                       struct cm_fortran_direct *direct);
enum cm_status cm_fortran_direct_end(struct cm_fortran_run *run, uint32_t at, uint32_t executed,
                                     enum cm_status status, struct cm_fortran_direct *direct);
/* After the machine has reduced an array to a value. */
enum cm_status cm_fortran_direct_scalar(struct cm_fortran_run *run,
                                        const struct cm_fortran_expression *call,
                                        const union cm_fortran_value *value);

/* While a statement is evaluated: the bounds of a copy's elements; NULL: zeros. */
const double *cm_fortran_direct_bounds(struct cm_fortran_run *run,
                                       const struct cm_fortran_variable *variable);

/* ---- direct_compare.c ---- */

/* Elements to compare. */
struct cm_fortran_comparison {
    struct cm_source_place place;
    const char *name;
    const struct cm_fortran_array *shape; /* type, bounds, extents */
    const void *got, *expected;
    const double *bounds; /* NULL: zeros */
    bool is_loose;        /* zeros of either sign: of MINVAL and MAXVAL the order decides it */
};

/* Compares, and notes what differs in run->checker. */
enum cm_status cm_fortran_compare(struct cm_fortran_run *run,
                                  const struct cm_fortran_comparison *comparison);
/* Whether the values of an expression are to be compared loosely. */
bool cm_fortran_is_loose(const struct cm_fortran_expression *expression);

#endif
