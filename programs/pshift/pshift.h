/*
 * This header declares PSHIFT, which shifts several arrays along axes in one call. The room also
 * has CSHIFT and EOSHIFT of the run-time library (runtime.h). The source is George, Brickner,
 * Johnsson, PSHIFT (1994), "the PSHIFT paper", sections 3, 4 and 5.
 *
 * PSHIFT mirrors figure 4 of the paper. A program first makes a *setup*: from a prototype array and
 * a list of (type, axis, distance), an IMP and communication tables are compiled, and the setup
 * gets an id. A call takes the id and the arrays of the shifts. The shifts of a call share each
 * exchange: all axes and both directions use their channels at the same time.
 *
 * A call has these steps:
 *
 *   1. Local moves: elements that stay in their node.
 *   2. Exchanges: elements that cross to other nodes.
 *   3. Run-time library: shifts that the IMP cannot do, and the boundaries that it does not fill.
 *
 * Every shift of a call reads its source as it was before the call. Making a setup takes no machine
 * cycles.
 *
 * Files:
 *
 *   shift.h              types of shifts, shared with the run-time library
 *   pshift.c             setups and calls
 *   pshift_plan.c        shifts that the IMP can do, their parts, hops and tables
 *   pshift_compile.c     the IMP of a setup
 *   runtime.c            shifts and copies of the run-time library
 *   runtime_compile.c    IMPs of the run-time library
 *   runtime_router.c     shifts of the run-time library through the router
 *   boundary_fill.c      scalar boundaries
 *   boundary_array.c     boundary arrays
 */
#ifndef CM_PROGRAMS_PSHIFT_PSHIFT_H
#define CM_PROGRAMS_PSHIFT_PSHIFT_H

#include "shift.h"

CM_BEGIN_DECLS

/* Forms of the IMP of a PSHIFT setup (section 4 of the PSHIFT paper). */
enum cm_setup_kind {
    /* Unrolled if the IMP fits the SRAM, otherwise looped. A later setup that needs SRAM may
     * replace an unrolled IMP by a looped one. */
    CM_SETUP_AUTO,
    CM_SETUP_UNROLLED, /* the paper's PSHIFT_SETUP: all exchanges are unrolled */
    /* the paper's PSHIFT_SETUP_LOOPED: four exchanges in an iteration of a loop */
    CM_SETUP_LOOPED,
};

/* Arguments for making a PSHIFT setup. */
struct cm_pshift_request {
    enum cm_setup_kind kind;                  /* form of the microprogram */
    const struct cm_layout *prototype;        /* layout of all arrays */
    const struct cm_pshift_pattern *patterns; /* one for each shift */
    uint32_t count;                           /* number of patterns */
};

/*
 * Compiles the IMP and the communication tables of a PSHIFT, and sets *id to the number of the
 * setup. Fails with CM_BAD_INPUT, without any effect, if an axis is beyond the rank, an axis has
 * more than two shifts, or the IMP does not fit the SRAM.
 */
CM_API enum cm_status cm_pshift_setup(struct cm_system *system,
                                      const struct cm_pshift_request *request, int *id,
                                      struct cm_error *err);

/*
 * Performs the shifts of setup `id` on arrays. Types, axes and distances must be those of the
 * setup, arrays must have the prototype's layout, and no array may be the destination of two
 * shifts. Otherwise fails with CM_BAD_INPUT. A source that is also a destination is copied to a
 * temporary array first (section 3 of the PSHIFT paper).
 */
CM_API enum cm_status cm_pshift_call(struct cm_system *system, int id,
                                     const struct cm_shift *shifts, uint32_t count,
                                     struct cm_error *err);

/* Compiles the code that boundaries and the run-time library need for a call with these arrays, and
 * keeps it in the cache. This takes no machine cycles. Fails with CM_BAD_INPUT where the call would
 * fail. */
CM_API enum cm_status cm_pshift_prepare(struct cm_system *system, int id,
                                        const struct cm_shift *shifts, uint32_t count,
                                        struct cm_error *err);

/* Frees the IMP, the SRAM and the communication tables of a setup. Its id is not used again. */
CM_API enum cm_status cm_pshift_deallocate(struct cm_system *system, int id, struct cm_error *err);

/* Sizes and counts of a PSHIFT setup, for reports and tests. */
struct cm_pshift_info {
    bool unrolled;        /* true if the exchanges are unrolled */
    uint32_t by_imp;      /* number of shifts that the IMP performs */
    uint32_t by_runtime;  /* number of shifts that the run-time library performs */
    uint64_t exchanges;   /* number of exchanges of the IMP */
    uint64_t sram_words;  /* number of SRAM words of the IMP */
    uint64_t table_words; /* number of words of node memory for the communication tables */
    /* IMP of the setup. NULL: the run-time library performs every shift */
    const struct cm_imp *imp;
};
CM_API enum cm_status cm_pshift_info(const struct cm_system *system, int id,
                                     struct cm_pshift_info *info, struct cm_error *err);
/* Returns the reason why the run-time library performs shift `index` of a setup, or NULL if the IMP
 * performs it. */
CM_API const char *cm_pshift_reason(const struct cm_system *system, int id, uint32_t index);

CM_END_DECLS

#endif
