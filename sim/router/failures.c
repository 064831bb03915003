/*
 * Failed channels: the ways that remain for packets, and the packets for which no way remains.
 *
 * Failures are known before the run. So when a packet is sent, it is decided whether it is lost.
 * With several processes, every process decides this for every packet, with the same result.
 *
 * Adaptive routing stays free of deadlock as long as each packet in the network may escape: it can
 * reach its destination by e-cube over the last channel of each dimension. So a packet goes only to
 * nodes from which this escape way is intact. From such a node, the next node of the escape way is
 * again such a node. A packet that no dimension brings to such a node takes any minimal way, which
 * is an intact way with the fewest hops. Only then is deadlock possible, and deadlock.c finds it.
 *
 * In this file, "rest" is the set of dimensions that a packet has still to cross. An "output" is a
 * channel out of a node.
 */
#include "../../base/random.h"
#include "private.h"

#include <stdlib.h>

#define SMALL_WORDS 16u /* words on the stack for a bit set of all rests of up to 10 dimensions */

bool cm_router_mark_failures(struct cm_router *router)
{
    const struct cm_router_options *options = &router->options;
    if (options->failure_count == 0)
        return true;
    router->failed_outputs = calloc(router->nodes, sizeof *router->failed_outputs);
    if (router->failed_outputs == NULL)
        return false;
    for (uint32_t i = 0; i < options->failure_count; i++) {
        const struct cm_router_failure *f = &options->failures[i];
        router->failed_outputs[f->node] |= UINT32_C(1)
                                           << (f->channel * options->dimensions + f->dimension);
    }
    /* The caller may free the array now. Its length still says that there are failures. */
    router->options.failures = NULL;
    return true;
}

/* Returns the dimension of `rest` that e-cube crosses next. */
static uint32_t ecube_dimension(const struct cm_router *router, uint32_t rest)
{
    return (uint32_t)(router->options.descending ? 31 - __builtin_clz(rest) : __builtin_ctz(rest));
}

/* Finds the first node of an e-cube way at which all channels that the packet may take have failed.
 * `channels` has a bit for each such channel of a dimension. Returns false if the way is intact. */
static bool find_cut(const struct cm_router *router, uint32_t node, uint32_t to, uint32_t channels,
                     struct cm_router_loss *loss)
{
    const uint32_t dimensions = router->options.dimensions;
    for (uint32_t rest = node ^ to; rest != 0;) {
        const uint32_t d = ecube_dimension(router, rest), bit = UINT32_C(1) << d;
        const uint32_t intact = ~router->failed_outputs[node];
        const bool first = (channels & 1) != 0 && (intact & bit) != 0;
        const bool second = (channels & 2) != 0 && (intact & bit << dimensions) != 0;
        if (!first && !second) {
            loss->node = node;
            loss->dimension = d;
            return true;
        }
        node ^= bit;
        rest ^= bit;
    }
    return false;
}

/* ---- Valiant ---- */

/* Finds the first failed wire on Valiant's way from the source by the random node `via` to the
 * destination. Returns false if the way is intact. */
static bool find_cut_by(const struct cm_router *router, const struct cm_router_packet *packet,
                        uint32_t via, struct cm_router_loss *loss)
{
    const uint32_t second = router->options.channels == 2 ? 2 : 1;
    return find_cut(router, packet->source, via, 1, loss) ||
           find_cut(router, via, packet->destination, second, loss);
}

static uint32_t draw_via(const struct cm_router *router, uint64_t serial)
{
    uint64_t random = cm_splitmix64(cm_splitmix64(router->options.seed, 0) ^ serial, 0);
    return (uint32_t)random & (router->nodes - 1);
}

uint32_t cm_router_choose_via(const struct cm_router *router, const struct cm_router_packet *packet,
                              uint64_t serial)
{
    const uint32_t drawn = draw_via(router, serial);
    struct cm_router_loss loss;
    if (router->failed_outputs == NULL)
        return drawn;
    for (uint32_t i = 0; i < router->nodes; i++)
        if (!find_cut_by(router, packet, drawn ^ i, &loss))
            return drawn ^ i;
    return CM_ROUTER_NONE;
}

/* ---- adaptive ---- */

/* Returns the intact outputs of a node, a bit each, that adaptive routing may take in dimension
 * `d`. */
static uint32_t outputs_in(const struct cm_router *router, uint32_t node, uint32_t rest, uint32_t d)
{
    uint32_t outputs = UINT32_C(1) << d;
    if (d == ecube_dimension(router, rest))
        outputs = router->outputs_of_dimension[d];
    return outputs & ~router->failed_outputs[node];
}

/* Returns the outputs of a node, a bit each, that lead to nodes from which the escape way is
 * intact. */
static uint32_t safe_outputs(const struct cm_router *router, uint32_t node, uint32_t to)
{
    const uint32_t all = node ^ to, escape = UINT32_C(1) << (router->options.channels - 1);
    struct cm_router_loss loss;
    uint32_t outputs = 0;
    for (uint32_t left = all; left != 0; left &= left - 1) {
        const uint32_t d = (uint32_t)__builtin_ctz(left);
        const uint32_t way = outputs_in(router, node, all, d);
        if (way != 0 && !find_cut(router, node ^ UINT32_C(1) << d, to, escape, &loss))
            outputs |= way;
    }
    return outputs;
}

/* Sets of remaining dimensions ("rests") from which an intact way leads to the destination. Bit i
 * of the number of a rest says whether dimensions[i] is still to be crossed. */
struct rests {
    uint32_t dimensions[CM_ROUTER_DIMENSIONS_MAX];
    uint32_t count;
    uint64_t *leads; /* bit n is 1: an intact way leads from rest number n to the destination */
};

static bool leads(const struct rests *rests, uint32_t number)
{
    return (rests->leads[number / 64] >> number % 64 & 1) != 0;
}

/* Returns the set of dimensions for which the number of a rest stands, a bit each. */
static uint32_t rest_of(const struct rests *rests, uint32_t number)
{
    uint32_t rest = 0;
    for (; number != 0; number &= number - 1)
        rest |= UINT32_C(1) << rests->dimensions[__builtin_ctz(number)];
    return rest;
}

/* Returns the outputs, a bit each, that begin minimal ways to the destination from the node at
 * which the rest has this number. The bits in rests->leads of all smaller numbers must be known. */
static uint32_t outputs_towards(const struct cm_router *router, const struct rests *rests,
                                uint32_t to, uint32_t number)
{
    const uint32_t rest = rest_of(rests, number);
    uint32_t outputs = 0;
    for (uint32_t left = number; left != 0; left &= left - 1)
        if (leads(rests, number ^ (left & -left)))
            outputs |= outputs_in(router, to ^ rest, rest, rests->dimensions[__builtin_ctz(left)]);
    return outputs;
}

/* Returns the outputs of a node, a bit each, that begin minimal ways to the node `to`. Sets *failed
 * when out of memory. */
static uint32_t minimal_outputs(const struct cm_router *router, uint32_t node, uint32_t to,
                                bool *failed)
{
    uint64_t small[SMALL_WORDS] = {0};
    struct rests rests = {.leads = small};
    for (uint32_t left = node ^ to; left != 0; left &= left - 1)
        rests.dimensions[rests.count++] = (uint32_t)__builtin_ctz(left);
    const uint32_t all = (UINT32_C(1) << rests.count) - 1;
    if (all / 64 >= SMALL_WORDS)
        rests.leads = calloc(all / 64 + 1, sizeof *rests.leads);
    if (rests.leads == NULL) {
        *failed = true;
        return 0;
    }
    rests.leads[0] = 1;
    for (uint32_t number = 1; number < all; number++)
        if (outputs_towards(router, &rests, to, number) != 0)
            rests.leads[number / 64] |= UINT64_C(1) << number % 64;
    const uint32_t outputs = outputs_towards(router, &rests, to, all);
    if (rests.leads != small)
        free(rests.leads);
    return outputs;
}

static uint32_t adaptive_outputs(const struct cm_router *router, uint32_t node, uint32_t to,
                                 bool *failed)
{
    const uint32_t outputs = safe_outputs(router, node, to);
    return outputs != 0 ? outputs : minimal_outputs(router, node, to, failed);
}

void cm_router_avoid_failures(const struct cm_router *router, struct cm_partition *partition,
                              struct cm_in_flight *packet, uint32_t node)
{
    if (router->options.routing == CM_ROUTING_ADAPTIVE)
        packet->choices = adaptive_outputs(router, node, packet->destination, &partition->failed);
    else
        packet->choices &= ~router->failed_outputs[node];
}

/* ---- losses ---- */

/* Returns true if a packet has no intact way, and sets the failed wire in *loss. */
static bool is_cut_off(struct cm_router *router, const struct cm_router_packet *packet,
                       uint64_t serial, struct cm_router_loss *loss)
{
    const uint32_t source = packet->source, to = packet->destination;
    switch (router->options.routing) {
    case CM_ROUTING_VALIANT:
        return cm_router_choose_via(router, packet, serial) == CM_ROUTER_NONE &&
               find_cut_by(router, packet, draw_via(router, serial), loss);
    case CM_ROUTING_ADAPTIVE:
        return adaptive_outputs(router, source, to, &router->failed) == 0 && !router->failed &&
               find_cut(router, source, to, router->options.channels == 2 ? 3 : 1, loss);
    default:
        return find_cut(router, source, to, router->options.channels == 2 ? 3 : 1, loss);
    }
}

bool cm_router_lose(struct cm_router *router, const struct cm_router_packet *packet,
                    uint64_t serial)
{
    struct cm_router_result *result = router->result;
    struct cm_router_loss loss = {.source = packet->source, .destination = packet->destination};
    if (!is_cut_off(router, packet, serial, &loss))
        return false;
    if (result->lost < CM_ROUTER_LOSSES_MAX)
        result->losses[result->lost] = loss;
    result->lost++;
    if (router->traffic->lost != NULL)
        router->traffic->lost(router->traffic->context, packet);
    return true;
}
