/*
 * Sends the records of a sort by samples through the router: first to the nodes of their ranges,
 * where they are stored in the order of arrival, and later to their places. As in a gather, node
 * and place in the header of a packet cost nothing extra.
 */
#include "../system/packet_list.h"
#include "sort_sample.h"

#include <stdlib.h>
#include <string.h>

struct routing {
    const struct cm_sort *own;
    struct cm_packet_list list;
    uint32_t nodes;
    struct cm_planes from, to; /* planes of the areas that records are read from and written to */
    /* for routing to the ranges: number of records that came to each node */
    struct cm_planes arrived;
};

static enum cm_status planes_at(struct cm_system *system, const struct cm_sort *own, uint64_t at,
                                uint64_t words, struct cm_planes *planes, struct cm_error *err)
{
    return cm_machine_planes(system->machine, own->sampling->address + at, words, planes, err);
}

/* Writes a record at place `place` of the area in a node. */
static void put(struct routing *routing, uint32_t node, uint64_t place, const uint32_t *words)
{
    const uint32_t count = routing->own->record.words;
    for (uint32_t w = 0; w < count; w++)
        *cm_planes_word(&routing->to, place * count + w, node) = words[w];
}

/* Appends an arriving record to the area in its node, if there is room. */
static void take_next(void *context, const struct cm_listed_packet *packet, const uint32_t *words)
{
    struct routing *routing = context;
    const uint32_t place = (*cm_planes_word(&routing->arrived, 0, packet->destination))++;
    if (place < routing->own->sampling->bucket.length)
        put(routing, packet->destination, place, words);
}

static void take_place(void *context, const struct cm_listed_packet *packet, const uint32_t *words)
{
    put(context, packet->destination, packet->to, words);
}

static enum cm_status run(struct cm_system *system, struct routing *routing, uint32_t stride,
                          void (*deliver)(void *context, const struct cm_listed_packet *packet,
                                          const uint32_t *words),
                          struct cm_error *err)
{
    const struct cm_packet_run run = {.list = &routing->list,
                                      .words = routing->own->record.words,
                                      .stride = stride,
                                      .src = routing->from,
                                      .deliver = deliver,
                                      .context = routing};
    return routing->list.packets.failed ? cm_error_no_memory(err)
                                        : cm_packet_list_send(system, &run, err);
}

static uint32_t address_of(const struct cm_sort *own, uint32_t node)
{
    return node >> own->first_dimension & ((UINT32_C(1) << own->dimensions) - 1);
}

/* Returns the node whose address in the axis's dimensions is `address`, and which otherwise is
 * `node`. */
static uint32_t with_address(const struct cm_sort *own, uint32_t node, uint32_t address)
{
    return node ^ (address_of(own, node) ^ address) << own->first_dimension;
}

/* Adds packets for the records of a node whose range has a number in [begin, end). */
static void add_ranges(struct routing *routing, const struct cm_planes *numbers, uint32_t node,
                       uint32_t begin, uint32_t end)
{
    const uint64_t length = routing->own->sampling->merged.length;
    for (uint32_t place = 0; place < length; place++) {
        const uint32_t range = *cm_planes_word(numbers, place, node);
        if (range >= begin && range < end)
            cm_packet_list_add(&routing->list, node, place, with_address(routing->own, node, range),
                               0);
    }
}

/* Lists the packets that bring records to their ranges. Each node begins with its own range, so
 * that the nodes do not all send to one node at the same time. */
static void list_ranges(struct routing *routing, const struct cm_planes *numbers)
{
    const struct cm_sort *own = routing->own;
    const uint32_t ranges = UINT32_C(1) << own->dimensions;
    for (uint32_t node = 0; node < routing->nodes; node++) {
        add_ranges(routing, numbers, node, address_of(own, node), ranges);
        add_ranges(routing, numbers, node, 0, address_of(own, node));
    }
}

enum cm_status cm_sort_route_ranges(struct cm_system *system, const struct cm_sort *own,
                                    struct cm_error *err)
{
    const struct cm_sampling *s = own->sampling;
    struct routing routing = {.own = own, .nodes = cm_machine_nodes(system->machine)};
    struct cm_planes numbers;
    enum cm_status status = cm_packet_list_init(&routing.list, routing.nodes, err);
    if (status == CM_OK)
        status = planes_at(system, own, s->merged_at, s->merged.length * s->merged.record.words,
                           &routing.from, err);
    if (status == CM_OK)
        status = planes_at(system, own, s->bucket_at, s->bucket.length * s->bucket.record.words,
                           &routing.to, err);
    if (status == CM_OK)
        status = planes_at(system, own, s->numbers_at, s->merged.length, &numbers, err);
    if (status == CM_OK)
        status = planes_at(system, own, s->scan_at + SCAN_COUNT, 1, &routing.arrived, err);
    if (status == CM_OK) {
        list_ranges(&routing, &numbers);
        for (uint32_t node = 0; node < routing.nodes; node++)
            *cm_planes_word(&routing.arrived, 0, node) = 0;
        status = run(system, &routing, s->merged.record.words, take_next, err);
    }
    cm_packet_list_finish(&routing.list);
    return status;
}

/* Lists the packets that bring records to their places. The place of record i in a node's range is
 * i plus the number of records of earlier ranges. */
static void list_places(struct routing *routing, const struct cm_planes *counts,
                        const struct cm_planes *before, const uint32_t *addresses)
{
    const struct cm_sort *own = routing->own;
    for (uint32_t node = 0; node < routing->nodes; node++)
        for (uint32_t i = 0; i < *cm_planes_word(counts, 0, node); i++) {
            const uint64_t rank = (uint64_t)*cm_planes_word(before, 0, node) + i;
            cm_packet_list_add(&routing->list, node, i,
                               with_address(own, node, addresses[rank / own->length]),
                               (uint32_t)(rank % own->length));
        }
}

/* Returns the node address for each coordinate along the axis, or NULL if out of memory. */
static uint32_t *addresses_of(const struct cm_sort *own)
{
    const uint32_t nodes = UINT32_C(1) << own->dimensions;
    uint32_t *addresses = calloc(nodes, sizeof *addresses);
    for (uint32_t address = 0; addresses && address < nodes; address++)
        addresses[cm_layout_coordinate(&own->task.layout, address << own->first_dimension,
                                       own->task.axis)] = address;
    return addresses;
}

enum cm_status cm_sort_route_places(struct cm_system *system, const struct cm_sort *own,
                                    struct cm_error *err)
{
    const struct cm_sampling *s = own->sampling;
    struct routing routing = {.own = own, .nodes = cm_machine_nodes(system->machine)};
    struct cm_planes counts, before;
    uint32_t *addresses = addresses_of(own);
    enum cm_status status = addresses ? cm_packet_list_init(&routing.list, routing.nodes, err)
                                      : cm_error_no_memory(err);
    if (status == CM_OK)
        status = planes_at(system, own, s->bucket_at, s->bucket.length * s->bucket.record.words,
                           &routing.from, err);
    if (status == CM_OK)
        status =
            planes_at(system, own, 0, s->local.length * s->local.record.words, &routing.to, err);
    if (status == CM_OK)
        status = planes_at(system, own, s->scan_at + SCAN_COUNT, 1, &counts, err);
    if (status == CM_OK)
        status = planes_at(system, own, s->scan_at + SCAN_BEFORE, 1, &before, err);
    if (status == CM_OK) {
        list_places(&routing, &counts, &before, addresses);
        status = run(system, &routing, own->record.words, take_place, err);
    }
    cm_packet_list_finish(&routing.list);
    free(addresses);
    return status;
}
