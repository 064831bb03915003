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

/* One of several sizes of messages, and the share of messages that have this size. */
struct cm_traffic_size {
    /* number of words of a message, which is sent as packets of the router's size */
    uint32_t words;
    double share; /* share of the messages, relative to the sum of all shares */
};

/* Flow of the pattern flows: messages from one node to another. */
struct cm_traffic_flow {
    uint32_t source;      /* node that sends */
    uint32_t destination; /* node that receives */
    uint32_t words;       /* number of words of a message. 0: one packet */
    double rate;          /* words per word time */
};

/* Parameters of the traffic: all packets at once, or packets at a rate. */
struct cm_traffic_task {
    struct cm_router_options router; /* options of the router */
    enum cm_pattern pattern;         /* pattern of traffic: which node sends to which node */
    uint32_t by;                     /* distance of the pattern shift */
    uint32_t hot_node;               /* hot node of the pattern hot-spot, if hot_count is 0 */
    const uint32_t *hot_nodes;       /* hot nodes with equal shares of the packets */
    uint32_t hot_count;              /* number of hot_nodes. 0: hot_node alone */
    double hot_share; /* share of the packets that go to hot nodes. 0: 1 / CM_PATTERN_HOT_SHARE */
    const struct cm_traffic_flow *flows; /* flows of the pattern flows */
    uint32_t flow_count;                 /* number of flows */
    double flow_rate; /* sum of the rates of `flows`, which are scaled to `rate` */
    /* sizes of messages, of which one is drawn for each message */
    const struct cm_traffic_size *sizes;
    uint32_t size_count; /* number of sizes. 0: no size is drawn */
    /* mean length of bursts, in which a source creates messages, in word times. 0: no bursts */
    double burst_on;
    double burst_off;                    /* mean length of pauses between bursts, in word times */
    uint64_t seed;                       /* seed of all random numbers */
    const struct cm_router_packet *list; /* packets of the pattern list, ordered by time */
    uint64_t list_count;                 /* number of packets in `list` */
    /* Number of packets of the message that each packet of `list` begins. NULL: one packet each. */
    const uint32_t *list_packets;
    double rate;     /* rate in words per node and word time, 0 < rate <= 1. 0: a batch */
    uint64_t warmup; /* number of word times before the measurement */
    /* true if `warmup` is doubled, up to `measure`, while the rule MSER (warmup.h) demands it */
    bool find_warmup;
    /* number of word times of the measurement, in which packets must be created to be measured */
    uint64_t measure;
    uint64_t keep; /* most measured packets that the result keeps */
    /* number of packets of each sender in a batch of a permutation. 0: one packet */
    uint64_t rounds;
    /* Callback that is called from time to time. It returns true to end the run. NULL: not
     * called. */
    bool (*stop)(void *context);
    /* Callback that is called from time to time with the number of packets of a batch that have
     * arrived. NULL: not called. */
    void (*progress)(void *context, const char *unit, uint64_t done, uint64_t total);
    void *stop_context; /* first argument of stop and progress */
    /* Callback for each packet that is sent. It returns the packet's payload, or UINT32_MAX if
     * memory runs out. NULL: packets carry no payload. */
    uint32_t (*load)(void *cargo, const struct cm_router_packet *packet, uint64_t serial);
    /* Callback for each packet that arrives. NULL: not called. */
    void (*unload)(void *cargo, const struct cm_router_delivery *delivery);
    /* Callback for each packet that is lost because of failed channels. NULL: not called. */
    void (*lose)(void *cargo, const struct cm_router_packet *packet);
    void *cargo;                        /* first argument of load, unload and lose */
    const struct cm_observer *observer; /* observer that the router reports to. NULL: no observer */
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
    uint64_t to_self; /* number of measured packets that nodes send to themselves */
    /* Number of measured messages if messages may have several packets, or else 0. The latency of a
     * message ends with the arrival of its last packet, and is not divided into parts. */
    uint64_t messages;
    struct cm_traffic_latency message_latency; /* latencies of the measured messages */
    /* measured packets in order of sending, which the caller frees. NULL: no packets were kept */
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
