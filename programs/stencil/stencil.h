/*
 * Stencils: dst = the sum over terms of coefficient * source(index + offset). A compiled stencil
 * moves no element within a node.
 *
 * A setup compiles two halves of a call. The *exchange* brings the elements that a node needs from
 * its neighbours into halo buffers, along all axes at once. The *sweep* loads sources and halos
 * into FPU registers, each word as rarely as the registers allow, and stores each result once. What
 * the compiler refuses, shifted copies can do (stencil_shifts.h).
 *
 * A reference that adds the terms of a result in this order gets the same bits: ascending by the
 * offset along the last axis, then along the axis before it, and so on to axis 0. Terms of equal
 * offsets are added in the order given. Products and sums are rounded as elementwise/combine.h
 * describes.
 *
 * An element outside the array along an end-off axis is the boundary value of that axis. An element
 * outside along several axes gets the boundary of the last of them, as if axis 0 were shifted
 * first.
 *
 * Files:
 *
 *   stencil.c            setups and calls
 *   stencil_plan.c       reasons for refusal, order of terms, halos and their places
 *   stencil_exchange.c   compiles the exchange
 *   stencil_boundary.c   fills halos from boundary arrays
 *   stencil_pieces.c     cuts an axis into tiles
 *   stencil_sweep.c      compiles the sweep: sizes of tiles, loops over them
 *   stencil_tile.c       compiles one tile: order of operations, registers
 *   stencil_shifts.c     the same sum by shifted copies
 */
#ifndef CM_PROGRAMS_STENCIL_STENCIL_H
#define CM_PROGRAMS_STENCIL_STENCIL_H

#include "../pshift/shift.h"

CM_BEGIN_DECLS

/* Limits of a stencil. */
#define CM_STENCIL_RANK_MAX    4u
#define CM_STENCIL_TERMS_MAX   128u
#define CM_STENCIL_SOURCES_MAX 8u
#define CM_STENCIL_SCALARS_MAX CM_STENCIL_TERMS_MAX
#define CM_STENCIL_ARRAYS_MAX  40u /* arrays of coefficients */

/* Term of the sum. Sources and coefficients are named by their numbers among the arguments of a
 * call. */
struct cm_stencil_term {
    uint32_t source;                     /* number of the source */
    int64_t offset[CM_STENCIL_RANK_MAX]; /* offset along each axis, in elements */
    bool by_array; /* true if the coefficient is an element of an array, at the result's index */
    uint32_t coefficient; /* number of the scalar or of the array of coefficients */
};

/* Pattern that a setup compiles. Terms that share a scalar should use one number for it, because a
 * number takes a register. */
struct cm_stencil_pattern {
    uint32_t term_count;                                /* number of terms */
    struct cm_stencil_term terms[CM_STENCIL_TERMS_MAX]; /* sorted by the setup */
    enum cm_shift_type boundaries[CM_STENCIL_RANK_MAX]; /* boundary of each axis */
};

/* Arguments of a call, numbered as in the pattern. */
struct cm_stencil_arguments {
    struct cm_array *dst; /* destination, not a source with offsets */
    const struct cm_array *sources[CM_STENCIL_SOURCES_MAX]; /* sources by number */
    /* arrays of coefficients by number */
    const struct cm_array *coefficients[CM_STENCIL_ARRAYS_MAX];
    struct cm_scalar scalars[CM_STENCIL_SCALARS_MAX]; /* scalars by number */
    /* Boundary values of axes with CM_SHIFT_EOSHIFT_SCALAR. */
    struct cm_scalar boundaries[CM_STENCIL_RANK_MAX];
    /* Boundary arrays of axes with CM_SHIFT_EOSHIFT_ARRAY, without that axis. Rank one takes the
     * scalar instead. */
    const struct cm_array *boundary_arrays[CM_STENCIL_RANK_MAX];
};

/* Sorts terms into the order in which they are added. */
CM_API void cm_stencil_sort(struct cm_stencil_pattern *pattern, uint32_t rank);

/* Returns why a stencil cannot be compiled for arrays of a layout, though shifted copies can
 * compute it. Returns NULL if the stencil can be compiled. */
CM_API const char *cm_stencil_refusal(const struct cm_layout *layout,
                                      const struct cm_stencil_pattern *pattern);

struct cm_stencil;

/*
 * Compiles exchange and sweep, and allocates node memory for halos and communication tables. On
 * failure *stencil is NULL. Fails with CM_BAD_INPUT for patterns that cm_stencil_refusal refuses,
 * for logical arrays, for numbers beyond their limits, and for more arrays than address registers.
 */
CM_API enum cm_status cm_stencil_setup(struct cm_system *system, const struct cm_layout *prototype,
                                       const struct cm_stencil_pattern *pattern,
                                       struct cm_stencil **stencil, struct cm_error *err);

/*
 * Computes dst from the sources. All arrays must have the prototype's layout. dst may be an array
 * of coefficients or a source without offsets. Fails with CM_BAD_INPUT if dst is a source with
 * offsets, because other results still need its old elements.
 */
CM_API enum cm_status cm_stencil_call(struct cm_system *system, const struct cm_stencil *stencil,
                                      const struct cm_stencil_arguments *arguments,
                                      struct cm_error *err);
/* Compiles and caches what a call needs for its boundary arrays. Charges no cycles. Fails with
 * CM_BAD_INPUT where the call would fail. */
CM_API enum cm_status cm_stencil_prepare(struct cm_system *system, const struct cm_stencil *stencil,
                                         const struct cm_stencil_arguments *arguments,
                                         struct cm_error *err);
/* Run the two halves of a call. The sweep reads the halos of the last exchange of this setup. */
CM_API enum cm_status cm_stencil_exchange(struct cm_system *system,
                                          const struct cm_stencil *stencil,
                                          const struct cm_stencil_arguments *arguments,
                                          struct cm_error *err);
CM_API enum cm_status cm_stencil_sweep(struct cm_system *system, const struct cm_stencil *stencil,
                                       const struct cm_stencil_arguments *arguments,
                                       struct cm_error *err);

/* Frees a setup. NULL is allowed. */
CM_API void cm_stencil_deallocate(struct cm_system *system, struct cm_stencil *stencil);

/* Properties of a setup, for reports and tests. */
struct cm_stencil_info {
    uint64_t exchanges; /* exchanges of a call, without those for boundary arrays */
    uint64_t exchange_words, sweep_words; /* SRAM words */
    uint64_t halo_words, table_words;     /* words of node memory */
    uint64_t tile[CM_STENCIL_RANK_MAX];   /* results that the sweep computes together */
    uint64_t loads;                       /* source elements that a sweep loads, per node */
    uint64_t results;                     /* elements that a sweep stores, per node */
    /* Bound of the sweep: each word loaded and stored once, and the operations. */
    uint64_t bound_cycles;
};
CM_API void cm_stencil_info(const struct cm_stencil *stencil, struct cm_stencil_info *info);
/*
 * Returns IMP i of a setup, counting from 0 and those of the exchange first, or NULL past the last.
 */
CM_API const struct cm_imp *cm_stencil_imp(const struct cm_stencil *stencil, uint32_t i);

CM_END_DECLS

#endif
