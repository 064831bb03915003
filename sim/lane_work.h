/* A work of a shape, taken apart, on its way to machine code. */
#ifndef CM_SIM_LANE_WORK_H
#define CM_SIM_LANE_WORK_H

#include "lane_x86.h"

/* An operand, and its first parameter. */
struct cm_lane_place_of {
    uint32_t symbol, parameter;
};

struct cm_lane_parsed {
    const struct cm_lane_rule *rule;
    struct cm_lane_place_of out, a, b, c, d;
    uint32_t parameter; /* the rule's own, if it takes one */
    /* of a chain: out = init + factors[0] * factors[1] + factors[2] * factors[3] ... */
    struct cm_lane_place_of init, factors[2 * CM_CHAIN_TERMS];
    uint32_t terms;
};

/* Writes the code of a work for the block that e is at. */
void cm_lane_write_work(struct cm_x86 *e, const struct cm_lane_parsed *w);

#endif
