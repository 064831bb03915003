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

/* Writes the code of a work for a number of blocks. */
void cm_lane_write_work(struct cm_x86 *e, const struct cm_lane_parsed *w, uint32_t blocks);

/* lane_chain.c: the same for a chain; and the vectors that it keeps in registers for a block. */
void cm_lane_write_chain(struct cm_x86 *e, const struct cm_lane_parsed *w, uint32_t blocks);
uint32_t cm_lane_chain_sums(const struct cm_lane_parsed *w);

/* ---- what both need ---- */

static inline bool cm_lane_is_register(struct cm_lane_place_of operand)
{
    return operand.symbol < CM_LANE_PLANE;
}

static inline uint32_t cm_lane_cell(struct cm_lane_place_of operand, uint32_t half)
{
    return operand.symbol + half;
}

/* The low or high words of a 64-bit value in memory. */
static inline struct cm_vector cm_lane_plane_of_half(struct cm_lane_place_of operand, uint32_t half)
{
    return (struct cm_vector){operand.symbol == CM_LANE_STREAMED ? CM_VECTOR_STREAMED
                                                                 : CM_VECTOR_PLANE,
                              operand.parameter + half};
}

static inline struct cm_vector cm_lane_plane(struct cm_lane_place_of operand)
{
    return cm_lane_plane_of_half(operand, 0);
}

/* A 32-bit source: a register of the host, or the plane. */
struct cm_vector cm_lane_source(struct cm_x86 *e, struct cm_lane_place_of operand);
/* A vector of a register. */
struct cm_vector cm_lane_half_of(struct cm_x86 *e, struct cm_lane_place_of operand, uint32_t half);
/* to, to + 1 = joined values of low words and high words. */
void cm_lane_join(struct cm_x86 *e, uint32_t to, struct cm_vector low, struct cm_vector high);
/* to = low words, to + 1 = high words of joined values. */
void cm_lane_split(struct cm_x86 *e, uint32_t to, struct cm_vector value0, struct cm_vector value1);

#endif
