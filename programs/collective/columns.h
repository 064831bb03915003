/*
 * This header emits walks: loops over the columns of a node's elements along one axis. A column has
 * L places, and S elements from one place to the next. Columns form vectors of four neighbours, so
 * that a page of memory is opened once for four columns. The places are unrolled, so that a loop
 * costs little.
 *
 *     loop over the outer indices       the indices of higher axes
 *       loop over S / 4                 vectors. The remaining columns come separately
 *         begin
 *         loop over L / 8               L / 32 where S is less than 4: one column at a time
 *           line                        the elements of a vector at one place
 *         end
 *
 * On a padded axis a table word for each place says whether the place exists in the node. The walk
 * loads that word into the register FPU_PRESENT before each line.
 */
#ifndef CM_PROGRAMS_COLLECTIVE_COLUMNS_H
#define CM_PROGRAMS_COLLECTIVE_COLUMNS_H

#include "collective_private.h"

#define CM_WALK_VECTOR 4u /* number of columns in a vector */

/* Arrays that a walk passes over, element by element. */
enum cm_stream { STREAM_SRC, STREAM_MASK, STREAM_DST, STREAM_SEGMENTS, CM_STREAMS };

struct cm_walk {
    /* number of outer indices, number L of places, and number S of elements between places */
    uint64_t outers, length, stride;
    bool backwards; /* true to walk from the last place to the first */
    /* offset of the table that says which places exist. 0: all places exist */
    uint64_t present;
    struct {
        uint32_t words;  /* number of words of an element. 0: the walk does not use this array */
        unsigned origin; /* address register of the array's first element */
    } streams[CM_STREAMS];
    const void *context;
    void (*begin)(struct cm_collective_compiler *c, const struct cm_walk *walk, uint32_t columns);
    void (*line)(struct cm_collective_compiler *c, const struct cm_walk *walk, uint32_t columns,
                 int64_t line);
    void (*end)(struct cm_collective_compiler *c, const struct cm_walk *walk, uint32_t columns);
};

/* Initialises the walk along axis `a` of the source. The caller then chooses the arrays that it
 * passes over. */
void cm_walk_init(const struct cm_collective *own, uint32_t a, struct cm_walk *walk);
void cm_emit_walk(struct cm_collective_compiler *c, const struct cm_walk *walk);

/* These functions return the address of a vector's element in column `column` of a line, and the
 * address of that column's item. */
struct cm_place cm_walk_place(const struct cm_walk *walk, enum cm_stream stream, int64_t line,
                              uint32_t column);
struct cm_place cm_walk_item(const struct cm_collective_compiler *c, uint32_t column);

/* Returns true if the walk may leave out elements, because of padding or a mask. */
static inline bool cm_walk_guarded(const struct cm_walk *walk)
{
    return walk->present != 0 || walk->streams[STREAM_MASK].words > 0;
}
/* Emits code that sets the context in nodes where the element takes part: its place exists and its
 * mask is true. */
void cm_emit_guard(struct cm_collective_compiler *c, const struct cm_walk *walk, int64_t line,
                   uint32_t column);

#endif
