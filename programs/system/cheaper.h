/*
 * Chooses the IMP that takes fewer cycles out of two IMPs for the same task. Each IMP is run on a
 * machine of the same description that moves no data. The cycles are exact except for the effect of
 * array addresses, which are known only when a setup is called. Callers are compilers of setups for
 * which another order of instructions pays only in some cases. This header is not installed.
 */
#ifndef CM_PROGRAMS_SYSTEM_CHEAPER_H
#define CM_PROGRAMS_SYSTEM_CHEAPER_H

#include "system_private.h"

/* Returns `second` if both IMPs can be run and `second` takes fewer cycles, or else `first`.
 * Destroys the IMP that is not returned. `second` may be NULL. `actuals` has likely addresses of
 * the arguments. */
struct cm_imp *cm_cheaper_imp(struct cm_system *system, struct cm_imp *first, struct cm_imp *second,
                              const struct cm_actual *actuals);

#endif
