/* Packets that wait for each other for ever. */
#ifndef CM_SIM_ROUTER_DEADLOCK_H
#define CM_SIM_ROUTER_DEADLOCK_H

#include "router_state.h"

/* Whether packets can come to wait for each other in a cycle. */
bool cm_router_may_deadlock(const struct cm_router_options *options);
/* The port of a packet that waits for ever, among those suspected since the last call;
 * CM_ROUTER_NONE when all of them will move. */
uint32_t cm_router_find_stuck(struct cm_router *router);
/* Names the channels that wait in a cycle, found from port `index`, which waits for ever. */
void cm_router_find_cycle(const struct cm_router *router, uint32_t index,
                          struct cm_router_result *result);

#endif
