/*
 * A walk over the columns of the elements of a node, along one axis: S elements from one place to
 * the next, L places. Columns go in vectors of four that lie side by side, so that a page of memory
 * is left once for four; the places are unrolled, so that a loop costs little.
 *
 *     loop over the outer indices       those of higher axes
 *       loop over S / 4                 vectors; what is left, apart
 *         begin
 *         loop over L / 8               L / 32 where S is less than 4: one column at a time
 *           line                        the elements of a vector at one place
 *         end
 *
 * Where the axis is padded, a word of the tables for each place says whether it exists in the node;
 * the walk loads it into FPU_PRESENT before each line.
 */
#ifndef CM_PROGRAMS_COLLECTIVE_COLUMNS_H
#define CM_PROGRAMS_COLLECTIVE_COLUMNS_H

#include "collective_private.h"

#define CM_WALK_VECTOR 4u /* columns */

/* Arrays that a walk passes over, element by element. */
enum cm_stream { STREAM_SRC, STREAM_MASK, STREAM_DST, STREAM_SEGMENTS, CM_STREAMS };

struct cm_walk {
    uint64_t outers, length, stride; /* those of the indices above, L, S */
    bool backwards;                  /* from the last place to the first */
    uint64_t present;                /* where the table of places begins; 0: all exist */
    struct {
        uint32_t words;  /* of an element; 0: not used */
        unsigned origin; /* address register of its first element */
    } streams[CM_STREAMS];
    const void *context;
    void (*begin)(struct cm_compiler *c, const struct cm_walk *walk, uint32_t columns);
    void (*line)(struct cm_compiler *c, const struct cm_walk *walk, uint32_t columns, int64_t line);
    void (*end)(struct cm_compiler *c, const struct cm_walk *walk, uint32_t columns);
};

/* The walk along axis `a` of the source, without streams. */
void cm_walk_init(const struct cm_collective *own, uint32_t a, struct cm_walk *walk);
void cm_emit_walk(struct cm_compiler *c, const struct cm_walk *walk);

/* An element in a line; the item of a column of the vector in the work area. */
struct cm_place cm_walk_place(const struct cm_walk *walk, enum cm_stream stream, int64_t line,
                              uint32_t column);
struct cm_place cm_walk_item(const struct cm_compiler *c, uint32_t column);

/* Where elements may be left out. */
static inline bool cm_walk_guarded(const struct cm_walk *walk)
{
    return walk->present != 0 || walk->streams[STREAM_MASK].words > 0;
}
/* The context of an element: whether it takes part. */
void cm_emit_guard(struct cm_compiler *c, const struct cm_walk *walk, int64_t line,
                   uint32_t column);

#endif
