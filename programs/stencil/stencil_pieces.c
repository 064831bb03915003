/* Cuts an axis of a stencil's sweep into tiles. */
#include "stencil_pieces.h"

int64_t cm_stencil_reach(const struct cm_stencil_plan *plan, uint32_t a, uint32_t side)
{
    int64_t reach = 0;
    for (uint32_t s = 0; s < plan->source_count; s++)
        if (reach < plan->sources[s].reach[a][side])
            reach = plan->sources[s].reach[a][side];
    return reach;
}

/* Adds a tile to the pieces of an axis. An inner tile, which needs no element beyond the node,
 * joins the piece before it if that has the same size. */
static bool add_tile(struct cm_stencil_pieces *pieces, int64_t start, int64_t size, bool inner)
{
    struct cm_stencil_piece *last = &pieces->at[pieces->count > 0 ? pieces->count - 1 : 0];
    if (inner && pieces->count > 0 && last->inner && last->size == size)
        last->repeat++;
    else if (pieces->count < CM_STENCIL_PIECES_MAX)
        pieces->at[pieces->count++] = (struct cm_stencil_piece){start, size, 1, inner};
    else
        return false;
    return true;
}

/* Cuts the elements [start, end) of an axis into tiles of at most `size`, as equal as possible. */
static bool cut_equal(const struct cm_stencil_plan *plan, uint32_t a, int64_t size, int64_t start,
                      int64_t end, struct cm_stencil_pieces *pieces)
{
    int64_t length = end - start, count = (length + size - 1) / size;
    for (int64_t i = 0; i < count; i++) {
        int64_t now = length / count + (i < length % count);
        bool inner = start >= cm_stencil_reach(plan, a, 0) &&
                     start + now + cm_stencil_reach(plan, a, 1) <= plan->length[a];
        if (!add_tile(pieces, start, now, inner))
            return false;
        start += now;
    }
    return true;
}

bool cm_stencil_cut(const struct cm_stencil_plan *plan, uint32_t a, int64_t size, bool tight,
                    struct cm_stencil_pieces *pieces)
{
    int64_t length = plan->length[a], low = cm_stencil_reach(plan, a, 0),
            high = cm_stencil_reach(plan, a, 1);
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
