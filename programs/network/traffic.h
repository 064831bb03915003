/*
 * Traffic of a pattern through the router, and its measurement. A batch sends every node's packets
 * at word time 0. In open loop, packets are created at a rate, however many are still in flight.
 */
#ifndef CM_PROGRAMS_NETWORK_TRAFFIC_H
#define CM_PROGRAMS_NETWORK_TRAFFIC_H

#include "pattern.h"

CM_BEGIN_DECLS

/* Parameters of the traffic: all packets at once, or packets at a rate. */
struct cm_traffic_task {
    struct cm_router_options router;     /* options of the network */
    enum cm_pattern pattern;             /* who sends to whom */
    uint32_t by;                         /* distance of the pattern shift */
    uint32_t hot_node;                   /* node of the pattern hot-spot */
    uint64_t seed;                       /* seed of everything that is drawn */
    const struct cm_router_packet *list; /* packets of the pattern list, ordered by time */
    uint64_t list_count;                 /* number of packets in `list` */
    double rate;      /* words per node and word time, 0 < rate <= 1. 0: a batch */
    uint64_t warmup;  /* word times before measurement */
    uint64_t measure; /* word times of measurement: latencies of packets created in them count */
    uint64_t keep;    /* most measured packets that the result keeps */
    uint64_t rounds;  /* packets of each sender in a batch of a permutation. 0: one */
    bool (*stop)(void *context); /* called now and then. True ends the run. NULL: never called */
    /* Called now and then with the packets of a batch that have arrived. NULL: not called. */
    void (*progress)(void *context, const char *unit, uint64_t done, uint64_t total);
    void *stop_context; /* argument of stop and progress */
    /* Returns the payload of each packet as it is sent, or UINT32_MAX when out of memory. NULL:
     * packets carry no payload. */
    uint32_t (*load)(void *cargo, const struct cm_router_packet *packet, uint64_t serial);
    /* Called on the arrival of each packet. NULL: not called. */
    void (*unload)(void *cargo, const struct cm_router_delivery *delivery);
    void *cargo;                        /* argument of load and unload */
    const struct cm_observer *observer; /* NULL: no observer */
};

/* Number of equal parts of the measured time, by which means are judged. */
#define CM_TRAFFIC_BATCHES 20u

/* Answer to the question whether open-loop traffic was in a steady state. */
enum cm_verdict { CM_VERDICT_STEADY, CM_VERDICT_NOT_STEADY, CM_VERDICT_NOT_DECIDED };

/* Reason of a verdict. */
enum cm_steady_reason {
    CM_STEADY_NO_REASON,
    CM_STEADY_ABOVE_BOUND, /* the rate is above the bound of the pattern (bound.h) */
    CM_STEADY_LIMIT,       /* the run was given up before all measured packets arrived */
    CM_STEADY_BACKLOG,     /* more and more packets were in flight */
    CM_STEADY_DRIFT,       /* latencies grew during the measurement */
    CM_STEADY_WIDE,        /* the interval of the mean latency is wide */
    CM_STEADY_FEW_PACKETS, /* some part of the measured time has no packet */
};

/* Judgement of open-loop traffic (steady.h). Packets are counted over the measured time. */
struct cm_traffic_steady {
    enum cm_verdict verdict;
    enum cm_steady_reason reason;
    enum cm_verdict measured_verdict; /* as if the bound were unknown */
    double latency_interval;          /* half widths of 95 % intervals: of the mean latency, ... */
    double throughput_interval;       /* ... and of the words accepted per node and word time */
    double backlog_growth;            /* packets in flight, from the first to the last batch */
    uint64_t created, arrived, in_flight_before, in_flight_after; /* packets */
    uint64_t measure_longer; /* word times of measurement that may decide; 0: decided */
};

/* Latency: word times from the creation of a packet to its arrival. */
struct cm_traffic_latency {
    double mean; /* mean over all measured packets */
    /* latencies that half, 99 % and all of the packets do not exceed */
    uint64_t p50, p99, max;
    /* mean parts of the latency in word times, which add up to the mean */
    double queueing, header, body;
};

/* Resource that limits the rate. */
enum cm_bound_kind {
    CM_BOUND_INJECTION, /* a node's sending */
    CM_BOUND_WIRE,      /* a wire of a node in a dimension */
    CM_BOUND_CUT,       /* all wires of a dimension in one direction */
    CM_BOUND_NODE,      /* all wires into a node */
};

/* Bound of a pattern's rate, and its means without load (bound.h). */
struct cm_traffic_bound {
    double rate; /* words per node and word time */
    enum cm_bound_kind kind;
    uint32_t node, dimension, channel; /* of the wire. A cut has a dimension, a node its number */
    double zero_load_latency;          /* mean word times of a packet that nothing blocks */
    double mean_hops;
};

/* Result of the traffic. */
struct cm_traffic_result {
    struct cm_router_result router;    /* result of the router's run */
    struct cm_traffic_latency latency; /* latency of the measured packets */
    uint64_t measured;                 /* number of measured packets */
    /* packets in order of sending, for the caller to free. NULL: none kept */
    struct cm_router_delivery *packets;
    uint64_t packet_count;           /* number of packets */
    double throughput;               /* words accepted per node and word time while measuring */
    bool saturated;                  /* open loop: True if the verdict is "not steady" */
    struct cm_traffic_bound bound;   /* open loop: the bound of the pattern */
    struct cm_traffic_steady steady; /* open loop: the judgement */
};

/* Runs the task on a router that was made for task->router. The caller may ask the router for its
 * channels afterwards. */
CM_API enum cm_status cm_traffic_send(struct cm_router *router, const struct cm_traffic_task *task,
                                      struct cm_traffic_result *result, struct cm_error *err);

CM_END_DECLS

#endif
