/*
 * Bounds of open-loop traffic that follow from the pattern alone, without a run. No network carries
 * more than its busiest wire can, so there is no steady state at a rate above the bound. If packets
 * are created at random, there is no steady state at the bound either, because queues then grow
 * without limit. The bound is exact for fixed destinations. For random destinations the loads are
 * expectations. For each routing the bound comes from:
 *
 *   e-cube     load of each wire, with all channels of its dimension
 *   Valiant    load of each channel: the path to the random node takes channel 0, the path on to
 *              the destination takes channel 1, and a single channel carries both
 *   adaptive   cuts: the wires of a dimension in one direction, and the wires into a node
 *
 * A node sends one word in a word time at most, which bounds every pattern by 1. Packets of a node
 * to itself do not cross a wire and do not load anything.
 */
#ifndef CM_PROGRAMS_NETWORK_BOUND_H
#define CM_PROGRAMS_NETWORK_BOUND_H

#include "../../base/error.h"

#include <stdbool.h>

CM_BEGIN_DECLS

struct cm_traffic_task;

/* Resource of the network that limits the rate. */
enum cm_traffic_bound_kind {
    CM_TRAFFIC_BOUND_INJECTION, /* link from a node into the network */
    CM_TRAFFIC_BOUND_WIRE,      /* wire from a node in one dimension */
    CM_TRAFFIC_BOUND_CUT,       /* all wires of a dimension in one direction */
    CM_TRAFFIC_BOUND_NODE,      /* all wires into one node */
};

/* Bound of a pattern's rate, and means over its packets in an otherwise empty network. */
struct cm_traffic_bound {
    double rate;                     /* rate in words per node and word time. 0: unknown */
    enum cm_traffic_bound_kind kind; /* resource that limits the rate */
    /* place of the limiting resource. For a cut only the dimension is set, and for a node only its
     * number */
    uint32_t node, dimension, channel;
    double zero_load_latency; /* mean latency in word times if packets never block each other */
    double mean_hops;         /* mean number of channels that a packet crosses */
};

/* Computes the bound of the rate for a task's pattern. The bound is unknown for a list, because its
 * packets have times of their own. If channels have failed it is unknown, because lost packets do
 * not load wires. Fails with CM_NO_MEMORY. */
CM_API enum cm_status cm_traffic_bound(const struct cm_traffic_task *task,
                                       struct cm_traffic_bound *bound, struct cm_error *err);

/* Returns whether the rate of the task reaches the bound, so that there is no steady state. */
CM_API bool cm_traffic_reaches(const struct cm_traffic_task *task,
                               const struct cm_traffic_bound *bound);

/* Adds `share` to the load of each wire on the path of a packet by e-cube. The load of a wire is at
 * loads[node * dimensions + dimension]. */
void cm_traffic_add_way(const struct cm_traffic_task *task, uint32_t source, uint32_t destination,
                        double share, double *loads);

CM_END_DECLS

#endif
