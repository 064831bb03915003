/*
 * The same statement as a stencil by shifted copies: each source is shifted into temporary arrays,
 * axis 0 first, and cm_combine adds them in the order of stencil.h, so the results are the same
 * bits. It takes what a compiled stencil refuses: padded arrays, SEND order, longer offsets, arrays
 * as boundaries, a destination that is a source.
 */
#ifndef CM_PROGRAMS_STENCIL_STENCIL_SHIFTS_H
#define CM_PROGRAMS_STENCIL_STENCIL_SHIFTS_H

#include "stencil.h"

CM_BEGIN_DECLS

/* Which shifts stand in for the stencil. */
enum cm_stencil_by {
    CM_STENCIL_BY_PSHIFT, /* as many shifts in a call as PSHIFT takes; if its setups do not fit the
                             SRAM, as below */
    CM_STENCIL_BY_CSHIFT, /* one call of the run-time library for each shift */
};

struct cm_stencil_shifts;

/*
 * Makes the temporary arrays and the setups of PSHIFT. On failure *shifts is NULL. CM_BAD_INPUT for
 * patterns that no stencil can be, more terms than cm_combine takes, or too little node memory.
 */
CM_API enum cm_status
cm_stencil_shifts_setup(struct cm_system *system, const struct cm_layout *prototype,
                        const struct cm_stencil_pattern *pattern, enum cm_stencil_by by,
                        struct cm_stencil_shifts **shifts, struct cm_error *err);
/* dst = the stencil of the sources; any of the arrays may be dst. */
CM_API enum cm_status cm_stencil_shifts_call(struct cm_system *system,
                                             struct cm_stencil_shifts *shifts,
                                             const struct cm_stencil_arguments *arguments,
                                             struct cm_error *err);
/* Compiles and keeps what a call would run; charges nothing. */
CM_API enum cm_status cm_stencil_shifts_prepare(struct cm_system *system,
                                                struct cm_stencil_shifts *shifts,
                                                const struct cm_stencil_arguments *arguments,
                                                struct cm_error *err);
/* Copies that a call makes, and calls of PSHIFT or the run-time library for them. Of the shifts, a
 * few may be left by PSHIFT to the run-time library. */
struct cm_stencil_shifts_info {
    uint32_t copies, calls;      /* shifted copies; calls that make them */
    uint32_t by_imp, by_runtime; /* shifts made by IMPs; left to the run-time library */
};
CM_API void cm_stencil_shifts_info(const struct cm_system *system,
                                   const struct cm_stencil_shifts *shifts,
                                   struct cm_stencil_shifts_info *info);
/* Frees what a setup took; NULL is allowed. */
CM_API void cm_stencil_shifts_deallocate(struct cm_system *system,
                                         struct cm_stencil_shifts *shifts);

CM_END_DECLS

#endif
