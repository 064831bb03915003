/*
 * This header finds paths of elements over the links of a small cube, step by step. In a step no
 * link carries two elements in one direction. This header is not installed.
 */
#ifndef CM_PROGRAMS_RESHAPE_RESHAPE_PATHS_H
#define CM_PROGRAMS_RESHAPE_RESHAPE_PATHS_H

#include "reshape_streams.h"

/* Limits on the size of the cube that paths lead through. A stream selects a node by one condition
 * for each address bit, so the number of conditions limits the bits. */
#define CM_RESHAPE_PATH_BITS  (CM_RESHAPE_CONDITIONS + 1)
#define CM_RESHAPE_PATH_NODES (1u << CM_RESHAPE_PATH_BITS)
#define CM_RESHAPE_WAIT       UINT8_MAX /* value of a hop in a step in which the element waits */

struct cm_reshape_paths {
    uint32_t bits;     /* bits of a node number */
    uint32_t elements; /* elements in each node */
    uint32_t target[CM_RESHAPE_PATH_NODES];
    uint32_t steps; /* number of steps found */
    uint8_t *hops;  /* hops at [(node * elements + element) * steps + step] */
};

/* Finds paths in few steps for all elements that must leave their node. The caller sets `bits`,
 * `elements` and `target`. No node differs from its target in more than `delta` address bits. */
enum cm_status cm_reshape_paths_find(struct cm_reshape_paths *paths, uint32_t delta,
                                     struct cm_error *err);
void cm_reshape_paths_finish(struct cm_reshape_paths *paths);

/* Returns the path of an element: for each step the dimension that the element crosses, or
 * CM_RESHAPE_WAIT. */
const uint8_t *cm_reshape_path(const struct cm_reshape_paths *paths, uint32_t node,
                               uint32_t element);

#endif
