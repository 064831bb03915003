/*
 * The router: packets between any nodes over the one-bit channels of the cube. Time is counted in
 * word times: a word time is the time of one 32-bit word over one channel.
 *
 *   channel      node x dimension x {0, 1}, with one word in a word time and a buffer of
 *                buffer_words at its far end
 *   packet       `words` words. Every node needs header_words word times to route its header
 *   node         sent packets leave its queue one at a time. All its channels arbitrate
 *                independently
 *   arrival      a node accepts packets addressed to it immediately, from all channels in parallel
 *   arbitration  first come, first served. Of packets that asked in the same word time, round robin
 *                over the ports of the node
 *   switching    store-and-forward: a packet is sent on when its last word has arrived
 *                cut-through: when its header is routed, into a buffer with room for all of it
 *                wormhole: when its header is routed. A channel and its buffer serve one packet
 *                until its last word has left
 *   routing      e-cube: ascending or descending, over any channel of the dimension
 *                Valiant: e-cube to a random node, then e-cube to the destination (channel 0, then
 *                channel 1, where there are two)
 *                adaptive: any dimension that brings the packet nearer on channel 0, or e-cube's on
 *                channel 1 (no escape where there is one channel)
 *   failures     failed channels carry nothing. E-cube takes the other channel of the wire. Valiant
 *                takes another random node. Adaptive goes to nodes from which e-cube's way over the
 *                last channel is intact. If no dimension leads to such a node, it takes any way
 *                with the fewest hops
 *   losses       a packet without an intact way is lost when it is sent, before its first hop
 *
 * Nothing about the CM-200's router is published, so this model is an assumption
 * (docs/programs/route.md).
 *
 * A router is made for one run. A traffic source gives it packets in the order of their creation,
 * and is called back for every delivery. Results are equal for any number of threads and processes.
 *
 * Files: router.c (a run, from event to event), state.c (memory), grant.c (arbitration), worm.c
 * (wormhole timing), wheel.c (events), failures.c (failed channels), blocked.c (causes of waits),
 * deadlock.c, notify.c (reports), partition.c and share.c (threads), trade.c (processes), private.h
 * (structs of all these files).
 */
#ifndef CM_SIM_ROUTER_H
#define CM_SIM_ROUTER_H

#include "../../base/error.h"

#include <stdbool.h>

CM_BEGIN_DECLS

/* Limits of the router: dimensions, words of a packet and of its header, numbers that
 * cm_router_blocked_by writes. */
#define CM_ROUTER_DIMENSIONS_MAX 20u
#define CM_ROUTER_WORDS_MAX      65536u
#define CM_ROUTER_HEADER_MAX     1024u
#define CM_ROUTER_WAYS_MAX       (CM_ROUTER_DIMENSIONS_MAX + 1u)
/* largest number of a deadlock's channels that a result lists */
#define CM_ROUTER_CYCLE_MAX  64u
#define CM_ROUTER_LOSSES_MAX 16u /* largest number of lost packets that a result lists */

struct cm_observer;

/* Switching: when a node sends a packet on. */
enum cm_switching {
    CM_SWITCHING_STORE_AND_FORWARD,
    CM_SWITCHING_CUT_THROUGH,
    CM_SWITCHING_WORMHOLE
};
/* Routing: which channel a packet takes next. */
enum cm_routing { CM_ROUTING_ECUBE, CM_ROUTING_VALIANT, CM_ROUTING_ADAPTIVE };

/* Failed channel, which carries no packets. */
struct cm_router_failure {
    uint32_t node;      /* node where the channel begins */
    uint32_t dimension; /* dimension of the channel */
    uint32_t channel;   /* number of the channel, 0 or 1 */
};

/* Options of the router and its packets. */
struct cm_router_options {
    uint32_t dimensions;         /* cube dimensions, at most CM_ROUTER_DIMENSIONS_MAX */
    uint32_t channels;           /* channels of a dimension: 1 or 2 */
    uint32_t words;              /* words of a packet: 1 to CM_ROUTER_WORDS_MAX */
    uint32_t header_words;       /* word times for routing a header at each node */
    uint32_t buffer_words;       /* words of a buffer, at least `words` except for wormhole */
    enum cm_switching switching; /* when a node sends a packet on */
    enum cm_routing routing;     /* which channel a packet takes next */
    bool descending;             /* true for e-cube from the highest dimension down */
    uint64_t seed;               /* seed of Valiant's random nodes */
    uint64_t limit;              /* word times after which the run is ended, or 0 for no limit */
    /* Host threads for busy word times, or 0 for one thread. No result depends on it. */
    uint32_t threads;
    /* Fewest events in a word time for which threads share the work, or 0 for the measured
     * default. */
    uint32_t share_from;
    /* Failed channels, in any order. A channel may occur more than once. The array must exist until
     * the router has been created. */
    const struct cm_router_failure *failures;
    uint32_t failure_count; /* number of failed channels */
};

/* Packet to send. */
struct cm_router_packet {
    uint32_t source;      /* node that sends it */
    uint32_t destination; /* node that it is addressed to */
    uint64_t created;     /* word time of creation */
    /* number that the sender gives to the packet's contents, returned on arrival */
    uint32_t payload;
};

/* Packet that has arrived at its destination with all its words. */
struct cm_router_delivery {
    uint32_t source;      /* node that sent it */
    uint32_t destination; /* node that it was addressed to */
    uint32_t node;        /* node at the end of the last channel crossed */
    uint32_t hops;        /* channels crossed */
    uint32_t payload;     /* number that the sender gave to the packet's contents */
    uint64_t serial;      /* number of the packet in the order of sending, from 0 */
    uint64_t created;     /* word time of creation */
    uint64_t arrived;     /* word time when its last word had arrived */
};

/* Traffic source: what drives a run. */
struct cm_router_traffic {
    void *context; /* first argument of all functions */
    /* Writes the next packet, in order of creation, to *packet. Returns false when there are no
     * more packets. */
    bool (*next)(void *context, struct cm_router_packet *packet);
    /*
     * Called for every delivery, in a fixed order: by word time, then by the node where the last
     * channel begins, then by the number of that channel. May be NULL. The call comes when the last
     * channel is granted, so `arrived` may be later than the current word time. It is never beyond
     * the limit, but may be beyond the end of a run that a deadlock or `stop` ends.
     */
    void (*delivered)(void *context, const struct cm_router_delivery *delivery);
    /* Called at intervals. Returns true to stop the run. May be NULL. */
    bool (*stop)(void *context);
    /* observer of packets and hops (machine/observer.h), or NULL */
    const struct cm_observer *observer;
    /* Called instead of `delivered` for a packet that is lost because of failed channels. The call
     * comes when the packet is sent, before `next` is called again. May be NULL. */
    void (*lost)(void *context, const struct cm_router_packet *packet);
};

/* Cause of the end of a run of the router. */
enum cm_router_end {
    CM_ROUTER_DONE,
    CM_ROUTER_DEADLOCK, /* packets wait for each other in a cycle */
    CM_ROUTER_LIMIT,
    CM_ROUTER_STOPPED,
};

/* Packet that waits for a channel in a deadlock. */
struct cm_router_waiting {
    uint32_t node;        /* node where the channel begins */
    uint32_t dimension;   /* dimension of the channel */
    uint32_t channel;     /* number of the channel, 0 or 1 */
    uint32_t source;      /* source of the packet */
    uint32_t destination; /* destination of the packet */
};

/* Packet that is lost because of failed channels. */
struct cm_router_loss {
    uint32_t source;      /* node that sent it */
    uint32_t destination; /* node that it was addressed to */
    /* Node and dimension of the first failed wire on the packet's way by e-cube. With Valiant's
     * routing this way goes over the random node. */
    uint32_t node, dimension;
};

/* Results of a run of the router. Times are word times. */
struct cm_router_result {
    enum cm_router_end end; /* cause of the end */
    uint64_t word_times;    /* time until the last packet arrived, or the run ended */
    uint64_t sent;          /* packets sent */
    uint64_t delivered;     /* packets all of whose words have arrived */
    uint64_t hops;          /* channels crossed by all packets together */
    uint32_t path_max;      /* most channels crossed by one packet */
    uint32_t congestion;    /* most packets over one channel */
    /* number of channels in the cycle of a deadlock. `cycle` lists the first CM_ROUTER_CYCLE_MAX of
     * these channels */
    uint32_t cycle_count;
    /* channels of the cycle, each waiting for the next */
    struct cm_router_waiting cycle[CM_ROUTER_CYCLE_MAX];
    /* number of lost packets. Unless a run ends early, `sent` is `delivered` + `lost` */
    uint64_t lost;
    /* the first lost packets */
    struct cm_router_loss losses[CM_ROUTER_LOSSES_MAX];
};

/* Results of one channel. */
struct cm_router_channel {
    uint64_t packets; /* packets that crossed it */
    /* words that crossed it, equal to the number of word times in which it was busy */
    uint64_t words;
    uint64_t blocked; /* word times that packets waited for the channel, summed over packets */
    /* part of `blocked` while the channel was idle, because the buffer behind it was full */
    uint64_t blocked_room;
    /* largest number of packets that waited for the channel at the same time */
    uint32_t longest_queue;
    uint64_t longest_wait; /* longest wait of a packet, in word times */
    /* source and destination of the packet that waited longest */
    uint32_t waiter_source, waiter_destination;
    /* source and destination of the packet that held the channel just before the one that waited
     * longest */
    uint32_t holder_source, holder_destination;
};

struct cm_router;

/* Makes a router. Returns CM_BAD_INPUT, naming the option, when an option is out of range, and
 * CM_NO_MEMORY when out of memory. */
CM_API enum cm_status cm_router_create(const struct cm_router_options *options,
                                       struct cm_router **router, struct cm_error *err);
/* Frees a router. NULL is allowed. */
CM_API void cm_router_destroy(struct cm_router *router);
/* Runs the router from word time 0 until all packets are delivered or the run ends early
 * (result->end). A router can run only once. */
CM_API enum cm_status cm_router_run(struct cm_router *router,
                                    const struct cm_router_traffic *traffic,
                                    struct cm_router_result *result, struct cm_error *err);
/* Returns the results of a channel after the run. */
CM_API struct cm_router_channel cm_router_channel_use(const struct cm_router *router, uint32_t node,
                                                      uint32_t dimension, uint32_t channel);
/*
 * Writes how many word times packets waited for a channel while another packet held the channel, by
 * the input port of that other packet. ways[d] is for packets that came in over dimension d, and
 * ways[CM_ROUTER_DIMENSIONS_MAX] for packets that the node itself sent. The sum of the numbers and
 * `blocked_room` is `blocked` of struct cm_router_channel.
 */
CM_API void cm_router_blocked_by(const struct cm_router *router, uint32_t node, uint32_t dimension,
                                 uint32_t channel, uint64_t ways[CM_ROUTER_WAYS_MAX]);
/* These functions return the number of word times that a packet takes over `hops` channels if it
 * never waits: for its header, and for its body after the header. */
CM_API uint64_t cm_router_header_time(const struct cm_router_options *options, uint32_t hops);
CM_API uint64_t cm_router_body_time(const struct cm_router_options *options, uint32_t hops);

CM_END_DECLS

#endif
