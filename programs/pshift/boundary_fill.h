/* The third step of end-off shifts (P 3): boundary values into the places without a source. Not
 * installed. */
#ifndef CM_PROGRAMS_PSHIFT_BOUNDARY_FILL_H
#define CM_PROGRAMS_PSHIFT_BOUNDARY_FILL_H

#include "boundary.h"

enum cm_status cm_boundary_fill(struct cm_system *system, const struct cm_boundary *boundary,
                                const struct cm_array *dst, enum cm_entry entry,
                                struct cm_error *err);
/* Compiles and keeps what cm_boundary_fill would run. */
enum cm_status cm_boundary_prepare(struct cm_system *system, const struct cm_boundary *boundary,
                                   struct cm_error *err);

#endif
