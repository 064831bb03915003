/* Functions shared by the files of the direct evaluation (direct.h). Not installed. */
#ifndef CM_FORTRAN_DIRECT_PRIVATE_H
#define CM_FORTRAN_DIRECT_PRIVATE_H

#include "direct.h"

/* Copy of an array on the machine: its elements before a statement, which the direct evaluation
 * turns into those expected after it. */
struct cm_fortran_direct_storage {
    struct cm_fortran_array *real;
    const char *name;
    void *elements;
    double *bounds; /* allowed difference of each element, NULL for zeros */
    bool is_loose;
    /* of the last statement that assigns the array, line 0 if none does */
    struct cm_source_place place;
};

/* A name of an array on the machine. The direct evaluation binds the name to `view`, which borrows
 * the copy's elements. */
struct cm_fortran_direct_binding {
    struct cm_fortran_binding *binding;
    struct cm_fortran_array *real, view;
    uint32_t storage;
};

/* Binds the names to the copies, or back to the arrays. While the copies are bound, nothing is
 * charged. */
void cm_fortran_direct_exchange(struct cm_fortran_run *run, struct cm_fortran_direct *direct,
                                bool copies);

/* Evaluates a statement while the names are bound to the copies, and stores the assigned elements
 * in the copies. Masks are compared at once. Sets *done to false if the statement cannot be
 * compared (direct_statement.c). */
enum cm_status cm_fortran_direct_evaluate(struct cm_fortran_run *run,
                                          const struct cm_fortran_statement *statement,
                                          struct cm_fortran_direct *direct, bool *done);
/* Evaluates a reduction and compares its value. Binds the names to the copies only while it
 * evaluates. */
enum cm_status cm_fortran_direct_reduction(struct cm_fortran_run *run,
                                           const struct cm_fortran_expression *call,
                                           const union cm_fortran_value *value,
                                           struct cm_fortran_direct *direct, bool *done);

#endif
