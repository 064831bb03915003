/* What the steps "shift" and "route" report besides the common part of a result: the traffic on the
 * network. */
#ifndef CM_PROGRAMS_NETWORK_NETWORK_H
#define CM_PROGRAMS_NETWORK_NETWORK_H

#include "circular.h"
#include "traffic.h"

CM_BEGIN_DECLS

/* Tables of more nodes are not for reading. */
#define CM_NETWORK_TABLE_NODES_MAX 64u

/* The result of one rate of a sweep. */
struct cm_network_point {
    double offered, accepted;          /* words a node and word time */
    struct cm_traffic_latency latency; /* of the packets measured at this rate */
    uint64_t measured;                 /* packets whose latency counts */
    uint64_t word_times;               /* that this rate ran */
    bool saturated;                    /* the network took in less than was offered */
};

/* What a step shift or route of a workload did. */
struct cm_network_report {
    uint32_t nodes;           /* of the cube that it was laid on */
    uint32_t dimensions;      /* of that cube */
    uint64_t steps;           /* of the plan; 1 for the router */
    bool timed;               /* ts, tw, th were given */
    double time_units;        /* by ts, tw and th, as simulated */
    double formula_units;     /* the textbook's formula, evaluated in these units; timed shifts */
    char formula[96];         /* "" for route */
    uint32_t path_length_max; /* channels that one message crosses, at most */
    uint32_t congestion;      /* most messages over one channel, in one step */
    uint32_t dilation;        /* channels that a message crosses in one step, at most */
    uint64_t delivered;       /* messages or packets */
    uint64_t word_times;      /* in units of unit_cycles, as are latency and throughput */
    uint64_t unit_cycles;     /* of a plan: of an exchange; of the router: of a word on a channel */
    double throughput;        /* words a node and word time */
    struct cm_traffic_latency latency; /* of the packets measured; of a plan all are the same */
    bool routed;                       /* by the router; what follows is set only then */
    bool open_loop;                    /* packets at a rate; false: one batch */
    bool saturated;                    /* open loop: the network took in less than was offered */
    double offered;                    /* words a node and word time */
    struct cm_network_point *points;   /* of several rates; what is above is the last one's */
    uint32_t point_count;              /* how many rates were run */
    uint32_t rate_count;               /* that were asked for; 0: not several */
    uint64_t sent;                     /* packets */
    enum cm_router_end end;            /* how the router's run ended */
    struct cm_router_options router;   /* as it ran */
    /* [(node * dimensions + dimension) * 2 + channel]; over all rates; NULL: none */
    struct cm_router_channel *channels;
    /* a channel each: 0, or the row of `blocked`, from 1, of one that was waited for */
    uint32_t *blocked_rows;
    uint64_t *blocked;      /* [row * CM_ROUTER_WAYS_MAX + way], as cm_router_blocked_by */
    uint32_t blocked_count; /* rows of `blocked` */
    struct cm_router_delivery *packets; /* those measured, in order of sending, as far as kept */
    uint64_t packet_count;              /* in `packets` */
    char *table; /* figures 4.22 to 4.24; NULL but for a shift on few nodes */
};

/* Whether the run was stopped, and there is something of it to write: the tables get a column
 * "partial" that says how far it came. A rate that was not ended is left out. */
CM_API bool cm_network_is_partial(const struct cm_network_report *report);

/* How many channels cm_network_busiest lists. */
#define CM_NETWORK_BUSIEST 10u

/* The busiest channels (by words, then by number) as indices of `channels`; returns how many carry
 * anything. */
CM_API uint32_t cm_network_busiest(const struct cm_network_report *report,
                                   uint32_t indices[CM_NETWORK_BUSIEST]);

/* Behind whom packets waited for channel `index`, as cm_router_blocked_by tells it; zeros where
 * none waited. */
CM_API const uint64_t *cm_network_blocked_by(const struct cm_network_report *report,
                                             uint32_t index);

/* For people: the report, and a map of words by node and dimension (at most 64 rows, nodes summed
 * up where more). */
CM_API void cm_network_summary(const struct cm_network_report *report, struct cm_buffer *text);
CM_API void cm_network_heatmap(const struct cm_network_report *report, unsigned style,
                               struct cm_buffer *text);
/* One line a channel, or, when there were several rates, one line a rate; with a header. */
CM_API void cm_network_csv(const struct cm_network_report *report, struct cm_buffer *text);
/* One line a packet, with the split of its latency, with a header. */
CM_API void cm_network_packets_csv(const struct cm_network_report *report, struct cm_buffer *text);

CM_END_DECLS

#endif
