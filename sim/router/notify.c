/* Reports of a run of the router to its traffic source and observer. */
#include "private.h"

/* Number of hops that are collected for one report, while one thread executes all partitions. */
#define HOPS_TOGETHER 256u

static void deliver(const struct cm_router *router, const struct cm_router_delivery *arrival)
{
    const struct cm_router_traffic *traffic = router->traffic;
    if (traffic->delivered != NULL)
        traffic->delivered(traffic->context, arrival);
}

void cm_router_report_arrival(const struct cm_router *router,
                              const struct cm_router_delivery *arrival)
{
    deliver(router, arrival);
    CM_OBSERVE(router->observer, packets_arrive, arrival, 1);
}

void cm_router_report_hops(const struct cm_router *router, struct cm_partition *partition)
{
    struct cm_hop_list *hops = &partition->collected_hops;
    if (hops->count == 0)
        return;
    const struct cm_observed_hops all = {
        .first = router->now,
        .end = router->has_gaps ? 0 : router->now + router->options.words,
        .count = hops->count,
        .channels = hops->channels,
        .asked = hops->asked,
        .packets = hops->packets,
    };
    CM_OBSERVE(router->observer, packets_hop, &all);
    hops->count = 0;
}

void cm_router_report_ends(const struct cm_router *router)
{
    for (uint32_t k = 0; k < router->partition_count; k++) {
        struct cm_partition *partition = &router->partitions[k];
        if (partition->hop_ends.count > 0)
            CM_OBSERVE(router->observer, hops_end, partition->hop_ends.items,
                       partition->hop_ends.count);
        partition->hop_ends.count = 0;
    }
    for (uint32_t k = 0; k < router->partition_count; k++) {
        struct cm_partition *partition = &router->partitions[k];
        if (partition->arrivals.count > 0)
            CM_OBSERVE(router->observer, packets_arrive, partition->arrivals.items,
                       partition->arrivals.count);
        partition->arrivals.count = 0;
    }
}

void cm_router_report_all(struct cm_router *router)
{
    for (uint32_t k = 0; k < router->partition_count; k++) {
        struct cm_partition *partition = &router->partitions[k];
        for (uint32_t i = 0; i < partition->arrivals.count; i++)
            deliver(router, &partition->arrivals.items[i]);
        cm_router_report_hops(router, partition);
    }
    cm_router_report_ends(router);
}

/* Makes room for `count` elements in an array. Returns the new capacity of the array, or 0 when out
 * of memory. */
static uint32_t enlarge(void *array, size_t element_bytes, uint32_t capacity, uint64_t count)
{
    uint32_t room = capacity;
    const struct cm_list_storage storage = {array,       element_bytes, &room,
                                            sizeof room, capacity,      NULL};
    return cm_list_reserve(storage, count) ? room : 0;
}

bool cm_router_room_for_hops(struct cm_hop_list *hops, uint64_t count)
{
    const uint32_t before = hops->capacity;
    const uint32_t packets = enlarge(&hops->packets, sizeof *hops->packets, before, count);
    const uint32_t asked = enlarge(&hops->asked, sizeof *hops->asked, before, count);
    const uint32_t channels = enlarge(&hops->channels, sizeof *hops->channels, before, count);
    if (packets == 0 || asked == 0 || channels == 0)
        return count == 0;
    hops->capacity = channels; /* the common capacity of all three arrays */
    return true;
}

bool cm_router_more_hops(struct cm_router *router, struct cm_partition *partition)
{
    struct cm_hop_list *hops = &partition->collected_hops;
    if (!router->shared && hops->count >= HOPS_TOGETHER)
        cm_router_report_hops(router, partition);
    else if (!cm_router_room_for_hops(hops, (uint64_t)hops->count + HOPS_TOGETHER))
        partition->failed = true;
    return hops->count < hops->capacity;
}

void cm_router_notify_hop_end(struct cm_router *router, struct cm_partition *partition,
                              uint32_t index, uint64_t end)
{
    const struct cm_observed_hop_end ended = {
        .end = end,
        .channel = cm_router_node_of(router, index) * 2 * router->options.dimensions +
                   router->channel_of_output[cm_router_local_of(router, index)],
    };
    if (!cm_list_push(&partition->hop_ends, ended))
        partition->failed = true;
}

/* Reports the arrival of a packet to the traffic source. While threads share the router, and for
 * the observer, collects the arrival for a later report in the order of nodes. */
static void report_arrival(struct cm_router *router, struct cm_partition *partition, uint32_t index,
                           uint32_t node, uint64_t arrived)
{
    const struct cm_in_flight *packet = &router->packets[index];
    const struct cm_router_delivery arrival = {
        .source = packet->source,
        .destination = packet->destination,
        .node = node,
        .hops = packet->hops,
        .payload = packet->payload,
        .serial = packet->serial,
        .created = packet->created,
        .arrived = arrived,
    };
    if (!router->shared)
        deliver(router, &arrival);
    if ((router->shared || router->observer != NULL) &&
        !cm_list_push(&partition->arrivals, arrival))
        partition->failed = true;
}

void cm_router_deliver(struct cm_router *router, struct cm_partition *partition, uint32_t index,
                       uint32_t node, uint64_t arrived)
{
    struct cm_wheel *wheel = &partition->wheel;
    uint32_t hops = router->packets[index].hops;
    partition->gone++;
    if (!cm_list_push(&partition->free, index))
        partition->failed = true;
    if (router->options.limit != 0 && arrived > router->options.limit)
        return;
    partition->delivered++;
    if (arrived > partition->now)
        wheel->arrivals[cm_wheel_place(wheel, arrived)]++;
    if (hops > partition->path_max)
        partition->path_max = hops;
    if (arrived > partition->word_times)
        partition->word_times = arrived;
    if (router->traffic->delivered != NULL || router->observer != NULL)
        report_arrival(router, partition, index, node, arrived);
}
