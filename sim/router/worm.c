/*
 * Wormhole timing: when each word of a worm, a packet in the wormhole network, crosses each
 * channel. A channel and the buffer behind it belong to one packet, so the times of the packet's
 * words follow from the times of its header alone. Word i crosses channel k at
 *
 *   x[k][i] = max( x[k][i - 1] + 1           one word in a word time
 *                  x[k - 1][i] + 1           it has crossed the previous channel
 *                  x[k + 1][i - b] + 1 )     the buffer of b words behind has room again
 *                                            (not at the destination)
 *
 * The formula is evaluated as far as the header has come, once for each word and channel, instead
 * of moving words cycle by cycle. It suffices to store the last b + 1 times of each channel. If a
 * buffer holds a whole packet, x[k][i] = x[k][0] + i.
 */
#include "private.h"

static bool buffers_whole(const struct cm_router *router)
{
    return router->options.buffer_words >= router->options.words;
}

static uint32_t hops_max(const struct cm_router *router)
{
    uint32_t legs = router->options.routing == CM_ROUTING_VALIANT ? 2 : 1;
    return legs * router->options.dimensions;
}

static uint64_t *time_of(const struct cm_router *router, const struct cm_worm *worm, uint32_t hop,
                         uint32_t word)
{
    uint32_t ring = router->options.buffer_words + 1;
    return &worm->times[(size_t)hop * ring + word % ring];
}

bool cm_worm_begin(struct cm_router *router, struct cm_worm *worm)
{
    worm->count = 0;
    worm->terminal = false;
    worm->source_freed = false;
    if (worm->hops == NULL)
        worm->hops = calloc(hops_max(router) + 1u, sizeof *worm->hops);
    if (worm->times == NULL && !buffers_whole(router))
        worm->times = calloc((size_t)hops_max(router) * (router->options.buffer_words + 1u),
                             sizeof *worm->times);
    return worm->hops != NULL && (worm->times != NULL || buffers_whole(router));
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Computes the word time in which the next word crosses hop k, if the times on which it depends are
 * known. */
static bool advance_word(const struct cm_router *router, struct cm_worm *worm, uint32_t k)
{
    uint32_t i = worm->hops[k].known;
    uint32_t room = router->options.buffer_words;
    bool last = k + 1 == worm->count;
    if (i == router->options.words || (k > 0 && worm->hops[k - 1].known <= i))
        return false;
    uint64_t before = *time_of(router, worm, k, i - 1);
    if (k > 0)
        before = later(before, *time_of(router, worm, k - 1, i));
    if (i >= room && !(last && worm->terminal)) {
        if (last || worm->hops[k + 1].known <= i - room)
            return false;
        before = later(before, *time_of(router, worm, k + 1, i - room));
    }
    *time_of(router, worm, k, i) = before + 1;
    worm->hops[k].known++;
    return true;
}

static void advance(const struct cm_router *router, struct cm_worm *worm)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t k = 0; k < worm->count; k++)
            while (advance_word(router, worm, k))
                changed = true;
    }
}

/* Returns the word time in which a worm's last word crosses hop k, or UINT64_MAX while it is
 * unknown. */
static uint64_t tail_time(const struct cm_router *router, const struct cm_worm *worm, uint32_t k)
{
    uint32_t words = router->options.words;
    if (worm->hops[k].known < words)
        return UINT64_MAX;
    return *time_of(router, worm, k, words - 1);
}

/* Schedules the release of a worm's channels and of its source, as far as the word times are known
 * in which its last word leaves them. */
static void release(struct cm_router *router, struct cm_partition *partition, struct cm_worm *worm,
                    uint32_t source, const uint64_t *tails)
{
    uint32_t source_port = (source << router->shift) + router->output_count;
    if (!worm->source_freed && tails[0] != UINT64_MAX) {
        worm->source_freed = true;
        cm_router_schedule(router, partition, tails[0] + 1, CM_EVENT_SOURCE, 0, source_port);
    }
    for (uint32_t k = 0; k < worm->count; k++) {
        struct cm_worm_hop *hop = &worm->hops[k];
        bool last = k + 1 == worm->count;
        if (hop->released || (last && !worm->terminal))
            continue;
        uint64_t gone = last ? tails[k] : tails[k + 1];
        if (gone == UINT64_MAX)
            continue;
        hop->released = true;
        router->outputs[hop->output].owner = CM_ROUTER_NONE;
        router->outputs[hop->output].idle_since = tails[k] + 1;
        if (router->observer != NULL && !buffers_whole(router))
            cm_router_notify_hop_end(router, partition, hop->output, tails[k] + 1);
        cm_router_schedule(router, partition, gone + 1, CM_EVENT_RELEASE, 0, hop->output);
    }
}

void cm_worm_grant(struct cm_router *router, struct cm_partition *partition, uint32_t packet,
                   uint32_t index, bool terminal)
{
    struct cm_worm *worm = &router->worms.items[packet];
    uint64_t tails[2 * CM_ROUTER_DIMENSIONS_MAX];
    uint32_t words = router->options.words;
    if (router->packets[packet].hops == 1 && !cm_worm_begin(router, worm)) {
        partition->failed = true;
        return;
    }
    bool whole = buffers_whole(router);
    uint32_t k = worm->count++;
    worm->terminal = terminal;
    worm->hops[k] = (struct cm_worm_hop){.output = index, .known = whole ? words : 1};
    router->outputs[index].owner = packet;
    router->outputs[index].idle_since = partition->now + words;
    if (!whole) {
        *time_of(router, worm, k, 0) = partition->now;
        advance(router, worm);
    }
    /* avoids warnings of compilers that do not see that count is at least 1 */
    tails[0] = UINT64_MAX;
    for (uint32_t i = 0; i < worm->count; i++)
        tails[i] = whole ? UINT64_MAX : tail_time(router, worm, i);
    if (whole) /* hops before the last two are already released */
        tails[k] = partition->now + words - 1;
    /* sets idle_since in `release` to the value that the grant of hop k - 1 gave it */
    if (whole && k > 0)
        tails[k - 1] = router->outputs[worm->hops[k - 1].output].idle_since - 1;
    release(router, partition, worm, router->packets[packet].source, tails);
    uint32_t port = cm_router_far_end(router, index);
    if (terminal)
        cm_router_deliver(router, partition, packet, cm_router_node_of(router, port), tails[k] + 1);
    else
        cm_router_send_on(router, partition, packet, port,
                          partition->now + 1 + router->options.header_words);
}
