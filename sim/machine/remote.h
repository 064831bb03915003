/*
 * Operations that a machine does together with the other processes that have nodes of it. All
 * processes call these functions in the same order, each from the thread of its worker 0. With one
 * process no dimension is far, and cm_remote_gather does nothing.
 */
#ifndef CM_SIM_REMOTE_H
#define CM_SIM_REMOTE_H

#include "machine_private.h"

/* Divides the nodes between the processes of this program. */
enum cm_status cm_remote_join(struct cm_machine *machine, struct cm_error *err);

/* Fetches the words of other processes' nodes in `count` adjacent planes. */
enum cm_status cm_remote_gather(const struct cm_machine *machine, uint32_t *planes, uint64_t count,
                                struct cm_error *err);

/* Combines a finding about our nodes with those of other processes, in machine->news. A failure is
 * recorded in machine->joined. */
void cm_remote_agree(struct cm_machine *machine, const struct cm_channels_finding *finding);

/* True if an exchange over a dimension is with another process. */
static inline bool cm_remote_is_far(const struct cm_machine *machine, uint32_t dimension)
{
    return machine->own_nodes <= UINT32_C(1) << dimension;
}

/*
 * These functions exchange over dimensions for which cm_remote_is_far. cm_remote_begin begins to
 * exchange our nodes' words of plane `from` with those of the partner, which go to plane `to`.
 * cm_remote_push starts the transfers. After cm_remote_finish the words have arrived, or a failure
 * is recorded in machine->joined.
 */
void cm_remote_begin(struct cm_machine *machine, uint32_t *to, const uint32_t *from,
                     uint32_t dimension);
void cm_remote_push(struct cm_machine *machine);
void cm_remote_finish(struct cm_machine *machine);

#endif
