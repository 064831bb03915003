/* Reading of the router's packets and hops. The file has their times in word times, and the reader
 * turns them into cycles. */
#include "read_private.h"

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
    uint64_t time = cm_get_from(&r->in, from);
    return cm_expect(&r->in, time < CM_READ_TIME_MAX) ? time : 0;
}

/* Reads the number of a packet in the record of a hop or an arrival, and returns the packet.
 * Returns NULL if the bytes are bad. */
static struct cm_trace_packet *get_packet(struct routed *r)
{
    r->packet = cm_get_from(&r->in, r->packet);
    return cm_expect(&r->in, r->packet < r->trace->packets.count)
               ? &r->trace->packets.items[r->packet]
               : NULL;
}

static void read_begin(struct routed *r)
{
    struct cm_trace *trace = r->trace;
    struct cm_router_options *options = &trace->router;
    trace->router_cycle = cm_get_below(&r->in, CM_TRACE_CYCLES_MAX);
    options->dimensions = cm_get_u32_below(&r->in, trace->info.dimensions + 1u);
    options->channels = cm_get_u32_below(&r->in, 3);
    options->words = cm_get_u32_below(&r->in, CM_ROUTER_WORDS_MAX + 1);
    options->header_words = cm_get_u32_below(&r->in, CM_ROUTER_HEADER_MAX + 1);
    options->buffer_words = cm_get_u32_below(&r->in, UINT64_C(1) << 32);
    options->switching = (enum cm_switching)cm_get_below(&r->in, CM_SWITCHING_WORMHOLE + 1);
    if (options->channels > trace->info.channels)
        /* A router may use more channels of a dimension than exchanges do, so the trace shows as
         * many as the router has. */
        trace->info.channels = options->channels;
    trace->run_windows = trace->windows.count;
    trace->routing = cm_expect(&r->in, options->words > 0);
}

static void read_sent(struct routed *r)
{
    struct cm_trace *trace = r->trace;
    struct cm_trace_packet packet = {.words = trace->router.words, .arrived_cycle = UINT64_MAX};
    packet.source = cm_get_u32_below(&r->in, trace->info.nodes);
    packet.destination = cm_get_u32_below(&r->in, trace->info.nodes);
    r->created = get_time(r, r->created);
    packet.created_cycle = cycle_of(trace, r->created);
    if (cm_expect(&r->in, r->next++ == trace->packets.count))
        cm_list_push(&trace->packets, packet);
}

static void read_hop(struct routed *r)
{
    struct cm_trace *trace = r->trace;
    uint32_t channels = trace->info.nodes * trace->info.dimensions * 2;
    get_packet(r);
    r->channel = (uint32_t)cm_get_from(&r->in, r->channel);
    r->first = get_time(r, r->first);
    uint64_t waited = cm_get_below(&r->in, r->first + 1);
    uint64_t length = cm_get_from(&r->in, trace->router.words);
    uint32_t blocker = waited > 0 ? cm_get_u32_below(&r->in, UINT64_C(1) << 32) : 0;
    if (cm_expect(&r->in, r->channel < channels && r->channel % 2 < trace->info.channels &&
                              length > 0 && length < CM_READ_TIME_MAX))
        cm_list_push(&trace->hops, (struct cm_read_hop){
                                       .asked = cycle_of(trace, r->first - waited),
                                       .first = cycle_of(trace, r->first),
                                       .end = cycle_of(trace, r->first + length),
                                       .packet = (uint32_t)r->packet,
                                       .channel = r->channel,
                                       .blocker = blocker,
                                       .words = trace->router.words,
                                   });
}

static void read_arrived(struct routed *r)
{
    const struct cm_router_options *options = &r->trace->router;
    uint64_t word_cycles = r->trace->info.word_cycles;
    struct cm_trace_packet *packet = get_packet(r);
    uint32_t hops = cm_get_u32_below(&r->in, 64);
    r->arrived = get_time(r, r->arrived);
    if (packet == NULL)
        return;
    struct cm_trace_packet made = *packet;
    made.hops = hops;
    made.arrived_cycle = cycle_of(r->trace, r->arrived);
    uint64_t latency = made.arrived_cycle - made.created_cycle;
    made.header_cycles = cm_router_header_time(options, hops) * word_cycles;
    made.body_cycles = cm_router_body_time(options, hops) * word_cycles;
    made.queueing_cycles = latency - made.header_cycles - made.body_cycles;
    if (cm_expect(&r->in, made.arrived_cycle >= made.created_cycle &&
                              latency >= made.header_cycles + made.body_cycles))
        *packet = made;
}

static void read_window(struct routed *r)
{
    struct cm_trace *trace = r->trace;
    uint64_t channels = (uint64_t)trace->info.nodes * trace->info.dimensions * 2, channel = 0;
    uint64_t first = cm_get_below(&r->in, CM_READ_TIME_MAX);
    uint64_t length = cm_get_below(&r->in, CM_READ_TIME_MAX);
    struct cm_read_routed_window window = {cycle_of(trace, first), cycle_of(trace, first + length),
                                           trace->loads.count, 0};
    window.count = cm_get_u32_below(&r->in, channels + 1);
    cm_expect(&r->in, length > 0);
    for (uint32_t i = 0; i < window.count && !r->in.bad; i++) {
        channel += cm_get_below(&r->in, channels - channel);
        uint32_t words = cm_get_u32_below(&r->in, UINT64_C(1) << 32);
        if (cm_expect(&r->in, channel % 2 < trace->info.channels))
            cm_list_push(&trace->loads, (struct cm_read_load){(uint32_t)channel, words});
    }
    if (!r->in.bad && !trace->loads.failed)
        cm_list_push(&trace->windows, window);
}

static void read_end(struct routed *r)
{
    struct cm_trace *trace = r->trace;
    uint64_t end = cycle_of(trace, cm_get_below(&r->in, CM_READ_TIME_MAX));
    cm_get_below(&r->in, UINT64_C(1) << 48);
    trace->routing = false;
    /* No window of a router run lasts longer than the run. */
    for (uint64_t w = trace->run_windows; w < trace->windows.count; w++) {
        struct cm_read_routed_window *window = &trace->windows.items[w];
        window->end = cm_least(window->end, cm_most(end, window->first + 1));
    }
}

void cm_read_routed(struct cm_trace *trace, struct cm_input_bytes *in)
{
    static void (*const readers[])(struct routed *) = {
        [CM_ROUTED_BEGIN] = read_begin,   [CM_ROUTED_SENT] = read_sent,
        [CM_ROUTED_HOP] = read_hop,       [CM_ROUTED_ARRIVED] = read_arrived,
        [CM_ROUTED_WINDOW] = read_window, [CM_ROUTED_END] = read_end,
    };
    struct routed r = {.trace = trace, .in = *in};
    cm_expect(&r.in, trace->info.dimensions > 0);
    r.packet = r.next = cm_get(&r.in);
    r.first = r.created = r.arrived = cm_get_below(&r.in, CM_READ_TIME_MAX);
    while (r.in.at < r.in.end) {
        unsigned code = cm_get_byte(&r.in);
        if (cm_expect(&r.in, code > 0 && code < sizeof readers / sizeof *readers &&
                                 trace->routing == (code != CM_ROUTED_BEGIN)))
            readers[code](&r);
    }
    in->bad = r.in.bad;
}

static int compare_hops(const void *a, const void *b)
{
    const struct cm_read_hop *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    if (x->channel != y->channel)
        return x->channel < y->channel ? -1 : 1;
    return (x->packet > y->packet) - (x->packet < y->packet);
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

/* Computes the intervals of cycles in which at least one packet waits. The intervals do not
 * overlap. */
static void join_waits(struct cm_trace *trace)
{
    for (uint32_t i = 0; i < trace->hops.count; i++) {
        const struct cm_read_hop *hop = &trace->hops.items[i];
        if (hop->asked != hop->first)
            cm_list_push(&trace->waits, (struct cm_read_wait){hop->asked, hop->first});
    }
    struct cm_read_wait *waits = trace->waits.items;
    uint32_t last = 0;
    if (trace->waits.count == 0)
        return;
    qsort(waits, trace->waits.count, sizeof *waits, compare_waits);
    for (uint32_t i = 1; i < trace->waits.count; i++) {
        if (waits[i].first > waits[last].end)
            waits[++last] = waits[i];
        else
            waits[last].end = cm_most(waits[last].end, waits[i].end);
    }
    trace->waits.count = last + 1;
}

static void sum_windows(struct cm_trace *trace)
{
    uint32_t dimensions = trace->info.dimensions;
    trace->load_sums = cm_read_allocate(
        trace, (trace->windows.count + UINT64_C(1)) * (dimensions + 1) * 2, sizeof(uint64_t));
    for (uint32_t w = 0; trace->load_sums != NULL && w < trace->windows.count; w++) {
        const struct cm_read_routed_window *window = &trace->windows.items[w];
        for (uint64_t i = window->at; i < window->at + window->count; i++) {
            const struct cm_read_load *load = &trace->loads.items[i];
            uint64_t busy = load->words * trace->info.word_cycles;
            uint64_t *sums =
                trace->load_sums + ((size_t)w * dimensions + load->channel / 2 % dimensions) * 2;
            sums[0] += busy;
            sums[1] = cm_most(sums[1], busy);
        }
    }
}

void cm_read_finish_routed(struct cm_trace *trace)
{
    sort_hops(trace);
    join_waits(trace);
    sum_windows(trace);
    cm_read_finish_hops(trace);
    cm_read_finish_sums(trace);
}

const struct cm_trace_packet *cm_trace_packet_at(const struct cm_trace *trace, uint64_t packet)
{
    return packet < trace->packets.count ? &trace->packets.items[packet] : NULL;
}

uint64_t cm_trace_find_blocked(const struct cm_trace *trace, uint64_t cycle)
{
    uint64_t ended = cm_read_until(trace->waits, end, cycle);
    if (ended == trace->waits.count)
        return UINT64_MAX;
    return cm_most(trace->waits.items[ended].first, cycle);
}
