/* This header declares a FORALL while it is rewritten as an assignment of array sections
 * (forall.c). Some of its array elements become look-ups, whose subscripts depend on data
 * (forall_table.c). This header is not installed. */
#ifndef CM_FORTRAN_FORALL_H
#define CM_FORTRAN_FORALL_H

#include "machine.h"

#define CM_FORALL_NODES_MAX 4096u

/* The state of the rewriting of one FORALL. It owns the new expressions (`nodes`). */
struct cm_forall {
    struct cm_fortran_run *run;
    const struct cm_fortran_forall *forall;
    struct cm_fortran_indices indices;
    /* true for each dimension of the target's section that lies along a serial axis */
    bool serial[CM_RANK_MAX];
    struct cm_fortran_expression *nodes[CM_FORALL_NODES_MAX];
    uint32_t count;
    uint32_t lookups; /* number of look-ups made so far */
    /* mask of the FORALL, or NULL. Where it is false, the subscripts of look-ups are not used */
    struct cm_fortran_expression *mask;
    /* true if the target and the value may have triplets, as in A(I, :) = B(I, :) */
    bool takes_sections;
    bool refused; /* true if the FORALL has a form that cannot be rewritten */
    enum cm_status status;
};

/* Copies an expression, with room for `count` operands in the copy. */
struct cm_fortran_expression *cm_forall_copy(struct cm_forall *rewriting,
                                             const struct cm_fortran_expression *from,
                                             uint32_t count);
struct cm_fortran_expression *cm_forall_constant(struct cm_forall *rewriting, int64_t value);
/* Makes the triplet of the values that FORALL index `number` takes, plus an offset. */
struct cm_fortran_expression *cm_forall_triplet(struct cm_forall *rewriting,
                                                struct cm_source_place place, uint32_t number,
                                                int64_t offset);
bool cm_forall_has_index(const struct cm_fortran_expression *expression);
/* Returns true if a subscript is a FORALL index, or a FORALL index plus or minus a term without
 * indices. Finds the number of the index and the offset. */
bool cm_forall_is_index(struct cm_forall *rewriting, const struct cm_fortran_expression *subscript,
                        uint32_t *number, int64_t *offset);
/* Returns true if all values of a FORALL index, plus an offset, are within the bounds of an array's
 * dimension. If they are not, the front end executes the FORALL, because a mask may exclude the
 * values out of bounds. */
bool cm_forall_is_inside(const struct cm_forall *rewriting, const struct cm_fortran_array *array,
                         uint32_t dim, uint32_t number, int64_t offset);
/* Rewrites an expression of the FORALL: array elements become sections or look-ups, and indices
 * become INDEX expressions, which have the rank of the target's section. */
struct cm_fortran_expression *cm_forall_rewrite(struct cm_forall *rewriting,
                                                struct cm_fortran_expression *expression);

/* ---- forall_table.c ---- */

/* Returns true if an array element in the value can only become a look-up: its array is on the
 * machine, and its subscripts are not the FORALL indices in the order of the target. */
bool cm_forall_is_table(struct cm_forall *rewriting, const struct cm_fortran_expression *element);
/* Rewrites an array element as a LOOKUP expression. Sets rewriting->refused for elements that a
 * LOOKUP cannot express. */
struct cm_fortran_expression *cm_forall_table(struct cm_forall *rewriting,
                                              const struct cm_fortran_expression *element);
/* Returns a copy of the target in which lower bounds replace the subscripts that select an element
 * of a look-up table. Returns the target itself if it has no such subscripts. */
struct cm_fortran_expression *cm_forall_base(struct cm_forall *rewriting,
                                             struct cm_fortran_expression *target);

#endif
