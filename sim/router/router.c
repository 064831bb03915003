/* A run of the router, from event to event, and its results. */
#include "private.h"

#include <inttypes.h>
#include <string.h>

/* largest number of events between two steps of prefetching the data of an event */
#define FETCH_DISTANCE 8u

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static enum cm_status check_failures(const struct cm_router_options *options, struct cm_error *err)
{
    for (uint32_t i = 0; i < options->failure_count; i++) {
        const struct cm_router_failure *f = &options->failures[i];
        if (f->node >> options->dimensions == 0 && f->dimension < options->dimensions &&
            f->channel < options->channels)
            continue;
        return cm_error_set(err, CM_BAD_INPUT,
                            "failed channel %" PRIu32 " of node %" PRIu32 " in dimension %" PRIu32
                            ", but there are %" PRIu32 " nodes, %" PRIu32 " dimensions and %" PRIu32
                            " channels of each",
                            f->channel, f->node, f->dimension, UINT32_C(1) << options->dimensions,
                            options->dimensions, options->channels);
    }
    return CM_OK;
}

static enum cm_status check_options(const struct cm_router_options *options, struct cm_error *err)
{
    const struct {
        const char *what;
        uint32_t value, min, max;
    } ranges[] = {
        {"the cube's dimensions", options->dimensions, 0, CM_ROUTER_DIMENSIONS_MAX},
        {"channels of a dimension", options->channels, 1, 2},
        {"words of a packet", options->words, 1, CM_ROUTER_WORDS_MAX},
        {"header words", options->header_words, 0, CM_ROUTER_HEADER_MAX},
        {"words of a buffer", options->buffer_words, 1, UINT32_MAX},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        if (ranges[i].value < ranges[i].min || ranges[i].value > ranges[i].max)
            return cm_error_set(err, CM_BAD_INPUT,
                                "%s is %" PRIu32 ", expected %" PRIu32 " to %" PRIu32,
                                ranges[i].what, ranges[i].value, ranges[i].min, ranges[i].max);
    enum cm_status status = check_failures(options, err);
    if (status != CM_OK || options->switching == CM_SWITCHING_WORMHOLE ||
        options->buffer_words >= options->words)
        return status;
    cm_error_set(err, CM_BAD_INPUT,
                 "buffers of %" PRIu32 " words cannot hold packets of %" PRIu32 " words",
                 options->buffer_words, options->words);
    return cm_error_hint(err, "store-and-forward and cut-through need room for a whole packet; "
                              "wormhole does not");
}

enum cm_status cm_router_create(const struct cm_router_options *options, struct cm_router **router,
                                struct cm_error *err)
{
    *router = NULL;
    enum cm_status status = check_options(options, err);
    if (status != CM_OK)
        return status;
    *router = cm_router_allocate(options, cm_router_may_deadlock(options));
    return *router ? CM_OK : cm_error_no_memory(err);
}

/* Puts a packet at the end of a port's queue. */
static inline void join(struct cm_router *router, struct cm_partition *partition, uint32_t packet,
                        uint32_t index)
{
    struct cm_port *port = &router->ports[index];
    router->packets[packet].next = CM_ROUTER_NONE;
    router->packets[packet].place = index;
    if (port->first == CM_ROUTER_NONE)
        port->first = packet;
    else
        router->packets[port->last].next = packet;
    port->last = packet;
    cm_router_ask_next(router, partition, index);
}

/* Delivers a packet whose source is its destination. */
static void deliver_locally(struct cm_router *router, const struct cm_router_packet *from,
                            uint64_t serial)
{
    struct cm_router_result *result = router->result;
    const struct cm_router_delivery arrival = {
        .source = from->source,
        .destination = from->destination,
        .node = from->source,
        .payload = from->payload,
        .serial = serial,
        .created = from->created,
        .arrived = from->created,
    };
    result->delivered++;
    if (from->created > result->word_times)
        result->word_times = from->created;
    cm_router_report_arrival(router, &arrival);
}

static void send(struct cm_router *router, const struct cm_router_packet *from)
{
    uint64_t serial = router->result->sent++;
    CM_OBSERVE(router->observer, packet_sent, serial, from->source, from->destination,
               from->created);
    if (from->source == from->destination) {
        deliver_locally(router, from, serial);
        return;
    }
    if (router->failed_outputs != NULL && cm_router_lose(router, from, serial))
        return;
    struct cm_partition *partition = cm_router_partition_of(router, from->source);
    if (!cm_router_owns(router, (uint32_t)(partition - router->partitions)))
        return;
    const struct cm_posted posted = {*from, serial, cm_router_take_packet(router, partition)};
    if (posted.packet == CM_ROUTER_NONE)
        return;
    if (router->shared && !cm_list_push(&partition->posted, posted))
        router->failed = true;
    if (router->shared)
        return;
    cm_router_make_room(router);
    if (!router->failed)
        cm_router_post(router, partition, &posted);
}

void cm_router_post(struct cm_router *router, struct cm_partition *partition,
                    const struct cm_posted *posted)
{
    const struct cm_router_packet *from = &posted->from;
    struct cm_in_flight *packet = &router->packets[posted->packet];
    *packet = (struct cm_in_flight){
        .created = from->created,
        .serial = posted->serial,
        .source = from->source,
        .destination = from->destination,
        .via = from->destination,
        .payload = from->payload,
        .next = CM_ROUTER_NONE,
    };
    if (router->options.routing == CM_ROUTING_VALIANT) {
        packet->via = cm_router_choose_via(router, from, posted->serial);
        packet->first_leg = true;
    }
    cm_router_plan(router, partition, packet, from->source);
    join(router, partition, posted->packet, (from->source << router->shift) + router->output_count);
}

/* Frees room for one packet in the buffer behind channel `index`, so that a waiting packet may get
 * the channel. */
static inline void make_room(struct cm_router *router, struct cm_partition *partition,
                             uint32_t index)
{
    router->outputs[index].room += router->options.words;
    cm_router_try(router, partition, cm_router_node_of(router, index),
                  1u << cm_router_local_of(router, index));
}

/* Handles a packet's last word leaving its port over channel `index`. */
static inline void leave(struct cm_router *router, struct cm_partition *partition, uint32_t index)
{
    uint32_t node = cm_router_node_of(router, index),
             output = 1u << cm_router_local_of(router, index);
    uint32_t p = router->outputs[index].turn, port = (node << router->shift) + p;
    router->crossroads[node].busy &= ~output;
    router->ports[port].leaving = false;
    if (p < router->output_count) {
        uint32_t before = cm_router_far_end(router, port);
        if (cm_router_partition_of(router, cm_router_node_of(router, before)) == partition)
            make_room(router, partition, before); /* else CM_EVENT_ROOM makes the room */
    }
    cm_router_ask_next(router, partition, port);
    cm_router_try(router, partition, node, output);
}

/* Handles a worm's last word leaving the buffer behind channel `index`. */
static void release(struct cm_router *router, struct cm_partition *partition, uint32_t index)
{
    uint32_t node = cm_router_node_of(router, index),
             output = 1u << cm_router_local_of(router, index);
    router->crossroads[node].busy &= ~output;
    cm_router_try(router, partition, node, output);
}

/* Handles one event. Nearly all events are arrivals and departures, so these kinds are tested
 * first. */
static inline void handle(struct cm_router *router, struct cm_partition *partition, uint64_t event)
{
    uint32_t index = cm_event_index(event);
    enum cm_router_event kind = cm_event_kind(event);
    if (kind == CM_EVENT_ARRIVE) {
        join(router, partition, cm_event_packet(event), index);
    } else if (kind == CM_EVENT_LEFT) {
        leave(router, partition, index);
    } else if (kind == CM_EVENT_RELEASE) {
        release(router, partition, index);
    } else if (kind == CM_EVENT_ROOM) {
        make_room(router, partition, index);
    } else { /* CM_EVENT_SOURCE */
        router->ports[index].leaving = false;
        cm_router_ask_next(router, partition, index);
    }
}

/*
 * Events are spread over the network's memory, so their data are prefetched. There is one step for
 * each pointer to follow: the channel, the port, its first packet, and the channels that this
 * packet asks for.
 */
CM_PREFETCH fetch_channel(const struct cm_router *router, uint64_t event)
{
    uint32_t index = cm_event_index(event);
    __builtin_prefetch(&router->crossroads[cm_router_node_of(router, index)], 1);
    if (cm_event_kind(event) == CM_EVENT_ARRIVE) {
        __builtin_prefetch(&router->packets[cm_event_packet(event)], 1);
        __builtin_prefetch(&router->ports[index], 1);
    } else {
        __builtin_prefetch(&router->outputs[index], 1);
    }
}

/* Returns the port from which the last packet over output `index` came. */
static inline uint32_t port_left(const struct cm_router *router, uint32_t index)
{
    return index - cm_router_local_of(router, index) + router->outputs[index].turn;
}

CM_PREFETCH fetch_port(const struct cm_router *router, uint64_t event)
{
    uint32_t index = cm_event_index(event);
    if (cm_event_kind(event) != CM_EVENT_LEFT)
        return;
    uint32_t port = port_left(router, index);
    __builtin_prefetch(&router->ports[port], 1);
    if (router->outputs[index].turn < router->output_count)
        __builtin_prefetch(&router->outputs[cm_router_far_end(router, port)], 1);
}

CM_PREFETCH fetch_packet(const struct cm_router *router, uint64_t event)
{
    if (cm_event_kind(event) != CM_EVENT_LEFT)
        return;
    uint32_t packet = router->ports[port_left(router, cm_event_index(event))].first;
    if (packet != CM_ROUTER_NONE)
        __builtin_prefetch(&router->packets[packet], 1);
}

CM_PREFETCH fetch_choices(const struct cm_router *router, uint64_t event)
{
    uint32_t packet = cm_event_packet(event), index = cm_event_index(event);
    if (cm_event_kind(event) == CM_EVENT_LEFT)
        packet = router->ports[port_left(router, index)].first;
    if (cm_event_kind(event) > CM_EVENT_LEFT || packet == CM_ROUTER_NONE)
        return;
    const struct cm_output *outputs = &router->outputs[index - cm_router_local_of(router, index)];
    for (uint32_t rest = router->packets[packet].choices; rest != 0; rest &= rest - 1)
        __builtin_prefetch(&outputs[__builtin_ctz(rest)], 1);
}

void cm_router_handle(struct cm_router *router, struct cm_partition *partition)
{
    const struct cm_wheel_slot *slot =
        &partition->wheel.slots[cm_wheel_place(&partition->wheel, partition->now)];
    const uint64_t *events = slot->events;
    uint32_t count = slot->count;
    uint32_t apart = count < 4 * FETCH_DISTANCE ? count / 4 : FETCH_DISTANCE;
    for (uint32_t i = 0; i < count + 4 * apart; i++) {
        if (i < count)
            fetch_channel(router, events[i]);
        /* The subtraction is unsigned, so a negative result is a large number. */
        if (i - apart < count)
            fetch_port(router, events[i - apart]);
        if (i - 2 * apart < count)
            fetch_packet(router, events[i - 2 * apart]);
        if (i - 3 * apart < count)
            fetch_choices(router, events[i - 3 * apart]);
        if (i - 4 * apart < count)
            handle(router, partition, events[i - 4 * apart]);
    }
    cm_wheel_clear(&partition->wheel, partition->now);
}

static enum cm_status check_packet(const struct cm_router *router,
                                   const struct cm_router_packet *packet, struct cm_error *err)
{
    if (packet->source >= router->nodes || packet->destination >= router->nodes)
        return cm_error_set(err, CM_BAD_INPUT,
                            "a packet from node %" PRIu32 " to %" PRIu32
                            ", but the nodes are 0 to %" PRIu32,
                            packet->source, packet->destination, router->nodes - 1);
    if (packet->created < router->now)
        return cm_error_set(err, CM_BAD_INPUT, "packets must be sent in order of time");
    return CM_OK;
}

static enum cm_status fetch_next_packet(struct cm_router *router, struct cm_error *err)
{
    router->more = router->traffic->next(router->traffic->context, &router->coming);
    return router->more ? check_packet(router, &router->coming, err) : CM_OK;
}

enum cm_status cm_router_send(struct cm_router *router, struct cm_error *err)
{
    enum cm_status status = CM_OK;
    while (status == CM_OK && router->more && router->coming.created == router->now) {
        send(router, &router->coming);
        status = fetch_next_packet(router, err);
    }
    return status;
}

/* Executes the current word time with one thread. */
static enum cm_status step(struct cm_router *router, struct cm_error *err)
{
    for (uint32_t k = 0; k < router->partition_count; k++) {
        router->partitions[k].now = router->now;
        cm_router_handle(router, &router->partitions[k]);
    }
    enum cm_status status = cm_router_send(router, err);
    for (uint32_t k = 0; k < router->partition_count && status == CM_OK; k++) {
        cm_router_arbitrate(router, &router->partitions[k]);
        cm_router_report_hops(router, &router->partitions[k]);
    }
    if (router->observer != NULL)
        cm_router_report_ends(router);
    router->steps++;
    return status;
}

uint64_t cm_router_next(const struct cm_router *router)
{
    uint64_t time = UINT64_MAX;
    for (uint32_t k = 0; k < router->partition_count; k++) {
        uint64_t next = cm_wheel_next(&router->partitions[k].wheel, router->now);
        time = next < time ? next : time;
    }
    return time;
}

/* True if the current word time has enough events for several threads. Several processes always
 * share the work. */
static bool is_busy(const struct cm_router *router)
{
    uint64_t events = 0;
    if (router->link != NULL)
        return true;
    if (router->share_from == UINT32_MAX)
        return false;
    for (uint32_t k = 0; k < router->partition_count; k++) {
        const struct cm_wheel *wheel = &router->partitions[k].wheel;
        events += wheel->slots[cm_wheel_place(wheel, router->now)].count;
    }
    return events >= router->share_from;
}

/* Executes the current word time, and possibly some more word times with several threads. */
static enum cm_status advance(struct cm_router *router, struct cm_error *err)
{
    enum cm_status status = CM_OK;
    if (CM_ROUTER_SHARES && is_busy(router) && cm_router_can_share(router))
        status = cm_router_share(router, err);
    /* several processes need partitions, but memory for them is lacking */
    else if (router->link != NULL)
        router->failed = true;
    /* cm_router_can_share sets `failed` when memory for partitions is lacking */
    else if (!router->failed)
        status = step(router, err);
    if (status != CM_OK)
        return status;
    uint32_t stuck = cm_router_find_stuck(router);
    if (stuck != CM_ROUTER_NONE) {
        router->result->end = CM_ROUTER_DEADLOCK;
        cm_router_find_cycle(router, stuck, router->result);
    }
    for (uint32_t k = 0; k < router->partition_count; k++)
        router->failed = router->failed || router->partitions[k].failed;
    return router->failed ? cm_error_no_memory(err) : CM_OK;
}

uint64_t cm_router_arriving(const struct cm_partition *partition)
{
    uint64_t count = 0;
    for (uint32_t s = 0; s < partition->wheel.size; s++)
        count += partition->wheel.arrivals[s];
    return count;
}

/* Finds the next word time with events in any process, or UINT64_MAX if there are no more
 * events. */
static enum cm_status find_next(struct cm_router *router, uint64_t *time, struct cm_error *err)
{
    /* Events are later than the current word time. Only the first packets can be at word time 0. */
    *time = cm_router_next(router);
    if (router->more && router->coming.created < *time)
        *time = router->coming.created;
    return cm_processes_min(router->link, time, 1, err);
}

/* Asks the traffic source of every process whether to stop, at intervals of
 * cm_router_stop_interval. */
static enum cm_status ask_stop(struct cm_router *router, struct cm_error *err)
{
    const struct cm_router_traffic *traffic = router->traffic;
    if (router->steps % cm_router_stop_interval(router) != 0 || traffic->stop == NULL)
        return CM_OK;
    uint64_t stop = traffic->stop(traffic->context);
    enum cm_status status = cm_processes_or(router->link, &stop, 1, err);
    if (stop != 0)
        router->result->end = CM_ROUTER_STOPPED;
    return status;
}

/* Adds up the counts of the partitions. When a run ends early, packets that are crossing their last
 * channel have not arrived. Returns the number of packets left in the network. */
static uint64_t finish(struct cm_router *router)
{
    struct cm_router_result *result = router->result;
    uint64_t left = result->sent - result->delivered - result->lost;
    for (uint32_t k = 0; k < router->partition_count; k++) {
        const struct cm_partition *partition = &router->partitions[k];
        left -= partition->gone;
        result->delivered += partition->delivered;
        result->hops += partition->hops;
        result->word_times = larger(result->word_times, partition->word_times);
        result->path_max = (uint32_t)larger(result->path_max, partition->path_max);
        result->congestion = (uint32_t)larger(result->congestion, partition->congestion);
        if (result->end != CM_ROUTER_DONE)
            result->delivered -= cm_router_arriving(partition);
    }
    if (result->end != CM_ROUTER_DONE)
        result->word_times = router->now;
    return left;
}

enum cm_status cm_router_run(struct cm_router *router, const struct cm_router_traffic *traffic,
                             struct cm_router_result *result, struct cm_error *err)
{
    memset(result, 0, sizeof *result);
    router->traffic = traffic;
    router->observer = traffic->observer;
    router->result = result;
    enum cm_status status = fetch_next_packet(router, err);
    while (status == CM_OK && result->end == CM_ROUTER_DONE) {
        uint64_t time;
        status = find_next(router, &time, err);
        if (status != CM_OK || time == UINT64_MAX)
            break;
        if (router->options.limit != 0 && time > router->options.limit) {
            router->now = router->options.limit;
            result->end = CM_ROUTER_LIMIT;
            break;
        }
        router->now = time;
        status = advance(router, err);
        if (status == CM_OK && result->end == CM_ROUTER_DONE)
            status = ask_stop(router, err);
    }
    if (CM_ROUTER_SHARES && status == CM_OK && router->link != NULL && router->partition_count > 1)
        status = cm_trade_results(router, err);
    uint64_t left = finish(router);
    if (status == CM_OK && result->end == CM_ROUTER_DONE && left > 0)
        return cm_error_set(err, CM_INTERNAL, "packets are left in the router, but none can move");
    return status;
}

struct cm_router_channel cm_router_channel_use(const struct cm_router *router, uint32_t node,
                                               uint32_t dimension, uint32_t channel)
{
    uint32_t dimensions = router->options.dimensions, o = channel * dimensions + dimension;
    uint32_t index = (node << router->shift) + o;
    const struct cm_output *output = &router->outputs[index];
    const struct cm_longest_wait *longest = &router->waits[index];
    const uint64_t *blocked = cm_router_blocked(router, index);
    struct cm_router_channel use = {
        .packets = output->packets,
        .words = (uint64_t)output->packets * router->options.words,
        .longest_queue = output->longest_queue,
    };
    if (blocked == NULL)
        return use;
    use.blocked_room = blocked[dimensions + 1];
    use.longest_wait = blocked[dimensions + 2];
    use.waiter_source = longest->waiter_source;
    use.waiter_destination = longest->waiter_destination;
    use.holder_source = longest->holder_source;
    use.holder_destination = longest->holder_destination;
    for (uint32_t k = 0; k < dimensions + 2; k++)
        use.blocked += blocked[k];
    return use;
}

void cm_router_blocked_by(const struct cm_router *router, uint32_t node, uint32_t dimension,
                          uint32_t channel, uint64_t ways[CM_ROUTER_WAYS_MAX])
{
    uint32_t dimensions = router->options.dimensions;
    const uint64_t *blocked =
        cm_router_blocked(router, (node << router->shift) + channel * dimensions + dimension);
    memset(ways, 0, CM_ROUTER_WAYS_MAX * sizeof *ways);
    if (blocked == NULL)
        return;
    memcpy(ways, blocked, dimensions * sizeof *ways);
    ways[CM_ROUTER_DIMENSIONS_MAX] = blocked[dimensions];
}

uint64_t cm_router_header_time(const struct cm_router_options *options, uint32_t hops)
{
    return hops == 0 ? 0 : 1 + (hops - 1) * (uint64_t)(1 + options->header_words);
}

uint64_t cm_router_body_time(const struct cm_router_options *options, uint32_t hops)
{
    uint64_t body = options->words - 1;
    if (hops == 0)
        return 0;
    return options->switching == CM_SWITCHING_STORE_AND_FORWARD ? hops * body : body;
}
