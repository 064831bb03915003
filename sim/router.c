/* A run of the router, from event to event, and its results. */
#include "../base/random.h"
#include "router_private.h"

#include <inttypes.h>
#include <string.h>

#define FETCH_DISTANCE 8u    /* events between two steps of prefetching */
#define STOP_INTERVAL  1024u /* word times with events between two calls of traffic->stop */

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
    if (options->switching == CM_SWITCHING_WORMHOLE || options->buffer_words >= options->words)
        return CM_OK;
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
static inline void join(struct cm_router *router, uint32_t packet, uint32_t index)
{
    struct cm_port *port = &router->ports[index];
    router->packets[packet].next = CM_ROUTER_NONE;
    router->packets[packet].place = index;
    if (port->first == CM_ROUTER_NONE)
        port->first = packet;
    else
        router->packets[port->last].next = packet;
    port->last = packet;
    cm_router_ask_next(router, index);
}

static void send(struct cm_router *router, const struct cm_router_packet *from)
{
    uint32_t index = cm_router_take_packet(router);
    uint64_t serial = router->result->sent;
    if (index == CM_ROUTER_NONE)
        return;
    router->packets[index] = (struct cm_in_flight){
        .created = from->created,
        .serial = serial,
        .source = from->source,
        .destination = from->destination,
        .via = from->destination,
        .payload = from->payload,
        .next = CM_ROUTER_NONE,
    };
    router->result->sent++;
    router->in_network++;
    CM_OBSERVE(router->observer, packet_sent, serial, from->source, from->destination,
               from->created);
    if (from->source == from->destination) {
        cm_router_deliver(router, index, from->source, from->created);
        return;
    }
    if (router->options.routing == CM_ROUTING_VALIANT) {
        uint64_t random = cm_splitmix64(cm_splitmix64(router->options.seed, 0) ^ serial, 0);
        router->packets[index].via = (uint32_t)random & (router->nodes - 1);
        router->packets[index].first_leg = true;
    }
    cm_router_plan(router, &router->packets[index], from->source);
    join(router, index, (from->source << router->shift) + router->outs_count);
}

/* A packet's last word has left its port over channel `index`. */
static inline void leave(struct cm_router *router, uint32_t index)
{
    uint32_t node = cm_router_node_of(router, index), out = 1u << cm_router_local_of(router, index);
    uint32_t p = router->outs[index].turn, port = (node << router->shift) + p;
    router->crossroads[node].busy &= ~out;
    router->ports[port].leaving = false;
    if (p < router->outs_count) {
        uint32_t before = node ^ router->bit_of_out[p];
        router->outs[(before << router->shift) + p].room += router->options.words;
        cm_router_try(router, before, 1u << p);
    }
    cm_router_ask_next(router, port);
    cm_router_try(router, node, out);
}

/* A worm's last word has left the buffer behind channel `index`. */
static void release(struct cm_router *router, uint32_t index)
{
    uint32_t node = cm_router_node_of(router, index), out = 1u << cm_router_local_of(router, index);
    router->crossroads[node].busy &= ~out;
    router->ports[cm_router_far_end(router, index)].leaving = false;
    cm_router_try(router, node, out);
}

/* Nearly all events are arrivals and departures, so they are tested for first. */
static inline void handle(struct cm_router *router, uint64_t event)
{
    uint32_t index = cm_event_index(event);
    enum cm_router_event kind = cm_event_kind(event);
    if (kind == CM_EVENT_ARRIVE) {
        join(router, cm_event_packet(event), index);
    } else if (kind == CM_EVENT_LEFT) {
        leave(router, index);
    } else if (kind == CM_EVENT_RELEASE) {
        release(router, index);
    } else { /* CM_EVENT_SOURCE */
        router->ports[index].leaving = false;
        cm_router_ask_next(router, index);
    }
}

/*
 * Events are spread over the network's memory. What they will touch is prefetched, in as many steps
 * as there are pointers to follow: the channel, the port, its first packet, the channels that this
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
        __builtin_prefetch(&router->outs[index], 1);
    }
}

/* The port that the last packet over out `index` came from. */
static inline uint32_t port_left(const struct cm_router *router, uint32_t index)
{
    return index - cm_router_local_of(router, index) + router->outs[index].turn;
}

CM_PREFETCH fetch_port(const struct cm_router *router, uint64_t event)
{
    uint32_t index = cm_event_index(event);
    if (cm_event_kind(event) != CM_EVENT_LEFT)
        return;
    uint32_t port = port_left(router, index);
    __builtin_prefetch(&router->ports[port], 1);
    if (router->outs[index].turn < router->outs_count)
        __builtin_prefetch(&router->outs[cm_router_far_end(router, port)], 1);
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
    const struct cm_out *outs = &router->outs[index - cm_router_local_of(router, index)];
    for (uint32_t rest = router->packets[packet].choices; rest != 0; rest &= rest - 1)
        __builtin_prefetch(&outs[__builtin_ctz(rest)], 1);
}

/* Handles the events of this word time; new ones are for later word times. */
static void handle_all(struct cm_router *router)
{
    const struct cm_wheel_slot *slot =
        &router->wheel.slots[cm_wheel_place(&router->wheel, router->now)];
    const uint64_t *events = slot->events;
    uint32_t count = slot->count;
    for (uint32_t i = 0; i < count; i++) {
        if (i + 4 * FETCH_DISTANCE < count)
            fetch_channel(router, events[i + 4 * FETCH_DISTANCE]);
        if (i + 3 * FETCH_DISTANCE < count)
            fetch_port(router, events[i + 3 * FETCH_DISTANCE]);
        if (i + 2 * FETCH_DISTANCE < count)
            fetch_packet(router, events[i + 2 * FETCH_DISTANCE]);
        if (i + FETCH_DISTANCE < count)
            fetch_choices(router, events[i + FETCH_DISTANCE]);
        handle(router, events[i]);
    }
    cm_wheel_clear(&router->wheel, router->now);
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

static enum cm_status step(struct cm_router *router, struct cm_router_packet *next, bool *more,
                           struct cm_error *err)
{
    const struct cm_router_traffic *traffic = router->traffic;
    handle_all(router);
    while (*more && next->created == router->now) {
        send(router, next);
        *more = traffic->next(traffic->context, next);
        enum cm_status status = *more ? check_packet(router, next, err) : CM_OK;
        if (status != CM_OK)
            return status;
    }
    cm_router_arbitrate(router);
    uint32_t stuck = cm_router_find_stuck(router);
    if (stuck != CM_ROUTER_NONE) {
        router->result->end = CM_ROUTER_DEADLOCK;
        cm_router_find_cycle(router, stuck, router->result);
    }
    return router->failed ? cm_error_no_memory(err) : CM_OK;
}

/* After a run that ended early: packets on their last channel have not arrived. */
static void finish(struct cm_router *router)
{
    struct cm_router_result *result = router->result;
    if (result->end == CM_ROUTER_DONE)
        return;
    result->word_times = router->now;
    for (uint32_t s = 0; s < router->wheel.size; s++)
        result->delivered -= router->wheel.arrivals[s];
}

enum cm_status cm_router_run(struct cm_router *router, const struct cm_router_traffic *traffic,
                             struct cm_router_result *result, struct cm_error *err)
{
    struct cm_router_packet next;
    memset(result, 0, sizeof *result);
    router->traffic = traffic;
    router->observer = traffic->observer;
    router->result = result;
    bool more = traffic->next(traffic->context, &next);
    enum cm_status status = more ? check_packet(router, &next, err) : CM_OK;
    for (uint64_t steps = 1; status == CM_OK; steps++) {
        /* Events are later than now; only the first packets can be at word time 0. */
        uint64_t time = cm_wheel_next(&router->wheel, router->now);
        if (more && next.created < time)
            time = next.created;
        if (time == UINT64_MAX)
            break;
        if (router->options.limit != 0 && time > router->options.limit) {
            router->now = router->options.limit;
            result->end = CM_ROUTER_LIMIT;
            break;
        }
        router->now = time;
        status = step(router, &next, &more, err);
        if (result->end == CM_ROUTER_DEADLOCK)
            break;
        if (steps % STOP_INTERVAL == 0 && traffic->stop != NULL &&
            traffic->stop(traffic->context)) {
            result->end = CM_ROUTER_STOPPED;
            break;
        }
    }
    finish(router);
    if (status == CM_OK && result->end == CM_ROUTER_DONE && router->in_network > 0)
        return cm_error_set(err, CM_INTERNAL, "packets are left in the router, but none can move");
    return status;
}

struct cm_router_channel cm_router_channel_use(const struct cm_router *router, uint32_t node,
                                               uint32_t dimension, uint32_t channel)
{
    uint32_t dimensions = router->options.dimensions, o = channel * dimensions + dimension;
    uint32_t index = (node << router->shift) + o;
    const struct cm_out *out = &router->outs[index];
    const struct cm_longest_wait *longest = &router->waits[index];
    const uint64_t *blocked = cm_router_blocked(router, index);
    struct cm_router_channel use = {
        .packets = out->packets,
        .words = (uint64_t)out->packets * router->options.words,
        .longest_queue = out->longest_queue,
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
