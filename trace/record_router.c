/*
 * Recording of the router's packets and hops. The first CM_TRACE_HOPS_KEPT hops of a trace are
 * recorded individually. For later hops, the trace only has the number of words that each channel
 * carries in each window of word times.
 *
 * A record of a packet or hop holds differences from the previous record. Most hops fit into eight
 * bytes: a loop that the compiler vectorizes encodes many hops, then a second loop writes them.
 * put_any_hop writes hops with larger numbers.
 */
#include "record_private.h"

#include "../base/huge.h"

/* limit on the bytes of a block, so that the block stays in the host's cache */
#define BLOCK_BYTES (UINT32_C(1) << 16)
#define WINDOW_MIN  UINT64_C(1024) /* least number of word times of a window */
#define NEVER       UINT64_MAX
/* largest number of bytes of a record, except for windows */
#define RECORD_BYTES (8u * CM_NUMBER_MAX_BYTES)
#define SMALL        (1u << 7)  /* numbers below this take one byte */
#define MEDIUM       (1u << 14) /* numbers below this are written with two bytes */
/* numbers below this are written with three bytes */
#define LARGE      (1u << 21)
#define SHORT_HOPS 256u /* most hops that are encoded together */
#define RARE       __attribute__((noinline, cold)) static

static uint32_t channel_count(const struct cm_recorder *r)
{
    return r->nodes * r->dimensions * 2;
}

/* Allocates the arrays that the recording of a router run needs. Leaves out arrays that the
 * router's options do not need, because allocation would dominate the time of a short recording. */
static bool allocate(struct cm_recorder *r, const struct cm_router_options *options)
{
    struct cm_recorder_router *router = &r->router;
    size_t count = channel_count(r) + 1u;
    bool gaps = options->switching == CM_SWITCHING_WORMHOLE;
    if (router->holders == NULL)
        router->holders = calloc(count, sizeof *router->holders);
    if (gaps && router->open == NULL)
        router->open = cm_huge_allocate(count * sizeof *router->open);
    return router->holders != NULL && (!gaps || router->open != NULL);
}

/* Begins a block of router records. The records are differences from values at the block's
 * beginning, so a reader can decode the block alone. A block that is not full always has room for
 * one more record. */
static void begin_block(struct cm_recorder *r)
{
    struct cm_recorder_router *router = &r->router;
    router->packet = router->packet_base + router->sent;
    router->channel = 0;
    r->routed.length = 0;
    if (!cm_bytes_room(&r->routed, BLOCK_BYTES + RECORD_BYTES)) {
        cm_recorder_fail(r);
        return;
    }
    cm_put(&r->routed, router->packet, router->first);
}

RARE void flush(struct cm_recorder *r)
{
    if (r->routed.failed)
        cm_recorder_fail(r);
    cm_recorder_define(r);
    cm_recorder_block(r, CM_BLOCK_ROUTER, &r->routed);
    r->router.created = r->router.arrived = r->router.first;
    begin_block(r);
}

static inline char *next_record(const struct cm_recorder *r)
{
    return r->routed.data + r->routed.length;
}

static inline void flush_full(struct cm_recorder *r)
{
    if (r->routed.length >= BLOCK_BYTES)
        flush(r);
}

static inline void end_record(struct cm_recorder *r, const char *end)
{
    r->routed.length = (size_t)(end - r->routed.data);
}

/* Writes a record of three numbers. If all numbers are small, which is frequent, one store writes
 * the record. */
static inline char *write_three(char *at, enum cm_trace_routed code, uint64_t first,
                                uint64_t second, uint64_t third)
{
    if ((first | second) < MEDIUM && third < SMALL) {
        cm_write_bytes(at, code | cm_two_numbers(first, second) << 8 | third << 40);
        return at + 6;
    }
    *at++ = (char)code;
    at = cm_write_number(at, first);
    at = cm_write_number(at, second);
    return cm_write_number(at, third);
}

void cm_recorder_router_begins(void *context, const struct cm_router_options *options,
                               uint64_t cycle)
{
    struct cm_recorder *r = context;
    struct cm_recorder_router *router = &r->router;
    if (r->failed)
        return;
    if (!allocate(r, options)) {
        cm_recorder_fail(r);
        return;
    }
    router->options = *options;
    router->cycle = cycle;
    router->sent = 0;
    router->packets = router->packet_base < CM_TRACE_PACKETS_KEPT
                          ? CM_TRACE_PACKETS_KEPT - router->packet_base
                          : 0;
    router->packets_with_hops = router->hops_left > 0 ? router->packets : 0;
    router->running = true;
    router->first = router->created = router->arrived = 0;
    router->window_first = 0;
    router->window_length = 4 * (uint64_t)options->words;
    if (router->window_length < WINDOW_MIN)
        router->window_length = WINDOW_MIN;
    for (uint32_t i = 0; router->open != NULL && i < channel_count(r); i++)
        router->open[i].first = NEVER;
    begin_block(r);
    cm_put(&r->routed, CM_ROUTED_BEGIN, cycle, options->dimensions, options->channels,
           options->words, options->header_words, options->buffer_words, options->switching);
}

void cm_recorder_packet_sent(void *context, uint64_t packet, uint32_t source, uint32_t destination,
                             uint64_t created)
{
    struct cm_recorder *r = context;
    struct cm_recorder_router *router = &r->router;
    if (r->failed)
        return;
    router->sent = packet + 1;
    if (packet >= router->packets)
        return;
    const uint64_t later = cm_zigzag(created - router->created);
    router->created = created;
    end_record(r, write_three(next_record(r), CM_ROUTED_SENT, source, destination, later));
    flush_full(r);
}

/* Writes the number + 1 of the packet that a hop waited for. Writes 0 if the packet belongs to an
 * earlier run of the router. */
static inline char *write_blocker(char *at, uint64_t packet_base, uint64_t blocker)
{
    return cm_write_number(at, blocker > packet_base ? blocker : 0);
}

/* Returns a number below 2^21 as LEB128 of exactly three bytes. */
static inline uint64_t three_bytes(uint64_t number)
{
    return (number & 0x7f) | (number & 0x3f80) << 1 | (number & 0x1fc000) << 2 | 0x8080;
}

RARE void put_any_hop(struct cm_recorder *r, const struct cm_recorded_hop *hop)
{
    struct cm_recorder_router *router = &r->router;
    const uint64_t waited = hop->first - hop->asked;
    const uint64_t packet_moved = cm_zigzag(hop->packet - router->packet);
    const uint64_t channel_moved = cm_zigzag((uint64_t)hop->channel - router->channel);
    const uint64_t first_moved = cm_zigzag(hop->first - router->first);
    const uint64_t longer = cm_zigzag(hop->end - hop->first - router->options.words);
    char *at = next_record(r);
    if ((packet_moved | channel_moved) < LARGE && (first_moved | waited | longer) < SMALL) {
        cm_write_bytes(at, CM_ROUTED_HOP | three_bytes(packet_moved) << 8 |
                               three_bytes(channel_moved) << 32 | first_moved << 56);
        at[8] = (char)waited;
        at[9] = (char)longer;
        at += 10;
    } else {
        *at++ = CM_ROUTED_HOP;
        at = cm_write_number(at, packet_moved);
        at = cm_write_number(at, channel_moved);
        at = cm_write_number(at, first_moved);
        at = cm_write_number(at, waited);
        at = cm_write_number(at, longer);
    }
    if (waited > 0)
        at = write_blocker(at, router->packet_base, hop->blocker);
    router->packet = hop->packet;
    router->channel = hop->channel;
    router->first = hop->first;
    end_record(r, at);
}

static void flush_window(struct cm_recorder *r)
{
    struct cm_recorder_router *router = &r->router;
    struct cm_buffer *bytes = &r->routed;
    uint32_t count = 0, before = 0;
    if (!router->window_used)
        return;
    router->window_used = false;
    for (uint32_t i = 0; i < channel_count(r); i++)
        count += router->window[i] != 0;
    cm_put(bytes, CM_ROUTED_WINDOW, router->window_first, router->window_length, count);
    for (uint32_t i = 0; i < channel_count(r); i++) {
        if (router->window[i] == 0)
            continue;
        cm_put(bytes, i - before, router->window[i]);
        router->window[i] = 0;
        before = i;
    }
    flush_full(r);
}

RARE void begin_window(struct cm_recorder *r, uint64_t first)
{
    struct cm_recorder_router *router = &r->router;
    flush_window(r);
    router->window_first = first - first % router->window_length;
    if (router->window == NULL)
        router->window = calloc(channel_count(r) + 1u, sizeof *router->window);
    if (router->window == NULL)
        cm_recorder_fail(r);
}

/* Adds the words of hops to the channel counts of the window in which their first words cross. */
static void count_hops(struct cm_recorder *r, const struct cm_observed_hops *hops, uint32_t from,
                       uint32_t count)
{
    struct cm_recorder_router *router = &r->router;
    const uint32_t words = router->options.words;
    if (hops->first - router->window_first >= router->window_length || router->window == NULL)
        begin_window(r, hops->first);
    if (r->failed)
        return;
    router->window_used = true;
    for (uint32_t i = from; i < from + count; i++)
        router->window[hops->channels[i]] += words;
}

/* Gives the channel of hop `i` to the hop's packet. Returns the number + 1 of the packet that had
 * the channel before. */
static inline uint32_t change_holder(struct cm_recorder_router *router,
                                     const struct cm_observed_hops *hops, uint32_t i)
{
    uint32_t *holder = &router->holders[hops->channels[i]], before = *holder;
    *holder = (uint32_t)(router->packet_base + hops->packets[i] + 1);
    return before;
}

/* Writes the record of a hop whose numbers do not fit into a short record. A hop whose end is not
 * known yet is kept in memory until the hop ends. */
RARE void put_long_hop(struct cm_recorder *r, const struct cm_observed_hops *hops, uint32_t i)
{
    struct cm_recorder_router *router = &r->router;
    const struct cm_recorded_hop hop = {
        .packet = router->packet_base + hops->packets[i],
        .asked = hops->asked[i],
        .first = hops->first,
        .end = hops->end,
        .blocker = change_holder(router, hops, i),
        .channel = hops->channels[i],
    };
    if (hop.end == 0)
        router->open[hop.channel] = hop;
    else
        put_any_hop(r, &hop);
}

/* Hops encoded in eight bytes each, as two halves. `large` is not 0 if a hop does not fit, because
 * its numbers are large or its word time is not that of the previous hop. */
struct short_hops {
    uint32_t low[SHORT_HOPS], high[SHORT_HOPS], large[SHORT_HOPS];
};

static inline uint32_t zigzag(uint32_t difference)
{
    return difference << 1 ^ (0 - (difference >> 31));
}

static inline void shorten(struct short_hops *restrict to, uint32_t i, uint32_t packet_moved,
                           uint32_t channel_moved, uint64_t waited)
{
    const uint32_t packet = zigzag(packet_moved), channel = zigzag(channel_moved);
    const uint32_t both = (uint32_t)cm_two_numbers(packet, channel);
    to->low[i] = CM_ROUTED_HOP | both << 8;
    to->high[i] = both >> 24 | (uint32_t)waited << 16;
    to->large[i] =
        (packet | channel) / MEDIUM | (uint32_t)(waited / SMALL) | (uint32_t)(waited >> 32);
}

/* Encodes `count` hops that have no gaps between their words. The first hop is encoded as a
 * difference from the last record. The compiler vectorizes the loop. */
static void shorten_hops(const struct cm_recorder_router *router,
                         const struct cm_observed_hops *hops, uint32_t from, uint32_t count,
                         struct short_hops *restrict to)
{
    const uint64_t *packets = hops->packets + from, *asked = hops->asked + from;
    const uint32_t *channels = hops->channels + from;
    const uint64_t first = hops->first;
    for (uint32_t i = 1; i < count; i++)
        shorten(to, i, (uint32_t)(packets[i] - packets[i - 1]), channels[i] - channels[i - 1],
                first - asked[i]);
    shorten(to, 0, (uint32_t)(router->packet_base + packets[0] - router->packet),
            channels[0] - router->channel, first - asked[0]);
    to->large[0] |= first != router->first;
}

/* Stores the values of hop `i`, from which the next record is encoded as differences. */
static void go_on_from(struct cm_recorder_router *router, const struct cm_observed_hops *hops,
                       uint32_t i)
{
    router->packet = router->packet_base + hops->packets[i];
    router->channel = hops->channels[i];
    router->first = hops->first;
}

/* Writes `count` hops that have no gaps between their words and whose packets are all recorded.
 * Returns the number of hops written, which is smaller if the block is full. */
static uint32_t put_short_hops(struct cm_recorder *r, const struct cm_observed_hops *hops,
                               uint32_t from, uint32_t count)
{
    struct cm_recorder_router *router = &r->router;
    struct short_hops made;
    char *at = next_record(r);
    const char *full = r->routed.data + BLOCK_BYTES;
    uint32_t done = 0;
    shorten_hops(router, hops, from, count, &made);
    while (done < count && at < full) {
        const uint32_t i = from + done, high = made.high[done];
        if (made.large[done] != 0) {
            if (done > 0)
                go_on_from(router, hops, i - 1);
            end_record(r, at);
            put_long_hop(r, hops, i);
            at = next_record(r);
        } else {
            const uint32_t blocker = change_holder(router, hops, i);
            cm_write_bytes(at, made.low[done] | (uint64_t)high << 32);
            at += 8;
            if (high >> 16 != 0)
                at = write_blocker(at, router->packet_base, blocker);
        }
        done++;
    }
    go_on_from(router, hops, from + done - 1);
    end_record(r, at);
    return done;
}

/* Writes hops from index `from` on, or counts their words. Returns the number of hops processed, at
 * least 1. */
static uint32_t put_hops(struct cm_recorder *r, const struct cm_observed_hops *hops, uint32_t from)
{
    struct cm_recorder_router *router = &r->router;
    uint32_t count = hops->count - from < SHORT_HOPS ? hops->count - from : SHORT_HOPS;
    if (count > router->hops_left)
        count = (uint32_t)router->hops_left;
    if (hops->end == hops->first + router->options.words &&
        router->sent <= router->packets_with_hops) {
        count = put_short_hops(r, hops, from, count);
        router->hops_left -= count;
    } else if (hops->packets[from] < router->packets_with_hops) {
        count = 1;
        put_long_hop(r, hops, from);
        router->hops_left--;
    } else {
        count = 1;
        router->holders[hops->channels[from]] = 0;
        count_hops(r, hops, from, 1);
    }
    if (router->hops_left == 0)
        router->packets_with_hops = 0;
    flush_full(r);
    return count;
}

void cm_recorder_packets_hop(void *context, const struct cm_observed_hops *hops)
{
    struct cm_recorder *r = context;
    struct cm_recorder_router *router = &r->router;
    uint32_t i = 0;
    while (i < hops->count && !r->failed && router->packets_with_hops > 0)
        i += put_hops(r, hops, i);
    if (i < hops->count && !r->failed)
        count_hops(r, hops, i, hops->count - i);
}

/* Writes the hop in progress on a channel, if there is one, with the given end. */
static void put_open(struct cm_recorder *r, uint32_t channel, uint64_t end)
{
    struct cm_recorded_hop *hop = &r->router.open[channel];
    if (hop->first == NEVER)
        return;
    hop->end = end > hop->first ? end : hop->first + 1;
    put_any_hop(r, hop);
    hop->first = NEVER;
    flush_full(r);
}

void cm_recorder_hops_end(void *context, const struct cm_observed_hop_end *ends, uint32_t count)
{
    struct cm_recorder *r = context;
    for (uint32_t i = 0; i < count && !r->failed; i++)
        put_open(r, ends[i].channel, ends[i].end);
}

void cm_recorder_packets_arrive(void *context, const struct cm_router_delivery *arrivals,
                                uint32_t count)
{
    struct cm_recorder *r = context;
    struct cm_recorder_router *router = &r->router;
    for (uint32_t i = 0; i < count && !r->failed; i++) {
        const struct cm_router_delivery *arrival = &arrivals[i];
        if (arrival->serial >= router->packets)
            continue;
        const uint64_t packet = router->packet_base + arrival->serial;
        char *end =
            write_three(next_record(r), CM_ROUTED_ARRIVED, cm_zigzag(packet - router->packet),
                        arrival->hops, cm_zigzag(arrival->arrived - router->arrived));
        router->packet = packet;
        router->arrived = arrival->arrived;
        end_record(r, end);
        flush_full(r);
    }
}

void cm_recorder_close_router(struct cm_recorder *r, uint64_t word_times)
{
    struct cm_recorder_router *router = &r->router;
    if (!router->running || r->failed)
        return;
    router->running = false;
    for (uint32_t i = 0; router->open != NULL && i < channel_count(r) && !r->failed; i++)
        put_open(r, i, word_times);
    flush_window(r);
    cm_put(&r->routed, CM_ROUTED_END, word_times, router->sent);
    router->packet_base += router->sent;
    router->sent = 0;
    flush(r);
}

void cm_recorder_router_ends(void *context, uint64_t first_cycle,
                             const struct cm_counters *counters)
{
    struct cm_recorder *r = context;
    const struct cm_config *config = cm_machine_config(r->machine);
    uint64_t cycles = counters->by_cause[CM_CAUSE_ROUTER] - r->last[CM_CAUSE_ROUTER];
    uint64_t start = config->router_start_cycles;
    if (r->failed)
        return;
    cm_recorder_close_router(
        r, config->router_word_cycles > 0 ? (cycles - start) / config->router_word_cycles : 0);
    cm_recorder_router_event(r, first_cycle, counters);
}
