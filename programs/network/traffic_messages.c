/* Follows each message until its last packet has arrived. */
#include "traffic_messages.h"

#include "../../base/list.h"
#include "latency.h"

void cm_traffic_messages_add(struct cm_traffic_messages *messages, uint64_t serial,
                             uint32_t packets)
{
    const struct cm_traffic_message message = {.serial = serial, .left = packets};
    cm_list_push(messages, message);
}

/* Returns the message of the packet with this serial number. It is the last message whose first
 * packet has this serial number or a lower one. */
static struct cm_traffic_message *message_of(const struct cm_traffic_messages *messages,
                                             uint64_t serial)
{
    uint64_t first = 0, end = messages->count;
    while (end - first > 1) {
        const uint64_t middle = first + (end - first) / 2;
        if (messages->items[middle].serial <= serial)
            first = middle;
        else
            end = middle;
    }
    return &messages->items[first];
}

void cm_traffic_messages_arrive(struct cm_traffic_messages *messages,
                                const struct cm_router_delivery *delivery)
{
    if (messages->failed)
        return;
    struct cm_traffic_message *message = message_of(messages, delivery->serial);
    if (delivery->arrived > message->arrived)
        message->arrived = delivery->arrived;
    if (--message->left == 0)
        cm_list_push(&messages->latencies, message->arrived - delivery->created);
}

uint64_t cm_traffic_messages_summarise(struct cm_traffic_messages *messages,
                                       struct cm_traffic_latency *latency)
{
    const uint64_t count = messages->latencies.count;
    if (count > 0)
        (void)cm_latency_summarise(messages->latencies.items, count, latency);
    return count;
}

void cm_traffic_messages_finish(struct cm_traffic_messages *messages)
{
    cm_list_finish(messages);
    cm_list_finish(&messages->latencies);
}
