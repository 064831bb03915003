/*
 * The router's packets and hops. The first CM_TRACE_HOPS_KEPT hops of a trace are recorded one by
 * one; of those that follow, what each channel carried is counted by windows of word times.
 */
#include "record_private.h"

#define BLOCK_BYTES (UINT32_C(1) << 16) /* stays in the cache of the host */
#define WINDOW_MIN  UINT64_C(1024)      /* word times */
#define ENDED       UINT64_MAX
#define HOP_NUMBERS 7u /* of a hop, at most */

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

/* Every block can be read alone: its numbers are differences to what stands at its beginning. */
static void begin_block(struct cm_recorder *r)
{
    struct cm_recorder_router *router = &r->router;
    router->packet = router->packet_base + router->sent;
    router->channel = 0;
    r->routed.length = 0;
    cm_put(&r->routed, router->packet, router->first);
}

static void flush(struct cm_recorder *r)
{
    if (r->routed.failed)
        cm_recorder_fail(r);
    cm_recorder_define(r);
    cm_recorder_block(r, CM_BLOCK_ROUTER, &r->routed);
    r->router.created = r->router.arrived = r->router.first;
    begin_block(r);
}

static void flush_full(struct cm_recorder *r)
{
    if (r->routed.length >= BLOCK_BYTES)
        flush(r);
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

/* Whether a packet is recorded: the first ones of the trace are. */
static bool is_kept(const struct cm_recorder_router *router, uint64_t packet)
{
    return router->packet_base + packet < CM_TRACE_PACKETS_KEPT;
}

void cm_recorder_packet_sent(void *context, uint64_t packet, uint32_t source, uint32_t destination,
                             uint64_t created)
{
    struct cm_recorder *r = context;
    struct cm_recorder_router *router = &r->router;
    if (r->failed)
        return;
    router->sent = packet + 1;
    if (!is_kept(router, packet))
        return;
    cm_put(&r->routed, CM_ROUTED_SENT, source, destination, cm_zigzag(created - router->created));
    router->created = created;
    flush_full(r);
}

static void put_hop(struct cm_recorder *r, const struct cm_observed_hop *hop, uint64_t blocker)
{
    struct cm_recorder_router *router = &r->router;
    uint32_t channel = channel_of(r, hop->node, hop->dimension, hop->channel);
    uint64_t packet = router->packet_base + hop->packet, waited = hop->first - hop->asked;
    if (!cm_bytes_room(&r->routed, HOP_NUMBERS * CM_NUMBER_MAX_BYTES))
        return;
    char *at = r->routed.data + r->routed.length;
    *at++ = CM_ROUTED_HOP;
    at = cm_write_number(at, cm_zigzag(packet - router->packet));
    at = cm_write_number(at, cm_zigzag((uint64_t)channel - router->channel));
    at = cm_write_number(at, cm_zigzag(hop->first - router->first));
    at = cm_write_number(at, waited);
    at = cm_write_number(at, cm_zigzag(hop->end - hop->first - router->options.words));
    if (waited > 0)
        at = cm_write_number(at, blocker);
    r->routed.length = (size_t)(at - r->routed.data);
    router->packet = packet;
    router->channel = channel;
    router->first = hop->first;
    flush_full(r);
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
static void count_hop(struct cm_recorder *r, uint32_t channel, uint64_t first)
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
    if (router->hops_kept >= CM_TRACE_HOPS_KEPT) {
        count_hop(r, channel, hop->first);
        return;
    }
    uint64_t blocker = router->holders[channel];
    bool kept = is_kept(router, hop->packet);
    router->holders[channel] = kept ? (uint32_t)(router->packet_base + hop->packet + 1) : 0;
    if (!kept) {
        count_hop(r, channel, hop->first);
        return;
    }
    if (blocker <= router->packet_base)
        blocker = 0; /* of a run before */
    router->hops_kept++;
    if (hop->end != 0) {
        put_hop(r, hop, blocker);
        return;
    }
    router->open[channel] = (struct cm_open_hop){*hop, blocker};
}

void cm_recorder_hop_ends(void *context, uint32_t node, uint32_t dimension, uint32_t channel,
                          uint64_t end)
{
    struct cm_recorder *r = context;
    if (r->failed)
        return;
    struct cm_open_hop *open = &r->router.open[channel_of(r, node, dimension, channel)];
    if (open->hop.end == ENDED)
        return;
    open->hop.end = end;
    put_hop(r, &open->hop, open->blocker);
    open->hop.end = ENDED;
}

void cm_recorder_packet_arrives(void *context, uint64_t packet, uint32_t hops, uint64_t arrived)
{
    struct cm_recorder *r = context;
    struct cm_recorder_router *router = &r->router;
    if (r->failed || !is_kept(router, packet))
        return;
    cm_put(&r->routed, CM_ROUTED_ARRIVED, cm_zigzag(router->packet_base + packet - router->packet),
           hops, cm_zigzag(arrived - router->arrived));
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
    for (uint32_t i = 0; router->open != NULL && i < channel_count(r); i++) {
        struct cm_open_hop *open = &router->open[i];
        if (open->hop.end == ENDED)
            continue;
        open->hop.end = word_times > open->hop.first ? word_times : open->hop.first + 1;
        put_hop(r, &open->hop, open->blocker);
        open->hop.end = ENDED;
    }
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
