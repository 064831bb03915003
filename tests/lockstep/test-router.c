/*
 * The fast router in lock-step with the plain one: random small networks and packets, every way of
 * switching and routing. Every packet must arrive in the same word time after the same hops, every
 * channel must have been waited for as long behind the same, and a deadlock must be seen in the
 * same word time, be others moving or not.
 */
#include "slow_router.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct draw {
    uint64_t state;
};

static uint32_t below(struct draw *draw, uint32_t bound)
{
    draw->state = draw->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(draw->state >> 33) % bound;
}

struct feed {
    struct slow_packet *packets;
    uint32_t count, next;
    bool arrived[SLOW_PACKETS_MAX];
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

static void take_delivery(void *context, const struct cm_router_delivery *delivery)
{
    struct feed *feed = context;
    feed->arrived[delivery->serial] = true;
    feed->deliveries[delivery->serial] = *delivery;
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
        if (arrived == slow->delivered && fast->payload == (arrived ? 7 * i : fast->payload) &&
            (!slow->delivered || (fast->arrived == slow->arrived && fast->hops == slow->hops &&
                                  fast->node == slow->order.destination)))
            continue;
        snprintf(why, size,
                 "packet %" PRIu32 ": arrived %d at %" PRIu64 ", expected %d at %" PRIu64, i,
                 arrived, fast->arrived, slow->delivered, slow->arrived);
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

static bool run_case(struct cm_router_options options, uint64_t seed, bool *deadlock, char *why,
                     size_t size)
{
    static struct slow_packet packets[SLOW_PACKETS_MAX];
    static struct slow_outcome outcome;
    static struct feed feed;
    struct draw draw = {seed};
    struct cm_router *router;
    struct cm_router_result result;
    struct cm_error err;
    memset(&feed, 0, sizeof feed);
    memset(&err, 0, sizeof err);
    draw_case(&draw, &options, packets, &feed.count);
    feed.packets = packets;
    const struct cm_router_traffic traffic = {
        .context = &feed, .next = next_packet, .delivered = take_delivery};
    if (cm_router_create(&options, &router, &err) != CM_OK ||
        cm_router_run(router, &traffic, &result, &err) != CM_OK) {
        snprintf(why, size, "%.200s", err.message);
        return false;
    }
    slow_router_run(&options, packets, feed.count, &outcome);
    *deadlock = outcome.stuck;
    uint64_t delivered = 0;
    for (uint32_t i = 0; i < feed.count; i++)
        delivered += packets[i].delivered;
    bool same = same_packets(&feed, result.word_times, why, size);
    /* Waits that never ended are not counted. */
    if (same)
        same = same_channels(router, &options, &outcome, why, size);
    if (same && ((result.end == CM_ROUTER_DEADLOCK) != outcome.stuck ||
                 (outcome.stuck && result.word_times != outcome.ended) ||
                 (result.end == CM_ROUTER_DONE) != (delivered == feed.count) ||
                 result.delivered != delivered)) {
        snprintf(why, size,
                 "ended as %d at %" PRIu64 " with %" PRIu64
                 " delivered, expected stuck %d at %" PRIu64 " with %" PRIu64,
                 (int)result.end, result.word_times, result.delivered, outcome.stuck, outcome.ended,
                 delivered);
        same = false;
    }
    if (same && outcome.stuck)
        same = sound_cycle(&options, &result, why, size);
    cm_router_destroy(router);
    return same;
}

static const char *const switchings[] = {"store-and-forward", "cut-through", "wormhole"};
static const char *const routings[] = {"e-cube", "Valiant", "adaptive"};

/* Whether this way of routing may deadlock. */
static bool may_deadlock(const struct cm_router_options *options)
{
    return options->channels == 1 && options->routing != CM_ROUTING_ECUBE;
}

static bool run_kind(const struct cm_router_options *options, uint32_t cases, uint32_t number)
{
    uint32_t deadlocks = 0;
    char why[300] = "";
    const char *name = switchings[options->switching];
    for (uint32_t i = 0; i < cases; i++) {
        bool deadlock = false;
        bool good = run_case(*options, i + 1, &deadlock, why, sizeof why);
        if (good && deadlock && !may_deadlock(options)) {
            snprintf(why, sizeof why, "a deadlock where there can be none");
            good = false;
        }
        if (!good) {
            printf("not ok %" PRIu32 " - %s, %s, channels %" PRIu32 "\n# seed %" PRIu32 ": %s\n",
                   number, name, routings[options->routing], options->channels, i + 1, why);
            return false;
        }
        deadlocks += deadlock;
    }
    printf("ok %" PRIu32 " - %s, %s, channels %" PRIu32 ": %" PRIu32 " cases equal, %" PRIu32
           " of them deadlocks\n",
           number, name, routings[options->routing], options->channels, cases, deadlocks);
    return true;
}

int main(int argc, char **argv)
{
    uint32_t cases = 400, number = 0;
    bool good = true;
    if (argc == 3 && strcmp(argv[1], "--cases") == 0)
        cases = (uint32_t)strtoul(argv[2], NULL, 10);
    printf("1..18\n");
    for (int s = 0; s < 3; s++) {
        for (int r = 0; r < 3; r++) {
            for (uint32_t channels = 1; channels <= 2; channels++) {
                const struct cm_router_options options = {
                    .channels = channels,
                    .switching = (enum cm_switching)s,
                    .routing = (enum cm_routing)r,
                };
                good = run_kind(&options, cases, ++number) && good;
                fflush(stdout);
            }
        }
    }
    return good ? 0 : 1;
}
