/*
 * Counts of an open-loop measurement. The measured time is divided into equal batches. Row 0 counts
 * what was before, and row i what was in batch i. A flow is the packets of a source. Packets to the
 * hot node of a hot spot are flows of their own, because their ways are fixed. Internal to the
 * library.
 *
 * Invariant: created - lost - arrived over rows 0 to i are the packets in flight at the end of
 * batch i.
 */
#ifndef CM_PROGRAMS_NETWORK_BATCHES_H
#define CM_PROGRAMS_NETWORK_BATCHES_H

#include "traffic.h"
#include "warmup.h"

#define CM_BATCHES     20u
#define CM_BATCH_ROWS  (CM_BATCHES + 1)
#define CM_BATCH_AFTER CM_BATCH_ROWS /* row of a time after the measurement */

/* Arrival that is reported before its time. */
struct cm_early_arrival {
    uint64_t time;
    uint32_t flow;
};

struct cm_batches {
    const struct cm_traffic_task *task;
    struct cm_warmup search;
    uint64_t start, end; /* word times of the measurement, valid once `search` is over */
    double scale;        /* batches per word time */
    uint32_t nodes, flows;
    uint64_t created[CM_BATCH_ROWS], arrived[CM_BATCH_ROWS]; /* packets */
    uint64_t lost[CM_BATCH_ROWS]; /* those of `created` that failed channels cut off */
    double latency[CM_BATCHES];   /* sums over packets that were created in a batch ... */
    double counted[CM_BATCHES];   /* ... and have arrived */
    double packet_times; /* packets in flight, summed up over the word times of the measurement */
    int32_t *changes;    /* packets in flight by row and flow: [row * flows + flow] */
    uint32_t *accepted;  /* packets of each source that arrived during the measurement */
    struct {
        struct cm_early_arrival *items;
        uint32_t count, capacity;
        bool failed;
    } early; /* arrivals after the end of the warm-up, while it is still searched */
};

/* Prepares the counts. Fails with CM_NO_MEMORY. */
enum cm_status cm_batches_begin(struct cm_batches *batches, const struct cm_traffic_task *task,
                                struct cm_error *err);
void cm_batches_finish(struct cm_batches *batches);

/* Lets the search for the warm-up's end decide, when the first packet after it is created. */
void cm_batches_search(struct cm_batches *batches, uint64_t time);

/* Counts a packet that is created, in order of time. Returns whether it is measured. */
bool cm_batches_create(struct cm_batches *batches, const struct cm_router_packet *packet);
/* Counts the packet that was created last as lost. Returns whether it would have been measured. */
bool cm_batches_lose(struct cm_batches *batches, const struct cm_router_packet *packet);
/* Counts a packet that arrives. Returns whether it is measured. */
bool cm_batches_arrive(struct cm_batches *batches, const struct cm_router_delivery *delivery);

#endif
