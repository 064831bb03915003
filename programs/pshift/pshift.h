/*
 * Shifts of arrays along an axis: PSHIFT, which does several shifts in one call (P 3, 4, 5), and
 * the CSHIFT and EOSHIFT of the run-time library (runtime.h).
 *
 * PSHIFT mirrors figure 4 of the paper. A setup takes a prototype array and a list of (type, axis,
 * distance). It compiles an IMP and communication tables, and returns an id. A call takes the id
 * and the arrays of the shifts. The shifts of a call share each exchange: all axes and both
 * directions use their channels at the same time.
 *
 * A call has these steps:
 *
 *   1. Local moves: elements that stay in their node.
 *   2. Exchanges: elements that cross to other nodes.
 *   3. Run-time library: shifts that the IMP cannot do, and the boundaries that it does not fill.
 *
 * Every shift of a call reads its source as it was before the call. A setup charges no cycles.
 *
 * Files:
 *
 *   shift.h              types of shifts, shared with the run-time library
 *   pshift.c             setups and calls
 *   pshift_plan.c        shifts that the IMP can do, their parts, hops and tables
 *   pshift_compile.c     the IMP
 *   runtime.c            shifts and copies of the run-time library
 *   runtime_compile.c    their IMPs
 *   runtime_router.c     their router path
 *   boundary_fill.c      scalar boundaries
 *   boundary_array.c     boundary arrays
 */
#ifndef CM_PROGRAMS_PSHIFT_PSHIFT_H
#define CM_PROGRAMS_PSHIFT_PSHIFT_H

#include "shift.h"

CM_BEGIN_DECLS

/* Forms of a setup's IMP (P 4). */
enum cm_setup_kind {
    /* Unrolled if it fits the SRAM, else looped. A later setup that needs room may loop it. */
    CM_SETUP_AUTO,
    CM_SETUP_UNROLLED, /* PSHIFT_SETUP: all exchanges unrolled */
    CM_SETUP_LOOPED,   /* PSHIFT_SETUP_LOOPED: four exchanges in an iteration */
};

/*
 * Compiles the IMP and the communication tables, and sets *id. Fails with CM_BAD_INPUT, without any
 * effect, for an axis beyond the rank, a third shift along an axis, and an IMP that does not fit
 * the SRAM.
 */
CM_API enum cm_status cm_pshift_setup(struct cm_system *system, enum cm_setup_kind kind,
                                      const struct cm_layout *prototype,
                                      const struct cm_pshift_pattern *patterns, uint32_t count,
                                      int *id, struct cm_error *err);

/*
 * Performs the shifts of setup `id` on arrays. Types, axes and distances must be those of the
 * setup, arrays must have the prototype's layout, and no array may be the destination of two
 * shifts. Otherwise fails with CM_BAD_INPUT. A source that is also a destination is copied to a
 * temporary array first (P 3).
 */
CM_API enum cm_status cm_pshift_call(struct cm_system *system, int id,
                                     const struct cm_shift *shifts, uint32_t count,
                                     struct cm_error *err);

/* Compiles and caches what the boundaries and the run-time library need for a call with these
 * arrays. Charges no cycles. Fails with CM_BAD_INPUT where the call would fail. */
CM_API enum cm_status cm_pshift_prepare(struct cm_system *system, int id,
                                        const struct cm_shift *shifts, uint32_t count,
                                        struct cm_error *err);

/* Frees a setup's IMP, SRAM and communication tables. The id is not used again. */
CM_API enum cm_status cm_pshift_deallocate(struct cm_system *system, int id, struct cm_error *err);

/* Properties of a setup, for reports and tests. */
struct cm_pshift_info {
    bool unrolled;            /* true if the exchanges are unrolled */
    uint32_t by_imp;          /* shifts by the IMP */
    uint32_t by_runtime;      /* shifts by the run-time library */
    uint64_t exchanges;       /* exchanges of the IMP */
    uint64_t sram_words;      /* SRAM words of the IMP */
    uint64_t table_words;     /* words of node memory for the communication tables */
    const struct cm_imp *imp; /* NULL if the run-time library does every shift */
};
CM_API enum cm_status cm_pshift_info(const struct cm_system *system, int id,
                                     struct cm_pshift_info *info, struct cm_error *err);
/* Returns why the run-time library does shift `index` of a setup, or NULL if the IMP does it. */
CM_API const char *cm_pshift_reason(const struct cm_system *system, int id, uint32_t index);

CM_END_DECLS

#endif
