/*
 * The second phase of a consistent allocation as IMPs, round by round (reshape_permute.c).
 *
 * A mixed round first brings each class of elements (reshape_crossings.h) to one place in all
 * nodes: where the node's bit in a dimension is 1, the elements whose local bits are 0 and 1 change
 * places, by local moves. Then every crossing is a load and an unload at that place, without a
 * context, and the classes cross as cm_reshape_crossings_make says; last the classes go back to
 * where their own bits belong.
 */
#include "reshape_crossings.h"
#include "reshape_emit.h"

#include <stdlib.h>

#define NEST_MAX 4u /* loops in one another; more runs of address bits than these are written out */

static struct cm_operand array_word(uint64_t offset)
{
    return cm_mem(CM_RESHAPE_REG_AT, (int64_t)offset);
}

/* Two local bits change places: no control, local moves. */
static void emit_bit_swap(struct cm_reshape_compiler *c, const struct cm_reshape_swap *swap)
{
    uint32_t low = swap->first < swap->second ? swap->first : swap->second;
    uint32_t high = swap->first < swap->second ? swap->second : swap->first;
    uint64_t words = c->task->slices * (UINT64_C(1) << low);
    uint64_t far = c->task->slices * (UINT64_C(1) << high);
    for (uint64_t at = 0; c->status == CM_OK && at < c->words; at += 2 * far)
        cm_reshape_emit_block_swaps(c, &(struct cm_reshape_blocks){.first = at + words,
                                                                   .second = at + far,
                                                                   .words = words,
                                                                   .count = far / (2 * words),
                                                                   .stride = 2 * words});
}

/* A mixed round, in words: which address bits the swaps have, and how the others are walked
 * through. */
struct mixed {
    uint32_t count;
    uint32_t cube[64]; /* dimension of swap i */
    uint32_t bit[64];  /* word address bit of swap i */
    uint64_t bits;     /* all of them */
    uint64_t walked;   /* address bits that count the groups */
    uint64_t pair;     /* distance of the two words of a unit; 0: one word */
    uint32_t lanes;
    uint32_t runs; /* of walked bits, those with a loop */
    uint32_t run_first[NEST_MAX], run_bits[NEST_MAX];
    uint64_t unrolled; /* walked bits without a loop */
};

/* The longest runs of walked bits get loops, the lowest the innermost. */
static void find_loops(struct mixed *mixed, uint32_t depth)
{
    uint64_t left = mixed->walked;
    uint32_t most = depth < NEST_MAX ? depth : NEST_MAX;
    while (left != 0 && mixed->runs < most) {
        uint32_t best = 0, longest = 0;
        for (uint32_t b = 0; b < 64; b++) {
            uint32_t length = 0;
            while (b + length < 64 && (left >> (b + length) & 1))
                length++;
            if (length > longest) {
                longest = length;
                best = b;
            }
        }
        uint32_t at = mixed->runs++;
        for (; at > 0 && mixed->run_first[at - 1] > best; at--) {
            mixed->run_first[at] = mixed->run_first[at - 1];
            mixed->run_bits[at] = mixed->run_bits[at - 1];
        }
        mixed->run_first[at] = best;
        mixed->run_bits[at] = longest;
        left &= ~(((UINT64_C(1) << longest) - 1) << best);
    }
    mixed->unrolled = left;
}

static void describe(const struct cm_reshape_compiler *c, const struct cm_reshape_round *round,
                     struct mixed *mixed)
{
    uint32_t slice_bits = (uint32_t)__builtin_ctz(c->task->slices);
    *mixed = (struct mixed){.count = round->swap_count, .lanes = 1};
    for (uint32_t i = 0; i < round->swap_count; i++) {
        const struct cm_reshape_swap *swap = &c->plan->swaps[round->first_swap + i];
        mixed->cube[i] = swap->first_is_local ? swap->second : swap->first;
        mixed->bit[i] = (swap->first_is_local ? swap->first : swap->second) + slice_bits;
        mixed->bits |= UINT64_C(1) << mixed->bit[i];
    }
    mixed->walked = (c->words - 1) & ~mixed->bits;
    if (c->config->network_channels_per_dimension == 2) {
        mixed->pair = mixed->walked & (~mixed->walked + 1);
        mixed->walked &= ~mixed->pair;
        mixed->lanes = mixed->pair ? 1 : 2;
    }
    find_loops(mixed, c->config->sequencer_loop_depth);
}

/*
 * The words of address a now lie at a with some bits turned: bit b in the nodes where the parity of
 * (address AND nodes[b]) is 1. Turning a bit is a swap of the array's halves by that bit.
 */
struct alignment {
    uint64_t nodes[64];
};

/* Turns what is turned otherwise; after a round the next one's turn and the way back are one. */
static void emit_alignment(struct cm_reshape_compiler *c, struct alignment *now,
                           const struct alignment *wanted)
{
    bool turned = false;
    for (uint32_t b = 0; c->status == CM_OK && b < 64; b++) {
        uint64_t half = UINT64_C(1) << b;
        if (now->nodes[b] == wanted->nodes[b])
            continue;
        cm_reshape_emit_block_swaps(
            c, &(struct cm_reshape_blocks){.nodes = now->nodes[b] ^ wanted->nodes[b],
                                           .value = true,
                                           .second = half,
                                           .words = half,
                                           .count = c->words / (2 * half),
                                           .stride = 2 * half});
        turned = true;
    }
    if (c->status == CM_OK && turned)
        cm_reshape_emit_context_all(c);
    *now = *wanted;
}

/* Where the words of a class begin. */
static uint64_t class_place(const struct mixed *mixed, uint32_t kind)
{
    uint64_t place = 0;
    for (uint32_t i = 0; i < mixed->count; i++)
        place |= (uint64_t)(kind >> i & 1) << mixed->bit[i];
    return place;
}

/* The loads, or after the exchange the unloads, of one step. */
static void emit_step_words(struct cm_reshape_compiler *c, const struct mixed *mixed,
                            const uint32_t *classes, uint64_t at, bool load)
{
    uint32_t words = mixed->pair ? 2 : 1;
    for (uint32_t lane = 0; lane < mixed->count * mixed->lanes; lane++) {
        uint32_t cube = mixed->cube[lane / mixed->lanes];
        if (classes[lane] == CM_RESHAPE_IDLE)
            continue;
        for (uint32_t w = 0; w < words; w++) {
            uint32_t channel = mixed->lanes > 1 ? lane % mixed->lanes : w;
            struct cm_operand place =
                array_word(at + class_place(mixed, classes[lane]) + w * mixed->pair);
            if (load)
                CM_EMIT(c->imp, CM_OP_LOAD,
                        cm_reshape_channel_slot(c, CM_TRANSPOSER_A, cube, channel), place);
            else
                CM_EMIT(c->imp, CM_OP_UNLOAD, place,
                        cm_reshape_channel_slot(c, CM_TRANSPOSER_B, cube, channel));
        }
    }
}

/* One step of the crossings for all groups of classes whose unrolled address bits are `at`. */
static void emit_crossings(struct cm_reshape_compiler *c, const struct mixed *mixed,
                           const uint32_t *classes, uint64_t at)
{
    uint32_t loops[NEST_MAX];
    cm_reshape_make_room(c);
    if (c->status != CM_OK)
        return;
    CM_EMIT(c->imp, CM_OP_ACOPY, cm_reg(CM_RESHAPE_REG_AT), cm_reg(CM_RESHAPE_REG_ARRAY),
            cm_value(0));
    for (uint32_t r = mixed->runs; r-- > 0;)
        loops[r] =
            CM_EMIT(c->imp, CM_OP_LOOP, cm_value((int64_t)(UINT64_C(1) << mixed->run_bits[r])));
    emit_step_words(c, mixed, classes, at, true);
    cm_imp_emit(c->imp, CM_OP_EXCHANGE, NULL, 0);
    emit_step_words(c, mixed, classes, at, false);
    uint64_t gone = 0; /* what the loops within have added */
    for (uint32_t r = 0; r < mixed->runs; r++) {
        uint64_t stride = UINT64_C(1) << mixed->run_first[r];
        CM_EMIT(c->imp, CM_OP_AADD, cm_reg(CM_RESHAPE_REG_AT), cm_value((int64_t)(stride - gone)));
        cm_emit_next(c->imp, loops[r]);
        gone = stride << mixed->run_bits[r];
    }
}

static void emit_mixed(struct cm_reshape_compiler *c, const struct cm_reshape_round *round,
                       struct alignment *now)
{
    struct mixed mixed;
    struct alignment wanted = {{0}};
    struct cm_reshape_crossings crossings;
    describe(c, round, &mixed);
    c->status = cm_reshape_crossings_make(mixed.count, mixed.lanes, &crossings, c->err);
    for (uint32_t i = 0; i < mixed.count; i++)
        wanted.nodes[mixed.bit[i]] = UINT64_C(1) << mixed.cube[i];
    emit_alignment(c, now, &wanted);
    for (uint32_t t = 0; c->status == CM_OK && t < crossings.steps; t++) {
        const uint32_t *classes = &crossings.classes[(size_t)t * mixed.count * mixed.lanes];
        uint64_t at = 0;
        do {
            emit_crossings(c, &mixed, classes, at);
            at = (at - mixed.unrolled) & mixed.unrolled; /* the next subset of those bits */
        } while (at != 0 && c->status == CM_OK);
    }
    free(crossings.classes);
}

void cm_reshape_emit_rounds(struct cm_reshape_compiler *c)
{
    const struct alignment none = {{0}};
    struct alignment now = none;
    for (uint32_t i = 0; c->status == CM_OK && i < c->plan->round_count; i++) {
        const struct cm_reshape_round *round = &c->plan->rounds[i];
        if (round->kind == CM_RESHAPE_ROUND_MIXED) {
            emit_mixed(c, round, &now);
            continue;
        }
        emit_alignment(c, &now, &none);
        if (c->status == CM_OK && round->kind == CM_RESHAPE_ROUND_CUBE)
            cm_reshape_emit_streams(c, c->plan->swap_streams + round->first_stream,
                                    round->stream_count);
        else if (c->status == CM_OK)
            emit_bit_swap(c, &c->plan->swaps[round->first_swap]);
    }
    emit_alignment(c, &now, &none);
}
