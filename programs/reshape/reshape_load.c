/* Load of a reshape plan on the channels: the busiest link, and whether two streams can share a
 * channel. */
#include "../../base/list.h"
#include "reshape_streams.h"

#include <inttypes.h>
#include <string.h>

/* Number of elements that some nodes send over one dimension. */
struct share {
    struct cm_reshape_nodes nodes;
    uint64_t count;
    uint32_t dimension;
};

struct shares {
    CM_LIST(struct share) list;
};

static void add_share(struct shares *shares, struct share share)
{
    for (uint32_t i = 0; i < shares->list.count; i++) {
        struct share *known = &shares->list.items[i];
        if (known->dimension == share.dimension &&
            cm_reshape_nodes_equal(&known->nodes, &share.nodes)) {
            known->count += share.count;
            return;
        }
    }
    cm_list_push(&shares->list, share);
}

static void add_stream_share(struct shares *shares, const struct cm_reshape_stream *stream)
{
    add_share(shares, (struct share){cm_reshape_nodes_of(stream, stream->sender), stream->count,
                                     stream->dimension});
}

/* Adds the loads of the second phase's rounds. In a mixed round half of every node's elements cross
 * each dimension. */
static void add_round_shares(struct shares *shares, const struct cm_reshape_plan *plan)
{
    for (uint32_t i = 0; i < plan->swap_stream_count; i++)
        add_stream_share(shares, &plan->swap_streams[i]);
    for (uint32_t i = 0; i < plan->swap_count; i++) {
        const struct cm_reshape_swap *swap = &plan->swaps[i];
        /* half of the elements of every node cross, because no condition restricts the nodes */
        if (swap->first_is_local != swap->second_is_local)
            add_share(shares, (struct share){.count = plan->elements / 2,
                                             .dimension = swap->first_is_local ? swap->second
                                                                               : swap->first});
    }
}

/* Returns the largest number of elements over a link of `dimension`. */
static uint64_t busiest(const struct shares *shares, uint64_t nodes, uint32_t dimension)
{
    uint64_t most = 0;
    for (uint64_t node = 0; node < nodes; node++) {
        uint64_t load = 0;
        for (uint32_t i = 0; i < shares->list.count; i++) {
            const struct share *share = &shares->list.items[i];
            if (share->dimension == dimension && cm_reshape_nodes_have(&share->nodes, node))
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
    for (uint32_t d = 0; d < plan->from.node_bits; d++) {
        uint64_t load = busiest(&shares, UINT64_C(1) << plan->from.node_bits, d);
        most = load > most ? load : most;
    }
    if (shares.list.failed)
        most = UINT64_MAX;
    cm_list_finish(&shares.list);
    return most;
}

/* True if some node sends elements of both streams. The conditions on a sender are linear equations
 * in its address, so such a node exists unless the equations contradict each other. */
bool cm_reshape_streams_meet(const struct cm_reshape_stream *a, const struct cm_reshape_stream *b)
{
    struct cm_reshape_condition all[2 * CM_RESHAPE_ALL_CONDITIONS];
    const struct cm_reshape_nodes senders[2] = {cm_reshape_nodes_of(a, a->sender),
                                                cm_reshape_nodes_of(b, b->sender)};
    const uint32_t count = sizeof all / sizeof *all;
    if (a->dimension != b->dimension || a->dimension == CM_RESHAPE_WITHIN)
        return false;
    memcpy(all, senders, sizeof all);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t lowest = all[i].nodes & (~all[i].nodes + 1);
        if (all[i].nodes == 0 && all[i].value)
            return false;
        for (uint32_t k = i + 1; k < count; k++)
            if (all[k].nodes & lowest) {
                all[k].nodes ^= all[i].nodes;
                all[k].value = all[k].value != all[i].value;
            }
    }
    return true;
}
