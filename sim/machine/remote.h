/*
 * What a machine does together with the other processes that have nodes of it. All of them come
 * here alike, each from the thread of its worker 0; where there are no others, nothing happens.
 */
#ifndef CM_SIM_REMOTE_H
#define CM_SIM_REMOTE_H

#include "machine_private.h"

/* Splits the nodes over the processes of this program. */
enum cm_status cm_remote_join(struct cm_machine *machine, struct cm_error *err);

/* Gets the words of other processes' nodes in `count` planes, which lie one after the other. */
enum cm_status cm_remote_gather(const struct cm_machine *machine, uint32_t *planes, uint64_t count,
                                struct cm_error *err);

/* Combines news of our nodes with those of others, in machine->news; a failure is in
 * machine->joined. */
void cm_remote_agree(struct cm_machine *machine, const struct cm_channels_news *news);

/* Whether an exchange over a dimension is with another process. */
static inline bool cm_remote_is_far(const struct cm_machine *machine, uint32_t dimension)
{
    return machine->own_nodes <= UINT32_C(1) << dimension;
}

/*
 * An exchange over dimensions that are far: begins to exchange our nodes' words of a plane `from`
 * with those of the partner, which go to `to`; all that was begun is under way after
 * cm_remote_push, and there after cm_remote_finish, which keeps a failure in machine->joined.
 */
void cm_remote_begin(struct cm_machine *machine, uint32_t *to, const uint32_t *from,
                     uint32_t dimension);
void cm_remote_push(struct cm_machine *machine);
void cm_remote_finish(struct cm_machine *machine);

#endif
