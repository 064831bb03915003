/*
 * Bounds of open-loop traffic that follow from the pattern alone, without a run. No network carries
 * more than its busiest wire can, so a rate above the bound has no steady state. A rate at the
 * bound has none either if packets are created at random, because queues then grow without limit.
 * The bound is exact for fixed destinations. For random destinations the loads are expectations.
 *
 *   e-cube     load of each wire, with all channels of its dimension
 *   Valiant    load of each channel: the way to the random node takes channel 0, the way on takes
 *              channel 1, and a single channel carries both
 *   adaptive   cuts: the wires of a dimension in one direction, and the wires into the hot node
 *
 * A node sends one word in a word time at most, which bounds every pattern by 1. Packets of a node
 * to itself cross no wire and load nothing.
 */
#ifndef CM_PROGRAMS_NETWORK_BOUND_H
#define CM_PROGRAMS_NETWORK_BOUND_H

#include "../../base/error.h"

#include <stdbool.h>

CM_BEGIN_DECLS

struct cm_traffic_task;

/* Resource that limits the rate. */
enum cm_traffic_bound_kind {
    CM_TRAFFIC_BOUND_INJECTION, /* the link of a node into the network */
    CM_TRAFFIC_BOUND_WIRE,      /* wire of a node in a dimension */
    CM_TRAFFIC_BOUND_CUT,       /* all wires of a dimension in one direction */
    CM_TRAFFIC_BOUND_NODE,      /* all wires into a node */
};

/* Bound of a pattern's rate, and means over its packets without load. */
struct cm_traffic_bound {
    double rate; /* words per node and word time. 0: unknown */
    enum cm_traffic_bound_kind kind;
    uint32_t node, dimension, channel; /* of the wire. A cut has a dimension, a node its number */
    double zero_load_latency;          /* mean latency in word times if nothing blocks a packet */
    double mean_hops;                  /* mean number of channels that a packet crosses */
};

/* Computes the bound of a task's pattern. A list has times of its own, and
 * packets that failed channels cut off load no wire, so there the bound is unknown. Fails with
 * CM_NO_MEMORY. */
CM_API enum cm_status cm_traffic_bound(const struct cm_traffic_task *task,
                                       struct cm_traffic_bound *bound, struct cm_error *err);

/* Returns whether the task's rate has no steady state, because it reaches the bound. */
CM_API bool cm_traffic_reaches(const struct cm_traffic_task *task,
                               const struct cm_traffic_bound *bound);

/* Adds `share` to each wire of e-cube's way, loads[node * dimensions + dimension]. */
void cm_traffic_add_way(const struct cm_traffic_task *task, uint32_t source, uint32_t destination,
                        double share, double *loads);

CM_END_DECLS

#endif
