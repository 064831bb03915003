/* Schedule of crossings: which elements cross which cube dimension in which step, while several
 * cube dimensions are swapped with local bits at once. */
#ifndef CM_PROGRAMS_RESHAPE_RESHAPE_CROSSINGS_H
#define CM_PROGRAMS_RESHAPE_RESHAPE_CROSSINGS_H

#include "../../base/error.h"

#include <stdint.h>

#define CM_RESHAPE_IDLE UINT32_MAX

/*
 * Crossings of `dimensions` cube dimensions, each swapped with a local bit. Bit i of an element's
 * class says whether the node's address bit of dimension i differs from the element's local bit i.
 * An element must cross dimension i if and only if bit i of its class is 1, and its class never
 * changes. In each step a class crosses at most one dimension, and a lane of a dimension carries
 * one class.
 */
struct cm_reshape_crossings {
    uint32_t dimensions;
    uint32_t lanes; /* words that a dimension carries in a step */
    uint32_t steps;
    /* Class at [(step * dimensions + dimension) * lanes + lane], or CM_RESHAPE_IDLE. */
    uint32_t *classes;
};

/*
 * Returns the number of steps. A dimension carries half of the classes, and one class crosses all
 * dimensions. The larger of both numbers is enough by König's theorem: the edges of a bipartite
 * graph can be coloured with as many colours as its largest degree.
 */
uint64_t cm_reshape_crossing_steps(uint32_t dimensions, uint32_t lanes);

/* Computes the crossings. The caller frees `classes`. */
enum cm_status cm_reshape_crossings_make(uint32_t dimensions, uint32_t lanes,
                                         struct cm_reshape_crossings *crossings,
                                         struct cm_error *err);

#endif
