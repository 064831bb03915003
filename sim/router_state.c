/* The router's memory, and that of the packets, which is used again after delivery. */
#include "router_private.h"

#define PACKETS_MAX (UINT32_C(1) << 30) /* an event names a packet in 30 bits */

static bool allocate(struct cm_router *router, bool may_deadlock)
{
    size_t places = (size_t)router->nodes << router->shift;
    uint64_t reach = 2 * (uint64_t)router->options.words + router->options.header_words + 128;
    router->crossroads = calloc(router->nodes, sizeof *router->crossroads);
    router->ports = calloc(places, sizeof *router->ports);
    router->outs = aligned_alloc(64, places * sizeof *router->outs);
    router->waits = calloc(places, sizeof *router->waits);
    router->listed = calloc(router->nodes, sizeof *router->listed);
    router->blocked_rows = calloc(places, sizeof *router->blocked_rows);
    if (may_deadlock) {
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
    for (uint32_t o = 0; o < router->outs_count; o++) {
        router->bit_of_out[o] = 1u << o % options->dimensions;
        router->outs_of_dimension[o % options->dimensions] |= 1u << o;
    }
    for (uint32_t i = 0; i < places; i++) {
        router->ports[i].first = CM_ROUTER_NONE;
        router->outs[i] = (struct cm_out){.room = options->buffer_words, .owner = CM_ROUTER_NONE};
    }
}

struct cm_router *cm_router_allocate(const struct cm_router_options *options, bool may_deadlock)
{
    struct cm_router *router = calloc(1, sizeof *router);
    if (router == NULL)
        return NULL;
    router->options = *options;
    router->nodes = 1u << options->dimensions;
    router->outs_count = options->dimensions * options->channels;
    router->room_needed = options->switching == CM_SWITCHING_WORMHOLE ? 0 : options->words;
    while (1u << router->shift < router->outs_count + 1)
        router->shift++;
    router->local_mask = (1u << router->shift) - 1;
    router->free_packet = CM_ROUTER_NONE;
    if (!allocate(router, may_deadlock)) {
        free(router->outs); /* not laid out: what they seem to hold is not memory */
        router->outs = NULL;
        cm_router_destroy(router);
        return NULL;
    }
    lay_out(router);
    return router;
}

void cm_router_destroy(struct cm_router *router)
{
    if (router == NULL)
        return;
    for (uint32_t i = 0; i < router->worms.count; i++) {
        free(router->worms.items[i].hops);
        free(router->worms.items[i].times);
    }
    for (uint32_t i = 0; router->outs != NULL && i < router->nodes << router->shift; i++)
        free(router->outs[i].holds);
    cm_wheel_finish(&router->wheel);
    cm_list_finish(&router->blocked);
    cm_list_finish(&router->worms);
    free(router->blocked_rows);
    free(router->suspects);
    free(router->reached);
    free(router->seen);
    free(router->packets);
    free(router->crossroads);
    free(router->ports);
    free(router->outs);
    free(router->waits);
    free(router->listed);
    free(router);
}

uint32_t cm_router_take_packet(struct cm_router *router)
{
    uint32_t packet = router->free_packet;
    if (packet != CM_ROUTER_NONE) {
        router->free_packet = router->packets[packet].next;
        return packet;
    }
    bool worms = router->options.switching == CM_SWITCHING_WORMHOLE;
    if (router->packet_count == PACKETS_MAX ||
        !cm_array_room(router->packets, router->packet_count, router->packet_capacity) ||
        (worms && cm_list_add(&router->worms) == NULL)) {
        router->failed = true;
        return CM_ROUTER_NONE;
    }
    return router->packet_count++;
}

void cm_router_free_packet(struct cm_router *router, uint32_t packet)
{
    router->packets[packet].next = router->free_packet;
    router->free_packet = packet;
}
