/* The router: what it is made of, and its course from event to event. */
#include "router_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FETCH_DISTANCE 8u    /* events, between two steps of fetching ahead */
#define STOP_INTERVAL  1024u /* word times with events between two questions whether to stop */

static enum cm_status out_of_memory(struct cm_error *err)
{
    return cm_error_set(err, CM_NO_MEMORY, "out of memory for the router");
}

static enum cm_status expect_range(const char *what, uint32_t value, uint32_t min, uint32_t max,
                                   struct cm_error *err)
{
    if (value >= min && value <= max)
        return CM_OK;
    return cm_error_set(err, CM_BAD_INPUT, "%s is %" PRIu32 ", expected %" PRIu32 " to %" PRIu32,
                        what, value, min, max);
}

static enum cm_status check_options(const struct cm_router_options *options, struct cm_error *err)
{
    enum cm_status status = expect_range("the cube's dimensions", options->dimensions, 0,
                                         CM_ROUTER_DIMENSIONS_MAX, err);
    if (status == CM_OK)
        status = expect_range("channels of a dimension", options->channels, 1, 2, err);
    if (status == CM_OK)
        status = expect_range("words of a packet", options->words, 1, CM_ROUTER_WORDS_MAX, err);
    if (status == CM_OK)
        status = expect_range("header words", options->header_words, 0, CM_ROUTER_HEADER_MAX, err);
    if (status == CM_OK)
        status = expect_range("words of a buffer", options->buffer_words, 1, UINT32_MAX, err);
    if (status != CM_OK || options->switching == CM_SWITCHING_WORMHOLE ||
        options->buffer_words >= options->words)
        return status;
    cm_error_set(err, CM_BAD_INPUT,
                 "buffers of %" PRIu32 " words cannot hold packets of %" PRIu32 " words",
                 options->buffer_words, options->words);
    return cm_error_hint(err, "store-and-forward and cut-through need room for a whole packet; "
                              "wormhole does not");
}

static bool allocate(struct cm_router *router)
{
    size_t places = (size_t)router->nodes << router->shift;
    uint64_t reach = 2 * (uint64_t)router->options.words + router->options.header_words + 128;
    router->crossroads = calloc(router->nodes, sizeof *router->crossroads);
    router->ports = calloc(places, sizeof *router->ports);
    router->outs = aligned_alloc(64, places * sizeof *router->outs);
    router->waits = calloc(places, sizeof *router->waits);
    router->listed = calloc(router->nodes, sizeof *router->listed);
    router->blocked_rows = calloc(places, sizeof *router->blocked_rows);
    if (cm_router_may_deadlock(&router->options)) {
        /* In one word time a port begins to wait once, and a channel's buffer fills up once. */
        router->suspects = calloc(2 * places, sizeof *router->suspects);
        router->reached = calloc(places, sizeof *router->reached);
        router->seen = calloc(places, sizeof *router->seen);
        if (router->suspects == NULL || router->reached == NULL || router->seen == NULL)
            return false;
    }
    return router->blocked_rows != NULL && router->crossroads != NULL && router->ports != NULL &&
           router->outs != NULL && router->waits != NULL && router->listed != NULL &&
           cm_wheel_init(&router->wheel, reach);
}

static void lay_out(struct cm_router *router)
{
    const struct cm_router_options *options = &router->options;
    uint32_t places = router->nodes << router->shift;
    for (uint32_t o = 0; o < router->outs_count; o++)
        router->bit_of_out[o] = 1u << o % options->dimensions;
    for (uint32_t o = 0; o < router->outs_count; o++)
        router->outs_of_dimension[o % options->dimensions] |= 1u << o;
    for (uint32_t i = 0; i < places; i++) {
        router->ports[i].first = CM_ROUTER_NONE;
        router->outs[i] = (struct cm_out){.room = options->buffer_words, .owner = CM_ROUTER_NONE};
    }
}

enum cm_status cm_router_create(const struct cm_router_options *options, struct cm_router **router,
                                struct cm_error *err)
{
    *router = NULL;
    enum cm_status status = check_options(options, err);
    if (status != CM_OK)
        return status;
    struct cm_router *made = calloc(1, sizeof *made);
    if (made == NULL)
        return out_of_memory(err);
    made->options = *options;
    made->nodes = 1u << options->dimensions;
    made->outs_count = options->dimensions * options->channels;
    made->room_needed = options->switching == CM_SWITCHING_WORMHOLE ? 0 : options->words;
    while (1u << made->shift < made->outs_count + 1)
        made->shift++;
    made->local_mask = (1u << made->shift) - 1;
    made->free_packet = CM_ROUTER_NONE;
    if (!allocate(made)) {
        cm_router_destroy(made);
        return out_of_memory(err);
    }
    lay_out(made);
    *router = made;
    return CM_OK;
}

void cm_router_destroy(struct cm_router *router)
{
    if (router == NULL)
        return;
    for (uint32_t i = 0; router->worms != NULL && i < router->packet_capacity; i++) {
        free(router->worms[i].hops);
        free(router->worms[i].times);
    }
    for (uint32_t i = 0; router->outs != NULL && i < router->nodes << router->shift; i++)
        free(router->outs[i].holds);
    cm_wheel_finish(&router->wheel);
    free(router->blocked_rows);
    free(router->blocked);
    free(router->suspects);
    free(router->reached);
    free(router->seen);
    free(router->worms);
    free(router->packets);
    free(router->crossroads);
    free(router->ports);
    free(router->outs);
    free(router->waits);
    free(router->listed);
    free(router);
}

/* splitmix64's output function: a random number that a seed and a serial number name. */
static uint64_t scramble(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
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
    cm_router_next_asks(router, index);
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
    if (router->observer != NULL && router->observer->packet_sent != NULL)
        router->observer->packet_sent(router->observer->context, serial, from->source,
                                      from->destination, from->created);
    if (from->source == from->destination) {
        cm_router_deliver(router, index, from->source, from->created);
        return;
    }
    if (router->options.routing == CM_ROUTING_VALIANT) {
        router->packets[index].via =
            (uint32_t)scramble(scramble(router->options.seed) ^ serial) & (router->nodes - 1);
        router->packets[index].first_leg = true;
    }
    cm_router_plan(router, &router->packets[index], from->source);
    join(router, index, (from->source << router->shift) + router->outs_count);
}

/* A packet's last word has left its port over channel `index`. */
static inline void leave(struct cm_router *router, uint32_t index)
{
    uint32_t node = cm_router_node_of(router, index), out = 1u << cm_router_local_of(router, index);
    uint32_t p = router->outs[index].turn;
    router->crossroads[node].busy &= ~out;
    router->ports[(node << router->shift) + p].leaving = false;
    if (p < router->outs_count) {
        uint32_t before = node ^ router->bit_of_out[p];
        router->outs[(before << router->shift) + p].room += router->options.words;
        cm_router_try(router, before, 1u << p);
    }
    cm_router_next_asks(router, (node << router->shift) + p);
    cm_router_try(router, node, out);
}

/* A worm's last word has left the buffer behind channel `index`. */
static void release(struct cm_router *router, uint32_t index)
{
    uint32_t node = cm_router_node_of(router, index);
    uint32_t o = cm_router_local_of(router, index);
    uint32_t next = node ^ router->bit_of_out[o];
    router->crossroads[node].busy &= ~(1u << o);
    router->ports[(next << router->shift) + o].leaving = false;
    cm_router_try(router, node, 1u << o);
}

static inline void handle(struct cm_router *router, uint64_t event)
{
    uint32_t a = (uint32_t)(event >> 32) & 0x3fffffff, b = (uint32_t)event;
    uint64_t kind = event >> 62;
    if (kind == CM_EVENT_ARRIVE) {
        join(router, a, b);
    } else if (kind == CM_EVENT_LEFT) {
        leave(router, b);
    } else if (kind == CM_EVENT_RELEASE) {
        release(router, b);
    } else { /* CM_EVENT_SOURCE */
        router->ports[(b << router->shift) + router->outs_count].leaving = false;
        cm_router_next_asks(router, (b << router->shift) + router->outs_count);
    }
}

/*
 * Events go all over the network's memory. What they will touch is fetched ahead, in as many steps
 * as there are pointers to follow: the channel, the port, its first packet, the channels that this
 * asks for.
 */
CM_FETCHES fetch_channel(const struct cm_router *router, uint64_t event)
{
    uint32_t a = (uint32_t)(event >> 32) & 0x3fffffff, b = (uint32_t)event;
    __builtin_prefetch(&router->crossroads[cm_router_node_of(router, b)], 1);
    if (event >> 62 == CM_EVENT_ARRIVE) {
        __builtin_prefetch(&router->packets[a], 1);
        __builtin_prefetch(&router->ports[b], 1);
    } else {
        __builtin_prefetch(&router->outs[b], 1);
    }
}

static inline uint32_t port_left(const struct cm_router *router, uint32_t index)
{
    return index - cm_router_local_of(router, index) + router->outs[index].turn;
}

CM_FETCHES fetch_port(const struct cm_router *router, uint64_t event)
{
    uint32_t b = (uint32_t)event, p;
    if (event >> 62 != CM_EVENT_LEFT)
        return;
    uint32_t base = b - cm_router_local_of(router, b);
    p = router->outs[b].turn;
    __builtin_prefetch(&router->ports[base + p], 1);
    if (p < router->outs_count)
        __builtin_prefetch(&router->outs[(base ^ router->bit_of_out[p] << router->shift) + p], 1);
}

CM_FETCHES fetch_packet(const struct cm_router *router, uint64_t event)
{
    if (event >> 62 != CM_EVENT_LEFT)
        return;
    uint32_t packet = router->ports[port_left(router, (uint32_t)event)].first;
    if (packet != CM_ROUTER_NONE)
        __builtin_prefetch(&router->packets[packet], 1);
}

CM_FETCHES fetch_choices(const struct cm_router *router, uint64_t event)
{
    uint32_t packet = (uint32_t)(event >> 32) & 0x3fffffff, b = (uint32_t)event;
    if (event >> 62 == CM_EVENT_LEFT)
        packet = router->ports[port_left(router, b)].first;
    if (event >> 62 > CM_EVENT_LEFT || packet == CM_ROUTER_NONE)
        return;
    const struct cm_out *outs = &router->outs[b - cm_router_local_of(router, b)];
    for (uint32_t rest = router->packets[packet].choices; rest != 0; rest &= rest - 1)
        __builtin_prefetch(&outs[__builtin_ctz(rest)], 1);
}

/* All events of this word time; they schedule none for it. */
static void handle_all(struct cm_router *router)
{
    struct cm_wheel *wheel = &router->wheel;
    uint32_t s = (uint32_t)router->now & (wheel->size - 1);
    struct cm_wheel_slot *slot = &wheel->slots[s];
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
    slot->count = 0;
    wheel->arrivals[s] = 0;
    wheel->used[s / 64] &= ~(UINT64_C(1) << s % 64);
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
    return router->failed ? out_of_memory(err) : CM_OK;
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
        /* The first step may be at word time 0, before which there is none. */
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
        return cm_error_set(err, CM_INTERNAL, "packets are left in the router, but nothing moves");
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
