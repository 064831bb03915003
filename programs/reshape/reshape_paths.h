/*
 * Paths of elements over the links of a small cube, step by step. In a step no link carries two
 * elements in one direction. Not installed.
 */
#ifndef CM_PROGRAMS_RESHAPE_RESHAPE_PATHS_H
#define CM_PROGRAMS_RESHAPE_RESHAPE_PATHS_H

#include "reshape_streams.h"

/* A stream selects a node bit by bit, so its conditions limit the address bits. */
#define CM_RESHAPE_PATH_BITS  (CM_RESHAPE_CONDITIONS + 1)
#define CM_RESHAPE_PATH_NODES (1u << CM_RESHAPE_PATH_BITS)
#define CM_RESHAPE_WAIT       UINT8_MAX /* in place of the dimension of a hop */

struct cm_reshape_paths {
    uint32_t bits;     /* bits of a node number */
    uint32_t elements; /* elements in each node */
    uint32_t target[CM_RESHAPE_PATH_NODES];
    uint32_t steps; /* number of steps found */
    uint8_t *hops;  /* hops at [(node * elements + element) * steps + step] */
};

/* Finds paths in few steps for the elements of all nodes that are not their own target. The caller
 * sets `bits`, `elements` and `target`. No target is further than `delta` dimensions. */
enum cm_status cm_reshape_paths_find(struct cm_reshape_paths *paths, uint32_t delta,
                                     struct cm_error *err);
void cm_reshape_paths_finish(struct cm_reshape_paths *paths);

/* Returns the hops of an element: a dimension for each step, or CM_RESHAPE_WAIT. */
const uint8_t *cm_reshape_path(const struct cm_reshape_paths *paths, uint32_t node,
                               uint32_t element);

#endif
