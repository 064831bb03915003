/*
 * Who asks for which channel, and who gets it. All releases, arrivals and sendings of a word time are done before the
 * first channel is granted, and a grant changes nothing at other nodes in its own word time: the order of nodes does
 * not matter.
 */
#include "router_private.h"

#define FETCH_DISTANCE 8u /* nodes */

/* Outs of one dimension: all channels of it. */
static uint64_t all_channels(const struct cm_router *router, uint32_t dimension)
{
    uint64_t outs = UINT64_C(1) << dimension;
    if (router->options.channels == 2)
        outs |= outs << router->options.dimensions;
    return outs;
}

static uint32_t ecube_dimension(const struct cm_router *router, uint32_t differ)
{
    return (uint32_t)(router->options.descending ? 31 - __builtin_clz(differ)
                                                 : __builtin_ctz(differ));
}

uint64_t cm_router_choices(const struct cm_router *router, struct cm_in_flight *packet,
                           uint32_t node)
{
    const struct cm_router_options *options = &router->options;
    if (packet->first_leg && node == packet->via)
        packet->first_leg = false;
    uint32_t differ = node ^ (packet->first_leg ? packet->via : packet->destination);
    uint32_t dimension = ecube_dimension(router, differ);
    uint64_t second = UINT64_C(1) << dimension << options->dimensions;
    switch (options->routing) {
    case CM_ROUTING_ECUBE:
        break;
    case CM_ROUTING_VALIANT:
        if (options->channels == 1 || packet->first_leg)
            return UINT64_C(1) << dimension;
        return second;
    case CM_ROUTING_ADAPTIVE:
        return options->channels == 1 ? differ : differ | second;
    }
    return all_channels(router, dimension);
}

/* Whether a packet that crosses to `node` is there. */
static bool ends_at(const struct cm_in_flight *packet, uint32_t node)
{
    return node == packet->destination && (!packet->first_leg || node == packet->via);
}

void cm_router_ask(struct cm_router *router, uint32_t node, uint32_t p)
{
    struct cm_port *port = &router->ports[(node << router->shift) + p];
    if (port->leaving || port->asked != 0 || port->first == CM_ROUTER_NONE)
        return;
    struct cm_in_flight *packet = &router->packets[port->first];
    struct cm_out *outs = &router->outs[node << router->shift];
    port->since = router->now;
    port->asked = cm_router_choices(router, packet, node);
    for (uint64_t rest = port->asked; rest != 0; rest &= rest - 1) {
        uint32_t o = (uint32_t)__builtin_ctzll(rest);
        struct cm_out *out = &outs[o];
        out->waiting |= UINT64_C(1) << p;
        if (ends_at(packet, node ^ router->bit_of_out[o]))
            out->terminal |= UINT64_C(1) << p;
        out->queue++;
        if (out->queue > out->longest_queue)
            out->longest_queue = out->queue;
    }
    router->crossroads[node].wanted |= port->asked;
    cm_router_list(router, node);
}

/* Who asked first; of several, the next in turn. CM_ROUTER_NONE when nobody can go. */
static uint32_t choose(const struct cm_router *router, uint32_t node, const struct cm_out *out)
{
    const struct cm_port *ports = &router->ports[node << router->shift];
    bool room =
        router->options.switching == CM_SWITCHING_WORMHOLE || out->room >= router->options.words;
    uint64_t able = room ? out->waiting : out->waiting & out->terminal;
    uint32_t best = CM_ROUTER_NONE;
    if (able != 0 && (able & (able - 1)) == 0)
        return (uint32_t)__builtin_ctzll(able);
    uint64_t after = UINT64_MAX << out->turn << 1; /* ports after the one served last come first */
    for (int half = 0; half < 2; half++) {
        for (uint64_t rest = half == 0 ? able & after : able & ~after; rest != 0;
             rest &= rest - 1) {
            uint32_t p = (uint32_t)__builtin_ctzll(rest);
            if (best == CM_ROUTER_NONE || ports[p].since < ports[best].since)
                best = p;
        }
    }
    return best;
}

/* The port's packet asks no more. */
static void withdraw(struct cm_router *router, uint32_t node, uint32_t p)
{
    struct cm_port *port = &router->ports[(node << router->shift) + p];
    struct cm_out *outs = &router->outs[node << router->shift];
    uint64_t bit = UINT64_C(1) << p;
    for (uint64_t rest = port->asked; rest != 0; rest &= rest - 1) {
        uint32_t o = (uint32_t)__builtin_ctzll(rest);
        outs[o].waiting &= ~bit;
        outs[o].terminal &= ~bit;
        outs[o].queue--;
        if (outs[o].waiting == 0)
            router->crossroads[node].wanted &= ~(UINT64_C(1) << o);
    }
    port->asked = 0;
}

static void account(struct cm_router *router, uint32_t index, const struct cm_in_flight *packet,
                    uint64_t since)
{
    struct cm_out *out = &router->outs[index];
    uint64_t wait = router->now - since;
    if (wait > 0) {
        uint64_t idle_from = out->idle_since > since ? out->idle_since : since;
        struct cm_longest_wait *longest = &router->waits[index];
        out->blocked += wait;
        out->blocked_room += router->now - idle_from;
        if (wait > longest->wait)
            *longest = (struct cm_longest_wait){wait, packet->source, packet->destination,
                                                out->holder_source, out->holder_destination};
    }
    out->packets++;
    out->holder_source = packet->source;
    out->holder_destination = packet->destination;
    if (out->packets > router->result->congestion)
        router->result->congestion = out->packets;
}

void cm_router_deliver(struct cm_router *router, uint32_t index, uint64_t arrived)
{
    const struct cm_in_flight *packet = &router->packets[index];
    struct cm_router_result *result = router->result;
    const struct cm_router_delivery delivery = {
        .source = packet->source,
        .destination = packet->destination,
        .hops = packet->hops,
        .serial = packet->serial,
        .created = packet->created,
        .arrived = arrived,
    };
    result->delivered++;
    if (packet->hops > result->path_max)
        result->path_max = packet->hops;
    if (arrived > result->word_times)
        result->word_times = arrived;
    if (router->traffic->delivered != NULL)
        router->traffic->delivered(router->traffic->context, &delivery);
    if (router->observer != NULL && router->observer->packet_arrives != NULL)
        router->observer->packet_arrives(router->observer->context, packet->serial, packet->hops,
                                         arrived);
    router->in_network--;
    cm_router_free_packet(router, index);
}

/* A whole packet crosses, without a gap. */
static void cross(struct cm_router *router, uint32_t packet, uint32_t index, uint32_t p,
                  bool terminal)
{
    const struct cm_router_options *options = &router->options;
    struct cm_out *out = &router->outs[index];
    uint32_t o = cm_router_local_of(router, index);
    uint32_t next = cm_router_node_of(router, index) ^ router->bit_of_out[o];
    uint64_t end = router->now + options->words;
    bool whole = options->switching == CM_SWITCHING_STORE_AND_FORWARD;
    out->idle_since = end;
    cm_router_schedule(router, end, CM_EVENT_LEFT, p, index);
    if (terminal) {
        cm_router_deliver(router, packet, end);
        return;
    }
    out->room -= options->words;
    uint64_t ready = (whole ? end : router->now + 1) + options->header_words;
    cm_router_schedule(router, ready, CM_EVENT_ARRIVE, packet, (next << router->shift) + o);
}

static void grant(struct cm_router *router, uint32_t node, uint32_t o, uint32_t p)
{
    uint32_t index = (node << router->shift) + o;
    struct cm_port *port = &router->ports[(node << router->shift) + p];
    struct cm_out *out = &router->outs[index];
    uint32_t chosen = port->first;
    struct cm_in_flight *packet = &router->packets[chosen];
    bool terminal = out->terminal >> p & 1;
    withdraw(router, node, p);
    port->first = packet->next;
    port->leaving = true;
    out->turn = (uint8_t)p;
    router->crossroads[node].busy |= UINT64_C(1) << o;
    account(router, index, packet, port->since);
    packet->hops++;
    if (router->observer != NULL)
        cm_router_tell_hop(router, packet, index, port->since);
    router->result->hops++;
    if (router->options.switching == CM_SWITCHING_WORMHOLE)
        cm_worm_grant(router, chosen, index, terminal);
    else
        cross(router, chosen, index, p, terminal);
}

/* The outs of a node that will be looked at soon. */
static inline void fetch_ahead(const struct cm_router *router, uint32_t node)
{
    const struct cm_crossroads *crossroads = &router->crossroads[node];
    for (uint64_t rest = crossroads->wanted & ~crossroads->busy; rest != 0; rest &= rest - 1)
        __builtin_prefetch(&router->outs[(node << router->shift) + (uint32_t)__builtin_ctzll(rest)],
                           1);
}

void cm_router_arbitrate(struct cm_router *router)
{
    for (uint32_t i = 0; i < router->listed_count; i++) {
        uint32_t node = router->listed[i];
        if (i + FETCH_DISTANCE < router->listed_count)
            fetch_ahead(router, router->listed[i + FETCH_DISTANCE]);
        struct cm_crossroads *crossroads = &router->crossroads[node];
        crossroads->listed = false;
        for (uint64_t rest = crossroads->wanted & ~crossroads->busy; rest != 0; rest &= rest - 1) {
            uint32_t o = (uint32_t)__builtin_ctzll(rest);
            uint32_t p = choose(router, node, &router->outs[(node << router->shift) + o]);
            if (p != CM_ROUTER_NONE)
                grant(router, node, o, p);
        }
    }
    router->listed_count = 0;
}
