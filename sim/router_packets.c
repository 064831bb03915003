/* The packets in the network, kept in one array and used again. */
#include "router_private.h"

#include <stdlib.h>

#define PACKETS_MAX (UINT32_C(1) << 30) /* an event names a packet in 30 bits */

static bool grow(struct cm_router *router)
{
    uint32_t capacity = router->packet_capacity == 0 ? 1024 : router->packet_capacity * 2;
    if (capacity > PACKETS_MAX)
        return false;
    struct cm_in_flight *packets = realloc(router->packets, capacity * sizeof *packets);
    if (packets == NULL)
        return false;
    router->packets = packets;
    if (router->options.switching == CM_SWITCHING_WORMHOLE) {
        struct cm_worm *worms = realloc(router->worms, capacity * sizeof *worms);
        if (worms == NULL)
            return false;
        router->worms = worms;
        for (uint32_t i = router->packet_capacity; i < capacity; i++)
            worms[i] = (struct cm_worm){.count = 0};
    }
    router->packet_capacity = capacity;
    return true;
}

uint32_t cm_router_take_packet(struct cm_router *router)
{
    uint32_t packet = router->free_packet;
    if (packet != CM_ROUTER_NONE) {
        router->free_packet = router->packets[packet].next;
        return packet;
    }
    if (router->packet_count == router->packet_capacity && !grow(router)) {
        router->failed = true;
        return CM_ROUTER_NONE;
    }
    return router->packet_count++;
}

void cm_router_free_packet(struct cm_router *router, uint32_t packet)
{
    router->packets[packet].next = router->free_packet;
    router->free_packet = packet;
}

void cm_router_tell_hop(const struct cm_router *router, const struct cm_in_flight *packet,
                        uint32_t out, uint64_t asked)
{
    const struct cm_router_options *options = &router->options;
    uint32_t o = cm_router_local_of(router, out);
    bool gaps =
        options->switching == CM_SWITCHING_WORMHOLE && options->buffer_words < options->words;
    if (router->observer->packet_hops == NULL)
        return;
    router->observer->packet_hops(router->observer->context,
                                  &(struct cm_observed_hop){
                                      .packet = packet->serial,
                                      .node = cm_router_node_of(router, out),
                                      .dimension = o % options->dimensions,
                                      .channel = o / options->dimensions,
                                      .asked = asked,
                                      .first = router->now,
                                      .end = gaps ? 0 : router->now + options->words,
                                  });
}

void cm_router_tell_hop_end(const struct cm_router *router, uint32_t out, uint64_t end)
{
    uint32_t o = cm_router_local_of(router, out);
    if (router->observer->hop_ends != NULL)
        router->observer->hop_ends(router->observer->context, cm_router_node_of(router, out),
                                   o % router->options.dimensions, o / router->options.dimensions,
                                   end);
}
