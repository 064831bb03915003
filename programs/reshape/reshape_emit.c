/* Functions that both phases of a reshape use to emit code: IMPs, contexts, and swaps of blocks of
 * words within the nodes. */
#include "reshape_emit.h"

bool cm_reshape_begin(struct cm_reshape_compiler *c)
{
    struct cm_imp *imp = cm_emit_begin("reshape", "controls array scratch");
    if (!imp)
        c->failed = true;
    else
        c->imp = imp;
    c->context = CM_RESHAPE_ANY;
    c->at_array = false;
    return imp != NULL;
}

bool cm_reshape_end(struct cm_reshape_compiler *c)
{
    if (cm_compiled_add(c->compiled, cm_emit_end(c->imp), NULL) != CM_OK)
        c->failed = true;
    c->imp = NULL;
    return !c->failed;
}

void cm_reshape_make_room(struct cm_reshape_compiler *c)
{
    struct cm_imp *full = c->imp;
    if (full->length <= 64 || full->length <= c->config->sequencer_sram_words / 8)
        return;
    if (cm_reshape_begin(c) && cm_compiled_add(c->compiled, cm_emit_end(full), NULL) != CM_OK)
        c->failed = true;
}

void cm_reshape_emit_at_array(struct cm_reshape_compiler *c)
{
    if (!c->at_array)
        cm_emit_point(c->imp, CM_RESHAPE_REG_AT, CM_RESHAPE_REG_ARRAY, 0);
    c->at_array = true;
}

static uint32_t control_number(struct cm_reshape_compiler *c, const struct cm_reshape_nodes *nodes)
{
    for (uint32_t i = 0; i < c->controls.count; i++)
        if (cm_reshape_nodes_equal(&c->controls.items[i], nodes))
            return i;
    cm_list_push(&c->controls, *nodes);
    return c->controls.count - 1;
}

/* Sets the context flags in the nodes whose control is `value`. */
static void emit_control(struct cm_reshape_compiler *c, const struct cm_reshape_nodes *nodes,
                         bool value)
{
    uint32_t number = control_number(c, nodes);
    if (c->context != number) {
        CM_EMIT(c->imp, CM_OP_CTXLOAD, cm_mem(CM_RESHAPE_REG_CONTROLS, number / 32),
                cm_value(number % 32));
        c->context = number;
        c->context_value = true;
    }
    if (c->context_value != value)
        cm_imp_emit(c->imp, CM_OP_CTXNOT, NULL, 0);
    c->context_value = value;
}

static void emit_context(struct cm_reshape_compiler *c, uint64_t mask, bool value)
{
    emit_control(c, &(struct cm_reshape_nodes){.conditions = {{mask, true}}}, value);
}

void cm_reshape_emit_stream_context(struct cm_reshape_compiler *c,
                                    const struct cm_reshape_stream *stream, bool value)
{
    struct cm_reshape_nodes nodes = cm_reshape_nodes_of(stream, value);
    if (stream->when[0].nodes == 0)
        emit_context(c, stream->nodes, value);
    else
        emit_control(c, &nodes, true);
}

void cm_reshape_emit_context_all(struct cm_reshape_compiler *c)
{
    cm_imp_emit(c->imp, CM_OP_CTXALL, NULL, 0);
    c->context = CM_RESHAPE_ANY;
}

/* Swaps `count` pairs of words of the array, at most half the slots of transposer C. Word k of the
 * first block is at offsets[k], and its counterpart `far` words further. */
static void emit_pair_swaps(struct cm_reshape_compiler *c, const uint64_t *offsets, uint32_t count,
                            uint64_t far)
{
    for (uint32_t side = 0; side < 2; side++)
        for (uint32_t k = 0; k < count; k++)
            CM_EMIT(c->imp, CM_OP_LOAD, cm_slot(CM_TRANSPOSER_C, side * count + k),
                    cm_mem(CM_RESHAPE_REG_AT, (int64_t)(offsets[k] + (side ? far : 0))));
    for (uint32_t side = 0; side < 2; side++)
        for (uint32_t k = 0; k < count; k++)
            CM_EMIT(c->imp, CM_OP_UNLOAD,
                    cm_mem(CM_RESHAPE_REG_AT, (int64_t)(offsets[k] + (side ? far : 0))),
                    cm_slot(CM_TRANSPOSER_C, (1 - side) * count + k));
}

/* Emits two nested loops that swap blocks. The inner loop goes through the parts of a block, the
 * outer one through the blocks, or through groups of small blocks that are swapped together. */
static void emit_swap_loops(struct cm_reshape_compiler *c, const struct cm_reshape_blocks *blocks,
                            uint64_t first, uint64_t count)
{
    uint64_t offsets[CM_RESHAPE_SLOTS_MAX / 2];
    uint64_t most = c->config->transposer_slots / 2, all = blocks->words * count;
    uint32_t run = (uint32_t)(all < most ? all : most);
    uint64_t inner = blocks->words > run ? blocks->words / run : 1;
    uint64_t outer = all / run / inner;
    uint64_t far = blocks->second - blocks->first, gone = 0;
    uint32_t outer_loop = 0, inner_loop = 0;
    for (uint32_t k = 0; k < run; k++)
        offsets[k] = k / blocks->words * blocks->stride + k % blocks->words;
    cm_emit_point(c->imp, CM_RESHAPE_REG_AT, CM_RESHAPE_REG_ARRAY, (int64_t)first);
    c->at_array = false;
    if (outer > 1)
        outer_loop = CM_EMIT(c->imp, CM_OP_LOOP, cm_value((int64_t)outer));
    if (inner > 1)
        inner_loop = CM_EMIT(c->imp, CM_OP_LOOP, cm_value((int64_t)inner));
    emit_pair_swaps(c, offsets, run, far);
    if (inner > 1) {
        CM_EMIT(c->imp, CM_OP_AADD, cm_reg(CM_RESHAPE_REG_AT), cm_value(run));
        cm_emit_next(c->imp, inner_loop);
        gone = inner * run;
    }
    if (outer > 1) {
        uint64_t step =
            blocks->words >= run ? blocks->stride : run / blocks->words * blocks->stride;
        CM_EMIT(c->imp, CM_OP_AADD, cm_reg(CM_RESHAPE_REG_AT), cm_value((int64_t)(step - gone)));
        cm_emit_next(c->imp, outer_loop);
    }
}

/* Swaps blocks of words. The blocks are unrolled if the loop stack has only one entry. */
void cm_reshape_emit_block_swaps(struct cm_reshape_compiler *c,
                                 const struct cm_reshape_blocks *blocks)
{
    bool split = c->config->sequencer_loop_depth < 2;
    for (uint64_t i = 0; i < (split ? blocks->count : 1); i++) {
        cm_reshape_make_room(c);
        if (blocks->nodes)
            emit_context(c, blocks->nodes, blocks->value);
        emit_swap_loops(c, blocks, blocks->first + i * blocks->stride, split ? 1 : blocks->count);
    }
}
