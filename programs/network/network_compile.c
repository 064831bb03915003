/*
 * Compiles the plan of a circular shift to an IMP. Each run of equal steps is a loop. An inner loop
 * goes over the words of the message, two words an exchange (one for each channel). The
 * communication table has a word for each run and direction (system/emit.h has the format). A
 * linear array has two directions, forward and back, and messages that go back have a place of
 * their own until the last step.
 */
#include "../system/emit.h"
#include "network_private.h"

#include <stdlib.h>

/* Address registers of the IMP. The registers of the IMP's arguments come first. */
enum { REG_TABLE, REG_SOURCE, REG_DESTINATION, REG_BACK, REG_FROM, REG_TO = REG_FROM + 2 };

uint32_t cm_network_ways(const struct cm_circular_plan *plan)
{
    return plan->task.topology == CM_TOPOLOGY_LINEAR ? 2 : 1;
}

/* Fills in the communication table's word of each node for one direction of a run. The word says
 * over which dimension the node sends to the node in `to`, and over which dimension it receives. */
static void fill_way(const struct cm_config *config, const struct cm_circular_plan *plan,
                     const uint32_t *to, uint32_t nodes, uint32_t *words)
{
    uint32_t used = UINT32_C(1) << plan->dimensions;
    for (uint32_t node = 0; node < nodes; node++)
        words[node] = cm_hop_stays(config);
    for (uint32_t node = 0; to != NULL && node < used; node++) {
        if (to[node] == node || to[node] == CM_CIRCULAR_NOBODY)
            continue;
        uint32_t dimension = (uint32_t)__builtin_ctz(node ^ to[node]);
        words[node] |= cm_hop_sends(config, dimension);
        words[to[node]] &= CM_HOP_OUT;
        words[to[node]] |= cm_hop_receives(config, dimension);
    }
}

/* Corrects the table words of nodes that send in neither direction of a linear array. Such a node
 * still loads one word for each direction, and the two words must take different wires. The word of
 * the direction back goes over dimension 0, and no node receives it. */
static void part_ways(const struct cm_config *config, uint32_t nodes, const uint32_t *forward,
                      uint32_t *back)
{
    for (uint32_t node = 0; node < nodes; node++)
        if (((forward[node] | back[node]) & CM_HOP_OUT) == 0)
            back[node] |= cm_hop_sends(config, 0);
}

/* Makes each node of a linear array receive one message in the last step, by its table word for the
 * direction forward. The nodes of the first q labels receive the message that goes back. */
static void join_ways(const struct cm_circular_plan *plan, uint32_t *forward, const uint32_t *back)
{
    for (uint32_t label = 0; label < plan->task.by; label++) {
        uint32_t node = plan->node_of[label];
        forward[node] = (forward[node] & CM_HOP_OUT) | (back[node] & ~CM_HOP_OUT);
    }
}

uint32_t *cm_network_table(const struct cm_config *config, const struct cm_circular_plan *plan,
                           uint32_t nodes)
{
    uint32_t ways = cm_network_ways(plan);
    uint32_t *table = calloc((size_t)plan->run_count * ways * nodes + 1, sizeof *table);
    for (uint32_t i = 0; table != NULL && i < plan->run_count; i++) {
        const struct cm_circular_run *run = &plan->runs[i];
        uint32_t *words = table + (size_t)i * ways * nodes;
        fill_way(config, plan, run->to, nodes, words);
        if (ways > 1)
            fill_way(config, plan, run->back, nodes, words + nodes);
        if (run->to != NULL && run->back != NULL)
            part_ways(config, nodes, words, words + nodes);
        if (run->last)
            join_ways(plan, words, words + nodes);
    }
    return table;
}

/* Directions in which messages move in a run: 0 is forward, 1 is back. */
struct ways {
    uint32_t table[2]; /* for each direction, the offset of its words in the communication table */
    bool moves[2];
    bool last;
};

static void emit_words(struct cm_imp *imp, const struct ways *ways, uint32_t words)
{
    for (uint32_t w = 0; w < 2; w++)
        if (ways->moves[w])
            cm_emit_send_by(imp, (struct cm_place){REG_TABLE, ways->table[w]},
                            (struct cm_place){REG_FROM + w, 0}, words);
    cm_emit_exchange(imp);
    for (uint32_t w = 0; w < 2; w++)
        if (ways->moves[w] && !(ways->last && w > 0))
            cm_emit_receive_by(imp, (struct cm_place){REG_TABLE, ways->table[w]},
                               (struct cm_place){REG_TO + w, 0}, words);
}

/* Emits one step, which moves all words of the messages. `first` is true for the first step, which
 * takes the messages from their source. */
static void emit_step(struct cm_imp *imp, const struct ways *ways, bool first, uint32_t words,
                      uint32_t channels)
{
    for (uint32_t w = 0; w < 2; w++)
        if (ways->moves[w]) {
            cm_emit_point(imp, REG_FROM + w, first ? REG_SOURCE : REG_DESTINATION + w, 0);
            cm_emit_point(imp, REG_TO + w, REG_DESTINATION + w, 0);
        }
    if (words / channels > 0) {
        uint32_t loop = CM_EMIT(imp, CM_OP_LOOP, cm_value(words / channels));
        emit_words(imp, ways, channels);
        for (uint32_t w = 0; w < 2; w++)
            if (ways->moves[w]) {
                CM_EMIT(imp, CM_OP_AADD, cm_reg(REG_FROM + w), cm_value(channels));
                CM_EMIT(imp, CM_OP_AADD, cm_reg(REG_TO + w), cm_value(channels));
            }
        cm_emit_next(imp, loop);
    }
    if (words % channels > 0)
        emit_words(imp, ways, words % channels);
}

static struct ways ways_of(const struct cm_circular_plan *plan, uint32_t run)
{
    uint32_t first = run * cm_network_ways(plan);
    return (struct ways){.table = {first, first + 1},
                         .moves = {plan->runs[run].to != NULL, plan->runs[run].back != NULL},
                         .last = plan->runs[run].last};
}

struct cm_imp *cm_network_compile(const struct cm_config *config,
                                  const struct cm_circular_plan *plan)
{
    uint32_t channels = config->network_channels_per_dimension, words = plan->task.words;
    bool linear = cm_network_ways(plan) > 1;
    struct cm_imp *imp = cm_emit_begin("circular_shift", linear ? "table source destination back"
                                                                : "table source destination");
    for (uint32_t i = 0; imp != NULL && i < plan->run_count; i++) {
        struct ways ways = ways_of(plan, i);
        uint32_t times = plan->runs[i].times;
        if (i == 0) {
            emit_step(imp, &ways, true, words, channels);
            times--;
        }
        if (times == 0)
            continue;
        uint32_t loop = CM_EMIT(imp, CM_OP_LOOP, cm_value(times));
        emit_step(imp, &ways, false, words, channels);
        cm_emit_next(imp, loop);
    }
    return cm_emit_end(imp);
}
