/*
 * Exchanges of cube dimensions with cube dimensions, all of them as one pipeline. To exchange dimensions a and b, nodes
 * whose two bits differ send what they hold over a to where the bits are alike, and from there it goes on over b. What
 * a node sends in one step is a unit, a word for each channel; exchange i of a pipeline is at unit r - 2 i with its first
 * hop in round r, and at the one before with its second. So a round, one machine exchange, uses all dimensions.
 *
 * The table is a control word, whose bit i says that the two bits of exchange i differ, and for each exchange room for
 *
 *     Y  the unit that comes in     T  what the first hop brought     Z  the node's own unit behind the first hop
 */
#include "../emit.h"
#include "transform_private.h"

enum { ARGUMENT_TABLE, ARGUMENT_ARRAY };
enum { REG_TABLE, REG_DATA };
enum place { PLACE_Y, PLACE_T, PLACE_Z, PLACE_COUNT };

struct compiler {
    const struct cm_config *config;
    const struct cm_reshape_swap *swaps;
    uint32_t count;
    uint32_t first_control; /* bit of the control word that the first exchange has */
    uint64_t units;
    uint64_t moved; /* units that REG_DATA is ahead of the array's first */
    struct cm_imp *imp;
};

static uint32_t channels(const struct compiler *c)
{
    return c->config->network_channels_per_dimension;
}

static struct cm_operand room(const struct compiler *c, uint32_t i, enum place place, uint32_t k)
{
    return cm_mem(REG_TABLE, 1 + (int64_t)((i * PLACE_COUNT + (uint32_t)place) * channels(c) + k));
}

static struct cm_operand array_unit(const struct compiler *c, uint64_t unit, uint32_t k)
{
    int64_t ahead = (int64_t)unit - (int64_t)c->moved;
    return cm_mem(REG_DATA, ahead * channels(c) + k);
}

static struct cm_operand slot(const struct compiler *c, enum cm_transposer transposer,
                              uint32_t dimension, uint32_t k)
{
    return cm_slot(transposer, cm_slot_of_channel(c->config->transposer_slots, dimension, k));
}

static void copy_word(struct compiler *c, struct cm_operand to, struct cm_operand from)
{
    CM_EMIT(c->imp, CM_OP_FLOAD32, cm_reg(0), from);
    CM_EMIT(c->imp, CM_OP_FSTORE32, to, cm_reg(0));
}

/* Whether a hop, counted through the pipeline, has a unit in a round. */
static bool is_busy(const struct compiler *c, uint64_t round, uint32_t hop)
{
    return round >= hop && round - hop < c->units;
}

static void emit_sends(struct compiler *c, uint64_t round)
{
    for (uint32_t i = 0; i < c->count; i++)
        for (uint32_t k = 0; k < channels(c); k++) {
            if (is_busy(c, round, 2 * i))
                CM_EMIT(c->imp, CM_OP_LOAD, slot(c, CM_TRANSPOSER_A, c->swaps[i].first, k),
                        room(c, i, PLACE_Y, k));
            if (is_busy(c, round, 2 * i + 1))
                CM_EMIT(c->imp, CM_OP_LOAD, slot(c, CM_TRANSPOSER_A, c->swaps[i].second, k),
                        room(c, i, PLACE_T, k));
        }
}

/* Ends of second hops: the nodes whose bits differ take what came, the others keep their own. */
static void emit_arrivals(struct compiler *c, uint64_t round)
{
    for (uint32_t i = 0; i < c->count; i++) {
        if (!is_busy(c, round, 2 * i + 1))
            continue;
        CM_EMIT(c->imp, CM_OP_CTXLOAD, cm_mem(REG_TABLE, 0), cm_value(c->first_control + i));
        for (uint32_t k = 0; k < channels(c); k++)
            CM_EMIT(c->imp, CM_OP_UNLOAD, room(c, i, PLACE_Z, k),
                    slot(c, CM_TRANSPOSER_B, c->swaps[i].second, k));
    }
    cm_imp_emit(c->imp, CM_OP_CTXALL, NULL, 0);
}

/* Units go on, from the last exchange to the first: each finds the place of the one before it free. */
static void emit_shift(struct compiler *c, uint64_t round)
{
    for (uint32_t i = c->count; i-- > 0;)
        for (uint32_t k = 0; k < channels(c); k++) {
            bool last = i + 1 == c->count;
            if (is_busy(c, round, 2 * i + 1))
                copy_word(c,
                          last ? array_unit(c, round - 2 * i - 1, k) : room(c, i + 1, PLACE_Y, k),
                          room(c, i, PLACE_Z, k));
            if (!is_busy(c, round, 2 * i))
                continue;
            copy_word(c, room(c, i, PLACE_Z, k), room(c, i, PLACE_Y, k));
            CM_EMIT(c->imp, CM_OP_UNLOAD, room(c, i, PLACE_T, k),
                    slot(c, CM_TRANSPOSER_B, c->swaps[i].first, k));
        }
}

static void emit_round(struct compiler *c, uint64_t round)
{
    for (uint32_t k = 0; is_busy(c, round, 0) && k < channels(c); k++)
        copy_word(c, room(c, 0, PLACE_Y, k), array_unit(c, round, k));
    emit_sends(c, round);
    cm_imp_emit(c->imp, CM_OP_EXCHANGE, NULL, 0);
    emit_arrivals(c, round);
    emit_shift(c, round);
}

static void emit_rounds(struct compiler *c)
{
    uint64_t steady =
        2 * (uint64_t)c->count - 1; /* the first round in which every hop has a unit */
    uint64_t rounds = c->units + steady, round = 0;
    for (; round < rounds && round < steady; round++)
        emit_round(c, round);
    if (c->units > steady + 1) {
        uint64_t times = c->units - steady;
        uint32_t loop = CM_EMIT(c->imp, CM_OP_LOOP, cm_value((int64_t)times));
        emit_round(c, round);
        CM_EMIT(c->imp, CM_OP_AADD, cm_reg(REG_DATA), cm_value(channels(c)));
        cm_emit_next(c->imp, loop);
        c->moved = times;
        round += times;
    }
    for (; round < rounds; round++)
        emit_round(c, round);
}

uint64_t cm_fft_cube_swap_words(uint32_t count, uint32_t channels_per_dimension)
{
    return 1 + (uint64_t)PLACE_COUNT * count * channels_per_dimension;
}

uint32_t cm_fft_cube_swap_control(const struct cm_reshape_swap *swaps, uint32_t count,
                                  uint32_t node)
{
    uint32_t control = 0;
    for (uint32_t i = 0; i < count; i++)
        control |= ((node >> swaps[i].first ^ node >> swaps[i].second) & 1) << i;
    return control;
}

void cm_fft_compile_cube_swaps(const struct cm_config *config, const struct cm_reshape_swap *swaps,
                               uint32_t first, uint32_t count, uint64_t words, struct cm_imp *imp)
{
    struct compiler c = {.config = config,
                         .swaps = swaps + first,
                         .count = count,
                         .first_control = first,
                         .units = words / config->network_channels_per_dimension,
                         .imp = imp};
    cm_imp_argument(imp, "table", CM_ARGUMENT_ADDRESS);
    cm_imp_argument(imp, "array", CM_ARGUMENT_ADDRESS);
    cm_emit_argument(imp, REG_TABLE, ARGUMENT_TABLE, 0);
    cm_emit_argument(imp, REG_DATA, ARGUMENT_ARRAY, 0);
    emit_rounds(&c);
    cm_imp_emit(imp, CM_OP_HALT, NULL, 0);
}
