/* Means and quantiles of latencies. This header is internal to the library. */
#ifndef CM_PROGRAMS_NETWORK_LATENCY_H
#define CM_PROGRAMS_NETWORK_LATENCY_H

#include "traffic.h"

/* Sorts `count` latencies, at least one, in word times, and sets the mean, the quantiles and the
 * maximum of *latency. Returns the sum of the latencies. */
uint64_t cm_latency_summarise(uint64_t *latencies, uint64_t count,
                              struct cm_traffic_latency *latency);

#endif
