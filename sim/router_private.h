/*
 * What the files of the router share. A node has ways in (ports: one a channel that ends there, and its own queue of
 * sent packets, the last) and ways out (outs: one a channel that begins there). Both are numbered channel * dimensions +
 * dimension. Time advances from event to event; only nodes that something happened to arbitrate.
 */
#ifndef CM_SIM_ROUTER_PRIVATE_H
#define CM_SIM_ROUTER_PRIVATE_H

#include "observer.h"

#define CM_ROUTER_NONE UINT32_MAX

/* A way into a node. Its first packet asks for outs until one is granted. */
struct cm_port {
    uint64_t since; /* word time the first packet began to ask */
    uint64_t asked; /* outs, a bit each; 0: does not ask */
    uint32_t first; /* of the packets queued, CM_ROUTER_NONE: none */
    uint32_t last;
    bool leaving; /* a packet of it is crossing a channel */
};

/* A way out of a node: a channel. 64 bytes, a cache line. */
struct cm_out {
    uint64_t waiting;  /* ports that ask for it */
    uint64_t terminal; /* those of them whose packet ends behind this channel */
    uint64_t idle_since;
    uint64_t blocked;
    uint64_t blocked_room;
    uint32_t room; /* free words of the buffer behind it */
    uint32_t packets;
    uint32_t holder_source; /* of the last packet granted */
    uint32_t holder_destination;
    uint8_t turn;  /* port served last */
    uint8_t queue; /* ports that ask for it */
    uint8_t longest_queue;
    uint32_t owner; /* wormhole: the packet that has the channel */
};

/* The longest wait for an out. */
struct cm_longest_wait {
    uint64_t wait;
    uint32_t waiter_source, waiter_destination;
    uint32_t holder_source, holder_destination;
};

struct cm_crossroads {
    uint64_t wanted; /* outs that some port asks for */
    uint64_t busy;   /* outs that are taken */
    bool listed;     /* among the nodes to arbitrate */
};

struct cm_in_flight {
    uint64_t created;
    uint64_t serial;
    uint32_t source;
    uint32_t destination;
    uint32_t via; /* Valiant's random node */
    uint32_t next;
    uint32_t place; /* index of the port that its header is in */
    uint16_t hops;
    bool first_leg; /* on its way to via */
};

/* One channel that a worm is on. */
struct cm_worm_hop {
    uint32_t out;   /* index */
    uint32_t known; /* words whose crossing times are known */
    bool released;
};

/* A packet in the wormhole network: crossing times of its words, as far as they are known (router_worm.c). */
struct cm_worm {
    struct cm_worm_hop *hops;
    uint64_t *
        times; /* [hop * (buffer_words + 1) + word % (buffer_words + 1)]; NULL while buffers hold whole packets */
    uint32_t count;
    bool terminal; /* the last hop ends at the destination */
    bool source_freed;
};

enum cm_router_event { CM_EVENT_ARRIVE, CM_EVENT_LEFT, CM_EVENT_RELEASE, CM_EVENT_SOURCE };

/* Events by word time: a slot for each of the next `slots` word times. */
struct cm_wheel {
    struct cm_wheel_slot {
        uint64_t *events;
        uint32_t count, capacity;
    } * slots;
    uint64_t *used; /* slots with events, a bit each */
    uint32_t size;  /* a power of two, at least 64 */
    uint64_t pending;
};

bool cm_wheel_init(struct cm_wheel *wheel, uint64_t reach);
void cm_wheel_finish(struct cm_wheel *wheel);
/* False when out of memory. `time` is later than now and at most `reach` later. */
bool cm_wheel_grow(struct cm_wheel_slot *slot);
/* The first word time after `now` that has events; UINT64_MAX when there are none. */
uint64_t cm_wheel_next(const struct cm_wheel *wheel, uint64_t now);

struct cm_router {
    struct cm_router_options options;
    uint32_t nodes;
    uint32_t outs_count; /* of a node */
    uint32_t shift;      /* ports and outs of node n begin at n << shift */
    uint64_t now;
    struct cm_crossroads *crossroads;
    struct cm_port *ports;
    struct cm_out *outs;
    struct cm_longest_wait *waits; /* as outs */
    struct cm_in_flight *packets;
    uint32_t packet_count, packet_capacity;
    uint32_t free_packet;  /* a list */
    struct cm_worm *worms; /* as packets; wormhole only */
    uint32_t *listed;      /* nodes to arbitrate */
    uint32_t listed_count;
    uint64_t in_network; /* packets sent and not yet at their destination */
    struct cm_wheel wheel;
    const struct cm_router_traffic *traffic;
    const struct cm_observer *observer; /* NULL: none */
    struct cm_router_result *result;
    bool failed;                                       /* out of memory */
    uint32_t bit_of_out[2 * CM_ROUTER_DIMENSIONS_MAX]; /* 1 << dimension */
};

static inline uint32_t cm_router_node_of(const struct cm_router *router, uint32_t index)
{
    return index >> router->shift;
}

static inline uint32_t cm_router_local_of(const struct cm_router *router, uint32_t index)
{
    return index & ((1u << router->shift) - 1);
}

static inline void cm_router_schedule(struct cm_router *router, uint64_t time,
                                      enum cm_router_event kind, uint32_t a, uint32_t b)
{
    struct cm_wheel *wheel = &router->wheel;
    uint32_t s = (uint32_t)time & (wheel->size - 1);
    struct cm_wheel_slot *slot = &wheel->slots[s];
    if (slot->count == slot->capacity && !cm_wheel_grow(slot)) {
        router->failed = true;
        return;
    }
    slot->events[slot->count++] = (uint64_t)kind << 62 | (uint64_t)a << 32 | b;
    wheel->used[s / 64] |= UINT64_C(1) << s % 64;
    wheel->pending++;
}

static inline void cm_router_list(struct cm_router *router, uint32_t node)
{
    struct cm_crossroads *crossroads = &router->crossroads[node];
    if (crossroads->listed || (crossroads->wanted & ~crossroads->busy) == 0)
        return;
    crossroads->listed = true;
    router->listed[router->listed_count++] = node;
}

/* router_packets.c: CM_ROUTER_NONE when out of memory. */
uint32_t cm_router_take_packet(struct cm_router *router);
void cm_router_free_packet(struct cm_router *router, uint32_t packet);

/* router_grant.c: the first packet of a port, if there is one and none is leaving, asks for outs. */
void cm_router_ask(struct cm_router *router, uint32_t node, uint32_t port);
/* Outs that a packet may take from `node` (updates its leg). */
uint64_t cm_router_choices(const struct cm_router *router, struct cm_in_flight *packet,
                           uint32_t node);
/* Grants what can be granted at the listed nodes. */
void cm_router_arbitrate(struct cm_router *router);
void cm_router_deliver(struct cm_router *router, uint32_t packet, uint64_t arrived);

/* router_packets.c: tells the observer. */
void cm_router_tell_hop(const struct cm_router *router, const struct cm_in_flight *packet,
                        uint32_t out, uint64_t asked);
void cm_router_tell_hop_end(const struct cm_router *router, uint32_t out, uint64_t end);

/* router_worm.c: a worm's header crosses channel `out` in this word time. */
void cm_worm_grant(struct cm_router *router, uint32_t packet, uint32_t out, bool terminal);

/* router_deadlock.c: nothing moves any more; finds who waits for whom. */
void cm_router_find_cycle(const struct cm_router *router, struct cm_router_result *result);

#endif
