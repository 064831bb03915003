/* The router's packets and hops, in cycles. */
#include "read_private.h"

#define HOP_BLOCK 256u /* hops whose latest end is kept */

struct routed {
    struct cm_trace *trace;
    struct cm_input_bytes in;
    uint64_t packet, next, first, created, arrived;
    uint32_t channel;
};

static uint64_t cycle_of(const struct cm_trace *trace, uint64_t word_time)
{
    return trace->router_cycle + word_time * trace->info.word_cycles;
}

static uint64_t get_time(struct routed *r, uint64_t from)
{
    uint64_t time = from + cm_unzigzag(cm_get(&r->in));
    r->in.bad = r->in.bad || time >= CM_READ_TIME_MAX;
    return r->in.bad ? 0 : time;
}

static struct cm_trace_packet *packet_numbered(struct routed *r, uint64_t number)
{
    if (number >= r->trace->packets.count) {
        r->in.bad = true;
        return NULL;
    }
    return &CM_ITEMS(r->trace->packets, struct cm_trace_packet)[number];
}

static bool read_begin(struct routed *r)
{
    struct cm_trace *trace = r->trace;
    struct cm_router_options *options = &trace->router;
    trace->router_cycle = cm_get_below(&r->in, CM_TRACE_CYCLES_MAX);
    options->dimensions = (uint32_t)cm_get_below(&r->in, trace->info.dimensions + 1u);
    options->channels = (uint32_t)cm_get_below(&r->in, 3);
    options->words = (uint32_t)cm_get_below(&r->in, CM_ROUTER_WORDS_MAX + 1);
    options->header_words = (uint32_t)cm_get_below(&r->in, CM_ROUTER_HEADER_MAX + 1);
    options->buffer_words = (uint32_t)cm_get_below(&r->in, UINT64_C(1) << 32);
    options->switching = (enum cm_switching)cm_get_below(&r->in, CM_SWITCHING_WORMHOLE + 1);
    if (options->channels > trace->info.channels)
        trace->info.channels =
            options->channels; /* a router may be given more than the machine has */
    trace->run_windows = trace->windows.count;
    trace->routing = !r->in.bad && options->words > 0;
    return trace->routing;
}

static bool read_sent(struct routed *r)
{
    uint64_t source = cm_get_below(&r->in, r->trace->info.nodes);
    uint64_t destination = cm_get_below(&r->in, r->trace->info.nodes);
    r->created = get_time(r, r->created);
    struct cm_trace_packet *packet = r->in.bad || r->next != r->trace->packets.count
                                         ? NULL
                                         : cm_list_add(&r->trace->packets, sizeof *packet);
    if (packet == NULL)
        return false;
    r->next++;
    *packet = (struct cm_trace_packet){
        .source = (uint32_t)source,
        .destination = (uint32_t)destination,
        .words = r->trace->router.words,
        .created_cycle = cycle_of(r->trace, r->created),
        .arrived_cycle = UINT64_MAX,
    };
    return true;
}

static bool read_hop(struct routed *r)
{
    struct cm_trace *trace = r->trace;
    uint64_t channels = (uint64_t)trace->info.nodes * trace->info.dimensions * 2, blocker = 0;
    r->packet += cm_unzigzag(cm_get(&r->in));
    r->channel += (uint32_t)cm_unzigzag(cm_get(&r->in));
    r->first = get_time(r, r->first);
    uint64_t waited = cm_get_below(&r->in, r->first + 1);
    uint64_t length = trace->router.words + cm_unzigzag(cm_get(&r->in));
    if (waited > 0)
        blocker = cm_get_below(&r->in, UINT64_C(1) << 32);
    if (r->in.bad || packet_numbered(r, r->packet) == NULL || r->channel >= channels ||
        r->channel % 2 >= trace->info.channels || length == 0 || length >= CM_READ_TIME_MAX)
        return false;
    struct cm_read_hop *hop = cm_list_add(&trace->hops, sizeof *hop);
    if (hop == NULL)
        return false;
    *hop = (struct cm_read_hop){
        .asked = cycle_of(trace, r->first - waited),
        .first = cycle_of(trace, r->first),
        .end = cycle_of(trace, r->first + length),
        .packet = (uint32_t)r->packet,
        .channel = r->channel,
        .blocker = (uint32_t)blocker,
        .words = trace->router.words,
    };
    return true;
}

static bool read_arrived(struct routed *r)
{
    const struct cm_router_options *options = &r->trace->router;
    r->packet += cm_unzigzag(cm_get(&r->in));
    uint64_t hops = cm_get_below(&r->in, 64);
    r->arrived = get_time(r, r->arrived);
    struct cm_trace_packet *packet = r->in.bad ? NULL : packet_numbered(r, r->packet);
    if (packet == NULL)
        return false;
    packet->hops = (uint32_t)hops;
    packet->arrived_cycle = cycle_of(r->trace, r->arrived);
    uint64_t word_cycles = r->trace->info.word_cycles;
    uint64_t latency = packet->arrived_cycle - packet->created_cycle;
    packet->header_cycles = cm_router_header_time(options, packet->hops) * word_cycles;
    packet->body_cycles = cm_router_body_time(options, packet->hops) * word_cycles;
    if (packet->arrived_cycle < packet->created_cycle ||
        latency < packet->header_cycles + packet->body_cycles)
        return false;
    packet->queueing_cycles = latency - packet->header_cycles - packet->body_cycles;
    return true;
}

static bool read_window(struct routed *r)
{
    struct cm_trace *trace = r->trace;
    uint64_t channels = (uint64_t)trace->info.nodes * trace->info.dimensions * 2, channel = 0;
    uint64_t first = cm_get_below(&r->in, CM_READ_TIME_MAX);
    uint64_t length = cm_get_below(&r->in, CM_READ_TIME_MAX);
    uint64_t count = cm_get_below(&r->in, channels + 1);
    struct cm_read_routed_window *window =
        r->in.bad || length == 0 ? NULL : cm_list_add(&trace->windows, sizeof *window);
    if (window == NULL)
        return false;
    *window = (struct cm_read_routed_window){
        cycle_of(trace, first), cycle_of(trace, first + length), trace->loads.count, 0};
    for (uint64_t i = 0; i < count; i++) {
        channel += cm_get_below(&r->in, channels - channel);
        uint64_t words = cm_get_below(&r->in, UINT64_C(1) << 32);
        struct cm_read_load *load = r->in.bad || channel % 2 >= trace->info.channels
                                        ? NULL
                                        : cm_list_add(&trace->loads, sizeof *load);
        if (load == NULL)
            return false;
        *load = (struct cm_read_load){(uint32_t)channel, (uint32_t)words};
        window->count++;
    }
    return true;
}

static bool read_end(struct routed *r)
{
    struct cm_trace *trace = r->trace;
    uint64_t end = cycle_of(trace, cm_get_below(&r->in, CM_READ_TIME_MAX));
    cm_get_below(&r->in, UINT64_C(1) << 48);
    trace->routing = false;
    /* The last window is as long as the run. */
    for (uint64_t w = trace->run_windows; w < trace->windows.count; w++) {
        struct cm_read_routed_window *window =
            &CM_ITEMS(trace->windows, struct cm_read_routed_window)[w];
        if (window->end > end)
            window->end = end > window->first ? end : window->first + 1;
    }
    return !r->in.bad;
}

static bool read_one(struct routed *r)
{
    unsigned code = cm_get_byte(&r->in);
    if (code == CM_ROUTED_BEGIN)
        return !r->trace->routing && read_begin(r);
    if (!r->trace->routing)
        return false;
    switch (code) {
    case CM_ROUTED_SENT:
        return read_sent(r);
    case CM_ROUTED_HOP:
        return read_hop(r);
    case CM_ROUTED_ARRIVED:
        return read_arrived(r);
    case CM_ROUTED_WINDOW:
        return read_window(r);
    case CM_ROUTED_END:
        return read_end(r);
    default:
        return false;
    }
}

bool cm_read_routed(struct cm_trace *trace, struct cm_input_bytes in)
{
    struct routed r = {.trace = trace, .in = in};
    if (trace->info.dimensions == 0)
        return false;
    r.packet = r.next = cm_get(&r.in);
    r.first = r.created = r.arrived = cm_get_below(&r.in, CM_READ_TIME_MAX);
    while (!r.in.bad && r.in.at < r.in.end)
        if (!read_one(&r))
            return false;
    return !r.in.bad;
}

static int compare_hops(const void *a, const void *b)
{
    const struct cm_read_hop *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return (x->channel > y->channel) - (x->channel < y->channel);
}

static int compare_waits(const void *a, const void *b)
{
    const struct cm_read_wait *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

static void sort_hops(struct cm_trace *trace)
{
    struct cm_read_hop *hops = trace->hops.items;
    bool sorted = true;
    for (uint64_t i = 1; i < trace->hops.count; i++)
        sorted = sorted && hops[i - 1].first <= hops[i].first;
    if (!sorted)
        qsort(hops, trace->hops.count, sizeof *hops, compare_hops);
}

/* Intervals of cycles in which some packet waits, apart from each other. */
static bool join_waits(struct cm_trace *trace)
{
    const struct cm_read_hop *hops = trace->hops.items;
    for (uint64_t i = 0; i < trace->hops.count; i++) {
        if (hops[i].asked == hops[i].first)
            continue;
        struct cm_read_wait *wait = cm_list_add(&trace->waits, sizeof *wait);
        if (wait == NULL)
            return false;
        *wait = (struct cm_read_wait){hops[i].asked, hops[i].first};
    }
    struct cm_read_wait *waits = trace->waits.items;
    uint64_t count = 0;
    if (trace->waits.count == 0)
        return true;
    qsort(waits, trace->waits.count, sizeof *waits, compare_waits);
    for (uint64_t i = 1; i < trace->waits.count; i++) {
        if (waits[i].first > waits[count].end)
            waits[++count] = waits[i];
        else if (waits[i].end > waits[count].end)
            waits[count].end = waits[i].end;
    }
    trace->waits.count = count + 1;
    return true;
}

/* Hops by packet, by counting. */
static bool index_packets(struct cm_trace *trace)
{
    const struct cm_read_hop *hops = trace->hops.items;
    uint64_t count = trace->packets.count;
    trace->packet_hops_at = calloc(count + 2, sizeof *trace->packet_hops_at);
    trace->hops_by_packet = calloc(trace->hops.count + 1, sizeof *trace->hops_by_packet);
    if (trace->packet_hops_at == NULL || trace->hops_by_packet == NULL)
        return false;
    uint64_t *at = trace->packet_hops_at;
    for (uint64_t i = 0; i < trace->hops.count; i++)
        at[hops[i].packet + 2]++;
    for (uint64_t p = 2; p < count + 2; p++)
        at[p] += at[p - 1];
    for (uint64_t i = 0; i < trace->hops.count; i++)
        trace->hops_by_packet[at[hops[i].packet + 1]++] = i;
    return true;
}

static bool sum_windows(struct cm_trace *trace)
{
    const struct cm_read_routed_window *windows = trace->windows.items;
    const struct cm_read_load *loads = trace->loads.items;
    uint32_t dimensions = trace->info.dimensions;
    trace->load_sums =
        calloc((trace->windows.count + 1) * (dimensions + 1) * 2, sizeof *trace->load_sums);
    if (trace->load_sums == NULL)
        return false;
    for (uint64_t w = 0; w < trace->windows.count; w++)
        for (uint32_t i = 0; i < windows[w].count; i++) {
            const struct cm_read_load *load = &loads[windows[w].at + i];
            uint64_t busy = load->words * trace->info.word_cycles;
            uint64_t *sums =
                trace->load_sums + (w * dimensions + load->channel / 2 % dimensions) * 2;
            sums[0] += busy;
            sums[1] = busy > sums[1] ? busy : sums[1];
        }
    return true;
}

bool cm_read_finish_routed(struct cm_trace *trace)
{
    uint64_t blocks = trace->hops.count / HOP_BLOCK + 1;
    sort_hops(trace);
    trace->hop_block_end = calloc(blocks, sizeof *trace->hop_block_end);
    if (trace->hop_block_end == NULL || !join_waits(trace) || !index_packets(trace) ||
        !sum_windows(trace))
        return false;
    const struct cm_read_hop *hops = trace->hops.items;
    for (uint64_t i = 0; i < trace->hops.count; i++)
        if (hops[i].end > trace->hop_block_end[i / HOP_BLOCK])
            trace->hop_block_end[i / HOP_BLOCK] = hops[i].end;
    return true;
}

const struct cm_trace_packet *cm_trace_packet_at(const struct cm_trace *trace, uint64_t packet)
{
    return packet < trace->packets.count ? &CM_ITEMS(trace->packets, struct cm_trace_packet)[packet]
                                         : NULL;
}

static struct cm_trace_hop tell(const struct cm_trace *trace, const struct cm_read_hop *hop)
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

/* A hop touches an interval from when its packet asks until its last word has gone. What asks early
 * may go late: of the hops after the interval all must be looked at, of those before, blocks that
 * end before it need not. */
uint64_t cm_trace_hops(const struct cm_trace *trace, uint64_t first, uint64_t end,
                       struct cm_trace_hop *hops, uint64_t capacity)
{
    const struct cm_read_hop *all = trace->hops.items;
    uint64_t found = 0;
    for (uint64_t i = 0; i < trace->hops.count;) {
        if (i % HOP_BLOCK == 0 && trace->hop_block_end[i / HOP_BLOCK] <= first) {
            i += HOP_BLOCK;
            continue;
        }
        if (all[i].asked < end && all[i].end > first) {
            if (found < capacity)
                hops[found] = tell(trace, &all[i]);
            found++;
        }
        i++;
    }
    return found;
}

uint64_t cm_trace_hops_of_packet(const struct cm_trace *trace, uint64_t packet,
                                 struct cm_trace_hop *hops, uint64_t capacity)
{
    const struct cm_read_hop *all = trace->hops.items;
    if (packet >= trace->packets.count)
        return 0;
    uint64_t first = trace->packet_hops_at[packet], end = trace->packet_hops_at[packet + 1];
    for (uint64_t i = first; i < end && i - first < capacity; i++)
        hops[i - first] = tell(trace, &all[trace->hops_by_packet[i]]);
    return end - first;
}

uint64_t cm_trace_find_blocked(const struct cm_trace *trace, uint64_t cycle)
{
    const struct cm_read_wait *waits = trace->waits.items;
    uint64_t low = 0, high = trace->waits.count; /* waits before low end at or before the cycle */
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (waits[middle].end <= cycle)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == trace->waits.count)
        return UINT64_MAX;
    return waits[low].first > cycle ? waits[low].first : cycle;
}
