/* What a run of the router reports as it goes: deliveries to its traffic, packets and hops to its
 * observer. */
#ifndef CM_SIM_ROUTER_NOTIFY_H
#define CM_SIM_ROUTER_NOTIFY_H

#include "router_state.h"

/* A packet crosses out `index` from this word time on; it asked for it at `asked`. */
void cm_router_notify_hop(const struct cm_router *router, const struct cm_in_flight *packet,
                          uint32_t index, uint64_t asked);
/* The last word crossed out `index` before word time `end`: of a hop that left this open. */
void cm_router_notify_hop_end(const struct cm_router *router, uint32_t index, uint64_t end);
/* A packet is at `node`, all of it, at word time `arrived`, which may be ahead. Frees it. */
void cm_router_deliver(struct cm_router *router, uint32_t packet, uint32_t node, uint64_t arrived);

#endif
