/*
 * Stencils: dst = the sum over terms of coefficient * source(index + offset), without moving an
 * element within a node. Setup compiles two parts. The exchange brings what neighbouring nodes hold
 * into halo buffers, all axes at once. The sweep reads sources and halos into the FPU's registers,
 * each word as few times as they allow, and stores each result once.
 *
 * The order in which the terms of a result are added, which a reference must follow to agree bit
 * for bit: ascending by the offset along the last axis, then along the axis before it, and so on to
 * axis 0; terms of equal offsets in the order given. Products and sums are rounded as combine.h
 * says.
 *
 * Boundaries: an element outside the array along an end-off axis is that axis's boundary value;
 * outside along several, that of the last of them. So it is as if the shifts along axis 0 came
 * first.
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
#define CM_STENCIL_ARRAYS_MAX  40u /* of coefficients */

/* coefficient * source(index + offset). Sources and coefficients are numbers among those of a
 * call. */
struct cm_stencil_term {
    uint32_t source;                     /* number of the source */
    int64_t offset[CM_STENCIL_RANK_MAX]; /* of each axis, in elements */
    bool by_array;        /* the coefficient is an element of an array, at the result's index */
    uint32_t coefficient; /* number of the scalar, or of the array of coefficients */
};

/* What a setup is made for. Terms that share a scalar should name the same number: it takes one
 * register. */
struct cm_stencil_pattern {
    uint32_t term_count;                                /* how many */
    struct cm_stencil_term terms[CM_STENCIL_TERMS_MAX]; /* in the order in which they are added */
    enum cm_shift_type boundaries[CM_STENCIL_RANK_MAX]; /* of each axis */
};

/* What a call works on, as the pattern numbers it. */
struct cm_stencil_arguments {
    struct cm_array *dst;                                   /* the result; no source */
    const struct cm_array *sources[CM_STENCIL_SOURCES_MAX]; /* as the terms number them */
    /* arrays of coefficients, as the terms number them */
    const struct cm_array *coefficients[CM_STENCIL_ARRAYS_MAX];
    struct cm_scalar scalars[CM_STENCIL_SCALARS_MAX]; /* scalars, as the terms number them */
    struct cm_scalar boundaries[CM_STENCIL_RANK_MAX]; /* of axes with CM_SHIFT_EOSHIFT_SCALAR */
    /* of axes with CM_SHIFT_EOSHIFT_ARRAY: an array without the axis; rank one takes the scalar */
    const struct cm_array *boundary_arrays[CM_STENCIL_RANK_MAX];
};

/* Sorts terms into the order in which they are added. */
CM_API void cm_stencil_sort(struct cm_stencil_pattern *pattern, uint32_t rank);

/* Why a stencil cannot be compiled for arrays of a layout, though shifts and combine can do it;
 * NULL when it can. */
CM_API const char *cm_stencil_refusal(const struct cm_layout *layout,
                                      const struct cm_stencil_pattern *pattern);

struct cm_stencil;

/*
 * Compiles exchange and sweep, and sets node memory aside for halos and communication tables. On
 * failure *stencil is NULL. CM_BAD_INPUT for what cm_stencil_refusal refuses, and for what no
 * stencil can be: logical arrays, numbers beyond their limits, more arrays than address registers.
 */
CM_API enum cm_status cm_stencil_setup(struct cm_system *system, const struct cm_layout *prototype,
                                       const struct cm_stencil_pattern *pattern,
                                       struct cm_stencil **stencil, struct cm_error *err);

/*
 * dst = the stencil of the sources. All arrays have the prototype's layout (CM_BAD_INPUT
 * otherwise). dst may be an array of coefficients, or a source without offsets, but not a source
 * with offsets (CM_BAD_INPUT): elements that others still read would be overwritten.
 */
CM_API enum cm_status cm_stencil_call(struct cm_system *system, const struct cm_stencil *stencil,
                                      const struct cm_stencil_arguments *arguments,
                                      struct cm_error *err);
/* Compiles and keeps what a call needs for its boundary arrays; charges nothing. CM_BAD_INPUT where
 * the call would be refused. */
CM_API enum cm_status cm_stencil_prepare(struct cm_system *system, const struct cm_stencil *stencil,
                                         const struct cm_stencil_arguments *arguments,
                                         struct cm_error *err);
/* The two halves of a call. The sweep uses the halos of the last exchange of this setup. */
CM_API enum cm_status cm_stencil_exchange(struct cm_system *system,
                                          const struct cm_stencil *stencil,
                                          const struct cm_stencil_arguments *arguments,
                                          struct cm_error *err);
CM_API enum cm_status cm_stencil_sweep(struct cm_system *system, const struct cm_stencil *stencil,
                                       const struct cm_stencil_arguments *arguments,
                                       struct cm_error *err);

/* Frees what a setup took; NULL is allowed. */
CM_API void cm_stencil_deallocate(struct cm_system *system, struct cm_stencil *stencil);

/* What a setup made, for people and tests. */
struct cm_stencil_info {
    uint64_t exchanges;                   /* of a call, without those for boundary arrays */
    uint64_t exchange_words, sweep_words; /* of SRAM */
    uint64_t halo_words, table_words;     /* of node memory */
    uint64_t tile[CM_STENCIL_RANK_MAX];   /* results that the sweep works on together */
    uint64_t loads;                       /* elements of sources that a sweep loads, per node */
    uint64_t results;                     /* elements that it stores */
    uint64_t bound_cycles;                /* of the sweep: each word loaded once, stored once, and
                                            the operations */
};
CM_API void cm_stencil_info(const struct cm_stencil *stencil, struct cm_stencil_info *info);
/* Its IMPs from 0, those of the exchange first; NULL past the last. */
CM_API const struct cm_imp *cm_stencil_imp(const struct cm_stencil *stencil, uint32_t i);

CM_END_DECLS

#endif
