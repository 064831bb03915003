/*
 * Judgement of an open-loop measurement: whether the network was in a steady state, and how sure
 * the means are. Two questions are answered separately:
 *
 *   bound      a rate that reaches the bound of its pattern has no steady state (bound.h)
 *   measured   what the packets of the measured time show, as if no bound were known
 *
 * The measured time is divided into equal batches. The backlog is the number of packets in flight
 * at the end of a batch. Without a steady state the changes of the backlog have a positive mean, so
 * the backlog grows if Student's t of the changes is large. This is tested for the network, for the
 * worst source, and for the worst wire of packets with fixed paths.
 *
 * A steady backlog returns to its mean. Its range is then small in terms of the range of a random
 * walk with the same changes (rescaled range, Lo, Econometrica 59, 1991).
 *
 * If neither test gives an answer, the network is not decided. After 200,000 packet times the first
 * test alone decides, because the doubt then concerns less than a percent of the rate.
 */
#ifndef CM_PROGRAMS_NETWORK_STEADY_H
#define CM_PROGRAMS_NETWORK_STEADY_H

#include <stdbool.h>
#include <stdint.h>

/* Answer to the question whether the traffic was in a steady state. */
enum cm_verdict { CM_VERDICT_STEADY, CM_VERDICT_NOT_STEADY, CM_VERDICT_NOT_DECIDED };

/* Reason of a verdict about the steady state. */
enum cm_steady_reason {
    CM_STEADY_NO_REASON,
    CM_STEADY_BOUND, /* the rate reaches the bound of the pattern */
    /* measured packets arrived too late, or did not arrive before the limit */
    CM_STEADY_OUTSTANDING,
    CM_STEADY_LIMIT,       /* the limit ended the run before a verdict was clear */
    CM_STEADY_BACKLOG,     /* more and more packets were in flight in the network */
    CM_STEADY_SOURCE,      /* more and more packets of one node were in flight */
    CM_STEADY_WIRE,        /* more and more packets for one wire were in flight */
    CM_STEADY_WARMUP,      /* the number of packets in flight was still settling */
    CM_STEADY_WANDERS,     /* the number of packets in flight wandered without a clear mean */
    CM_STEADY_DRIFT,       /* latencies grew from the first to the second half */
    CM_STEADY_BUSY,        /* a wire or the link of a node was nearly always busy */
    CM_STEADY_FEW_PACKETS, /* some batch had no packet */
    CM_STEADY_SEEDS,       /* runs with other seeds had another verdict */
};

/* Half widths of 95 % intervals, in the unit of the mean. Negative: unknown. */
struct cm_traffic_intervals {
    double latency; /* half width of the mean latency's interval, in word times */
    /* half width of the throughput's interval, in words per node and word time */
    double throughput;
};

/* Numbers of packets of the measured time. before + created equals delivered + lost + after. */
struct cm_traffic_balance {
    uint64_t before, after;            /* in flight before and after the measured time */
    uint64_t created, delivered, lost; /* during the measured time */
    double mean;                       /* mean number of packets in flight */
};

/* Judgement of open-loop traffic. */
struct cm_traffic_steady {
    enum cm_verdict verdict;          /* verdict, from the bound and the measurement */
    enum cm_steady_reason reason;     /* reason of the verdict */
    enum cm_verdict measured_verdict; /* verdict from the measurement, without use of the bound */
    enum cm_steady_reason measured_reason; /* reason of the measured verdict */
    /* Node and dimension of the wire or source that is the reason of the verdict, or else of the
     * busiest wire. */
    uint32_t node, dimension;
    /* True if `node` and `dimension` name a wire. False if they name a source, or if the cube has
     * no dimensions. */
    bool has_dimension;
    double busy; /* share of time in which the busiest wire was busy */
    /* growth of the number of packets in flight, from the start to the end of the measurement */
    double growth;
    uint64_t warmup, measure; /* lengths of the warm-up and of the measurement, in word times */
    /* length, in word times, of a measurement that could give a certain verdict. 0: the verdict is
     * certain */
    uint64_t measure_longer;
    struct cm_traffic_balance balance;     /* packets of the measured time */
    struct cm_traffic_intervals intervals; /* intervals of the means */
    /* words per word time sent by the node that sent least, and by the node that sent most */
    double least, most;
};

/* Means over runs that differ in their seeds, and intervals by Student's t of the runs' means. */
struct cm_traffic_replications {
    uint32_t seeds;              /* number of runs with different seeds. 0: no replications */
    uint32_t steady, not_steady; /* number of runs with the verdicts steady and not steady */
    double latency, throughput;  /* means of the runs' means */
    struct cm_traffic_intervals intervals; /* intervals of both means */
};

#endif
