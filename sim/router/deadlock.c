/*
 * Deadlock: packets that wait for each other for ever, even if other packets still move.
 *
 * A packet waits for several channels, any of which would do. It is kept from a channel by another
 * packet: the first packet of the full buffer behind the channel, or the worm that owns the channel
 * while its header waits elsewhere. The search follows these "kept by" edges from a waiting packet.
 * If it reaches only waiting packets, none of them will ever move.
 *
 * A deadlock can begin only in a word time in which a packet begins to wait or a buffer fills up.
 * The search starts at these packets alone, and usually ends soon, at a packet that moves. There
 * is no search where deadlock is impossible. It is impossible for e-cube, and with both channels of
 * a dimension also for Valiant and adaptive routing (papers of Dally and Seitz, and of Duato).
 * Failed channels do not change the order in which e-cube and Valiant take channels. A packet with
 * adaptive routing can escape by e-cube as long as it visits only nodes from which e-cube's way is
 * intact (failures.c).
 */
#include "private.h"

bool cm_router_may_deadlock(const struct cm_router_options *options)
{
    if (options->routing == CM_ROUTING_ADAPTIVE && options->failure_count > 0)
        return true; /* a packet at a node without an intact e-cube way cannot escape */
    return options->channels == 1 && options->routing != CM_ROUTING_ECUBE;
}

/* Returns the port whose waiting packet keeps the packet of port `index` from output `o`, or
 * CM_ROUTER_NONE when nothing keeps it for ever. */
static uint32_t keeper(const struct cm_router *router, uint32_t index, uint32_t o)
{
    uint32_t channel = index - cm_router_local_of(router, index) + o, at;
    const struct cm_output *output = &router->outputs[channel];
    if (router->options.switching == CM_SWITCHING_WORMHOLE) {
        if (output->owner == CM_ROUTER_NONE)
            return CM_ROUTER_NONE;
        at = router->packets[output->owner].place;
        return router->ports[at].first == output->owner && router->ports[at].asked != 0
                   ? at
                   : CM_ROUTER_NONE;
    }
    if (router->ports[index].ends || output->room >= router->options.words)
        return CM_ROUTER_NONE;
    at = cm_router_far_end(router, channel);
    return router->ports[at].asked != 0 ? at : CM_ROUTER_NONE;
}

/* True if the packet that waits at port `index` will wait for ever. Searches breadth-first. */
static bool is_stuck(struct cm_router *router, uint32_t index)
{
    uint32_t count = 0;
    router->seen[index] = ++router->searches;
    router->reached[count++] = index;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t port = router->reached[i];
        for (uint32_t rest = router->ports[port].asked; rest != 0; rest &= rest - 1) {
            uint32_t next = keeper(router, port, (uint32_t)__builtin_ctz(rest));
            if (next == CM_ROUTER_NONE)
                return false;
            if (router->seen[next] == router->searches)
                continue;
            router->seen[next] = router->searches;
            router->reached[count++] = next;
        }
    }
    return true;
}

uint32_t cm_router_find_stuck(struct cm_router *router)
{
    uint32_t found = CM_ROUTER_NONE;
    for (uint32_t k = 0; k < router->partition_count; k++) {
        struct cm_partition *partition = &router->partitions[k];
        for (uint32_t i = 0; i < partition->suspect_count; i++) {
            uint32_t port = partition->suspects[i];
            if (port < found && router->ports[port].asked != 0 && is_stuck(router, port))
                found = port;
        }
        partition->suspect_count = 0;
    }
    return found;
}

/* Returns one of the ports whose packets block the packet of a stuck port. */
static uint32_t blocker(const struct cm_router *router, uint32_t index)
{
    return keeper(router, index, (uint32_t)__builtin_ctz(router->ports[index].asked));
}

static struct cm_router_waiting describe(const struct cm_router *router, uint32_t index)
{
    uint32_t o = (uint32_t)__builtin_ctz(router->ports[index].asked);
    const struct cm_in_flight *packet = &router->packets[router->ports[index].first];
    return (struct cm_router_waiting){
        .node = cm_router_node_of(router, index),
        .dimension = o % router->options.dimensions,
        .channel = o / router->options.dimensions,
        .source = packet->source,
        .destination = packet->destination,
    };
}

void cm_router_find_cycle(const struct cm_router *router, uint32_t index,
                          struct cm_router_result *result)
{
    uint32_t slow = index, fast = index;
    result->cycle_count = 0;
    do { /* Floyd's algorithm: both pointers meet on the cycle */
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
