/*
 * Streams of messages at random times, for traffic whose sources have different rates or send in
 * bursts. A stream is a node, or a flow of the pattern flows. It creates a message with the
 * same probability in each word time. If a stream has bursts, bursts and pauses alternate, and it
 * creates messages in bursts only. The lengths of bursts and pauses have geometric distributions.
 * Each stream has random numbers of its own. This header is internal to the library.
 */
#ifndef CM_PROGRAMS_NETWORK_STREAMS_H
#define CM_PROGRAMS_NETWORK_STREAMS_H

#include "traffic.h"

struct cm_stream {
    uint64_t next;   /* word time of the next message */
    uint64_t until;  /* end of the burst of the next message, a word time. UINT64_MAX: no bursts */
    uint64_t random; /* state of the stream's random numbers */
    double probability; /* probability of a message in a word time of a burst */
};

struct cm_streams {
    struct cm_stream *items;
    /* heap of stream numbers, ordered by time: the next message of the stream at heap place i comes
     * no later than the next messages of the streams at places 2i + 1 and 2i + 2 */
    uint32_t *heap;
    uint32_t count;
    double on, off; /* mean lengths of bursts and of pauses, in word times. 0: no bursts */
};

/* Returns the share of the packets of the pattern hot-spot that go to hot nodes. */
double cm_traffic_hot_share(const struct cm_traffic_task *task);
/* Returns the mean number of packets of a message over the task's sizes of messages, or 1 if the
 * task has no sizes. */
double cm_traffic_mean_packets(const struct cm_traffic_task *task);
/* Returns the number of packets of a message of `words` words. A message of 0 words is one
 * packet. */
uint32_t cm_traffic_packets_of(const struct cm_traffic_task *task, uint32_t words);
/* Returns true if the traffic needs streams: it has a rate, and bursts or flows. */
bool cm_streams_needed(const struct cm_traffic_task *task);
/* Prepares the streams of a task's messages. Fails with CM_BAD_INPUT if a stream would create more
 * than one message in a word time of a burst, or with CM_NO_MEMORY. Without bursts, a stream whose
 * rate is above one message in a word time creates one message in each word time. */
enum cm_status cm_streams_begin(struct cm_streams *streams, const struct cm_traffic_task *task,
                                struct cm_error *err);
void cm_streams_finish(struct cm_streams *streams);
/* Returns the number of the stream that creates the next message, and sets *time to the word
 * time of this message. Streams with messages in the same word time are in the order of their
 * numbers. */
uint32_t cm_streams_next(struct cm_streams *streams, uint64_t *time);

#endif
