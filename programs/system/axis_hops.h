/*
 * Hops along one axis of the node grid: how all nodes at once send what they hold to the node
 * `displacement` further on, from cube neighbour to cube neighbour, with no two words on one
 * channel in any hop.
 *
 *   NEWS, displacement 1      one hop: Gray code puts neighbours one dimension apart (P 2.1)
 *   NEWS, displacement 2^k    two hops: dimension k - 1 of the axis, the same in all nodes, which
 *                             mirrors the lower k bits of the coordinate, then to the neighbour of
 *                             the upper bits, which mirrors them back (P 3: "all array elements are
 *                             moved a distance of two nodes")
 *   NEWS, any displacement    a phase for each non-zero signed binary digit (Grama et al. 4.6)
 *   SEND, any displacement    dimension after dimension from the lowest: a word crosses where its
 *                             address differs (e-cube); between the hops of a circular shift
 *                             each node holds exactly one word
 */
#ifndef CM_PROGRAMS_SYSTEM_AXIS_HOPS_H
#define CM_PROGRAMS_SYSTEM_AXIS_HOPS_H

#include "geometry.h"

#define CM_HOPS_MAX 48u
#define CM_HOP_STAY UINT8_MAX /* instead of a dimension: the word stays where it is */

enum cm_hop_kind {
    CM_HOP_NEIGHBOUR, /* NEWS: to the neighbour of coordinate / 2^scale, in direction +1 or -1 */
    CM_HOP_UNIFORM,   /* all nodes exchange in dimension `scale` of the axis */
    CM_HOP_CARRY, /* SEND: dimension `scale` of a shift by `displacement`, the lower ones done */
};

struct cm_hop {
    enum cm_hop_kind kind;
    uint32_t scale;
    int64_t displacement; /* NEIGHBOUR: +1 or -1 */
};

struct cm_hops {
    uint32_t count;
    struct cm_hop at[CM_HOPS_MAX];
};

/* The hops by `displacement` nodes (taken modulo the nodes of the axis). None when that is 0. */
void cm_hops_find(const struct cm_axis *axis, int64_t displacement, struct cm_hops *hops);

/* The dimension of the axis (from 0, or CM_HOP_STAY) over which the node with axis address `bits`
 * sends, and receives. */
uint8_t cm_hop_out(const struct cm_axis *axis, const struct cm_hop *hop, uint32_t bits);
uint8_t cm_hop_in(const struct cm_axis *axis, const struct cm_hop *hop, uint32_t bits);

/* Whether some node would send both over one dimension, so that they cannot share an exchange's
 * channel. */
bool cm_hop_conflict(const struct cm_axis *axis, const struct cm_hop *a, const struct cm_hop *b);

#endif
