/*
 * A tile: results that the sweep computes together, in a line of code without loops. Rows of source
 * elements (neighbours along axis 0) are taken in ascending order of their last coordinates; a row
 * is added to all results of the tile that it has a part in, so their sums wait in registers, and
 * a source word is loaded once a tile if the registers are enough. Operands that must give way are
 * loaded again; those that are needed last go first (Belady, A study of replacement algorithms,
 * 1966). Not installed.
 */
#ifndef CM_PROGRAMS_STENCIL_STENCIL_TILE_H
#define CM_PROGRAMS_STENCIL_STENCIL_TILE_H

#include "stencil_plan.h"

/* Places that an address register can follow: dst, each source with its halos, the arrays of
 * coefficients. */
#define CM_STENCIL_OF_SOURCE (1u + CM_STENCIL_RANK_MAX * CM_STENCIL_SIDES)
#define CM_STENCIL_STREAMS_MAX                                                                     \
    (1u + CM_STENCIL_SOURCES_MAX * CM_STENCIL_OF_SOURCE + CM_STENCIL_ARRAYS_MAX)

/* The address registers of a tile's code: register i points to stream `used[i]`, at the element
 * with the coordinates of the tile's first result, and serves all streams that move with it. */
struct cm_stencil_streams {
    uint32_t count;
    uint8_t used[CM_STENCIL_STREAMS_MAX];
};

/* When results that are complete are stored: after a row of source elements was added to one row of
 * results, or to all of them; after all rows with one last coordinate; when registers run out. */
enum cm_stencil_stores {
    CM_STORES_RESULTS = 1,
    CM_STORES_ROWS,
    CM_STORES_STEPS,
    CM_STORES_LATE,
};

/* The order of operations, within what the order of terms leaves open. */
struct cm_stencil_order {
    enum cm_stencil_stores stores;
    bool widest_first; /* which results a row is added to first: those with most terms in it, or
                          those that it completes */
    uint8_t block;     /* results along axis 0 that are done before the next ones; 0: all */
    uint8_t columns;   /* source elements of a row that are added together; 0: all of it */
    uint8_t ahead;     /* operations whose elements are loaded with the first one of their page, as
                          far as registers are free */
};

struct cm_stencil_tile {
    const struct cm_stencil_plan *plan;
    int64_t start[CM_STENCIL_RANK_MAX]; /* coordinates of the first result */
    int64_t size[CM_STENCIL_RANK_MAX];
    struct cm_stencil_order order;
};

/* What the code of a tile takes. */
struct cm_stencil_cost {
    uint64_t cycles; /* without loops; of one place, with arrays one after the other */
    uint64_t words;  /* of SRAM */
    uint64_t loads;  /* of source elements */
    bool fits;       /* the registers are enough */
};

/* Where a stream begins: an argument of the IMP and a box. */
const struct cm_box *cm_stencil_stream_box(const struct cm_stencil_plan *plan, uint32_t stream,
                                           uint32_t *argument);

/* Emits a tile's code, or, `imp` NULL, only counts. `streams` gets those that the code uses, and
 * gives their registers. CM_NO_MEMORY is the only failure. */
enum cm_status cm_stencil_tile_compile(const struct cm_stencil_tile *tile, struct cm_imp *imp,
                                       struct cm_stencil_streams *streams,
                                       struct cm_stencil_cost *cost, struct cm_error *err);

#endif
