/*
 * Bounds of open-loop traffic. Loads are packets per word time, if every node creates one packet in
 * each. Fixed destinations are followed node by node. Uniform ones are summed up by symmetry: every
 * wire has the same load.
 */
#include "bound.h"

#include <math.h>
#include <stdlib.h>

/* share of the packets of the pattern hot-spot that go to the hot node */
#define HOT_SHARE 0.25

/* A pattern as shares: packets to fixed destinations, to one node, and to all other nodes. */
struct demand {
    const struct cm_traffic_task *task;
    uint32_t dimensions, nodes;
    double fixed, hot, uniform; /* shares of each node's packets, which add up to 1 */
};

static struct demand demand_of(const struct cm_traffic_task *task)
{
    struct demand demand = {.task = task,
                            .dimensions = task->router.dimensions,
                            .nodes = UINT32_C(1) << task->router.dimensions};
    switch (task->pattern) {
    case CM_PATTERN_HOT_SPOT:
        demand.hot = HOT_SHARE;
        demand.uniform = 1 - HOT_SHARE;
        break;
    case CM_PATTERN_RANDOM:
    case CM_PATTERN_ALL_TO_ALL: /* each destination in turn */
        demand.uniform = 1;
        break;
    default:
        demand.fixed = 1;
    }
    return demand;
}

static uint32_t fixed_destination(const struct demand *demand, uint32_t source)
{
    const struct cm_traffic_task *task = demand->task;
    return cm_pattern_destination(task->pattern, demand->dimensions, source, task->by);
}

/* Returns the load of every wire by packets to all other nodes with equal probability. */
static double uniform_load(const struct demand *demand)
{
    return demand->nodes > 1 ? demand->nodes / (2.0 * (demand->nodes - 1)) : 0;
}

/* ---- e-cube ---- */

/* Adds a packet's share to the wires on its way. */
static void follow(const struct demand *demand, uint32_t source, uint32_t destination, double share,
                   double *loads)
{
    uint32_t node = source;
    for (uint32_t i = 0; i < demand->dimensions; i++) {
        const uint32_t d = demand->task->router.descending ? demand->dimensions - 1 - i : i;
        if (((node ^ destination) >> d & 1) == 0)
            continue;
        loads[(size_t)node * demand->dimensions + d] += share;
        node ^= UINT32_C(1) << d;
    }
}

static void load_ecube(const struct demand *demand, double *loads)
{
    const size_t wires = (size_t)demand->nodes * demand->dimensions;
    const double uniform = demand->uniform * uniform_load(demand);
    for (size_t wire = 0; wire < wires; wire++)
        loads[wire] = uniform;
    for (uint32_t source = 0; source < demand->nodes; source++) {
        if (demand->fixed > 0)
            follow(demand, source, fixed_destination(demand, source), demand->fixed, loads);
        if (demand->hot > 0)
            follow(demand, source, demand->task->hot_node, demand->hot, loads);
    }
}

/* ---- Valiant ---- */

/*
 * Loads of the way on from the random node. Packets for destination t cross the wire of node x in
 * dimension d if x has the bits of t below d and not its bit d. The bits of x from d on are those
 * of the random node, which has them with probability 2^-(D - d).
 */
static void load_second_half(const struct demand *demand, double *loads)
{
    for (uint32_t t = 0; t < demand->nodes; t++) {
        double weight = demand->uniform;
        for (uint32_t s = 0; demand->fixed > 0 && s < 1; s++)
            weight += demand->fixed; /* a permutation: one source for each destination */
        if (demand->hot > 0 && t == demand->task->hot_node)
            weight += demand->hot * demand->nodes;
        for (uint32_t d = 0; d < demand->dimensions; d++) {
            const uint32_t below = (UINT32_C(1) << d) - 1, bit = UINT32_C(1) << d;
            const uint32_t first = (t & below) | (~t & bit);
            const double share = weight / (double)(demand->nodes >> d);
            for (uint32_t x = first; x < demand->nodes; x += 2 * bit)
                loads[(size_t)x * demand->dimensions + d] += share;
        }
    }
}

/* ---- cuts ---- */

/* Takes the larger of two loads in terms of what carries it. */
static void limit(struct cm_traffic_bound *bound, double load, double capacity,
                  enum cm_bound_kind kind, uint32_t node, uint32_t dimension, uint32_t channel)
{
    if (load <= 0 || capacity / load >= bound->rate)
        return;
    bound->rate = capacity / load;
    bound->kind = kind;
    bound->node = node;
    bound->dimension = dimension;
    bound->channel = channel;
}

/* Shares of packets that cross a dimension upwards and downwards, as parts of all nodes' packets. */
static void crossings(const struct demand *demand, uint32_t dimension, double ways[2])
{
    const double uniform = demand->uniform * uniform_load(demand) / 2;
    ways[0] = ways[1] = uniform;
    for (uint32_t source = 0; source < demand->nodes; source++) {
        const uint32_t bit = source >> dimension & 1;
        if (demand->fixed > 0 && (fixed_destination(demand, source) >> dimension & 1) != bit)
            ways[bit] += demand->fixed / demand->nodes;
        if (demand->hot > 0 && (demand->task->hot_node >> dimension & 1) != bit)
            ways[bit] += demand->hot / demand->nodes;
    }
}

static void bound_by_cuts(const struct demand *demand, struct cm_traffic_bound *bound)
{
    const double channels = demand->task->router.channels;
    for (uint32_t d = 0; d < demand->dimensions; d++) {
        double ways[2];
        crossings(demand, d, ways);
        for (uint32_t way = 0; way < 2; way++) /* half of the nodes have a wire in each direction */
            limit(bound, 2 * ways[way], channels, CM_BOUND_CUT, 0, d, 0);
    }
    if (demand->hot > 0)
        limit(bound, (demand->hot * (demand->nodes - 1) + demand->uniform),
              channels * demand->dimensions, CM_BOUND_NODE, demand->task->hot_node, 0, 0);
}

static void bound_by_wires(const struct demand *demand, const double *loads, double capacity,
                           uint32_t channel, struct cm_traffic_bound *bound)
{
    for (uint32_t node = 0; node < demand->nodes; node++)
        for (uint32_t d = 0; d < demand->dimensions; d++)
            limit(bound, loads[(size_t)node * demand->dimensions + d], capacity, CM_BOUND_WIRE,
                  node, d, channel);
}

static void bound_valiant(const struct demand *demand, double *loads,
                          struct cm_traffic_bound *bound)
{
    const uint32_t channels = demand->task->router.channels;
    const size_t wires = (size_t)demand->nodes * demand->dimensions;
    /* the way to the random node loads each wire with 1/2 */
    if (channels > 1)
        limit(bound, 0.5, 1, CM_BOUND_WIRE, 0, 0, 0);
    for (size_t wire = 0; wire < wires; wire++)
        loads[wire] = channels > 1 ? 0 : 0.5;
    load_second_half(demand, loads);
    bound_by_wires(demand, loads, 1, channels - 1, bound);
}

/* ---- latency without load ---- */

/* Adds the packets that differ from their destination in `differ` bits to the means. */
static void add_distance(const struct demand *demand, uint32_t differ, double share,
                         struct cm_traffic_bound *bound)
{
    const struct cm_router_options *router = &demand->task->router;
    const uint32_t equal = demand->dimensions - differ;
    const bool valiant = router->routing == CM_ROUTING_VALIANT;
    double binomial = valiant ? ldexp(1, -(int)equal) : 1; /* of detours in equal bits */
    for (uint32_t detours = 0; detours <= (valiant ? equal : 0); detours++) {
        const uint32_t hops = differ + 2 * detours;
        bound->mean_hops += share * binomial * hops;
        bound->zero_load_latency +=
            share * binomial *
            (double)(cm_router_header_time(router, hops) + cm_router_body_time(router, hops));
        binomial *= (double)(equal - detours) / (detours + 1);
    }
}

static void add_distances(const struct demand *demand, struct cm_traffic_bound *bound)
{
    double choose = 1; /* nodes at a distance */
    for (uint32_t k = 0; k <= demand->dimensions; k++) {
        if (k > 0 && demand->uniform > 0)
            add_distance(demand, k, demand->uniform * choose / (demand->nodes - 1), bound);
        choose *= (double)(demand->dimensions - k) / (k + 1);
    }
    for (uint32_t source = 0; source < demand->nodes; source++) {
        if (demand->fixed > 0)
            add_distance(demand,
                         (uint32_t)__builtin_popcount(source ^ fixed_destination(demand, source)),
                         demand->fixed / demand->nodes, bound);
        if (demand->hot > 0)
            add_distance(demand, (uint32_t)__builtin_popcount(source ^ demand->task->hot_node),
                         demand->hot / demand->nodes, bound);
    }
}

enum cm_status cm_traffic_bound(const struct cm_traffic_task *task, struct cm_traffic_bound *bound,
                                struct cm_error *err)
{
    const struct demand demand = demand_of(task);
    double *loads = calloc((size_t)demand.nodes * demand.dimensions + 1, sizeof *loads);
    *bound = (struct cm_traffic_bound){.rate = 1, .kind = CM_BOUND_INJECTION};
    if (loads == NULL)
        return cm_error_no_memory(err);
    if (task->pattern != CM_PATTERN_LIST) {
        if (task->router.routing == CM_ROUTING_ADAPTIVE) {
            bound_by_cuts(&demand, bound);
        } else if (task->router.routing == CM_ROUTING_VALIANT) {
            bound_valiant(&demand, loads, bound);
        } else {
            load_ecube(&demand, loads);
            bound_by_wires(&demand, loads, task->router.channels, 0, bound);
        }
        add_distances(&demand, bound);
    } else {
        bound->rate = 0;
    }
    free(loads);
    return CM_OK;
}
