/*
 * A shift along one axis, taken apart: which local elements come from which node. With local length
 * L, element i of a node takes the element at i + distance = q L + i', the i'-th of the node q
 * further on; a shift has one part for each q.
 */
#ifndef CM_PROGRAMS_SYSTEM_AXIS_PARTS_H
#define CM_PROGRAMS_SYSTEM_AXIS_PARTS_H

#include "geometry.h"

struct cm_part {
    uint64_t first; /* destination index along the axis, within a node */
    uint64_t count;
    uint64_t source; /* source index of the first */
    int64_t nodes;   /* q: the source is q nodes further on */
};

/* The parts of a shift by `distance` in the ring of (L << node_bits) places; at most two
 * (|distance| any). */
uint32_t cm_parts_find(const struct cm_axis *axis, int64_t distance, struct cm_part parts[2]);

/*
 * The places [low, high) of an axis, as local index ranges each with the block coordinates that
 * they concern: place p = c L + i. At most three; ranges without nodes are left out.
 */
struct cm_range {
    uint64_t first; /* local index */
    uint64_t count;
    uint32_t first_coordinate;
    uint32_t last_coordinate;
};
uint32_t cm_ranges_find(const struct cm_axis *axis, uint64_t low, uint64_t high,
                        struct cm_range ranges[3]);

/*
 * The local elements that have index [first, first + count) along axis `a`: `rows` runs of `run`
 * neighbours, `stride` apart, the first at `offset`; all in elements, in memory order.
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
