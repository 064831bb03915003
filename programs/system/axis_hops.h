/*
 * Hops along one axis of the node grid. All nodes at once send their words to the node
 * `displacement` further on. The words go from cube neighbour to cube neighbour, and in no hop do
 * two words of a node share a channel. P is the PSHIFT paper.
 *
 *   NEWS, displacement 1      one hop: Gray code puts neighbours one dimension apart (P 2.1)
 *   NEWS, displacement 2^k    two hops. The first is over dimension k - 1 of the axis in all nodes,
 *                             which mirrors the lower k bits of the coordinate. The second goes to
 *                             the neighbour of the upper bits, which mirrors them back (P 3: "all
 *                             array elements are moved a distance of two nodes")
 *   NEWS, any displacement    a phase for each non-zero signed binary digit (Grama et al. 4.6)
 *   SEND, any displacement    one dimension after another from the lowest up: a word crosses a
 *                             dimension if its address differs there (e-cube). Between the hops of
 *                             a circular shift each node holds exactly one word
 */
#ifndef CM_PROGRAMS_SYSTEM_AXIS_HOPS_H
#define CM_PROGRAMS_SYSTEM_AXIS_HOPS_H

#include "geometry.h"

#define CM_HOPS_MAX 48u
#define CM_HOP_STAY UINT8_MAX /* result of cm_hop_out and cm_hop_in: the word stays in its node */

enum cm_hop_kind {
    /* NEWS axis: each node sends to a cube neighbour, whose coordinate / 2^scale (rounded down) is
     * larger or smaller by 1 */
    CM_HOP_NEIGHBOUR,
    /* NEWS axis: all nodes exchange their words over the axis's cube dimension number `scale` */
    CM_HOP_UNIFORM,
    /* SEND axis: some nodes exchange their words over the axis's cube dimension number `scale`, for
     * a shift by `displacement` that has made the hops over all lower dimensions */
    CM_HOP_CARRY,
};

struct cm_hop {
    enum cm_hop_kind kind;
    uint32_t scale;
    int64_t displacement; /* for NEIGHBOUR +1 or -1, for CARRY the whole displacement in nodes */
};

struct cm_hops {
    uint32_t count;
    struct cm_hop at[CM_HOPS_MAX];
};

/* Finds the hops for a displacement in nodes, taken modulo the number of nodes along the axis.
 * Displacement 0 has no hops. */
void cm_hops_find(const struct cm_axis *axis, int64_t displacement, struct cm_hops *hops);

/* Return the cube dimension, counted from the first dimension of the axis, over which a node sends
 * (out) or receives (in) in a hop. `bits` is the node's address along the axis. CM_HOP_STAY: the
 * node keeps its word. */
uint8_t cm_hop_out(const struct cm_axis *axis, const struct cm_hop *hop, uint32_t bits);
uint8_t cm_hop_in(const struct cm_axis *axis, const struct cm_hop *hop, uint32_t bits);

/* True if some node would send the words of hops `a` and `b` over the same dimension. Such hops
 * cannot share a channel in one exchange. */
bool cm_hop_conflict(const struct cm_axis *axis, const struct cm_hop *a, const struct cm_hop *b);

#endif
