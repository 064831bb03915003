/*
 * This folder studies messages between nodes, without a computation around them. It runs the steps
 * "shift" (circular shifts of the textbook, by plans or by the router) and "route" (traffic
 * patterns through the router), and reports what the channels did. The textbook is Grama et al.
 *
 * The data of the folder:
 *
 *   circular shift  a plan: runs of equal steps between cube neighbours (circular.h)
 *   pattern         a rule for the destination of each source (pattern.h)
 *   traffic         the packets of a pattern, as one batch or at a rate (traffic.h)
 *   cargo           the words in packets: blocks of an array, or generated words (cargo.c)
 *   report          what a step did, for people and programs (below)
 *   survey          the costs of all methods of a circular shift, without data (survey.h)
 *
 * Invariants:
 *
 *   - In a step of a plan no channel carries two messages.
 *   - Words that arrive are compared with the words sent, unless the run has no data or no check.
 *   - Traffic follows from the step and its seed. It does not depend on the router or on threads.
 *
 * Files: circular.c and circular_table.c (plans and their tables), network_compile.c (the IMP of a
 * plan), network_run.c (preparing and running steps), network_route.c (runs of the router),
 * network_rate.c (longer runs and replications), network_report.c and network_report_rate.c
 * (reports), network_csv.c (tables), pattern.c, traffic.c, latency.c (means and quantiles),
 * batches.c (counts of a measurement), warmup.c (its start), bound.c (bounds of rates), steady.c
 * (verdicts), confidence.c (intervals), failures.c (failed channels), list.c and network_list.c
 * (lists of packets and flows), streams.c (sources with different rates, and bursts),
 * traffic_messages.c (messages of several packets), cargo.c, survey.c.
 */
#ifndef CM_PROGRAMS_NETWORK_NETWORK_H
#define CM_PROGRAMS_NETWORK_NETWORK_H

#include "circular.h"
#include "saturation.h"
#include "traffic.h"

CM_BEGIN_DECLS

/* Largest number of nodes for which tables of messages are printed. */
#define CM_NETWORK_TABLE_NODES_MAX 64u

/* Result of one rate of a step "route" with several rates. */
struct cm_network_point {
    /* rates at which words are offered and accepted, in words per node and word time */
    double offered, accepted;
    struct cm_traffic_latency latency; /* latency of the packets measured at this rate */
    uint64_t measured;                 /* number of measured packets, whose latency counts */
    uint64_t lost;                     /* number of packets lost because of failed channels */
    uint64_t word_times;               /* length of the run at this rate, in word times */
    bool saturated;                    /* true if the verdict is "not steady" */
    struct cm_traffic_bound bound;     /* bound of the rate for the pattern */
    struct cm_traffic_steady steady;   /* judgement whether the network was in a steady state */
    struct cm_traffic_replications replications; /* means over runs with other seeds */
};

/* Report of a step shift or route. */
struct cm_network_report {
    uint32_t nodes;      /* number of nodes of the cube */
    uint32_t dimensions; /* number of dimensions of the cube */
    uint64_t steps;      /* number of steps of the plan. 1 for the router */
    bool timed;          /* True if the times ts, tw and th were given. */
    double time_units;   /* simulated time of the step in the units of ts, tw and th */
    /* value of the textbook's formula in the units of ts, tw and th, for a shift */
    double formula_units;
    char formula[96];         /* textbook's formula, or "" for a route */
    uint32_t path_length_max; /* most channels that one message crosses */
    uint32_t congestion;      /* most messages over one channel in one step */
    uint32_t dilation;        /* most channels that a message crosses in one step */
    uint64_t delivered;       /* number of messages or packets that arrived */
    /* time of the step in word times. A word time is unit_cycles cycles, also for latency and
     * throughput */
    uint64_t word_times;
    uint64_t unit_cycles; /* cycles of an exchange (plan) or of a word on a channel (router) */
    double throughput;    /* throughput in words per node and word time */
    /* latency of the measured packets. Without the router, all messages have the same latency */
    struct cm_traffic_latency latency;
    /* True if the router was used. The members below are set only in this case. */
    bool routed;
    bool open_loop;                /* true if packets were created at a rate, false for one batch */
    bool saturated;                /* open loop: true if the verdict is "not steady" */
    struct cm_traffic_bound bound; /* open loop: bound of the rate for the pattern */
    /* open loop: judgement whether the network was in a steady state */
    struct cm_traffic_steady steady;
    /* open loop: means over runs with other seeds */
    struct cm_traffic_replications replications;
    double offered; /* rate at which words were offered, in words per node and word time */
    /* open loop: wanted half width of the latency's interval, as a share of the mean. 0: no wish */
    double until;
    bool narrow;       /* open loop: true if the interval is as narrow as wanted */
    uint64_t measured; /* number of measured packets, whose latency counts */
    /* number of measured packets that nodes send to themselves, over no channel */
    uint64_t to_self;
    /* number of measured messages if messages may have several packets, or else 0 */
    uint64_t messages;
    struct cm_traffic_latency message_latency; /* latency of the measured messages */
    /* results of several rates. The members above are those of the last rate */
    struct cm_network_point *points;
    uint32_t point_count; /* number of rates that were run */
    uint32_t rate_count;  /* number of rates that were requested. 0: one rate or a batch */
    /* result of a search for saturation. Its `rates` is 0 without a search */
    struct cm_saturation saturation;
    uint64_t sent; /* number of packets that were sent */
    uint64_t lost; /* number of packets lost because of failed channels */
    /* packets that were lost first */
    struct cm_router_loss losses[CM_ROUTER_LOSSES_MAX];
    enum cm_router_end end;          /* how the router's run ended */
    struct cm_router_options router; /* options of the router, completed by the machine */
    /* Counts of each channel over all rates, at [(node * dimensions + dimension) * 2 + channel].
     * NULL: not counted. */
    struct cm_router_channel *channels;
    /* For each channel the number of its row of `blocked`, counted from 1, or 0 if no packet waited
     * for the channel. */
    uint32_t *blocked_rows;
    /* word times that packets waited, at [row * CM_ROUTER_WAYS_MAX + way]. The way is the place
     * from which the blocking packet came, numbered as in cm_router_blocked_by */
    uint64_t *blocked;
    uint32_t blocked_count; /* number of rows of `blocked` */
    /* measured packets in order of sending, up to the limit `keep` */
    struct cm_router_delivery *packets;
    uint64_t packet_count; /* number of packets in `packets` */
    /* figures 4.22 to 4.24 of the textbook as text, for a shift on few nodes, or else NULL */
    char *table;
};

/* Returns whether the run was interrupted and has results to write. The tables then get a column
 * "partial", which says how far the run came. An unfinished rate is left out. */
CM_API bool cm_network_is_partial(const struct cm_network_report *report);

/* Number of channels that cm_network_busiest lists. */
#define CM_NETWORK_BUSIEST 10u

/* Lists the busiest channels, by number of words and then by number of the channel, as indices of
 * `channels`. Returns how many of them carry any words. */
CM_API uint32_t cm_network_busiest(const struct cm_network_report *report,
                                   uint32_t indices[CM_NETWORK_BUSIEST]);

/* Returns the word times that packets waited for the channel at `index` of `channels`, by the way
 * on which the blocking packet came, in the order of cm_router_blocked_by. All times are 0 if no
 * packet waited. */
CM_API const uint64_t *cm_network_blocked_by(const struct cm_network_report *report,
                                             uint32_t index);

/* Write the report for people (summary), and a map of the words by node and dimension (heatmap).
 * The map has at most 64 rows, so a row sums up several nodes if there are more nodes. */
CM_API void cm_network_summary(const struct cm_network_report *report, struct cm_buffer *text);
CM_API void cm_network_heatmap(const struct cm_network_report *report, unsigned style,
                               struct cm_buffer *text);
/* Writes a table in CSV with a header: a line for each channel, or for each rate if there were
 * several rates. */
CM_API void cm_network_csv(const struct cm_network_report *report, struct cm_buffer *text);
/* Writes a table in CSV with a header: a line for each packet, with the parts of its latency. */
CM_API void cm_network_packets_csv(const struct cm_network_report *report, struct cm_buffer *text);

CM_END_DECLS

#endif
