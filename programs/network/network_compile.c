/*
 * Compiling a plan of circular shift: a loop for each run of equal steps, in it a loop over the
 * words of the message, two (as many as a dimension has channels) an exchange. The table has a word
 * for each run (system/emit.h has the format).
 */
#include "../system/emit.h"
#include "network_private.h"

#include <stdlib.h>

enum { REG_TABLE, REG_SOURCE, REG_DESTINATION, REG_FROM, REG_TO }; /* the arguments first */

uint32_t *cm_network_table(const struct cm_config *config, const struct cm_circular_plan *plan,
                           uint32_t nodes)
{
    uint32_t used = UINT32_C(1) << plan->dimensions;
    uint32_t *table = calloc((size_t)plan->run_count * nodes + 1, sizeof *table);
    for (uint32_t i = 0; table != NULL && i < plan->run_count; i++) {
        uint32_t *words = table + (size_t)i * nodes;
        const uint32_t *to = plan->runs[i].to;
        for (uint32_t node = 0; node < nodes; node++) {
            if (node >= used || to[node] == node) {
                words[node] |= cm_hop_stays(config);
                continue;
            }
            uint32_t dimension = (uint32_t)__builtin_ctz(node ^ to[node]);
            words[node] |= cm_hop_sends(config, dimension);
            words[to[node]] |= cm_hop_receives(config, dimension);
        }
    }
    return table;
}

static void emit_words(struct cm_imp *imp, uint32_t run, uint32_t words)
{
    const struct cm_place table = {REG_TABLE, run};
    cm_emit_send_by(imp, table, (struct cm_place){REG_FROM, 0}, words);
    cm_emit_exchange(imp);
    cm_emit_receive_by(imp, table, (struct cm_place){REG_TO, 0}, words);
}

/* One step: the whole message from one place to another, or to the same. */
static void emit_step(struct cm_imp *imp, uint32_t run, unsigned from, uint32_t words,
                      uint32_t channels)
{
    cm_emit_point(imp, REG_FROM, from, 0);
    cm_emit_point(imp, REG_TO, REG_DESTINATION, 0);
    if (words / channels > 0) {
        uint32_t loop = CM_EMIT(imp, CM_OP_LOOP, cm_value(words / channels));
        emit_words(imp, run, channels);
        CM_EMIT(imp, CM_OP_AADD, cm_reg(REG_FROM), cm_value(channels));
        CM_EMIT(imp, CM_OP_AADD, cm_reg(REG_TO), cm_value(channels));
        cm_emit_next(imp, loop);
    }
    if (words % channels > 0)
        emit_words(imp, run, words % channels);
}

struct cm_imp *cm_network_compile(const struct cm_config *config,
                                  const struct cm_circular_plan *plan)
{
    uint32_t channels = config->network_channels_per_dimension, words = plan->task.words;
    struct cm_imp *imp = cm_emit_begin("circular_shift", "table source destination");
    for (uint32_t i = 0; imp != NULL && i < plan->run_count; i++) {
        uint32_t times = plan->runs[i].times;
        if (i == 0) {
            emit_step(imp, i, REG_SOURCE, words, channels);
            times--;
        }
        if (times == 0)
            continue;
        uint32_t loop = CM_EMIT(imp, CM_OP_LOOP, cm_value(times));
        emit_step(imp, i, REG_DESTINATION, words, channels);
        cm_emit_next(imp, loop);
    }
    return cm_emit_end(imp);
}
