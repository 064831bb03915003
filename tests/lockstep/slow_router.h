/*
 * The router as it is described in sim/router/router.h, done in the plainest way: every word time,
 * every channel and every word are looked at. It shares no code with the fast one, only the types
 * of options and results.
 */
#ifndef CM_TESTS_LOCKSTEP_SLOW_ROUTER_H
#define CM_TESTS_LOCKSTEP_SLOW_ROUTER_H

#include "../../sim/router/router.h"

#define SLOW_NODES_MAX      32
#define SLOW_DIMENSIONS_MAX 5
#define SLOW_OUTS_MAX       10 /* 5 dimensions, 2 channels */
#define SLOW_PACKETS_MAX    256
#define SLOW_HOPS_MAX       10

struct slow_packet {
    struct cm_router_packet order; /* what to send */
    bool delivered;
    bool lost; /* failed channels cut it off */
    uint64_t arrived;
    uint32_t hops;
};

struct slow_channel {
    uint32_t packets;
    uint64_t blocked;
    uint64_t blocked_room;
    uint64_t blocked_by[SLOW_DIMENSIONS_MAX + 1]; /* last: by packets of the node itself */
    uint32_t longest_queue;
    uint64_t longest_wait;
};

struct slow_outcome {
    bool stuck;     /* packets are left that will never move */
    uint64_t ended; /* word time */
    struct slow_channel channels[SLOW_NODES_MAX][SLOW_OUTS_MAX];
};

/* Sends packets[0 .. count), ordered by time, and fills in what became of them. */
void slow_router_run(const struct cm_router_options *options, struct slow_packet *packets,
                     uint32_t count, struct slow_outcome *outcome);

#endif
