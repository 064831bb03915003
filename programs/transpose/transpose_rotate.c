/*
 * Compiler of chains of address bits (transpose_chains.h). An element whose chain bit is l must
 * cross dimension d if l differs from the node's bit in d. All nodes have to send the word at one
 * place. So when a group of words begins a chain at d, the nodes whose bit in d is 1 swap the words
 * of the group. Then l plus (modulo 2) the node's bit is the place of a word, and the word at 1
 * crosses.
 *
 * A word arrives at the same place and is moved at once to the place for the next dimension e of
 * the chain. Where the node's bits in d and e differ, it is swapped with the word at 0, by way of
 * transposer C. After the last dimension of the chain, it is swapped where the node's bit in d is
 * 1.
 *
 * In a pair of dimensions, words in nodes whose bits are equal are between two hops. They wait in
 * scratch memory between exchanges. The other nodes also bring their words there, so that all nodes
 * load from one place.
 *
 * The table has two words: the node's address, and the sums (modulo 2) of its bits in each
 * dimension and the next dimension of the chain.
 */
#include "transpose_rotate.h"

#include "../system/emit.h"
#include "../system/loops.h"

/* Address registers. REG_BEFORE + d points to the words of a pair of dimensions that crossed in the
 * last exchange. */
enum { REG_TABLE, REG_ARRAY, REG_SCRATCH, REG_AT, REG_BEFORE };
enum { WORD_ADDRESS, WORD_SUMS, TABLE_WORDS };

#define LANES_MAX 2u
/* number of address bits in a body of swaps, because 2^4 pairs of words fill transposer C */
#define TURN_BITS 4u

struct rotation {
    const struct cm_config *config;
    const struct cm_chains *chains;
    struct cm_compiled *compiled;
    struct cm_imp *imp;
    const struct cm_chain_stage *stage;
    uint32_t lanes;       /* number of words that cross a dimension at once */
    uint64_t combination; /* value of the address bits that belong to the other chains */
    uint32_t turned;      /* dimension at which a group of words begins a chain */
    uint64_t turned_bits; /* address bits that number the pairs of words in a body */
    bool failed;
};

/* Returns the bits of `number`, lowest first, at the places of the set bits of `mask`. */
static uint64_t spread_bits(uint64_t number, uint64_t mask)
{
    uint64_t spread = 0;
    for (; mask != 0; mask &= mask - 1, number >>= 1)
        if (number & 1)
            spread |= mask & (~mask + 1);
    return spread;
}

/* Returns the chain that contains a dimension. Only one does. */
static const struct cm_chain *chain_of(const struct cm_chains *chains, uint32_t dimension)
{
    for (uint32_t c = 0; c < chains->count; c++)
        for (uint32_t i = 0; i < chains->chains[c].count; i++)
            if (chains->chains[c].dimensions[i] == dimension)
                return &chains->chains[c];
    return NULL;
}

static uint64_t bit_of(const struct cm_chains *chains, uint32_t dimension)
{
    return UINT64_C(1) << chain_of(chains, dimension)->bit;
}

/* Returns the address, relative to REG_AT, of a word that a dimension sends or receives. The word
 * belongs to the group that the dimension serves, and its chain bit is 0. */
static uint64_t word_of(const struct rotation *r, uint32_t dimension, uint64_t combination,
                        uint32_t lane)
{
    const struct cm_chains *chains = r->chains;
    return spread_bits(r->stage->group[dimension], chains->group_bits) |
           spread_bits(combination, chains->chain_bits & ~bit_of(chains, dimension)) |
           (lane ? chains->lane_bit : 0);
}

static struct cm_operand context_register(uint32_t word, uint32_t dimension)
{
    return cm_reg(TABLE_WORDS * dimension + word);
}

/* Emits code that sets the context to the nodes whose table word has a bit for the dimension. A
 * register holds this context. */
static void emit_context(const struct rotation *r, uint32_t word, uint32_t dimension)
{
    CM_EMIT(r->imp, CM_OP_CTXREST, context_register(word, dimension));
}

/* Returns the slot of transposer C for a word that a node keeps. There is a pair of slots for each
 * dimension. */
static struct cm_operand kept_slot(uint32_t dimension, uint32_t lane)
{
    return cm_slot(CM_TRANSPOSER_C, 2 * dimension + lane);
}

/* Emits the move of one word for each lane between memory and slots. `one` is the value of the
 * chain bit in the words' addresses. */
static void emit_words(const struct rotation *r, uint32_t dimension, int64_t at, bool one,
                       enum cm_op op, bool kept)
{
    for (uint32_t lane = 0; lane < r->lanes; lane++) {
        const uint64_t word = word_of(r, dimension, r->combination, lane);
        const uint32_t slot = cm_slot_of_channel(r->config->transposer_slots, dimension, lane);
        const struct cm_operand memory =
            cm_mem(REG_AT, at + (int64_t)(word | (one ? bit_of(r->chains, dimension) : 0)));
        if (op == CM_OP_LOAD)
            CM_EMIT(r->imp, op, kept ? kept_slot(dimension, lane) : cm_slot(CM_TRANSPOSER_A, slot),
                    memory);
        else
            CM_EMIT(r->imp, op, memory,
                    kept ? kept_slot(dimension, lane) : cm_slot(CM_TRANSPOSER_B, slot));
    }
}

static void emit_sends(const struct rotation *r, uint32_t dimension, int64_t at)
{
    emit_words(r, dimension, at, true, CM_OP_LOAD, false);
    emit_words(r, dimension, at, false, CM_OP_LOAD, true);
}

static void emit_receives(const struct rotation *r, uint32_t dimension, int64_t at)
{
    emit_context(r, r->stage->ends >> dimension & 1 ? WORD_ADDRESS : WORD_SUMS, dimension);
    emit_words(r, dimension, at, false, CM_OP_UNLOAD, false);
    emit_words(r, dimension, at, true, CM_OP_UNLOAD, true);
    cm_imp_emit(r->imp, CM_OP_CTXNOT, NULL, 0);
    emit_words(r, dimension, at, true, CM_OP_UNLOAD, false);
}

/* Returns the memory place of a word that waits to cross a dimension of a pair. */
static struct cm_place waiting(uint32_t dimension, uint32_t lane)
{
    return (struct cm_place){REG_SCRATCH, LANES_MAX * (int64_t)dimension + lane};
}

/* Emits the loads of the words that wait at the two dimensions of a pair. */
static void emit_waiting(const struct rotation *r, uint32_t dimension)
{
    const uint32_t pair[2] = {dimension, chain_of(r->chains, dimension)->partner};
    for (uint32_t side = 0; side < 2; side++)
        for (uint32_t lane = 0; lane < r->lanes; lane++) {
            const struct cm_place from = waiting(pair[side], lane);
            const uint32_t slot = cm_slot_of_channel(r->config->transposer_slots, pair[side], lane);
            CM_EMIT(r->imp, CM_OP_LOAD, cm_slot(CM_TRANSPOSER_A, slot),
                    cm_mem(from.reg, from.offset));
        }
}

/* Emits the sends of the words of a pair of dimensions. Words whose chain bit is 0 cross the first
 * dimension first. */
static void emit_pair_sends(const struct rotation *r, uint32_t dimension, int64_t at)
{
    const struct cm_chain *chain = chain_of(r->chains, dimension);
    emit_context(r, WORD_SUMS, dimension);
    for (uint32_t side = 0; side < 2; side++)
        for (uint32_t lane = 0; lane < r->lanes; lane++) {
            const uint64_t word = word_of(r, dimension, r->combination, lane) |
                                  (side ? bit_of(r->chains, dimension) : 0);
            cm_emit_move(r->imp, waiting(side ? chain->partner : dimension, lane),
                         (struct cm_place){REG_AT, at + (int64_t)word}, 1);
        }
    emit_waiting(r, dimension);
}

/* Emits the stores of words that finished their second hop in the previous exchange. */
static void emit_arrivals(const struct rotation *r, uint32_t dimension)
{
    const uint32_t pair[2] = {dimension, chain_of(r->chains, dimension)->partner};
    emit_context(r, WORD_SUMS, dimension);
    for (uint32_t side = 0; side < 2; side++)
        for (uint32_t lane = 0; lane < r->lanes; lane++) {
            const uint64_t word =
                (lane ? r->chains->lane_bit : 0) | (side ? bit_of(r->chains, dimension) : 0);
            const uint32_t slot =
                cm_slot_of_channel(r->config->transposer_slots, pair[1 - side], lane);
            CM_EMIT(r->imp, CM_OP_UNLOAD, cm_mem(REG_BEFORE + dimension, (int64_t)word),
                    cm_slot(CM_TRANSPOSER_B, slot));
        }
}

static void emit_before(const struct rotation *r, uint32_t dimension, unsigned from, int64_t at)
{
    cm_emit_point(r->imp, REG_BEFORE + dimension, from,
                  at + (int64_t)word_of(r, dimension, r->combination, 0));
}

static void emit_pair_receives(const struct rotation *r, uint32_t dimension, int64_t at)
{
    const uint32_t pair[2] = {dimension, chain_of(r->chains, dimension)->partner};
    emit_arrivals(r, dimension);
    cm_imp_emit(r->imp, CM_OP_CTXNOT, NULL, 0);
    for (uint32_t side = 0; side < 2; side++)
        for (uint32_t lane = 0; lane < r->lanes; lane++) {
            const struct cm_place to = waiting(pair[1 - side], lane);
            const uint32_t slot = cm_slot_of_channel(r->config->transposer_slots, pair[side], lane);
            CM_EMIT(r->imp, CM_OP_UNLOAD, cm_mem(to.reg, to.offset),
                    cm_slot(CM_TRANSPOSER_B, slot));
        }
    emit_before(r, dimension, REG_AT, at);
}

/* Serves as the `body` of loops (struct cm_loops): emits an exchange. */
static void emit_body(void *context, int64_t data, int64_t entries)
{
    const struct rotation *r = context;
    (void)entries;
    for (uint32_t d = 0; d < CM_CHAIN_DIMENSIONS; d++) {
        if (r->stage->pairs >> d & 1)
            emit_pair_sends(r, d, data);
        else if (r->stage->group[d] != CM_CHAIN_IDLE)
            emit_sends(r, d, data);
    }
    cm_emit_exchange(r->imp);
    for (uint32_t d = 0; d < CM_CHAIN_DIMENSIONS; d++) {
        if (r->stage->pairs >> d & 1)
            emit_pair_receives(r, d, data);
        else if (r->stage->group[d] != CM_CHAIN_IDLE)
            emit_receives(r, d, data);
    }
}

/* Emits the exchange that sends the last words of pairs on their second hop. */
static void emit_last(const struct rotation *r)
{
    for (uint32_t d = 0; d < CM_CHAIN_DIMENSIONS; d++)
        if (r->stage->pairs >> d & 1)
            emit_waiting(r, d);
    cm_emit_exchange(r->imp);
    for (uint32_t d = 0; d < CM_CHAIN_DIMENSIONS; d++)
        if (r->stage->pairs >> d & 1)
            emit_arrivals(r, d);
}

/* Serves as the `body` of loops (struct cm_loops): swaps words in pairs, one pair for each value of
 * some address bits. */
static void emit_turn(void *context, int64_t data, int64_t entries)
{
    const struct rotation *r = context;
    const uint32_t count = UINT32_C(1) << __builtin_popcountll(r->turned_bits);
    const uint64_t one = bit_of(r->chains, r->turned);
    (void)entries;
    for (uint32_t i = 0; i < 4 * count; i++) {
        const uint32_t side = i / count % 2;
        const uint64_t word =
            word_of(r, r->turned, 0, 0) | (side ? one : 0) | spread_bits(i % count, r->turned_bits);
        const struct cm_operand memory = cm_mem(REG_AT, data + (int64_t)word);
        if (i < 2 * count)
            CM_EMIT(r->imp, CM_OP_LOAD, cm_slot(CM_TRANSPOSER_C, i), memory);
        else
            CM_EMIT(r->imp, CM_OP_UNLOAD, memory,
                    cm_slot(CM_TRANSPOSER_C, (1 - side) * count + i % count));
    }
}

/* Loads the contexts of all dimensions into registers, because reading them from memory would leave
 * the page. */
static void emit_table(const struct rotation *r)
{
    for (uint32_t d = 0; d < CM_CHAIN_DIMENSIONS; d++)
        for (uint32_t word = 0; word < TABLE_WORDS && chain_of(r->chains, d); word++) {
            CM_EMIT(r->imp, CM_OP_CTXLOAD, cm_mem(REG_TABLE, word), cm_value(d));
            CM_EMIT(r->imp, CM_OP_CTXSAVE, context_register(word, d));
        }
    cm_imp_emit(r->imp, CM_OP_CTXALL, NULL, 0);
}

static bool begin(struct rotation *r)
{
    r->imp = cm_emit_begin("transpose", "table array scratch");
    r->failed = r->failed || r->imp == NULL;
    if (r->imp != NULL)
        emit_table(r);
    return r->imp != NULL;
}

static void end(struct rotation *r)
{
    if (r->imp == NULL)
        return;
    cm_imp_emit(r->imp, CM_OP_CTXALL, NULL, 0);
    if (cm_compiled_add(r->compiled, cm_emit_end(r->imp), NULL) != CM_OK)
        r->failed = true;
    r->imp = NULL;
}

static void emit_loops(struct rotation *r, struct cm_loops *loops, uint64_t bits)
{
    loops->data = REG_AT;
    loops->context = r;
    cm_emit_point(r->imp, REG_AT, REG_ARRAY, 0);
    cm_loops_add(loops, bits, 0, 1, 0);
    cm_loops_emit(loops, r->imp);
}

/* Begins another IMP if the present IMP fills a part of the SRAM. Returns false if out of memory.
 */
static bool make_room(struct rotation *r)
{
    if (r->imp->length <= r->config->sequencer_sram_words / 8)
        return true;
    end(r);
    return begin(r);
}

/* Emits the swaps of words in the groups that begin a chain. */
static void emit_turns(struct rotation *r)
{
    const struct cm_chains *chains = r->chains;
    for (r->turned = 0; !r->failed && r->turned < CM_CHAIN_DIMENSIONS; r->turned++) {
        struct cm_loops loops = {.bodies = 1, .body = emit_turn};
        if (!((r->stage->begins & ~r->stage->pairs) >> r->turned & 1) || !make_room(r))
            continue;
        uint64_t bits = chains->walk_bits | chains->lane_bit |
                        (chains->chain_bits & ~bit_of(chains, r->turned));
        r->turned_bits = 0;
        for (uint32_t i = 0; i < TURN_BITS && bits != 0 && (4u << i) <= r->config->transposer_slots;
             i++) {
            r->turned_bits |= bits & (~bits + 1);
            bits &= bits - 1;
        }
        emit_context(r, WORD_ADDRESS, r->turned);
        emit_loops(r, &loops, bits);
    }
}

static void emit_stage(struct rotation *r)
{
    const uint32_t others = (uint32_t)__builtin_popcountll(r->chains->chain_bits) - 1;
    emit_turns(r);
    for (r->combination = 0; !r->failed && r->combination >> others == 0; r->combination++) {
        struct cm_loops loops = {.bodies = 1, .body = emit_body};
        if (!make_room(r))
            return;
        for (uint32_t d = 0; d < CM_CHAIN_DIMENSIONS; d++)
            if (r->stage->pairs >> d & 1)
                emit_before(r, d, REG_ARRAY, 0);
        emit_loops(r, &loops, r->chains->walk_bits);
        if (r->stage->pairs != 0)
            emit_last(r);
    }
}

/* Returns the dimension after `dimension` in its chain. After the last dimension of a closed chain
 * this is the first. In a pair it is the other dimension. */
static uint32_t next_dimension(const struct cm_chain *chain, uint32_t dimension)
{
    uint32_t at = 0;
    if (chain->partner != CM_CHAIN_NO_PARTNER)
        return chain->partner;
    while (chain->dimensions[at] != dimension)
        at++;
    return chain->dimensions[(at + 1) % chain->count];
}

static void fill_table(const void *context, uint32_t nodes, uint32_t *planes)
{
    const struct cm_chains *chains = context;
    for (uint32_t node = 0; node < nodes; node++)
        planes[(size_t)WORD_ADDRESS * nodes + node] = node;
    for (uint32_t d = 0; d < CM_CHAIN_DIMENSIONS; d++) {
        const struct cm_chain *chain = chain_of(chains, d);
        const uint32_t next = chain ? next_dimension(chain, d) : d;
        for (uint32_t node = 0; node < nodes; node++)
            planes[(size_t)WORD_SUMS * nodes + node] |= ((node >> d ^ node >> next) & 1) << d;
    }
}

bool cm_chains_can_run(const struct cm_chains *chains, const struct cm_config *config)
{
    const uint64_t bits = chains->walk_bits | chains->lane_bit | chains->chain_bits;
    uint32_t dimensions = 0; /* number of cube dimensions up to the highest that a chain uses */
    for (uint32_t d = 0; d < CM_CHAIN_DIMENSIONS; d++)
        if (chain_of(chains, d) != NULL)
            dimensions = d + 1;
    return (uint32_t)__builtin_popcountll(bits & ~(bits << 1)) < config->sequencer_loop_depth &&
           TABLE_WORDS * dimensions <= CM_FPU_REGISTERS;
}

enum cm_status cm_chains_compile(struct cm_system *system, const struct cm_chains *chains,
                                 struct cm_compiled *compiled, struct cm_error *err)
{
    struct rotation r = {.config = cm_machine_config(system->machine),
                         .chains = chains,
                         .compiled = compiled,
                         .lanes = chains->lane_bit ? 2 : 1};
    /* at most two words wait at each dimension */
    compiled->scratch = (struct cm_scratch){(uint64_t)LANES_MAX * CM_CHAIN_DIMENSIONS, REG_SCRATCH,
                                            "the scratch memory of a transpose"};
    if (!begin(&r))
        return cm_error_no_memory(err);
    for (uint32_t s = 0; !r.failed && s < chains->stages.count; s++) {
        r.stage = &chains->stages.items[s];
        emit_stage(&r);
    }
    end(&r);
    if (r.failed)
        return cm_error_no_memory(err);
    enum cm_status status = cm_compiled_table(
        system, compiled,
        &(struct cm_table_request){TABLE_WORDS, "the table of a transpose", fill_table, chains},
        err);
    return status == CM_OK ? cm_compiled_try(system, compiled, err) : status;
}

enum cm_status cm_chains_run(struct cm_system *system, const struct cm_compiled *compiled,
                             uint64_t array, struct cm_error *err)
{
    /* the address of the scratch memory is filled in by cm_compiled_run */
    struct cm_actual actuals[REG_AT] = {
        [REG_TABLE] = {.address = compiled->table}, [REG_ARRAY] = {.address = array}};
    return cm_compiled_run(system, compiled, actuals, CM_ENTRY_RUNTIME, err);
}
