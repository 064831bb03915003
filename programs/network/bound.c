/*
 * Computes bounds of the rate of open-loop traffic. A load is the number of packets per word time
 * if every node creates one packet in each word time. The loads of single pairs of nodes are added
 * up. Packets to uniformly distributed destinations load every wire equally.
 */
#include "bound.h"

#include "streams.h"

#include <math.h>
#include <stdlib.h>

#define ROUNDING 1e-9 /* relative error up to which bounds are taken as equal */

/*
 * Packets of a pattern if the nodes create one packet per word time each, on average. Pairs of
 * nodes have fixed shares of the packets: each node and its destination, each node and each hot
 * node, or source and destination of a flow. The rest of the packets goes from every node to any
 * other node with equal probability.
 */
struct demand {
    const struct cm_traffic_task *task;
    uint32_t dimensions, nodes;
    uint32_t hot_count; /* number of hot nodes. 0 for patterns other than hot-spot */
    uint64_t pair_count;
    double hot;     /* share of each node's packets that is drawn to go to hot nodes */
    double uniform; /* share of each node's packets to any other node with equal probability */
};

/* Pair of nodes, and the packets per word time from the source to the destination. */
struct pair {
    uint32_t source, destination;
    double share;
};

static struct demand demand_of(const struct cm_traffic_task *task)
{
    struct demand demand = {.task = task,
                            .dimensions = task->router.dimensions,
                            .nodes = UINT32_C(1) << task->router.dimensions};
    switch (task->pattern) {
    case CM_PATTERN_HOT_SPOT:
        demand.hot_count = task->hot_count > 0 ? task->hot_count : 1;
        demand.hot = cm_traffic_hot_share(task);
        demand.pair_count = (uint64_t)demand.nodes * demand.hot_count;
        demand.uniform = 1 - demand.hot;
        break;
    case CM_PATTERN_RANDOM:
    /* for all-to-all: each node sends to every other node in turn, so the load is that of random
     * destinations */
    case CM_PATTERN_ALL_TO_ALL:
        demand.uniform = 1;
        break;
    case CM_PATTERN_FLOWS:
        demand.pair_count = task->flow_count;
        break;
    default:
        demand.pair_count = demand.nodes;
    }
    return demand;
}

static uint32_t hot_node(const struct demand *demand, uint32_t i)
{
    return demand->task->hot_count > 0 ? demand->task->hot_nodes[i] : demand->task->hot_node;
}

static struct pair pair_at(const struct demand *demand, uint64_t i)
{
    const struct cm_traffic_task *task = demand->task;
    if (task->pattern == CM_PATTERN_FLOWS) {
        const struct cm_traffic_flow *flow = &task->flows[i];
        return (struct pair){flow->source, flow->destination,
                             flow->rate * demand->nodes / task->flow_rate};
    }
    if (demand->hot_count > 0)
        return (struct pair){(uint32_t)(i / demand->hot_count),
                             hot_node(demand, (uint32_t)(i % demand->hot_count)),
                             demand->hot / demand->hot_count};
    return (struct pair){
        (uint32_t)i,
        cm_pattern_destination(task->pattern, demand->dimensions, (uint32_t)i, task->by), 1};
}

/* Returns the load of each wire by the packets that each node sends to all other nodes with equal
 * probability. */
static double uniform_load(const struct demand *demand)
{
    return demand->nodes > 1 ? demand->uniform * demand->nodes / (2.0 * (demand->nodes - 1)) : 0;
}

/* Makes a resource of the network the bound if its capacity allows only a lower rate than the bound
 * so far. */
static void limit(struct cm_traffic_bound *bound, double load, double capacity,
                  const struct cm_traffic_bound *resource)
{
    if (load <= 0 || capacity / load >= bound->rate * (1 - ROUNDING))
        return;
    *bound = *resource;
    bound->rate = capacity / load;
}

/* ---- e-cube ---- */

void cm_traffic_add_way(const struct cm_traffic_task *task, uint32_t source, uint32_t destination,
                        double share, double *loads)
{
    const uint32_t dimensions = task->router.dimensions;
    uint32_t node = source;
    for (uint32_t i = 0; i < dimensions; i++) {
        const uint32_t d = task->router.descending ? dimensions - 1 - i : i;
        if (((node ^ destination) >> d & 1) == 0)
            continue;
        loads[(size_t)node * dimensions + d] += share;
        node ^= UINT32_C(1) << d;
    }
}

static void load_ecube(const struct demand *demand, double *loads)
{
    const struct cm_traffic_task *task = demand->task;
    const double uniform = uniform_load(demand);
    for (size_t wire = 0; wire < (size_t)demand->nodes * demand->dimensions; wire++)
        loads[wire] = uniform;
    for (uint64_t i = 0; i < demand->pair_count; i++) {
        const struct pair pair = pair_at(demand, i);
        cm_traffic_add_way(task, pair.source, pair.destination, pair.share, loads);
    }
}

static void bound_by_wires(const struct demand *demand, const double *loads, double capacity,
                           uint32_t channel, struct cm_traffic_bound *bound)
{
    for (uint32_t node = 0; node < demand->nodes; node++)
        for (uint32_t d = 0; d < demand->dimensions; d++)
            limit(bound, loads[(size_t)node * demand->dimensions + d], capacity,
                  &(struct cm_traffic_bound){.kind = CM_TRAFFIC_BOUND_WIRE,
                                             .node = node,
                                             .dimension = d,
                                             .channel = channel});
}

/* ---- Valiant ---- */

/* Fills in the number of packets that each node sends (`to` is false) or receives (`to` is true),
 * if each node creates one packet. */
static void count_ends(const struct demand *demand, bool to, double *weights)
{
    for (uint32_t node = 0; node < demand->nodes; node++)
        weights[node] = demand->nodes > 1 ? demand->uniform : 0;
    for (uint64_t i = 0; i < demand->pair_count; i++) {
        const struct pair pair = pair_at(demand, i);
        if (pair.source != pair.destination)
            weights[to ? pair.destination : pair.source] += pair.share;
    }
}

/*
 * Adds the loads of e-cube between fixed nodes and uniformly random nodes. `to` is false for the
 * first path, from the fixed node to a random node, and true for the second path, from the random
 * node to the fixed node. A packet that crosses a wire of node x in dimension d has the random
 * node's bits on one side of bit d. On the other side it has the fixed node's bits, so x agrees
 * with the fixed node there. On the first path, bit d of x is that of the fixed node, and on the
 * second path it differs.
 */
static void add_random_way(const struct demand *demand, bool to, const double *weights,
                           double *sums, double *loads)
{
    const uint32_t nodes = demand->nodes, dimensions = demand->dimensions;
    /* true if a packet takes the fixed node's bits above bit d, and the random node's bits below */
    const bool high = to == demand->task->router.descending;
    for (uint32_t d = 0; d < dimensions; d++) {
        const uint32_t low_mask = (UINT32_C(2) << d) - 1, groups = high ? nodes >> d : low_mask + 1;
        const uint32_t other = to ? (high ? 1 : UINT32_C(1) << d) : 0;
        const double share = ldexp(1, -(int)(high ? d + 1 : dimensions - d));
        for (uint32_t group = 0; group < groups; group++)
            sums[group] = 0;
        for (uint32_t node = 0; node < nodes; node++)
            sums[high ? node >> d : node & low_mask] += weights[node];
        for (uint32_t x = 0; x < nodes; x++)
            loads[(size_t)x * dimensions + d] +=
                share * sums[(high ? x >> d : x & low_mask) ^ other];
    }
}

static enum cm_status bound_valiant(const struct demand *demand, double *loads,
                                    struct cm_traffic_bound *bound, struct cm_error *err)
{
    const bool apart = demand->task->router.channels > 1;
    const size_t wires = (size_t)demand->nodes * demand->dimensions;
    double *weights = malloc(2 * (size_t)demand->nodes * sizeof *weights);
    if (weights == NULL)
        return cm_error_no_memory(err);
    for (uint32_t way = 0; way < 2; way++) {
        for (size_t wire = 0; (way == 0 || apart) && wire < wires; wire++)
            loads[wire] = 0;
        count_ends(demand, way == 1, weights);
        add_random_way(demand, way == 1, weights, weights + demand->nodes, loads);
        if (apart || way == 1)
            bound_by_wires(demand, loads, 1, apart ? way : 0, bound);
    }
    free(weights);
    return CM_OK;
}

/* ---- cuts ---- */

/* Computes the shares of all packets that cross a dimension upwards (ways[0]) and downwards
 * (ways[1]). */
static void crossings(const struct demand *demand, uint32_t dimension, double ways[2])
{
    ways[0] = ways[1] = uniform_load(demand) / 2;
    for (uint64_t i = 0; i < demand->pair_count; i++) {
        const struct pair pair = pair_at(demand, i);
        const uint32_t bit = pair.source >> dimension & 1;
        if ((pair.destination >> dimension & 1) != bit)
            ways[bit] += pair.share / demand->nodes;
    }
}

/* Bounds the rate by the wires into each node. `received` has the packets per word time that each
 * node receives. */
static void bound_by_nodes(const struct demand *demand, const double *received,
                           struct cm_traffic_bound *bound)
{
    const double channels = demand->task->router.channels;
    for (uint32_t node = 0; node < demand->nodes; node++)
        limit(bound, received[node], channels * demand->dimensions,
              &(struct cm_traffic_bound){.kind = CM_TRAFFIC_BOUND_NODE, .node = node});
}

static void bound_by_cuts(const struct demand *demand, double *weights,
                          struct cm_traffic_bound *bound)
{
    const double channels = demand->task->router.channels;
    for (uint32_t d = 0; d < demand->dimensions; d++) {
        double ways[2];
        crossings(demand, d, ways);
        /* Half of the nodes have a wire in each direction. */
        for (uint32_t way = 0; way < 2; way++)
            limit(bound, 2 * ways[way], channels,
                  &(struct cm_traffic_bound){.kind = CM_TRAFFIC_BOUND_CUT, .dimension = d});
    }
    if (demand->hot_count == 0 && demand->task->pattern != CM_PATTERN_FLOWS)
        return;
    count_ends(demand, true, weights);
    bound_by_nodes(demand, weights, bound);
}

/* ---- latency without load ---- */

/* Adds packets to the means of hops and latency. The addresses of a packet's source and destination
 * differ in `differ` bits. A random node of Valiant's routing makes the packet cross the dimension
 * of each equal bit twice with probability 1/2. */
static void add_distance(const struct demand *demand, uint32_t differ, double share,
                         struct cm_traffic_bound *bound)
{
    const struct cm_router_options *router = &demand->task->router;
    const uint32_t equal =
        router->routing == CM_ROUTING_VALIANT && differ > 0 ? demand->dimensions - differ : 0;
    double binomial = ldexp(1, -(int)equal); /* probability of this number of detours */
    for (uint32_t detours = 0; detours <= equal; detours++) {
        const uint32_t hops = differ + 2 * detours;
        const uint64_t time =
            cm_router_header_time(router, hops) + cm_router_body_time(router, hops);
        bound->mean_hops += share * binomial * hops;
        bound->zero_load_latency += share * binomial * (double)time;
        binomial *= (double)(equal - detours) / (detours + 1);
    }
}

static void add_distances(const struct demand *demand, struct cm_traffic_bound *bound)
{
    const double each = 1.0 / demand->nodes;
    double others = 1; /* number of nodes at distance k */
    for (uint32_t k = 0; demand->uniform > 0 && k <= demand->dimensions; k++) {
        if (k > 0)
            add_distance(demand, k, demand->uniform * others / (demand->nodes - 1), bound);
        others *= (double)(demand->dimensions - k) / (k + 1);
    }
    for (uint64_t i = 0; i < demand->pair_count; i++) {
        const struct pair pair = pair_at(demand, i);
        add_distance(demand, (uint32_t)__builtin_popcount(pair.source ^ pair.destination),
                     pair.share * each, bound);
    }
}

/* Returns the rate, in words per node and word time, at which the node that sends most sends one
 * word in each word time. All nodes send equally much unless the pattern is flows. */
static double injection_rate(const struct demand *demand, double *weights)
{
    double most = 0;
    if (demand->task->pattern != CM_PATTERN_FLOWS)
        return 1;
    count_ends(demand, false, weights);
    for (uint32_t node = 0; node < demand->nodes; node++)
        most = weights[node] > most ? weights[node] : most;
    return most > 0 ? 1 / most : 1;
}

enum cm_status cm_traffic_bound(const struct cm_traffic_task *task, struct cm_traffic_bound *bound,
                                struct cm_error *err)
{
    const struct demand demand = demand_of(task);
    *bound = (struct cm_traffic_bound){.kind = CM_TRAFFIC_BOUND_INJECTION};
    if (task->pattern == CM_PATTERN_LIST || task->router.failure_count > 0)
        return CM_OK; /* the bound is unknown */
    double *loads = malloc((size_t)demand.nodes * (demand.dimensions + 1) * sizeof *loads);
    enum cm_status status = loads == NULL ? cm_error_no_memory(err) : CM_OK;
    if (status == CM_OK)
        bound->rate = injection_rate(&demand, loads);
    if (status == CM_OK && task->router.routing == CM_ROUTING_ADAPTIVE) {
        bound_by_cuts(&demand, loads, bound);
    } else if (status == CM_OK && task->router.routing == CM_ROUTING_VALIANT) {
        status = bound_valiant(&demand, loads, bound, err);
    } else if (status == CM_OK) {
        load_ecube(&demand, loads);
        bound_by_wires(&demand, loads, task->router.channels, 0, bound);
    }
    add_distances(&demand, bound);
    free(loads);
    return status;
}

bool cm_traffic_reaches(const struct cm_traffic_task *task, const struct cm_traffic_bound *bound)
{
    const bool random = task->rate < task->router.words;
    if (bound->rate <= 0)
        return false;
    return task->rate > bound->rate * (random ? 1 - ROUNDING : 1 + ROUNDING);
}
