/*
 * Deadlock: packets are left, and nothing will ever happen. Each port that asks waits for a channel that is not to be
 * had: its buffer is full of packets of which the first waits too, or a worm owns it whose header waits too. Following
 * that from anywhere must come back on itself: that is the cycle to report.
 */
#include "router_private.h"

/* The port whose packet stands in the way of the one that asks at port `index`. */
static uint32_t blocker(const struct cm_router *router, uint32_t index)
{
    uint32_t node = cm_router_node_of(router, index);
    uint32_t o = (uint32_t)__builtin_ctzll(router->ports[index].asked);
    if (router->options.switching == CM_SWITCHING_WORMHOLE)
        return router->packets[router->outs[(node << router->shift) + o].owner].place;
    return ((node ^ router->bit_of_out[o]) << router->shift) + o;
}

static uint32_t find_asking(const struct cm_router *router)
{
    uint32_t count = router->nodes << router->shift;
    for (uint32_t i = 0; i < count; i++) {
        if (router->ports[i].asked != 0)
            return i;
    }
    return CM_ROUTER_NONE;
}

static struct cm_router_waiting describe(const struct cm_router *router, uint32_t index)
{
    uint32_t o = (uint32_t)__builtin_ctzll(router->ports[index].asked);
    const struct cm_in_flight *packet = &router->packets[router->ports[index].first];
    return (struct cm_router_waiting){
        .node = cm_router_node_of(router, index),
        .dimension = o % router->options.dimensions,
        .channel = o / router->options.dimensions,
        .source = packet->source,
        .destination = packet->destination,
    };
}

void cm_router_find_cycle(const struct cm_router *router, struct cm_router_result *result)
{
    uint32_t slow = find_asking(router), fast = slow;
    result->cycle_count = 0;
    if (slow == CM_ROUTER_NONE)
        return;
    do { /* Floyd: the two meet on the cycle */
        slow = blocker(router, slow);
        fast = blocker(router, blocker(router, fast));
    } while (slow != fast);
    do {
        if (result->cycle_count < CM_ROUTER_CYCLE_MAX)
            result->cycle[result->cycle_count] = describe(router, fast);
        result->cycle_count++;
        fast = blocker(router, fast);
    } while (fast != slow);
}
