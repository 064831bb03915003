/* What a plan puts on the channels: the busiest link, and whether any would carry two elements at once. */
#include "reshape_streams.h"

#include <inttypes.h>
#include <stdlib.h>

/* Elements that nodes of one parity send over one dimension. */
struct share {
    uint64_t nodes;
    uint64_t count;
    uint32_t dimension;
    bool sender;
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
            item->sender == share.sender) {
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

static void add_stream_share(struct shares *shares, const struct cm_reshape_stream *stream)
{
    add_share(shares, (struct share){.nodes = stream->nodes,
                                     .count = stream->count,
                                     .dimension = stream->dimension,
                                     .sender = stream->sender});
}

/* In a mixed round half of every node's elements cross each of its dimensions. */
static void add_round_shares(struct shares *shares, const struct cm_reshape_plan *plan)
{
    for (uint32_t i = 0; i < plan->swap_stream_count; i++)
        add_stream_share(shares, &plan->swap_streams[i]);
    for (uint32_t i = 0; i < plan->swap_count; i++) {
        const struct cm_reshape_swap *swap = &plan->swaps[i];
        /* The mask 0 has parity 0 everywhere. */
        if (swap->first_is_local != swap->second_is_local)
            add_share(shares, (struct share){.count = plan->elements / 2,
                                             .dimension = swap->first_is_local ? swap->second
                                                                               : swap->first});
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
                (__builtin_parityll(node & share->nodes) != 0) == share->sender)
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
    for (uint32_t i = 0; i < plan->stream_count; i++)
        add_stream_share(&shares, &plan->streams[i]);
    add_round_shares(&shares, plan);
    for (uint32_t d = 0; d < plan->from.node_bits && !shares.failed; d++) {
        uint64_t load = busiest(&shares, UINT64_C(1) << plan->from.node_bits, d);
        most = load > most ? load : most;
    }
    free(shares.items);
    return shares.failed ? UINT64_MAX : most;
}

/* True when some node would send elements of both at one step over one channel. */
static bool collide(const struct cm_reshape_stream *a, const struct cm_reshape_stream *b)
{
    if (a->dimension != b->dimension || a->first_step >= b->first_step + b->count * b->stride ||
        b->first_step >= a->first_step + a->count * a->stride)
        return false;
    if (a->stride == b->stride && a->first_step % a->stride != b->first_step % b->stride)
        return false;
    return a->nodes != b->nodes || a->sender == b->sender;
}

static enum cm_status check_streams(const struct cm_reshape_stream *streams, uint32_t count,
                                    struct cm_error *err)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (collide(&streams[i], &streams[k]))
                return cm_error_set(err, CM_INTERNAL,
                                    "streams %" PRIu32 " and %" PRIu32
                                    " put two elements on one channel of dimension %" PRIu32,
                                    k, i, streams[i].dimension);
    return CM_OK;
}

/* No dimension and no local bit takes part in two swaps of one round. */
static enum cm_status check_round(const struct cm_reshape_plan *plan,
                                  const struct cm_reshape_round *round, struct cm_error *err)
{
    uint64_t seen[2] = {0, 0};
    for (uint32_t i = 0; i < round->swap_count; i++) {
        const struct cm_reshape_swap *swap = &plan->swaps[round->first_swap + i];
        for (uint32_t side = 0; side < 2; side++) {
            uint64_t *mask = &seen[side == 0 ? swap->first_is_local : swap->second_is_local];
            uint32_t place = side == 0 ? swap->first : swap->second;
            if (*mask >> place & 1)
                return cm_error_set(err, CM_INTERNAL,
                                    "two swaps of one round put two elements on one channel or in "
                                    "one place: dimension or local bit %" PRIu32,
                                    place);
            *mask |= UINT64_C(1) << place;
        }
    }
    if (round->stream_count == 0)
        return CM_OK;
    return check_streams(&plan->swap_streams[round->first_stream], round->stream_count, err);
}

enum cm_status cm_reshape_plan_check(const struct cm_reshape_plan *plan, struct cm_error *err)
{
    enum cm_status status = check_streams(plan->streams, plan->stream_count, err);
    for (uint32_t i = 0; status == CM_OK && i < plan->round_count; i++)
        status = check_round(plan, &plan->rounds[i], err);
    return status;
}
