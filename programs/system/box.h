/* Boxes of elements, and halos. A box says where a node keeps a part of the index space, made of
 * its own elements or of elements of its neighbours. This header is not installed. */
#ifndef CM_PROGRAMS_SYSTEM_BOX_H
#define CM_PROGRAMS_SYSTEM_BOX_H

#include "geometry.h"

#define CM_BOX_SIDES 2u /* side 0 is low, side 1 is high */

/* Box of the elements with coordinates low <= x < high along every axis. The box begins `offset`
 * elements behind the start of an array or of a halo buffer. Coordinates count from the first
 * element of the node. An empty box has low = high along some axis. */
struct cm_box {
    int64_t low[CM_RANK_MAX];
    int64_t high[CM_RANK_MAX];
    int64_t stride[CM_RANK_MAX];
    int64_t offset;
};

bool cm_box_empty(const struct cm_box *box, uint32_t rank);
uint64_t cm_box_elements(const struct cm_box *box, uint32_t rank);
/* Returns the number of elements between the start of the array or halo buffer and element `x` of
 * the box. */
int64_t cm_box_at(const struct cm_box *box, uint32_t rank, const int64_t *x);

/*
 * Halos around the elements of a node. Halo (a, side) has the elements beyond that side of axis a.
 * Along later axes it is as wide as the node's own elements. Along earlier axes it extends into the
 * corners.
 */
struct cm_halos {
    /* True if the axis is circular and lies within one node, so that the node's own elements are
     * their own neighbours beyond the ends of the axis. */
    bool wraps[CM_RANK_MAX];
    struct cm_box boxes[CM_RANK_MAX][CM_BOX_SIDES];
    uint64_t address; /* word address of the buffer with all halos */
};

#endif
