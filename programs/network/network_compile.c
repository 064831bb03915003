/*
 * Compiling a plan of circular shift: a loop for each run of equal steps, in it a loop over the
 * words of the message, two (as many as a dimension has channels) an exchange. The table has a word
 * for each run (byte 0: slot of the first outgoing word, 1 and 2: slots of the first and second
 * incoming word). A node that keeps its message sends it to itself over the chip-to-chip wire, for
 * the exchange is the same in all nodes.
 */
#include "../system/emit.h"
#include "network_private.h"

#include <stdlib.h>

enum { ARGUMENT_TABLE, ARGUMENT_SOURCE, ARGUMENT_DESTINATION };
enum { REG_TABLE, REG_SOURCE, REG_DESTINATION, REG_FROM, REG_TO };

static uint32_t slot_towards(uint32_t node, uint32_t other)
{
    return (uint32_t)__builtin_ctz(node ^ other) + 1;
}

uint32_t *cm_network_table(const struct cm_config *config, const struct cm_circular_plan *plan,
                           uint32_t nodes)
{
    uint32_t half = config->transposer_slots / 2;
    uint32_t used = UINT32_C(1) << plan->dimensions;
    uint32_t *table = calloc((size_t)plan->run_count * nodes + 1, sizeof *table);
    for (uint32_t i = 0; table != NULL && i < plan->run_count; i++) {
        uint32_t *words = table + (size_t)i * nodes;
        const uint32_t *to = plan->runs[i].to;
        for (uint32_t node = 0; node < nodes; node++) {
            if (node >= used || to[node] == node) /* slot 0 crosses to slot half, and half to 0 */
                words[node] |= half << 8;
            if (node >= used || to[node] == node)
                continue;
            uint32_t in = slot_towards(to[node], node);
            words[node] |= slot_towards(node, to[node]);
            words[to[node]] |= in << 8 | (in + half) << 16;
        }
    }
    return table;
}

static void emit_words(struct cm_imp *imp, uint32_t run, uint32_t words)
{
    for (uint32_t w = 0; w < words; w++)
        CM_EMIT(imp, CM_OP_LOADI, cm_reg(CM_TRANSPOSER_A), cm_mem(REG_FROM, w),
                cm_mem(REG_TABLE, run), cm_value(0), cm_value(w));
    cm_imp_emit(imp, CM_OP_EXCHANGE, NULL, 0);
    for (uint32_t w = 0; w < words; w++)
        CM_EMIT(imp, CM_OP_UNLOADI, cm_mem(REG_TO, w), cm_reg(CM_TRANSPOSER_B),
                cm_mem(REG_TABLE, run), cm_value(1 + w), cm_value(0));
}

/* One step: the whole message from one place to another, or to the same. */
static void emit_step(struct cm_imp *imp, uint32_t run, unsigned from, uint32_t words,
                      uint32_t channels)
{
    CM_EMIT(imp, CM_OP_ACOPY, cm_reg(REG_FROM), cm_reg(from), cm_value(0));
    CM_EMIT(imp, CM_OP_ACOPY, cm_reg(REG_TO), cm_reg(REG_DESTINATION), cm_value(0));
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
    struct cm_imp *imp = cm_imp_create("circular_shift");
    if (imp == NULL)
        return NULL;
    cm_imp_argument(imp, "table", CM_ARGUMENT_ADDRESS);
    cm_imp_argument(imp, "source", CM_ARGUMENT_ADDRESS);
    cm_imp_argument(imp, "destination", CM_ARGUMENT_ADDRESS);
    cm_emit_argument(imp, REG_TABLE, ARGUMENT_TABLE, 0);
    cm_emit_argument(imp, REG_SOURCE, ARGUMENT_SOURCE, 0);
    cm_emit_argument(imp, REG_DESTINATION, ARGUMENT_DESTINATION, 0);
    for (uint32_t i = 0; i < plan->run_count; i++) {
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
    cm_imp_emit(imp, CM_OP_HALT, NULL, 0);
    if (imp->failed) {
        cm_imp_destroy(imp);
        return NULL;
    }
    return imp;
}
