/* Judges open-loop measurements from their batches. steady.h explains the tests. */
#include "steady_private.h"

#include "confidence.h"

#include <math.h>
#include <stdlib.h>

/* least Student's t of a backlog of the network that grows for certain */
#define GROWS    4.0
#define MAY_GROW 2.0 /* least Student's t of a backlog of the network that may grow */
/* least Student's t of growth for certain, for the worst of many sources or wires */
#define FLOW_GROWS    6.0
#define FLOW_MAY_GROW 4.0
#define FLOW_LEAST    10.0 /* least growth of a source's or wire's backlog, in packets */
/* least exponent of a backlog's growth. 1 is linear growth, 1/2 a random walk or a warm-up */
#define POWER_LEAST 0.75
/* A backlog grows linearly if its growth in the second half of the measured time is at least this
 * part of its growth in the first half. */
#define STRAIGHT_LEAST 0.85
#define STRAIGHT_T     15.0 /* least Student's t at which two halves can be compared */
#define RANGE_MOST     1.1 /* largest range of a steady backlog. A random walk has 1.6 on average */
#define DRIFT          3.0 /* least drift of the latency, in standard errors */
#define DRIFT_LEAST    0.05 /* least drift of the latency, as a share of the mean */
/* Least measured time of a busy queue in packet times, multiplied by (1 - b)^2. A queue that is
 * busy for a share b of the time forgets its past within about 2 / (1 - b)^2 packet times, and the
 * measurement must be at least twice as long. */
#define MEMORY 4.0
/* Measured time, in packet times, from which on a measurement is long: the doubt concerns less than
 * a percent of the rate. */
#define LONG 2e5

/* ---- trends ---- */

static double mean_of(const double *values, uint32_t first, uint32_t end)
{
    double sum = 0;
    for (uint32_t i = first; i < end; i++)
        sum += values[i];
    return sum / (end - first);
}

/* Returns the exponent of the backlog's growth between the middle and the end of the
 * measurement. */
static double power_of(const double *points, double before, double length)
{
    const double middle = mean_of(points, 8, 13), late = mean_of(points, 16, 21);
    const double times = (before + 0.9 * length) / (before + 0.5 * length);
    return middle > 0 && late > 0 ? log(late / middle) / log(times) : 0;
}

struct cm_steady_trend cm_steady_trend_of(const double points[CM_BATCH_ROWS], double before,
                                          double length)
{
    const uint32_t half = CM_BATCHES / 2;
    struct cm_steady_trend trend = {.growth = points[CM_BATCHES] - points[0],
                                    .power = power_of(points, before, length)};
    const double mean = mean_of(points, 0, CM_BATCH_ROWS), change = trend.growth / CM_BATCHES;
    double squares = 0, least = points[0] - mean, most = least;
    for (uint32_t i = 1; i < CM_BATCH_ROWS; i++) {
        const double differs = points[i] - points[i - 1] - change;
        squares += differs * differs;
        least = fmin(least, points[i] - mean);
        most = fmax(most, points[i] - mean);
    }
    const double walk = sqrt(squares / (CM_BATCHES - 1) * CM_BATCHES);
    trend.t = walk > 0 ? trend.growth / walk : trend.growth > 0 ? HUGE_VAL : 0;
    trend.range = walk > 0 ? (most - least) / walk : trend.growth > 0 ? HUGE_VAL : 0;
    const double first = points[half] - points[0], second = points[CM_BATCHES] - points[half];
    trend.straight = first > 0 ? second / first : second > 0 ? 1 : 0;
    return trend;
}

/* Returns whether a backlog grows for certain, and not only because it is still settling. `t` is
 * the least Student's t. */
static bool grows(const struct cm_steady_trend *trend, double t)
{
    return trend->t > t && (trend->power > POWER_LEAST ||
                            (trend->straight > STRAIGHT_LEAST && trend->t > STRAIGHT_T));
}

/* ---- series of backlogs ---- */

static void network_backlog(const struct cm_batches *batches, double points[CM_BATCH_ROWS])
{
    double in_flight = 0;
    for (uint32_t row = 0; row < CM_BATCH_ROWS; row++) {
        in_flight += (double)batches->created[row] - (double)batches->lost[row] -
                     (double)batches->arrived[row];
        points[row] = in_flight;
    }
}

static int32_t change_of(const struct cm_batches *batches, uint32_t row, uint32_t flow)
{
    return batches->changes[(size_t)row * batches->flows + flow];
}

/* Adds the backlog of a flow, multiplied by `share`, to a series of backlogs. */
static void add_flow(const struct cm_batches *batches, uint32_t flow, double share,
                     double points[CM_BATCH_ROWS])
{
    double in_flight = 0;
    for (uint32_t row = 0; row < CM_BATCH_ROWS; row++) {
        in_flight += change_of(batches, row, flow);
        points[row] += share * in_flight;
    }
}

static double growth_of(const struct cm_batches *batches, uint32_t flow)
{
    double growth = 0;
    for (uint32_t row = 1; row < CM_BATCH_ROWS; row++)
        growth += change_of(batches, row, flow);
    return growth;
}

/* Fills in the series of backlogs of the source whose backlog grows most, and returns the number of
 * this source. */
static uint32_t worst_source(const struct cm_batches *batches, double points[CM_BATCH_ROWS])
{
    const uint32_t nodes = batches->nodes;
    uint32_t worst = 0;
    double most = -HUGE_VAL;
    for (uint32_t source = 0; source < nodes; source++) {
        double growth = 0;
        for (uint32_t flow = source; flow < batches->flows; flow += nodes)
            growth += growth_of(batches, flow);
        if (growth <= most)
            continue;
        most = growth;
        worst = source;
    }
    for (uint32_t row = 0; row < CM_BATCH_ROWS; row++)
        points[row] = 0;
    for (uint32_t flow = worst; flow < batches->flows; flow += nodes)
        add_flow(batches, flow, 1, points);
    return worst;
}

/* Returns whether all packets of a flow take one path, and sets *destination to the node where the
 * path ends. */
static bool has_way(const struct cm_batches *batches, uint32_t flow, uint32_t *destination)
{
    const struct cm_traffic_task *task = batches->task;
    if (task->router.routing != CM_ROUTING_ECUBE)
        return false;
    *destination = task->hot_node;
    if (task->pattern == CM_PATTERN_HOT_SPOT)
        return flow >= batches->nodes;
    *destination = cm_pattern_destination(task->pattern, task->router.dimensions, flow, task->by);
    return task->pattern != CM_PATTERN_RANDOM && task->pattern != CM_PATTERN_ALL_TO_ALL &&
           task->pattern != CM_PATTERN_FLOWS;
}

/* Fills in the series of the number of packets in flight whose path crosses one wire, for the wire
 * where this number grows most. Sets *wire to the number of this wire. */
static enum cm_status worst_wire(const struct cm_batches *batches, double points[CM_BATCH_ROWS],
                                 size_t *wire, struct cm_error *err)
{
    const struct cm_traffic_task *task = batches->task;
    const size_t wires = (size_t)batches->nodes * task->router.dimensions;
    double *growths = calloc(wires + 1, sizeof *growths);
    uint32_t destination;
    *wire = 0;
    for (uint32_t row = 0; row < CM_BATCH_ROWS; row++)
        points[row] = 0;
    if (growths == NULL)
        return cm_error_no_memory(err);
    for (uint32_t flow = 0; flow < batches->flows; flow++)
        if (has_way(batches, flow, &destination))
            cm_traffic_add_way(task, flow % batches->nodes, destination, growth_of(batches, flow),
                               growths);
    for (size_t i = 1; i < wires; i++)
        *wire = growths[i] > growths[*wire] ? i : *wire;
    /* A flow crosses the wire if its path adds load to the wire. */
    for (uint32_t flow = 0; flow < batches->flows; flow++) {
        if (!has_way(batches, flow, &destination))
            continue;
        growths[*wire] = 0;
        cm_traffic_add_way(task, flow % batches->nodes, destination, 1, growths);
        if (growths[*wire] > 0)
            add_flow(batches, flow, 1, points);
    }
    free(growths);
    return CM_OK;
}

/* ---- verdict ---- */

static void decide(struct cm_traffic_steady *steady, enum cm_verdict verdict,
                   enum cm_steady_reason reason)
{
    steady->verdict = verdict;
    steady->reason = reason;
}

static void blame(struct cm_traffic_steady *steady, uint32_t node, uint32_t dimension,
                  bool has_dimension)
{
    steady->node = node;
    steady->dimension = dimension;
    steady->has_dimension = has_dimension;
}

/* Returns the length of the measurement in packet times. */
static double packet_times_of(const struct cm_batches *batches)
{
    return (double)batches->task->measure / (double)batches->task->router.words;
}

static bool is_long(const struct cm_batches *batches)
{
    return packet_times_of(batches) >= LONG;
}

/* Judges the worst source and the worst wire. Returns whether the backlog of one of them grows or
 * may grow. */
static bool judge_flows(const struct cm_batches *batches, const double source[CM_BATCH_ROWS],
                        uint32_t node, const double wire[CM_BATCH_ROWS], size_t index,
                        struct cm_traffic_steady *steady)
{
    const double before = (double)batches->start, length = (double)batches->task->measure;
    const struct cm_steady_trend trends[] = {cm_steady_trend_of(wire, before, length),
                                             cm_steady_trend_of(source, before, length)};
    const uint32_t dimensions = batches->task->router.dimensions;
    /* in a long measurement only certain growth counts, and possible growth does not */
    const uint32_t least = is_long(batches) ? 1 : 0;
    for (uint32_t certain = 2; certain-- > least;)
        for (uint32_t i = 0; i < 2; i++) {
            const struct cm_steady_trend *trend = &trends[i];
            if (trend->growth < FLOW_LEAST ||
                !(certain ? grows(trend, FLOW_GROWS) : trend->t > FLOW_MAY_GROW))
                continue;
            decide(steady, certain ? CM_VERDICT_NOT_STEADY : CM_VERDICT_NOT_DECIDED,
                   i == 0 ? CM_STEADY_WIRE : CM_STEADY_SOURCE);
            if (i == 0)
                blame(steady, (uint32_t)(index / dimensions), (uint32_t)(index % dimensions), true);
            else
                blame(steady, node, 0, false);
            return true;
        }
    return false;
}

/* Returns whether the latencies of the second half are larger than those of the first half, by more
 * than chance. */
static bool drifts(const struct cm_batches *batches)
{
    const uint32_t half = CM_BATCHES / 2;
    const struct cm_interval first =
        cm_interval_of_batches(batches->latency, batches->counted, half);
    const struct cm_interval second =
        cm_interval_of_batches(batches->latency + half, batches->counted + half, half);
    const double error = hypot(first.half, second.half) / cm_student(half - 1);
    return second.mean - first.mean > fmax(DRIFT * error, DRIFT_LEAST * first.mean);
}

static bool has_empty_batch(const struct cm_batches *batches)
{
    for (uint32_t i = 0; i < CM_BATCHES; i++)
        if (batches->counted[i] < 1)
            return true;
    return false;
}

/* Returns the least measured time, in packet times, if a wire or node is busy for the share `busy`
 * of the time. */
static double memory_of(double busy)
{
    return busy < 1 ? MEMORY / ((1 - busy) * (1 - busy)) : HUGE_VAL;
}

/*
 * Returns the larger of two shares of busy time: that of the busiest wire, and that of a node that
 * sends into the network. The busiest of many wires was by chance busier than usual, by about a
 * standard deviation. Returns 0 if every node creates a packet in every word time, because then
 * there are no queues by chance.
 */
static double busiest(const struct cm_batches *batches, const struct cm_steady_run *run)
{
    const struct cm_traffic_task *task = batches->task;
    const double deviation = sqrt(run->busy / packet_times_of(batches));
    return task->rate < task->router.words ? fmax(run->busy - deviation, task->rate) : 0;
}

/* Judges a run that ended while measured packets were still in the network. */
static void judge_outstanding(const struct cm_batches *batches, const struct cm_steady_run *run,
                              const struct cm_steady_trend *network,
                              struct cm_traffic_steady *steady)
{
    const bool late = run->word_times >= 2 * batches->end;
    if (late || grows(network, GROWS))
        decide(steady, CM_VERDICT_NOT_STEADY, CM_STEADY_OUTSTANDING);
    else
        decide(steady, CM_VERDICT_NOT_DECIDED, CM_STEADY_LIMIT);
}

/* Sets the verdict if the tests have not shown that the backlog grows. */
static void judge_level(const struct cm_batches *batches, const struct cm_steady_run *run,
                        const struct cm_steady_trend *network, struct cm_traffic_steady *steady)
{
    if (has_empty_batch(batches))
        decide(steady, CM_VERDICT_NOT_DECIDED, CM_STEADY_FEW_PACKETS);
    else if (is_long(batches))
        decide(steady, network->t > MAY_GROW ? CM_VERDICT_NOT_STEADY : CM_VERDICT_STEADY,
               network->t > MAY_GROW ? CM_STEADY_BACKLOG : CM_STEADY_NO_REASON);
    else if (network->t > MAY_GROW)
        decide(steady, CM_VERDICT_NOT_DECIDED,
               network->straight < STRAIGHT_LEAST ? CM_STEADY_WARMUP : CM_STEADY_BACKLOG);
    else if (network->range > RANGE_MOST)
        decide(steady, CM_VERDICT_NOT_DECIDED, CM_STEADY_WANDERS);
    else if (drifts(batches))
        decide(steady, CM_VERDICT_NOT_DECIDED, CM_STEADY_DRIFT);
    else if (packet_times_of(batches) < memory_of(busiest(batches, run)))
        decide(steady, CM_VERDICT_NOT_DECIDED, CM_STEADY_BUSY);
    else
        decide(steady, CM_VERDICT_STEADY, CM_STEADY_NO_REASON);
}

static enum cm_status judge_measured(const struct cm_batches *batches,
                                     const struct cm_steady_run *run,
                                     struct cm_traffic_steady *steady, struct cm_error *err)
{
    double network[CM_BATCH_ROWS], source[CM_BATCH_ROWS], wire[CM_BATCH_ROWS];
    size_t index;
    network_backlog(batches, network);
    const struct cm_steady_trend trend =
        cm_steady_trend_of(network, (double)batches->start, (double)batches->task->measure);
    const uint32_t node = worst_source(batches, source);
    enum cm_status status = worst_wire(batches, wire, &index, err);
    steady->growth = trend.growth;
    blame(steady, run->node, run->dimension, batches->task->router.dimensions > 0);
    if (status != CM_OK)
        return status;
    if (run->cut)
        judge_outstanding(batches, run, &trend, steady);
    else if (grows(&trend, GROWS))
        decide(steady, CM_VERDICT_NOT_STEADY, CM_STEADY_BACKLOG);
    else if (!judge_flows(batches, source, node, wire, index, steady))
        judge_level(batches, run, &trend, steady);
    return CM_OK;
}

/* ---- numbers ---- */

static void count(const struct cm_batches *batches, struct cm_traffic_steady *steady)
{
    struct cm_traffic_balance *balance = &steady->balance;
    const double measure = (double)batches->task->measure, words = batches->task->router.words;
    uint32_t least = UINT32_MAX, most = 0;
    balance->before = batches->created[0] - batches->lost[0] - batches->arrived[0];
    for (uint32_t row = 1; row < CM_BATCH_ROWS; row++) {
        balance->created += batches->created[row];
        balance->lost += batches->lost[row];
        balance->delivered += batches->arrived[row];
    }
    balance->after = balance->before + balance->created - balance->lost - balance->delivered;
    balance->mean = batches->packet_times / measure;
    for (uint32_t node = 0; node < batches->nodes; node++) {
        least = batches->accepted[node] < least ? batches->accepted[node] : least;
        most = batches->accepted[node] > most ? batches->accepted[node] : most;
    }
    steady->least = least * words / measure;
    steady->most = most * words / measure;
    steady->warmup = batches->start;
    steady->measure = batches->task->measure;
}

static void estimate(const struct cm_batches *batches, struct cm_traffic_intervals *intervals)
{
    double arrived[CM_BATCHES], lengths[CM_BATCHES];
    const double node_times = (double)batches->task->measure * batches->nodes / CM_BATCHES;
    for (uint32_t i = 0; i < CM_BATCHES; i++) {
        arrived[i] = (double)batches->arrived[i + 1] * batches->task->router.words;
        lengths[i] = node_times;
    }
    const struct cm_interval latency =
        cm_interval_of_batches(batches->latency, batches->counted, CM_BATCHES);
    const struct cm_interval throughput = cm_interval_of_batches(arrived, lengths, CM_BATCHES);
    const bool known = latency.known && !has_empty_batch(batches);
    intervals->latency = known ? latency.half : -1;
    intervals->throughput = known ? throughput.half : -1;
}

/* Returns the length, in word times, of a longer measurement that could give a certain verdict. The
 * length is rounded up to two digits. */
static uint64_t longer(const struct cm_batches *batches, const struct cm_steady_run *run,
                       enum cm_steady_reason reason)
{
    const struct cm_traffic_task *task = batches->task;
    double wanted = 4.0 * (double)task->measure;
    if (reason == CM_STEADY_BUSY)
        wanted = fmax(fmin(1.1 * memory_of(busiest(batches, run)), LONG) * task->router.words,
                      1.5 * (double)task->measure);
    const double digit = pow(10, floor(log10(wanted)) - 1);
    return (uint64_t)(ceil(wanted / digit) * digit);
}

enum cm_status cm_steady_judge(const struct cm_batches *batches,
                               const struct cm_traffic_bound *bound,
                               const struct cm_steady_run *run, struct cm_traffic_steady *steady,
                               struct cm_error *err)
{
    *steady = (struct cm_traffic_steady){.busy = run->busy};
    count(batches, steady);
    estimate(batches, &steady->intervals);
    enum cm_status status = judge_measured(batches, run, steady, err);
    steady->measured_verdict = steady->verdict;
    steady->measured_reason = steady->reason;
    if (cm_traffic_reaches(batches->task, bound)) {
        decide(steady, CM_VERDICT_NOT_STEADY, CM_STEADY_BOUND);
        if (bound->kind == CM_TRAFFIC_BOUND_WIRE)
            blame(steady, bound->node, bound->dimension, true);
    }
    if (steady->verdict == CM_VERDICT_NOT_DECIDED)
        steady->measure_longer = longer(batches, run, steady->reason);
    return status;
}
