/* Judgement of batches, for the sender of traffic. Not installed. */
#ifndef CM_PROGRAMS_NETWORK_STEADY_PRIVATE_H
#define CM_PROGRAMS_NETWORK_STEADY_PRIVATE_H

#include "batches.h"
#include "bound.h"
#include "steady.h"

/* Facts about the run that the batches don't have. */
struct cm_steady_run {
    bool cut;                 /* true if the run ended before all measured packets arrived */
    uint64_t word_times;      /* length of the run */
    uint32_t node, dimension; /* busiest wire, and the share of time in which it was busy */
    double busy;
};

/* Fills in the judgement. Fails with CM_NO_MEMORY. */
enum cm_status cm_steady_judge(const struct cm_batches *batches,
                               const struct cm_traffic_bound *bound,
                               const struct cm_steady_run *run, struct cm_traffic_steady *steady,
                               struct cm_error *err);

/* Way in which a series of backlogs, at equal distances, changes. */
struct cm_steady_trend {
    double growth;   /* from the first to the last */
    double t;        /* Student's t of the changes */
    double range;    /* of the series, in terms of a random walk's deviation */
    double power;    /* exponent of the growth, as a power of the time since the run began */
    double straight; /* growth of the second half divided by growth of the first half */
};
struct cm_steady_trend cm_steady_trend_of(const double points[CM_BATCH_ROWS], double before,
                                          double length);

#endif
