/*
 * A permutation of address bits along chains. One exchange of a local bit with a cube dimension
 * sends half of a node's words over that dimension, and puts the content of the local bit there.
 * The next exchange with the same local bit puts the former content of the first dimension into the
 * second one, and so on:
 *
 *     local bit -> d1 -> d2 -> ... -> dk -> a local bit     k exchanges
 *     d1 -> d2 -> ... -> dk -> d1                           k + 1: d1 again at the end
 *     d1 -> d2 -> d1, a pair                                both at once, without a local bit
 *
 * Every word crosses the dimensions that it must cross. In a closed chain, which may begin at any
 * of its dimensions, half of the words cross the first dimension again. In a pair, a node whose
 * bits in d1 and d2 differ sends half of its words over d1 to a node whose bits are equal. That
 * node passes them on over d2 in the next exchange. The other half of the words go over d2 and then
 * d1.
 *
 * To keep all dimensions busy, the words of a node are divided into groups by local bits that no
 * chain uses. In each stage a dimension serves one group, and a group is served by one dimension or
 * one pair. Each group follows its chains in order. Not installed.
 */
#ifndef CM_PROGRAMS_TRANSPOSE_TRANSPOSE_CHAINS_H
#define CM_PROGRAMS_TRANSPOSE_TRANSPOSE_CHAINS_H

#include "../../base/list.h"
#include "../system/allocation.h"

#define CM_CHAIN_DIMENSIONS 32u /* largest number of cube dimensions */
#define CM_CHAIN_IDLE       UINT8_MAX

#define CM_CHAIN_NO_PARTNER UINT8_MAX

struct cm_chain {
    uint32_t bit; /* local bit of the word address */
    uint32_t count;
    uint8_t dimensions[CM_CHAIN_DIMENSIONS];
    bool closed;
    /* second dimension of a pair, of which only the first is listed; else CM_CHAIN_NO_PARTNER */
    uint8_t partner;
};

/* One stage. `group` is the group that each cube dimension serves, listed at the first dimension of
 * a pair, or CM_CHAIN_IDLE. `begins`, `ends` and `pairs` have a bit for each dimension at which a
 * group begins or ends a chain, or which is the first of a pair. */
struct cm_chain_stage {
    uint8_t group[CM_CHAIN_DIMENSIONS];
    uint32_t begins, ends, pairs;
};

struct cm_chains {
    struct cm_chain chains[CM_CHAIN_DIMENSIONS];
    uint32_t count;
    /* local bit to which the content of each local bit of the element number belongs afterwards */
    uint8_t place[CM_LOGIC_DIMENSIONS_MAX];
    /* True if the content of some local bit belongs to another one */
    bool permuted;
    uint64_t words;      /* words of a node, a power of two */
    uint64_t chain_bits; /* bits of the word address that chains use */
    /* bit that distinguishes the two words that cross a dimension at once; 0: one word */
    uint64_t lane_bit;
    uint64_t group_bits;
    uint64_t walk_bits; /* remaining bits: one exchange for each value */
    CM_LIST(struct cm_chain_stage) stages;
    uint64_t exchanges;
};

/*
 * Makes the chains for a permutation `to` of address bits, for elements of `slices` words. Without
 * a cube dimension that changes there are no stages. Fails with CM_NO_MEMORY only.
 */
enum cm_status cm_chains_make(const struct cm_allocation *to, uint32_t slices, uint32_t channels,
                              struct cm_chains *chains, struct cm_error *err);
void cm_chains_finish(struct cm_chains *chains);

#endif
