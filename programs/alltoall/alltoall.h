/*
 * All-to-all communication: every node sends to every other node of its group.
 * docs/programs/alltoall.md derives the schedules and counts their exchanges.
 *
 * In a broadcast each node has a block of K words, and every node gets the blocks of all n nodes.
 * In the personalised form each node has a block for every node, and gets one from every node. Two
 * more kinds send from one node only.
 *
 * A group has the n = 2^d nodes that differ in `dimensions` cube dimensions, from `first_dimension`
 * on. This is the whole cube, or the nodes along one axis of an array (cm_axis.first_dimension,
 * .node_bits). Nodes that differ in other dimensions are in other groups, and all groups work at
 * the same time. The address of a node within its group is its bits in these d dimensions.
 *
 * The interface is that of PSHIFT: a setup for a task, calls with arrays, deallocation.
 *
 * Invariants:
 *
 *   - In a result CM_ALLTOALL_BY_SOURCE, block b comes from the node with address b.
 *   - In a result CM_ALLTOALL_BY_ARRIVAL, block p is at position p, the same in all nodes.
 *     cm_alltoall_arrival gives the node that each word comes from.
 *   - In a result CM_ALLTOALL_BY_DEPARTURE, words change places within chunks of a block, besides.
 *     cm_alltoall_arrival_word gives the word of the block that is at each place.
 *   - In every exchange a channel carries at most one word.
 *
 * Files: alltoall.c (tasks, setups, calls), alltoall_exchange.c and alltoall_departure.c (the
 * exchanges), alltoall_reorder.c
 * and alltoall_unwind.c (from positions to addresses), alltoall_trees.c (one-to-all),
 * alltoall_router.c (packets), hamiltonian.c (cycles of the cube).
 */
#ifndef CM_PROGRAMS_ALLTOALL_ALLTOALL_H
#define CM_PROGRAMS_ALLTOALL_ALLTOALL_H

#include "../system/system.h"

CM_BEGIN_DECLS

/* Kind of communication: which node sends which words to which node. */
enum cm_alltoall_kind {
    CM_ALLTOALL_BROADCAST,
    CM_ALLTOALL_PERSONALISED,
    CM_ALLTOALL_ONE_TO_ALL,  /* one node's block to all nodes */
    CM_ALLTOALL_ONE_TO_EACH, /* another block of one node to each node */
    CM_ALLTOALL_KINDS
};

/* Algorithm: how the blocks travel. */
enum cm_alltoall_algorithm {
    /* Broadcast. A block has one part for each dimension. Part i follows the Gray code rotated by
     * i. */
    CM_ALLTOALL_GRAY,
    /* All kinds. All-to-all: dimension exchange, with a part for each dimension. Part i begins with
     * dimension i. One-to-all: d edge-disjoint binomial trees. One-to-each: d rotated binomial
     * trees. */
    CM_ALLTOALL_ROTATED,
    /* All-to-all: dimension exchange, one dimension at a time. */
    CM_ALLTOALL_BUTTERFLY,
    /* Broadcast: both ways around d / 2 edge-disjoint Hamiltonian cycles. */
    CM_ALLTOALL_HAMILTONIAN,
    /* All-to-all: packets through the router, which writes them to their places. */
    CM_ALLTOALL_ROUTER,
    CM_ALLTOALL_ALGORITHMS
};

/* Order of the blocks in a node: by sender, or as they arrive. By departure, blocks are as they
 * arrive around Hamiltonian cycles, and their words as the node sends them on. */
enum cm_alltoall_order {
    CM_ALLTOALL_BY_SOURCE,
    CM_ALLTOALL_BY_ARRIVAL,
    CM_ALLTOALL_BY_DEPARTURE,
    CM_ALLTOALL_ORDERS
};

CM_API const char *cm_alltoall_kind_name(enum cm_alltoall_kind kind); /* "broadcast", ... */
/* Returns "gray" and so on. */
CM_API const char *cm_alltoall_algorithm_name(enum cm_alltoall_algorithm algorithm);
CM_API const char *cm_alltoall_order_name(enum cm_alltoall_order order); /* "source", ... */

/* One communication. */
struct cm_alltoall_task {
    enum cm_alltoall_kind kind;           /* which words go where */
    enum cm_alltoall_algorithm algorithm; /* how the words travel */
    enum cm_alltoall_order order;         /* order of the blocks in the result */
    uint64_t words;                       /* K: words of a block */
    uint32_t first_dimension;             /* first cube dimension of the groups */
    uint32_t dimensions;                  /* d: dimensions of a group, which has n = 2^d nodes */
    uint32_t root;                        /* address of the sending node, in the one-to kinds */
};

struct cm_alltoall;

/* Compiles the IMPs and tables of a task. Fails with CM_BAD_INPUT if the system does not have the
 * dimensions, if a block has no words, if the algorithm cannot do the task, or if node memory or
 * the SRAM is too small. */
CM_API enum cm_status cm_alltoall_setup(struct cm_system *system,
                                        const struct cm_alltoall_task *task,
                                        struct cm_alltoall **alltoall, struct cm_error *err);
/* Return the blocks that a node has in the source, and in the result: 1 or n. */
CM_API uint64_t cm_alltoall_source_blocks(const struct cm_alltoall_task *task);
CM_API uint64_t cm_alltoall_result_blocks(const struct cm_alltoall_task *task);
/* Runs the communication. src and dst are different arrays, with as many words in a node as their
 * blocks have. */
CM_API enum cm_status cm_alltoall_call(struct cm_system *system, const struct cm_alltoall *alltoall,
                                       struct cm_array *dst, const struct cm_array *src,
                                       struct cm_error *err);
/* Runs the communication on node memory, from the words at `src` to the words at `dst`. */
CM_API enum cm_status cm_alltoall_call_at(struct cm_system *system,
                                          const struct cm_alltoall *alltoall, uint64_t dst,
                                          uint64_t src, struct cm_error *err);
/* Frees the IMPs and node memory of a setup. NULL is allowed. */
CM_API void cm_alltoall_deallocate(struct cm_system *system, struct cm_alltoall *alltoall);

/*
 * Returns the address of the node that word `word` of block `block` comes from, in the result
 * BY_ARRIVAL of the node with address `address`. In the personalised form the same word of the
 * source is for that node. In one-to-each, with the root's address, it returns the node that the
 * word of the root's block is for.
 */
CM_API uint32_t cm_alltoall_arrival(const struct cm_alltoall *alltoall, uint32_t address,
                                    uint64_t block, uint64_t word);

/* Returns which word of a sender's block is at place `word` of every block in the node with address
 * `address`: `word` itself in all orders but BY_DEPARTURE. */
CM_API uint64_t cm_alltoall_arrival_word(const struct cm_alltoall *alltoall, uint32_t address,
                                         uint64_t word);

/* Return the exchanges of a call (0 through the router), and the least number of exchanges that any
 * algorithm takes (docs/programs/alltoall.md). */
CM_API uint64_t cm_alltoall_exchanges(const struct cm_alltoall_task *task, uint32_t channels);
CM_API uint64_t cm_alltoall_bound(const struct cm_alltoall_task *task, uint32_t channels);

/* Numbers of a setup, for people and tests. */
struct cm_alltoall_info {
    uint64_t words, blocks;    /* K and n */
    uint64_t exchanges, bound; /* exchanges of a call, and the least number for any algorithm */
    /* words that the nodes of a group receive from other nodes, together */
    uint64_t words_received;
    /* words of the longest IMP in SRAM, and words of node memory for tables and for the work
     * area */
    uint64_t sram_words, table_words, work_words;
};
CM_API struct cm_alltoall_info cm_alltoall_info(const struct cm_alltoall *alltoall);

CM_END_DECLS

#endif
