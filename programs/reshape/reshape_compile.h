/* Compiling plans of reshapes. Not installed. */
#ifndef CM_PROGRAMS_RESHAPE_RESHAPE_COMPILE_H
#define CM_PROGRAMS_RESHAPE_RESHAPE_COMPILE_H

#include "../system/compiled_imps.h"
#include "reshape.h"

/* Words of scratch memory a reshape needs: buffers of units. */
uint64_t cm_reshape_scratch_words(const struct cm_reshape_plan *plan,
                                  const struct cm_reshape_task *task);

/* Compiles a plan, in units, whatever it says: the machine faults if it puts two words on one
 * channel. */
enum cm_status cm_reshape_compile(struct cm_system *system, const struct cm_reshape_task *task,
                                  const struct cm_reshape_plan *plan, struct cm_compiled *compiled,
                                  struct cm_error *err);

/* A cm_compiled_make for a struct cm_reshape_task. Arguments: "controls", "array", "scratch". */
enum cm_status cm_reshape_make(struct cm_system *system, const void *task,
                               struct cm_compiled *compiled, struct cm_error *err);

#endif
