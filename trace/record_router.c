/*
 * The router's packets and hops. The first CM_TRACE_HOPS_KEPT hops of a trace are recorded one by
 * one; of those that follow, what each channel carried is counted by windows of word times.
 */
#include "record_private.h"

#define BLOCK_BYTES  (UINT32_C(1) << 16) /* stays in the cache of the host */
#define WINDOW_MIN   UINT64_C(1024)      /* word times */
#define ENDED        UINT64_MAX
#define RECORD_BYTES (8u * CM_NUMBER_MAX_BYTES) /* of one but a window, at most */
#define SMALL        (1u << 7)                  /* numbers below have one byte, */
#define MEDIUM       (1u << 14)                 /* below this two, even if one would do */
#define LARGE        (1u << 21)                 /* below this three */
#define RARE         __attribute__((noinline, cold)) static

static uint32_t channel_count(const struct cm_recorder *r)
{
    return r->nodes * r->dimensions * 2;
}

static uint32_t channel_of(const struct cm_recorder *r, uint32_t node, uint32_t dimension,
                           uint32_t channel)
{
    return (node * r->dimensions + dimension) * 2 + channel;
}

/* What is not needed is not made: it would be most of what recording a short run costs. */
static bool allocate(struct cm_recorder *r, const struct cm_router_options *options)
{
    struct cm_recorder_router *router = &r->router;
    size_t count = channel_count(r) + 1u;
    bool gaps = options->switching == CM_SWITCHING_WORMHOLE;
    if (router->holders == NULL)
        router->holders = calloc(count, sizeof *router->holders);
    if (gaps && router->open == NULL)
        router->open = calloc(count, sizeof *router->open);
    return router->holders != NULL && (!gaps || router->open != NULL);
}

/* Every block can be read alone: its numbers are differences to what stands at its beginning. Until
 * it is full there is room for one more record. */
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

static inline void flush_full(struct cm_recorder *r)
{
    if (r->routed.length >= BLOCK_BYTES)
        flush(r);
}

static inline char *next_record(const struct cm_recorder *r)
{
    return r->routed.data + r->routed.length;
}

static inline void end_record(struct cm_recorder *r, const char *end)
{
    r->routed.length = (size_t)(end - r->routed.data);
}

/* A record of three numbers, of which most are small: these are written at once. */
static inline void put_three(struct cm_recorder *r, enum cm_trace_routed code, uint64_t first,
                             uint64_t second, uint64_t third)
{
    char *at = next_record(r);
    if ((first | second) < MEDIUM && third < SMALL) {
        cm_write_bytes(at, code | cm_two_numbers(first, second) << 8 | third << 40);
        at += 6;
    } else {
        *at++ = (char)code;
        at = cm_write_number(at, first);
        at = cm_write_number(at, second);
        at = cm_write_number(at, third);
    }
    end_record(r, at);
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
        router->open[i].hop.end = ENDED;
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
    put_three(r, CM_ROUTED_SENT, source, destination, cm_zigzag(created - router->created));
    router->created = created;
    flush_full(r);
}

/* What follows the five numbers of a hop that waited: the packet before, if it is of this run. */
static inline char *write_blocker(char *at, const struct cm_recorder_router *router,
                                  uint64_t blocker)
{
    return cm_write_number(at, blocker > router->packet_base ? blocker : 0);
}

static inline void end_hop(struct cm_recorder *r, const char *end, uint64_t packet,
                           uint32_t channel, uint64_t first)
{
    r->router.packet = packet;
    r->router.channel = channel;
    r->router.first = first;
    end_record(r, end);
    flush_full(r);
}

/* A number below 2^21 as one of three bytes, needed or not. */
static inline uint64_t three_bytes(uint64_t number)
{
    return (number & 0x7f) | (number & 0x3f80) << 1 | (number & 0x1fc000) << 2 | 0x8080;
}

RARE void put_any_hop(struct cm_recorder *r, const struct cm_observed_hop *hop, uint32_t channel,
                      uint64_t blocker)
{
    struct cm_recorder_router *router = &r->router;
    const uint64_t packet = router->packet_base + hop->packet, waited = hop->first - hop->asked;
    const uint64_t packet_moved = cm_zigzag(packet - router->packet);
    const uint64_t channel_moved = cm_zigzag((uint64_t)channel - router->channel);
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
        at = write_blocker(at, router, blocker);
    end_hop(r, at, packet, channel, hop->first);
}

/* Nearly all hops are in the word time of the one before, without gaps, and their numbers are
 * small: they are written at once. */
static inline void put_hop(struct cm_recorder *r, const struct cm_observed_hop *hop,
                           uint32_t channel, uint64_t blocker)
{
    struct cm_recorder_router *router = &r->router;
    uint64_t packet = router->packet_base + hop->packet, waited = hop->first - hop->asked;
    uint64_t packet_moved = cm_zigzag(packet - router->packet);
    uint64_t channel_moved = cm_zigzag((uint64_t)channel - router->channel);
    if ((packet_moved | channel_moved) >= MEDIUM || waited >= SMALL ||
        hop->first != router->first || hop->end != hop->first + router->options.words) {
        put_any_hop(r, hop, channel, blocker);
        return;
    }
    char *at = next_record(r);
    cm_write_bytes(at,
                   CM_ROUTED_HOP | cm_two_numbers(packet_moved, channel_moved) << 8 | waited << 48);
    at += 8;
    if (waited > 0)
        at = write_blocker(at, router, blocker);
    end_hop(r, at, packet, channel, hop->first);
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

/* All words of a hop count in the window in which its first one goes. */
RARE void count_hop(struct cm_recorder *r, uint32_t channel, uint64_t first)
{
    struct cm_recorder_router *router = &r->router;
    if (router->window == NULL)
        router->window = calloc(channel_count(r) + 1u, sizeof *router->window);
    if (router->window == NULL) {
        cm_recorder_fail(r);
        return;
    }
    if (first < router->window_first || first >= router->window_first + router->window_length) {
        flush_window(r);
        router->window_first = first - first % router->window_length;
    }
    router->window[channel] += router->options.words;
    router->window_used = true;
}

void cm_recorder_packet_hops(void *context, const struct cm_observed_hop *hop)
{
    struct cm_recorder *r = context;
    struct cm_recorder_router *router = &r->router;
    if (r->failed)
        return;
    uint32_t channel = channel_of(r, hop->node, hop->dimension, hop->channel);
    uint32_t *holder = &router->holders[channel], blocker = *holder;
    if (hop->packet >= router->packets_with_hops) {
        *holder = 0;
        count_hop(r, channel, hop->first);
        return;
    }
    *holder = (uint32_t)(router->packet_base + hop->packet + 1);
    if (--router->hops_left == 0)
        router->packets_with_hops = 0;
    if (hop->end == 0)
        router->open[channel] = (struct cm_open_hop){*hop, blocker};
    else
        put_hop(r, hop, channel, blocker);
}

/* The hop over a channel whose end was not known, if there is one. */
static void put_open(struct cm_recorder *r, uint32_t channel, uint64_t end)
{
    struct cm_open_hop *open = &r->router.open[channel];
    if (open->hop.end == ENDED)
        return;
    open->hop.end = end > open->hop.first ? end : open->hop.first + 1;
    put_hop(r, &open->hop, channel, open->blocker);
    open->hop.end = ENDED;
}

void cm_recorder_hop_ends(void *context, uint32_t node, uint32_t dimension, uint32_t channel,
                          uint64_t end)
{
    struct cm_recorder *r = context;
    if (r->failed)
        return;
    put_open(r, channel_of(r, node, dimension, channel), end);
}

void cm_recorder_packet_arrives(void *context, uint64_t packet, uint32_t hops, uint64_t arrived)
{
    struct cm_recorder *r = context;
    struct cm_recorder_router *router = &r->router;
    if (r->failed || packet >= router->packets)
        return;
    put_three(r, CM_ROUTED_ARRIVED, cm_zigzag(router->packet_base + packet - router->packet), hops,
              cm_zigzag(arrived - router->arrived));
    router->packet = router->packet_base + packet;
    router->arrived = arrived;
    flush_full(r);
}

void cm_recorder_close_router(struct cm_recorder *r, uint64_t word_times)
{
    struct cm_recorder_router *router = &r->router;
    if (!router->running || r->failed)
        return;
    router->running = false;
    for (uint32_t i = 0; router->open != NULL && i < channel_count(r); i++)
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
