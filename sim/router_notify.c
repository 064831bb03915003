/* What a run of the router reports as it goes. */
#include "router_private.h"

void cm_router_notify_hop(const struct cm_router *router, const struct cm_in_flight *packet,
                          uint32_t index, uint64_t asked)
{
    const struct cm_router_options *options = &router->options;
    uint32_t o = cm_router_local_of(router, index);
    bool gaps =
        options->switching == CM_SWITCHING_WORMHOLE && options->buffer_words < options->words;
    const struct cm_observed_hop hop = {
        .packet = packet->serial,
        .node = cm_router_node_of(router, index),
        .dimension = o % options->dimensions,
        .channel = o / options->dimensions,
        .asked = asked,
        .first = router->now,
        .end = gaps ? 0 : router->now + options->words,
    };
    CM_OBSERVE(router->observer, packet_hops, &hop);
}

void cm_router_notify_hop_end(const struct cm_router *router, uint32_t index, uint64_t end)
{
    uint32_t o = cm_router_local_of(router, index), dimensions = router->options.dimensions;
    CM_OBSERVE(router->observer, hop_ends, cm_router_node_of(router, index), o % dimensions,
               o / dimensions, end);
}

void cm_router_deliver(struct cm_router *router, uint32_t index, uint32_t node, uint64_t arrived)
{
    const struct cm_in_flight *packet = &router->packets[index];
    const struct cm_router_traffic *traffic = router->traffic;
    struct cm_router_result *result = router->result;
    struct cm_wheel *wheel = &router->wheel;
    router->in_network--;
    if (router->options.limit != 0 && arrived > router->options.limit) {
        cm_router_free_packet(router, index);
        return;
    }
    const struct cm_router_delivery delivery = {
        .source = packet->source,
        .destination = packet->destination,
        .node = node,
        .hops = packet->hops,
        .payload = packet->payload,
        .serial = packet->serial,
        .created = packet->created,
        .arrived = arrived,
    };
    result->delivered++;
    if (arrived > router->now)
        wheel->arrivals[cm_wheel_place(wheel, arrived)]++;
    if (packet->hops > result->path_max)
        result->path_max = packet->hops;
    if (arrived > result->word_times)
        result->word_times = arrived;
    if (traffic->delivered != NULL)
        traffic->delivered(traffic->context, &delivery);
    CM_OBSERVE(router->observer, packet_arrives, packet->serial, packet->hops, arrived);
    cm_router_free_packet(router, index);
}
