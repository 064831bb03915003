/*
 * The router: packets between any nodes over the one-bit channels of the cube, in word times (a
 * word time is what one 32-bit word takes over one channel).
 *
 *   channel      node x dimension x {0, 1}; one word per word time; a buffer of buffer_words at its
 *                far end
 *   packet       `words` words; every node it comes to takes header_words word times to route its
 *                header
 *   node         packets leave its queue of sent packets one at a time; all channels arbitrate
 *                independently
 *   arrival      a node takes in what is addressed to it at once, from all channels in parallel
 *   arbitration  who asked first; among those that asked in one word time, round robin over the
 *                ways into the node
 *   switching    store-and-forward: a packet is sent on when its last word is there
 *                cut-through: when its header is routed, into a buffer with room for all of it
 *                wormhole: when its header is routed; a channel and its buffer serve one packet
 *                until its last word has left
 *   routing      e-cube: ascending or descending, over any channel of the dimension
 *                Valiant: e-cube to a random node, then e-cube on (channel 0, then 1, where there
 *                are two)
 *                adaptive: any dimension that brings the packet nearer on channel 0, or e-cube's on
 *                channel 1 (no escape where there is one channel)
 *
 * The same for any number of host threads (share.c).
 *
 * Nothing about the CM-200's router is published; all of this is ours (docs/programs/route.md).
 */
#ifndef CM_SIM_ROUTER_H
#define CM_SIM_ROUTER_H

#include "../../base/error.h"

#include <stdbool.h>

CM_BEGIN_DECLS

/* Limits of the router: dimensions, words of a packet and of its header, ways out of a node. */
#define CM_ROUTER_DIMENSIONS_MAX 20u
#define CM_ROUTER_WORDS_MAX      65536u
#define CM_ROUTER_HEADER_MAX     1024u
#define CM_ROUTER_WAYS_MAX       (CM_ROUTER_DIMENSIONS_MAX + 1u)
#define CM_ROUTER_CYCLE_MAX      64u /* channels of a deadlock that are listed */

struct cm_observer;

/* When a node sends a packet on: when all of it is there, when its header is and there is room for
 * all of it, or word by word. */
enum cm_switching {
    CM_SWITCHING_STORE_AND_FORWARD,
    CM_SWITCHING_CUT_THROUGH,
    CM_SWITCHING_WORMHOLE
};
/* Which channel a packet takes next. */
enum cm_routing { CM_ROUTING_ECUBE, CM_ROUTING_VALIANT, CM_ROUTING_ADAPTIVE };

/* The router and its packets. */
struct cm_router_options {
    uint32_t dimensions;         /* at most CM_ROUTER_DIMENSIONS_MAX */
    uint32_t channels;           /* of a dimension: 1 or 2 */
    uint32_t words;              /* of a packet: 1..CM_ROUTER_WORDS_MAX */
    uint32_t header_words;       /* word times for routing a header at each node */
    uint32_t buffer_words;       /* at least `words`, except for wormhole */
    enum cm_switching switching; /* when a node sends a packet on */
    enum cm_routing routing;     /* which way packets take */
    bool descending;             /* e-cube from the highest dimension down */
    uint64_t seed;               /* of Valiant's random nodes */
    uint64_t limit;              /* word times after which the run is given up; 0: none */
    /* Of this host, for busy word times; 0: one. Nothing in the results depends on them. */
    uint32_t threads;
    /* Events in a word time from which on the threads share the work; 0: as measured. */
    uint32_t share_from;
};

/* A packet to send. */
struct cm_router_packet {
    uint32_t source;      /* node that sends it */
    uint32_t destination; /* node that it is for */
    uint64_t created;     /* word time */
    uint32_t payload;     /* the sender's own number for its words; given back on arrival */
};

/* A packet at its destination, with all its words. */
struct cm_router_delivery {
    uint32_t source;      /* node that sent it */
    uint32_t destination; /* node that it is for */
    uint32_t node;        /* where it is: the end of the last channel crossed */
    uint32_t hops;        /* channels crossed */
    uint32_t payload;     /* the sender's number for its words */
    uint64_t serial;      /* from 0, in the order of sending */
    uint64_t created;     /* word times */
    uint64_t arrived;     /* when its last word was there */
};

/* What drives a run. */
struct cm_router_traffic {
    void *context; /* first argument of all of them */
    /* The next packet, in order of creation; false when there are no more. */
    bool (*next)(void *context, struct cm_router_packet *packet);
    /*
     * Called for every delivery, in a fixed order (by word time, then by the node from which the
     * last channel leads, then by that channel's number); may be NULL. The call comes when the last
     * channel is granted, so `arrived` may be ahead: never beyond the limit, but beyond the end of
     * a run that a deadlock or `stop` ends.
     */
    void (*delivered)(void *context, const struct cm_router_delivery *delivery);
    /* Called now and then; true: stop. May be NULL. */
    bool (*stop)(void *context);
    /* Is notified of packets and hops (machine/observer.h); may be NULL. */
    const struct cm_observer *observer;
};

/* How a run of the router ended. */
enum cm_router_end {
    CM_ROUTER_DONE,
    CM_ROUTER_DEADLOCK, /* packets wait for each other in a cycle */
    CM_ROUTER_LIMIT,
    CM_ROUTER_STOPPED,
};

/* A packet that waits for a channel, in a deadlock. */
struct cm_router_waiting {
    uint32_t node;        /* the channel's */
    uint32_t dimension;   /* the channel's */
    uint32_t channel;     /* the channel's, 0 or 1 */
    uint32_t source;      /* the packet's */
    uint32_t destination; /* the packet's */
};

/* What a run of the router did. Times are word times. */
struct cm_router_result {
    enum cm_router_end end; /* why it ended */
    uint64_t word_times;    /* until the last packet arrived, or the run ended */
    uint64_t sent;          /* packets */
    uint64_t delivered;     /* all of whose words have arrived by then */
    uint64_t hops;          /* channels crossed by packets, all together */
    uint32_t path_max;      /* most channels crossed by one packet */
    uint32_t congestion;    /* most packets over one channel */
    /* channels of the deadlock's cycle; the first CM_ROUTER_CYCLE_MAX are listed */
    uint32_t cycle_count;
    /* the channels, each waiting for the next */
    struct cm_router_waiting cycle[CM_ROUTER_CYCLE_MAX];
};

/* What one channel did. */
struct cm_router_channel {
    uint64_t packets;       /* that crossed it */
    uint64_t words;         /* also the word times it was busy */
    uint64_t blocked;       /* word times that packets waited for it, added up */
    uint64_t blocked_room;  /* of these: while it was idle because the buffer behind it was full */
    uint32_t longest_queue; /* most packets that waited for it at once */
    uint64_t longest_wait;  /* word times; of the packet below ... */
    uint32_t waiter_source, waiter_destination; /* the nodes it was sent from and to */
    uint32_t holder_source, holder_destination; /* ... behind this one */
};

struct cm_router;

/* CM_BAD_INPUT naming an option that is out of range; CM_NO_MEMORY. */
CM_API enum cm_status cm_router_create(const struct cm_router_options *options,
                                       struct cm_router **router, struct cm_error *err);
/* Frees a router; NULL is taken. */
CM_API void cm_router_destroy(struct cm_router *router);
/* Runs once, from word time 0, until everything is delivered or the run ends early
 * (result->end). */
CM_API enum cm_status cm_router_run(struct cm_router *router,
                                    const struct cm_router_traffic *traffic,
                                    struct cm_router_result *result, struct cm_error *err);
/* What a channel did in the run. */
CM_API struct cm_router_channel cm_router_channel_use(const struct cm_router *router, uint32_t node,
                                                      uint32_t dimension, uint32_t channel);
/*
 * The word times that packets waited for a channel while another packet had it, by that packet's
 * way into the node: its dimension, or CM_ROUTER_DIMENSIONS_MAX when the node itself sent it. With
 * blocked_room they add up to blocked.
 */
CM_API void cm_router_blocked_by(const struct cm_router *router, uint32_t node, uint32_t dimension,
                                 uint32_t channel, uint64_t ways[CM_ROUTER_WAYS_MAX]);
/* Word times that a packet takes over `hops` channels when nothing blocks it: for its header, and
 * for its body after that. */
CM_API uint64_t cm_router_header_time(const struct cm_router_options *options, uint32_t hops);
CM_API uint64_t cm_router_body_time(const struct cm_router_options *options, uint32_t hops);

CM_END_DECLS

#endif
