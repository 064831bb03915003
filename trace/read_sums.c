/* Busy cycles of channels due to hops within an interval. When the reader opens a trace with many
 * hops, it computes prefix sums: the busy cycles of every channel due to the hops before certain
 * hops. Questions about long intervals use these sums. */
#include "read_private.h"

/* number of prefix sums. Each prefix sum has an entry for each channel */
#define SUMS       32u
#define HOPS_LEAST (UINT64_C(1) << 16) /* least number of hops of a trace that gets prefix sums */

struct interval {
    uint64_t first, end;
};

static size_t channel_count(const struct cm_trace *trace)
{
    return (size_t)trace->info.nodes * trace->info.dimensions * trace->info.channels;
}

static size_t channel_of(const struct cm_trace *trace, const struct cm_read_hop *hop)
{
    return (size_t)(hop->channel / 2) * trace->info.channels + hop->channel % 2;
}

static uint64_t cycles_of(const struct cm_trace *trace, const struct cm_read_hop *hop)
{
    return hop->end > hop->first ? hop->words * trace->info.word_cycles : 0;
}

static uint64_t part_of(const struct cm_trace *trace, const struct cm_read_hop *hop,
                        struct interval in)
{
    return cm_read_part(hop->words * trace->info.word_cycles, hop->first, hop->end, in.first,
                        in.end);
}

static uint64_t hops_a_sum(const struct cm_trace *trace)
{
    return trace->hops.count / SUMS + 1;
}

void cm_read_finish_sums(struct cm_trace *trace)
{
    size_t channels = channel_count(trace);
    uint64_t each = hops_a_sum(trace), *sums = NULL;
    for (uint32_t i = 0; i < trace->hops.count; i++) {
        const struct cm_read_hop *hop = &trace->hops.items[i];
        uint64_t length = hop->end > hop->first ? hop->end - hop->first : 0;
        trace->longest_hop = cm_most(trace->longest_hop, length);
    }
    if (trace->hops.count < HOPS_LEAST)
        return;
    trace->hop_sums = sums = cm_read_allocate(trace, channels * SUMS, sizeof *sums);
    if (sums == NULL)
        return;
    for (uint32_t i = 0; i < trace->hops.count; i++) {
        const struct cm_read_hop *hop = &trace->hops.items[i];
        if (i > 0 && i % each == 0) {
            memcpy(sums + channels, sums, channels * sizeof *sums);
            sums += channels;
        }
        sums[channel_of(trace, hop)] += cycles_of(trace, hop);
    }
}

/* Adds the busy cycles of the first `count` hops to the channels, or subtracts them if `takes` is
 * true. */
static void add_before(const struct cm_trace *trace, uint64_t count, bool takes, uint64_t *busy)
{
    uint64_t each = hops_a_sum(trace), full = count / each, sign = takes ? UINT64_MAX : 1;
    size_t channels = channel_count(trace);
    const uint64_t *sums = full > 0 ? trace->hop_sums + (full - 1) * channels : NULL;
    for (size_t i = 0; sums != NULL && i < channels; i++)
        busy[i] += sign * sums[i];
    for (uint64_t i = full * each; i < count; i++)
        busy[channel_of(trace, &trace->hops.items[i])] +=
            sign * cycles_of(trace, &trace->hops.items[i]);
}

/* Returns the number of hops that begin before a cycle. */
static uint64_t hops_before(const struct cm_trace *trace, uint64_t cycle)
{
    return cycle > 0 ? cm_read_until(trace->hops, first, cycle - 1) : 0;
}

uint64_t cm_read_first_hop(const struct cm_trace *trace, uint64_t cycle)
{
    uint64_t longest = trace->longest_hop;
    return hops_before(trace, cycle > longest ? cycle - longest : 0);
}

void cm_read_add_hops(const struct cm_trace *trace, uint64_t first, uint64_t end, uint64_t *busy)
{
    const struct cm_read_hop *hops = trace->hops.items;
    struct interval in = {first, end};
    uint64_t from = cm_read_first_hop(trace, first), to = hops_before(trace, end);
    if (trace->hop_sums == NULL || to - from < 2 * hops_a_sum(trace)) {
        for (uint64_t i = from; i < to; i++)
            busy[channel_of(trace, &hops[i])] += part_of(trace, &hops[i], in);
        return;
    }
    /* Adds the whole length of every hop that begins within the interval, and the parts of earlier
     * hops that reach into it. Then subtracts the parts of hops that are after its end. */
    uint64_t within = hops_before(trace, first), late = cm_read_first_hop(trace, end);
    add_before(trace, to, false, busy);
    add_before(trace, within, true, busy);
    for (uint64_t i = from; i < within; i++)
        busy[channel_of(trace, &hops[i])] += part_of(trace, &hops[i], in);
    for (uint64_t i = cm_most(late, within); i < to; i++)
        busy[channel_of(trace, &hops[i])] +=
            part_of(trace, &hops[i], in) - cycles_of(trace, &hops[i]);
}
