/*
 * A pattern of traffic sent through the router: one batch (every node sends its packet, or packets,
 * at word time 0), or open loop (packets are created at a rate, however many are still under way),
 * and what is measured.
 */
#ifndef CM_PROGRAMS_NETWORK_TRAFFIC_H
#define CM_PROGRAMS_NETWORK_TRAFFIC_H

#include "pattern.h"

CM_BEGIN_DECLS

/* Traffic for the router: all packets at once, or at a rate. */
struct cm_traffic_task {
    struct cm_router_options router;     /* the network that it is for */
    enum cm_pattern pattern;             /* who sends to whom */
    uint32_t by;                         /* shift */
    uint32_t hot_node;                   /* hot-spot */
    uint64_t seed;                       /* of everything that is drawn */
    const struct cm_router_packet *list; /* list: ordered by time */
    uint64_t list_count;                 /* packets in `list` */
    double rate;      /* words per node and word time, 0 < rate <= 1; 0: a batch */
    uint64_t warmup;  /* word times before latencies count */
    uint64_t measure; /* word times during which the packets whose latency counts are created */
    uint64_t keep;    /* at most so many measured packets are kept in the result */
    uint64_t rounds;  /* batch of a permutation: packets that each sender sends; 0: one */
    bool (*stop)(void *context); /* asked now and then; true: end the run; NULL: never */
    /* called now and then with the packets of a batch that have arrived; or NULL */
    void (*progress)(void *context, const char *unit, uint64_t done, uint64_t total);
    void *stop_context; /* its argument */
    /* Called for the payload of each packet as it is sent (UINT32_MAX: out of memory), and on its
     * arrival; NULL: not called. */
    uint32_t (*load)(void *cargo, const struct cm_router_packet *packet, uint64_t serial);
    /* likewise, on arrival */
    void (*unload)(void *cargo, const struct cm_router_delivery *delivery);
    void *cargo;                        /* argument of both */
    const struct cm_observer *observer; /* NULL: none */
};

/* Word times from the creation of a packet to its arrival. */
struct cm_traffic_latency {
    double mean;                   /* over all measured packets */
    uint64_t p50, p99, max;        /* half, 99 % and all of them took no longer */
    double queueing, header, body; /* means, word times; they add up to the mean */
};

/* What the router did with the traffic. */
struct cm_traffic_result {
    struct cm_router_result router;     /* how the run went */
    struct cm_traffic_latency latency;  /* of the measured packets */
    uint64_t measured;                  /* packets */
    struct cm_router_delivery *packets; /* in order of sending; free() them; NULL: none kept */
    uint64_t packet_count;              /* in `packets` */
    double throughput;                  /* words taken in per node and word time, while measuring */
    bool saturated; /* open loop: the network takes in less than it is offered */
};

/* Runs the task on a router made for task->router (which the caller may ask for its channels
 * afterwards). */
CM_API enum cm_status cm_traffic_send(struct cm_router *router, const struct cm_traffic_task *task,
                                      struct cm_traffic_result *result, struct cm_error *err);

CM_END_DECLS

#endif
