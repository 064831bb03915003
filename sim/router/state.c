/* Memory of the router and of its packets. The memory of a delivered packet is reused. */
#include "private.h"

#include "../../base/huge.h"

#include <string.h>

#define PACKETS_MAX   (UINT32_C(1) << 29) /* an event names a packet in 29 bits */
#define PACKETS_FIRST 64u

static bool allocate(struct cm_router *router, bool may_deadlock)
{
    size_t places = (size_t)router->nodes << router->shift;
    router->crossroads = calloc(router->nodes, sizeof *router->crossroads);
    router->ports = cm_huge_allocate(places * sizeof *router->ports);
    router->outputs = cm_huge_allocate(places * sizeof *router->outputs);
    router->waits = calloc(places, sizeof *router->waits);
    router->blocked_rows = calloc(places, sizeof *router->blocked_rows);
    if (may_deadlock) {
        /* A word time has at most two suspects for each place: a port begins to wait, and the
         * buffer of a channel fills up. */
        router->suspects = calloc(2 * places, sizeof *router->suspects);
        router->reached = calloc(places, sizeof *router->reached);
        router->seen = calloc(places, sizeof *router->seen);
        if (router->suspects == NULL || router->reached == NULL || router->seen == NULL)
            return false;
    }
    return router->blocked_rows != NULL && router->crossroads != NULL && router->ports != NULL &&
           router->outputs != NULL && router->waits != NULL &&
           cm_router_allocate_partitions(router);
}

static void lay_out(struct cm_router *router)
{
    const struct cm_router_options *options = &router->options;
    uint32_t places = router->nodes << router->shift;
    for (uint32_t o = 0; o < router->output_count; o++) {
        router->bit_of_output[o] = 1u << o % options->dimensions;
        router->outputs_of_dimension[o % options->dimensions] |= 1u << o;
        router->channel_of_output[o] = o % options->dimensions * 2 + o / options->dimensions;
    }
    for (uint32_t i = 0; i < places; i++) {
        router->ports[i] = (struct cm_port){.first = CM_ROUTER_NONE};
        router->outputs[i] =
            (struct cm_output){.room = options->buffer_words, .owner = CM_ROUTER_NONE};
    }
}

struct cm_router *cm_router_allocate(const struct cm_router_options *options, bool may_deadlock)
{
    struct cm_router *router = calloc(1, sizeof *router);
    if (router == NULL)
        return NULL;
    router->options = *options;
    router->nodes = 1u << options->dimensions;
    router->output_count = options->dimensions * options->channels;
    const bool worms = options->switching == CM_SWITCHING_WORMHOLE;
    router->room_needed = worms ? 0 : options->words;
    router->has_gaps = worms && options->buffer_words < options->words;
    while (1u << router->shift < router->output_count + 1)
        router->shift++;
    router->local_mask = (1u << router->shift) - 1;
    if ((CM_ROUTER_SHARES && !cm_trade_begin(router)) || !allocate(router, may_deadlock) ||
        !cm_router_mark_failures(router)) {
        /* The outputs are freed here, because cm_router_destroy would free their `holds`, which are
         * not yet set. */
        free(router->outputs);
        router->outputs = NULL;
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
    for (uint32_t i = 0; router->outputs != NULL && i < router->nodes << router->shift; i++)
        free(router->outputs[i].holds);
    cm_pool_destroy(router->pool);
    if (CM_ROUTER_SHARES)
        cm_trade_end(router);
    cm_router_free_partitions(router);
    cm_list_finish(&router->worms);
    free(router->failed_outputs);
    free(router->blocked_rows);
    free(router->suspects);
    free(router->reached);
    free(router->seen);
    free(router->packets);
    free(router->crossroads);
    free(router->ports);
    free(router->outputs);
    free(router->waits);
    free(router);
}

uint32_t cm_router_take_packet(struct cm_router *router, struct cm_partition *partition)
{
    for (uint32_t k = 0; k <= router->partition_count; k++) {
        if (partition->free.count > 0)
            return partition->free.items[--partition->free.count];
        partition = &router->partitions[router->giver];
        if (partition->free.count == 0)
            router->giver = (router->giver + 1) & (router->partition_count - 1);
    }
    if (router->packet_count < PACKETS_MAX)
        return router->packet_count++;
    router->failed = true;
    return CM_ROUTER_NONE;
}

/* Enlarges the array of packets. The array must stay aligned to cache lines, which realloc does not
 * ensure. */
static bool enlarge(struct cm_router *router, uint32_t capacity)
{
    struct cm_in_flight *packets = cm_huge_allocate(capacity * sizeof *packets);
    if (packets == NULL)
        return false;
    if (router->packet_capacity > 0)
        memcpy(packets, router->packets, router->packet_capacity * sizeof *packets);
    free(router->packets);
    router->packets = packets;
    router->packet_capacity = capacity;
    return true;
}

void cm_router_make_room(struct cm_router *router)
{
    uint32_t capacity = router->packet_capacity > 0 ? router->packet_capacity : PACKETS_FIRST;
    if (router->packet_count <= router->packet_capacity)
        return;
    while (capacity < router->packet_count || capacity == router->packet_capacity)
        capacity *= 2;
    if (!enlarge(router, capacity) || (router->options.switching == CM_SWITCHING_WORMHOLE &&
                                       !cm_list_extend(&router->worms, capacity)))
        router->failed = true;
}
