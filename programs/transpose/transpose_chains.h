/*
 * This header permutes address bits along chains. An exchange of a local bit with a cube dimension
 * sends half of a node's words over the dimension, and puts the local bit's content into the
 * dimension. The next exchange with the same local bit puts the previous content of that dimension
 * into another dimension, and so on. Chains, and their numbers of exchanges:
 *
 *     local bit -> d1 -> d2 -> ... -> dk -> a local bit   k exchanges
 *     d1 -> d2 -> ... -> dk -> d1                         k + 1 exchanges, d1 again at the end. Any
 *                                                         dimension may be the first
 *     d1 -> d2 -> d1, a pair                              both dimensions at once, no local bit
 *
 * So every word crosses only dimensions that it must cross. In a closed chain, half of the words
 * cross the first dimension again. In a pair, a node whose bits in d1 and d2 differ sends half of
 * its words over d1, to a node whose two bits are equal. That node forwards the words over d2 in
 * the next exchange. The other half goes over d2 and then d1.
 *
 * To use all dimensions at once, the words of a node are cut into groups by local bits that no
 * chain uses. In each stage a dimension serves one group, one dimension or pair serves a group, and
 * each group follows its chains in order. This header is not installed.
 */
#ifndef CM_PROGRAMS_TRANSPOSE_TRANSPOSE_CHAINS_H
#define CM_PROGRAMS_TRANSPOSE_TRANSPOSE_CHAINS_H

#include "../../base/list.h"
#include "../system/allocation.h"

#define CM_CHAIN_DIMENSIONS 32u /* limit on the cube dimensions */
#define CM_CHAIN_IDLE       UINT8_MAX

#define CM_CHAIN_NO_PARTNER UINT8_MAX

struct cm_chain {
    uint32_t bit; /* local bit of the word address with which the chain exchanges its dimensions */
    uint32_t count;
    uint8_t dimensions[CM_CHAIN_DIMENSIONS];
    bool closed;
    /* Second dimension of a pair, whose first dimension is the only one in `dimensions`.
     * CM_CHAIN_NO_PARTNER: the chain is not a pair. */
    uint8_t partner;
};

/* Stage of the schedule: the group of words that each cube dimension serves, or CM_CHAIN_IDLE. For
 * a pair, the group is at the pair's first dimension. `begins` and `ends` have a bit for each
 * dimension at which a chain begins or ends in this stage, and `pairs` has a bit for each pair. */
struct cm_chain_stage {
    uint8_t group[CM_CHAIN_DIMENSIONS];
    uint32_t begins, ends, pairs;
};

struct cm_chains {
    struct cm_chain chains[CM_CHAIN_DIMENSIONS];
    uint32_t count;
    /* Final place of the content of each local bit of the element number, after the chains have
     * run. */
    uint8_t place[CM_LOGIC_DIMENSIONS_MAX];
    bool permuted;       /* true if the content of some local bit belongs at another local bit */
    uint64_t words;      /* number of words of a node, a power of two */
    uint64_t chain_bits; /* bits of the word address that chains use */
    /* Bit of the word address that numbers the two words which cross a dimension at once. 0: one
     * word crosses. */
    uint64_t lane_bit;
    uint64_t group_bits;
    /* bits of the word address that remain, with one exchange for each of their values */
    uint64_t walk_bits;
    CM_LIST(struct cm_chain_stage) stages;
    uint64_t exchanges;
};

/*
 * Computes the chains and their schedule for the bit permutation to->place, for elements of
 * `slices` words. Fails only with CM_NO_MEMORY. There are no stages if no cube dimension changes.
 */
enum cm_status cm_chains_make(const struct cm_allocation *to, uint32_t slices, uint32_t channels,
                              struct cm_chains *chains, struct cm_error *err);
void cm_chains_finish(struct cm_chains *chains);

#endif
