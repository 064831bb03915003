/*
 * What the files of the router share. A node has ways in (ports: one a channel that ends there, and
 * its own queue of sent packets, the last) and ways out (outs: one a channel that begins there).
 * Both are numbered channel * dimensions + dimension. Time advances from event to event; only nodes
 * that something happened to arbitrate.
 */
#ifndef CM_SIM_ROUTER_PRIVATE_H
#define CM_SIM_ROUTER_PRIVATE_H

#include "observer.h"
#include "router.h"

#define CM_ROUTER_NONE UINT32_MAX

/* A function that does nothing but fetch ahead. GCC takes it for one without effects, and leaves
 * out its calls, unless it is inlined before that is found out. */
#define CM_FETCHES static inline __attribute__((always_inline)) void

/* A way into a node. Its first packet asks for outs until one is granted. */
struct cm_port {
    uint64_t since; /* word time the first packet began to ask */
    uint32_t asked; /* outs, a bit each; 0: does not ask */
    uint32_t first; /* of the packets queued, CM_ROUTER_NONE: none */
    uint32_t last;
    bool ends;          /* the first packet's way ends behind the channel that it asks for */
    bool leaving;       /* a packet of it is crossing a channel */
    uint8_t unused[10]; /* 32 bytes: an index is a shift */
};

/* A time during which a channel was taken, and the port that its packet came from. */
struct cm_hold {
    uint64_t begin, end; /* word times */
    uint32_t port;
};

/* A way out of a node: a channel. 64 bytes, a cache line. */
struct cm_out {
    uint64_t waiting;    /* ports that ask for it */
    uint64_t hold_begin; /* word time of the last grant */
    uint64_t idle_since; /* word time after the last word of the packet granted last */
    /* those before the last, as far as some port waits since before their end */
    struct cm_hold *holds;
    uint32_t hold_count, hold_capacity;
    uint32_t room; /* free words of the buffer behind it */
    uint32_t packets;
    uint32_t holder_source; /* of the last packet granted */
    uint32_t holder_destination;
    /* wormhole: the packet that has the channel, as long as nobody knows until when */
    uint32_t owner;
    uint8_t turn;  /* port served last */
    uint8_t queue; /* ports that ask for it */
    uint8_t longest_queue;
};

/* Whose the longest wait for an out was, and behind whom. */
struct cm_longest_wait {
    uint32_t waiter_source, waiter_destination;
    uint32_t holder_source, holder_destination;
};

/* Outs, a bit each. */
struct cm_crossroads {
    uint32_t wanted; /* some port asks for them */
    uint32_t busy;   /* taken */
    uint32_t to_try; /* to arbitrate in this word time; not 0: the node is listed */
    uint32_t unused;
};

struct cm_in_flight {
    uint64_t created;
    uint64_t serial;
    uint32_t source;
    uint32_t destination;
    uint32_t via; /* Valiant's random node */
    uint32_t payload;
    uint32_t next;
    uint32_t place;   /* index of the port that its header is in */
    uint32_t choices; /* outs of the next node that it may take, a bit each */
    bool ends;        /* it is at its destination behind any of them */
    uint16_t hops;
    bool first_leg; /* on its way to via */
};

/* One channel that a worm is on. */
struct cm_worm_hop {
    uint32_t out;   /* index */
    uint32_t known; /* words whose crossing times are known */
    bool released;
};

/* A packet in the wormhole network: crossing times of its words, as far as they are known
 * (router_worm.c). */
struct cm_worm {
    struct cm_worm_hop *hops;
    /* [hop * (buffer_words + 1) + word % (buffer_words + 1)]; NULL while buffers hold whole
     * packets */
    uint64_t *times;
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
    uint32_t *arrivals; /* packets whose last word comes then, a slot each */
    uint64_t *used;     /* slots with events, a bit each */
    uint32_t size;      /* a power of two, at least 64 */
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
    uint32_t outs_count;  /* of a node */
    uint32_t room_needed; /* words behind a channel that a packet needs to cross it */
    uint32_t shift;       /* ports and outs of node n begin at n << shift */
    uint32_t local_mask;  /* (1 << shift) - 1 */
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
    /* an out each: 0, or the row of `blocked`, from 1, of one that was waited for */
    uint32_t *blocked_rows;
    uint64_t *blocked; /* see cm_router_blocked */
    uint32_t blocked_count;
    uint32_t *suspects; /* ports whose packets may have come to wait for ever; NULL: they cannot */
    uint32_t suspect_count;
    uint32_t *reached; /* scratch of the search for a deadlock, a port each */
    uint64_t *seen;    /* likewise: number of the search that came by */
    uint64_t searches;
    uint64_t in_network; /* packets sent and not yet at their destination */
    struct cm_wheel wheel;
    const struct cm_router_traffic *traffic;
    const struct cm_observer *observer; /* NULL: none */
    struct cm_router_result *result;
    bool failed;                                          /* out of memory */
    uint32_t bit_of_out[2 * CM_ROUTER_DIMENSIONS_MAX];    /* 1 << dimension */
    uint32_t outs_of_dimension[CM_ROUTER_DIMENSIONS_MAX]; /* its channels, a bit each */
};

static inline uint32_t cm_router_node_of(const struct cm_router *router, uint32_t index)
{
    return index >> router->shift;
}

static inline uint32_t cm_router_local_of(const struct cm_router *router, uint32_t index)
{
    return index & router->local_mask;
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
    if (slot->count == 0)
        wheel->used[s / 64] |= UINT64_C(1) << s % 64;
    slot->events[slot->count++] = (uint64_t)kind << 62 | (uint64_t)a << 32 | b;
}

/* Outs that may have become grantable are tried at the end of the word time. */
static inline void cm_router_try(struct cm_router *router, uint32_t node, uint32_t outs)
{
    struct cm_crossroads *crossroads = &router->crossroads[node];
    outs &= crossroads->wanted & ~crossroads->busy;
    if (outs == 0)
        return;
    if (crossroads->to_try == 0)
        router->listed[router->listed_count++] = node;
    crossroads->to_try |= outs;
}

/* router_packets.c: CM_ROUTER_NONE when out of memory. */
uint32_t cm_router_take_packet(struct cm_router *router);
void cm_router_free_packet(struct cm_router *router, uint32_t packet);

/* router_grant.c: the first packet of port `index` asks for outs. */
void cm_router_ask(struct cm_router *router, uint32_t index);

/* So it does, if there is one, it does not ask yet and none is leaving. */
static inline void cm_router_next_asks(struct cm_router *router, uint32_t index)
{
    const struct cm_port *port = &router->ports[index];
    if (port->first != CM_ROUTER_NONE && !port->leaving && port->asked == 0)
        cm_router_ask(router, index);
}

/* Works out where a packet may go from `node`, to which its header is on its way. */
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

/* Grants what can be granted at the listed nodes. */
void cm_router_arbitrate(struct cm_router *router);
/* A packet comes, all of it, to `node`. */
void cm_router_deliver(struct cm_router *router, uint32_t packet, uint32_t node, uint64_t arrived);

/* router_packets.c: tells the observer. */
void cm_router_tell_hop(const struct cm_router *router, const struct cm_in_flight *packet,
                        uint32_t out, uint64_t asked);
void cm_router_tell_hop_end(const struct cm_router *router, uint32_t out, uint64_t end);

/* router_worm.c: a worm's header crosses channel `out` in this word time. */
void cm_worm_grant(struct cm_router *router, uint32_t packet, uint32_t out, bool terminal);

/*
 * router_blocked.c: a packet that asked since `since` is granted out `index` of a node; the out
 * still tells of the grant before. `waited` is asked for only when it waited, or others go on
 * waiting.
 */
void cm_router_count_wait(struct cm_router *router, uint32_t index,
                          const struct cm_in_flight *packet, uint64_t since);
/* Word times that packets waited for out `index`, by way, and the longest wait; NULL: none
 * waited. */
const uint64_t *cm_router_blocked(const struct cm_router *router, uint32_t index);
void cm_router_keep_hold(struct cm_router *router, uint32_t index);

/* router_deadlock.c: whether packets can come to wait for each other in a cycle. */
bool cm_router_may_deadlock(const struct cm_router_options *options);
/* The port of a packet that waits for ever, of those suspected since the last time; CM_ROUTER_NONE:
 * none does. */
uint32_t cm_router_find_stuck(struct cm_router *router);
/* Names the channels that wait in a cycle, found from port `index`, which waits for ever. */
void cm_router_find_cycle(const struct cm_router *router, uint32_t index,
                          struct cm_router_result *result);

#endif
