/*
 * Bits of the addresses change places along chains. An exchange of a local bit with a dimension of
 * the cube takes half of a node's words over that dimension and puts the local bit's content there;
 * the next exchange, with the same local bit, puts what was there into the next dimension, and so
 * on:
 *
 *     local bit -> d1 -> d2 -> ... -> dk -> a local bit     k exchanges
 *     d1 -> d2 -> ... -> dk -> d1                           k + 1: d1 again at the end; any of them
 *                                                           may be the first
 *     d1 -> d2 -> d1, a pair                                both at once, without a local bit
 *
 * so every word crosses the dimensions that it must cross and, in a closed chain, half of them the
 * first one again. In a pair, a node whose bits in d1 and d2 differ sends one half of its words
 * over d1 to a node whose bits are alike, which passes them on over d2 in the next exchange; the
 * other half go over d2 and d1.
 *
 * To keep all dimensions at work, the words of a node are cut into groups by local bits that no
 * chain uses. In each stage a dimension serves one group, a group is served by one dimension or one
 * pair, and each group follows its chains in order. Not installed.
 */
#ifndef CM_PROGRAMS_TRANSPOSE_TRANSPOSE_CHAINS_H
#define CM_PROGRAMS_TRANSPOSE_TRANSPOSE_CHAINS_H

#include "../../base/list.h"
#include "../system/allocation.h"

#define CM_CHAIN_DIMENSIONS 32u /* of a cube, at most */
#define CM_CHAIN_IDLE       UINT8_MAX

#define CM_CHAIN_NO_PARTNER UINT8_MAX

struct cm_chain {
    uint32_t bit; /* local, of the word address */
    uint32_t count;
    uint8_t dimensions[CM_CHAIN_DIMENSIONS];
    bool closed;
    uint8_t partner; /* of a pair, whose first dimension alone is listed; CM_CHAIN_NO_PARTNER */
};

/* The group that each dimension of the cube serves (the first one of a pair), or CM_CHAIN_IDLE;
 * where that begins or ends a chain, a bit for the dimension; pairs likewise. */
struct cm_chain_stage {
    uint8_t group[CM_CHAIN_DIMENSIONS];
    uint32_t begins, ends, pairs;
};

struct cm_chains {
    struct cm_chain chains[CM_CHAIN_DIMENSIONS];
    uint32_t count;
    uint8_t place[CM_LOGIC_DIMENSIONS_MAX]; /* of a local bit of the element number, afterwards:
                                               where its content belongs */
    bool permuted;                          /* some local bit's content belongs elsewhere */
    uint64_t words;                         /* of a node, a power of two */
    uint64_t chain_bits;                    /* of the word address: those of the chains */
    uint64_t lane_bit; /* numbers the two words that cross a dimension at once; 0: one word */
    uint64_t group_bits;
    uint64_t walk_bits; /* what is left: an exchange for each value */
    CM_LIST(struct cm_chain_stage) stages;
    uint64_t exchanges;
};

/*
 * `to` permutes the bits of the addresses, of elements of `slices` words. CM_NO_MEMORY is the only
 * failure. With no dimension of the cube that changes there are no stages.
 */
enum cm_status cm_chains_make(const struct cm_allocation *to, uint32_t slices, uint32_t channels,
                              struct cm_chains *chains, struct cm_error *err);
void cm_chains_finish(struct cm_chains *chains);

#endif
