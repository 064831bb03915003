/* Questions about hops: the hops that cross or wait within an interval, the hops of a packet, and
 * the hops over a channel. */
#include "read_private.h"

static struct cm_trace_hop public_hop(const struct cm_trace *trace, const struct cm_read_hop *hop)
{
    return (struct cm_trace_hop){
        .packet = hop->packet,
        .channel = hop->channel / 2 * trace->info.channels + hop->channel % 2,
        .asked_cycle = hop->asked,
        .first_cycle = hop->first,
        .end_cycle = hop->end,
        .blocked_by = hop->blocker != 0 ? hop->blocker - 1 : UINT64_MAX,
    };
}

void cm_read_finish_hops(struct cm_trace *trace)
{
    uint64_t blocks = trace->hops.count / CM_READ_HOP_BLOCK + 1;
    uint64_t *ends = trace->hop_block_end = cm_read_allocate(trace, blocks, sizeof *ends);
    uint64_t *asked = trace->hop_block_asked = cm_read_allocate(trace, blocks, sizeof *asked);
    for (uint32_t i = 0; ends != NULL && asked != NULL && i < trace->hops.count; i++) {
        uint32_t block = i / CM_READ_HOP_BLOCK;
        const struct cm_read_hop *hop = &trace->hops.items[i];
        ends[block] = cm_most(ends[block], hop->end);
        asked[block] = i % CM_READ_HOP_BLOCK == 0 ? hop->asked : cm_least(asked[block], hop->asked);
    }
}

void cm_read_free_hops(struct cm_trace *trace)
{
    free(trace->hop_block_end);
    free(trace->hop_block_asked);
    free(trace->hop_sums);
    free(trace->cache->by_packet.first);
    free(trace->cache->by_packet.order);
    free(trace->cache->by_channel.first);
    free(trace->cache->by_channel.order);
}

/* Copies and counts the hops that touch an interval: those whose [asked, end) overlaps it. The list
 * of hops is sorted by `first`, so a hop that asked early may be late in the list. Skips whole
 * blocks of hops by their earliest `asked` and their latest `end`. */
uint64_t cm_trace_hops(const struct cm_trace *trace, uint64_t first, uint64_t end,
                       struct cm_trace_hop *hops, uint64_t capacity)
{
    const struct cm_read_hop *all = trace->hops.items;
    uint64_t found = 0;
    for (uint64_t i = 0; i < trace->hops.count;) {
        uint64_t block = i / CM_READ_HOP_BLOCK;
        if (i % CM_READ_HOP_BLOCK == 0 &&
            (trace->hop_block_end[block] <= first || trace->hop_block_asked[block] >= end)) {
            i += CM_READ_HOP_BLOCK;
            continue;
        }
        if (all[i].asked < end && all[i].end > first) {
            if (found < capacity)
                hops[found] = public_hop(trace, &all[i]);
            found++;
        }
        i++;
    }
    return found;
}

static uint32_t key_of(const struct cm_read_hop *hop, bool by_packet)
{
    return by_packet ? hop->packet : hop->channel;
}

/* Builds an index of the hops by packet or by channel, with counting sort. Hops with the same key
 * stay in the order of their first cycles. */
static bool build(const struct cm_trace *trace, struct cm_read_hop_index *index, bool by_packet,
                  uint64_t keys)
{
    uint32_t count = trace->hops.count;
    if (index->order != NULL)
        return true;
    uint32_t *first = cm_read_allocate(trace, keys + 2, sizeof *first);
    uint32_t *order = cm_read_allocate(trace, count + UINT64_C(1), sizeof *order);
    if (first == NULL || order == NULL) {
        free(first);
        free(order);
        return false;
    }
    for (uint32_t i = 0; i < count; i++)
        first[key_of(&trace->hops.items[i], by_packet) + 2]++;
    for (uint64_t k = 2; k < keys + 2; k++)
        first[k] += first[k - 1];
    for (uint32_t i = 0; i < count; i++)
        order[first[key_of(&trace->hops.items[i], by_packet) + 1]++] = i;
    *index = (struct cm_read_hop_index){first, order};
    return true;
}

uint64_t cm_trace_hops_of_packet(const struct cm_trace *trace, uint64_t packet,
                                 struct cm_trace_hop *hops, uint64_t capacity)
{
    struct cm_read_hop_index *index = &trace->cache->by_packet;
    if (packet >= trace->packets.count || !build(trace, index, true, trace->packets.count))
        return 0;
    uint64_t found = index->first[packet + 1] - index->first[packet];
    for (uint64_t i = 0; i < found && i < capacity; i++)
        hops[i] = public_hop(trace, &trace->hops.items[index->order[index->first[packet] + i]]);
    return found;
}

/* Returns the numbers of the hops over a channel, in the order of their first cycles, or NULL. */
static const uint32_t *over_channel(const struct cm_trace *trace, uint32_t channel, uint32_t *count)
{
    const struct cm_trace_info *info = &trace->info;
    struct cm_read_hop_index *index = &trace->cache->by_channel;
    uint64_t pairs = (uint64_t)info->nodes * info->dimensions;
    *count = 0;
    if (channel >= pairs * info->channels || !build(trace, index, false, pairs * 2))
        return NULL;
    uint64_t key = channel / info->channels * UINT64_C(2) + channel % info->channels;
    *count = index->first[key + 1] - index->first[key];
    return index->order + index->first[key];
}

uint64_t cm_trace_hops_of_channel(const struct cm_trace *trace, uint32_t channel, uint64_t first,
                                  uint64_t end, struct cm_trace_hop *hops, uint64_t capacity)
{
    uint32_t count;
    uint64_t found = 0;
    const uint32_t *order = over_channel(trace, channel, &count);
    for (uint32_t i = 0; i < count; i++) {
        const struct cm_read_hop *hop = &trace->hops.items[order[i]];
        if (hop->asked >= end || hop->end <= first)
            continue;
        if (found < capacity)
            hops[found] = public_hop(trace, hop);
        found++;
    }
    return found;
}

/* Finds the hop over a channel that ends at a cycle, by bisection. The hops over a channel are
 * sorted by their ends, because a channel carries one packet at a time. */
bool cm_trace_hop_ending(const struct cm_trace *trace, uint32_t channel, uint64_t cycle,
                         struct cm_trace_hop *hop)
{
    uint32_t low = 0, high, count;
    const uint32_t *order = over_channel(trace, channel, &count);
    for (high = count; low < high;) {
        uint32_t middle = low + (high - low) / 2;
        if (trace->hops.items[order[middle]].end < cycle)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == count || trace->hops.items[order[low]].end != cycle)
        return false;
    *hop = public_hop(trace, &trace->hops.items[order[low]]);
    return true;
}
