/* Where a packet may go next: the routing of router.h. */
#ifndef CM_SIM_ROUTER_ROUTING_H
#define CM_SIM_ROUTER_ROUTING_H

#include "router_state.h"

/* Chooses the outs that a packet may take at `node`, to which its header is on the way. */
static inline void cm_router_plan(const struct cm_router *router, struct cm_in_flight *packet,
                                  uint32_t node)
{
    const struct cm_router_options *options = &router->options;
    if (packet->first_leg && node == packet->via)
        packet->first_leg = false;
    uint32_t differ = node ^ (packet->first_leg ? packet->via : packet->destination);
    uint32_t dimension =
        (uint32_t)(options->descending ? 31 - __builtin_clz(differ) : __builtin_ctz(differ));
    uint32_t first = 1u << dimension, all = router->outs_of_dimension[dimension];
    packet->ends =
        (differ & (differ - 1)) == 0 && (!packet->first_leg || packet->via == packet->destination);
    packet->choices = all;
    if (options->routing == CM_ROUTING_VALIANT && options->channels == 2)
        packet->choices = packet->first_leg ? first : all & ~first;
    else if (options->routing == CM_ROUTING_ADAPTIVE)
        packet->choices = differ | all;
}

/* The header of a packet crosses a channel to port `port`, where it is routed by `ready`. */
static inline void cm_router_send_on(struct cm_router *router, uint32_t packet, uint32_t port,
                                     uint64_t ready)
{
    cm_router_plan(router, &router->packets[packet], cm_router_node_of(router, port));
    cm_router_schedule(router, ready, CM_EVENT_ARRIVE, packet, port);
}

#endif
