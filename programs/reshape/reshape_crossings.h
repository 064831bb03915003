/* When which elements cross which cube dimension while several cube dimensions change places with
 * local bits at once. */
#ifndef CM_PROGRAMS_RESHAPE_RESHAPE_CROSSINGS_H
#define CM_PROGRAMS_RESHAPE_RESHAPE_CROSSINGS_H

#include "../../base/error.h"

#include <stdint.h>

#define CM_RESHAPE_IDLE UINT32_MAX

/*
 * Each of `dimensions` cube dimensions changes places with a local bit. Bit i of an element's class
 * says whether the node's bit in dimension i and the element's local bit i differ: then, and only
 * then, it has to cross dimension i; and its class stays the same. In each step a class crosses at
 * most one dimension, and a lane of a dimension carries one class.
 */
struct cm_reshape_crossings {
    uint32_t dimensions;
    uint32_t lanes; /* words that a dimension carries in a step */
    uint32_t steps;
    uint32_t *classes; /* at [(step * dimensions + dimension) * lanes + lane], or CM_RESHAPE_IDLE */
};

/*
 * The steps needed: a dimension carries half of the classes, and one class crosses all dimensions;
 * by König's theorem (a bipartite graph can be coloured on its edges with as many colours as its
 * largest degree) the larger of the two numbers is enough.
 */
uint64_t cm_reshape_crossing_steps(uint32_t dimensions, uint32_t lanes);

/* Finds them; free `classes`. */
enum cm_status cm_reshape_crossings_make(uint32_t dimensions, uint32_t lanes,
                                         struct cm_reshape_crossings *crossings,
                                         struct cm_error *err);

#endif
