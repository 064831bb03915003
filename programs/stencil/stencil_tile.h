/*
 * This header compiles tiles. A tile is the results that the sweep computes together, in
 * straight-line code.
 *
 * *Order.* A row is the source elements that are neighbours along axis 0. Rows come in ascending
 * order of their last coordinates. A row is added to all results of the tile that it contributes
 * to, so the sums of these results wait in registers. A source word is loaded once for a tile if
 * the registers suffice.
 *
 * *Registers.* If no register is free, the operand whose next use is farthest loses its register
 * and is loaded again later (L. A. Belady, A study of replacement algorithms, 1966). Sums are never
 * spilled. This header is not installed.
 */
#ifndef CM_PROGRAMS_STENCIL_STENCIL_TILE_H
#define CM_PROGRAMS_STENCIL_STENCIL_TILE_H

#include "stencil_plan.h"

/* Number of streams of a source, and limit on all streams. A stream is a place in memory that an
 * address register can follow: dst, a source, one of its halos, or an array of coefficients. */
#define CM_STENCIL_OF_SOURCE (1u + CM_STENCIL_RANK_MAX * CM_STENCIL_SIDES)
#define CM_STENCIL_STREAMS_MAX                                                                     \
    (1u + CM_STENCIL_SOURCES_MAX * CM_STENCIL_OF_SOURCE + CM_STENCIL_ARRAYS_MAX)

/* Address registers of a tile's code. Register i points to stream `used[i]`, at the coordinates of
 * the tile's first result. It serves all streams that move in the same way as that stream. */
struct cm_stencil_streams {
    uint32_t count;
    uint8_t used[CM_STENCIL_STREAMS_MAX];
};

/* Time at which complete results are stored: after a source row was added to one row of results,
 * after it was added to all rows of results, after all source rows with one last coordinate, or
 * when registers run out. */
enum cm_stencil_stores {
    CM_STORES_RESULTS = 1,
    CM_STORES_ROWS,
    CM_STORES_STEPS,
    CM_STORES_LATE,
};

/* Order of a tile's operations, as far as the order of terms leaves it open. */
struct cm_stencil_order {
    enum cm_stencil_stores stores;
    bool widest_first; /* true to begin with the results for which a source row has most terms */
    /* number of results along axis 0 that are completed before the next ones. 0: all */
    uint8_t block;
    uint8_t columns; /* number of source elements of a row that are added together. 0: all */
    /* number of next operations whose elements may be loaded early, if they are in the open page */
    uint8_t ahead;
};

struct cm_stencil_tile {
    const struct cm_stencil_plan *plan;
    int64_t start[CM_STENCIL_RANK_MAX]; /* coordinates of the tile's first result */
    int64_t size[CM_STENCIL_RANK_MAX];
    struct cm_stencil_order order;
};

/* Cost of a tile's code in cycles and words. */
struct cm_stencil_cost {
    uint64_t cycles; /* cycles without loops, assuming that arrays follow each other in memory */
    uint64_t words;  /* number of SRAM words */
    uint64_t loads;  /* number of source elements loaded */
    bool fits;       /* true if the registers suffice */
};

/* Returns the box (coordinates and place) of a stream. Sets *argument to the argument of the IMP
 * from which the box's addresses count. */
const struct cm_box *cm_stencil_stream_box(const struct cm_stencil_plan *plan, uint32_t stream,
                                           uint32_t *argument);

/* Emits a tile's code, or only counts its cost if `imp` is NULL. Sets `streams` to the streams that
 * the code uses and their address registers. Fails only with CM_NO_MEMORY. */
enum cm_status cm_stencil_tile_compile(const struct cm_stencil_tile *tile, struct cm_imp *imp,
                                       struct cm_stencil_streams *streams,
                                       struct cm_stencil_cost *cost, struct cm_error *err);

#endif
