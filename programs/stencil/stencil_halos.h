/*
 * Halos without a sweep, for code that reads elements at offsets by itself: the terms of a pattern
 * say which elements, and their coefficients do not matter. cm_stencil_exchange fills the halos;
 * its arguments need no destination and no coefficients then. Not installed.
 */
#ifndef CM_PROGRAMS_STENCIL_STENCIL_HALOS_H
#define CM_PROGRAMS_STENCIL_STENCIL_HALOS_H

#include "../../sim/machine/machine.h"
#include "../system/box.h"
#include "stencil.h"

/* As cm_stencil_setup, for patterns whose coefficients are scalar 0. */
enum cm_status cm_stencil_setup_halos(struct cm_system *system, const struct cm_layout *prototype,
                                      const struct cm_stencil_pattern *pattern,
                                      struct cm_stencil **stencil, struct cm_error *err);
/* As cm_stencil_exchange; *entry is for its first IMP, and becomes that of what follows. */
enum cm_status cm_stencil_exchange_next(struct cm_system *system, const struct cm_stencil *stencil,
                                        const struct cm_stencil_arguments *arguments,
                                        enum cm_entry *entry, struct cm_error *err);
/* Where the halos of a source are. */
void cm_stencil_halos(const struct cm_stencil *stencil, uint32_t source, struct cm_halos *halos);

#endif
