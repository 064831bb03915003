/* Packets of the router: their positions at a cycle, their numbers over time, the matrix of sources
 * and destinations, and the chain of packets that blocked a packet. */
#ifndef CM_VIZ_MODEL_PACKETS_H
#define CM_VIZ_MODEL_PACKETS_H

#include "../../trace/why.h"
#include "model.h"

/* Packet in flight at a cycle. */
struct cm_view_message {
    uint64_t packet;
    const struct cm_trace_packet *recorded;
    /* channel that the packet crosses. CM_TRACE_NONE: the packet crosses no channel */
    uint32_t channel;
    double part;   /* fraction of the packet that has crossed, 0 to 1 */
    bool waits;    /* true if the packet waits at `node`, since cycle `since` */
    uint32_t node; /* node at which the packet waits, or node from which it comes */
    /* channel for which the packet waits. CM_TRACE_NONE: it waits for no channel */
    uint32_t wanted_channel;
    uint64_t since;
    uint64_t blocked_by; /* packet that holds the wanted channel. UINT64_MAX: no packet holds it */
};

struct cm_view_traffic {
    CM_LIST(struct cm_view_message) messages;
    uint32_t *queue; /* number of packets that wait at each node */
    uint32_t waiting, longest;
};
/* Returns the packets in flight at a cycle. Returns NULL if the run has no packets, or if memory
 * ran out. */
const struct cm_view_traffic *cm_view_traffic(const struct cm_view_run *run, uint64_t cycle);

/* Number of packets that are in flight, that wait and that have arrived, at a cycle. The resolution
 * is one word time of the router or coarser. */
struct cm_view_counts {
    uint32_t in_flight, waiting, arrived;
};
struct cm_view_counts cm_view_count_packets(const struct cm_view_run *run, uint64_t cycle);
/* Returns the largest number of packets in flight, waiting and arrived, each over the whole run. */
struct cm_view_counts cm_view_most_packets(const struct cm_view_run *run);

/* Finds those packets in flight in an interval that waited longest, with the longest wait first.
 * Returns the number of packets found, at most CM_VIEW_LONGEST. */
#define CM_VIEW_LONGEST 8u
uint32_t cm_view_longest_waits(const struct cm_view_run *run, uint64_t first, uint64_t end,
                               const uint64_t **packets);

/* Returns the chain of waits (trace/why.h) of a packet at a cycle, or of the instruction at the
 * cycle if `packet` is UINT64_MAX. Returns NULL if there is no chain. */
const struct cm_why *cm_view_chain(const struct cm_view_run *run, uint64_t packet, uint64_t cycle);

/* Matrix with a row for each source node and a column for each destination node. In runs of more
 * than CM_VIEW_MATRIX_SIDE nodes, several nodes share a row. A cell is computed from the packets in
 * flight within an interval. In a run without packets, it is the number of words that exchanges
 * send to neighbours, without hidden dimensions. */
#define CM_VIEW_MATRIX_SIDE 256u
struct cm_view_matrix {
    uint32_t side; /* number of rows and of columns. 0: memory ran out */
    const double *cells, *counts;
    double most;
};
struct cm_view_matrix cm_view_matrix(const struct cm_view_run *run, uint64_t first, uint64_t end,
                                     uint32_t hidden_dimensions, enum cm_view_quantity quantity);

struct cm_view_packets; /* answers about a run's packets, stored by the model */
struct cm_view_packets *cm_view_packets_create(const struct cm_trace *trace);
/* frees the stored answers, which may be NULL */
void cm_view_packets_free(struct cm_view_packets *packets);
bool cm_view_packets_failed(const struct cm_view_packets *packets);

#endif
