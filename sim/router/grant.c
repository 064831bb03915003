/*
 * Arbitration: which packet asks for which channel, and which packet gets it.
 *
 * All releases, arrivals and sends of a word time come before the first grant, and a grant changes
 * nothing at other nodes in its own word time. So the order of nodes does not affect results.
 * Reports come in the order of nodes, and within a node in the order of its channels.
 */
#include "private.h"

#define FETCH_DISTANCE 8u /* number of nodes between prefetching a node and arbitrating it */

static void suspect(struct cm_partition *partition, uint32_t index)
{
    partition->suspects[partition->suspect_count++] = index;
}

void cm_router_ask(struct cm_router *router, struct cm_partition *partition, uint32_t index)
{
    uint32_t p = cm_router_local_of(router, index), base = index - p;
    uint32_t node = cm_router_node_of(router, index);
    struct cm_port *port = &router->ports[index];
    const struct cm_in_flight *packet = &router->packets[port->first];
    struct cm_output *outputs = &router->outputs[base];
    port->since = partition->now;
    port->asked = packet->choices;
    port->ends = packet->ends;
    for (uint32_t rest = port->asked; rest != 0; rest &= rest - 1) {
        struct cm_output *output = &outputs[__builtin_ctz(rest)];
        output->waiting |= UINT64_C(1) << p;
        if (++output->queue > output->longest_queue)
            output->longest_queue = output->queue;
    }
    router->crossroads[node].wanted |= port->asked;
    cm_router_try(router, partition, node, port->asked);
    if (partition->suspects != NULL)
        suspect(partition, index);
}

/* Returns the ports of `waiting` whose first packet has its destination at the far end of the
 * channel. Such packets need no room in the buffer of the channel. */
static uint64_t ending(const struct cm_port *ports, uint64_t waiting)
{
    uint64_t able = 0;
    for (uint64_t rest = waiting; rest != 0; rest &= rest - 1) {
        uint32_t p = (uint32_t)__builtin_ctzll(rest);
        able |= (uint64_t)ports[p].ends << p;
    }
    return able;
}

/* Returns the port whose packet gets an output: the port that asked first, or of several that asked
 * first the next one in round robin. Returns CM_ROUTER_NONE when no packet can go. */
static inline uint32_t choose(const struct cm_router *router, const struct cm_port *ports,
                              const struct cm_output *output)
{
    uint64_t able = output->waiting;
    uint32_t best = CM_ROUTER_NONE;
    if (output->room < router->room_needed)
        able = ending(ports, able);
    if (able != 0 && (able & (able - 1)) == 0)
        return (uint32_t)__builtin_ctzll(able);
    /* for round robin, the ports after the port that was served last are tried first */
    uint64_t after = UINT64_MAX << output->turn << 1;
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

/* Withdraws all requests of the first packet of port `p`. */
static inline void withdraw(struct cm_crossroads *crossroads, struct cm_output *outputs,
                            struct cm_port *port, uint32_t p)
{
    uint64_t others = ~(UINT64_C(1) << p);
    for (uint32_t rest = port->asked; rest != 0; rest &= rest - 1) {
        struct cm_output *output = &outputs[__builtin_ctz(rest)];
        output->waiting &= others;
        if (--output->queue == 0)
            crossroads->wanted &= ~(rest & -rest);
    }
    port->asked = 0;
}

/* Counts the wait of a packet, and makes the packet the holder of output `index`. */
static inline void take(struct cm_router *router, struct cm_partition *partition, uint32_t index,
                        uint32_t p, const struct cm_in_flight *packet, uint64_t since)
{
    struct cm_output *output = &router->outputs[index];
    if (partition->now > since)
        cm_router_count_wait(router, partition, index, packet, since);
    if (output->waiting != 0)
        cm_router_store_hold(router, partition, index);
    else
        output->hold_count = 0;
    output->turn = (uint8_t)p;
    output->hold_begin = partition->now;
    output->packets++;
    output->holder_source = packet->source;
    output->holder_destination = packet->destination;
    if (output->packets > partition->congestion)
        partition->congestion = output->packets;
}

/* Schedules the release of a leaving packet's buffer space, if its buffer belongs to a channel from
 * another partition. Within a partition, CM_EVENT_LEFT releases the space. */
static inline void leave_room(struct cm_router *router, struct cm_partition *partition,
                              uint64_t end, uint32_t port)
{
    if (cm_router_local_of(router, port) == router->output_count)
        return;
    uint32_t output = cm_router_far_end(router, port);
    if (cm_router_partition_of(router, cm_router_node_of(router, output)) != partition)
        cm_router_schedule(router, partition, end, CM_EVENT_ROOM, 0, output);
}

/* Sends a whole packet over channel `index`, one word in each word time. */
static inline void cross(struct cm_router *router, struct cm_partition *partition, uint32_t chosen,
                         uint32_t index, bool ends)
{
    const struct cm_router_options *options = &router->options;
    struct cm_output *output = &router->outputs[index];
    uint64_t end = partition->now + options->words;
    bool whole = options->switching == CM_SWITCHING_STORE_AND_FORWARD;
    uint32_t port = cm_router_far_end(router, index);
    output->idle_since = end;
    cm_router_schedule(router, partition, end, CM_EVENT_LEFT, 0, index);
    leave_room(router, partition, end, index - cm_router_local_of(router, index) + output->turn);
    if (ends) {
        cm_router_deliver(router, partition, chosen, cm_router_node_of(router, port), end);
        return;
    }
    output->room -= options->words;
    if (partition->suspects != NULL && output->room < options->words && output->waiting != 0)
        suspect(partition, index - cm_router_local_of(router, index) +
                               (uint32_t)__builtin_ctzll(output->waiting));
    cm_router_send_on(router, partition, chosen, port,
                      (whole ? end : partition->now + 1) + options->header_words);
}

/* Collects a hop for the observer: a packet crosses output `o` of a node from now on, after asking
 * for it at `asked`. */
static inline void notify_hop(struct cm_router *router, struct cm_partition *partition,
                              const struct cm_in_flight *packet, uint32_t node, uint32_t o,
                              uint64_t asked)
{
    struct cm_hop_list *hops = &partition->collected_hops;
    if (hops->count == hops->capacity && !cm_router_more_hops(router, partition))
        return;
    const uint32_t i = hops->count++;
    hops->packets[i] = packet->serial;
    hops->channels[i] = node * 2 * router->options.dimensions + router->channel_of_output[o];
    hops->asked[i] = asked;
}

static inline void grant(struct cm_router *router, struct cm_partition *partition, uint32_t node,
                         uint32_t o, uint32_t p)
{
    uint32_t base = node << router->shift;
    struct cm_port *port = &router->ports[base + p];
    struct cm_crossroads *crossroads = &router->crossroads[node];
    uint32_t chosen = port->first;
    struct cm_in_flight *packet = &router->packets[chosen];
    withdraw(crossroads, &router->outputs[base], port, p);
    port->first = packet->next;
    /* In a wormhole network a channel's port holds a single worm until the channel is released. */
    port->leaving = router->options.switching != CM_SWITCHING_WORMHOLE || p == router->output_count;
    crossroads->busy |= 1u << o;
    take(router, partition, base + o, p, packet, port->since);
    packet->hops++;
    if (router->observer != NULL)
        notify_hop(router, partition, packet, node, o, port->since);
    partition->hops++;
    if (router->options.switching == CM_SWITCHING_WORMHOLE)
        cm_worm_grant(router, partition, chosen, base + o, port->ends);
    else
        cross(router, partition, chosen, base + o, port->ends);
}

/* Prefetches the data of a node that is arbitrated soon, and of the first output to arbitrate
 * there. */
CM_PREFETCH fetch_ahead(const struct cm_router *router, const struct cm_partition *partition,
                        uint32_t i)
{
    if (i + FETCH_DISTANCE < partition->listed_count)
        __builtin_prefetch(&router->crossroads[partition->listed[i + FETCH_DISTANCE]], 1);
    if (i + FETCH_DISTANCE / 2 < partition->listed_count) {
        uint32_t node = partition->listed[i + FETCH_DISTANCE / 2];
        uint32_t o = (uint32_t)__builtin_ctz(router->crossroads[node].to_try);
        __builtin_prefetch(&router->outputs[(node << router->shift) + o], 1);
    }
}

/* Lists the marked nodes of a partition in order, and clears their marks. */
static void list_marked(struct cm_partition *partition)
{
    partition->listed_count = 0;
    for (uint32_t m = 0; m < partition->marked_words; m++) {
        for (uint64_t words = partition->marked[m]; words != 0; words &= words - 1) {
            uint32_t w = m * 64 + (uint32_t)__builtin_ctzll(words);
            for (uint64_t rest = partition->marks[w]; rest != 0; rest &= rest - 1)
                partition->listed[partition->listed_count++] =
                    partition->first + w * 64 + (uint32_t)__builtin_ctzll(rest);
            partition->marks[w] = 0;
        }
        partition->marked[m] = 0;
    }
}

void cm_router_arbitrate(struct cm_router *router, struct cm_partition *partition)
{
    list_marked(partition);
    for (uint32_t i = 0; i < partition->listed_count; i++) {
        uint32_t node = partition->listed[i], base = node << router->shift;
        struct cm_crossroads *crossroads = &router->crossroads[node];
        uint32_t rest = crossroads->to_try;
        fetch_ahead(router, partition, i);
        while (rest != 0) {
            uint32_t o = (uint32_t)__builtin_ctz(rest);
            uint32_t p = choose(router, &router->ports[base], &router->outputs[base + o]);
            if (p != CM_ROUTER_NONE)
                grant(router, partition, node, o, p);
            rest &= (rest - 1) & crossroads->wanted;
        }
        crossroads->to_try = 0;
    }
}
