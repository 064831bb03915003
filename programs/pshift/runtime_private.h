/* What PSHIFT takes from the run-time library: shifts and copies that are checked already. Not
 * installed. */
#ifndef CM_PROGRAMS_PSHIFT_RUNTIME_PRIVATE_H
#define CM_PROGRAMS_PSHIFT_RUNTIME_PRIVATE_H

#include "runtime.h"

/* Performs a checked shift whose source is at address `src`, not at its array's; the destination is
 * elsewhere. */
enum cm_status cm_runtime_shift_from(struct cm_system *system, const struct cm_shift *shift,
                                     uint64_t src, enum cm_entry entry, struct cm_error *err);
/* Compiles what cm_runtime_shift_from would run. */
enum cm_status cm_runtime_prepare_from(struct cm_system *system, const struct cm_shift *shift,
                                       struct cm_error *err);

/* Copies the words of an array at `address` to temporary node memory, which the caller frees
 * (cm_heap_free). `what` names it in the message when it does not fit. */
enum cm_status cm_runtime_set_aside(struct cm_system *system, const struct cm_layout *layout,
                                    uint64_t address, const char *what, enum cm_entry entry,
                                    uint64_t *copy, struct cm_error *err);
/* Compiles what cm_runtime_set_aside would run. */
enum cm_status cm_runtime_prepare_aside(struct cm_system *system, const struct cm_layout *layout,
                                        struct cm_error *err);

#endif
