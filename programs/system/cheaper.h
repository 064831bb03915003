/*
 * Chooses between two IMPs for the same task by their cycles. Each is run on a machine of the same
 * description that moves no data, which is exact but for the addresses of arrays: these are known
 * only when a setup is called. Called by compilers of setups whose order of instructions pays on
 * some tasks only. Not installed.
 */
#ifndef CM_PROGRAMS_SYSTEM_CHEAPER_H
#define CM_PROGRAMS_SYSTEM_CHEAPER_H

#include "system_private.h"

/* Returns the IMP with fewer cycles, `first` if both are equal or cannot be run, and destroys the
 * other one. `second` may be NULL. `actuals` has likely addresses of the arguments. */
struct cm_imp *cm_cheaper_imp(struct cm_system *system, struct cm_imp *first, struct cm_imp *second,
                              const struct cm_actual *actuals);

#endif
