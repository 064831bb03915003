/*
 * Assignments to an array that the same statement reads at offsets, without a second array for the
 * results.
 *
 * The node's elements are computed in bands, one after the other along one axis. A band's results
 * go to a buffer. They are stored in the array when no later band reads the elements that they
 * replace. So the statement takes node memory for one to three bands. If a band lies only a few
 * elements before those that read it, the results are stored one band later. If the axis is
 * circular within one node, the last bands read the elements of the first band, whose results stay
 * in a buffer until the end.
 *
 * Invariants:
 *
 *   - A band is at least as high as the largest offset along its axis against the order of the
 *     bands.
 *   - The halo on the side where the bands begin is read only by the first band. If buffers would
 *     exceed CM_BANDS_WORDS, the second band's results go to the memory of this halo.
 *
 * This header is not installed.
 */
#ifndef CM_PROGRAMS_ELEMENTWISE_BANDS_H
#define CM_PROGRAMS_ELEMENTWISE_BANDS_H

#include "near.h"

/* Words of a node that the buffers may take. They take more only if the fewest elements that must
 * be kept are more. With the tables of the halos these are at most 1,024 words. */
#define CM_BANDS_WORDS 960u

#define CM_BANDS_BUFFERS_MAX 3u

/* Offsets at which a statement reads the array that it assigns. */
struct cm_bands_reads {
    /* largest offset to the low and to the high side of each axis, not negative */
    int64_t reach[CM_RANK_MAX][CM_BOX_SIDES];
    bool wraps[CM_RANK_MAX]; /* as in struct cm_halos */
};

/* How a node's elements are divided into bands. */
struct cm_bands_plan {
    uint32_t axis;
    bool down;         /* true if the bands begin at the high end of the axis */
    int64_t height;    /* elements of a band along the axis. The last band may have fewer */
    uint32_t rolling;  /* number of buffers that the bands use in turn */
    bool keeps;        /* true if the first band has a buffer of its own until the end */
    bool borrows;      /* true if the second buffer is the memory of a halo */
    uint64_t elements; /* number of elements of all buffers, without the borrowed one */
};

struct cm_bands {
    struct cm_bands_plan plan;
    struct cm_array *array; /* array that is assigned */
    uint32_t target;        /* number of the array argument that stands for the buffers */
    /* buffers: the layout is that of `array`, but only the elements of a band have memory */
    struct cm_array buffers[CM_BANDS_BUFFERS_MAX];
};

/* Chooses the bands that take the fewest words, or the fewest bands if the buffers do not take more
 * than `words`. */
void cm_bands_choose(const struct cm_layout *layout, const struct cm_bands_reads *reads,
                     uint64_t words, struct cm_bands_plan *plan);

/* Allocates the buffers for assignments to an array, padding included. Takes lower
 * bands if node memory has no room for CM_BANDS_WORDS. */
enum cm_status cm_bands_create(struct cm_system *system, struct cm_array *array,
                               const struct cm_bands_reads *reads, struct cm_bands **bands,
                               struct cm_error *err);
void cm_bands_destroy(struct cm_system *system, struct cm_bands *bands);

/*
 * Runs an expression that assigns &bands->buffers[0], which is array argument bands->target, and
 * reads bands->array at the offsets of `arguments`. The results go to bands->array. The other
 * parameters are those of cm_elementwise_start.
 */
enum cm_status cm_bands_run(struct cm_system *system, const struct cm_bands *bands,
                            const struct cm_expression *expression,
                            const struct cm_near_arguments *arguments, enum cm_entry entry,
                            struct cm_error *err);

#endif
