/* Between boundary.c and boundary_array.c. */
#ifndef CM_PROGRAMS_PSHIFT_BOUNDARY_PRIVATE_H
#define CM_PROGRAMS_PSHIFT_BOUNDARY_PRIVATE_H

#include "../system/compiled_imps.h"
#include "boundary.h"

/* A cm_compiled_make for a struct cm_boundary with an array. */
enum cm_status cm_boundary_array_make(struct cm_system *system, const void *task,
                                      struct cm_compiled *compiled, struct cm_error *err);
enum cm_status cm_boundary_array_run(struct cm_system *system, const struct cm_boundary *boundary,
                                     const struct cm_compiled *compiled, const struct cm_array *dst,
                                     enum cm_entry entry, struct cm_error *err);

#endif
