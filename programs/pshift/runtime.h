/* This header declares CSHIFT and EOSHIFT of the run-time library: one shift of any distance along
 * an axis of any order, padded or not, compiled to IMPs. */
#ifndef CM_PROGRAMS_PSHIFT_RUNTIME_H
#define CM_PROGRAMS_PSHIFT_RUNTIME_H

#include "shift.h"

CM_BEGIN_DECLS

/*
 * Performs one shift. src and dst must have equal layouts and may be the same array. If the path is
 * CM_PATH_ROUTER, elements that leave their node go through the router (docs/programs/route.md).
 * Fails with CM_BAD_INPUT if the layouts differ, or an element does not fit the router's buffers.
 */
CM_API enum cm_status cm_runtime_shift(struct cm_system *system, const struct cm_shift *shift,
                                       struct cm_error *err);
/* Compiles the IMPs of a shift and keeps them in the cache, for later calls with equal layout,
 * type, axis and distance. This takes no machine cycles. */
CM_API enum cm_status cm_runtime_prepare(struct cm_system *system, const struct cm_shift *shift,
                                         struct cm_error *err);

/* Copies an array to another array of equal layout by moves within the nodes. */
CM_API enum cm_status cm_runtime_copy(struct cm_system *system, struct cm_array *dst,
                                      const struct cm_array *src, struct cm_error *err);

CM_END_DECLS

#endif
