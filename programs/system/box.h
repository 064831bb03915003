/*
 * Boxes of elements, and halos: where a node has the elements of a part of the index space, its own
 * or those of its neighbours. Not installed.
 */
#ifndef CM_PROGRAMS_SYSTEM_BOX_H
#define CM_PROGRAMS_SYSTEM_BOX_H

#include "geometry.h"

#define CM_BOX_SIDES 2u /* 0: low, 1: high */

/* Elements with coordinates low <= x < high, axis by axis, at `offset` of an array or of a halo
 * buffer, in elements. Coordinates count from the node's first element; an empty box has
 * low = high along some axis. */
struct cm_box {
    int64_t low[CM_RANK_MAX];
    int64_t high[CM_RANK_MAX];
    int64_t stride[CM_RANK_MAX];
    int64_t offset;
};

bool cm_box_empty(const struct cm_box *box, uint32_t rank);
uint64_t cm_box_elements(const struct cm_box *box, uint32_t rank);
/* Where coordinates are within their array or buffer, in elements. */
int64_t cm_box_at(const struct cm_box *box, uint32_t rank, const int64_t *x);

/*
 * What an array is continued by beyond the node. Halo (a, side) has the elements outside along axis
 * a, on that side, and not outside along a later axis; along earlier axes it goes on into the
 * corners.
 */
struct cm_halos {
    bool wraps[CM_RANK_MAX]; /* the axis is circular and in one node: its own elements */
    struct cm_box boxes[CM_RANK_MAX][CM_BOX_SIDES];
    uint64_t address; /* of the buffer that has all of them */
};

#endif
