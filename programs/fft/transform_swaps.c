/*
 * Exchanges of cube dimensions with local bits, several at once. An exchange of dimension d with bit l sends half of a
 * node's elements over d: nodes whose bit d is 0 send those whose bit l is 1, the others those whose bit l is 0. Of g
 * exchanges, g a power of two, any may come first; and blocks of elements that differ in their g bits alone do not
 * depend on each other. So the blocks are dealt to g sets, and in turn t set k makes exchange (k + t) mod g: every turn
 * has elements on the channels of all g dimensions (as theorem 2 of Johnsson and Ho rotates data sets).
 *
 * The table is a control word, the node's address, and behind it room for what is sent. Elements to send are put
 * together there: those with bit 1 from all nodes, then those with bit 0 from the nodes whose bit d is 1.
 */
#include "transform_loops.h"
#include "transform_private.h"

enum { ARGUMENT_TABLE, ARGUMENT_ARRAY };
enum { REG_TABLE, REG_DATA };

struct compiler {
    const struct cm_config *config;
    const struct cm_reshape_swap *swaps; /* first: the cube dimension */
    uint32_t count;                      /* g */
    uint32_t turn;
    uint32_t element_words;
    uint64_t sets[CM_FFT_SWAPS_MAX]; /* first element of each */
    struct cm_imp *imp;
};

/* Which exchange a set makes in this turn. */
static const struct cm_reshape_swap *swap_of(const struct compiler *c, uint32_t set)
{
    return &c->swaps[(set + c->turn) % c->count];
}

/* Word of the element of pair `pair` of a set's block whose bit is 0; pairs are numbered by the other bits of the group. */
static int64_t pair_word(const struct compiler *c, uint32_t set, uint32_t pair)
{
    uint64_t element = c->sets[set];
    for (uint32_t i = 0; i < c->count; i++) {
        if (&c->swaps[i] == swap_of(c, set))
            continue;
        element |= (uint64_t)(pair & 1) << c->swaps[i].second;
        pair >>= 1;
    }
    return (int64_t)(element * c->element_words);
}

static uint32_t channels(const struct compiler *c)
{
    return c->config->network_channels_per_dimension;
}

static int64_t far(const struct compiler *c, uint32_t set)
{
    return (int64_t)((UINT64_C(1) << swap_of(c, set)->second) * c->element_words);
}

static struct cm_operand room(const struct compiler *c, uint32_t set, uint32_t k)
{
    return cm_mem(REG_TABLE, 1 + (int64_t)(set * channels(c) + k));
}

static struct cm_operand slot(const struct compiler *c, enum cm_transposer transposer, uint32_t set,
                              uint32_t k)
{
    return cm_slot(transposer,
                   cm_slot_of_channel(c->config->transposer_slots, swap_of(c, set)->first, k));
}

static void emit_context(struct compiler *c, uint32_t set)
{
    CM_EMIT(c->imp, CM_OP_CTXLOAD, cm_mem(REG_TABLE, 0), cm_value(swap_of(c, set)->first));
}

/* FPU registers: the word to send with bit 1, then the one with bit 0. */
static uint32_t reg(const struct compiler *c, uint32_t set, uint32_t k, bool one)
{
    return (set * 2 + (one ? 0 : 1)) * channels(c) + k;
}

static void emit_send(struct compiler *c, int64_t data, uint32_t pair)
{
    for (uint32_t set = 0; set < c->count; set++)
        for (uint32_t k = 0; k < channels(c); k++) {
            int64_t at = data + pair_word(c, set, pair) + k;
            CM_EMIT(c->imp, CM_OP_FLOAD32, cm_reg(reg(c, set, k, false)), cm_mem(REG_DATA, at));
            CM_EMIT(c->imp, CM_OP_FLOAD32, cm_reg(reg(c, set, k, true)),
                    cm_mem(REG_DATA, at + far(c, set)));
        }
    cm_imp_emit(c->imp, CM_OP_CTXALL, NULL, 0);
    for (uint32_t set = 0; set < c->count; set++)
        for (uint32_t k = 0; k < channels(c); k++)
            CM_EMIT(c->imp, CM_OP_FSTORE32, room(c, set, k), cm_reg(reg(c, set, k, true)));
    for (uint32_t set = 0; set < c->count; set++) {
        emit_context(c, set);
        for (uint32_t k = 0; k < channels(c); k++)
            CM_EMIT(c->imp, CM_OP_FSTORE32, room(c, set, k), cm_reg(reg(c, set, k, false)));
        for (uint32_t k = 0; k < channels(c); k++)
            CM_EMIT(c->imp, CM_OP_LOAD, slot(c, CM_TRANSPOSER_A, set, k), room(c, set, k));
    }
}

static void emit_receive(struct compiler *c, int64_t data, uint32_t pair)
{
    for (uint32_t set = 0; set < c->count; set++) {
        int64_t at = data + pair_word(c, set, pair);
        emit_context(c, set);
        for (uint32_t k = 0; k < channels(c); k++)
            CM_EMIT(c->imp, CM_OP_UNLOAD, cm_mem(REG_DATA, at + k),
                    slot(c, CM_TRANSPOSER_B, set, k));
        cm_imp_emit(c->imp, CM_OP_CTXNOT, NULL, 0);
        for (uint32_t k = 0; k < channels(c); k++)
            CM_EMIT(c->imp, CM_OP_UNLOAD, cm_mem(REG_DATA, at + far(c, set) + k),
                    slot(c, CM_TRANSPOSER_B, set, k));
    }
}

/* A block of every set. */
static void emit_body(void *context, int64_t data, int64_t entries)
{
    struct compiler *c = context;
    (void)entries;
    for (uint32_t pair = 0; pair < UINT32_C(1) << (c->count - 1); pair++)
        for (uint32_t word = 0; word < c->element_words; word += channels(c)) {
            emit_send(c, data + word, pair);
            cm_imp_emit(c->imp, CM_OP_EXCHANGE, NULL, 0);
            emit_receive(c, data + word, pair);
        }
}

uint32_t cm_fft_swaps_together(uint32_t left, uint32_t local_bits, uint32_t most)
{
    uint32_t count = 1, log = 0;
    while (2 * count <= left && 2 * count <= most && 2 * count + log + 1 <= local_bits) {
        count *= 2;
        log++;
    }
    return count;
}

uint64_t cm_fft_swap_words(uint32_t channels_per_dimension)
{
    return 1 + (uint64_t)CM_FFT_SWAPS_MAX * channels_per_dimension;
}

/* The sets are told apart by the highest of the bits that no exchange of the group takes. */
static uint64_t deal_sets(struct compiler *c, uint64_t bits)
{
    for (uint32_t i = 0; i < c->count; i++)
        bits &= ~(UINT64_C(1) << c->swaps[i].second);
    for (uint32_t i = 0; UINT32_C(1) << i < c->count; i++) {
        uint64_t highest = UINT64_C(1) << (63 - __builtin_clzll(bits));
        bits &= ~highest;
        for (uint32_t set = 0; set < c->count; set++)
            c->sets[set] |= set >> i & 1 ? highest : 0;
    }
    return bits;
}

void cm_fft_compile_swaps(const struct cm_config *config, const struct cm_reshape_swap *swaps,
                          uint32_t count, uint32_t turn, uint32_t local_bits,
                          uint32_t element_words, struct cm_imp *imp)
{
    struct compiler c = {.config = config,
                         .swaps = swaps,
                         .count = count,
                         .turn = turn,
                         .element_words = element_words,
                         .imp = imp};
    struct cm_fft_loops loops = {.bodies = CM_FFT_SWAPS_MAX / count,
                                 .data = REG_DATA,
                                 .entries = REG_TABLE,
                                 .body = emit_body,
                                 .context = &c};
    cm_imp_argument(imp, "table", CM_ARGUMENT_ADDRESS);
    cm_imp_argument(imp, "array", CM_ARGUMENT_ADDRESS);
    cm_emit_argument(imp, REG_TABLE, ARGUMENT_TABLE, 0);
    cm_emit_argument(imp, REG_DATA, ARGUMENT_ARRAY, 0);
    uint64_t looped = deal_sets(&c, (UINT64_C(1) << local_bits) - 1);
    cm_fft_loops_find(&loops, looped, 0, element_words, 0);
    cm_fft_loops_emit(&loops, imp);
    cm_imp_emit(imp, CM_OP_HALT, NULL, 0);
}
