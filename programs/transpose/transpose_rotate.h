/* This header compiles chains of address bits (transpose_chains.h) to IMPs. It is not installed. */
#ifndef CM_PROGRAMS_TRANSPOSE_TRANSPOSE_ROTATE_H
#define CM_PROGRAMS_TRANSPOSE_TRANSPOSE_ROTATE_H

#include "../system/compiled_imps.h"
#include "transpose_chains.h"

/* Returns true if the machine can execute the chains: their loops fit the sequencer's nesting
 * depth, and their contexts fit the FPU registers. */
bool cm_chains_can_run(const struct cm_chains *chains, const struct cm_config *config);
/* Compiles all stages of the chains. The caller frees `compiled`, even after a failure. */
enum cm_status cm_chains_compile(struct cm_system *system, const struct cm_chains *chains,
                                 struct cm_compiled *compiled, struct cm_error *err);
/* Executes the chains in place on the array at address `array`. Words that belong at another local
 * bit remain at the place where they arrived in the node. */
enum cm_status cm_chains_run(struct cm_system *system, const struct cm_compiled *compiled,
                             uint64_t array, struct cm_error *err);

#endif
