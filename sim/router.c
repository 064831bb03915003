/* The router: what it is made of, and its course from event to event. */
#include "router_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FETCH_DISTANCE 24u   /* events */
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
    return router->crossroads != NULL && router->ports != NULL && router->outs != NULL &&
           router->waits != NULL && router->listed != NULL && cm_wheel_init(&router->wheel, reach);
}

static void lay_out(struct cm_router *router)
{
    const struct cm_router_options *options = &router->options;
    uint32_t places = router->nodes << router->shift;
    for (uint32_t o = 0; o < router->outs_count; o++)
        router->bit_of_out[o] = 1u << o % options->dimensions;
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
    while (1u << made->shift < made->outs_count + 1)
        made->shift++;
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
    cm_wheel_finish(&router->wheel);
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
static void join(struct cm_router *router, uint32_t packet, uint32_t index)
{
    struct cm_port *port = &router->ports[index];
    router->packets[packet].next = CM_ROUTER_NONE;
    router->packets[packet].place = index;
    if (port->first == CM_ROUTER_NONE)
        port->first = packet;
    else
        router->packets[port->last].next = packet;
    port->last = packet;
    cm_router_ask(router, cm_router_node_of(router, index), cm_router_local_of(router, index));
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
        .next = CM_ROUTER_NONE,
    };
    router->result->sent++;
    router->in_network++;
    if (router->observer != NULL && router->observer->packet_sent != NULL)
        router->observer->packet_sent(router->observer->context, serial, from->source,
                                      from->destination, from->created);
    if (from->source == from->destination) {
        cm_router_deliver(router, index, from->created);
        return;
    }
    if (router->options.routing == CM_ROUTING_VALIANT) {
        router->packets[index].via =
            (uint32_t)scramble(scramble(router->options.seed) ^ serial) & (router->nodes - 1);
        router->packets[index].first_leg = true;
    }
    join(router, index, (from->source << router->shift) + router->outs_count);
}

/* A packet's last word has left port p of the node over channel `index`. */
static void leave(struct cm_router *router, uint32_t index, uint32_t p)
{
    uint32_t node = cm_router_node_of(router, index);
    router->crossroads[node].busy &= ~(UINT64_C(1) << cm_router_local_of(router, index));
    router->ports[(node << router->shift) + p].leaving = false;
    if (p < router->outs_count) {
        uint32_t before = node ^ router->bit_of_out[p];
        router->outs[(before << router->shift) + p].room += router->options.words;
        cm_router_list(router, before);
    }
    cm_router_ask(router, node, p);
    cm_router_list(router, node);
}

/* A worm's last word has left the buffer behind channel `index`. */
static void release(struct cm_router *router, uint32_t index)
{
    uint32_t node = cm_router_node_of(router, index);
    uint32_t o = cm_router_local_of(router, index);
    uint32_t next = node ^ router->bit_of_out[o];
    router->crossroads[node].busy &= ~(UINT64_C(1) << o);
    router->outs[index].owner = CM_ROUTER_NONE;
    router->ports[(next << router->shift) + o].leaving = false;
    cm_router_list(router, node);
}

static void handle(struct cm_router *router, uint64_t event)
{
    uint32_t a = (uint32_t)(event >> 32) & 0x3fffffff, b = (uint32_t)event;
    switch ((enum cm_router_event)(event >> 62)) {
    case CM_EVENT_ARRIVE:
        join(router, a, b);
        break;
    case CM_EVENT_LEFT:
        leave(router, b, a);
        break;
    case CM_EVENT_RELEASE:
        release(router, b);
        break;
    case CM_EVENT_SOURCE:
        router->ports[(b << router->shift) + router->outs_count].leaving = false;
        cm_router_ask(router, b, router->outs_count);
        break;
    }
}

/* Events go all over the network's memory: what they will touch is fetched ahead. */
static inline void fetch_ahead(const struct cm_router *router, uint64_t event)
{
    uint32_t a = (uint32_t)(event >> 32) & 0x3fffffff, b = (uint32_t)event;
    uint32_t node = cm_router_node_of(router, b);
    if (event >> 62 == CM_EVENT_ARRIVE) {
        __builtin_prefetch(&router->packets[a], 1);
        __builtin_prefetch(&router->ports[b], 1);
        __builtin_prefetch(&router->crossroads[node], 1);
    } else if (event >> 62 == CM_EVENT_LEFT) {
        __builtin_prefetch(&router->crossroads[node], 1);
        __builtin_prefetch(&router->ports[(node << router->shift) + a], 1);
        if (a < router->outs_count) {
            uint32_t before = node ^ router->bit_of_out[a];
            __builtin_prefetch(&router->outs[(before << router->shift) + a], 1);
            __builtin_prefetch(&router->crossroads[before], 1);
        }
    }
}

/* And the channels that the packet will ask for that arrives, or that is next where one has left. */
static inline void fetch_outs(struct cm_router *router, uint64_t event)
{
    uint32_t a = (uint32_t)(event >> 32) & 0x3fffffff, b = (uint32_t)event;
    uint32_t node = cm_router_node_of(router, b);
    uint32_t packet = a;
    if (event >> 62 == CM_EVENT_LEFT)
        packet = router->ports[(node << router->shift) + a].first;
    if (event >> 62 > CM_EVENT_LEFT || packet == CM_ROUTER_NONE ||
        router->options.routing == CM_ROUTING_ADAPTIVE)
        return;
    for (uint64_t rest = cm_router_choices(router, &router->packets[packet], node); rest != 0;
         rest &= rest - 1)
        __builtin_prefetch(&router->outs[(node << router->shift) + (uint32_t)__builtin_ctzll(rest)],
                           1);
}

/* All events of this word time; they schedule none for it. */
static void handle_all(struct cm_router *router)
{
    struct cm_wheel *wheel = &router->wheel;
    uint32_t s = (uint32_t)router->now & (wheel->size - 1);
    struct cm_wheel_slot *slot = &wheel->slots[s];
    for (uint32_t i = 0; i < slot->count; i++) {
        if (i + FETCH_DISTANCE < slot->count)
            fetch_ahead(router, slot->events[i + FETCH_DISTANCE]);
        if (i + FETCH_DISTANCE / 2 < slot->count)
            fetch_outs(router, slot->events[i + FETCH_DISTANCE / 2]);
        handle(router, slot->events[i]);
    }
    wheel->pending -= slot->count;
    slot->count = 0;
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
    return router->failed ? out_of_memory(err) : CM_OK;
}

static void finish(struct cm_router *router)
{
    struct cm_router_result *result = router->result;
    if (result->end != CM_ROUTER_DONE) {
        result->word_times = router->now;
        return;
    }
    if (router->in_network == 0)
        return;
    result->end = CM_ROUTER_DEADLOCK;
    result->word_times = router->now;
    cm_router_find_cycle(router, result);
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
        if (steps % STOP_INTERVAL == 0 && traffic->stop != NULL &&
            traffic->stop(traffic->context)) {
            result->end = CM_ROUTER_STOPPED;
            break;
        }
    }
    finish(router);
    return status;
}

struct cm_router_channel cm_router_channel_use(const struct cm_router *router, uint32_t node,
                                               uint32_t dimension, uint32_t channel)
{
    uint32_t index = (node << router->shift) + channel * router->options.dimensions + dimension;
    const struct cm_out *out = &router->outs[index];
    const struct cm_longest_wait *longest = &router->waits[index];
    return (struct cm_router_channel){
        .packets = out->packets,
        .words = (uint64_t)out->packets * router->options.words,
        .blocked = out->blocked,
        .blocked_room = out->blocked_room,
        .longest_queue = out->longest_queue,
        .longest_wait = longest->wait,
        .waiter_source = longest->waiter_source,
        .waiter_destination = longest->waiter_destination,
        .holder_source = longest->holder_source,
        .holder_destination = longest->holder_destination,
    };
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
