/*
 * This header declares all-to-all communication: every node sends to every other node of its group.
 * docs/programs/alltoall.md derives the schedules and counts their exchanges.
 *
 * In a broadcast each node has a block of K words, and every node gets the blocks of all n nodes.
 * In the personalised form each node has a block for every node, and gets one block from every
 * node. In two more kinds, one-to-all and one-to-each, only one node sends.
 *
 * A group has the n = 2^d nodes whose addresses differ only in `dimensions` cube dimensions, from
 * `first_dimension` on. This is the whole cube, or the nodes along one axis of an array
 * (cm_axis.first_dimension, .node_bits). Nodes that differ in other dimensions are in other groups,
 * and all groups work at the same time. The address of a node within its group is its bits in these
 * d dimensions.
 *
 * A program compiles a communication ahead (cm_alltoall_setup), calls it with arrays as often as it
 * likes, and deallocates it, as with PSHIFT.
 *
 * Invariants:
 *
 *   - In a result CM_ALLTOALL_BY_SOURCE, block b comes from the node with address b.
 *   - In a result CM_ALLTOALL_BY_ARRIVAL, block p is at position p, the same in all nodes.
 *     cm_alltoall_arrival gives the node that each word comes from.
 *   - In a result CM_ALLTOALL_BY_DEPARTURE, block p is at position p, and the words within a block
 *     are permuted. cm_alltoall_arrival_word gives the word of the block that is at each place.
 *   - In every exchange a channel carries at most one word.
 *
 * Files: alltoall.c (checks, compilation, calls), alltoall_exchange.c and alltoall_departure.c (the
 * exchanges), alltoall_reorder.c and alltoall_unwind.c (from positions to addresses),
 * alltoall_trees.c (one-to-all), alltoall_router.c (packets), hamiltonian.c (cycles of the cube).
 */
#ifndef CM_PROGRAMS_ALLTOALL_ALLTOALL_H
#define CM_PROGRAMS_ALLTOALL_ALLTOALL_H

#include "../system/system.h"

CM_BEGIN_DECLS

/* Kind of all-to-all communication: which node sends which words to which node. */
enum cm_alltoall_kind {
    CM_ALLTOALL_BROADCAST,
    CM_ALLTOALL_PERSONALISED,
    CM_ALLTOALL_ONE_TO_ALL,  /* one node sends its block to all nodes */
    CM_ALLTOALL_ONE_TO_EACH, /* one node sends a different block to each node */
    CM_ALLTOALL_KINDS
};

/* Algorithm of all-to-all communication: the paths on which the blocks travel. */
enum cm_alltoall_algorithm {
    /* Algorithm for a broadcast: a block has one part for each dimension, and part i follows the
     * Gray code rotated by i. */
    CM_ALLTOALL_GRAY,
    /* Algorithms for all kinds. All-to-all: dimension exchange, with a part for each dimension, in
     * which part i begins with dimension i. One-to-all: d edge-disjoint binomial trees.
     * One-to-each: d rotated binomial trees. */
    CM_ALLTOALL_ROTATED,
    /* Algorithm for both all-to-all kinds: dimension exchange, one dimension at a time. */
    CM_ALLTOALL_BUTTERFLY,
    /* Algorithm for a broadcast: blocks go in both directions around d / 2 edge-disjoint
     * Hamiltonian cycles. */
    CM_ALLTOALL_HAMILTONIAN,
    /* Algorithm for both all-to-all kinds: packets go through the router, which writes their words
     * to their places. */
    CM_ALLTOALL_ROUTER,
    CM_ALLTOALL_ALGORITHMS
};

/* Order of the blocks in a node's result. BY_SOURCE: by sender. BY_ARRIVAL: in the order of
 * arrival. BY_DEPARTURE: in the order of arrival around Hamiltonian cycles, where the words of a
 * block are in the order of the dimensions over which the node sends them on. */
enum cm_alltoall_order {
    CM_ALLTOALL_BY_SOURCE,
    CM_ALLTOALL_BY_ARRIVAL,
    CM_ALLTOALL_BY_DEPARTURE,
    CM_ALLTOALL_ORDERS
};

/* returns "broadcast", "personalised" and so on */
CM_API const char *cm_alltoall_kind_name(enum cm_alltoall_kind kind);
/* Returns the name of an algorithm, "gray" and so on. */
CM_API const char *cm_alltoall_algorithm_name(enum cm_alltoall_algorithm algorithm);
/* Returns the name of an order: "source", "arrival" or "departure". */
CM_API const char *cm_alltoall_order_name(enum cm_alltoall_order order);

/* Arguments of one all-to-all communication. */
struct cm_alltoall_task {
    enum cm_alltoall_kind kind;           /* kind: which words go to which nodes */
    enum cm_alltoall_algorithm algorithm; /* algorithm: how the words travel */
    enum cm_alltoall_order order;         /* order of the blocks in the result */
    uint64_t words;                       /* number K of words of a block */
    uint32_t first_dimension;             /* first cube dimension of the groups */
    /* number d of dimensions of a group, which has n = 2^d nodes */
    uint32_t dimensions;
    /* address of the sending node within its group, for one-to-all and one-to-each */
    uint32_t root;
};

struct cm_alltoall;

/* Compiles the IMPs and tables of a communication. Fails with CM_BAD_INPUT if the machine does not
 * have the dimensions, if a block has no words, if the algorithm cannot do this kind, or if node
 * memory or the SRAM is too small. */
CM_API enum cm_status cm_alltoall_setup(struct cm_system *system,
                                        const struct cm_alltoall_task *task,
                                        struct cm_alltoall **alltoall, struct cm_error *err);
/* These functions return the number of blocks that a node has in the source, and in the result: 1
 * or n. */
CM_API uint64_t cm_alltoall_source_blocks(const struct cm_alltoall_task *task);
CM_API uint64_t cm_alltoall_result_blocks(const struct cm_alltoall_task *task);
/* Executes the communication. `src` and `dst` are different arrays. In each node they have as many
 * words as the source blocks and the result blocks. */
CM_API enum cm_status cm_alltoall_call(struct cm_system *system, const struct cm_alltoall *alltoall,
                                       struct cm_array *dst, const struct cm_array *src,
                                       struct cm_error *err);
/* Executes the communication on node memory, from the words at address `src` to the words at
 * address `dst`. */
CM_API enum cm_status cm_alltoall_call_at(struct cm_system *system,
                                          const struct cm_alltoall *alltoall, uint64_t dst,
                                          uint64_t src, struct cm_error *err);
/* Frees the IMPs and the node memory of a compiled communication. `alltoall` may be NULL. */
CM_API void cm_alltoall_deallocate(struct cm_system *system, struct cm_alltoall *alltoall);

/*
 * Returns the address of the node that word `word` of block `block` comes from, in the result that
 * the node `address` has in the order CM_ALLTOALL_BY_ARRIVAL. In the personalised form, the same
 * word of the source is for the returned node. In one-to-each, `address` is the sending node's, and
 * the word of its block is for the returned node.
 */
CM_API uint32_t cm_alltoall_arrival(const struct cm_alltoall *alltoall, uint32_t address,
                                    uint64_t block, uint64_t word);

/* Returns the number of the sender's word that is at place `word` of every block in the node
 * `address`. This number differs from `word` only in the order CM_ALLTOALL_BY_DEPARTURE. */
CM_API uint64_t cm_alltoall_arrival_word(const struct cm_alltoall *alltoall, uint32_t address,
                                         uint64_t word);

/* These functions return the number of exchanges of a call (0 through the router), and the least
 * number of exchanges that any algorithm takes (docs/programs/alltoall.md). */
CM_API uint64_t cm_alltoall_exchanges(const struct cm_alltoall_task *task, uint32_t channels);
CM_API uint64_t cm_alltoall_bound(const struct cm_alltoall_task *task, uint32_t channels);

/* Sizes and counts of a compiled communication, for people and tests. */
struct cm_alltoall_info {
    uint64_t words, blocks; /* number K of words of a block, and number n of blocks */
    /* number of exchanges of a call, and the least number that any algorithm takes */
    uint64_t exchanges, bound;
    /* number of words that all nodes of a group together receive from other nodes */
    uint64_t words_received;
    /* number of SRAM words of the longest IMP, and numbers of node memory words for tables and for
     * the work area */
    uint64_t sram_words, table_words, work_words;
};
CM_API struct cm_alltoall_info cm_alltoall_info(const struct cm_alltoall *alltoall);

CM_END_DECLS

#endif
