/* Boundary arrays as IMPs. Not installed. */
#ifndef CM_PROGRAMS_PSHIFT_BOUNDARY_ARRAY_H
#define CM_PROGRAMS_PSHIFT_BOUNDARY_ARRAY_H

#include "../system/compiled_imps.h"

/*
 * A cm_compiled_make for a struct cm_boundary with an array. Arguments of the IMPs: "table", "dst",
 * "boundary", and the scratch memory.
 */
enum cm_status cm_boundary_array_make(struct cm_system *system, const void *task,
                                      struct cm_compiled *compiled, struct cm_error *err);

#endif
