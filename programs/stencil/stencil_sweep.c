/*
 * The sweep: tiles of one size over all elements of a node. Along each axis the tiles are cut into
 * pieces: neighbours that need nothing beyond the node are one piece, which a loop repeats; others
 * are pieces of their own, because they read halos. The sweep has code for each combination of
 * pieces.
 *
 * The size of a tile is chosen by counting: some elements along axis 0 and the axes in between, as
 * many as the registers serve best, and along the last axis with offsets, on which a window of rows
 * slides, as many as the SRAM takes. The code is in IMPs of at most half the SRAM, which together
 * take no more than the SRAM; only a stencil that cannot be so small takes several times as much.
 */
#include "../system/compiled_imps.h"
#include "../system/emit.h"
#include "stencil_tile.h"

#include <inttypes.h>
#include <string.h>

#define IMP_SHARE    2u  /* an IMP of the sweep takes at most this part of the SRAM */
#define CHOICES      12u /* sizes that are estimated best, and are counted in full */
#define TIMES_MAX    8u  /* the SRAM, for all code, when it cannot be less */
#define WIDTH_MAX    32  /* of a tile along axis 0 */
#define ROWS_MAX     4   /* along an axis in between */
#define TRIAL_MAX    8   /* along the axis that slides, to compare sizes */
#define LONGER_SHARE 4   /* of the expected length, by which it may be longer */
#define PIECES_MAX   64u /* of an axis */

/* Tiles of one size, one after the other along an axis. */
struct piece {
    int64_t start, size;
    int64_t repeat;
    bool inner; /* needs nothing beyond the node */
};

struct pieces {
    uint32_t count;
    struct piece at[PIECES_MAX];
};

struct sweep {
    const struct cm_stencil_plan *plan;
    struct cm_error *err;
    uint32_t slides; /* the axis along which tiles are long */
    bool tight;      /* how axes are cut */
    struct cm_stencil_tile tile;
    struct pieces pieces[CM_STENCIL_RANK_MAX];
    struct cm_compiled *compiled; /* NULL: counting */
    struct cm_imp *imp;
    uint64_t limit;              /* words of SRAM for all of it */
    struct cm_stencil_cost cost; /* of all of it */
};

/* How far any source reaches beyond an element. */
static int64_t reach_of(const struct cm_stencil_plan *plan, uint32_t a, uint32_t side)
{
    int64_t reach = 0;
    for (uint32_t s = 0; s < plan->source_count; s++)
        if (reach < plan->sources[s].reach[a][side])
            reach = plan->sources[s].reach[a][side];
    return reach;
}

/* Adds a tile that needs elements beyond the node, or one of those that do not. */
static bool add_tile(struct pieces *pieces, int64_t start, int64_t size, bool inner)
{
    struct piece *last = &pieces->at[pieces->count > 0 ? pieces->count - 1 : 0];
    if (inner && pieces->count > 0 && last->inner && last->size == size)
        last->repeat++;
    else if (pieces->count < PIECES_MAX)
        pieces->at[pieces->count++] = (struct piece){start, size, 1, inner};
    else
        return false;
    return true;
}

/* Cuts the elements [start, end) of an axis into tiles of at most `size`, as equal as can be. */
static bool cut_equal(const struct cm_stencil_plan *plan, uint32_t a, int64_t size, int64_t start,
                      int64_t end, struct pieces *pieces)
{
    int64_t length = end - start, count = (length + size - 1) / size;
    for (int64_t i = 0; i < count; i++) {
        int64_t now = length / count + (i < length % count);
        bool inner =
            start >= reach_of(plan, a, 0) && start + now + reach_of(plan, a, 1) <= plan->length[a];
        if (!add_tile(pieces, start, now, inner))
            return false;
        start += now;
    }
    return true;
}

/*
 * Cuts an axis into tiles of at most `size` elements. False: too many pieces. With `tight`, those
 * in the middle have that size and the ends take what is left: the ends are pieces of their own, so
 * they take less code, which leaves more of the SRAM for the middle.
 */
static bool cut(const struct cm_stencil_plan *plan, uint32_t a, int64_t size, bool tight,
                struct pieces *pieces)
{
    int64_t length = plan->length[a], low = reach_of(plan, a, 0), high = reach_of(plan, a, 1);
    int64_t repeat = length > low + high ? (length - low - high) / size : 0;
    int64_t rest = length - low - high - repeat * size;
    pieces->count = 0;
    if (!tight || repeat == 0)
        return cut_equal(plan, a, size, 0, length, pieces);
    low += high == 0 ? rest : low == 0 ? 0 : rest / 2;
    if (!cut_equal(plan, a, size, 0, low, pieces))
        return false;
    for (int64_t i = 0; i < repeat; i++)
        if (!add_tile(pieces, low + i * size, size, true))
            return false;
    return cut_equal(plan, a, size, low + repeat * size, length, pieces);
}

static int64_t advance_of(const struct sweep *sweep, uint32_t stream, const struct piece *piece,
                          uint32_t a)
{
    uint32_t argument;
    const struct cm_box *box = cm_stencil_stream_box(sweep->plan, stream, &argument);
    return piece->size * box->stride[a] * sweep->plan->layout.slices;
}

/* Points the registers to the first result of a combination of pieces. */
static void emit_streams(struct sweep *sweep, const struct cm_stencil_streams *streams)
{
    for (uint32_t i = 0; i < streams->count; i++) {
        uint32_t argument;
        const struct cm_box *box = cm_stencil_stream_box(sweep->plan, streams->used[i], &argument);
        int64_t at = cm_box_at(box, sweep->plan->layout.rank, sweep->tile.start);
        cm_emit_argument(sweep->imp, i, argument, at * sweep->plan->layout.slices);
    }
}

/* The loops over the pieces along axes 0 to `level` - 1, around a tile. Each stream moves on at the
 * end of an iteration, and back what the inner loops moved it: `moved` has that. */
static enum cm_status emit_loops(struct sweep *sweep, const struct piece *const *pieces,
                                 uint32_t level, struct cm_stencil_streams *streams, int64_t *moved)
{
    struct cm_stencil_cost cost;
    if (level == 0) {
        memset(moved, 0, CM_STENCIL_STREAMS_MAX * sizeof *moved);
        return cm_stencil_tile_compile(&sweep->tile, sweep->imp, streams, &cost, sweep->err);
    }
    const struct piece *piece = pieces[level - 1];
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

/* Words of SRAM of a combination besides its tile. */
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
    return CM_OK;
}

static enum cm_status end_imp(struct sweep *sweep)
{
    struct cm_imp *imp = sweep->imp;
    sweep->imp = NULL;
    return imp ? cm_compiled_add(sweep->compiled, cm_emit_end(imp), sweep->err) : CM_OK;
}

/* Emits a combination, in an IMP of its own where the one before is full. */
static enum cm_status emit_combination(struct sweep *sweep, const struct piece *const *pieces,
                                       const struct cm_stencil_cost *cost,
                                       struct cm_stencil_streams *streams)
{
    uint64_t words = cost->words + loop_words(sweep, streams->count);
    uint64_t limit = sweep->plan->config->sequencer_sram_words / IMP_SHARE;
    int64_t moved[CM_STENCIL_STREAMS_MAX];
    enum cm_status status = CM_OK;
    if (sweep->imp && cm_imp_words(sweep->imp) + words > limit)
        status = end_imp(sweep);
    if (status == CM_OK && !sweep->imp)
        status = begin_imp(sweep);
    if (status != CM_OK)
        return status;
    emit_streams(sweep, streams);
    return emit_loops(sweep, pieces, sweep->plan->layout.rank, streams, moved);
}

/* One combination of pieces: counted, and emitted unless the sweep is only counted. */
static enum cm_status combine_pieces(struct sweep *sweep, const struct piece *const *pieces)
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
    enum cm_status status =
        cm_stencil_tile_compile(&sweep->tile, NULL, &streams, &cost, sweep->err);
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

/* All combinations of pieces along axes 0 to `level` - 1. */
static enum cm_status combine_levels(struct sweep *sweep, const struct piece **pieces,
                                     uint32_t level)
{
    enum cm_status status = CM_OK;
    if (level == 0)
        return combine_pieces(sweep, pieces);
    for (uint32_t i = 0; status == CM_OK && sweep->cost.fits && i < sweep->pieces[level - 1].count;
         i++) {
        pieces[level - 1] = &sweep->pieces[level - 1].at[i];
        status = combine_levels(sweep, pieces, level - 1);
    }
    return status;
}

/* Counts, or emits, a sweep with tiles of at most `size`. */
static enum cm_status try_size(struct sweep *sweep, const int64_t *size)
{
    const struct piece *pieces[CM_STENCIL_RANK_MAX];
    sweep->cost = (struct cm_stencil_cost){.fits = true};
    for (uint32_t a = 0; a < sweep->plan->layout.rank; a++)
        if (!cut(sweep->plan, a, size[a], sweep->tight, &sweep->pieces[a]))
            sweep->cost.fits = false;
    return combine_levels(sweep, pieces, sweep->plan->layout.rank);
}

/* A size of tile, and what it is expected to take: code in the middle of the node takes so many
 * cycles and words for each tile and for each step along the sliding axis. */
struct choice {
    int64_t size[CM_STENCIL_RANK_MAX];
    struct cm_stencil_order order;
    bool tight;
    double tiles;
    int64_t length; /* along the sliding axis, as the SRAM is expected to allow */
    double tile_cycles, step_cycles;
    double tile_words, step_words;
    double cycles; /* for all results, with the length that the SRAM allows */
};

/* The best so far, in ascending order. */
struct choices {
    uint32_t count;
    struct choice at[CHOICES];
};

/* Whether another order of operations makes no difference. */
static bool alike(const struct choice *a, const struct choice *b)
{
    return a->tight == b->tight && memcmp(a->size, b->size, sizeof a->size) == 0 &&
           !(a->cycles < b->cycles) && !(a->cycles > b->cycles);
}

static void keep_choice(struct choices *choices, const struct choice *choice)
{
    for (uint32_t i = 0; i < choices->count; i++)
        if (alike(&choices->at[i], choice))
            return;
    uint32_t k = choices->count < CHOICES ? choices->count++ : CHOICES;
    if (k == CHOICES && choice->cycles >= choices->at[--k].cycles)
        return;
    for (; k > 0 && choices->at[k - 1].cycles > choice->cycles; k--)
        choices->at[k] = choices->at[k - 1];
    choices->at[k] = *choice;
}

/* Places a tile of about this size in the middle of the node. */
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

/* Counts a tile and one of half its length; the difference is due to the steps. *fits is false
 * where the registers are too few. */
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

/* How many tiles an axis has, and how much code they take: the sizes of the pieces. A shorter tile
 * counts as the part of a whole one that it loads: itself and what it reaches. */
static double cut_axis(struct sweep *sweep, uint32_t a, int64_t size, double *tiles)
{
    struct pieces *pieces = &sweep->pieces[a];
    double reach = (double)(reach_of(sweep->plan, a, 0) + reach_of(sweep->plan, a, 1));
    double sizes = 0;
    if (!cut(sweep->plan, a, size, sweep->tight, pieces))
        return 0;
    *tiles = 0;
    for (uint32_t i = 0; i < pieces->count; i++) {
        double now = (double)pieces->at[i].size;
        *tiles += (double)pieces->at[i].repeat * (now + reach) / ((double)size + reach);
        sizes += now;
    }
    return sizes;
}

/* The next smaller size along an axis that makes a difference; 0: none. Equal tiles have only sizes
 * that are a part of the length, rounded up. */
static int64_t next_size(const struct sweep *sweep, uint32_t a, int64_t size)
{
    int64_t length = sweep->plan->length[a];
    if (sweep->tight || size <= 1)
        return size - 1;
    int64_t count = (length + size - 2) / (size - 1);
    return (length + count - 1) / count;
}

/* Estimates all of a sweep, with the longest tiles that the SRAM allows. False when none are. */
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

/* Whether equal tiles have these sizes. */
static bool are_equal(const struct sweep *sweep, const int64_t *size)
{
    bool equal = true;
    for (uint32_t a = 0; a < sweep->plan->layout.rank; a++) {
        int64_t length = sweep->plan->length[a], count = (length + size[a] - 1) / size[a];
        equal = equal && (a == sweep->slides || size[a] == (length + count - 1) / count);
    }
    return equal;
}

/* What is tried for each size. */
static const struct cm_stencil_order orders[] = {
    {.late = false},
    {.late = true},
    {.widest_first = true, .late = true},
    {.columns = 1, .late = true},
    {.columns = 2, .late = true},
};

/* Tiles that are shorter than those that were counted are counted too: sums wait for few steps. */
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
    for (uint32_t o = 0; status == CM_OK && o < sizeof orders / sizeof orders[0]; o++)
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

/* Tries all sizes along axes 0 to `level` - 1, those that make a difference. */
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

/* The last axis with offsets; rank one slides along axis 0. */
static uint32_t sliding_axis(const struct cm_stencil_plan *plan)
{
    uint32_t last = plan->layout.rank - 1;
    for (uint32_t a = last; a > 0; a--)
        if (reach_of(plan, a, 0) + reach_of(plan, a, 1) > 0)
            return a;
    return last;
}

/* Whether a tile's operations alone, a word each at least, exceed the limit. */
static bool too_long(const struct sweep *sweep, const int64_t *size)
{
    uint64_t words = sweep->plan->pattern.term_count;
    for (uint32_t a = 0; a < sweep->plan->layout.rank; a++)
        words *= (uint64_t)size[a];
    return words > sweep->limit;
}

/* Counts sweeps with ever shorter tiles, from a little longer than expected, until the SRAM takes
 * one: choice->cycles is what it takes, or -1 when even the shortest is too long. */
static enum cm_status choose_length(struct sweep *sweep, struct choice *choice)
{
    int64_t *size = &choice->size[sweep->slides], length = sweep->plan->length[sweep->slides];
    sweep->tile.order = choice->order;
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

/* The size that takes fewest cycles; best->cycles is -1 when all of them exceed the limit. */
static enum cm_status choose_within(struct sweep *sweep, uint64_t limit, struct choice *best)
{
    int64_t size[CM_STENCIL_RANK_MAX] = {1, 1, 1, 1};
    struct choices choices = {0};
    sweep->limit = limit;
    best->cycles = -1;
    enum cm_status status = consider_all(sweep, size, sweep->plan->layout.rank, &choices);
    for (uint32_t i = 0; status == CM_OK && i < choices.count; i++) {
        struct choice *choice = &choices.at[i];
        status = choose_length(sweep, choice);
        if (choice->cycles >= 0 && (best->cycles < 0 || choice->cycles < best->cycles))
            *best = *choice;
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
    sweep.compiled = compiled;
    sweep.tile.order = choice.order;
    sweep.tight = choice.tight;
    status = try_size(&sweep, choice.size);
    if (status == CM_OK)
        status = end_imp(&sweep);
    cm_imp_destroy(sweep.imp);
    memcpy(made->tile, choice.size, sizeof made->tile);
    made->loads = sweep.cost.loads;
    return status;
}
