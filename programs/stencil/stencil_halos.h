/*
 * This header fills halos without a sweep, for code that reads elements at offsets itself. The
 * terms of a pattern say which elements are needed, and their coefficients are ignored.
 * cm_stencil_exchange then needs neither destination nor coefficients. This header is not
 * installed.
 */
#ifndef CM_PROGRAMS_STENCIL_STENCIL_HALOS_H
#define CM_PROGRAMS_STENCIL_STENCIL_HALOS_H

#include "../../sim/machine/machine.h"
#include "../system/box.h"
#include "stencil.h"

/* Compiles only the exchange of a stencil. All coefficients of the pattern must be scalar number 0.
 */
enum cm_status cm_stencil_setup_halos(struct cm_system *system, const struct cm_layout *prototype,
                                      const struct cm_stencil_pattern *pattern,
                                      struct cm_stencil **stencil, struct cm_error *err);
/* Fills the halos as cm_stencil_exchange does. *entry says how the first IMP is started, and
 * becomes the kind of start for the code that follows. */
enum cm_status cm_stencil_exchange_next(struct cm_system *system, const struct cm_stencil *stencil,
                                        const struct cm_stencil_arguments *arguments,
                                        enum cm_entry *entry, struct cm_error *err);
/* Describes the halos of source number `source`: their places and sizes. */
void cm_stencil_halos(const struct cm_stencil *stencil, uint32_t source, struct cm_halos *halos);

#endif
