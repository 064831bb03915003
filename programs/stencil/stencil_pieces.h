/*
 * This header cuts an axis of a stencil's sweep into tiles. Neighbouring tiles of one size that
 * need no element beyond the node form one piece, which a loop repeats. Every other tile is a piece
 * of its own, because it reads halos. This header is not installed.
 */
#ifndef CM_PROGRAMS_STENCIL_STENCIL_PIECES_H
#define CM_PROGRAMS_STENCIL_STENCIL_PIECES_H

#include "stencil_plan.h"

#define CM_STENCIL_PIECES_MAX 64u /* limit on the pieces of an axis */

/* Piece of an axis: `repeat` tiles of one size, one after the other. */
struct cm_stencil_piece {
    int64_t start, size;
    int64_t repeat;
    bool inner; /* true if the tiles need no element beyond the node */
};

struct cm_stencil_pieces {
    uint32_t count;
    struct cm_stencil_piece at[CM_STENCIL_PIECES_MAX];
};

/* Returns how far the offsets of any source reach along axis `a`, to the low (0) or high (1) side,
 * in elements. */
int64_t cm_stencil_reach(const struct cm_stencil_plan *plan, uint32_t a, uint32_t side);

/*
 * Cuts an axis into tiles of at most `size` elements. If `tight` is true, tiles in the middle have
 * that size and the ends take the rest. The ends then take less code, which leaves SRAM for the
 * middle. Returns false if there are too many pieces.
 */
bool cm_stencil_cut(const struct cm_stencil_plan *plan, uint32_t a, int64_t size, bool tight,
                    struct cm_stencil_pieces *pieces);

#endif
