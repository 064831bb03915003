/*
 * Messages of several packets, and their latencies. The latency of a message is the time from its
 * creation until its last packet has arrived. Packets of a message are created one after the other,
 * so they have consecutive serial numbers. This header is internal to the library.
 */
#ifndef CM_PROGRAMS_NETWORK_TRAFFIC_MESSAGES_H
#define CM_PROGRAMS_NETWORK_TRAFFIC_MESSAGES_H

#include "traffic.h"

struct cm_traffic_message {
    uint64_t serial;  /* serial number of the message's first packet */
    uint64_t arrived; /* latest arrival of a packet so far, as a word time */
    uint32_t left;    /* number of packets that have not arrived */
};

struct cm_traffic_messages {
    struct cm_traffic_message *items; /* messages in the order of their creation */
    uint64_t count, capacity;
    bool failed; /* true if memory ran out */
    struct {
        uint64_t *items;
        uint64_t count, capacity;
        bool failed;
    } latencies; /* latencies, in word times, of messages that have arrived completely */
};

/* Adds a message of `packets` packets, of which the first has the serial number `serial`. */
void cm_traffic_messages_add(struct cm_traffic_messages *messages, uint64_t serial,
                             uint32_t packets);
/* Counts the arrival of a measured packet. */
void cm_traffic_messages_arrive(struct cm_traffic_messages *messages,
                                const struct cm_router_delivery *delivery);
/* Sets the mean and the quantiles of *latency. Returns the number of messages that have arrived
 * completely. */
uint64_t cm_traffic_messages_summarise(struct cm_traffic_messages *messages,
                                       struct cm_traffic_latency *latency);
void cm_traffic_messages_finish(struct cm_traffic_messages *messages);

#endif
