/* Packets of the router at a cycle, over time, and by who sends to whom; and the chain of what was
 * in the way of one. */
#ifndef CM_VIZ_MODEL_PACKETS_H
#define CM_VIZ_MODEL_PACKETS_H

#include "../../trace/why.h"
#include "model.h"

/* A packet that is under way. */
struct cm_view_message {
    uint64_t packet;
    const struct cm_trace_packet *recorded;
    uint32_t channel;        /* that it crosses; CM_TRACE_NONE: none */
    double part;             /* how much of it has crossed */
    bool waits;              /* at `node`, since `since` ... */
    uint32_t node;           /* (the node that it comes from, when it does not wait) */
    uint32_t wanted_channel; /* ... for this channel; CM_TRACE_NONE: it never gets one */
    uint64_t since;
    uint64_t blocked_by; /* the packet that it waits for; UINT64_MAX: none */
};

struct cm_view_traffic {
    CM_LIST(struct cm_view_message) messages;
    uint32_t *queue; /* of each node: packets that wait there */
    uint32_t waiting, longest;
};
/* At a cycle; NULL: the run has no packets, or memory ran out. */
const struct cm_view_traffic *cm_view_traffic(const struct cm_view_run *run, uint64_t cycle);

/* How many packets are under way, wait, or have arrived, at a cycle, to the word time. */
struct cm_view_counts {
    uint32_t under_way, waiting, arrived;
};
struct cm_view_counts cm_view_count_packets(const struct cm_view_run *run, uint64_t cycle);
/* The most at any time. */
struct cm_view_counts cm_view_most_packets(const struct cm_view_run *run);

/* The packets that waited longest of those under way in an interval, in falling order; returns how
 * many waited, at most CM_VIEW_LONGEST. */
#define CM_VIEW_LONGEST 8u
uint32_t cm_view_longest_waits(const struct cm_view_run *run, uint64_t first, uint64_t end,
                               const uint64_t **packets);

/* The chain that ends with a packet (UINT64_MAX: with the instruction) at a cycle; NULL: none. */
const struct cm_why *cm_view_chain(const struct cm_view_run *run, uint64_t packet, uint64_t cycle);

/* By source, a row each, and destination; of more than CM_VIEW_MATRIX_SIDE nodes several share one.
 * Of packets under way within an interval; without packets, of the words that exchanges send to
 * neighbours over dimensions that are not hidden. */
#define CM_VIEW_MATRIX_SIDE 256u
struct cm_view_matrix {
    uint32_t side; /* 0: memory ran out */
    const double *cells, *counts;
    double most;
};
struct cm_view_matrix cm_view_matrix(const struct cm_view_run *run, uint64_t first, uint64_t end,
                                     uint32_t hidden_dimensions, enum cm_view_quantity quantity);

struct cm_view_packets; /* what is kept of a run's packets */
struct cm_view_packets *cm_view_packets_create(const struct cm_trace *trace);
void cm_view_packets_free(struct cm_view_packets *packets); /* NULL is taken */
bool cm_view_packets_failed(const struct cm_view_packets *packets);

#endif
