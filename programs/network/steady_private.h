/* Judgement of the batches of a measurement, for the sender of traffic (traffic.c). This header is
 * not installed. */
#ifndef CM_PROGRAMS_NETWORK_STEADY_PRIVATE_H
#define CM_PROGRAMS_NETWORK_STEADY_PRIVATE_H

#include "batches.h"
#include "bound.h"
#include "steady.h"

/* Facts about the run that the counts of the batches don't have. */
struct cm_steady_run {
    bool cut;                 /* true if the run ended before all measured packets arrived */
    uint64_t word_times;      /* length of the run in word times */
    uint32_t node, dimension; /* busiest wire, and the share of time in which it was busy */
    double busy;
};

/* Fills in the judgement of a measurement. Fails with CM_NO_MEMORY. */
enum cm_status cm_steady_judge(const struct cm_batches *batches,
                               const struct cm_traffic_bound *bound,
                               const struct cm_steady_run *run, struct cm_traffic_steady *steady,
                               struct cm_error *err);

/* How a series of backlogs, at equal distances in time, changes. */
struct cm_steady_trend {
    /* change of the backlog from the first point of the series to the last, in packets */
    double growth;
    double t;     /* Student's t of the changes between neighbouring points */
    double range; /* range of the series, divided by the deviation of a random walk */
    /* exponent p, if the backlog grows as the power p of the time since the run began */
    double power;
    /* backlog's growth in the second half of the series, divided by its growth in the first half */
    double straight;
};
struct cm_steady_trend cm_steady_trend_of(const double points[CM_BATCH_ROWS], double before,
                                          double length);

#endif
