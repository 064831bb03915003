/*
 * Judgement of an open-loop measurement: whether the network was in a steady state, and how sure
 * the means are. The measured time is divided into equal batches. Each batch counts the packets
 * created and arrived in it, and sums the latencies of the packets created in it.
 *
 * Method: batch means (Law, Simulation Modeling and Analysis, 9.5.3) with Student's t for the
 * interval, widened by the first autocorrelation of the batches. The backlog is the number of
 * packets in flight at the ends of batches. A steady network has a backlog without a trend.
 */
#ifndef CM_PROGRAMS_NETWORK_STEADY_H
#define CM_PROGRAMS_NETWORK_STEADY_H

#include "bound.h"

/* Counts of a measurement, which the sender of the traffic fills. */
struct cm_batches {
    uint64_t created_before, arrived_before; /* packets of the warm-up */
    uint64_t created[CM_TRAFFIC_BATCHES], arrived[CM_TRAFFIC_BATCHES];
    double latency[CM_TRAFFIC_BATCHES]; /* sums over the packets created in a batch */
    uint64_t count[CM_TRAFFIC_BATCHES]; /* of these packets, the ones that have arrived */
};

/* Returns the batch of a word time within the measurement. */
uint32_t cm_batch_of(const struct cm_traffic_task *task, uint64_t time);

/* Fills in the judgement, the intervals and the balance of packets. `ended` is false if the run was
 * given up before all measured packets arrived. */
void cm_steady_judge(const struct cm_traffic_task *task, const struct cm_traffic_bound *bound,
                     const struct cm_batches *batches, bool ended,
                     struct cm_traffic_steady *steady);

#endif
