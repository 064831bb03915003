/*
 * Traffic of a pattern through the router, and its measurement. In a batch, every node's packets
 * are created at word time 0, or at the times of a list. In open loop, packets are created at a
 * rate, even if many packets are still in flight.
 */
#ifndef CM_PROGRAMS_NETWORK_TRAFFIC_H
#define CM_PROGRAMS_NETWORK_TRAFFIC_H

#include "bound.h"
#include "pattern.h"
#include "steady.h"

CM_BEGIN_DECLS

/* Size of messages, and how many messages have it, relative to the shares of the other sizes. */
struct cm_traffic_size {
    uint32_t words; /* words of a message, sent as packets of the router's size */
    double share;   /* messages of this size */
};

/* Flow of the pattern flows: messages from one node to another. */
struct cm_traffic_flow {
    uint32_t source;      /* node that sends */
    uint32_t destination; /* node that receives */
    uint32_t words;       /* words of a message. 0: one packet */
    double rate;          /* words in a word time */
};

/* Parameters of the traffic: all packets at once, or packets at a rate. */
struct cm_traffic_task {
    struct cm_router_options router; /* options of the network */
    enum cm_pattern pattern;         /* who sends to whom */
    uint32_t by;                     /* distance of the pattern shift */
    uint32_t hot_node;               /* node of the pattern hot-spot */
    const uint32_t *hot_nodes;       /* several such nodes instead, with equal shares */
    uint32_t hot_count;              /* number of these. 0: hot_node alone */
    double hot_share; /* share of packets to the hot nodes. 0: 1 / CM_PATTERN_HOT_SHARE */
    const struct cm_traffic_flow *flows; /* flows of the pattern flows */
    uint32_t flow_count;                 /* number of flows */
    double flow_rate;                    /* sum of their rates, which are scaled to `rate` */
    const struct cm_traffic_size *sizes; /* sizes of messages, drawn for each message */
    uint32_t size_count;                 /* number of sizes. 0: a message is a packet */
    double burst_on;  /* mean word times in which a source creates messages. 0: no bursts */
    double burst_off; /* mean word times of pauses between them */
    uint64_t seed;    /* seed of everything that is drawn */
    const struct cm_router_packet *list; /* packets of the pattern list, ordered by time */
    uint64_t list_count;                 /* number of packets in `list` */
    /* Packets that each one of `list` stands for: a message. NULL: one each. */
    const uint32_t *list_packets;
    double rate;      /* words per node and word time, 0 < rate <= 1. 0: a batch */
    uint64_t warmup;  /* word times before measurement */
    bool find_warmup; /* true if `warmup` is doubled, up to `measure`, while MSER asks for it */
    uint64_t measure; /* word times of measurement: latencies of packets created in them count */
    uint64_t keep;    /* most measured packets that the result keeps */
    uint64_t rounds;  /* packets of each sender in a batch of a permutation. 0: one */
    bool (*stop)(void *context); /* called now and then. True ends the run. NULL: never called */
    /* Called now and then with the packets of a batch that have arrived. NULL: not called. */
    void (*progress)(void *context, const char *unit, uint64_t done, uint64_t total);
    void *stop_context; /* first argument of stop and progress */
    /* Called when a packet is sent. Returns the packet's payload, or UINT32_MAX if memory runs out.
     * NULL: packets carry no payload. */
    uint32_t (*load)(void *cargo, const struct cm_router_packet *packet, uint64_t serial);
    /* Called on the arrival of each packet. NULL: not called. */
    void (*unload)(void *cargo, const struct cm_router_delivery *delivery);
    /* Called for each packet that failed channels cut off. NULL: not called. */
    void (*lose)(void *cargo, const struct cm_router_packet *packet);
    void *cargo;                        /* argument of load, unload and lose */
    const struct cm_observer *observer; /* NULL: no observer */
};

/* Latency: word times from the creation of a packet to its arrival. */
struct cm_traffic_latency {
    double mean; /* mean over all measured packets, in word times */
    /* latencies in word times that half, 99 % and all of the packets do not exceed */
    uint64_t p50, p99, max;
    /* mean parts of the latency in word times, which add up to the mean */
    double queueing, header, body;
};

/* Result of a run of traffic. */
struct cm_traffic_result {
    struct cm_router_result router;    /* result of the router's run */
    struct cm_traffic_latency latency; /* latency of the measured packets */
    uint64_t measured;                 /* number of measured packets */
    uint64_t to_self;                  /* measured packets of nodes to themselves */
    /* Measured messages, if some have several packets, and else 0. Their latencies are those of
     * their last packets, and are not divided into parts. */
    uint64_t messages;
    struct cm_traffic_latency message_latency; /* latencies of these messages */
    /* packets in order of sending, for the caller to free. NULL: none kept */
    struct cm_router_delivery *packets;
    uint64_t packet_count; /* number of packets in `packets` */
    double throughput; /* throughput while measuring, in words accepted per node and word time */
    bool saturated;    /* open loop: true if the verdict is "not steady" */
    struct cm_traffic_bound bound; /* open loop: bound of the rate for the pattern */
    /* open loop: judgement whether the network was in a steady state */
    struct cm_traffic_steady steady;
    /* means over several seeds. The caller fills this in */
    struct cm_traffic_replications replications;
};

/* Runs the task on a router that was made for task->router. The caller may read the use of the
 * router's channels afterwards. */
CM_API enum cm_status cm_traffic_send(struct cm_router *router, const struct cm_traffic_task *task,
                                      struct cm_traffic_result *result, struct cm_error *err);

CM_END_DECLS

#endif
