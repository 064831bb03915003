/*
 * Ways of elements over the links of a cube, step by step: no link carries two elements of a step
 * in one direction. Not installed.
 */
#ifndef CM_PROGRAMS_RESHAPE_RESHAPE_WAYS_H
#define CM_PROGRAMS_RESHAPE_RESHAPE_WAYS_H

#include "reshape_streams.h"

#define CM_RESHAPE_WAY_BITS  (CM_RESHAPE_CONDITIONS + 1) /* a stream names its node, bit by bit */
#define CM_RESHAPE_WAY_NODES (1u << CM_RESHAPE_WAY_BITS)
#define CM_RESHAPE_WAIT      UINT8_MAX /* instead of the dimension of a hop */

struct cm_reshape_ways {
    uint32_t bits;     /* of a node's number */
    uint32_t elements; /* in each node */
    uint32_t target[CM_RESHAPE_WAY_NODES];
    uint32_t steps; /* found */
    uint8_t *hops;  /* at [(node * elements + element) * steps + step] */
};

/* Finds ways for all elements of the nodes that are not their own target, in few steps: `bits`,
 * `elements`, and `target` are given, with `delta` dimensions to cross at most. */
enum cm_status cm_reshape_ways_find(struct cm_reshape_ways *ways, uint32_t delta,
                                    struct cm_error *err);
void cm_reshape_ways_finish(struct cm_reshape_ways *ways);

/* The hops of an element: a dimension for each step, or CM_RESHAPE_WAIT. */
const uint8_t *cm_reshape_way(const struct cm_reshape_ways *ways, uint32_t node, uint32_t element);

#endif
