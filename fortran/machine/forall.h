/* A FORALL while it is rewritten as an assignment of sections (forall.c), with the array elements
 * that become look-ups (forall_table.c). Not installed. */
#ifndef CM_FORTRAN_FORALL_H
#define CM_FORTRAN_FORALL_H

#include "machine.h"

#define CM_FORALL_NODES_MAX 4096u

/* The FORALL. It owns the new expressions. */
struct cm_forall {
    struct cm_fortran_run *run;
    const struct cm_fortran_forall *forall;
    struct cm_fortran_indices indices;
    bool serial[CM_RANK_MAX]; /* true for dimensions of the target's section along serial axes */
    struct cm_fortran_expression *nodes[CM_FORALL_NODES_MAX];
    uint32_t count;
    uint32_t lookups;                   /* number of look-ups made */
    struct cm_fortran_expression *mask; /* mask that guards the subscripts of look-ups, or NULL */
    bool takes_sections;                /* true if the target and the value may have triplets */
    bool refused;                       /* true if the FORALL has a form that is not rewritten */
    enum cm_status status;
};

/* Copies an expression, with room for `count` operands. */
struct cm_fortran_expression *cm_forall_copy(struct cm_forall *rewriting,
                                             const struct cm_fortran_expression *from,
                                             uint32_t count);
struct cm_fortran_expression *cm_forall_constant(struct cm_forall *rewriting, int64_t value);
/* Makes the triplet of an index plus an offset. */
struct cm_fortran_expression *cm_forall_triplet(struct cm_forall *rewriting,
                                                struct cm_source_place place, uint32_t number,
                                                int64_t offset);
bool cm_forall_has_index(const struct cm_fortran_expression *expression);
/* Returns true for a subscript that is an index, or an index plus or minus a term without indices.
 * Finds the number of the index and the offset. */
bool cm_forall_is_index(struct cm_forall *rewriting, const struct cm_fortran_expression *subscript,
                        uint32_t *number, int64_t *offset);
/* Returns true if all values of an index plus an offset are within the bounds of a dimension. If
 * they are not, a mask may still exclude the wrong ones. The front end finds out. */
bool cm_forall_is_inside(const struct cm_forall *rewriting, const struct cm_fortran_array *array,
                         uint32_t dim, uint32_t number, int64_t offset);
/* Rewrites an expression: elements become sections or look-ups, indices become INDEX expressions
 * with the section's rank. */
struct cm_fortran_expression *cm_forall_rewrite(struct cm_forall *rewriting,
                                                struct cm_fortran_expression *expression);

/* ---- forall_table.c ---- */

/* Returns true if an element of the value can only be a look-up: its subscripts are not the indices
 * in the target's order, and its array is on the machine. */
bool cm_forall_is_table(struct cm_forall *rewriting, const struct cm_fortran_expression *element);
/* Rewrites an array element as a look-up. Refuses other forms. */
struct cm_fortran_expression *cm_forall_table(struct cm_forall *rewriting,
                                              const struct cm_fortran_expression *element);
/* Returns the target with the first subscripts of the dimension instead of those that select an
 * element of a table. Returns the target itself if it has no such subscripts. */
struct cm_fortran_expression *cm_forall_base(struct cm_forall *rewriting,
                                             struct cm_fortran_expression *target);

#endif
