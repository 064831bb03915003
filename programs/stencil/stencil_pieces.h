/*
 * Pieces of an axis: neighbouring tiles that need nothing beyond the node are one piece, which a
 * loop repeats; others are pieces of their own, because they read halos. Not installed.
 */
#ifndef CM_PROGRAMS_STENCIL_STENCIL_PIECES_H
#define CM_PROGRAMS_STENCIL_STENCIL_PIECES_H

#include "stencil_plan.h"

#define CM_STENCIL_PIECES_MAX 64u /* of an axis */

/* Tiles of one size, one after the other along an axis. */
struct cm_stencil_piece {
    int64_t start, size;
    int64_t repeat;
    bool inner; /* needs nothing beyond the node */
};

struct cm_stencil_pieces {
    uint32_t count;
    struct cm_stencil_piece at[CM_STENCIL_PIECES_MAX];
};

/* How far any source reaches beyond an element. */
int64_t cm_stencil_reach(const struct cm_stencil_plan *plan, uint32_t a, uint32_t side);

/*
 * Cuts an axis into tiles of at most `size` elements. False: too many pieces. With `tight`, those
 * in the middle have that size and the ends take what is left: the ends are pieces of their own, so
 * they take less code, which leaves more of the SRAM for the middle.
 */
bool cm_stencil_cut(const struct cm_stencil_plan *plan, uint32_t a, int64_t size, bool tight,
                    struct cm_stencil_pieces *pieces);

#endif
