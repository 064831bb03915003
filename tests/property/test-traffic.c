/*
 * Traffic at a rate against theory and against longer runs:
 *
 *   bounds       of random tasks, against loads that are counted packet by packet
 *   balance      conservation of packets and Little's law, from a record of each packet
 *   queueing     Geo/D/1 for flows that share no wire: the mean, and how often 95 % intervals
 *                contain it
 *   verdicts     against the backlog of runs a hundred times as long
 *
 * The oracles share no code with programs/network. Verdicts take long, so few cases are run:
 * property traffic --cases 200 --only verdicts prints each of 200.
 */
#include "../../programs/network/traffic.h"
#include "../harness/program.h"
#include "../harness/tap.h"
#include "random.h"

#include <math.h>
#include <string.h>

#define PACKET_TIMES 20000u /* of a measurement that is judged */
#define SAMPLES      2000u  /* times at which the oracle looks at the backlog */

static uint32_t largest_cube = 3; /* of the cubes of verdicts */
static uint32_t number;
static bool all_good = true;

static void report(const char *what, bool good)
{
    tap_report(++number, good, what);
    all_good = all_good && good;
}

static enum cm_status try_to_send(const struct cm_traffic_task *task,
                                  struct cm_traffic_result *result, struct cm_error *err)
{
    struct cm_router *router;
    enum cm_status status = cm_router_create(&task->router, &router, err);
    if (status != CM_OK)
        return status;
    status = cm_traffic_send(router, task, result, err);
    cm_router_destroy(router);
    return status;
}

static struct cm_traffic_result sent(const struct cm_traffic_task *task)
{
    struct cm_traffic_result result;
    struct cm_error err;
    must(try_to_send(task, &result, &err), &err);
    return result;
}

/* ---- random tasks ---- */

static bool may_deadlock(const struct cm_traffic_task *task)
{
    return task->router.channels == 1 && task->router.routing != CM_ROUTING_ECUBE;
}

static struct cm_traffic_task random_task(struct cm_random *random, uint32_t dimensions_max)
{
    static const uint32_t words[] = {1, 2, 4, 8};
    struct cm_traffic_task task = {
        .router = {.dimensions = 2 + cm_random_below(random, dimensions_max - 1),
                   .channels = 1 + cm_random_below(random, 2),
                   .words = words[cm_random_below(random, 4)],
                   .header_words = 1,
                   .switching = (enum cm_switching)cm_random_below(random, 3),
                   .routing = (enum cm_routing)cm_random_below(random, 3),
                   .descending = cm_random_chance(random, 30),
                   .seed = cm_random_next(random)},
        .pattern = (enum cm_pattern)cm_random_below(random, CM_PATTERN_LIST),
        .seed = cm_random_next(random),
        .warmup = 1000,
        .find_warmup = true,
    };
    const uint32_t nodes = 1u << task.router.dimensions;
    task.router.buffer_words = task.router.words * (cm_random_chance(random, 50) ? 1 : 4);
    task.by = 1 + cm_random_below(random, nodes - 1);
    task.hot_node = cm_random_below(random, nodes);
    return task;
}

#define HOT_MAX   5u
#define FLOWS_MAX 40u

/* What a task refers to. */
struct extras {
    uint32_t hot[HOT_MAX];
    struct cm_traffic_flow flows[FLOWS_MAX];
    struct cm_traffic_size sizes[3];
};

/* Gives some tasks several hot nodes and another share, and makes others flows. */
static void draw_demand(struct cm_random *random, struct extras *extras,
                        struct cm_traffic_task *task)
{
    const uint32_t nodes = 1u << task->router.dimensions;
    if (cm_random_chance(random, 15))
        task->pattern = CM_PATTERN_FLOWS;
    if (task->pattern == CM_PATTERN_HOT_SPOT && cm_random_chance(random, 70)) {
        task->hot_count = 1 + cm_random_below(random, HOT_MAX);
        task->hot_share = (1 + cm_random_below(random, 100)) / 100.0;
        for (uint32_t i = 0; i < task->hot_count; i++)
            extras->hot[i] = cm_random_below(random, nodes);
        task->hot_nodes = extras->hot;
    }
    if (task->pattern != CM_PATTERN_FLOWS)
        return;
    task->flow_count = 1 + cm_random_below(random, FLOWS_MAX);
    task->flows = extras->flows;
    for (uint32_t i = 0; i < task->flow_count; i++) {
        extras->flows[i] = (struct cm_traffic_flow){
            cm_random_below(random, nodes), cm_random_below(random, nodes),
            cm_random_below(random, 30), (1 + cm_random_below(random, 100)) / 100.0};
        task->flow_rate += extras->flows[i].rate;
    }
}

/* Lets some tasks send in bursts, or messages of several sizes. */
static void draw_messages(struct cm_random *random, struct extras *extras,
                          struct cm_traffic_task *task)
{
    if (cm_random_chance(random, 25) && task->pattern != CM_PATTERN_FLOWS) {
        task->burst_on = 20;
        task->burst_off = 10;
    }
    if (!cm_random_chance(random, 25))
        return;
    task->sizes = extras->sizes;
    task->size_count = 1 + cm_random_below(random, 3);
    for (uint32_t i = 0; i < task->size_count; i++)
        extras->sizes[i] = (struct cm_traffic_size){1 + cm_random_below(random, 40),
                                                    (1 + cm_random_below(random, 100)) / 100.0};
}

static void print_task(const struct cm_traffic_task *task)
{
    static const char *const routings[] = {"e-cube", "valiant", "adaptive"};
    static const char *const switchings[] = {"store-and-forward", "cut-through", "wormhole"};
    const struct cm_router_options *router = &task->router;
    printf("# %s by %u hot %u, %u nodes, %s%s, %s, %u channels, %u words, buffer %u, rate %.6g\n",
           cm_pattern_name(task->pattern), task->by, task->hot_node, 1u << router->dimensions,
           routings[router->routing], router->descending ? " descending" : "",
           switchings[router->switching], router->channels, router->words, router->buffer_words,
           task->rate);
}

/* ---- bounds ---- */

/* Loads of the network if each node creates one packet in a word time. */
struct loads {
    const struct cm_traffic_task *task;
    uint32_t dimensions, nodes;
    double wires[256][8][2]; /* node, dimension, channel. One channel stands for both */
    double ups[8], downs[8]; /* packets over a dimension from bit 0 to 1 and from 1 to 0 */
    double enters[256];      /* packets for each node from others */
    double sends[256];       /* packets of each node to others */
    double hops, latency;    /* means */
};

static double time_of(const struct cm_router_options *router, uint32_t hops)
{
    double time = 0;
    for (uint32_t hop = 0; hop < hops; hop++) {
        time += 1; /* the header crosses the channel */
        time += hop + 1 < hops ? router->header_words : 0;
        if (router->switching == CM_SWITCHING_STORE_AND_FORWARD || hop + 1 == hops)
            time += router->words - 1;
    }
    return time;
}

/* Takes a packet over the wires from one node to another, dimension by dimension. */
static uint32_t walk(struct loads *loads, uint32_t from, uint32_t to, uint32_t channel,
                     double share)
{
    uint32_t hops = 0;
    for (uint32_t step = 0; step < loads->dimensions; step++) {
        uint32_t d = loads->task->router.descending ? loads->dimensions - 1 - step : step;
        uint32_t bit = 1u << d;
        if ((from & bit) == (to & bit))
            continue;
        loads->wires[from][d][channel] += share;
        from ^= bit;
        hops++;
    }
    return hops;
}

static void add_packet(struct loads *loads, uint32_t from, uint32_t to, double share)
{
    const struct cm_router_options *router = &loads->task->router;
    if (from == to)
        return;
    loads->sends[from] += share;
    loads->enters[to] += share;
    for (uint32_t d = 0; d < loads->dimensions; d++) {
        loads->ups[d] += (from >> d & 1) < (to >> d & 1) ? share : 0;
        loads->downs[d] += (from >> d & 1) > (to >> d & 1) ? share : 0;
    }
    if (router->routing != CM_ROUTING_VALIANT) {
        uint32_t hops = walk(loads, from, to, 0, share);
        loads->hops += share * hops;
        loads->latency += share * time_of(router, hops);
        return;
    }
    for (uint32_t via = 0; via < loads->nodes; via++) {
        double part = share / loads->nodes;
        uint32_t hops = walk(loads, from, via, 0, part);
        hops += walk(loads, via, to, router->channels - 1, part);
        loads->hops += part * hops;
        loads->latency += part * time_of(router, hops);
    }
}

static void add_traffic(struct loads *loads)
{
    const struct cm_traffic_task *task = loads->task;
    for (uint32_t i = 0; task->pattern == CM_PATTERN_FLOWS && i < task->flow_count; i++)
        add_packet(loads, task->flows[i].source, task->flows[i].destination,
                   task->flows[i].rate / task->flow_rate * loads->nodes);
    for (uint32_t from = 0; task->pattern != CM_PATTERN_FLOWS && from < loads->nodes; from++) {
        double hot = task->hot_share > 0 ? task->hot_share : 0.25;
        double random =
            task->pattern == CM_PATTERN_HOT_SPOT                                           ? 1 - hot
            : task->pattern == CM_PATTERN_RANDOM || task->pattern == CM_PATTERN_ALL_TO_ALL ? 1
                                                                                           : 0;
        for (uint32_t to = 0; random > 0 && to < loads->nodes; to++)
            if (to != from)
                add_packet(loads, from, to, random / (loads->nodes - 1));
        for (uint32_t i = 0; i < task->hot_count; i++)
            add_packet(loads, from, task->hot_nodes[i], hot / task->hot_count);
        if (task->pattern == CM_PATTERN_HOT_SPOT && task->hot_count == 0)
            add_packet(loads, from, task->hot_node, hot);
        else if (random == 0 && task->pattern != CM_PATTERN_HOT_SPOT)
            add_packet(loads, from,
                       cm_pattern_destination(task->pattern, loads->dimensions, from, task->by), 1);
    }
}

/* Returns the highest rate that all resources carry. */
static double highest_rate(const struct loads *loads)
{
    const struct cm_router_options *router = &loads->task->router;
    const bool flows = loads->task->pattern == CM_PATTERN_FLOWS;
    double most = flows ? 0 : 1, channels = router->channels; /* most: load / capacity */
    for (uint32_t node = 0; node < loads->nodes; node++) {
        most = fmax(most, flows ? loads->sends[node] : 0);
        if (router->routing == CM_ROUTING_ADAPTIVE &&
            (flows || loads->task->pattern == CM_PATTERN_HOT_SPOT))
            most = fmax(most, loads->enters[node] / (channels * loads->dimensions));
        for (uint32_t d = 0; router->routing != CM_ROUTING_ADAPTIVE && d < loads->dimensions; d++)
            for (uint32_t c = 0; c < 2; c++)
                most = fmax(most, loads->wires[node][d][c] /
                                      (router->routing == CM_ROUTING_ECUBE ? channels : 1));
    }
    for (uint32_t d = 0; router->routing == CM_ROUTING_ADAPTIVE && d < loads->dimensions; d++)
        most = fmax(most, fmax(loads->ups[d], loads->downs[d]) / (channels * loads->nodes / 2));
    return most > 0 ? 1 / most : 1;
}

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

static void check_bounds(const struct tap_options *options)
{
    bool good = true;
    static struct loads loads;
    for (uint64_t i = 0; good && i < options->cases * 10; i++) {
        struct cm_random random = cm_random_of_case(options->seed, i);
        struct cm_traffic_task task = random_task(&random, 6);
        struct cm_traffic_bound bound;
        struct cm_error err;
        struct extras extras;
        draw_demand(&random, &extras, &task);
        memset(&loads, 0, sizeof loads);
        loads.task = &task;
        loads.dimensions = task.router.dimensions;
        loads.nodes = 1u << task.router.dimensions;
        add_traffic(&loads);
        must(cm_traffic_bound(&task, &bound, &err), &err);
        good = tap_case(options, i,
                        near(bound.rate, highest_rate(&loads)) &&
                            near(bound.mean_hops, loads.hops / loads.nodes) &&
                            near(bound.zero_load_latency, loads.latency / loads.nodes));
        if (!good) {
            print_task(&task);
            printf("# bound %.9g expected %.9g, hops %.9g expected %.9g, latency %.9g expected "
                   "%.9g\n",
                   bound.rate, highest_rate(&loads), bound.mean_hops, loads.hops / loads.nodes,
                   bound.zero_load_latency, loads.latency / loads.nodes);
        }
    }
    report("bounds, hops and latencies without load are those counted packet by packet", good);
}

/* ---- conservation and Little's law ---- */

/* Times of all packets, as the traffic's own callbacks report them. */
struct record {
    uint64_t start, end; /* word times of the measurement */
    uint64_t created, delivered, before, after;
    double packet_times; /* packets in flight, summed up over the measurement */
    double latencies;    /* sum over packets that are created in the measurement */
};

static double within(const struct record *record, uint64_t time)
{
    const uint64_t from = time < record->start ? record->start : time;
    return from < record->end ? (double)(record->end - from) : 0;
}

static uint32_t record_created(void *context, const struct cm_router_packet *packet,
                               uint64_t serial)
{
    struct record *record = context;
    (void)serial;
    record->packet_times += within(record, packet->created);
    record->before += packet->created < record->start;
    record->created += packet->created >= record->start && packet->created < record->end;
    record->after += packet->created < record->end;
    return 0;
}

static void record_arrival(void *context, const struct cm_router_delivery *delivery)
{
    struct record *record = context;
    record->packet_times -= within(record, delivery->arrived);
    record->before -= delivery->arrived < record->start;
    record->delivered += delivery->arrived >= record->start && delivery->arrived < record->end;
    record->after -= delivery->arrived < record->end;
    if (delivery->created >= record->start && delivery->created < record->end)
        record->latencies += (double)(delivery->arrived - delivery->created);
}

/* The mean number of packets in flight is their rate times the mean latency, but for packets that
 * are in flight at the ends of the measurement. These have a latency of at most `max`. */
static bool obeys_little(const struct cm_traffic_result *result, const struct record *record)
{
    const struct cm_traffic_balance *balance = &result->steady.balance;
    const double measure = (double)(record->end - record->start);
    const double ends =
        (double)(balance->before + balance->after) * (double)result->latency.max * 4 / measure;
    const double little = (double)result->measured * result->latency.mean / measure;
    return fabs(balance->mean - little) <= ends + 1e-9;
}

static void check_balance(const struct tap_options *options)
{
    bool good = true;
    for (uint64_t i = 0; good && i < options->cases * 2; i++) {
        struct cm_random random = cm_random_of_case(options->seed, i);
        struct cm_traffic_task task = random_task(&random, 6);
        if (may_deadlock(&task))
            continue;
        struct extras extras;
        draw_demand(&random, &extras, &task);
        draw_messages(&random, &extras, &task);
        task.warmup = cm_random_below(&random, 2000);
        task.find_warmup = false;
        task.measure = 1000 + cm_random_below(&random, 4000);
        task.rate = 0.05 + 0.5 * cm_random_below(&random, 100) / 100.0;
        struct record record = {.start = task.warmup, .end = task.warmup + task.measure};
        task.load = record_created;
        task.unload = record_arrival;
        task.cargo = &record;
        const struct cm_traffic_result result = sent(&task);
        const struct cm_traffic_balance *balance = &result.steady.balance;
        good = balance->before + balance->created == balance->delivered + balance->after &&
               balance->before == record.before && balance->created == record.created &&
               balance->delivered == record.delivered && balance->after == record.after &&
               balance->created == result.measured &&
               result.router.sent == result.router.delivered &&
               near(balance->mean, record.packet_times / (double)task.measure) &&
               near(result.latency.mean * (double)result.measured, record.latencies) &&
               (result.steady.verdict != CM_VERDICT_STEADY || obeys_little(&result, &record));
        if (!tap_case(options, i, good))
            print_task(&task);
    }
    report("packets are conserved, and in a steady state Little's law holds", good);
}

/* ---- queueing theory ---- */

/*
 * Complement traffic of m words over one channel: no two flows share a wire, so each source is a
 * discrete queue Geo/D/1. A packet comes in a word time with probability p = R / m and takes m word
 * times. On average it waits p m (m - 1) / (2 (1 - R)).
 */
static double geo_d_1(double rate, double words)
{
    return rate * (words - 1) / (2 * (1 - rate));
}

static struct cm_traffic_task complement_task(uint32_t dimensions, uint32_t words, double rate)
{
    return (struct cm_traffic_task){
        .router = {.dimensions = dimensions,
                   .channels = 1,
                   .words = words,
                   .header_words = 1,
                   .buffer_words = 4 * words,
                   .switching = CM_SWITCHING_CUT_THROUGH},
        .pattern = CM_PATTERN_COMPLEMENT,
        .rate = rate,
        .warmup = 4000,
        .measure = 20000,
    };
}

static void check_queueing(const struct tap_options *options)
{
    static const double rates[] = {0.1, 0.3, 0.5, 0.7, 0.8};
    bool good = true;
    for (uint32_t i = 0; i < 5; i++)
        for (uint32_t words = 2; good && words <= 8; words *= 2) {
            struct cm_traffic_task task = complement_task(5, words, rates[i]);
            task.seed = options->seed + i;
            const struct cm_traffic_result result = sent(&task);
            const double mean =
                geo_d_1(rates[i], words) + time_of(&task.router, task.router.dimensions);
            /* An interval misses by twice its half width in 1 of 20,000 cases. */
            good = fabs(result.latency.mean - mean) < 2 * result.steady.intervals.latency &&
                   result.steady.intervals.latency < 0.05 * mean &&
                   result.steady.verdict == CM_VERDICT_STEADY;
            if (!good)
                printf("# rate %g, %u words: latency %g +- %g, expected %g\n", rates[i], words,
                       result.latency.mean, result.steady.intervals.latency, mean);
        }
    report("latencies of flows that share no wire are those of Geo/D/1", good);
}

/* Four standard deviations of a binomial count with probability 0.95. */
static void check_coverage(const struct tap_options *options)
{
    const uint64_t seeds = tap_cases(1000);
    uint64_t latency = 0, throughput = 0;
    for (uint64_t i = 0; i < seeds; i++) {
        struct cm_traffic_task task = complement_task(4, 4, i % 2 == 0 ? 0.5 : 0.7);
        task.seed = options->seed * 1000003 + i;
        const struct cm_traffic_result result = sent(&task);
        const double mean = geo_d_1(task.rate, 4) + time_of(&task.router, 4);
        latency += fabs(result.latency.mean - mean) <= result.steady.intervals.latency;
        throughput += fabs(result.throughput - task.rate) <= result.steady.intervals.throughput;
    }
    const double expected = 0.95 * (double)seeds, spread = 4 * sqrt(0.0475 * (double)seeds) + 1;
    printf("# of %" PRIu64 " seeds, intervals of the latency contain the mean in %" PRIu64
           ", of the throughput in %" PRIu64 "\n",
           seeds, latency, throughput);
    report("95 % intervals contain the mean of theory in 95 % of the seeds",
           fabs((double)latency - expected) <= spread &&
               fabs((double)throughput - expected) <= spread);
}

/* ---- verdicts ---- */

/* Packets in flight at equal distances in a run. */
struct backlog {
    uint64_t end;
    int64_t changes[SAMPLES];
};

static void note(struct backlog *backlog, uint64_t time, int change)
{
    if (time < backlog->end)
        backlog->changes[time * SAMPLES / backlog->end] += change;
}

static uint32_t note_created(void *context, const struct cm_router_packet *packet, uint64_t serial)
{
    (void)serial;
    note(context, packet->created, 1);
    return 0;
}

static void note_arrival(void *context, const struct cm_router_delivery *delivery)
{
    note(context, delivery->arrived, -1);
}

static double mean_backlog(const struct backlog *backlog, uint32_t first, uint32_t end)
{
    double sum = 0, in_flight = 0;
    for (uint32_t i = 0; i < end; i++) {
        in_flight += (double)backlog->changes[i];
        sum += i >= first ? in_flight : 0;
    }
    return sum / (end - first);
}

/* Answer of a long run. Between steady and growing the run is not long enough. */
enum truth { STEADY, GROWING, UNCLEAR };

/* Returns the answer of a long run, by the mean backlog of its last fifth divided by that of the
 * middle fifth. Linear growth has a ratio of 1.8, and a random walk one of 1.34 on average. */
static enum truth truth_of(struct cm_traffic_task task, uint64_t times, double *ratio)
{
    struct backlog backlog = {.end = times * task.measure};
    task.measure = backlog.end - task.warmup;
    task.find_warmup = false;
    task.router.limit = backlog.end;
    task.load = note_created;
    task.unload = note_arrival;
    task.cargo = &backlog;
    (void)sent(&task);
    *ratio = mean_backlog(&backlog, SAMPLES / 5 * 4, SAMPLES) /
             mean_backlog(&backlog, SAMPLES / 5 * 2, SAMPLES / 5 * 3);
    return *ratio > 1.5 ? GROWING : *ratio < 1.15 ? STEADY : UNCLEAR;
}

/* Counts of cases. */
struct counts {
    uint32_t cases, wrong, undecided, late_wrong, late_undecided, unclear;
};

static bool is_wrong(enum cm_verdict verdict, enum truth truth)
{
    return (verdict == CM_VERDICT_STEADY && truth == GROWING) ||
           (verdict == CM_VERDICT_NOT_STEADY && truth == STEADY);
}

static void check_verdict(const struct tap_options *options, uint64_t i, struct counts *counts)
{
    static const char *const names[] = {"steady", "not steady", "not decided"};
    static const char *const truths[] = {"steady", "growing", "unclear"};
    struct cm_random random = cm_random_of_case(options->seed, i);
    struct cm_traffic_task task;
    do
        task = random_task(&random, largest_cube);
    while (may_deadlock(&task));
    struct cm_traffic_bound bound;
    struct cm_error err;
    double ratio;
    must(cm_traffic_bound(&task, &bound, &err), &err);
    const double share = 0.5 + cm_random_below(&random, 5000) / 10000.0;
    task.rate = bound.rate * share;
    task.measure = (uint64_t)PACKET_TIMES * task.router.words;
    const struct cm_traffic_result result = sent(&task);
    const enum truth truth = truth_of(task, 100, &ratio);
    enum cm_verdict late = result.steady.measured_verdict;
    if (late == CM_VERDICT_NOT_DECIDED) {
        struct cm_traffic_task longer = task;
        longer.measure *= 20;
        late = sent(&longer).steady.measured_verdict;
    }
    const enum cm_verdict verdict = result.steady.measured_verdict;
    counts->cases++;
    counts->wrong += is_wrong(verdict, truth);
    counts->undecided += verdict == CM_VERDICT_NOT_DECIDED;
    counts->late_wrong += is_wrong(late, truth);
    counts->late_undecided += late == CM_VERDICT_NOT_DECIDED;
    counts->unclear += truth == UNCLEAR;
    if (options->cases_given || is_wrong(verdict, truth) || is_wrong(late, truth)) {
        print_task(&task);
        printf("# case %" PRIu64 ": %.3f of the bound, %s (%d), later %s, truth %s (%.3f), busy "
               "%.3f, latency %.4g +- %.2g%s\n",
               i, share, names[verdict], result.steady.measured_reason, names[late], truths[truth],
               ratio, result.steady.busy, result.latency.mean, result.steady.intervals.latency,
               is_wrong(verdict, truth) || is_wrong(late, truth) ? " WRONG" : "");
        fflush(stdout);
    }
}

static void check_verdicts(const struct tap_options *options)
{
    struct counts counts = {0};
    for (uint64_t i = 0; i < options->cases; i++)
        check_verdict(options, i, &counts);
    printf("# %u cases: %u wrong, %u not decided; after 20 times as long %u wrong, %u not decided; "
           "truth unclear in %u\n",
           counts.cases, counts.wrong, counts.undecided, counts.late_wrong, counts.late_undecided,
           counts.unclear);
    report("verdicts of short runs are those of runs a hundred times as long",
           counts.wrong + counts.late_wrong <= 1 + counts.cases / 100);
    report("few verdicts are left open, and none after twenty times as long",
           counts.undecided <= 2 + counts.cases / 5 && counts.late_undecided == 0);
}

/* Whatever was measured, a rate above the bound has no steady state. */
static void check_above(const struct tap_options *options)
{
    bool good = true;
    uint32_t cases = 0, measured = 0, missed = 0;
    for (uint64_t i = 0; good && i < options->cases * 20; i++) {
        struct cm_random random = cm_random_of_case(options->seed, 1000000 + i);
        struct cm_traffic_task task = random_task(&random, 5);
        struct cm_traffic_bound bound;
        struct cm_error err;
        must(cm_traffic_bound(&task, &bound, &err), &err);
        task.rate = bound.rate * (1.02 + cm_random_below(&random, 300) / 1000.0);
        if (may_deadlock(&task) || task.rate > 1)
            continue;
        task.measure = 500u * task.router.words;
        const struct cm_traffic_result result = sent(&task);
        good = tap_case(options, i,
                        result.steady.verdict == CM_VERDICT_NOT_STEADY &&
                            result.steady.reason == CM_STEADY_BOUND && result.saturated);
        cases++;
        measured += result.steady.measured_verdict == CM_VERDICT_NOT_STEADY;
        missed += result.steady.measured_verdict == CM_VERDICT_STEADY;
    }
    printf(
        "# %u rates above the bound, 500 packet times: measured as not steady %u, as steady %u\n",
        cases, measured, missed);
    report("nothing above its bound is called steady", good && missed <= cases / 50);
}

CM_PROGRAM(traffic)
{
    const char *only = "";
    const struct test_option known[] = {
        {.name = "only", .text = &only}, {.name = "dimensions", .count = &largest_cube}, {0}};
    struct tap_options options = {.cases = 40, .seed = 1};
    tap_options_read(argc, argv, &options, known);
    printf("# seed %" PRIu64 "\n", options.seed);
    const bool all = only[0] == '\0';
    printf("1..%d\n", all ? 7 : 2);
    if (all) {
        check_bounds(&options);
        check_balance(&options);
        check_queueing(&options);
        check_coverage(&options);
        check_above(&options);
    }
    check_verdicts(&options);
    return all_good ? 0 : 1;
}
