/*
 * One-to-all broadcast over d edge-disjoint binomial trees (Johnsson and Ho, Optimum broadcasting
 * and personalized communication in hypercubes, IEEE Transactions on Computers 38, 1989).
 *
 * Let c be a node's address xor the root's address. Tree j goes from the root to the node 2^j. From
 * there a binomial tree spans the nodes whose bit j is 1. Each of these nodes except 2^j has one
 * more child, its last child, over dimension j. So each node receives the words of every tree over
 * a different dimension, and sends them over a different dimension.
 *
 * Part j of the block goes down tree j, one chunk in each exchange. A node sends on the words that
 * came in the exchange before. So chunk q reaches a node of level l in exchange q + l, and is
 * stored in place q + l of a buffer. At the end the node moves its words down by its level. The
 * tree whose words a node sends over a dimension depends on the node, so transposer C permutes the
 * words of a chunk.
 */
#include "alltoall_private.h"

#define GROUP_MAX 8u /* limit on the chunks that are moved together */

/* Bytes of a table word. Word k has the slot of transposer C whose word leaves over dimension k,
 * and the slot of transposer B where the words of tree k arrive. After these words, the table has
 * the node's level in each tree, and a flag that is 1 in nodes that are not the root. */
enum { FIELD_OUT, FIELD_IN };

static uint64_t levels_at(const struct cm_alltoall *own)
{
    return own->parts;
}

static uint64_t not_root_at(const struct cm_alltoall *own)
{
    return 2 * (uint64_t)own->parts;
}

static uint64_t chunks_of(const struct cm_alltoall *own)
{
    return (own->task.words + own->chunk - 1) / own->chunk;
}

/* Returns the number of bits of the highest level in a tree. */
static uint32_t level_bits(const struct cm_alltoall *own)
{
    uint32_t bits = 0;
    while (cm_alltoall_tree_height(own->task.dimensions) >> bits != 0)
        bits++;
    return bits;
}

/* Returns the number of chunks that are moved together: as many as fit into the registers, next to
 * the units over which they move. */
static uint32_t group_of(const struct cm_alltoall *own)
{
    const uint32_t most = CM_FPU_REGISTERS + 1 - (1u << level_bits(own));
    return most < GROUP_MAX ? most : GROUP_MAX;
}

/* Returns the number of chunks of the buffer: the chunks that arrive, and chunks after them that
 * the last group reads. */
static uint64_t buffer_chunks(const struct cm_alltoall *own)
{
    return chunks_of(own) + (UINT64_C(1) << level_bits(own));
}

uint64_t cm_alltoall_tree_words(const struct cm_alltoall *own)
{
    return (buffer_chunks(own) + 1) * own->chunk;
}

uint64_t cm_alltoall_tree_table(const struct cm_alltoall *own)
{
    return not_root_at(own) + 1;
}

/* Returns the dimension over which the words of a tree reach node c. For the root (c = 0) the
 * result has no meaning. */
static uint32_t dimension_in(uint32_t d, uint32_t c, uint32_t tree)
{
    uint32_t k = tree;
    if (!(c >> tree & 1))
        return tree;
    do
        k = (k + d - 1) % d;
    while (!(c >> k & 1));
    return k;
}

/* Returns the tree whose words node c sends over a dimension. If the dimension leads to the root,
 * the result may be any tree. */
static uint32_t tree_out(uint32_t d, uint32_t c, uint32_t dimension)
{
    const uint32_t to = c ^ UINT32_C(1) << dimension;
    uint32_t tree = 0;
    while (tree + 1 < d && dimension_in(d, to, tree) != dimension)
        tree++;
    return tree;
}

static uint32_t level_of(uint32_t c, uint32_t tree)
{
    uint32_t ones = 0;
    for (uint32_t rest = c; rest != 0; rest &= rest - 1)
        ones++;
    if (c == 0)
        return 0;
    /* where bit `tree` is 0: one more than the level of the parent, which has one bit more */
    return (c >> tree & 1) ? ones : ones + 2;
}

void cm_alltoall_fill_trees(const struct cm_alltoall_table *table, uint32_t nodes, uint32_t *planes)
{
    const struct cm_alltoall *own = table->own;
    const uint32_t d = own->task.dimensions, slots = table->config->transposer_slots;
    for (uint32_t node = 0; node < nodes; node++) {
        const uint32_t address = node >> own->task.first_dimension & ((UINT32_C(1) << d) - 1);
        const uint32_t c = address ^ own->task.root;
        for (uint32_t k = 0; k < d; k++) {
            const uint32_t in = own->task.first_dimension + dimension_in(d, c, k);
            planes[(size_t)k * nodes + node] = cm_slot_of_channel(slots, tree_out(d, c, k), 0)
                                                   << 8 * FIELD_OUT |
                                               cm_slot_of_channel(slots, in, 0) << 8 * FIELD_IN;
            planes[(levels_at(own) + k) * nodes + node] = level_of(c, k);
        }
        planes[not_root_at(own) * nodes + node] = c != 0;
    }
}

/* Emits the loads of the chunk at REG_BLOCK into its slots of transposer A. The words go through
 * transposer C and memory, to be sorted by dimension. */
static void emit_send(const struct cm_alltoall_compiler *c)
{
    const struct cm_alltoall *own = c->own;
    const uint32_t slots = c->config->transposer_slots, channels = own->channels;
    const int64_t sorted = (int64_t)(buffer_chunks(own) * own->chunk);
    for (uint32_t w = 0; w < own->chunk; w++)
        CM_EMIT(c->imp, CM_OP_LOAD,
                cm_slot(CM_TRANSPOSER_C, cm_slot_of_channel(slots, w / channels, w % channels)),
                cm_mem(REG_BLOCK, w));
    for (uint32_t w = 0; w < own->chunk; w++)
        CM_EMIT(c->imp, CM_OP_UNLOADI, cm_mem(ADDRESS_WORK, sorted + w), cm_reg(CM_TRANSPOSER_C),
                cm_mem(ADDRESS_TABLES, w / channels), cm_value(FIELD_OUT), cm_value(w % channels));
    for (uint32_t k = 0; k < own->parts; k++)
        cm_emit_send(c->imp, c->config, own->task.first_dimension + k,
                     (struct cm_place){ADDRESS_WORK, sorted + k * channels}, channels);
}

/* Emits an exchange of the trees. Arriving words go to the next chunk of the buffer, except in the
 * root, which has its own words there. */
static void emit_exchange(const struct cm_alltoall_compiler *c)
{
    const struct cm_alltoall *own = c->own;
    const uint32_t channels = own->channels;
    emit_send(c);
    cm_emit_exchange(c->imp);
    CM_EMIT(c->imp, CM_OP_CTXLOAD, cm_mem(ADDRESS_TABLES, (int64_t)not_root_at(own)), cm_value(0));
    for (uint32_t w = 0; w < own->chunk; w++)
        CM_EMIT(c->imp, CM_OP_UNLOADI, cm_mem(REG_BLOCK, (int64_t)own->chunk + w),
                cm_reg(CM_TRANSPOSER_B), cm_mem(ADDRESS_TABLES, w / channels), cm_value(FIELD_IN),
                cm_value(w % channels));
    cm_imp_emit(c->imp, CM_OP_CTXALL, NULL, 0);
}

/* Row: the units of a part, one in each chunk. A node moves them down in the buffer by its level.
 */
struct row {
    uint32_t part;
    bool wide;
};

/* Emits the move of `count` units from REG_FROM to REG_TO, down by the node's level in the tree. */
static void emit_group(const struct cm_alltoall_compiler *c, const struct row *row, uint32_t count)
{
    const struct cm_alltoall *own = c->own;
    const uint32_t bits = level_bits(own);
    const int64_t level = (int64_t)levels_at(own) + row->part;
    uint32_t held = count + (1u << bits) - 1;
    for (uint32_t i = 0; i < held; i++)
        CM_EMIT(c->imp, row->wide ? CM_OP_FLOAD64 : CM_OP_FLOAD32, cm_reg(i),
                cm_mem(REG_FROM, (int64_t)(i * own->chunk)));
    for (uint32_t bit = 0; bit < bits; bit++) {
        CM_EMIT(c->imp, CM_OP_CTXLOAD, cm_mem(ADDRESS_TABLES, level), cm_value(bit));
        held -= 1u << bit;
        for (uint32_t i = 0; i < held; i++)
            CM_EMIT(c->imp, row->wide ? CM_OP_FSEL64 : CM_OP_FSEL32, cm_reg(i),
                    cm_reg(i + (1u << bit)), cm_reg(i));
    }
    cm_imp_emit(c->imp, CM_OP_CTXALL, NULL, 0);
    for (uint32_t i = 0; i < count; i++)
        CM_EMIT(c->imp, row->wide ? CM_OP_FSTORE64 : CM_OP_FSTORE32,
                cm_mem(REG_TO, (int64_t)(i * own->chunk)), cm_reg(i));
}

/* Emits the moves of `units` units of a row, from chunk `first` on. */
static void emit_row(const struct cm_alltoall_compiler *c, const struct row *row, uint64_t first,
                     uint64_t units)
{
    const struct cm_alltoall *own = c->own;
    const int64_t start = (int64_t)(first * own->chunk + (uint64_t)row->part * own->channels);
    const uint32_t group = group_of(own);
    const int64_t groups = (int64_t)(units / group), words = (int64_t)(group * own->chunk);
    uint32_t loop = 0;
    cm_emit_point(c->imp, REG_FROM, ADDRESS_WORK, start);
    cm_emit_point(c->imp, REG_TO, ADDRESS_DST, start);
    if (groups > 1)
        loop = CM_EMIT(c->imp, CM_OP_LOOP, cm_value(groups));
    if (groups > 0) {
        emit_group(c, row, group);
        cm_emit_advance(c->imp, REG_FROM, words);
        cm_emit_advance(c->imp, REG_TO, words);
    }
    if (groups > 1)
        cm_emit_next(c->imp, loop);
    if (units % group > 0)
        emit_group(c, row, (uint32_t)(units % group));
}

struct cm_imp *cm_alltoall_compile_trees(const struct cm_config *config,
                                         const struct cm_alltoall *own)
{
    const struct cm_alltoall_compiler c = {cm_emit_begin("trees", CM_ALLTOALL_ARGUMENTS), config,
                                           own};
    const uint64_t exchanges = chunks_of(own) + cm_alltoall_tree_height(own->task.dimensions) - 1;
    if (!c.imp)
        return NULL;
    cm_emit_move(c.imp, (struct cm_place){ADDRESS_WORK, 0}, (struct cm_place){ADDRESS_SRC, 0},
                 own->task.words);
    cm_emit_point(c.imp, REG_BLOCK, ADDRESS_WORK, 0);
    const uint32_t loop = CM_EMIT(c.imp, CM_OP_LOOP, cm_value((int64_t)exchanges));
    emit_exchange(&c);
    cm_emit_advance(c.imp, REG_BLOCK, (int64_t)own->chunk);
    cm_emit_next(c.imp, loop);
    for (uint32_t part = 0; part < own->parts; part++) {
        const struct cm_alltoall_units units = cm_alltoall_units(own, part);
        const struct row row = {part, own->channels == 2}, last = {part, false};
        if (units.whole > 0)
            emit_row(&c, &row, 0, units.whole);
        if (units.single)
            emit_row(&c, &last, units.whole, 1);
    }
    return cm_emit_end(c.imp);
}
