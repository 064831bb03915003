/* What the files of the direct evaluation share. Not installed. */
#ifndef CM_FORTRAN_DIRECT_PRIVATE_H
#define CM_FORTRAN_DIRECT_PRIVATE_H

#include "direct.h"

/* The elements of an array on the machine, before a statement, and then as they should be. */
struct cm_fortran_direct_storage {
    struct cm_fortran_array *real;
    const char *name;
    void *elements;
    double *bounds; /* of each element; NULL: zeros */
    bool is_loose;
    struct cm_source_place place; /* of the last statement that assigns it; line 0: none does */
};

/* A name of such an array, and what it is bound to while its statement is evaluated. */
struct cm_fortran_direct_binding {
    struct cm_fortran_binding *binding;
    struct cm_fortran_array *real, view;
    uint32_t storage;
};

/* Binds the names to the copies, or again to the arrays. */
void cm_fortran_direct_exchange(struct cm_fortran_run *run, struct cm_fortran_direct *direct,
                                bool copies);
/* A copy of an array in the front end, without charge. */
enum cm_status cm_fortran_direct_gather(struct cm_fortran_run *run,
                                        const struct cm_fortran_array *array,
                                        struct cm_fortran_array **copy);

/* direct_statement.c, with the names bound to the copies: what a statement assigns; masks are
 * compared at once. *done is false if it cannot be compared. */
enum cm_status cm_fortran_direct_evaluate(struct cm_fortran_run *run,
                                          const struct cm_fortran_statement *statement,
                                          struct cm_fortran_direct *direct, bool *done);
/* A reduction; the names are bound to the arrays before and after. */
enum cm_status cm_fortran_direct_reduction(struct cm_fortran_run *run,
                                           const struct cm_fortran_expression *call,
                                           const union cm_fortran_value *value,
                                           struct cm_fortran_direct *direct, bool *done);

#endif
