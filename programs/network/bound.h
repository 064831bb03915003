/*
 * Bounds of open-loop traffic that follow from the pattern alone, without a run. No network carries
 * more than its busiest wire can, so a rate above the bound has no steady state. The expectation is
 * exact for patterns with fixed destinations, and over the draws for random ones.
 *
 *   e-cube     load of each wire, of as many channels as a dimension has
 *   Valiant    load of each channel: the way to the random node has channel 0, the way on from it
 *              channel 1 (channel 0, too, if there is one alone)
 *   adaptive   cuts: the wires of a dimension in one direction, and those into a node
 *
 * A node sends one word in a word time at most, which bounds every pattern by 1.
 */
#ifndef CM_PROGRAMS_NETWORK_BOUND_H
#define CM_PROGRAMS_NETWORK_BOUND_H

#include "traffic.h"

/* Computes the bound of a pattern at a rate. Fails with CM_NO_MEMORY. A list has no bound: its rate
 * is 0. */
enum cm_status cm_traffic_bound(const struct cm_traffic_task *task, struct cm_traffic_bound *bound,
                                struct cm_error *err);

#endif
