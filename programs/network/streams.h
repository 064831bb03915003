/*
 * Streams of messages at random times, for traffic whose sources differ or send in bursts. A stream
 * is a node, or a flow of the pattern flows. It creates a message in each word time with the same
 * probability, or, in bursts, only while it is on. Periods on and off have geometric lengths. Each
 * stream has random numbers of its own. Internal to the library.
 */
#ifndef CM_PROGRAMS_NETWORK_STREAMS_H
#define CM_PROGRAMS_NETWORK_STREAMS_H

#include "traffic.h"

struct cm_stream {
    uint64_t next;      /* word time of the next message */
    uint64_t until;     /* word time when the period of the next message ends */
    uint64_t random;    /* state of the random numbers */
    double probability; /* of a message in a word time of a period on */
};

struct cm_streams {
    struct cm_stream *items;
    uint32_t *heap; /* streams, of which those at 2i + 1 and 2i + 2 are not before the one at i */
    uint32_t count;
    double on, off; /* mean lengths of periods in word times. 0: always on */
};

/* Returns the share of the pattern hot-spot's packets that is drawn to go to hot nodes. */
double cm_traffic_hot_share(const struct cm_traffic_task *task);
/* Returns the mean number of packets in a message of the task's sizes, or 1 without sizes. */
double cm_traffic_mean_packets(const struct cm_traffic_task *task);
/* Returns the number of packets of a message of some words. */
uint32_t cm_traffic_packets_of(const struct cm_traffic_task *task, uint32_t words);
/* Returns whether the task needs streams. */
bool cm_streams_needed(const struct cm_traffic_task *task);
/* Prepares the task's streams. Fails with CM_BAD_INPUT if a stream would create more than a message
 * in a word time of a burst, and with CM_NO_MEMORY. Without bursts such a flow creates one message
 * in each word time, which is more than its node can send. */
enum cm_status cm_streams_begin(struct cm_streams *streams, const struct cm_traffic_task *task,
                                struct cm_error *err);
void cm_streams_finish(struct cm_streams *streams);
/* Returns the stream of the next message, in order of time and then of streams, and its word
 * time. */
uint32_t cm_streams_next(struct cm_streams *streams, uint64_t *time);

#endif
