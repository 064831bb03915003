/*
 * Stencils by shifted copies. Each source is shifted into temporary arrays, axis 0 first, and
 * cm_combine adds them in the order of stencil.h. So the results have the same bits as a compiled
 * stencil's.
 *
 * Shifted copies do what the compiler refuses: padded arrays, SEND order, offsets longer than the
 * subgrid, boundary arrays with corners, and a destination that is a source.
 */
#ifndef CM_PROGRAMS_STENCIL_STENCIL_SHIFTS_H
#define CM_PROGRAMS_STENCIL_STENCIL_SHIFTS_H

#include "stencil.h"

CM_BEGIN_DECLS

/* Shifts that make the copies. */
enum cm_stencil_by {
    CM_STENCIL_BY_PSHIFT, /* as many shifts in a call as PSHIFT takes, or single shifts if the
                             setups do not fit the SRAM */
    CM_STENCIL_BY_CSHIFT, /* one call of the run-time library for each shift */
};

struct cm_stencil_shifts;

/*
 * Creates the temporary arrays and the setups of PSHIFT. On failure *shifts is NULL. Fails with
 * CM_BAD_INPUT for invalid patterns, for more terms than cm_combine takes, and for too little node
 * memory.
 */
CM_API enum cm_status
cm_stencil_shifts_setup(struct cm_system *system, const struct cm_layout *prototype,
                        const struct cm_stencil_pattern *pattern, enum cm_stencil_by by,
                        struct cm_stencil_shifts **shifts, struct cm_error *err);
/* Computes dst from the sources. Any array may be dst. */
CM_API enum cm_status cm_stencil_shifts_call(struct cm_system *system,
                                             struct cm_stencil_shifts *shifts,
                                             const struct cm_stencil_arguments *arguments,
                                             struct cm_error *err);
/* Compiles and caches the IMPs of a call. Charges no cycles. */
CM_API enum cm_status cm_stencil_shifts_prepare(struct cm_system *system,
                                                struct cm_stencil_shifts *shifts,
                                                const struct cm_stencil_arguments *arguments,
                                                struct cm_error *err);
/* Numbers of copies and calls. */
struct cm_stencil_shifts_info {
    uint32_t copies, calls;      /* shifted copies, and calls that make them */
    uint32_t by_imp, by_runtime; /* shifts by IMPs of PSHIFT, and by the run-time library */
};
CM_API void cm_stencil_shifts_info(const struct cm_system *system,
                                   const struct cm_stencil_shifts *shifts,
                                   struct cm_stencil_shifts_info *info);
/* Frees a setup. NULL is allowed. */
CM_API void cm_stencil_shifts_deallocate(struct cm_system *system,
                                         struct cm_stencil_shifts *shifts);

CM_END_DECLS

#endif
