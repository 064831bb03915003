/*
 * What the router is made of, and what its files do for each other. A node has ways in (ports: one
 * for each channel that ends there, and last its own queue of sent packets) and ways out (outs: one
 * for each channel that begins there). Both are numbered channel * dimensions + dimension within
 * the node; ports and outs of node n begin at n << shift. Not installed.
 */
#ifndef CM_SIM_ROUTER_PRIVATE_H
#define CM_SIM_ROUTER_PRIVATE_H

#include "../../base/processes.h"
#include "../host/pool.h"
#include "../machine/observer.h"
#include "router.h"
#include "wheel.h"

#include <stdatomic.h>

#define CM_ROUTER_NONE UINT32_MAX
/* A page in a browser has one thread, and no room for what several need: code of which nothing is
 * called is left out by the linker. */
#ifdef __EMSCRIPTEN__
#define CM_ROUTER_SHARES 0
#else
#define CM_ROUTER_SHARES 1
#endif
/* Word times with events between two calls of traffic->stop. */
#define CM_ROUTER_STOP_INTERVAL 1024u

/* A function that only prefetches. GCC believes that it has no effect and drops its calls, unless
 * it is inlined first. */
#define CM_PREFETCH static inline __attribute__((always_inline)) void

/* A way into a node. Its first packet asks for outs until one is granted. */
struct cm_port {
    uint64_t since; /* word time the first packet began to ask */
    uint32_t asked; /* outs, a bit each; 0: does not ask */
    uint32_t first; /* of the packets queued; CM_ROUTER_NONE: none */
    uint32_t last;
    bool ends;          /* the outs asked for end at the first packet's destination */
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
    uint64_t waiting;    /* ports that ask for it, a bit each */
    uint64_t hold_begin; /* word time of the last grant */
    uint64_t idle_since; /* word time after the last word of the packet granted last */
    /* holds before the last, those that end after some port began to wait */
    struct cm_hold *holds;
    uint32_t hold_count, hold_capacity;
    uint32_t room; /* free words of the buffer behind it */
    uint32_t packets;
    uint32_t holder_source; /* of the last packet granted */
    uint32_t holder_destination;
    uint32_t owner; /* wormhole: the packet that has the channel while its end is not known */
    uint8_t turn;   /* port served last */
    uint8_t queue;  /* ports that ask for it */
    uint8_t longest_queue;
};

/* Which packet waited longest for an out, and behind which. */
struct cm_longest_wait {
    uint32_t waiter_source, waiter_destination;
    uint32_t holder_source, holder_destination;
};

/* A node's outs, a bit each. */
struct cm_crossroads {
    uint32_t wanted; /* some port asks for them */
    uint32_t busy;   /* taken */
    uint32_t to_try; /* to arbitrate in this word time; not 0: the node is marked */
    uint32_t unused;
};

/* 64 bytes, a cache line. */
struct cm_in_flight {
    _Alignas(64) uint64_t created;
    uint64_t serial;
    uint32_t source;
    uint32_t destination;
    uint32_t via; /* Valiant's random node */
    uint32_t payload;
    uint32_t next;    /* in the port's queue, or in the list of free packets */
    uint32_t place;   /* index of the port that its header is in */
    uint32_t choices; /* outs of the next node that it may take, a bit each */
    bool ends;        /* they end at its destination */
    uint16_t hops;
    bool first_leg; /* it is still on the way to via */
};

/* One channel that a worm is on. */
struct cm_worm_hop {
    uint32_t out;   /* index */
    uint32_t known; /* words whose crossing times are known */
    bool released;
};

/* A packet in the wormhole network: crossing times of its words, as far as they are known
 * (worm.c). */
struct cm_worm {
    struct cm_worm_hop *hops;
    /* [hop * (buffer_words + 1) + word % (buffer_words + 1)]; NULL where a buffer holds a packet */
    uint64_t *times;
    uint32_t count;
    bool terminal; /* the last hop ends at the destination */
    bool source_freed;
};

/* Hops as in cm_observed_hops, an array each. */
struct cm_kept_hops {
    uint64_t *packets, *asked;
    uint32_t *channels;
    uint32_t count, capacity;
};

/* A packet sent, which its source's part has not seen yet. */
struct cm_posted {
    struct cm_router_packet from;
    uint64_t serial;
    uint32_t packet;
};

/* An event for another part. */
struct cm_mail {
    uint64_t time, event;
};

/* What a part expects after a word time. Written for even and odd word times of a run of the
 * threads in turn: some thread may still read the one before. */
struct cm_outlook {
    uint64_t next;     /* its next event, UINT64_MAX: none */
    uint32_t events;   /* that it handled in this word time */
    uint32_t suspects; /* that it has */
    bool failed;
};

/*
 * Nodes that lie side by side, and all that happens at them: what one thread works on at a time
 * (share.c). Until there is work for several threads there is one part, all nodes.
 */
struct cm_part {
    _Alignas(64) uint64_t now;
    struct cm_wheel wheel;
    uint32_t first;   /* node */
    uint64_t *marks;  /* nodes to arbitrate, a bit each, from the first ... */
    uint64_t *marked; /* ... and the words of these that are not 0, a bit each */
    uint32_t marked_words;
    uint32_t *listed; /* the same nodes in order, once they are known */
    uint32_t listed_count;
    CM_LIST(uint64_t) blocked; /* see cm_router_blocked */
    uint32_t *suspects;        /* ports whose packets may be stuck for ever; NULL: none ever is */
    uint32_t suspect_count;
    CM_LIST(uint32_t) free; /* packets delivered here */
    CM_LIST(struct cm_posted) posted;
    /* What the observer is still to learn of this word time, and traffic while threads share it. */
    struct cm_kept_hops hops_kept;
    CM_LIST(struct cm_observed_hop_end) hop_ends;
    CM_LIST(struct cm_router_delivery) arrivals;
    CM_LIST(struct cm_mail) * mail; /* [part]: to it */
    uint64_t mail_next;             /* time of the first event in it */
    uint32_t events;                /* handled in this word time, while threads are at work */
    struct cm_outlook outlook[2];
    uint64_t gone;      /* packets that have crossed their last channel ... */
    uint64_t delivered; /* ... within the limit */
    uint64_t hops;
    uint64_t word_times; /* until the last of them arrived */
    uint32_t path_max;
    uint32_t congestion;
    bool failed; /* out of memory */
    atomic_uint claimed;
};

struct cm_router {
    struct cm_router_options options;
    uint32_t nodes;
    uint32_t outs_count;  /* of a node */
    uint32_t room_needed; /* words behind a channel that a packet needs to cross it */
    uint32_t shift;       /* log2 of the places that a node has for ports and outs */
    uint32_t local_mask;  /* (1 << shift) - 1 */
    uint32_t part_shift;  /* log2 of the nodes of a part */
    uint32_t part_count;
    struct cm_part *parts;
    uint64_t now;
    uint64_t steps; /* word times with events so far */
    struct cm_crossroads *crossroads;
    struct cm_port *ports;
    struct cm_out *outs;
    struct cm_longest_wait *waits; /* as outs */
    struct cm_in_flight *packets;
    uint32_t packet_count, packet_capacity; /* count > capacity: cm_router_make_room is due */
    uint32_t giver;                         /* the part that gave a free packet last */
    CM_LIST(struct cm_worm) worms;          /* as packets; wormhole only */
    uint32_t *blocked_rows; /* of each out: its row of its part's `blocked`, from 1; 0: none */
    uint32_t *suspects;     /* memory of those of the parts */
    uint32_t *reached;      /* [port]: scratch of the search for a deadlock ... */
    uint64_t *seen;         /* ... and the number of the search that saw the port last */
    uint64_t searches;
    const struct cm_router_traffic *traffic;
    const struct cm_observer *observer; /* NULL: none */
    struct cm_router_result *result;
    struct cm_router_packet coming;                    /* the next packet ... */
    bool more;                                         /* ... if there is one */
    bool has_gaps;                                     /* words of worms do not follow at once */
    bool failed;                                       /* out of memory; or a part's */
    bool shared;                                       /* threads are at work */
    uint32_t share_from;                               /* UINT32_MAX: never */
    unsigned stamp;                                    /* of claims */
    struct cm_pool *pool;                              /* NULL: not needed yet */
    const struct cm_process_link *link;                /* NULL: this process plays all nodes */
    struct cm_trade *trade;                            /* with the other processes */
    uint32_t own_part, own_parts;                      /* that this process plays */
    uint32_t bit_of_out[2 * CM_ROUTER_DIMENSIONS_MAX]; /* 1 << dimension */
    uint32_t channel_of_out[2 * CM_ROUTER_DIMENSIONS_MAX]; /* of node 0, as observers number them */
    uint32_t outs_of_dimension[CM_ROUTER_DIMENSIONS_MAX];  /* its channels, a bit each */
};

/* Memory for a router of these options, whose packets may deadlock or not; NULL when there is not
 * enough. */
struct cm_router *cm_router_allocate(const struct cm_router_options *options, bool may_deadlock);

/* Makes one part, of all nodes; false when there is not enough memory. Frees the parts. */
bool cm_router_allocate_parts(struct cm_router *router);
void cm_router_free_parts(struct cm_router *router);
/* Makes several parts of the one, before a word time; false: there is still one. */
bool cm_router_split(struct cm_router *router);

/*
 * A free packet, perhaps one that needs cm_router_make_room before it is used; CM_ROUTER_NONE, and
 * router->failed, when there are too many.
 */
uint32_t cm_router_take_packet(struct cm_router *router, struct cm_part *part);
/* Makes memory for all packets taken; sets router->failed when there is not enough. */
void cm_router_make_room(struct cm_router *router);

/* Keeps an event for another part, until cm_router_collect. */
void cm_router_mail(struct cm_router *router, struct cm_part *from, const struct cm_part *to,
                    struct cm_mail mail);
/* Takes in the events from other parts. */
void cm_router_collect(struct cm_router *router, struct cm_part *part);

/* The node of a port or out, and its number within the node. */
static inline uint32_t cm_router_node_of(const struct cm_router *router, uint32_t index)
{
    return index >> router->shift;
}

static inline uint32_t cm_router_local_of(const struct cm_router *router, uint32_t index)
{
    return index & router->local_mask;
}

/* The other end of a channel: the port that out `index` leads to, or the out that leads to port
 * `index`. */
static inline uint32_t cm_router_far_end(const struct cm_router *router, uint32_t index)
{
    return index ^ router->bit_of_out[cm_router_local_of(router, index)] << router->shift;
}

/* Whether this process plays a part. */
static inline bool cm_router_owns(const struct cm_router *router, uint32_t part)
{
    return part - router->own_part < router->own_parts; /* wraps below 0 */
}

/* The part that a node belongs to. */
static inline struct cm_part *cm_router_part_of(const struct cm_router *router, uint32_t node)
{
    return &router->parts[node >> router->part_shift];
}

/* Schedules an event at port or out `index`, on behalf of a part. */
static inline void cm_router_schedule(struct cm_router *router, struct cm_part *part, uint64_t time,
                                      enum cm_router_event kind, uint32_t packet, uint32_t index)
{
    struct cm_part *to = cm_router_part_of(router, cm_router_node_of(router, index));
    uint64_t event = cm_event(kind, packet, index);
    if (CM_ROUTER_SHARES && to != part && router->shared)
        cm_router_mail(router, part, to, (struct cm_mail){time, event});
    else if (!cm_wheel_add(&to->wheel, time, event))
        part->failed = true;
}

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
static inline void cm_router_send_on(struct cm_router *router, struct cm_part *part,
                                     uint32_t packet, uint32_t port, uint64_t ready)
{
    cm_router_plan(router, &router->packets[packet], cm_router_node_of(router, port));
    cm_router_schedule(router, part, ready, CM_EVENT_ARRIVE, packet, port);
}

/* Handles a part's events of this word time; new ones are for later word times. */
void cm_router_handle(struct cm_router *router, struct cm_part *part);
/* Sends the traffic's packets of this word time. An error is the traffic's own. */
enum cm_status cm_router_send(struct cm_router *router, struct cm_error *err);
/* A packet joins its source's queue. */
void cm_router_post(struct cm_router *router, struct cm_part *part, const struct cm_posted *posted);
/* The first word time after `now` that has events in some part; UINT64_MAX: none has. */
uint64_t cm_router_next(const struct cm_router *router);

/* Whether there are threads to share the work; makes them. */
bool cm_router_can_share(struct cm_router *router);
/* Runs this and following word times by several threads, as long as these are busy and one thread
 * has nothing to decide. */
enum cm_status cm_router_share(struct cm_router *router, struct cm_error *err);

/* trade.c: the nodes are split over the processes of this program, if there are several and
 * that pays; false when there is not enough memory. */
bool cm_trade_begin(struct cm_router *router);
void cm_trade_end(struct cm_router *router);
/* After a word time: events for other processes go there, theirs come, with their reports and what
 * they expect. */
enum cm_status cm_trade_word_time(struct cm_router *router, uint64_t round, struct cm_error *err);
/* After the run: all processes have the results of all. */
enum cm_status cm_trade_results(struct cm_router *router, struct cm_error *err);
/* Packets of a part that have crossed their last channel, but not arrived. */
uint64_t cm_router_arriving(const struct cm_part *part);

/* The first packet of port `index` asks for outs. */
void cm_router_ask(struct cm_router *router, struct cm_part *part, uint32_t index);

/* The same, if the port has a packet that does not ask yet, and none that is leaving. */
static inline void cm_router_ask_next(struct cm_router *router, struct cm_part *part,
                                      uint32_t index)
{
    const struct cm_port *port = &router->ports[index];
    if (port->first != CM_ROUTER_NONE && !port->leaving && port->asked == 0)
        cm_router_ask(router, part, index);
}

/* Outs of a node that can perhaps be granted now are tried at the end of the word time. */
static inline void cm_router_try(struct cm_router *router, struct cm_part *part, uint32_t node,
                                 uint32_t outs)
{
    struct cm_crossroads *crossroads = &router->crossroads[node];
    uint32_t n = node - part->first;
    outs &= crossroads->wanted & ~crossroads->busy;
    if (outs == 0)
        return;
    crossroads->to_try |= outs;
    part->marks[n / 64] |= UINT64_C(1) << n % 64;
    part->marked[n / 4096] |= UINT64_C(1) << n / 64 % 64;
}

/* Tries the outs of a part's marked nodes, and grants what can be granted. */
void cm_router_arbitrate(struct cm_router *router, struct cm_part *part);

/* Begins a worm, in the memory of an earlier one if there was one; false when out of memory. */
bool cm_worm_begin(struct cm_router *router, struct cm_worm *worm);
/* A worm's header crosses out `index` in this word time; `terminal`: it ends at its destination. */
void cm_worm_grant(struct cm_router *router, struct cm_part *part, uint32_t packet, uint32_t index,
                   bool terminal);

/* Makes room for `count` hops; false when out of memory. */
bool cm_router_room_for_hops(struct cm_kept_hops *hops, uint64_t count);
/* The same for one more than there is room for; one thread tells the observer instead. */
bool cm_router_keep_more(struct cm_router *router, struct cm_part *part);
/* The last word crossed out `index` before word time `end`: of a hop that left this open. */
void cm_router_notify_hop_end(struct cm_router *router, struct cm_part *part, uint32_t index,
                              uint64_t end);
/* A packet is at `node`, all of it, at word time `arrived`, which may be ahead. Frees it. */
void cm_router_deliver(struct cm_router *router, struct cm_part *part, uint32_t packet,
                       uint32_t node, uint64_t arrived);
/* Of a packet that was delivered without any hop. */
void cm_router_tell_arrival(const struct cm_router *router,
                            const struct cm_router_delivery *arrival);
/* Tells the observer of a part's hops in this word time. */
void cm_router_tell_hops(const struct cm_router *router, struct cm_part *part);
/* The same of ends and arrivals, of all parts. */
void cm_router_tell_ends(const struct cm_router *router);
/* Tells traffic and observer of all that the parts kept while they were shared, in order. */
void cm_router_tell_all(struct cm_router *router);

/* Out `index` is granted to a packet that asked at `since`, before now; the out still describes the
 * grant before. */
void cm_router_count_wait(struct cm_router *router, struct cm_part *part, uint32_t index,
                          const struct cm_in_flight *packet, uint64_t since);
/* Keeps the last hold of out `index`, for ports that go on waiting. */
void cm_router_keep_hold(struct cm_router *router, struct cm_part *part, uint32_t index);
/* Numbers in a row of blocked.c. */
static inline size_t cm_router_row_size(const struct cm_router *router)
{
    return router->options.dimensions + 3u;
}

/* The row of out `index` (blocked.c); NULL when no packet waited for it. */
const uint64_t *cm_router_blocked(const struct cm_router *router, uint32_t index);

/* Whether packets can come to wait for each other in a cycle. */
bool cm_router_may_deadlock(const struct cm_router_options *options);
/* The first port of a packet that waits for ever, among those suspected since the last call;
 * CM_ROUTER_NONE when all of them will move. */
uint32_t cm_router_find_stuck(struct cm_router *router);
/* Names the channels that wait in a cycle, found from port `index`, which waits for ever. */
void cm_router_find_cycle(const struct cm_router *router, uint32_t index,
                          struct cm_router_result *result);

#endif
