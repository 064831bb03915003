/* This header makes a schedule for swapping several cube dimensions with local bits at once: which
 * elements cross which cube dimension in which step. */
#ifndef CM_PROGRAMS_RESHAPE_RESHAPE_CROSSINGS_H
#define CM_PROGRAMS_RESHAPE_RESHAPE_CROSSINGS_H

#include "../../base/error.h"

#include <stdint.h>

#define CM_RESHAPE_IDLE UINT32_MAX

/*
 * Schedule in which `dimensions` cube dimensions are each swapped with a local bit. Elements are
 * grouped by a number, their class. Bit i of an element's class says whether the node's address bit
 * of dimension i differs from the element's local bit i. An element must cross dimension i if and
 * only if bit i of its class is 1, and its class never changes. In each step a class crosses at
 * most one dimension, and a lane (a word that a dimension carries in a step) belongs to one class.
 */
struct cm_reshape_crossings {
    uint32_t dimensions;
    uint32_t lanes; /* words that a dimension carries in a step, 1 or 2 */
    uint32_t steps;
    /* Class that crosses a dimension in a lane of a step, at [(step * dimensions + dimension) *
     * lanes + lane]. CM_RESHAPE_IDLE: the lane is idle in this step. */
    uint32_t *classes;
};

/*
 * Returns the number of steps of the schedule. Half of the classes cross each dimension, `lanes` in
 * a step, and one class crosses all dimensions. The larger of the steps for a dimension and the
 * steps for that class is enough by König's theorem: the edges of a bipartite graph can be coloured
 * with as many colours as its largest degree.
 */
uint64_t cm_reshape_crossing_steps(uint32_t dimensions, uint32_t lanes);

/* Computes the schedule. The caller frees `crossings->classes`. */
enum cm_status cm_reshape_crossings_make(uint32_t dimensions, uint32_t lanes,
                                         struct cm_reshape_crossings *crossings,
                                         struct cm_error *err);

#endif
