/*
 * This header computes stencils by shifted copies. Each source is shifted into temporary arrays,
 * axis 0 first, and cm_combine adds these arrays in the order of stencil.h. So the results have the
 * same bits as a compiled stencil's.
 *
 * Shifted copies can compute what the compiler refuses: padded arrays, SEND order, offsets longer
 * than the subgrid, boundary arrays with corners, and a destination that is a source.
 */
#ifndef CM_PROGRAMS_STENCIL_STENCIL_SHIFTS_H
#define CM_PROGRAMS_STENCIL_STENCIL_SHIFTS_H

#include "stencil.h"

CM_BEGIN_DECLS

/* Way of shifting the sources. */
enum cm_stencil_by {
    /* by PSHIFT, with as many shifts in a call as it takes. If its IMPs do not fit the SRAM, the
     * run-time library makes single shifts */
    CM_STENCIL_BY_PSHIFT,
    CM_STENCIL_BY_CSHIFT, /* by CSHIFT, with one call of the run-time library for each shift */
};

struct cm_stencil_shifts;

/*
 * Creates the temporary arrays, and compiles the calls of PSHIFT. On failure *shifts is NULL. Fails
 * with CM_BAD_INPUT if the pattern is invalid, has more terms than cm_combine takes, or node memory
 * is too small.
 */
CM_API enum cm_status
cm_stencil_shifts_setup(struct cm_system *system, const struct cm_layout *prototype,
                        const struct cm_stencil_pattern *pattern, enum cm_stencil_by by,
                        struct cm_stencil_shifts **shifts, struct cm_error *err);
/* Computes dst from the sources by shifted copies. Any of the arrays may be dst. */
CM_API enum cm_status cm_stencil_shifts_call(struct cm_system *system,
                                             struct cm_stencil_shifts *shifts,
                                             const struct cm_stencil_arguments *arguments,
                                             struct cm_error *err);
/* Compiles the IMPs of a call and keeps them in the cache. This takes no machine cycles. */
CM_API enum cm_status cm_stencil_shifts_prepare(struct cm_system *system,
                                                struct cm_stencil_shifts *shifts,
                                                const struct cm_stencil_arguments *arguments,
                                                struct cm_error *err);
/* Numbers of shifted copies and of the calls that make them. */
struct cm_stencil_shifts_info {
    uint32_t copies, calls; /* number of shifted copies, and of calls that make them */
    /* number of shifts by IMPs of PSHIFT, and by the run-time library */
    uint32_t by_imp, by_runtime;
};
CM_API void cm_stencil_shifts_info(const struct cm_system *system,
                                   const struct cm_stencil_shifts *shifts,
                                   struct cm_stencil_shifts_info *info);
/* Frees the compiled shifts, which may be NULL. */
CM_API void cm_stencil_shifts_deallocate(struct cm_system *system,
                                         struct cm_stencil_shifts *shifts);

CM_END_DECLS

#endif
