/* Chains of address bits compiled to IMPs. Not installed. */
#ifndef CM_PROGRAMS_TRANSPOSE_TRANSPOSE_ROTATE_H
#define CM_PROGRAMS_TRANSPOSE_TRANSPOSE_ROTATE_H

#include "../system/compiled_imps.h"
#include "transpose_chains.h"

/* Whether the sequencer's loops nest deep enough, and the contexts fit the registers. */
bool cm_chains_can_run(const struct cm_chains *chains, const struct cm_config *config);
/* Compiles all stages. The caller drops `compiled`, also after a failure. */
enum cm_status cm_chains_compile(struct cm_system *system, const struct cm_chains *chains,
                                 struct cm_compiled *compiled, struct cm_error *err);
/* Runs them on the array at an address, in place. What belongs at another local bit is still where
 * it came to the node. */
enum cm_status cm_chains_run(struct cm_system *system, const struct cm_compiled *compiled,
                             uint64_t array, struct cm_error *err);

#endif
