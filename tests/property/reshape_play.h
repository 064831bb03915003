/*
 * Plays a plan of a reshape by hand, element by element and step by step, on a cube of its own: no
 * IMP, no machine. A channel that carries two elements in one step, an element in a wrong place at
 * the end, or a step too many is a mistake.
 */
#ifndef CM_TESTS_RESHAPE_PLAY_H
#define CM_TESTS_RESHAPE_PLAY_H

#include "../../programs/reshape/reshape_plan.h"
#include "reshape_oracle.h"

/* Where elements are before or after a reshape. */
struct play_lie {
    struct oracle_shape shape;
    enum oracle_code code;
    uint64_t processors;
};

/* NULL, or what is wrong. The plan is in elements. */
const char *play_plan(const struct cm_reshape_plan *plan, const struct play_lie *before,
                      const struct play_lie *after);

#endif
