/* Packets of the router: the position of each packet at a cycle, and the number of packets over
 * time. */
#include "packets_private.h"

#include <string.h>

/* number of packets in a block. For each block, the last arrival and the longest wait are stored */
#define BLOCK    256u
#define BINS_MAX (UINT64_C(1) << 20) /* number of time bins, at most */
#define HOPS_MAX 64u

struct cm_view_packets *cm_view_packets_create(const struct cm_trace *trace)
{
    const struct cm_trace_info *info = cm_trace_information(trace);
    struct cm_view_packets *packets = calloc(1, sizeof *packets);
    if (packets == NULL || info->packets == 0)
        return packets;
    packets->block_arrived = calloc(info->packets / BLOCK + 1, sizeof *packets->block_arrived);
    packets->block_waited = calloc(info->packets / BLOCK + 1, sizeof *packets->block_waited);
    packets->traffic.queue = calloc(info->nodes + UINT64_C(1), sizeof *packets->traffic.queue);
    if (packets->block_arrived == NULL || packets->block_waited == NULL ||
        packets->traffic.queue == NULL) {
        cm_view_packets_free(packets);
        return NULL;
    }
    for (uint64_t i = 0; i < info->packets; i++) {
        uint64_t *last = &packets->block_arrived[i / BLOCK];
        uint64_t *longest = &packets->block_waited[i / BLOCK];
        const struct cm_trace_packet *packet = cm_trace_packet_at(trace, i);
        *last = packet->arrived_cycle > *last ? packet->arrived_cycle : *last;
        *longest = packet->queueing_cycles > *longest ? packet->queueing_cycles : *longest;
    }
    return packets;
}

void cm_view_packets_free(struct cm_view_packets *packets)
{
    if (packets == NULL)
        return;
    free(packets->block_arrived);
    free(packets->block_waited);
    free(packets->counts);
    free(packets->matrix);
    free(packets->traffic.queue);
    cm_list_finish(&packets->traffic.messages);
    cm_why_finish(&packets->chain);
    free(packets);
}

bool cm_view_packets_failed(const struct cm_view_packets *packets)
{
    return packets->no_memory || packets->traffic.messages.failed || packets->chain.links.failed;
}

/* Returns the cycle from which a packet waits for a hop: the cycle at which it asks for the
 * channel, or the arrival of its last word at the node, whichever is earlier. The wait ends when
 * its first word leaves. */
static uint64_t waits_from(const struct cm_trace_packet *packet, const struct cm_trace_hop *hops,
                           uint64_t i)
{
    uint64_t here = i == 0 ? packet->created_cycle : hops[i - 1].end_cycle;
    return hops[i].asked_cycle < here ? hops[i].asked_cycle : here;
}

static uint32_t node_of(const struct cm_trace_info *info, uint32_t channel)
{
    return channel / info->channels / info->dimensions;
}

static void place(const struct cm_view_run *run, uint64_t cycle, struct cm_view_message *message)
{
    struct cm_trace_hop hops[HOPS_MAX];
    uint64_t count = cm_trace_hops_of_packet(run->trace, message->packet, hops, HOPS_MAX), i = 0;
    count = count < HOPS_MAX ? count : HOPS_MAX;
    while (i < count && hops[i].first_cycle <= cycle)
        i++;
    if (i > 0 && cycle < hops[i - 1].end_cycle) {
        const struct cm_trace_hop *hop = &hops[i - 1];
        message->channel = hop->channel;
        message->node = node_of(run->info, hop->channel);
        message->part =
            (double)(cycle - hop->first_cycle) / (double)(hop->end_cycle - hop->first_cycle);
    }
    if (i < count && waits_from(message->recorded, hops, i) <= cycle) {
        message->waits = true;
        message->wanted_channel = hops[i].channel;
        message->node = node_of(run->info, hops[i].channel);
        message->since = waits_from(message->recorded, hops, i);
        message->blocked_by = hops[i].blocked_by;
    } else if (i == count && message->channel == CM_TRACE_NONE && count > 0) {
        uint32_t pair = hops[count - 1].channel / run->info->channels;
        message->waits = true;
        message->node = pair / run->info->dimensions ^ UINT32_C(1) << pair % run->info->dimensions;
        message->since = hops[count - 1].end_cycle;
    }
}

static void add_message(const struct cm_view_run *run, uint64_t number, uint64_t cycle,
                        struct cm_view_traffic *traffic)
{
    const struct cm_trace_packet *packet = cm_trace_packet_at(run->trace, number);
    if (packet->created_cycle > cycle || packet->arrived_cycle <= cycle)
        return;
    struct cm_view_message message = {.packet = number,
                                      .recorded = packet,
                                      .channel = CM_TRACE_NONE,
                                      .wanted_channel = CM_TRACE_NONE,
                                      .node = packet->source,
                                      .blocked_by = UINT64_MAX};
    place(run, cycle, &message);
    if (message.waits) {
        uint32_t length = ++traffic->queue[message.node];
        traffic->longest = length > traffic->longest ? length : traffic->longest;
        traffic->waiting++;
    }
    cm_list_push(&traffic->messages, message);
}

const struct cm_view_traffic *cm_view_traffic(const struct cm_view_run *run, uint64_t cycle)
{
    struct cm_view_packets *packets = run->packets;
    struct cm_view_traffic *traffic = &packets->traffic;
    if (run->info->packets == 0)
        return NULL;
    if (packets->traffic_known && packets->traffic_cycle == cycle)
        return traffic;
    packets->traffic_known = true;
    packets->traffic_cycle = cycle;
    traffic->messages.count = 0;
    traffic->waiting = traffic->longest = 0;
    memset(traffic->queue, 0, run->info->nodes * sizeof *traffic->queue);
    for (uint64_t i = 0; i < run->info->packets; i++) {
        if (i % BLOCK == 0) { /* packets are numbered in order of creation */
            if (cm_trace_packet_at(run->trace, i)->created_cycle > cycle)
                break;
            if (packets->block_arrived[i / BLOCK] <= cycle) {
                i += BLOCK - 1;
                continue;
            }
        }
        add_message(run, i, cycle, traffic);
    }
    return traffic;
}

/* Adds 1 to a count of packets from cycle `first` until cycle `end`. The bins hold differences from
 * bin to bin until all packets are counted. */
static void count(struct cm_view_packets *packets, uint64_t first, uint64_t end, size_t member)
{
    uint64_t at[2] = {first / packets->bin, end / packets->bin};
    for (int i = 0; i < 2; i++) {
        if (at[i] >= packets->bins)
            continue;
        uint32_t *counter = (uint32_t *)((char *)&packets->counts[at[i]] + member);
        *counter += i == 0 ? 1u : UINT32_MAX; /* minus one */
    }
}

static void count_packet(const struct cm_view_run *run, uint64_t number)
{
    struct cm_trace_hop hops[HOPS_MAX];
    const struct cm_trace_packet *packet = cm_trace_packet_at(run->trace, number);
    uint64_t found = cm_trace_hops_of_packet(run->trace, number, hops, HOPS_MAX);
    count(run->packets, packet->created_cycle, packet->arrived_cycle,
          offsetof(struct cm_view_counts, in_flight));
    count(run->packets, packet->arrived_cycle, UINT64_MAX,
          offsetof(struct cm_view_counts, arrived));
    for (uint64_t i = 0; i < found && i < HOPS_MAX; i++)
        count(run->packets, waits_from(packet, hops, i), hops[i].first_cycle,
              offsetof(struct cm_view_counts, waiting));
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static void count_all(const struct cm_view_run *run)
{
    struct cm_view_packets *packets = run->packets;
    const struct cm_trace_info *info = run->info;
    packets->counted = true;
    packets->bin = info->cycles / BINS_MAX + 1;
    packets->bin = packets->bin < info->word_cycles ? info->word_cycles : packets->bin;
    packets->bins = info->cycles / packets->bin + 1;
    packets->counts = calloc(packets->bins, sizeof *packets->counts);
    if (packets->counts == NULL) {
        packets->no_memory = true;
        return;
    }
    for (uint64_t i = 0; i < info->packets; i++)
        count_packet(run, i);
    struct cm_view_counts *counts = packets->counts, *most = &packets->most;
    for (uint64_t i = 0; i < packets->bins; i++) {
        if (i > 0) {
            counts[i].in_flight += counts[i - 1].in_flight;
            counts[i].waiting += counts[i - 1].waiting;
            counts[i].arrived += counts[i - 1].arrived;
        }
        *most = (struct cm_view_counts){larger(most->in_flight, counts[i].in_flight),
                                        larger(most->waiting, counts[i].waiting),
                                        larger(most->arrived, counts[i].arrived)};
    }
}

struct cm_view_counts cm_view_count_packets(const struct cm_view_run *run, uint64_t cycle)
{
    const struct cm_view_packets *packets = run->packets;
    if (!packets->counted)
        count_all(run);
    if (packets->counts == NULL || cycle / packets->bin >= packets->bins)
        return (struct cm_view_counts){0, 0, 0};
    return packets->counts[cycle / packets->bin];
}

struct cm_view_counts cm_view_most_packets(const struct cm_view_run *run)
{
    if (!run->packets->counted)
        count_all(run);
    return run->packets->most;
}

/* Returns true if no packet of a block can be in the list of longest waits: all have arrived before
 * the interval, or none waited longer than `waited`. */
static bool may_skip(const struct cm_view_packets *packets, uint64_t block, uint64_t waited)
{
    return packets->block_arrived[block] <= packets->longest_first ||
           packets->block_waited[block] <= waited;
}

static void find_longest(const struct cm_view_run *run, struct cm_view_packets *packets)
{
    /* `least` is the shortest wait in a full list */
    uint64_t *longest = packets->longest, least = 0;
    uint32_t count = 0;
    for (uint64_t i = 0; i < run->info->packets; i++) {
        if (i % BLOCK == 0 && may_skip(packets, i / BLOCK, least)) {
            i += BLOCK - 1;
            continue;
        }
        const struct cm_trace_packet *packet = cm_trace_packet_at(run->trace, i);
        if (packet->created_cycle >= packets->longest_end)
            break;
        uint64_t waited = packet->queueing_cycles;
        bool full = count == CM_VIEW_LONGEST;
        if (packet->arrived_cycle <= packets->longest_first || waited <= least)
            continue;
        uint32_t at = full ? count - 1 : count++;
        for (; at > 0 && cm_trace_packet_at(run->trace, longest[at - 1])->queueing_cycles < waited;
             at--)
            longest[at] = longest[at - 1];
        longest[at] = i;
        if (count == CM_VIEW_LONGEST)
            least = cm_trace_packet_at(run->trace, longest[count - 1])->queueing_cycles;
    }
    packets->longest_count = count;
}

uint32_t cm_view_longest_waits(const struct cm_view_run *run, uint64_t first, uint64_t end,
                               const uint64_t **found)
{
    struct cm_view_packets *packets = run->packets;
    if (!packets->longest_known || packets->longest_first != first || packets->longest_end != end) {
        packets->longest_known = true;
        packets->longest_first = first;
        packets->longest_end = end;
        find_longest(run, packets);
    }
    *found = packets->longest;
    return packets->longest_count;
}

static void add_waits_of(const struct cm_view_run *run, uint64_t number, uint64_t first,
                         uint64_t end, uint64_t *of_node)
{
    struct cm_trace_hop hops[HOPS_MAX];
    const struct cm_trace_packet *packet = cm_trace_packet_at(run->trace, number);
    uint64_t found = cm_trace_hops_of_packet(run->trace, number, hops, HOPS_MAX);
    for (uint64_t i = 0; i < found && i < HOPS_MAX; i++) {
        uint64_t from = waits_from(packet, hops, i), to = hops[i].first_cycle;
        from = from > first ? from : first;
        to = to < end ? to : end;
        of_node[node_of(run->info, hops[i].channel)] += to > from ? to - from : 0;
    }
}

void cm_view_add_waits(const struct cm_view_run *run, uint64_t first, uint64_t end,
                       uint64_t *of_node)
{
    for (uint64_t i = 0; i < run->info->packets; i++) {
        if (i % BLOCK == 0 && run->packets->block_arrived[i / BLOCK] <= first) {
            i += BLOCK - 1;
            continue;
        }
        /* this packet and all later ones are created after the interval */
        if (cm_trace_packet_at(run->trace, i)->created_cycle >= end)
            break;
        if (cm_trace_packet_at(run->trace, i)->arrived_cycle > first)
            add_waits_of(run, i, first, end, of_node);
    }
}

#define CHAIN_MAX 64u /* number of instructions in a chain, at most */

const struct cm_why *cm_view_chain(const struct cm_view_run *run, uint64_t packet, uint64_t cycle)
{
    struct cm_view_packets *packets = run->packets;
    if (!packets->chain_known || packets->chain_packet != packet || packets->chain_cycle != cycle) {
        cm_why_finish(&packets->chain);
        packets->chain_known = true;
        packets->chain_packet = packet;
        packets->chain_cycle = cycle;
        bool done = packet == UINT64_MAX
                        ? cm_why_instruction(run->trace, cycle, CHAIN_MAX, &packets->chain)
                        : cm_why_packet(run->trace, packet, cycle, &packets->chain);
        packets->no_memory = packets->no_memory || !done;
    }
    return packets->chain.links.count > 0 ? &packets->chain : NULL;
}
