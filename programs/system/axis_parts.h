/*
 * Splits shifts and axes into pieces that few instructions can move. Let L be the local length, the
 * number of elements of an axis in one node.
 *
 *   part    elements that come from nodes at one distance. In a shift by `distance`, local element
 *           i takes element i + distance = q L + i', where 0 <= i' < L. This is element i' of the
 *           node q further on. Each value of q makes a part, so a shift has at most two parts
 *   range   places along the axis that have the same local indices in each of some nodes
 *   runs    places of a part or range in node memory: stretches of neighbouring elements at equal
 *           distances
 */
#ifndef CM_PROGRAMS_SYSTEM_AXIS_PARTS_H
#define CM_PROGRAMS_SYSTEM_AXIS_PARTS_H

#include "geometry.h"

struct cm_axis_part {
    uint64_t first; /* index along the axis of the first element in the destination node */
    uint64_t count;
    uint64_t source; /* index along the axis of the first element in the source node */
    int64_t nodes;   /* q: the source node is q nodes further on */
};

/* Finds the parts of a shift by `distance`, which may be any number, in a ring of L << node_bits
 * places. Returns their number, at most two. */
uint32_t cm_axis_parts_find(const struct cm_axis *axis, int64_t distance,
                            struct cm_axis_part parts[2]);

/* Range of places along an axis: the same local indices in several consecutive blocks. Place p is
 * in block c at local index i, with p = c L + i and L the local length. */
struct cm_range {
    uint64_t first; /* first local index of the range */
    uint64_t count;
    uint32_t first_coordinate;
    uint32_t last_coordinate;
};
uint32_t cm_ranges_find(const struct cm_axis *axis, uint64_t low, uint64_t high,
                        struct cm_range ranges[3]);

/*
 * Runs of neighbouring local elements: `rows` runs of `run` elements each. The first run begins at
 * `offset`, and each other run begins `stride` after the start of the run before. All numbers count
 * elements in memory order.
 */
struct cm_runs {
    uint64_t offset;
    uint64_t run;
    uint64_t rows;
    uint64_t stride;
};
struct cm_runs cm_runs_of(const struct cm_layout *layout, uint32_t a, uint64_t first,
                          uint64_t count);

#endif
