/*
 * Compiles the sweep of a stencil: straight-line code for tiles, inside loops over all elements of
 * a node.
 *
 * Each axis is cut into pieces (stencil_pieces.h), and the sweep has code for each combination of
 * pieces. A *row* is a combination of pieces of all axes but axis 0. Tiles have one size along the
 * axes after axis 0. Each row cuts axis 0 in its own way: its tiles are wider, or several blocks
 * long, where registers or SRAM are left. Each combination has the order of operations that takes
 * fewest cycles.
 *
 * The size of a tile is chosen by counting cycles. Along axis 0 and the axes in between a tile has
 * the number of elements that uses the registers best. Along the last axis with offsets, the
 * *sliding axis*, a tile is as long as the SRAM allows, because a window of rows slides along it.
 *
 * An IMP takes at most half the SRAM, and all IMPs together take at most the SRAM. Only if a
 * stencil's code cannot be that short may it take several times as much.
 */
#include "../system/compiled_imps.h"
#include "../system/emit.h"
#include "stencil_pieces.h"
#include "stencil_tile.h"

#include <inttypes.h>
#include <string.h>

#define IMP_SHARE 2u /* divisor: an IMP takes at most 1 / IMP_SHARE of the SRAM */
/* number of tile sizes with the best estimates, whose cycles are then counted in full */
#define CHOICES   12u
#define TIMES_MAX 8u /* all code may take this multiple of the SRAM, if it cannot be shorter */
#define WIDTH_MAX 32 /* limit on the size of a tile along axis 0 */
/* limit on the size of a tile along an axis between axis 0 and the sliding axis */
#define ROWS_MAX 4
/* limit on the length along the sliding axis of tiles that are compared */
#define TRIAL_MAX    8
#define LONGER_SHARE 4    /* a tile may be longer than expected by 1 / LONGER_SHARE */
#define COMBINATIONS 256u /* limit on the rows of a sweep */
#define REFINED      2u   /* number of choices that are refined */
/* Numbers of elements by which a row's tiles may be narrower and wider than the chosen tile, and
 * the largest number of blocks of results that a tile may have. */
#define NARROWER 2
#define WIDER    6
#define BLOCKS   4

/* Cut of axis 0 into tiles for one row, and the cost of the row's code. */
struct row_cut {
    uint32_t row;
    int64_t width, block;
    bool tight;
    struct cm_stencil_cost cost;
};

/* Row: a combination of pieces of all axes but axis 0. */
struct row {
    const struct cm_stencil_piece *pieces[CM_STENCIL_RANK_MAX];
    struct row_cut cut;
};

/* Known position of an address register, in words from the address of an argument. */
struct pointer {
    bool set;
    uint32_t argument;
    int64_t at;
};

struct sweep {
    const struct cm_stencil_plan *plan;
    struct cm_error *err;
    uint32_t slides; /* number of the sliding axis */
    bool tight;      /* true for tight cuts (cm_stencil_cut) */
    bool refine;     /* true if the best order is searched for each combination of pieces */
    struct cm_stencil_tile tile;
    /* order of operations in tiles, unless `refine` finds a better one */
    struct cm_stencil_order order;
    struct row rows[COMBINATIONS];
    uint32_t row_count;
    bool too_many_rows; /* true if there are too many rows, so that all are cut in the same way */
    uint64_t spare;     /* number of SRAM words that better orders may add */
    struct cm_stencil_pieces pieces[CM_STENCIL_RANK_MAX];
    struct cm_compiled *compiled; /* code of the sweep, or NULL if cost is only counted */
    struct cm_imp *imp;
    /* positions of address registers at the end of the current IMP */
    struct pointer pointers[CM_ADDRESS_REGISTERS];
    uint64_t limit;              /* limit on the SRAM words of all code */
    struct cm_stencil_cost cost; /* cost of all code */
};

static int64_t advance_of(const struct sweep *sweep, uint32_t stream,
                          const struct cm_stencil_piece *piece, uint32_t a)
{
    uint32_t argument;
    const struct cm_box *box = cm_stencil_stream_box(sweep->plan, stream, &argument);
    return piece->size * box->stride[a] * sweep->plan->layout.slices;
}

/* Emits code that points the address registers to the first result of a combination of pieces. */
static void emit_streams(struct sweep *sweep, const struct cm_stencil_streams *streams)
{
    for (uint32_t i = 0; i < streams->count; i++) {
        uint32_t argument;
        const struct cm_box *box = cm_stencil_stream_box(sweep->plan, streams->used[i], &argument);
        const int64_t at = cm_box_at(box, sweep->plan->layout.rank, sweep->tile.start) *
                           sweep->plan->layout.slices;
        struct pointer *pointer = &sweep->pointers[i];
        if (pointer->set && pointer->argument == argument)
            cm_emit_advance(sweep->imp, i, at - pointer->at);
        else
            cm_emit_argument(sweep->imp, i, argument, at);
        *pointer = (struct pointer){true, argument, at};
    }
}

/*
 * Emits the loops over the pieces along axes 0 to `level` - 1, around a tile. At the end of an
 * iteration each stream advances by a tile, less the words by which inner loops moved it. moved[i]
 * is the number of words by which stream i has moved.
 */
static enum cm_status emit_loops(struct sweep *sweep, const struct cm_stencil_piece *const *pieces,
                                 uint32_t level, struct cm_stencil_streams *streams, int64_t *moved)
{
    struct cm_stencil_cost cost;
    if (level == 0) {
        memset(moved, 0, CM_STENCIL_STREAMS_MAX * sizeof *moved);
        return cm_stencil_tile_compile(&sweep->tile, sweep->imp, streams, &cost, sweep->err);
    }
    const struct cm_stencil_piece *piece = pieces[level - 1];
    uint32_t loop = 0;
    if (piece->repeat > 1)
        loop = CM_EMIT(sweep->imp, CM_OP_LOOP, cm_value(piece->repeat));
    enum cm_status status = emit_loops(sweep, pieces, level - 1, streams, moved);
    if (piece->repeat == 1)
        return status;
    for (uint32_t i = 0; i < streams->count; i++) {
        int64_t advance = advance_of(sweep, streams->used[i], piece, level - 1);
        cm_emit_advance(sweep->imp, i, advance - moved[i]);
        moved[i] = advance * piece->repeat;
    }
    cm_emit_next(sweep->imp, loop);
    return status;
}

/* Returns the number of SRAM words that a combination of pieces takes apart from its tile. */
static uint64_t loop_words(const struct sweep *sweep, uint32_t streams)
{
    uint64_t each = cm_op_words(CM_OP_LOOP) + cm_op_words(CM_OP_NEXT) +
                    (uint64_t)streams * cm_op_words(CM_OP_AADD);
    return sweep->plan->layout.rank * each +
           (uint64_t)streams * (cm_op_words(CM_OP_AARG) + cm_op_words(CM_OP_AADD));
}

static enum cm_status begin_imp(struct sweep *sweep)
{
    sweep->imp = cm_imp_create("stencil_sweep");
    if (!sweep->imp)
        return cm_error_no_memory(sweep->err);
    cm_stencil_declare(sweep->plan, sweep->imp);
    memset(sweep->pointers, 0, sizeof sweep->pointers);
    return CM_OK;
}

static enum cm_status end_imp(struct sweep *sweep)
{
    struct cm_imp *imp = sweep->imp;
    sweep->imp = NULL;
    return imp ? cm_compiled_add(sweep->compiled, cm_emit_end(imp), sweep->err) : CM_OK;
}

/* Emits a combination of pieces. Begins a new IMP if the current IMP has no room for it. */
static enum cm_status emit_combination(struct sweep *sweep,
                                       const struct cm_stencil_piece *const *pieces,
                                       const struct cm_stencil_cost *cost,
                                       struct cm_stencil_streams *streams)
{
    uint64_t words = cost->words + loop_words(sweep, streams->count);
    uint64_t limit = sweep->plan->config->sequencer_sram_words / IMP_SHARE;
    int64_t moved[CM_STENCIL_STREAMS_MAX];
    enum cm_status status = CM_OK;
    words += cm_op_words(CM_OP_HALT);
    if (sweep->imp && cm_imp_words(sweep->imp) + words > limit)
        status = end_imp(sweep);
    if (status == CM_OK && !sweep->imp)
        status = begin_imp(sweep);
    if (status != CM_OK)
        return status;
    emit_streams(sweep, streams);
    status = emit_loops(sweep, pieces, sweep->plan->layout.rank, streams, moved);
    for (uint32_t i = 0; status == CM_OK && i < streams->count; i++)
        sweep->pointers[i].at += moved[i];
    return status;
}

/* Orders of operations in a tile that are tried. */
static const struct cm_stencil_order orders[] = {
    {.stores = CM_STORES_RESULTS},
    {.stores = CM_STORES_LATE},
    {.stores = CM_STORES_LATE, .widest_first = true},
    {.stores = CM_STORES_LATE, .columns = 1},
    {.stores = CM_STORES_LATE, .columns = 2},
    {.stores = CM_STORES_ROWS},
    {.stores = CM_STORES_ROWS, .columns = 1},
    {.stores = CM_STORES_STEPS},
    {.stores = CM_STORES_STEPS, .columns = 1},
    {.stores = CM_STORES_LATE, .ahead = 16},
    {.stores = CM_STORES_LATE, .ahead = 64},
    {.stores = CM_STORES_LATE, .columns = 1, .ahead = 64},
    {.stores = CM_STORES_STEPS, .ahead = 64},
};
#define ORDERS    (sizeof orders / sizeof orders[0])
#define ESTIMATED 7u /* number of orders that are tried with all sizes of tiles */

/*
 * Counts the cost of a tile. If `refine` is true, tries all orders of operations, and sets the
 * tile's order to the best one.
 */
static enum cm_status count_tile(struct sweep *sweep, struct cm_stencil_streams *streams,
                                 struct cm_stencil_cost *cost)
{
    struct cm_stencil_order best = sweep->tile.order;
    enum cm_status status = cm_stencil_tile_compile(&sweep->tile, NULL, streams, cost, sweep->err);
    for (uint32_t o = 0; sweep->refine && status == CM_OK && o < ORDERS; o++) {
        struct cm_stencil_streams other_streams = {0};
        struct cm_stencil_cost other;
        sweep->tile.order = orders[o];
        sweep->tile.order.block = best.block;
        status = cm_stencil_tile_compile(&sweep->tile, NULL, &other_streams, &other, sweep->err);
        if (status != CM_OK || !other.fits || other.cycles >= cost->cycles ||
            other.words > cost->words + sweep->spare)
            continue;
        best = sweep->tile.order;
        sweep->spare -= other.words > cost->words ? other.words - cost->words : 0;
        *cost = other;
        *streams = other_streams;
    }
    sweep->tile.order = best;
    return status;
}

/* Counts the cost of one combination of pieces, and emits its code unless the sweep is only
 * counted. */
static enum cm_status visit_combination(struct sweep *sweep,
                                        const struct cm_stencil_piece *const *pieces)
{
    const struct cm_config *config = sweep->plan->config;
    struct cm_stencil_streams streams = {0};
    struct cm_stencil_cost cost;
    uint64_t tiles = 1, inner = 0;
    for (uint32_t a = 0; a < sweep->plan->layout.rank; a++) {
        sweep->tile.start[a] = pieces[a]->start;
        sweep->tile.size[a] = pieces[a]->size;
        tiles *= (uint64_t)pieces[a]->repeat;
    }
    sweep->tile.order = sweep->order;
    enum cm_status status = count_tile(sweep, &streams, &cost);
    if (status != CM_OK)
        return status;
    if (tiles > 1)
        inner = config->sequencer_loop_iteration_cycles +
                (uint64_t)streams.count * config->sequencer_address_cycles;
    sweep->cost.cycles += tiles * (cost.cycles + inner) +
                          (uint64_t)streams.count * 2 * config->sequencer_address_cycles;
    sweep->cost.words += cost.words + loop_words(sweep, streams.count);
    sweep->cost.loads += tiles * cost.loads;
    sweep->cost.fits = sweep->cost.fits && cost.fits && streams.count <= CM_ADDRESS_REGISTERS &&
                       (sweep->compiled || sweep->cost.words <= sweep->limit);
    return sweep->compiled && sweep->cost.fits ? emit_combination(sweep, pieces, &cost, &streams)
                                               : CM_OK;
}

/* Counts or emits all combinations of pieces in one row. */
static enum cm_status visit_row(struct sweep *sweep, const struct cm_stencil_piece **pieces)
{
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; status == CM_OK && sweep->cost.fits && i < sweep->pieces[0].count; i++) {
        pieces[0] = &sweep->pieces[0].at[i];
        status = visit_combination(sweep, pieces);
    }
    return status;
}

/* Counts or emits all combinations of pieces along axes 0 to `level` - 1. */
static enum cm_status visit_levels(struct sweep *sweep, const struct cm_stencil_piece **pieces,
                                   uint32_t level)
{
    enum cm_status status = CM_OK;
    if (level == 1)
        return visit_row(sweep, pieces);
    for (uint32_t i = 0; status == CM_OK && sweep->cost.fits && i < sweep->pieces[level - 1].count;
         i++) {
        pieces[level - 1] = &sweep->pieces[level - 1].at[i];
        status = visit_levels(sweep, pieces, level - 1);
    }
    return status;
}

/* Counts or emits a sweep with tiles of at most `size` elements along each axis. */
static enum cm_status try_size(struct sweep *sweep, const int64_t *size)
{
    const struct cm_stencil_piece *pieces[CM_STENCIL_RANK_MAX];
    sweep->cost = (struct cm_stencil_cost){.fits = true};
    for (uint32_t a = 0; a < sweep->plan->layout.rank; a++)
        if (!cm_stencil_cut(sweep->plan, a, size[a], sweep->tight, &sweep->pieces[a]))
            sweep->cost.fits = false;
    return visit_levels(sweep, pieces, sweep->plan->layout.rank);
}

/* Choice: a size of tiles with its estimated cost. The cost of a tile in the middle of the node is
 * a constant part, and a part for each step along the sliding axis. */
struct choice {
    int64_t size[CM_STENCIL_RANK_MAX];
    struct cm_stencil_order order;
    bool tight;
    double tiles;
    int64_t length; /* length of a tile along the sliding axis that the SRAM is expected to allow */
    double tile_cycles, step_cycles;
    double tile_words, step_words;
    double cycles; /* cycles for all results with tiles of this length. -1: no sweep fits */
};

/* Best choices found until now, in ascending order of cycles. */
struct choices {
    uint32_t count;
    struct choice at[CHOICES];
};

/* Adds a choice if it is among the best. If choices differ only in the order of operations, only
 * the best of them is kept. */
static void keep_choice(struct choices *choices, const struct choice *choice)
{
    for (uint32_t i = 0; i < choices->count; i++) {
        if (choices->at[i].tight != choice->tight ||
            memcmp(choices->at[i].size, choice->size, sizeof choice->size) != 0)
            continue;
        if (choices->at[i].cycles <= choice->cycles)
            return;
        choices->count--;
        memmove(&choices->at[i], &choices->at[i + 1], (choices->count - i) * sizeof choices->at[0]);
        break;
    }
    uint32_t k = choices->count < CHOICES ? choices->count++ : CHOICES;
    if (k == CHOICES && choice->cycles >= choices->at[--k].cycles)
        return;
    for (; k > 0 && choices->at[k - 1].cycles > choice->cycles; k--)
        choices->at[k] = choices->at[k - 1];
    choices->at[k] = *choice;
}

/* Sets the sweep's tile to a tile of about this size in the middle of the node. */
static void place_tile(struct sweep *sweep, const int64_t *size)
{
    for (uint32_t a = 0; a < sweep->plan->layout.rank; a++) {
        int64_t tiles = (sweep->plan->length[a] + size[a] - 1) / size[a];
        sweep->tile.size[a] = sweep->tight ? size[a] : (sweep->plan->length[a] + tiles - 1) / tiles;
        sweep->tile.start[a] = tiles / 2 * sweep->tile.size[a];
        if (sweep->tile.start[a] + sweep->tile.size[a] > sweep->plan->length[a])
            sweep->tile.start[a] = 0;
    }
}

/* Estimates the cost of a choice from two tiles, one of which has half the length. The difference
 * of the tiles is the cost of the steps. Sets *fits to false if the registers do not suffice. */
static enum cm_status rate(struct sweep *sweep, struct choice *choice, bool *fits)
{
    const struct cm_config *config = sweep->plan->config;
    struct cm_stencil_streams streams = {0}, half_streams = {0};
    struct cm_stencil_cost cost, half = {0};
    place_tile(sweep, choice->size);
    int64_t steps = sweep->tile.size[sweep->slides], short_steps = steps / 2;
    enum cm_status status =
        cm_stencil_tile_compile(&sweep->tile, NULL, &streams, &cost, sweep->err);
    *fits = status == CM_OK && cost.fits;
    if (!*fits)
        return status;
    sweep->tile.size[sweep->slides] = short_steps;
    if (short_steps > 0)
        status = cm_stencil_tile_compile(&sweep->tile, NULL, &half_streams, &half, sweep->err);
    choice->step_cycles = (double)(cost.cycles - half.cycles) / (double)(steps - short_steps);
    choice->step_words = (double)(cost.words - half.words) / (double)(steps - short_steps);
    choice->tile_cycles = (double)cost.cycles - choice->step_cycles * (double)steps +
                          (double)(config->sequencer_loop_iteration_cycles +
                                   streams.count * config->sequencer_address_cycles);
    choice->tile_words = (double)cost.words - choice->step_words * (double)steps;
    return status;
}

/*
 * Cuts an axis into tiles of at most `size`. Sets *tiles to the number of tiles, and returns the
 * sum of the sizes of the pieces, which is proportional to the amount of code. A shorter tile
 * counts as a fraction, by the elements that it loads.
 */
static double cut_axis(struct sweep *sweep, uint32_t a, int64_t size, double *tiles)
{
    struct cm_stencil_pieces *pieces = &sweep->pieces[a];
    double reach =
        (double)(cm_stencil_reach(sweep->plan, a, 0) + cm_stencil_reach(sweep->plan, a, 1));
    double sizes = 0;
    if (!cm_stencil_cut(sweep->plan, a, size, sweep->tight, pieces))
        return 0;
    *tiles = 0;
    for (uint32_t i = 0; i < pieces->count; i++) {
        double now = (double)pieces->at[i].size;
        *tiles += (double)pieces->at[i].repeat * (now + reach) / ((double)size + reach);
        sizes += now;
    }
    return sizes;
}

/* Returns the next smaller size of tiles along an axis that changes the cut, or 0 if there is no
 * such size. Equal tiles only have sizes that are the length divided by a number, rounded up. */
static int64_t next_size(const struct sweep *sweep, uint32_t a, int64_t size)
{
    int64_t length = sweep->plan->length[a];
    if (sweep->tight || size <= 1)
        return size - 1;
    int64_t count = (length + size - 2) / (size - 1);
    return (length + count - 1) / count;
}

/* Estimates the cycles of a whole sweep with the longest tiles along the sliding axis that the SRAM
 * allows. Returns false if no length fits. */
static bool estimate(struct sweep *sweep, struct choice *choice)
{
    double limit = (double)sweep->limit;
    int64_t length = sweep->plan->length[sweep->slides];
    double tiles = 1, code = 1;
    for (uint32_t a = 0; a < sweep->plan->layout.rank; a++) {
        double count = 1, tile = (double)sweep->tile.size[a];
        if (a != sweep->slides)
            code *= cut_axis(sweep, a, choice->size[a], &count) / tile;
        tiles *= count;
    }
    for (int64_t n = length; n > 0 && code > 0; n = next_size(sweep, sweep->slides, n)) {
        double count, sizes = cut_axis(sweep, sweep->slides, n, &count);
        double pieces = sweep->pieces[sweep->slides].count;
        if (sizes == 0 || code * (choice->tile_words * pieces + choice->step_words * sizes) > limit)
            continue;
        choice->length = n;
        choice->tiles = tiles * count;
        choice->cycles =
            tiles * (count * choice->tile_cycles + (double)length * choice->step_cycles);
        return true;
    }
    return false;
}

/* Returns true if cutting all axes but the sliding axis into equal tiles gives exactly these sizes.
 */
static bool are_equal(const struct sweep *sweep, const int64_t *size)
{
    bool equal = true;
    for (uint32_t a = 0; a < sweep->plan->layout.rank; a++) {
        int64_t length = sweep->plan->length[a], count = (length + size[a] - 1) / size[a];
        equal = equal && (a == sweep->slides || size[a] == (length + count - 1) / count);
    }
    return equal;
}

/* Counts the cycles of tiles that are much shorter than the estimated tiles, because the estimate
 * is wrong for few steps. */
static enum cm_status count_short(struct sweep *sweep, struct choice *choice)
{
    struct cm_stencil_streams streams = {0};
    struct cm_stencil_cost cost;
    place_tile(sweep, choice->size);
    if (choice->length >= sweep->tile.size[sweep->slides] / 2)
        return CM_OK;
    sweep->tile.size[sweep->slides] = choice->length;
    enum cm_status status =
        cm_stencil_tile_compile(&sweep->tile, NULL, &streams, &cost, sweep->err);
    choice->cycles = choice->tiles * (double)cost.cycles;
    return status;
}

static enum cm_status consider(struct sweep *sweep, const int64_t *size, struct choices *choices)
{
    enum cm_status status = CM_OK;
    for (uint32_t o = 0; status == CM_OK && o < ESTIMATED; o++)
        for (int tight = !are_equal(sweep, size); status == CM_OK && tight < 2; tight++) {
            struct choice choice = {.order = orders[o], .tight = tight};
            bool fits;
            memcpy(choice.size, size, sizeof choice.size);
            sweep->tile.order = choice.order;
            sweep->tight = choice.tight;
            status = rate(sweep, &choice, &fits);
            if (status != CM_OK || !fits || !estimate(sweep, &choice))
                continue;
            status = count_short(sweep, &choice);
            keep_choice(choices, &choice);
        }
    return status;
}

/* Considers all sizes of tiles along axes 0 to `level` - 1. */
static enum cm_status consider_all(struct sweep *sweep, int64_t *size, uint32_t level,
                                   struct choices *choices)
{
    enum cm_status status = CM_OK;
    if (level == 0)
        return consider(sweep, size, choices);
    uint32_t a = level - 1;
    int64_t length = sweep->plan->length[a];
    if (a == sweep->slides) {
        size[a] = length < TRIAL_MAX ? length : TRIAL_MAX;
        return consider_all(sweep, size, a, choices);
    }
    int64_t largest = a == 0 ? WIDTH_MAX : ROWS_MAX;
    for (int64_t n = length < largest ? length : largest; status == CM_OK && n > 0; n--) {
        size[a] = n;
        status = consider_all(sweep, size, a, choices);
    }
    return status;
}

/* Returns the sliding axis: the last axis with offsets, or axis 0 if the rank is one. */
static uint32_t sliding_axis(const struct cm_stencil_plan *plan)
{
    uint32_t last = plan->layout.rank - 1;
    for (uint32_t a = last; a > 0; a--)
        if (cm_stencil_reach(plan, a, 0) + cm_stencil_reach(plan, a, 1) > 0)
            return a;
    return last;
}

/* Returns true if a tile's operations, counted as one word each, already exceed the limit of SRAM
 * words. */
static bool too_long(const struct sweep *sweep, const int64_t *size)
{
    uint64_t words = sweep->plan->pattern.term_count;
    for (uint32_t a = 0; a < sweep->plan->layout.rank; a++)
        words *= (uint64_t)size[a];
    return words > sweep->limit;
}

/* Counts sweeps with ever shorter tiles until one fits the SRAM, beginning a little longer than the
 * estimate. Sets choice->cycles to the cycles of that sweep, or to -1 if no sweep fits. */
static enum cm_status choose_length(struct sweep *sweep, struct choice *choice)
{
    int64_t *size = &choice->size[sweep->slides], length = sweep->plan->length[sweep->slides];
    sweep->order = choice->order;
    sweep->tight = choice->tight;
    choice->cycles = -1;
    *size = choice->tight ? choice->length + choice->length / LONGER_SHARE : length;
    for (*size = *size < length ? *size : length; *size > 0;
         *size = next_size(sweep, sweep->slides, *size)) {
        if (too_long(sweep, choice->size))
            continue;
        enum cm_status status = try_size(sweep, choice->size);
        if (status != CM_OK)
            return status;
        if (!sweep->cost.fits || sweep->cost.words > sweep->limit)
            continue;
        choice->cycles = (double)sweep->cost.cycles;
        break;
    }
    return CM_OK;
}

static bool apply_cut(struct sweep *sweep, const struct row_cut *now)
{
    sweep->order.block = (uint8_t)now->block;
    return cm_stencil_cut(sweep->plan, 0, now->width, now->tight, &sweep->pieces[0]);
}

static enum cm_status count_row(struct sweep *sweep, struct row_cut *now)
{
    enum cm_status status = CM_OK;
    sweep->cost = (struct cm_stencil_cost){.fits = apply_cut(sweep, now)};
    if (sweep->cost.fits)
        status = visit_row(sweep, sweep->rows[now->row].pieces);
    now->cost = sweep->cost;
    return status;
}

/* Lists the rows of a choice, and counts their cost with the tiles of the choice. */
static enum cm_status list_rows(struct sweep *sweep, const struct choice *choice)
{
    uint32_t at[CM_STENCIL_RANK_MAX] = {0}, a = 1;
    const uint32_t rank = sweep->plan->layout.rank;
    enum cm_status status = CM_OK;
    sweep->row_count = 0;
    for (uint32_t i = 0; i < rank; i++)
        cm_stencil_cut(sweep->plan, i, choice->size[i], choice->tight, &sweep->pieces[i]);
    for (bool more = true; status == CM_OK && more && sweep->row_count < COMBINATIONS;
         more = a < rank) {
        struct row *row = &sweep->rows[sweep->row_count];
        struct row_cut now = {sweep->row_count++, choice->size[0], 0, choice->tight, {0}};
        for (uint32_t i = 1; i < rank; i++)
            row->pieces[i] = &sweep->pieces[i].at[at[i]];
        status = count_row(sweep, &now);
        row->cut = now;
        for (a = 1; a < rank && ++at[a] == sweep->pieces[a].count; a++)
            at[a] = 0;
    }
    sweep->too_many_rows = a < rank;
    return status;
}

struct row_cuts {
    CM_LIST(struct row_cut) cuts;
};

static uint64_t words_of_rows(const struct sweep *sweep)
{
    uint64_t words = 0;
    for (uint32_t i = 0; i < sweep->row_count; i++)
        words += sweep->rows[i].cut.cost.words;
    return words;
}

/* Returns true if a row with tiles of this width exceeds the SRAM that is left. Each term takes at
 * least two words, except the first term of a result. */
static bool exceeds(const struct sweep *sweep, const struct row *row, int64_t width)
{
    uint64_t words = (uint64_t)width * (2 * sweep->plan->pattern.term_count - 1);
    for (uint32_t a = 1; a < sweep->plan->layout.rank; a++)
        words *= (uint64_t)row->pieces[a]->size;
    return words_of_rows(sweep) - row->cut.cost.words + words > sweep->limit;
}

/* Adds a cut of a row to `cuts` if the row takes fewer cycles with it than with its present cut. */
static enum cm_status try_cut(struct sweep *sweep, uint32_t row, int64_t width, int64_t block,
                              struct row_cuts *cuts)
{
    enum cm_status status = CM_OK;
    if (width <= 0 || width > sweep->plan->length[0] || exceeds(sweep, &sweep->rows[row], width))
        return CM_OK;
    for (int tight = 0; status == CM_OK && tight < 2; tight++) {
        struct row_cut now = {row, width, block, tight, {0}};
        status = count_row(sweep, &now);
        if (status == CM_OK && now.cost.fits && now.cost.cycles < sweep->rows[row].cut.cost.cycles)
            cm_list_push(&cuts->cuts, now);
    }
    return status;
}

/* Returns the number of cycles that a cut saves for each word of SRAM that it adds. */
static double gain(const struct row_cut *from, const struct row_cut *to)
{
    uint64_t words = to->cost.words > from->cost.words ? to->cost.words - from->cost.words : 1;
    return ((double)from->cost.cycles - (double)to->cost.cycles) / (double)words;
}

/* Applies the cut that saves most cycles for the SRAM that it adds. Repeats this while a cut saves
 * cycles and fits the SRAM. */
static void take_cuts(struct sweep *sweep, const struct row_cuts *cuts)
{
    const struct row_cut *best;
    do {
        const uint64_t words = words_of_rows(sweep);
        best = NULL;
        for (uint32_t i = 0; i < cuts->cuts.count; i++) {
            const struct row_cut *now = &cuts->cuts.items[i], *old = &sweep->rows[now->row].cut;
            if (now->cost.cycles >= old->cost.cycles ||
                words - old->cost.words + now->cost.words > sweep->limit)
                continue;
            if (!best || gain(old, now) > gain(&sweep->rows[best->row].cut, best))
                best = now;
        }
        if (best)
            sweep->rows[best->row].cut = *best;
    } while (best);
}

/* Counts or emits all rows with their cuts. */
static enum cm_status visit_rows(struct sweep *sweep)
{
    enum cm_status status = CM_OK;
    sweep->cost = (struct cm_stencil_cost){.fits = true};
    for (uint32_t i = 0; status == CM_OK && sweep->cost.fits && i < sweep->row_count; i++) {
        apply_cut(sweep, &sweep->rows[i].cut);
        status = visit_row(sweep, sweep->rows[i].pieces);
    }
    return status;
}

/* Tries narrower and wider tiles for a row, and tiles of several blocks of results. */
static enum cm_status try_cuts(struct sweep *sweep, uint32_t row, int64_t size,
                               struct row_cuts *cuts)
{
    enum cm_status status = CM_OK;
    for (int64_t width = size - NARROWER; status == CM_OK && width <= size + WIDER; width++)
        status = try_cut(sweep, row, width, 0, cuts);
    for (int64_t blocks = 2; status == CM_OK && blocks <= BLOCKS; blocks++)
        status = try_cut(sweep, row, blocks * size, size, cuts);
    return status;
}

/* Chooses for each row how axis 0 is cut into tiles. */
static enum cm_status cut_rows(struct sweep *sweep, const struct choice *choice)
{
    struct row_cuts cuts = {0};
    sweep->order = choice->order;
    sweep->refine = false;
    enum cm_status status = list_rows(sweep, choice);
    for (uint32_t row = 0; status == CM_OK && !sweep->too_many_rows && row < sweep->row_count;
         row++)
        status = try_cuts(sweep, row, choice->size[0], &cuts);
    if (status == CM_OK && cuts.cuts.failed)
        status = cm_error_no_memory(sweep->err);
    if (status == CM_OK)
        take_cuts(sweep, &cuts);
    cm_list_finish(&cuts.cuts);
    return status;
}

/* Counts or emits the sweep of a choice, with the best cut for each row and the best order of
 * operations for each tile. */
static enum cm_status refine(struct sweep *sweep, const struct choice *choice,
                             struct cm_compiled *compiled)
{
    sweep->compiled = NULL;
    enum cm_status status = cut_rows(sweep, choice);
    const uint64_t words = words_of_rows(sweep);
    sweep->spare = words < sweep->limit ? sweep->limit - words : 0;
    sweep->compiled = compiled;
    sweep->refine = !sweep->too_many_rows;
    sweep->order.block = 0;
    if (status == CM_OK && sweep->too_many_rows)
        status = try_size(sweep, choice->size);
    else if (status == CM_OK)
        status = visit_rows(sweep);
    sweep->refine = false;
    return status;
}

/* Removes the choice with fewest cycles from the list and returns it. If the list is empty, returns
 * a choice with -1 cycles. */
static struct choice take_best(struct choices *choices)
{
    struct choice *best = NULL, taken = {.cycles = -1};
    for (uint32_t i = 0; i < choices->count; i++)
        if (choices->at[i].cycles >= 0 && (!best || choices->at[i].cycles < best->cycles))
            best = &choices->at[i];
    if (best) {
        taken = *best;
        best->cycles = -1;
    }
    return taken;
}

/* Finds the size of tiles with fewest cycles within a limit of SRAM words. Sets best->cycles to -1
 * if no size fits. */
static enum cm_status choose_within(struct sweep *sweep, uint64_t limit, struct choice *best)
{
    int64_t size[CM_STENCIL_RANK_MAX] = {1, 1, 1, 1};
    struct choices choices = {0};
    sweep->limit = limit;
    best->cycles = -1;
    enum cm_status status = consider_all(sweep, size, sweep->plan->layout.rank, &choices);
    for (uint32_t i = 0; status == CM_OK && i < choices.count; i++)
        status = choose_length(sweep, &choices.at[i]);
    for (uint32_t i = 0; status == CM_OK && i < REFINED; i++) {
        struct choice choice = take_best(&choices);
        if (choice.cycles < 0)
            break;
        status = refine(sweep, &choice, NULL);
        choice.cycles = (double)sweep->cost.cycles;
        if (!sweep->cost.fits)
            continue;
        if (best->cycles < 0 || choice.cycles < best->cycles)
            *best = choice;
    }
    return status;
}

static enum cm_status choose(struct sweep *sweep, struct choice *best)
{
    uint64_t sram = sweep->plan->config->sequencer_sram_words;
    enum cm_status status = choose_within(sweep, sram, best);
    if (status == CM_OK && best->cycles < 0)
        status = choose_within(sweep, TIMES_MAX * sram, best);
    if (status == CM_OK && best->cycles < 0)
        return cm_error_refuse(sweep->err, "use shifts and combine",
                               "the code of this stencil does not fit the registers and the SRAM");
    return status;
}

enum cm_status cm_stencil_compile_sweep(const struct cm_stencil_plan *plan,
                                        struct cm_compiled *compiled, struct cm_stencil_sweep *made,
                                        struct cm_error *err)
{
    struct sweep sweep = {
        .plan = plan, .err = err, .slides = sliding_axis(plan), .tile.plan = plan};
    struct choice choice;
    enum cm_status status = choose(&sweep, &choice);
    if (status != CM_OK)
        return status;
    status = refine(&sweep, &choice, compiled);
    if (status == CM_OK)
        status = end_imp(&sweep);
    cm_imp_destroy(sweep.imp);
    memcpy(made->tile, choice.size, sizeof made->tile);
    made->loads = sweep.cost.loads;
    return status;
}
