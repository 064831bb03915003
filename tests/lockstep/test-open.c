/*
 * Open-loop traffic in lock-step with the plain router: random small networks, patterns and rates.
 * The packets that cm_traffic_send creates are given to the plain router, word by word. Mean
 * latency, accepted words, lost packets and packets in flight must follow from its arrivals. In a
 * third of the cases some wires have failed.
 *
 *     --cases N     of each switching and routing without deadlock, with the channels it needs
 */
#include "../harness/program.h"
#include "../harness/tap.h"
#include "slow_router.h"

#include "../../programs/network/traffic.h"

#include <math.h>

struct draw {
    uint64_t state;
};

static uint32_t below(struct draw *draw, uint32_t bound)
{
    draw->state = draw->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(draw->state >> 33) % bound;
}

/* Packets in the order of their creation. More than the plain router takes are only counted. */
struct sent {
    struct slow_packet packets[SLOW_PACKETS_MAX];
    uint32_t count;
};

static uint32_t take_packet(void *context, const struct cm_router_packet *packet, uint64_t serial)
{
    struct sent *sent = context;
    if (serial < SLOW_PACKETS_MAX)
        sent->packets[serial] = (struct slow_packet){.order = *packet};
    sent->count++;
    return 0;
}

static struct cm_traffic_task draw_task(struct draw *draw, struct cm_router_options kind)
{
    struct cm_traffic_task task = {.router = kind};
    const uint32_t words = 1 + below(draw, 6);
    task.router.dimensions = 1 + below(draw, 3);
    task.router.words = words;
    task.router.header_words = below(draw, 3);
    task.router.buffer_words = words * (1 + below(draw, 3));
    task.router.descending = below(draw, 2);
    task.router.seed = below(draw, 1000);
    const uint32_t nodes = 1u << task.router.dimensions;
    task.pattern = (enum cm_pattern)below(draw, CM_PATTERN_LIST);
    task.by = 1 + below(draw, nodes - 1);
    task.hot_node = below(draw, nodes);
    task.seed = below(draw, 1000000);
    task.rate = 0.1 + 0.8 * below(draw, 1000) / 1000;
    task.warmup = 10 + below(draw, 20);
    task.measure = 20 + below(draw, 30) * words;
    return task;
}

#define FAILURES_MAX 16u

/* Lets whole wires fail in a third of the cases. */
static void draw_failures(struct draw *draw, struct cm_router_options *options,
                          struct cm_router_failure *failures)
{
    const uint32_t wires = below(draw, 3) == 0 ? 1 + below(draw, FAILURES_MAX / 2) : 0;
    options->failures = failures;
    for (uint32_t i = 0; i < wires; i++) {
        const uint32_t node = below(draw, 1u << options->dimensions);
        const uint32_t dimension = below(draw, options->dimensions);
        for (uint32_t channel = 0; channel < options->channels; channel++)
            failures[options->failure_count++] =
                (struct cm_router_failure){node, dimension, channel};
    }
}

static bool is_near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(1, fabs(a));
}

/* Compares the result with the plain router's arrivals. */
static bool follows(const struct cm_traffic_task *task, const struct cm_traffic_result *result,
                    const struct sent *sent)
{
    const uint64_t start = task->warmup, end = start + task->measure;
    const struct cm_traffic_balance *balance = &result->steady.balance;
    uint64_t created = 0, delivered = 0, before = 0, after = 0, lost = 0;
    double latency = 0, in_flight = 0;
    for (uint32_t i = 0; i < sent->count; i++) {
        const struct slow_packet *packet = &sent->packets[i];
        const uint64_t from = packet->order.created, to = packet->arrived;
        created += from >= start && from < end;
        lost += packet->lost && from >= start && from < end;
        if (packet->lost)
            continue;
        if (!packet->delivered)
            return false;
        latency += from >= start && from < end ? (double)(to - from) : 0;
        delivered += to >= start && to < end;
        before += from < start && to >= start;
        after += from < end && to >= end;
        for (uint64_t time = start; time < end; time++)
            in_flight += from <= time && time < to;
    }
    return result->measured == created - lost && balance->created == created &&
           balance->lost == lost && before + created == delivered + lost + after &&
           balance->delivered == delivered && balance->before == before &&
           balance->after == after && is_near(balance->mean * (double)task->measure, in_flight) &&
           (created == lost || is_near(result->latency.mean * (double)(created - lost), latency)) &&
           is_near(result->throughput * (double)task->measure * (1u << task->router.dimensions),
                   (double)delivered * task->router.words);
}

/* Returns whether one random case agrees. `compared` counts cases that the plain router takes. */
static bool run_case(struct cm_router_options kind, uint64_t seed, uint32_t *compared)
{
    static struct sent sent;
    static struct slow_outcome outcome;
    static struct cm_router_failure failures[FAILURES_MAX];
    struct draw draw = {seed};
    struct cm_traffic_task task = draw_task(&draw, kind);
    struct cm_traffic_result result;
    struct cm_router *router;
    struct cm_error err;
    draw_failures(&draw, &task.router, failures);
    sent.count = 0;
    task.load = take_packet;
    task.cargo = &sent;
    must(cm_router_create(&task.router, &router, &err), &err);
    must(cm_traffic_send(router, &task, &result, &err), &err);
    cm_router_destroy(router);
    if (sent.count > SLOW_PACKETS_MAX)
        return true;
    ++*compared;
    slow_router_run(&task.router, sent.packets, sent.count, &outcome);
    if (result.router.end == CM_ROUTER_DEADLOCK)
        return outcome.stuck;
    return follows(&task, &result, &sent);
}

CM_PROGRAM(open)
{
    static const char *const switchings[] = {"store-and-forward", "cut-through", "wormhole"};
    static const char *const routings[] = {"e-cube", "Valiant", "adaptive"};
    struct tap_options options = {.cases = 400, .seed = 1};
    uint32_t number = 0;
    bool all_good = true;
    tap_options_read(argc, argv, &options, NULL);
    printf("# seed %" PRIu64 "\n1..9\n", options.seed);
    for (int s = 0; s < 3; s++)
        for (int r = 0; r < 3; r++) {
            char what[100];
            bool good = true;
            uint32_t compared = 0;
            for (uint64_t i = 0; good && i < options.cases; i++) {
                const struct cm_router_options kind = {
                    .channels = r == 0 ? 1 + (uint32_t)(i % 2) : 2,
                    .switching = (enum cm_switching)s,
                    .routing = (enum cm_routing)r,
                };
                good = tap_case(&options, i, run_case(kind, options.seed * 1000003 + i, &compared));
            }
            snprintf(what, sizeof what, "%s by %s: traffic at a rate as by the plain router",
                     routings[r], switchings[s]);
            good = good && 2 * compared >= options.cases;
            tap_report(++number, good, what);
            all_good = all_good && good;
        }
    return all_good ? 0 : 1;
}
