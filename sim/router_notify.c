/* What a run of the router reports as it goes. */
#include "router_private.h"

void cm_router_tell(const struct cm_router *router, const struct cm_report *report)
{
    const struct cm_router_traffic *traffic = router->traffic;
    const struct cm_router_delivery *arrival = &report->of.arrival;
    switch (report->kind) {
    case CM_REPORT_HOP:
        CM_OBSERVE(router->observer, packet_hops, &report->of.hop);
        break;
    case CM_REPORT_HOP_END:
        CM_OBSERVE(router->observer, hop_ends, report->of.hop_end.node,
                   report->of.hop_end.dimension, report->of.hop_end.channel,
                   report->of.hop_end.end);
        break;
    case CM_REPORT_ARRIVAL:
        if (traffic->delivered != NULL)
            traffic->delivered(traffic->context, arrival);
        CM_OBSERVE(router->observer, packet_arrives, arrival->serial, arrival->hops,
                   arrival->arrived);
        break;
    }
}

void cm_router_tell_all(struct cm_router *router)
{
    for (uint32_t k = 0; k < router->part_count; k++) {
        struct cm_part *part = &router->parts[k];
        for (uint32_t i = 0; i < part->reports.count; i++)
            cm_router_tell(router, &part->reports.items[i]);
        part->reports.count = 0;
    }
}

/* Tells now, or later: traffic and observer are called by one thread, in the order of nodes. */
static inline void report(struct cm_router *router, struct cm_part *part,
                          const struct cm_report *report)
{
    if (!router->shared)
        cm_router_tell(router, report);
    else if (!cm_list_push(&part->reports, *report))
        part->failed = true;
}

void cm_router_keep_hop(struct cm_part *part, const struct cm_observed_hop *hop)
{
    if (!cm_list_push(&part->reports, ((struct cm_report){CM_REPORT_HOP, .of.hop = *hop})))
        part->failed = true;
}

void cm_router_notify_hop_end(struct cm_router *router, struct cm_part *part, uint32_t index,
                              uint64_t end)
{
    uint32_t o = cm_router_local_of(router, index), dimensions = router->options.dimensions;
    const struct cm_report hop_end = {
        CM_REPORT_HOP_END,
        .of.hop_end = {cm_router_node_of(router, index), o % dimensions, o / dimensions, end}};
    report(router, part, &hop_end);
}

static void report_arrival(struct cm_router *router, struct cm_part *part, uint32_t index,
                           uint32_t node, uint64_t arrived)
{
    const struct cm_in_flight *packet = &router->packets[index];
    const struct cm_report arrival = {CM_REPORT_ARRIVAL, .of.arrival = {
                                                             .source = packet->source,
                                                             .destination = packet->destination,
                                                             .node = node,
                                                             .hops = packet->hops,
                                                             .payload = packet->payload,
                                                             .serial = packet->serial,
                                                             .created = packet->created,
                                                             .arrived = arrived,
                                                         }};
    report(router, part, &arrival);
}

void cm_router_deliver(struct cm_router *router, struct cm_part *part, uint32_t index,
                       uint32_t node, uint64_t arrived)
{
    struct cm_wheel *wheel = &part->wheel;
    uint32_t hops = router->packets[index].hops;
    part->gone++;
    if (!cm_list_push(&part->free, index))
        part->failed = true;
    if (router->options.limit != 0 && arrived > router->options.limit)
        return;
    part->delivered++;
    if (arrived > part->now)
        wheel->arrivals[cm_wheel_place(wheel, arrived)]++;
    if (hops > part->path_max)
        part->path_max = hops;
    if (arrived > part->word_times)
        part->word_times = arrived;
    if (router->traffic->delivered != NULL || router->observer != NULL)
        report_arrival(router, part, index, node, arrived);
}
