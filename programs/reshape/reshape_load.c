/* What a plan puts on the channels: the busiest link, and whether any would carry two elements at once. */
#include "reshape_streams.h"

#include <inttypes.h>
#include <stdlib.h>

/* Elements that nodes of one parity send over one dimension. */
struct share {
    uint64_t nodes, when_nodes;
    uint64_t count;
    uint32_t dimension;
    bool sender, when;
};

struct shares {
    struct share *items;
    uint32_t count, capacity;
    bool failed;
};

static void add_share(struct shares *shares, struct share share)
{
    for (uint32_t i = 0; i < shares->count; i++) {
        struct share *item = &shares->items[i];
        if (item->nodes == share.nodes && item->dimension == share.dimension &&
            item->sender == share.sender && item->when_nodes == share.when_nodes &&
            item->when == share.when) {
            item->count += share.count;
            return;
        }
    }
    if (shares->count == shares->capacity) {
        uint32_t capacity = shares->capacity ? 2 * shares->capacity : 64;
        struct share *larger = realloc(shares->items, capacity * sizeof *larger);
        if (!larger) {
            shares->failed = true;
            return;
        }
        shares->items = larger;
        shares->capacity = capacity;
    }
    shares->items[shares->count++] = share;
}

static void add_swap_shares(struct shares *shares, const struct cm_reshape_plan *plan)
{
    for (uint32_t i = 0; i < plan->swap_count; i++) {
        const struct cm_reshape_swap *swap = &plan->swaps[i];
        uint64_t pair = UINT64_C(1) << swap->first | UINT64_C(1) << swap->second;
        if (swap->first_is_local && swap->second_is_local)
            continue;
        if (swap->first_is_local || swap->second_is_local) {
            /* The mask 0 has parity 0 everywhere. */
            add_share(shares, (struct share){.count = plan->elements / 2,
                                             .dimension = swap->first_is_local ? swap->second
                                                                               : swap->first});
            continue;
        }
        add_share(shares, (struct share){.nodes = pair,
                                         .count = plan->elements,
                                         .dimension = swap->first,
                                         .sender = true});
        add_share(shares, (struct share){.nodes = pair,
                                         .count = plan->elements,
                                         .dimension = swap->second,
                                         .sender = false});
    }
}

/* The largest load over the links of `dimension`. */
static uint64_t busiest(const struct shares *shares, uint64_t nodes, uint32_t dimension)
{
    uint64_t most = 0;
    for (uint64_t node = 0; node < nodes; node++) {
        uint64_t load = 0;
        for (uint32_t i = 0; i < shares->count; i++) {
            const struct share *share = &shares->items[i];
            if (share->dimension == dimension &&
                (__builtin_parityll(node & share->nodes) != 0) == share->sender &&
                (__builtin_parityll(node & share->when_nodes) != 0) == share->when)
                load += share->count;
        }
        most = load > most ? load : most;
    }
    return most;
}

uint64_t cm_reshape_link_load(const struct cm_reshape_plan *plan)
{
    struct shares shares = {0};
    uint64_t most = 0;
    for (uint32_t i = 0; i < plan->stream_count; i++) {
        const struct cm_reshape_stream *stream = &plan->streams[i];
        add_share(&shares, (struct share){.nodes = stream->nodes,
                                          .count = stream->count,
                                          .dimension = stream->dimension,
                                          .when_nodes = stream->when_nodes,
                                          .sender = stream->sender,
                                          .when = stream->when});
    }
    add_swap_shares(&shares, plan);
    for (uint32_t d = 0; d < plan->from.node_bits && !shares.failed; d++) {
        uint64_t load = busiest(&shares, UINT64_C(1) << plan->from.node_bits, d);
        most = load > most ? load : most;
    }
    free(shares.items);
    return shares.failed ? UINT64_MAX : most;
}

/* The conditions on a sender are linear equations in its address: some node meets all four unless they contradict. */
bool cm_reshape_streams_meet(const struct cm_reshape_stream *a, const struct cm_reshape_stream *b)
{
    uint64_t left[4] = {a->nodes, a->when_nodes, b->nodes, b->when_nodes};
    bool right[4] = {a->sender, a->when, b->sender, b->when};
    if (a->dimension != b->dimension)
        return false;
    for (uint32_t i = 0; i < 4; i++) {
        uint64_t lowest = left[i] & (~left[i] + 1);
        if (left[i] == 0 && right[i])
            return false;
        for (uint32_t k = i + 1; k < 4; k++)
            if (left[k] & lowest) {
                left[k] ^= left[i];
                right[k] = right[k] != right[i];
            }
    }
    return true;
}

static bool collide(const struct cm_reshape_stream *a, const struct cm_reshape_stream *b)
{
    if (a->first_step >= b->first_step + b->count * b->stride ||
        b->first_step >= a->first_step + a->count * a->stride)
        return false;
    if (a->stride == b->stride && a->first_step % a->stride != b->first_step % b->stride)
        return false;
    return cm_reshape_streams_meet(a, b);
}

enum cm_status cm_reshape_plan_check(const struct cm_reshape_plan *plan, struct cm_error *err)
{
    for (uint32_t i = 0; i < plan->stream_count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (collide(&plan->streams[i], &plan->streams[k]))
                return cm_error_set(err, CM_INTERNAL,
                                    "streams %" PRIu32 " and %" PRIu32
                                    " put two elements on one channel of dimension %" PRIu32,
                                    k, i, plan->streams[i].dimension);
    return CM_OK;
}
