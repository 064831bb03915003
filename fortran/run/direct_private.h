/* This header declares functions that the files of the direct evaluation (direct.h) share. It is
 * not installed. */
#ifndef CM_FORTRAN_DIRECT_PRIVATE_H
#define CM_FORTRAN_DIRECT_PRIVATE_H

#include "direct.h"

/* Copy of an array on the machine. At first it has the elements before a statement. The direct
 * evaluation then changes the copy to the elements that are expected after the statement. */
struct cm_fortran_direct_storage {
    struct cm_fortran_array *real;
    const char *name;
    void *elements;
    double *bounds; /* allowed absolute difference of each element. NULL if all are 0 */
    bool is_loose;
    /* place of the last statement that assigns the array, with line 0 if no statement does */
    struct cm_source_place place;
};

/* A name (variable) of an array on the machine. During the direct evaluation the name is bound to
 * `view`, an array that borrows the copy's elements. */
struct cm_fortran_direct_binding {
    struct cm_fortran_binding *binding;
    struct cm_fortran_array *real, view;
    uint32_t storage;
};

/* Binds the names of arrays to the copies if `copies` is true, or else back to the arrays. While
 * names are bound to copies, no cycles are charged. */
void cm_fortran_direct_exchange(struct cm_fortran_run *run, struct cm_fortran_direct *direct,
                                bool copies);

/* Evaluates a statement, while names are bound to copies, and stores the assigned elements in the
 * copies. Masks of WHERE are compared here. Sets *done to false if the statement cannot be compared
 * (direct_statement.c). */
enum cm_status cm_fortran_direct_evaluate(struct cm_fortran_run *run,
                                          const struct cm_fortran_statement *statement,
                                          struct cm_fortran_direct *direct, bool *done);
/* Evaluates a reduction, and compares the result with the machine's `value`. Names are bound to
 * copies only during the evaluation. */
enum cm_status cm_fortran_direct_reduction(struct cm_fortran_run *run,
                                           const struct cm_fortran_expression *call,
                                           const union cm_fortran_value *value,
                                           struct cm_fortran_direct *direct, bool *done);

#endif
