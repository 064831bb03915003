/*
 * What sources of traffic create, against the laws that they are drawn from: shares of hot nodes,
 * periods of bursts, rates and sizes of flows, sizes of messages. Packets are counted as they are
 * created. A count may differ from its expectation by six standard deviations. The oracle shares no
 * code with programs/network.
 */
#include "../../programs/network/traffic.h"
#include "../harness/program.h"
#include "../harness/tap.h"
#include "random.h"

#include <math.h>
#include <string.h>

#define NODES   16u
#define MEASURE 20000u
#define LAGS    4u

static uint32_t number;
static bool all_good = true;

/* Packets of a run, in the order of their creation. */
struct created {
    struct cm_router_packet *items;
    uint32_t count, capacity;
    uint64_t *arrived; /* [node * MEASURE + time]: when all packets that it created had arrived */
    struct cm_traffic_result result;
};

static uint32_t note(void *context, const struct cm_router_packet *packet, uint64_t serial)
{
    struct created *created = context;
    (void)serial;
    if (packet->created >= MEASURE)
        return 0;
    if (created->count == created->capacity) {
        created->capacity = 2 * created->capacity + 1000;
        created->items = realloc(created->items, created->capacity * sizeof *created->items);
        if (created->items == NULL)
            die("out of memory");
    }
    created->items[created->count++] = *packet;
    return 0;
}

static void note_arrival(void *context, const struct cm_router_delivery *delivery)
{
    struct created *created = context;
    if (delivery->created >= MEASURE)
        return;
    uint64_t *arrived = &created->arrived[delivery->source * MEASURE + delivery->created];
    *arrived = delivery->arrived > *arrived ? delivery->arrived : *arrived;
}

static struct cm_traffic_task task_of(enum cm_pattern pattern, struct cm_random *random)
{
    return (struct cm_traffic_task){
        .router = {.dimensions = 4,
                   .channels = 2,
                   .words = 1 + cm_random_below(random, 4),
                   .header_words = 1,
                   .buffer_words = 16,
                   .switching = CM_SWITCHING_CUT_THROUGH},
        .pattern = pattern,
        .seed = cm_random_next(random),
        .rate = 0.1 + cm_random_below(random, 10) / 100.0,
        .measure = MEASURE,
    };
}

static struct created run(struct cm_traffic_task task)
{
    struct created created = {0};
    struct cm_router *router;
    struct cm_error err;
    task.load = note;
    task.unload = note_arrival;
    task.cargo = &created;
    created.arrived = calloc(NODES * MEASURE, sizeof *created.arrived);
    if (created.arrived == NULL)
        die("out of memory");
    must(cm_router_create(&task.router, &router, &err), &err);
    must(cm_traffic_send(router, &task, &created.result, &err), &err);
    cm_router_destroy(router);
    return created;
}

static void finish(struct created *created)
{
    free(created->items);
    free(created->arrived);
}

/* Whether a count is near its expectation. `spread` is its variance over that of independent
 * events. */
static bool near(const char *what, double count, double expected, double spread)
{
    if (fabs(count - expected) <= 6 * sqrt(spread * expected) + 6)
        return true;
    printf("# %s: %.6g, expected %.6g\n", what, count, expected);
    return false;
}

static uint32_t packets_of(const struct cm_traffic_task *task, uint32_t words)
{
    uint32_t packets = 0;
    for (uint32_t sent = 0; sent < words; sent += task->router.words)
        packets++;
    return packets > 0 ? packets : 1;
}

/* ---- hot nodes ---- */

static bool has_hot_shares(struct cm_random *random)
{
    struct cm_traffic_task task = task_of(CM_PATTERN_HOT_SPOT, random);
    const double share = (5 + cm_random_below(random, 90)) / 100.0;
    const uint32_t hot[] = {cm_random_below(random, 5), 5 + cm_random_below(random, 5),
                            10 + cm_random_below(random, 6)};
    uint32_t counts[NODES] = {0};
    bool good = true;
    task.hot_nodes = hot;
    task.hot_count = 1 + cm_random_below(random, 3);
    task.hot_share = share;
    struct created created = run(task);
    for (uint32_t i = 0; i < created.count; i++)
        counts[created.items[i].destination]++;
    for (uint32_t node = 0; node < NODES; node++) {
        double expected = (1 - share) / NODES; /* any node, which is not the source */
        for (uint32_t i = 0; i < task.hot_count; i++)
            expected += hot[i] == node ? share / task.hot_count : 0;
        good = good && near("packets to a node", counts[node], expected * created.count, 1);
    }
    good =
        near("packets", created.count, MEASURE * NODES * task.rate / task.router.words, 1) && good;
    finish(&created);
    return good;
}

/* ---- bursts ---- */

/* Counts pairs of messages of a node, some word times apart. */
static double pairs_of(const uint8_t *sent, uint32_t lag)
{
    double pairs = 0;
    for (uint32_t node = 0; node < NODES; node++)
        for (uint32_t time = 0; time + lag < MEASURE; time++)
            pairs += sent[node * MEASURE + time] && sent[node * MEASURE + time + lag];
    return pairs;
}

/*
 * A node is on with probability on / (on + off), and then creates a message with probability p. The
 * state forgets by 1 - 1 / on - 1 / off in a word time, which gives the pairs at each distance.
 */
static bool has_bursts(struct cm_random *random)
{
    struct cm_traffic_task task = task_of(CM_PATTERN_RANDOM, random);
    static const uint32_t lags[LAGS] = {1, 3, 10, 60};
    static uint8_t sent[NODES * MEASURE];
    task.burst_on = 5 + cm_random_below(random, 40);
    task.burst_off = task.burst_on * (0.5 + cm_random_below(random, 4));
    const double on = task.burst_on / (task.burst_on + task.burst_off);
    const double p = task.rate / task.router.words / on;
    if (p > 1)
        return true;
    struct created created = run(task);
    /* Counts vary with whole bursts. */
    const double spread = 1 + 2 * p * (task.burst_on + task.burst_off);
    bool good = near("packets in bursts", created.count, MEASURE * NODES * p * on, spread);
    memset(sent, 0, sizeof sent);
    for (uint32_t i = 0; i < created.count; i++)
        sent[created.items[i].source * MEASURE + created.items[i].created] = 1;
    finish(&created);
    for (uint32_t i = 0; i < LAGS; i++) {
        const double kept = pow(1 - 1 / task.burst_on - 1 / task.burst_off, lags[i]);
        const double pairs = (on + (1 - on) * kept) * on * p * p * NODES * (MEASURE - lags[i]);
        good = near("pairs of packets", pairs_of(sent, lags[i]), pairs, 2 * spread) && good;
    }
    return good;
}

/* ---- flows and sizes ---- */

static bool has_flows(struct cm_random *random)
{
    struct cm_traffic_task task = task_of(CM_PATTERN_FLOWS, random);
    struct cm_traffic_flow flows[NODES];
    uint32_t counts[NODES] = {0};
    bool good = true;
    task.flows = flows;
    task.flow_count = NODES;
    for (uint32_t i = 0; i < NODES; i++) {
        flows[i] = (struct cm_traffic_flow){i, (i + 1 + cm_random_below(random, NODES - 1)) % NODES,
                                            cm_random_below(random, 12),
                                            (1 + cm_random_below(random, 20)) / 100.0};
        task.flow_rate += flows[i].rate;
    }
    task.rate = task.flow_rate / NODES * (cm_random_chance(random, 50) ? 1 : 0.5);
    const double scale = task.rate * NODES / task.flow_rate;
    struct created created = run(task);
    for (uint32_t i = 0; i < created.count; i++) {
        const struct cm_router_packet *packet = &created.items[i];
        counts[packet->source]++;
        good = good && packet->destination == flows[packet->source].destination &&
               (i == 0 || packet->created >= packet[-1].created);
    }
    finish(&created);
    for (uint32_t i = 0; i < NODES; i++) {
        const uint32_t packets = packets_of(&task, flows[i].words);
        good = good && counts[i] % packets == 0 &&
               near("packets of a flow", counts[i],
                    flows[i].rate * scale * MEASURE / task.router.words, packets);
    }
    return good;
}

/* A node creates at most one message in a word time, so packets with equal source and time are a
 * message. */
static bool has_sizes(struct cm_random *random)
{
    struct cm_traffic_task task = task_of(CM_PATTERN_RANDOM, random);
    const struct cm_traffic_size sizes[] = {
        {1, 0.5}, {5 + cm_random_below(random, 5), 0.3}, {20 + cm_random_below(random, 9), 0.2}};
    double counts[3] = {0}, messages = 0, mean = 0, latency = 0;
    bool good = true;
    task.sizes = sizes;
    task.size_count = 3;
    struct created created = run(task);
    for (uint32_t i = 0; i < created.count;) {
        const struct cm_router_packet *first = &created.items[i];
        uint32_t packets = 0, k = 0;
        latency +=
            (double)(created.arrived[first->source * MEASURE + first->created] - first->created);
        while (i < created.count && created.items[i].created == first->created &&
               created.items[i].source == first->source) {
            good = good && created.items[i++].destination == first->destination;
            packets++;
        }
        while (k < 3 && packets_of(&task, sizes[k].words) != packets)
            k++;
        good = good && k < 3;
        counts[k < 3 ? k : 0]++;
        messages++;
    }
    for (uint32_t k = 0; k < 3; k++) {
        mean += sizes[k].share * packets_of(&task, sizes[k].words);
        good = near("messages of a size", counts[k], sizes[k].share * messages, 1) && good;
    }
    good = good && created.result.messages == (uint64_t)messages &&
           fabs(created.result.message_latency.mean * messages - latency) < 1e-6 * latency;
    good =
        near("messages", messages, task.rate / (task.router.words * mean) * MEASURE * NODES, 1) &&
        good;
    finish(&created);
    return good;
}

static void check(const struct tap_options *options, const char *what,
                  bool (*holds)(struct cm_random *random))
{
    bool good = true;
    for (uint64_t i = 0; good && i < options->cases; i++) {
        struct cm_random random = cm_random_of_case(options->seed, i);
        good = tap_case(options, i, holds(&random));
    }
    tap_report(++number, good, what);
    all_good = all_good && good;
}

CM_PROGRAM(sources)
{
    struct tap_options options = {.cases = 40, .seed = 1};
    tap_options_read(argc, argv, &options, NULL);
    printf("# seed %" PRIu64 "\n1..4\n", options.seed);
    check(&options, "hot nodes get their shares", has_hot_shares);
    check(&options, "bursts have their rate, and pairs of messages at each distance", has_bursts);
    check(&options, "flows have their rates, destinations and sizes", has_flows);
    check(&options, "sizes of messages have their shares, and latencies of last packets",
          has_sizes);
    return all_good ? 0 : 1;
}
