/*
 * The fast router in lock-step with the plain one: random small networks and packets, every way of
 * switching and routing. Every packet must arrive in the same word time after the same hops, every
 * channel must have been waited for as long behind the same, and a deadlock must be seen in the
 * same word time, be others moving or not. In a third of the cases some channels have failed, and
 * the same packets must be lost. With several threads everything must be as with one, the order in
 * which it is told too.
 *
 *     --cases N     of each of the 18 kinds; 400 by default
 *     --threads N   every case with N threads, too; by default every eighth with 2, 3 or 4
 *     --processes N these by N processes, too, each with that many threads
 */
#include "../harness/program.h"
#include "../harness/tap.h"
#include "slow_router.h"

#include "../../processes/local.h"
#include "../../sim/machine/observer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct draw {
    uint64_t state;
};

/* Of the processes that play this test together; NULL: there is one. */
static const struct cm_process_link *link_of_all;

static uint32_t below(struct draw *draw, uint32_t bound)
{
    draw->state = draw->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(draw->state >> 33) % bound;
}

struct feed {
    struct slow_packet *packets;
    uint32_t count, next;
    struct heard {
        uint64_t checksum; /* of everything, in order */
    } traffic, observer;
    bool arrived[SLOW_PACKETS_MAX];
    bool lost[SLOW_PACKETS_MAX];
    struct cm_router_delivery deliveries[SLOW_PACKETS_MAX];
};

static bool next_packet(void *context, struct cm_router_packet *packet)
{
    struct feed *feed = context;
    if (feed->next == feed->count)
        return false;
    *packet = feed->packets[feed->next++].order;
    return true;
}

static void hear(struct heard *heard, const uint64_t *numbers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        heard->checksum =
            (heard->checksum ^ numbers[i]) * UINT64_C(0x100000001b3) + (heard->checksum >> 47);
}

#define HEAR(heard, ...)                                                                           \
    hear(heard, (const uint64_t[]){__VA_ARGS__},                                                   \
         sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static bool heard_same(const struct feed *feed, const struct feed *other)
{
    return feed->traffic.checksum == other->traffic.checksum &&
           feed->observer.checksum == other->observer.checksum;
}

static void hear_sent(void *context, uint64_t packet, uint32_t source, uint32_t destination,
                      uint64_t created)
{
    struct feed *feed = context;
    HEAR(&feed->observer, 1, packet, source, destination, created);
}

static void hear_hops(void *context, const struct cm_observed_hops *hops)
{
    struct feed *feed = context;
    for (uint32_t i = 0; i < hops->count; i++)
        HEAR(&feed->observer, 2, hops->packets[i], hops->channels[i], hops->asked[i], hops->first,
             hops->end);
}

static void hear_hop_ends(void *context, const struct cm_observed_hop_end *ends, uint32_t count)
{
    struct feed *feed = context;
    for (uint32_t i = 0; i < count; i++)
        HEAR(&feed->observer, 3, ends[i].channel, ends[i].end);
}

static void hear_arrivals(void *context, const struct cm_router_delivery *arrivals, uint32_t count)
{
    struct feed *feed = context;
    for (uint32_t i = 0; i < count; i++)
        HEAR(&feed->observer, 4, arrivals[i].serial, arrivals[i].hops, arrivals[i].arrived);
}

static void take_delivery(void *context, const struct cm_router_delivery *delivery)
{
    struct feed *feed = context;
    HEAR(&feed->traffic, 5, delivery->serial, delivery->node, delivery->hops, delivery->payload,
         delivery->arrived);
    feed->arrived[delivery->serial] = true;
    feed->deliveries[delivery->serial] = *delivery;
}

static void take_loss(void *context, const struct cm_router_packet *packet)
{
    struct feed *feed = context;
    HEAR(&feed->traffic, 6, packet->source, packet->destination, packet->created, packet->payload);
    feed->lost[feed->next - 1] = true;
}

#define FAILURES_MAX 64u

/* Draws failed channels: some anywhere, and sometimes whole wires or all channels out of a node. */
static void draw_failures(struct draw *draw, struct cm_router_options *options,
                          struct cm_router_failure *failures)
{
    uint32_t kind = below(draw, 9), count = 1 + below(draw, 1u << options->dimensions);
    options->failures = failures;
    options->failure_count = 0;
    for (uint32_t i = 0; kind < 3 && i < count; i++) {
        struct cm_router_failure drawn = {below(draw, 1u << options->dimensions),
                                          below(draw, options->dimensions),
                                          below(draw, options->channels)};
        for (uint32_t k = 0; k < (kind == 0 ? 1 : options->channels); k++) {
            drawn.channel = kind == 0 ? drawn.channel : k;
            failures[options->failure_count++] = drawn;
        }
        for (uint32_t d = 0; kind == 2 && i == 0 && d < options->dimensions; d++)
            failures[options->failure_count++] = (struct cm_router_failure){drawn.node, d, 0};
    }
}

static void draw_case(struct draw *draw, struct cm_router_options *options,
                      struct slow_packet *packets, uint32_t *count)
{
    uint32_t nodes;
    uint64_t time = 0;
    options->dimensions = 1 + below(draw, 5);
    options->words = 1 + below(draw, below(draw, 3) == 0 ? 20 : 6);
    options->header_words = below(draw, 4);
    options->buffer_words = 1 + below(draw, 2 * options->words + 2);
    if (options->switching != CM_SWITCHING_WORMHOLE)
        options->buffer_words += options->words;
    options->descending = below(draw, 2);
    options->seed = below(draw, 1000);
    nodes = 1u << options->dimensions;
    *count = 1 + below(draw, below(draw, 2) ? SLOW_PACKETS_MAX : 4 * nodes);
    *count = *count > SLOW_PACKETS_MAX ? SLOW_PACKETS_MAX : *count;
    options->limit = below(draw, 8) == 0 ? 1 + below(draw, 200) : 0;
    uint32_t hurry = 1 + below(draw, 12);
    uint32_t hot = below(draw, 3) == 0 ? below(draw, nodes) : nodes;
    for (uint32_t i = 0; i < *count; i++) {
        if (below(draw, hurry) == 0)
            time += below(draw, 2 * options->words);
        packets[i] =
            (struct slow_packet){.order = {below(draw, nodes), below(draw, nodes), time, 7 * i}};
        if (hot < nodes && below(draw, 2))
            packets[i].order.destination = hot;
    }
}

static bool same_packets(const struct feed *feed, uint64_t end, char *why, size_t size)
{
    for (uint32_t i = 0; i < feed->count; i++) {
        const struct slow_packet *slow = &feed->packets[i];
        const struct cm_router_delivery *fast = &feed->deliveries[i];
        bool arrived = feed->arrived[i] && fast->arrived <= end;
        if (arrived == slow->delivered && feed->lost[i] == slow->lost &&
            fast->payload == (arrived ? 7 * i : fast->payload) &&
            (!slow->delivered || (fast->arrived == slow->arrived && fast->hops == slow->hops &&
                                  fast->node == slow->order.destination)))
            continue;
        snprintf(why, size,
                 "packet %" PRIu32 ": arrived %d at %" PRIu64 ", expected %d at %" PRIu64
                 ", lost %d, expected %d",
                 i, arrived, fast->arrived, slow->delivered, slow->arrived, feed->lost[i],
                 slow->lost);
        return false;
    }
    return true;
}

static bool same_ways(const uint64_t *fast, const struct slow_channel *slow)
{
    for (uint32_t k = 0; k < SLOW_DIMENSIONS_MAX; k++) {
        if (fast[k] != slow->blocked_by[k])
            return false;
    }
    return fast[CM_ROUTER_DIMENSIONS_MAX] == slow->blocked_by[SLOW_DIMENSIONS_MAX];
}

static bool same_channels(const struct cm_router *router, const struct cm_router_options *options,
                          const struct slow_outcome *outcome, char *why, size_t size)
{
    for (uint32_t node = 0; node < 1u << options->dimensions; node++) {
        for (uint32_t o = 0; o < options->dimensions * options->channels; o++) {
            const struct slow_channel *slow = &outcome->channels[node][o];
            struct cm_router_channel fast = cm_router_channel_use(
                router, node, o % options->dimensions, o / options->dimensions);
            uint64_t ways[CM_ROUTER_WAYS_MAX];
            cm_router_blocked_by(router, node, o % options->dimensions, o / options->dimensions,
                                 ways);
            if (fast.packets == slow->packets && fast.blocked == slow->blocked &&
                fast.blocked_room == slow->blocked_room &&
                fast.longest_queue == slow->longest_queue &&
                fast.longest_wait == slow->longest_wait && same_ways(ways, slow))
                continue;
            snprintf(why, size,
                     "node %" PRIu32 " out %" PRIu32 ": packets %" PRIu64 " (expected %" PRIu32
                     "), blocked %" PRIu64 " (%" PRIu64 "), for room %" PRIu64 " (%" PRIu64
                     "), ways alike %d, queue %" PRIu32 " (%" PRIu32 ")",
                     node, o, fast.packets, slow->packets, fast.blocked, slow->blocked,
                     fast.blocked_room, slow->blocked_room, same_ways(ways, slow),
                     fast.longest_queue, slow->longest_queue);
            return false;
        }
    }
    return true;
}

/* A deadlock's cycle must be one: each channel's far end is where the next packet waits. */
static bool sound_cycle(const struct cm_router_options *options,
                        const struct cm_router_result *result, char *why, size_t size)
{
    uint32_t count = result->cycle_count;
    bool sound = count >= 2 && count <= CM_ROUTER_CYCLE_MAX;
    for (uint32_t i = 0; sound && i < count; i++) {
        const struct cm_router_waiting *this = &result->cycle[i];
        const struct cm_router_waiting *next = &result->cycle[(i + 1) % count];
        /* A worm's header may be further on than the channel that it holds. */
        if (options->switching != CM_SWITCHING_WORMHOLE)
            sound = next->node == (this->node ^ 1u << this->dimension);
    }
    if (!sound)
        snprintf(why, size, "the %" PRIu32 " channels of the deadlock are no cycle", count);
    return sound;
}

/* Runs the packets of a feed, from the first. */
static bool run_fast(const struct cm_router_options *options, struct feed *feed,
                     struct cm_router **router, struct cm_router_result *result, char *why,
                     size_t size)
{
    const struct cm_observer observer = {.context = feed,
                                         .packet_sent = hear_sent,
                                         .packets_hop = hear_hops,
                                         .hops_end = hear_hop_ends,
                                         .packets_arrive = hear_arrivals};
    const struct cm_router_traffic traffic = {.context = feed,
                                              .next = next_packet,
                                              .delivered = take_delivery,
                                              .observer = &observer,
                                              .lost = take_loss};
    struct cm_error err = {0};
    if (cm_router_create(options, router, &err) == CM_OK &&
        cm_router_run(*router, &traffic, result, &err) == CM_OK)
        return true;
    snprintf(why, size, "%.200s", err.message);
    return false;
}

static bool alike(const struct cm_router *a, const struct cm_router *b,
                  const struct cm_router_options *options)
{
    const uint32_t dimensions = options->dimensions, outs = dimensions * options->channels;
    for (uint32_t i = 0; i < outs << dimensions; i++) {
        uint32_t node = i / outs, dimension = i % dimensions, channel = i % outs / dimensions;
        struct cm_router_channel x = cm_router_channel_use(a, node, dimension, channel);
        struct cm_router_channel y = cm_router_channel_use(b, node, dimension, channel);
        uint64_t ways[2][CM_ROUTER_WAYS_MAX];
        cm_router_blocked_by(a, node, dimension, channel, ways[0]);
        cm_router_blocked_by(b, node, dimension, channel, ways[1]);
        if (x.packets != y.packets || x.blocked != y.blocked || x.blocked_room != y.blocked_room ||
            x.longest_queue != y.longest_queue || x.longest_wait != y.longest_wait ||
            x.waiter_source != y.waiter_source || x.waiter_destination != y.waiter_destination ||
            x.holder_source != y.holder_source || x.holder_destination != y.holder_destination ||
            memcmp(ways[0], ways[1], sizeof ways[0]) != 0)
            return false;
    }
    return true;
}

/* The same case by several threads and processes. */
static bool same_by_several(struct cm_router_options options, const struct cm_router *one,
                            const struct feed *of_one, const struct cm_router_result *result_of_one,
                            char *why, size_t size)
{
    static struct feed feed;
    struct cm_router *router = NULL;
    struct cm_router_result result;
    memset(&feed, 0, sizeof feed);
    feed.packets = of_one->packets;
    feed.count = of_one->count;
    options.share_from = 1 + of_one->count % 7; /* at once, or when events are pending */
    cm_processes_join(link_of_all);
    bool same = run_fast(&options, &feed, &router, &result, why, size);
    cm_processes_join(NULL);
    if (same && (memcmp(&result, result_of_one, sizeof result) != 0 || !heard_same(&feed, of_one) ||
                 !alike(router, one, &options))) {
        snprintf(why, size, "not the same by %" PRIu32 " threads", options.threads);
        same = false;
    }
    cm_router_destroy(router);
    return same;
}

/* Whether routing may deadlock. */
static bool may_deadlock(const struct cm_router_options *options)
{
    return (options->channels == 1 && options->routing != CM_ROUTING_ECUBE) ||
           (options->failure_count > 0 && options->routing == CM_ROUTING_ADAPTIVE);
}

/* Whether the losses that the router lists are those of the packets, in order, and name wires where
 * a channel has failed. */
static bool lists_losses(const struct cm_router_options *options,
                         const struct cm_router_result *result, const struct feed *feed)
{
    uint64_t lost = 0;
    for (uint32_t i = 0; i < feed->count; i++) {
        const struct cm_router_loss *loss = &result->losses[lost];
        if (!feed->packets[i].lost || lost++ >= CM_ROUTER_LOSSES_MAX)
            continue;
        bool named = false;
        for (uint32_t f = 0; f < options->failure_count; f++)
            named = named || (options->failures[f].node == loss->node &&
                              options->failures[f].dimension == loss->dimension);
        if (!named || loss->source != feed->packets[i].order.source ||
            loss->destination != feed->packets[i].order.destination)
            return false;
    }
    return lost == result->lost;
}

/* What the plain router found in a case. */
struct found {
    uint32_t deadlocks, lost;
};

static bool run_case(struct cm_router_options options, uint64_t seed, struct found *found,
                     char *why, size_t size)
{
    static struct cm_router_failure failures[4 * FAILURES_MAX];
    static struct slow_packet packets[SLOW_PACKETS_MAX];
    static struct slow_outcome outcome;
    static struct feed feed;
    struct draw draw = {seed};
    struct cm_router *router = NULL;
    struct cm_router_result result;
    const uint32_t threads = options.threads;
    memset(&feed, 0, sizeof feed);
    draw_case(&draw, &options, packets, &feed.count);
    draw_failures(&draw, &options, failures);
    feed.packets = packets;
    options.threads = 1;
    if (!run_fast(&options, &feed, &router, &result, why, size)) {
        cm_router_destroy(router);
        return false;
    }
    slow_router_run(&options, packets, feed.count, &outcome);
    found->deadlocks += outcome.stuck;
    uint64_t delivered = 0, lost = 0;
    for (uint32_t i = 0; i < feed.count; i++) {
        delivered += packets[i].delivered;
        lost += packets[i].lost;
    }
    found->lost += (uint32_t)lost;
    bool same = same_packets(&feed, result.word_times, why, size);
    /* Waits that never ended are not counted. */
    if (same)
        same = same_channels(router, &options, &outcome, why, size);
    if (same && ((result.end == CM_ROUTER_DEADLOCK) != outcome.stuck ||
                 (outcome.stuck && result.word_times != outcome.ended) ||
                 (result.end == CM_ROUTER_DONE) != (delivered + lost == feed.count) ||
                 result.delivered != delivered || result.lost != lost)) {
        snprintf(why, size,
                 "ended as %d at %" PRIu64 " with %" PRIu64
                 " delivered, expected stuck %d at %" PRIu64 " with %" PRIu64,
                 (int)result.end, result.word_times, result.delivered, outcome.stuck, outcome.ended,
                 delivered);
        same = false;
    }
    if (same && outcome.stuck)
        same = sound_cycle(&options, &result, why, size);
    if (same && !lists_losses(&options, &result, &feed)) {
        snprintf(why, size, "the losses are not listed");
        same = false;
    }
    if (same && outcome.stuck && !may_deadlock(&options)) {
        snprintf(why, size, "a deadlock where there can be none");
        same = false;
    }
    options.threads = threads;
    if (same && (threads > 1 || link_of_all != NULL))
        same = same_by_several(options, router, &feed, &result, why, size);
    cm_router_destroy(router);
    return same;
}

static const char *const switchings[] = {"store-and-forward", "cut-through", "wormhole"};
static const char *const routings[] = {"e-cube", "Valiant", "adaptive"};

/* How many threads run a case, besides one. */
static uint32_t threads_of(uint32_t number, uint32_t wanted)
{
    if (wanted > 0)
        return wanted;
    return number % 8 == 0 ? 2 + number / 8 % 3 : 1;
}

static bool run_kind(struct cm_router_options *options, uint32_t cases, uint32_t threads,
                     uint32_t number)
{
    struct found found = {0};
    char why[300] = "";
    const char *name = switchings[options->switching];
    for (uint32_t i = 0; i < cases; i++) {
        options->threads = threads_of(i, threads);
        bool good = run_case(*options, i + 1, &found, why, sizeof why);
        if (!good) {
            printf("not ok %" PRIu32 " - %s, %s, channels %" PRIu32 "\n# seed %" PRIu32 ": %s\n",
                   number, name, routings[options->routing], options->channels, i + 1, why);
            return false;
        }
    }
    printf("ok %" PRIu32 " - %s, %s, channels %" PRIu32 ": %" PRIu32 " cases equal, %" PRIu32
           " of them deadlocks, %" PRIu32 " packets lost\n",
           number, name, routings[options->routing], options->channels, cases, found.deadlocks,
           found.lost);
    return true;
}

/*
 * Networks too large for the slow router: by one thread and by several, which begin and end to
 * share the work as the load rises and falls.
 */
#define BIG_DIMENSIONS 9u

struct tide {
    struct feed feed; /* first: `context` is one of its callbacks */
    struct draw draw;
    uint64_t time;
    uint32_t sent, count;
};

static bool next_of_tide(void *context, struct cm_router_packet *packet)
{
    struct tide *tide = context;
    if (tide->sent == tide->count)
        return false;
    uint32_t i = tide->sent++, nodes = 1u << BIG_DIMENSIONS;
    bool high = i / 3000 % 2 == 0;
    if (below(&tide->draw, high ? 64 : 2) == 0)
        tide->time++;
    *packet = (struct cm_router_packet){below(&tide->draw, nodes), below(&tide->draw, nodes),
                                        tide->time, i};
    return true;
}

static void hear_delivery(void *context, const struct cm_router_delivery *delivery)
{
    struct feed *feed = context;
    HEAR(&feed->traffic, 5, delivery->serial, delivery->node, delivery->hops, delivery->payload,
         delivery->arrived);
}

static bool run_tide(const struct cm_router_options *options, struct tide *tide,
                     struct cm_router **router, struct cm_router_result *result)
{
    const struct cm_observer observer = {.context = tide,
                                         .packet_sent = hear_sent,
                                         .packets_hop = hear_hops,
                                         .hops_end = hear_hop_ends,
                                         .packets_arrive = hear_arrivals};
    const struct cm_router_traffic traffic = {
        .context = tide, .next = next_of_tide, .delivered = hear_delivery, .observer = &observer};
    struct cm_error err = {0};
    return cm_router_create(options, router, &err) == CM_OK &&
           cm_router_run(*router, &traffic, result, &err) == CM_OK;
}

static bool run_big(struct cm_router_options options, uint32_t number)
{
    static struct tide tides[4];
    struct cm_router *routers[4] = {NULL};
    struct cm_router_result results[4];
    bool good = true;
    options.dimensions = BIG_DIMENSIONS;
    options.words = 4;
    options.header_words = 1;
    options.buffer_words = 8;
    for (uint32_t t = 0; t < 4; t++) {
        options.threads = t + 1;
        tides[t] = (struct tide){.draw = {number}, .count = 20000};
        cm_processes_join(t > 0 ? link_of_all : NULL);
        options.share_from = t > 0 && link_of_all != NULL; /* small as it is */
        good = good && run_tide(&options, &tides[t], &routers[t], &results[t]);
        cm_processes_join(NULL);
        good = good && heard_same(&tides[t].feed, &tides[0].feed) &&
               memcmp(&results[t], &results[0], sizeof results[0]) == 0 &&
               alike(routers[t], routers[0], &options);
        if (!good) {
            printf("not ok %" PRIu32 " - 512 nodes, %s, by 1 to 4 threads\n# not by %" PRIu32 "\n",
                   number, switchings[options.switching], t + 1);
            break;
        }
    }
    if (good)
        printf("ok %" PRIu32 " - 512 nodes, %s, by 1 to 4 threads: the same %" PRIu64 " hops\n",
               number, switchings[options.switching], results[0].hops);
    for (uint32_t t = 0; t < 4; t++)
        cm_router_destroy(routers[t]);
    return good;
}

/* All processes do the same; the first is the only one that prints. */
static bool start_processes(uint32_t count, struct cm_local_processes **processes)
{
    struct cm_error err = {0};
    if (cm_local_start(count, processes, &err) != CM_OK) {
        fprintf(stderr, "router: %s\n", err.message);
        return false;
    }
    link_of_all = cm_local_link(*processes);
    return true;
}

CM_PROGRAM(router)
{
    struct cm_local_processes *processes = NULL;
    struct tap_options options = {.cases = 400}; /* a quarter of them by processes */
    uint32_t threads = 0, process_count = 0;
    const struct test_option more[] = {
        {"threads", .count = &threads}, {"processes", .count = &process_count}, {.name = NULL}};
    uint32_t number = 0;
    bool good = true;
    tap_options_read(argc, argv, &options, more);
    if (process_count > 0 && !start_processes(process_count, &processes))
        return 1;
    if (process_count > 0 && !options.cases_given)
        options.cases = (options.cases + 3) / 4;
    printf("1..21\n");
    for (int s = 0; s < 3; s++) {
        for (int r = 0; r < 3; r++) {
            for (uint32_t channels = 1; channels <= 2; channels++) {
                struct cm_router_options kind = {
                    .channels = channels,
                    .switching = (enum cm_switching)s,
                    .routing = (enum cm_routing)r,
                };
                good = run_kind(&kind, (uint32_t)options.cases, threads, ++number) && good;
                fflush(stdout);
            }
        }
    }
    for (int s = 0; s < 3; s++) {
        const struct cm_router_options kind = {.channels = 2, .switching = (enum cm_switching)s};
        good = run_big(kind, ++number) && good;
    }
    if (processes != NULL && cm_local_end(processes, good ? 0 : 1, NULL) != CM_OK)
        good = false;
    return good ? 0 : 1;
}
