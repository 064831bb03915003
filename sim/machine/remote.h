/*
 * Operations that a machine does together with the other processes that have nodes of it. All
 * processes call these functions in the same order, each from the thread of its worker 0. With one
 * process cm_remote_gather does nothing, and no exchange goes to another process.
 */
#ifndef CM_SIM_REMOTE_H
#define CM_SIM_REMOTE_H

#include "machine_private.h"

/* Divides the nodes between the processes of this program. */
enum cm_status cm_remote_join(struct cm_machine *machine, struct cm_error *err);

/* Fetches, into `count` adjacent planes, the words of nodes that other processes have. */
enum cm_status cm_remote_gather(const struct cm_machine *machine, uint32_t *planes, uint64_t count,
                                struct cm_error *err);

/* Combines a finding about this process's nodes with the findings of other processes, and stores
 * the result in machine->finding. A failure is recorded in machine->joined. */
void cm_remote_agree(struct cm_machine *machine, const struct cm_channels_finding *finding);

/* True if an exchange over a dimension is an exchange with another process. */
static inline bool cm_remote_is_far(const struct cm_machine *machine, uint32_t dimension)
{
    return machine->own_nodes <= UINT32_C(1) << dimension;
}

/*
 * These functions exchange words with another process, over a dimension for which cm_remote_is_far
 * is true. cm_remote_begin begins to send the words of plane `from` of this process's nodes, and to
 * receive the partner's words into plane `to`. cm_remote_push starts the transfers. After
 * cm_remote_finish the words have arrived, or a failure is recorded in machine->joined.
 */
void cm_remote_begin(struct cm_machine *machine, uint32_t *to, const uint32_t *from,
                     uint32_t dimension);
void cm_remote_push(struct cm_machine *machine);
void cm_remote_finish(struct cm_machine *machine);

#endif
