/* How long packets waited for each channel, and what kept them. */
#ifndef CM_SIM_ROUTER_BLOCKED_H
#define CM_SIM_ROUTER_BLOCKED_H

#include "router_state.h"

/* Out `index` is granted to a packet that asked at `since`, before now; the out still describes the
 * grant before. */
void cm_router_count_wait(struct cm_router *router, uint32_t index,
                          const struct cm_in_flight *packet, uint64_t since);
/* Keeps the last hold of out `index`, for ports that go on waiting. */
void cm_router_keep_hold(struct cm_router *router, uint32_t index);
/* The row of out `index` (router_blocked.c); NULL when no packet waited for it. */
const uint64_t *cm_router_blocked(const struct cm_router *router, uint32_t index);

#endif
