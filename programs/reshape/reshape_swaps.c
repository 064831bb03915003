/*
 * Compiler of the second phase of a reshape to a consistent allocation, round by round
 * (reshape_permute.c).
 *
 * A mixed round swaps cube dimensions with local bits. First it brings each class of elements
 * (reshape_crossings.h) to one place in all nodes. For this, nodes whose address bit is 1 in a
 * dimension swap the elements whose local bits are 0 and 1. Then every crossing is a load and an
 * unload at that place, without a context, in the order of cm_reshape_crossings_make. At the end
 * the classes return to the places that their local bits name.
 */
#include "../system/loops.h"
#include "reshape_crossings.h"
#include "reshape_emit.h"

/* limit on the depth of nested loops. Further runs of address bits are unrolled */
#define NEST_MAX 4u

/* Swaps two local bits by moves within the nodes, without a control. */
static void emit_bit_swap(struct cm_reshape_compiler *c, const struct cm_reshape_swap *swap)
{
    uint32_t low = swap->first < swap->second ? swap->first : swap->second;
    uint32_t high = swap->first < swap->second ? swap->second : swap->first;
    uint64_t words = c->slices * (UINT64_C(1) << low);
    uint64_t far = c->slices * (UINT64_C(1) << high);
    for (uint64_t at = 0; at < c->words; at += 2 * far)
        cm_reshape_emit_block_swaps(c, &(struct cm_reshape_blocks){.first = at + words,
                                                                   .second = at + far,
                                                                   .words = words,
                                                                   .count = far / (2 * words),
                                                                   .stride = 2 * words});
}

/* Mixed round: swaps of cube dimensions with local bits. Local bits are counted in the word address
 * within the node, because an element may have several words. */
struct mixed {
    uint32_t count;
    uint32_t cube[64]; /* for each swap, its cube dimension */
    uint32_t bit[64];  /* for each swap, its bit of the word address */
    uint64_t bits;     /* bits of the word address that take part in swaps */
    /* bits of the word address that do not take part in swaps. Loops go through their values */
    uint64_t walked;
    uint64_t pair; /* distance of the two words of a unit. 0: a unit is one word */
    uint32_t lanes;
    uint64_t unrolled; /* bits of `walked` that have no loop and are unrolled */
};

/* Returns the bits of `walked` that get no loop. The longest runs of consecutive bits get a loop
 * each, as many as the sequencer can nest. */
static uint64_t without_loops(uint64_t walked, uint32_t depth)
{
    for (uint32_t i = 0; i < NEST_MAX && i < depth && walked != 0; i++) {
        uint64_t starts = 0; /* lowest bits of the runs that are longest, one bit for each run */
        uint32_t length = 0;
        for (uint64_t rest = walked; rest != 0; rest &= rest >> 1, length++)
            starts = rest;
        walked &= ~(((UINT64_C(1) << length) - 1) << __builtin_ctzll(starts));
    }
    return walked;
}

static void describe(const struct cm_reshape_compiler *c, const struct cm_reshape_round *round,
                     struct mixed *mixed)
{
    uint32_t slice_bits = (uint32_t)__builtin_ctz(c->slices);
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
    mixed->unrolled = without_loops(mixed->walked, c->config->sequencer_loop_depth);
}

/*
 * Alignment of an array: which address bits of words are inverted in a node. Bit b of the word
 * address is inverted in the nodes where the parity of (node address AND nodes[b]) is 1. A word
 * whose address has 0 in bit b is then stored where the bit is 1, and the other way round.
 */
struct alignment {
    uint64_t nodes[64];
};

/* Inverts the address bits that differ between the alignments `now` and `wanted`. Undoing one
 * round's alignment and making the next one's is a single swap of words. */
static void emit_alignment(struct cm_reshape_compiler *c, struct alignment *now,
                           const struct alignment *wanted)
{
    bool turned = false;
    for (uint32_t b = 0; b < 64; b++) {
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
    if (turned)
        cm_reshape_emit_context_all(c);
    *now = *wanted;
}

/* Returns the address, within the node, of the first word of the elements of class `kind`. */
static uint64_t class_place(const struct mixed *mixed, uint32_t kind)
{
    uint64_t place = 0;
    for (uint32_t i = 0; i < mixed->count; i++)
        place |= (uint64_t)(kind >> i & 1) << mixed->bit[i];
    return place;
}

/* Step of a schedule of crossings (reshape_crossings.h). `at` has the values of the unrolled
 * address bits, for which the step's code is emitted. */
struct crossing {
    struct cm_reshape_compiler *c;
    const struct mixed *mixed;
    /* for each lane of this step, the class that crosses, or CM_RESHAPE_IDLE */
    const uint32_t *classes;
    uint64_t at;
};

/* Emits the transfers of a step's words: the loads before the exchange, or the unloads after the
 * exchange. */
static void emit_step_words(const struct crossing *crossing, bool load)
{
    const struct mixed *mixed = crossing->mixed;
    struct cm_imp *imp = crossing->c->imp;
    const uint32_t slots = crossing->c->config->transposer_slots;
    for (uint32_t lane = 0; lane < mixed->count * mixed->lanes; lane++) {
        uint32_t cube = mixed->cube[lane / mixed->lanes];
        if (crossing->classes[lane] == CM_RESHAPE_IDLE)
            continue;
        uint64_t place = crossing->at + class_place(mixed, crossing->classes[lane]);
        for (uint32_t w = 0; w < (mixed->pair ? 2 : 1); w++) {
            uint32_t channel = mixed->lanes > 1 ? lane % mixed->lanes : w;
            uint32_t slot = cm_slot_of_channel(slots, cube, channel);
            struct cm_operand word = cm_mem(CM_RESHAPE_REG_AT, (int64_t)(place + w * mixed->pair));
            if (load)
                CM_EMIT(imp, CM_OP_LOAD, cm_slot(CM_TRANSPOSER_A, slot), word);
            else
                CM_EMIT(imp, CM_OP_UNLOAD, word, cm_slot(CM_TRANSPOSER_B, slot));
        }
    }
}

static void emit_step(void *context, int64_t data, int64_t entries)
{
    const struct crossing *crossing = context;
    /* The loop advances the register of the array, so each iteration has the same code. */
    (void)data;
    (void)entries;
    emit_step_words(crossing, true);
    cm_emit_exchange(crossing->c->imp);
    emit_step_words(crossing, false);
}

static void emit_crossing(struct crossing *crossing)
{
    struct cm_loops loops = {
        .bodies = 1, .data = CM_RESHAPE_REG_AT, .body = emit_step, .context = crossing};
    cm_reshape_make_room(crossing->c);
    cm_emit_point(crossing->c->imp, CM_RESHAPE_REG_AT, CM_RESHAPE_REG_ARRAY, 0);
    crossing->c->at_array = false;
    cm_loops_add(&loops, crossing->mixed->walked & ~crossing->mixed->unrolled, 0, 1, 0);
    cm_loops_emit(&loops, crossing->c->imp);
}

static void emit_mixed(struct cm_reshape_compiler *c, const struct cm_reshape_round *round,
                       struct alignment *now)
{
    struct mixed mixed;
    struct alignment wanted = {{0}};
    struct cm_reshape_crossings crossings;
    struct crossing crossing = {.c = c, .mixed = &mixed};
    describe(c, round, &mixed);
    if (cm_reshape_crossings_make(mixed.count, mixed.lanes, &crossings, NULL) != CM_OK) {
        c->failed = true;
        return;
    }
    for (uint32_t i = 0; i < mixed.count; i++)
        wanted.nodes[mixed.bit[i]] = UINT64_C(1) << mixed.cube[i];
    emit_alignment(c, now, &wanted);
    for (uint32_t t = 0; t < crossings.steps; t++) {
        crossing.classes = &crossings.classes[(size_t)t * mixed.count * mixed.lanes];
        do {
            emit_crossing(&crossing);
            /* next combination of values of the unrolled address bits */
            crossing.at = (crossing.at - mixed.unrolled) & mixed.unrolled;
        } while (crossing.at != 0);
    }
    free(crossings.classes);
}

void cm_reshape_emit_rounds(struct cm_reshape_compiler *c)
{
    const struct alignment none = {{0}};
    struct alignment now = none;
    for (uint32_t i = 0; i < c->plan->round_count; i++) {
        const struct cm_reshape_round *round = &c->plan->rounds[i];
        if (round->kind == CM_RESHAPE_ROUND_MIXED) {
            emit_mixed(c, round, &now);
            continue;
        }
        emit_alignment(c, &now, &none);
        if (round->kind == CM_RESHAPE_ROUND_CUBE)
            cm_reshape_emit_streams(c, c->plan->swap_streams + round->first_stream,
                                    round->stream_count);
        else
            emit_bit_swap(c, &c->plan->swaps[round->first_swap]);
    }
    emit_alignment(c, &now, &none);
}
