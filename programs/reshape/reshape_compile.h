/* Compiling plans of reshapes. Not installed. */
#ifndef CM_PROGRAMS_RESHAPE_RESHAPE_COMPILE_H
#define CM_PROGRAMS_RESHAPE_RESHAPE_COMPILE_H

#include "../system/compiled_imps.h"
#include "reshape_plan.h"

/*
 * Compiles a plan in units, for elements of `slices` words, without checking it: the machine faults
 * if it puts two words on one channel. Arguments: "controls", "array", and the scratch memory.
 */
enum cm_status cm_reshape_compile(struct cm_system *system, uint32_t slices,
                                  const struct cm_reshape_plan *plan, struct cm_compiled *compiled,
                                  struct cm_error *err);

#endif
