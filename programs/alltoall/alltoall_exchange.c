/*
 * Emits the exchanges of all-to-all communication. Blocks are numbered by position, the same in
 * every node. The word at position p comes from, or is for, the node whose address differs from the
 * node's own by the rotated p. A chunk of a block crosses in each exchange: for each part one word
 * for each channel. Part i goes over dimension (stage + i) mod d, so no two words share a channel.
 */
#include "alltoall_private.h"

#include "../system/loops.h"

#define UNROLLED 4u /* exchanges in an iteration of a loop */

/* Crossing of a chunk of a block: its number of words, and the places where they are read and
 * stored. */
struct crossing {
    const struct cm_alltoall_compiler *c;
    uint64_t words;
    uint32_t stage; /* dimension that part 0 crosses */
    int64_t from, to;
    /* True if only nodes whose address differs from the root's in the dimension store the words. */
    bool chosen;
};

static uint64_t words_of_part(const struct crossing *crossing, uint32_t part)
{
    const uint32_t channels = crossing->c->own->channels;
    const uint64_t first = (uint64_t)part * channels;
    if (first >= crossing->words)
        return 0;
    return crossing->words - first < channels ? crossing->words - first : channels;
}

static uint32_t dimension_of(const struct cm_alltoall *own, uint32_t stage, uint32_t part)
{
    return own->task.first_dimension + (stage + part) % own->task.dimensions;
}

static struct cm_place place_of(const struct crossing *crossing, int64_t offset, uint32_t part)
{
    return (struct cm_place){REG_BLOCK, offset + (int64_t)(part * crossing->c->own->channels)};
}

/* Serves as the `body` of loops (struct cm_loops): emits one crossing. */
static void emit_crossing(void *context, int64_t at, int64_t entries)
{
    const struct crossing *crossing = context;
    const struct cm_alltoall_compiler *c = crossing->c;
    (void)entries;
    for (uint32_t i = 0; i < c->own->parts; i++)
        cm_emit_send(c->imp, c->config, dimension_of(c->own, crossing->stage, i),
                     place_of(crossing, crossing->from + at, i),
                     (uint32_t)words_of_part(crossing, i));
    cm_emit_exchange(c->imp);
    for (uint32_t i = 0; i < c->own->parts; i++) {
        if (crossing->chosen)
            CM_EMIT(c->imp, CM_OP_CTXREST, cm_reg((crossing->stage + i) % c->own->parts));
        cm_emit_receive(c->imp, c->config, dimension_of(c->own, crossing->stage, i),
                        place_of(crossing, crossing->to + at, i),
                        (uint32_t)words_of_part(crossing, i));
    }
}

/* Emits the crossing of a chunk, whose dimensions each node reads from the table. */
static void emit_crossing_by_table(const struct crossing *crossing)
{
    const struct cm_alltoall_compiler *c = crossing->c;
    for (uint32_t i = 0; i < c->own->parts; i++)
        cm_emit_send_by(c->imp, (struct cm_place){REG_TABLE, i},
                        place_of(crossing, crossing->from, i),
                        (uint32_t)words_of_part(crossing, i));
    cm_emit_exchange(c->imp);
    for (uint32_t i = 0; i < c->own->parts; i++)
        cm_emit_receive_by(c->imp, (struct cm_place){REG_TABLE, i},
                           place_of(crossing, crossing->to, i),
                           (uint32_t)words_of_part(crossing, i));
}

/* Emits `steps` steps around the Hamiltonian cycles, for blocks from address register REG_BLOCK on.
 */
static void emit_cycle_steps(const struct cm_alltoall_compiler *c, uint64_t words, uint32_t steps)
{
    const int64_t block = (int64_t)c->own->task.words;
    for (uint32_t i = 0; i < steps; i++) {
        if (cm_alltoall_departs(c->own) && words == c->own->chunk) {
            cm_alltoall_emit_departure_step(c, i * block, (i + 1) * block);
            continue;
        }
        const struct crossing crossing = {c, words, 0, i * block, (i + 1) * block, false};
        emit_crossing_by_table(&crossing);
    }
}

/* Emits all n - 1 steps of one chunk around the Hamiltonian cycles. A node uses the same dimensions
 * in every step. n is a multiple of four. */
static void emit_cycles(const struct cm_alltoall_compiler *c, uint64_t words)
{
    const int64_t loops = (INT64_C(1) << c->own->task.dimensions) / UNROLLED - 1;
    uint32_t loop = 0;
    cm_emit_point(c->imp, REG_BLOCK, REG_CHUNK, 0);
    cm_emit_point(c->imp, REG_TABLE, ADDRESS_TABLES, 0);
    if (cm_alltoall_departs(c->own) && words == c->own->chunk)
        cm_alltoall_emit_departures(c);
    if (loops > 0) {
        loop = CM_EMIT(c->imp, CM_OP_LOOP, cm_value(loops));
        emit_cycle_steps(c, words, UNROLLED);
        cm_emit_advance(c->imp, REG_BLOCK, UNROLLED * (int64_t)c->own->task.words);
        cm_emit_next(c->imp, loop);
    }
    emit_cycle_steps(c, words, UNROLLED - 1);
}

/* Returns the number of the bit that the Gray code changes at step t > 0: the lowest bit of t that
 * is 1. */
static uint32_t changed_at(uint64_t t)
{
    uint32_t bit = 0;
    while (!(t >> bit & 1))
        bit++;
    return bit;
}

/* Emits steps 1 to 2^direct - 1 of the Gray code, for blocks from address register REG_BLOCK on. In
 * step t the words of position t - 1 go to position t. */
static void emit_direct_steps(const struct cm_alltoall_compiler *c, uint64_t words)
{
    const int64_t block = (int64_t)c->own->task.words;
    for (uint64_t t = 1; t < UINT64_C(1) << c->own->direct; t++) {
        struct crossing crossing = {
            c, words, changed_at(t), (int64_t)(t - 1) * block, (int64_t)t * block, false};
        emit_crossing(&crossing, 0, 0);
    }
}

/* Emits all n - 1 steps of one chunk by the Gray code. Every run of 2^direct - 1 steps changes the
 * same bits. The step between two runs changes different bits, and takes its dimensions from a
 * table. */
static void emit_gray(const struct cm_alltoall_compiler *c, uint64_t words)
{
    const struct cm_alltoall *own = c->own;
    const int64_t run = (int64_t)(own->task.words << own->direct);
    const int64_t runs = INT64_C(1) << (own->task.dimensions - own->direct);
    const struct crossing between = {c, words, 0, run - (int64_t)own->task.words, run, false};
    cm_emit_point(c->imp, REG_BLOCK, REG_CHUNK, 0);
    if (runs > 1) {
        cm_emit_point(c->imp, REG_TABLE, ADDRESS_TABLES, 0);
        const uint32_t loop = CM_EMIT(c->imp, CM_OP_LOOP, cm_value(runs - 1));
        emit_direct_steps(c, words);
        emit_crossing_by_table(&between);
        cm_emit_advance(c->imp, REG_BLOCK, run);
        cm_emit_advance(c->imp, REG_TABLE, own->parts);
        cm_emit_next(c->imp, loop);
    }
    emit_direct_steps(c, words);
}

/* Emits loops that repeat a crossing for all positions of a stage. */
static void emit_loops(const struct cm_alltoall_compiler *c, struct crossing *crossing,
                       struct cm_loops *loops)
{
    loops->bodies = UNROLLED;
    loops->data = REG_BLOCK;
    loops->entries = REG_TABLE;
    loops->body = emit_crossing;
    loops->context = crossing;
    cm_emit_point(c->imp, REG_BLOCK, REG_CHUNK, 0);
    cm_loops_emit(loops, c->imp);
}

static void add_level(struct cm_loops *loops, uint64_t count, uint64_t words)
{
    if (count > 1)
        loops->levels[loops->level_count++] =
            (struct cm_loop_level){.count = count, .data = (int64_t)words};
}

/* Emits the dimension exchange of one chunk. In stage k of a broadcast the first 2^k positions are
 * sent to the next 2^k positions. In the personalised form, the positions whose bit k is 1 change
 * places with positions of the neighbour. */
static void emit_rotated(const struct cm_alltoall_compiler *c, uint64_t words)
{
    const struct cm_alltoall_task *task = &c->own->task;
    const bool broadcast = task->kind == CM_ALLTOALL_BROADCAST;
    for (uint32_t k = 0; k < task->dimensions; k++) {
        const uint64_t low = task->words << k;
        struct crossing crossing = {c, words, k, broadcast ? 0 : (int64_t)low, (int64_t)low, false};
        struct cm_loops loops = {0};
        add_level(&loops, UINT64_C(1) << k, task->words);
        if (!broadcast)
            add_level(&loops, UINT64_C(1) << (task->dimensions - k - 1), 2 * low);
        emit_loops(c, &crossing, &loops);
    }
}

/* Emits the stages of one-to-each. In stage k the positions 2^k to 2^(k + 1) - 1 cross dimension k.
 * Nodes whose address differs from the root's in dimension k store them as positions 0 to 2^k - 1.
 */
static void emit_halves(const struct cm_alltoall_compiler *c, uint64_t words)
{
    const struct cm_alltoall_task *task = &c->own->task;
    for (uint32_t k = task->dimensions; k-- > 0;) {
        struct crossing crossing = {c, words, k, (int64_t)(task->words << k), 0, true};
        struct cm_loops loops = {0};
        add_level(&loops, UINT64_C(1) << k, task->words);
        emit_loops(c, &crossing, &loops);
    }
}

/* Emits, into FPU register k for each dimension k, whether the node's address differs from the
 * root's in dimension k. */
static void emit_differences(const struct cm_alltoall_compiler *c)
{
    enum { FPU_NODE = CM_FPU_REGISTERS - 2, FPU_BITS };
    const struct cm_alltoall_task *task = &c->own->task;
    CM_EMIT(c->imp, CM_OP_NODEID, cm_reg(FPU_NODE));
    CM_EMIT(c->imp, CM_OP_FCONST, cm_reg(FPU_BITS), cm_word(task->root << task->first_dimension));
    CM_EMIT(c->imp, CM_OP_IXOR, cm_reg(FPU_NODE), cm_reg(FPU_NODE), cm_reg(FPU_BITS));
    for (uint32_t k = 0; k < task->dimensions; k++) {
        CM_EMIT(c->imp, CM_OP_FCONST, cm_reg(FPU_BITS),
                cm_word(UINT32_C(1) << (task->first_dimension + k)));
        CM_EMIT(c->imp, CM_OP_IAND, cm_reg(k), cm_reg(FPU_NODE), cm_reg(FPU_BITS));
    }
}

/* Emits the chunks of a block one after the other, each by `emit`. */
static void emit_chunks(const struct cm_alltoall_compiler *c, unsigned blocks,
                        void (*emit)(const struct cm_alltoall_compiler *c, uint64_t words))
{
    const uint64_t full = c->own->task.words / c->own->chunk;
    const uint64_t rest = c->own->task.words % c->own->chunk;
    uint32_t loop = 0;
    cm_emit_point(c->imp, REG_CHUNK, blocks, 0);
    if (full > 1)
        loop = CM_EMIT(c->imp, CM_OP_LOOP, cm_value((int64_t)full));
    if (full > 0) {
        emit(c, c->own->chunk);
        cm_emit_advance(c->imp, REG_CHUNK, (int64_t)c->own->chunk);
    }
    if (full > 1)
        cm_emit_next(c->imp, loop);
    if (rest > 0)
        emit(c, rest);
}

/* Emits the crossing of consecutive words over one dimension, from REG_BLOCK on. Leaves REG_BLOCK
 * at the end of these words. */
static void emit_words(struct crossing *crossing, uint64_t words)
{
    const struct cm_alltoall_compiler *c = crossing->c;
    const uint64_t exchanges = words / c->own->chunk, loops = exchanges / UNROLLED;
    const int64_t step = (int64_t)c->own->chunk;
    uint32_t loop = 0;
    crossing->words = c->own->chunk;
    if (loops > 1)
        loop = CM_EMIT(c->imp, CM_OP_LOOP, cm_value((int64_t)loops));
    for (uint32_t k = 0; loops > 0 && k < UNROLLED; k++)
        emit_crossing(crossing, k * step, 0);
    if (loops > 0)
        cm_emit_advance(c->imp, REG_BLOCK, UNROLLED * step);
    if (loops > 1)
        cm_emit_next(c->imp, loop);
    const uint64_t left = exchanges % UNROLLED;
    for (uint64_t k = 0; k < left; k++)
        emit_crossing(crossing, (int64_t)k * step, 0);
    crossing->words = words % c->own->chunk;
    if (crossing->words > 0)
        emit_crossing(crossing, (int64_t)left * step, 0);
}

/* Emits the dimension exchange that uses one dimension at a time. */
static void emit_butterfly(const struct cm_alltoall_compiler *c, unsigned blocks)
{
    const struct cm_alltoall_task *task = &c->own->task;
    const bool broadcast = task->kind == CM_ALLTOALL_BROADCAST;
    for (uint32_t k = 0; k < task->dimensions; k++) {
        const int64_t low = (int64_t)(task->words << k);
        const int64_t rows = broadcast ? 1 : INT64_C(1) << (task->dimensions - k - 1);
        struct crossing crossing = {c, 0, k, broadcast ? 0 : low, low, false};
        uint32_t loop = 0;
        cm_emit_point(c->imp, REG_CHUNK, blocks, 0);
        if (rows > 1)
            loop = CM_EMIT(c->imp, CM_OP_LOOP, cm_value(rows));
        cm_emit_point(c->imp, REG_BLOCK, REG_CHUNK, 0);
        emit_words(&crossing, (uint64_t)low);
        if (rows > 1) {
            cm_emit_advance(c->imp, REG_CHUNK, 2 * low);
            cm_emit_next(c->imp, loop);
        }
    }
}

struct cm_imp *cm_alltoall_compile_halves(const struct cm_config *config,
                                          const struct cm_alltoall *own)
{
    const struct cm_alltoall_task *task = &own->task;
    const struct cm_alltoall_compiler c = {cm_emit_begin("one-to-each", CM_ALLTOALL_ARGUMENTS),
                                           config, own};
    if (!c.imp)
        return NULL;
    if (!cm_alltoall_reorders(own))
        cm_emit_move(c.imp, (struct cm_place){ADDRESS_WORK, 0}, (struct cm_place){ADDRESS_SRC, 0},
                     task->words << task->dimensions);
    if (task->dimensions > 0) {
        emit_differences(&c);
        emit_chunks(&c, ADDRESS_WORK, emit_halves);
        cm_imp_emit(c.imp, CM_OP_CTXALL, NULL, 0);
    }
    cm_emit_move(c.imp, (struct cm_place){ADDRESS_DST, 0}, (struct cm_place){ADDRESS_WORK, 0},
                 task->words);
    return cm_emit_end(c.imp);
}

struct cm_imp *cm_alltoall_compile_exchanges(const struct cm_config *config,
                                             const struct cm_alltoall *own)
{
    static void (*const steps[CM_ALLTOALL_ALGORITHMS])(const struct cm_alltoall_compiler *c,
                                                       uint64_t words) = {
        [CM_ALLTOALL_GRAY] = emit_gray,
        [CM_ALLTOALL_ROTATED] = emit_rotated,
        [CM_ALLTOALL_HAMILTONIAN] = emit_cycles,
    };
    const struct cm_alltoall_task *task = &own->task;
    const bool works = cm_alltoall_reorders(own);
    const unsigned blocks = works ? ADDRESS_WORK : ADDRESS_DST;
    const struct cm_alltoall_compiler c = {cm_emit_begin("all-to-all", CM_ALLTOALL_ARGUMENTS),
                                           config, own};
    if (!c.imp)
        return NULL;
    if (task->kind == CM_ALLTOALL_BROADCAST)
        cm_emit_move(c.imp, (struct cm_place){blocks, 0}, (struct cm_place){ADDRESS_SRC, 0},
                     task->words);
    else if (!works)
        cm_emit_move(c.imp, (struct cm_place){blocks, 0}, (struct cm_place){ADDRESS_SRC, 0},
                     task->words << task->dimensions);
    if (task->algorithm == CM_ALLTOALL_BUTTERFLY)
        emit_butterfly(&c, blocks);
    else if (task->dimensions > 0)
        emit_chunks(&c, blocks, steps[task->algorithm]);
    return cm_emit_end(c.imp);
}

uint32_t cm_alltoall_direct_steps(const struct cm_alltoall *own, uint64_t words)
{
    const uint64_t full = own->task.words >= own->chunk ? 4 * own->chunk + 1 : 0;
    const uint64_t rest =
        own->task.words % own->chunk > 0 ? 4 * (own->task.words % own->chunk) + 1 : 0;
    uint32_t direct = own->task.dimensions;
    while (direct > 0 && (full + rest) * ((UINT64_C(2) << direct) - 2) > words)
        direct--;
    return direct;
}

uint64_t cm_alltoall_step_table(const struct cm_alltoall *own)
{
    if (own->task.kind == CM_ALLTOALL_ONE_TO_ALL)
        return own->task.dimensions > 0 ? cm_alltoall_tree_table(own) : 0;
    if (own->task.algorithm == CM_ALLTOALL_HAMILTONIAN)
        return own->parts + (cm_alltoall_reorders(own)  ? own->parts
                             : cm_alltoall_departs(own) ? own->task.dimensions
                                                        : 0);
    if (own->task.algorithm != CM_ALLTOALL_GRAY)
        return 0;
    return ((UINT64_C(1) << (own->task.dimensions - own->direct)) - 1) * own->parts;
}

/* Fills in the table words for the step between two runs of the Gray code: the dimension of each
 * part. */
static void fill_gray(const struct cm_alltoall_table *table, uint32_t nodes, uint32_t *planes)
{
    const struct cm_alltoall *own = table->own;
    for (uint64_t word = 0; word < own->table_words; word++) {
        const uint32_t stage = own->direct + changed_at(word / own->parts + 1);
        const uint32_t dimension = dimension_of(own, stage, (uint32_t)(word % own->parts));
        const uint32_t slots =
            cm_hop_sends(table->config, dimension) | cm_hop_receives(table->config, dimension);
        for (uint32_t node = 0; node < nodes; node++)
            planes[word * nodes + node] = slots;
    }
}

/* Fills in the dimensions over which each node sends and receives along the cycle of each part. */
static void fill_cycles(const struct cm_alltoall_table *table, uint32_t nodes, uint32_t *planes)
{
    const struct cm_alltoall *own = table->own;
    const uint32_t first = own->task.first_dimension;
    const uint32_t mask = (UINT32_C(1) << own->task.dimensions) - 1;
    for (uint32_t part = 0; part < own->parts; part++)
        for (uint32_t node = 0; node < nodes; node++) {
            const struct cm_alltoall_turn turn = cm_alltoall_turn(own, part, node >> first & mask);
            planes[(size_t)part * nodes + node] = cm_hop_sends(table->config, first + turn.out) |
                                                  cm_hop_receives(table->config, first + turn.in);
        }
    if (cm_alltoall_reorders(own))
        cm_alltoall_fill_places(own, nodes, planes + (size_t)own->parts * nodes);
    if (cm_alltoall_departs(own))
        cm_alltoall_fill_departures(table, nodes, planes + (size_t)own->parts * nodes);
}

void cm_alltoall_fill_table(const void *context, uint32_t nodes, uint32_t *planes)
{
    const struct cm_alltoall_table *table = context;
    if (table->own->task.kind == CM_ALLTOALL_ONE_TO_ALL)
        cm_alltoall_fill_trees(table, nodes, planes);
    else if (table->own->task.algorithm == CM_ALLTOALL_HAMILTONIAN)
        fill_cycles(table, nodes, planes);
    else
        fill_gray(table, nodes, planes);
}
