/*
 * Counts of an open-loop measurement. The measured time is divided into equal batches. Row 0 counts
 * what was before the measured time, and row i what was in batch i. A flow is the packets of a
 * source. If the pattern hot-spot has a single hot node, the packets of a source to this node are
 * another flow, because their paths are fixed. This header is internal to the library.
 *
 * Invariant: created - lost - arrived, summed over rows 0 to i, is the number of packets in flight
 * at the end of batch i.
 */
#ifndef CM_PROGRAMS_NETWORK_BATCHES_H
#define CM_PROGRAMS_NETWORK_BATCHES_H

#include "traffic.h"
#include "warmup.h"

#define CM_BATCHES    20u
#define CM_BATCH_ROWS (CM_BATCHES + 1)
/* returned instead of a row number for a time after the measurement */
#define CM_BATCH_AFTER CM_BATCH_ROWS

/* Arrival of a packet that the router reports while the search for the end of the warm-up still
 * goes on. */
struct cm_early_arrival {
    uint64_t time;
    uint32_t flow;
};

struct cm_batches {
    const struct cm_traffic_task *task;
    struct cm_warmup search;
    /* first word time of the measurement, and the word time after its last one. Valid once the
     * search for the end of the warm-up is over */
    uint64_t start, end;
    double scale; /* number of batches per word time */
    uint32_t nodes, flows;
    /* numbers of packets that were created and that arrived, by row */
    uint64_t created[CM_BATCH_ROWS], arrived[CM_BATCH_ROWS];
    /* numbers of created packets that were lost because of failed channels, by row */
    uint64_t lost[CM_BATCH_ROWS];
    /* sums of latencies, in word times, of packets that have arrived, by batch of creation */
    double latency[CM_BATCHES];
    double counted[CM_BATCHES]; /* numbers of packets that have arrived, by batch of creation */
    /* number of packets in flight, summed over the word times of the measurement */
    double packet_times;
    /* by row and flow, at [row * flows + flow]: change of the number of the flow's packets in
     * flight */
    int32_t *changes;
    uint32_t *accepted; /* number of packets of each source that arrived during the measurement */
    struct {
        struct cm_early_arrival *items;
        uint32_t count, capacity;
        bool failed;
    } early; /* arrivals after the present end of the warm-up, while this end is not final */
};

/* Prepares the counts of a measurement. Fails with CM_NO_MEMORY. */
enum cm_status cm_batches_begin(struct cm_batches *batches, const struct cm_traffic_task *task,
                                struct cm_error *err);
void cm_batches_finish(struct cm_batches *batches);

/* Decides whether the warm-up is over, if the word time `time` has reached the present end of the
 * warm-up. Called before the packet that is created at this time is counted. */
void cm_batches_search(struct cm_batches *batches, uint64_t time);

/* Counts a packet that is created. Packets must be counted in order of time. Returns whether the
 * packet is measured. */
bool cm_batches_create(struct cm_batches *batches, const struct cm_router_packet *packet);
/* Counts the packet that was created last as lost because of failed channels. Returns true if the
 * packet would have been measured. */
bool cm_batches_lose(struct cm_batches *batches, const struct cm_router_packet *packet);
/* Counts a packet that arrives. Returns whether the packet is measured. */
bool cm_batches_arrive(struct cm_batches *batches, const struct cm_router_delivery *delivery);

#endif
