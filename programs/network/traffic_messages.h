/*
 * Messages of several packets, and their latencies: from creation until the last packet has
 * arrived. Packets of a message are created one after the other, so they have consecutive serial
 * numbers. Internal to the library.
 */
#ifndef CM_PROGRAMS_NETWORK_TRAFFIC_MESSAGES_H
#define CM_PROGRAMS_NETWORK_TRAFFIC_MESSAGES_H

#include "traffic.h"

struct cm_traffic_message {
    uint64_t serial;  /* serial number of the first packet */
    uint64_t arrived; /* word time when the last packet so far had arrived */
    uint32_t left;    /* packets that have not arrived */
};

struct cm_traffic_messages {
    struct cm_traffic_message *items; /* in the order of their creation */
    uint64_t count, capacity;
    bool failed; /* true if memory ran out */
    struct {
        uint64_t *items;
        uint64_t count, capacity;
        bool failed;
    } latencies; /* of whole messages */
};

/* Adds a message that begins with the packet `serial`. */
void cm_traffic_messages_add(struct cm_traffic_messages *messages, uint64_t serial,
                             uint32_t packets);
/* Counts a packet that has arrived and is measured. */
void cm_traffic_messages_arrive(struct cm_traffic_messages *messages,
                                const struct cm_router_delivery *delivery);
/* Fills in the mean and the quantiles of the latencies. Returns the number of whole messages. */
uint64_t cm_traffic_messages_summarise(struct cm_traffic_messages *messages,
                                       struct cm_traffic_latency *latency);
void cm_traffic_messages_finish(struct cm_traffic_messages *messages);

#endif
