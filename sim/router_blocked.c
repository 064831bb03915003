/*
 * Who stands in the way. A packet that waited for a channel and was granted it has its wait split:
 * the word times in which the channel was taken, each by the way over which the packet that had it
 * came into the node, and the rest, in which the channel stood idle for want of room behind it. A
 * wait for several channels is counted at the one granted.
 *
 * A channel remembers its last hold, and those before it only while some port waits since before
 * their end: mostly none or one. Ways are numbered 0 .. dimensions - 1, then the node itself, then
 * room; the longest wait comes last, so that all that a wait changes lies together.
 */
#include "router_private.h"

#include <stdlib.h>
#include <string.h>

#define HOLDS_FIRST 4u

static uint64_t overlap(uint64_t begin, uint64_t end, uint64_t since)
{
    uint64_t from = begin > since ? begin : since;
    return end > from ? end - from : 0;
}

static uint32_t way_of(const struct cm_router *router, uint32_t port)
{
    uint32_t dimensions = router->options.dimensions;
    if (port == router->outs_count)
        return dimensions;
    return port < dimensions ? port : port - dimensions;
}

static size_t row_size(const struct cm_router *router)
{
    return router->options.dimensions + 3u;
}

const uint64_t *cm_router_blocked(const struct cm_router *router, uint32_t index)
{
    uint32_t row = router->blocked_rows[index];
    return row == 0 ? NULL : router->blocked + (row - 1) * row_size(router);
}

/* The same, made when it is not there; NULL when out of memory. */
static uint64_t *blocked_row(struct cm_router *router, uint32_t index)
{
    uint32_t count = router->blocked_count;
    size_t size = row_size(router);
    if (router->blocked_rows[index] == 0) {
        if ((count & (count - 1)) == 0) { /* full: it is doubled at powers of two */
            size_t rows = count == 0 ? 1 : 2 * (size_t)count;
            uint64_t *larger = realloc(router->blocked, rows * size * sizeof *larger);
            if (larger == NULL)
                return NULL;
            router->blocked = larger;
        }
        memset(router->blocked + count * size, 0, size * sizeof *router->blocked);
        router->blocked_rows[index] = ++router->blocked_count;
    }
    return router->blocked + (router->blocked_rows[index] - 1) * size;
}

void cm_router_count_wait(struct cm_router *router, uint32_t index,
                          const struct cm_in_flight *packet, uint64_t since)
{
    const struct cm_out *out = &router->outs[index];
    uint32_t dimensions = router->options.dimensions;
    uint64_t *blocked = blocked_row(router, index);
    if (blocked == NULL) {
        router->failed = true;
        return;
    }
    uint64_t wait = router->now - since;
    uint64_t held = overlap(out->hold_begin, out->idle_since, since);
    blocked[way_of(router, out->turn)] += held;
    for (uint32_t i = out->hold_count; i-- > 0 && out->holds[i].end > since;) {
        uint64_t part = overlap(out->holds[i].begin, out->holds[i].end, since);
        blocked[way_of(router, out->holds[i].port)] += part;
        held += part;
    }
    blocked[dimensions + 1] += wait - held;
    if (wait <= blocked[dimensions + 2])
        return;
    blocked[dimensions + 2] = wait;
    router->waits[index] = (struct cm_longest_wait){packet->source, packet->destination,
                                                    out->holder_source, out->holder_destination};
}

/* Makes room for one more: holds that nobody has waited since before the end of are forgotten. */
static bool make_room(const struct cm_router *router, uint32_t index, struct cm_out *out)
{
    const struct cm_port *ports = &router->ports[index - cm_router_local_of(router, index)];
    uint64_t oldest = UINT64_MAX;
    uint32_t kept = 0;
    for (uint64_t rest = out->waiting; rest != 0; rest &= rest - 1) {
        uint64_t since = ports[__builtin_ctzll(rest)].since;
        oldest = since < oldest ? since : oldest;
    }
    for (uint32_t i = 0; i < out->hold_count; i++)
        if (out->holds[i].end > oldest)
            out->holds[kept++] = out->holds[i];
    out->hold_count = kept;
    if (kept < out->hold_capacity)
        return true;
    uint32_t capacity = kept == 0 ? HOLDS_FIRST : 2 * kept;
    struct cm_hold *holds = realloc(out->holds, capacity * sizeof *holds);
    if (holds == NULL)
        return false;
    out->holds = holds;
    out->hold_capacity = capacity;
    return true;
}

void cm_router_keep_hold(struct cm_router *router, uint32_t index)
{
    struct cm_out *out = &router->outs[index];
    if (out->hold_count == out->hold_capacity && !make_room(router, index, out)) {
        router->failed = true;
        return;
    }
    out->holds[out->hold_count++] = (struct cm_hold){out->hold_begin, out->idle_since, out->turn};
}
