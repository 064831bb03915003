/*
 * This header declares stencils: dst = the sum over terms of coefficient * source(index + offset).
 * A compiled stencil moves no element within a node.
 *
 * The compiler makes code for the two halves of a call. The *exchange* brings the elements that a
 * node needs from its neighbours into halo buffers, along all axes at once. The *sweep* loads
 * sources and halos into FPU registers, each word as rarely as the registers allow, and stores each
 * result once. If the compiler refuses a pattern, shifted copies can compute it (stencil_shifts.h).
 *
 * The terms of a result are added in ascending order of their offsets: by the offset along the last
 * axis, then by the offset along the axis before it, and so on to axis 0. Terms of equal offsets
 * are added in the order given. Products and sums are rounded as elementwise/combine.h describes. A
 * reference that adds in this order gets the same bits.
 *
 * An element outside the array along an end-off axis is the boundary value of that axis. An element
 * outside along several axes gets the boundary of the last of these axes, as if axis 0 were shifted
 * first.
 *
 * Files:
 *
 *   stencil.c            compilation and calls
 *   stencil_plan.c       reasons for refusing a pattern, order of terms, halos and their places
 *   stencil_exchange.c   compiles the exchange
 *   stencil_boundary.c   fills halos from boundary arrays
 *   stencil_pieces.c     cuts an axis into tiles
 *   stencil_sweep.c      compiles the sweep: sizes of tiles, loops over them
 *   stencil_tile.c       compiles one tile: order of operations, registers
 *   stencil_shifts.c     computes the same sum by shifted copies
 */
#ifndef CM_PROGRAMS_STENCIL_STENCIL_H
#define CM_PROGRAMS_STENCIL_STENCIL_H

#include "../pshift/shift.h"

CM_BEGIN_DECLS

/* Limits of a stencil: rank of its arrays, and numbers of terms, sources, scalars and arrays of
 * coefficients. */
#define CM_STENCIL_RANK_MAX    4u
#define CM_STENCIL_TERMS_MAX   128u
#define CM_STENCIL_SOURCES_MAX 8u
#define CM_STENCIL_SCALARS_MAX CM_STENCIL_TERMS_MAX
#define CM_STENCIL_ARRAYS_MAX  40u /* number of arrays of coefficients */

/* Term of a stencil's sum. Sources and coefficients are named by their numbers among the arguments
 * of a call. */
struct cm_stencil_term {
    uint32_t source;                     /* number of the source array */
    int64_t offset[CM_STENCIL_RANK_MAX]; /* offset along each axis, in elements */
    bool by_array; /* true if the coefficient is the element of an array at the result's index */
    uint32_t coefficient; /* number of the scalar, or of the array of coefficients */
};

/* Pattern of a stencil, from which the compiler makes code. Terms that share a scalar should use
 * one number for it, because each number takes a register. */
struct cm_stencil_pattern {
    uint32_t term_count;                                /* number of terms */
    struct cm_stencil_term terms[CM_STENCIL_TERMS_MAX]; /* terms, which cm_stencil_setup sorts */
    enum cm_shift_type boundaries[CM_STENCIL_RANK_MAX]; /* type of boundary of each axis */
};

/* Arguments of a call of a stencil, numbered as in the pattern. */
struct cm_stencil_arguments {
    struct cm_array *dst; /* destination, which must not be a source with offsets */
    const struct cm_array *sources[CM_STENCIL_SOURCES_MAX]; /* source arrays, by number */
    /* Arrays of coefficients, by number. */
    const struct cm_array *coefficients[CM_STENCIL_ARRAYS_MAX];
    struct cm_scalar scalars[CM_STENCIL_SCALARS_MAX]; /* coefficients that are scalars, by number */
    /* Boundary values of axes with CM_SHIFT_EOSHIFT_SCALAR. */
    struct cm_scalar boundaries[CM_STENCIL_RANK_MAX];
    /* Boundary arrays of axes with CM_SHIFT_EOSHIFT_ARRAY. Such an array has all axes but the
     * shifted one. If the rank is one, `boundaries` is used instead. */
    const struct cm_array *boundary_arrays[CM_STENCIL_RANK_MAX];
};

/* Sorts the terms of a pattern into the order in which they are added. */
CM_API void cm_stencil_sort(struct cm_stencil_pattern *pattern, uint32_t rank);

/* Returns the reason why a stencil cannot be compiled for arrays of a layout, though shifted copies
 * can compute it. Returns NULL if the stencil can be compiled. */
CM_API const char *cm_stencil_refusal(const struct cm_layout *layout,
                                      const struct cm_stencil_pattern *pattern);

struct cm_stencil;

/*
 * Compiles the exchange and the sweep of a stencil, and allocates node memory for halos and
 * communication tables. On failure *stencil is NULL. Fails with CM_BAD_INPUT if cm_stencil_refusal
 * refuses the pattern, the arrays are logical, a number exceeds its limit, or there are more arrays
 * than address registers.
 */
CM_API enum cm_status cm_stencil_setup(struct cm_system *system, const struct cm_layout *prototype,
                                       const struct cm_stencil_pattern *pattern,
                                       struct cm_stencil **stencil, struct cm_error *err);

/*
 * Computes dst from the sources by an exchange and a sweep. All arrays must have the prototype's
 * layout. dst may be an array of coefficients or a source without offsets. Fails with CM_BAD_INPUT
 * if dst is a source with offsets, because other results still need its old elements.
 */
CM_API enum cm_status cm_stencil_call(struct cm_system *system, const struct cm_stencil *stencil,
                                      const struct cm_stencil_arguments *arguments,
                                      struct cm_error *err);
/* Compiles the code that a call needs for its boundary arrays, and keeps it in the cache. This
 * takes no machine cycles. Fails with CM_BAD_INPUT where the call would fail. */
CM_API enum cm_status cm_stencil_prepare(struct cm_system *system, const struct cm_stencil *stencil,
                                         const struct cm_stencil_arguments *arguments,
                                         struct cm_error *err);
/* These functions execute the two halves of a call. The sweep reads the halos that the last
 * exchange of this stencil filled. */
CM_API enum cm_status cm_stencil_exchange(struct cm_system *system,
                                          const struct cm_stencil *stencil,
                                          const struct cm_stencil_arguments *arguments,
                                          struct cm_error *err);
CM_API enum cm_status cm_stencil_sweep(struct cm_system *system, const struct cm_stencil *stencil,
                                       const struct cm_stencil_arguments *arguments,
                                       struct cm_error *err);

/* Frees a compiled stencil, which may be NULL. */
CM_API void cm_stencil_deallocate(struct cm_system *system, struct cm_stencil *stencil);

/* Sizes and counts of a compiled stencil, for reports and tests. */
struct cm_stencil_info {
    /* number of exchanges of a call, without the exchanges for boundary arrays */
    uint64_t exchanges;
    uint64_t exchange_words, sweep_words; /* number of SRAM words of each half's IMPs */
    /* number of words of node memory for halos and for tables */
    uint64_t halo_words, table_words;
    /* size along each axis of a tile, the results that the sweep computes together */
    uint64_t tile[CM_STENCIL_RANK_MAX];
    /* number of source elements that a sweep loads in a node */
    uint64_t loads;
    uint64_t results; /* number of elements that a sweep stores in a node */
    /* Lower bound of the sweep's cycles: each word loaded and stored once, and the arithmetic
     * operations. */
    uint64_t bound_cycles;
};
CM_API void cm_stencil_info(const struct cm_stencil *stencil, struct cm_stencil_info *info);
/*
 * Returns IMP i of a compiled stencil, from 0, or NULL after the last IMP. The IMPs of the exchange
 * come first.
 */
CM_API const struct cm_imp *cm_stencil_imp(const struct cm_stencil *stencil, uint32_t i);

CM_END_DECLS

#endif
