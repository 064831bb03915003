/*
 * PSHIFT (P 3, 4, 5): several shifts in one call. The interface mirrors figure 4: a setup for a
 * prototype array and a list of (type, axis, distance), an id, calls with arrays, deallocation.
 */
#ifndef CM_PROGRAMS_PSHIFT_PSHIFT_H
#define CM_PROGRAMS_PSHIFT_PSHIFT_H

#include "shift.h"

CM_BEGIN_DECLS

/* How the IMP of a setup is compiled (P 4). */
enum cm_setup_kind {
    /* unrolled if it fits the SRAM, else looped; looped later, if another setup needs the room */
    CM_SETUP_AUTO,
    CM_SETUP_UNROLLED, /* PSHIFT_SETUP: all loops over exchanges unrolled */
    CM_SETUP_LOOPED,   /* PSHIFT_SETUP_LOOPED: four exchanges an iteration */
};

/*
 * Compiles the IMP and the communication tables. *id identifies the setup in later calls.
 * CM_BAD_INPUT, with nothing left behind, for an axis beyond the rank or an IMP that does not fit
 * the SRAM (hint: the looped setup).
 */
CM_API enum cm_status cm_pshift_setup(struct cm_system *system, enum cm_setup_kind kind,
                                      const struct cm_layout *prototype,
                                      const struct cm_pshift_pattern *patterns, uint32_t count,
                                      int *id, struct cm_error *err);

/*
 * Performs the shifts of setup `id` on the given arrays, in one call. Types, axes and distances
 * must be those of the setup, arrays must have the prototype's layout, and no array may be the
 * destination of two shifts (CM_BAD_INPUT otherwise). Every shift reads its source as it was before
 * the call: a source that is also a destination is copied to a temporary first (P 3).
 */
CM_API enum cm_status cm_pshift_call(struct cm_system *system, int id,
                                     const struct cm_shift *shifts, uint32_t count,
                                     struct cm_error *err);

/*
 * Compiles and keeps what the third step and the run-time library need for a call with these
 * arrays, so that the call finds it ready. Charges nothing. CM_BAD_INPUT where the call would be
 * refused.
 */
CM_API enum cm_status cm_pshift_prepare(struct cm_system *system, int id,
                                        const struct cm_shift *shifts, uint32_t count,
                                        struct cm_error *err);

/* Frees what a setup took: its IMP and SRAM, its communication tables. Its id is not used again. */
CM_API enum cm_status cm_pshift_deallocate(struct cm_system *system, int id, struct cm_error *err);

/* What a setup made, for people and tests. */
struct cm_pshift_info {
    bool unrolled;            /* its IMP has no loop over the subgrid */
    uint32_t by_imp;          /* shifts handled by the IMP */
    uint32_t by_runtime;      /* shifts left to the run-time library */
    uint64_t exchanges;       /* a call makes in its IMP */
    uint64_t sram_words;      /* of its IMP */
    uint64_t table_words;     /* of node memory for its communication tables */
    const struct cm_imp *imp; /* NULL when every shift goes to the run-time library */
};
CM_API enum cm_status cm_pshift_info(const struct cm_system *system, int id,
                                     struct cm_pshift_info *info, struct cm_error *err);
/* Why shift `index` of a setup went to the run-time library; NULL when the IMP does it. */
CM_API const char *cm_pshift_reason(const struct cm_system *system, int id, uint32_t index);

CM_END_DECLS

#endif
