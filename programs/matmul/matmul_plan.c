/* Plans a matrix product: chunks, groups, hops, numbers of exchanges, and tables. */
#include "matmul_private.h"

#include <string.h>

static uint64_t quotient(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* True if two axes have their blocks in the same nodes. */
static bool same_nodes(const struct cm_axis *a, const struct cm_axis *b)
{
    return a->node_bits == b->node_bits && a->local_length == b->local_length &&
           (a->node_bits == 0 || a->order == b->order);
}

/* Computes the layout of a side (A or B) on the grid of C, with its axis of k cut into chunks. */
static void lay_side(struct cm_matmul *own, uint32_t number)
{
    struct cm_side *side = &own->sides[number];
    const struct cm_layout *layout = number == 0 ? &own->task.a : &own->task.b;
    const struct cm_layout *c = &own->task.c;
    const uint32_t along = 1 - number;
    const uint32_t bits = c->axes[along].node_bits;
    const uint32_t most = (uint32_t)larger(c->axes[0].node_bits, c->axes[1].node_bits);
    side->across = c->axes[number];
    side->along = c->axes[along];
    side->chunks = UINT64_C(1) << (most - bits);
    side->along.length = layout->axes[along].length;
    side->along.local_length = side->chunks * own->depth;
    side->along.padded = side->along.length < side->along.local_length << bits;
    side->aligned = same_nodes(&side->along, &layout->axes[along]) &&
                    same_nodes(&side->across, &layout->axes[number]);
    side->padding_count = cm_ranges_find(&side->along, side->along.length,
                                         side->along.local_length << bits, side->padding);
    side->chunk_words = own->depth * side->across.local_length * own->task.c.slices;
    side->chunk_units = quotient(side->chunk_words, own->channels);
    side->block_units = quotient(side->chunks * side->chunk_words, own->channels);
}

static uint64_t find_hops(const struct cm_side *side, int64_t groups, struct cm_hops *hops)
{
    cm_hops_find(&side->along, -(groups << side->group_bits), hops);
    return hops->count;
}

/* Counts the exchanges of a shift by `groups` groups. The hops of both sides run at the same time.
 */
static uint64_t count_shift(const struct cm_matmul *own, int64_t groups)
{
    struct cm_hops hops;
    uint64_t counts[2], exchanges = 0;
    for (uint32_t s = 0; s < 2; s++)
        counts[s] = find_hops(&own->sides[s], groups, &hops);
    for (uint64_t h = 0; h < larger(counts[0], counts[1]); h++)
        exchanges += larger(h < counts[0] ? own->sides[0].block_units : 0,
                            h < counts[1] ? own->sides[1].block_units : 0);
    return exchanges;
}

static uint64_t count_spread(const struct cm_side *side)
{
    return side->group_bits == 0 ? 0 : side->chunk_units + side->group_bits - 1;
}

static uint64_t steps_of(const struct cm_matmul *own)
{
    return own->sides[0].chunks << own->sides[0].along.node_bits;
}

static void set_groups(struct cm_matmul *own, uint32_t cannon_bits)
{
    own->cannon_bits = cannon_bits;
    for (uint32_t s = 0; s < 2; s++)
        own->sides[s].group_bits = own->sides[s].along.node_bits - cannon_bits;
    own->exchanges =
        steps_of(own) * larger(count_spread(&own->sides[0]), count_spread(&own->sides[1]));
    for (uint32_t b = 0; b < cannon_bits; b++)
        own->exchanges += count_shift(own, INT64_C(1) << b);
    own->exchanges += ((UINT64_C(1) << cannon_bits) - 1) * count_shift(own, 1);
}

struct cm_alltoall_task cm_matmul_gather_task(const struct cm_matmul *own, uint32_t side)
{
    const struct cm_side *from = &own->sides[side];
    return (struct cm_alltoall_task){.kind = CM_ALLTOALL_BROADCAST,
                                     .algorithm = CM_ALLTOALL_GRAY,
                                     .order = CM_ALLTOALL_BY_SOURCE,
                                     .words = from->chunks * from->chunk_words,
                                     .first_dimension = from->along.first_dimension,
                                     .dimensions = from->along.node_bits};
}

static uint64_t count_gathers(const struct cm_matmul *own)
{
    uint64_t exchanges = 0;
    for (uint32_t s = 0; s < 2; s++) {
        const struct cm_alltoall_task task = cm_matmul_gather_task(own, s);
        if (task.dimensions > 0)
            exchanges += cm_alltoall_exchanges(&task, (uint32_t)own->channels);
    }
    return exchanges;
}

/* Sets the members that an algorithm needs. Returns the number of exchanges that the algorithm
 * takes. */
static uint64_t set_algorithm(struct cm_matmul *own, enum cm_matmul_algorithm algorithm)
{
    const uint32_t p = own->sides[1].along.node_bits, q = own->sides[0].along.node_bits;
    const uint32_t most = p < q ? p : q;
    own->task.algorithm = algorithm;
    set_groups(own, algorithm == CM_MATMUL_CANNON ? most : 0);
    for (uint32_t s = 0; s < 2; s++)
        own->sides[s].gathered =
            algorithm == CM_MATMUL_ALLTOALL && own->sides[s].along.node_bits > 0;
    if (algorithm == CM_MATMUL_ALLTOALL)
        own->exchanges = count_gathers(own);
    return own->exchanges;
}

static bool panels_are_small(const struct cm_config *config, const struct cm_matmul *own)
{
    uint64_t words = 0;
    for (uint32_t s = 0; s < 2; s++)
        words += own->sides[s].chunks * own->sides[s].chunk_words << own->sides[s].along.node_bits;
    return words <= config->memory_words / 4;
}

static void choose_algorithm(const struct cm_config *config, struct cm_matmul *own)
{
    enum cm_matmul_algorithm best = CM_MATMUL_BROADCAST;
    if (own->task.algorithm != CM_MATMUL_AUTO) {
        set_algorithm(own, own->task.algorithm);
        return;
    }
    uint64_t fewest = set_algorithm(own, best);
    if (set_algorithm(own, CM_MATMUL_CANNON) < fewest) {
        fewest = own->exchanges;
        best = CM_MATMUL_CANNON;
    }
    if (panels_are_small(config, own) && set_algorithm(own, CM_MATMUL_ALLTOALL) < fewest)
        best = CM_MATMUL_ALLTOALL;
    set_algorithm(own, best);
}

/* Assigns table words to a side, and computes the sizes of its memory areas. */
static void place_side(struct cm_matmul *own, uint32_t number)
{
    struct cm_side *side = &own->sides[number];
    side->worked = number == 1 || !side->aligned || own->cannon_bits > 0 || side->along.padded;
    side->work_words = side->worked ? side->block_units * own->channels : 0;
    side->panel_words = cm_matmul_spreads(side) ? side->chunk_units * own->channels : 0;
    if (side->gathered) /* the panel has a spare block for the reordering */
        side->panel_words =
            side->chunks * side->chunk_words * ((UINT64_C(1) << side->along.node_bits) + 1);
    side->owners = own->table_words;
    own->table_words += cm_matmul_spreads(side) ? UINT64_C(1) << side->group_bits : 0;
    for (uint32_t b = 0; b < own->cannon_bits; b++) {
        side->skew[b].table = own->table_words;
        own->table_words += find_hops(side, INT64_C(1) << b, &side->skew[b].hops);
    }
    side->step.table = own->table_words;
    if (own->cannon_bits > 0)
        own->table_words += find_hops(side, 1, &side->step.hops);
}

void cm_matmul_plan(const struct cm_config *config, struct cm_matmul *own)
{
    const struct cm_layout *c = &own->task.c;
    const uint32_t most = (uint32_t)larger(c->axes[0].node_bits, c->axes[1].node_bits);
    own->channels = config->network_channels_per_dimension;
    own->depth = quotient(own->task.a.axes[1].length, UINT64_C(1) << most);
    for (uint32_t s = 0; s < 2; s++)
        lay_side(own, s);
    choose_algorithm(config, own);
    own->table_words = TABLE_OWNERS;
    for (uint32_t s = 0; s < 2; s++)
        place_side(own, s);
    cm_matmul_choose_tile(own);
}

static uint32_t bits_of(const struct cm_axis *axis, uint32_t node)
{
    return node >> axis->first_dimension & ((UINT32_C(1) << axis->node_bits) - 1);
}

static uint32_t coordinate_of(const struct cm_axis *axis, uint32_t node)
{
    return axis->node_bits == 0 ? 0 : cm_axis_decode(axis, bits_of(axis, node));
}

/* Returns the table word of a hop: its slots, and whether the node stores the words that arrive. */
static uint32_t hop_word(const struct cm_config *config, const struct cm_side *side,
                         const struct cm_hop *hop, uint32_t node)
{
    const uint32_t bits = bits_of(&side->along, node);
    const uint8_t out = cm_hop_out(&side->along, hop, bits);
    const uint8_t in = cm_hop_in(&side->along, hop, bits);
    const uint32_t first = side->along.first_dimension;
    const uint32_t to = out == CM_HOP_STAY ? hop->scale : out;
    const uint32_t from = in == CM_HOP_STAY ? hop->scale : in;
    return cm_hop_sends(config, first + to) | cm_hop_receives(config, first + from) |
           (uint32_t)(in != CM_HOP_STAY) << CROSSES_BIT;
}

static void fill_shift(const struct cm_matmul_compiler *tables, const struct cm_side *side,
                       const struct cm_matmul_shift *shift, uint32_t node, uint32_t nodes,
                       uint32_t *planes)
{
    for (uint32_t h = 0; h < shift->hops.count; h++)
        planes[(shift->table + h) * nodes + node] =
            hop_word(tables->config, side, &shift->hops.at[h], node);
}

static uint32_t owner_word(const struct cm_side *side, uint32_t node, uint32_t owner)
{
    const uint32_t coordinate = coordinate_of(&side->along, node);
    const uint32_t mask = (UINT32_C(1) << side->group_bits) - 1;
    const uint32_t differs =
        bits_of(&side->along, node) ^ cm_axis_encode(&side->along, (coordinate & ~mask) | owner);
    return differs == 0 ? UINT32_C(1) << OWNER_BIT : differs;
}

static void fill_side(const struct cm_matmul_compiler *tables, uint32_t number, uint32_t node,
                      uint32_t nodes, uint32_t *planes)
{
    const struct cm_matmul *own = tables->own;
    const struct cm_side *side = &own->sides[number];
    const uint32_t along = coordinate_of(&side->along, node);
    const uint32_t across = coordinate_of(&side->across, node);
    uint32_t *masks = &planes[TABLE_MASKS * nodes + node];
    for (uint32_t r = 0; r < side->padding_count; r++)
        *masks |= (uint32_t)(along >= side->padding[r].first_coordinate &&
                             along <= side->padding[r].last_coordinate)
                  << PADDING_BIT(number, r);
    /* A node that is in group g along the other axis needs the block of k that is g groups further
     * on. */
    const uint32_t group = across >> own->sides[1 - number].group_bits;
    for (uint32_t b = 0; b < own->cannon_bits; b++) {
        *masks |= (group >> b & 1u) << SKEW_BIT(number, b);
        fill_shift(tables, side, &side->skew[b], node, nodes, planes);
    }
    if (own->cannon_bits > 0)
        fill_shift(tables, side, &side->step, node, nodes, planes);
    for (uint32_t o = 0; cm_matmul_spreads(side) && o < UINT32_C(1) << side->group_bits; o++)
        planes[(side->owners + o) * nodes + node] = owner_word(side, node, o);
}

void cm_matmul_fill_tables(const void *context, uint32_t nodes, uint32_t *planes)
{
    const struct cm_matmul_compiler *tables = context;
    for (uint32_t node = 0; node < nodes; node++)
        for (uint32_t s = 0; s < 2; s++)
            fill_side(tables, s, node, nodes, planes);
}
