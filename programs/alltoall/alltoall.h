/*
 * All-to-all communication: every node sends to every other node of its subcube. The interface is
 * PSHIFT's: a setup for a task, calls with arrays, deallocation. docs/programs/alltoall.md derives
 * the schedules and their counts.
 *
 * In a broadcast each node has a block of K words, and every node gets the blocks of all n nodes.
 * In the personalised form each node has a block for every node, and gets one from every node. The
 * nodes are those that differ in `dimensions` cube dimensions from `first_dimension` on: the whole
 * cube, or the nodes along one axis of an array (cm_axis.first_dimension, .node_bits). Nodes that
 * differ in other dimensions belong to other groups, which work at the same time.
 *
 * A node's address within its group is its bits in these dimensions. Block b of the result is that
 * of the node with address b (CM_ALLTOALL_BY_SOURCE), or blocks are as they arrive
 * (CM_ALLTOALL_BY_ARRIVAL): cm_alltoall_arrival says where a word comes from.
 */
#ifndef CM_PROGRAMS_ALLTOALL_ALLTOALL_H
#define CM_PROGRAMS_ALLTOALL_ALLTOALL_H

#include "../system/system.h"

CM_BEGIN_DECLS

/* Kind of communication: who sends what to whom. */
enum cm_alltoall_kind {
    CM_ALLTOALL_BROADCAST,
    CM_ALLTOALL_PERSONALISED,
    CM_ALLTOALL_ONE_TO_ALL,  /* a broadcast of one node's block */
    CM_ALLTOALL_ONE_TO_EACH, /* one node has a block for each node */
    CM_ALLTOALL_KINDS
};

/* Algorithm by which the blocks travel. */
enum cm_alltoall_algorithm {
    /* Broadcast: a block is divided into as many parts as there are dimensions, and part i follows
     * the Gray code rotated by i. */
    CM_ALLTOALL_GRAY,
    /* All-to-all: dimension exchange, with a block in as many parts as dimensions, where part i
     * begins with dimension i. One-to-all: d edge-disjoint binomial trees. One-to-each: d rotated
     * trees. */
    CM_ALLTOALL_ROTATED,
    /* dimension exchange, one dimension at a time */
    CM_ALLTOALL_BUTTERFLY,
    /* broadcast: both directions of d / 2 edge-disjoint Hamiltonian cycles */
    CM_ALLTOALL_HAMILTONIAN,
    /* broadcast and personalised: packets through the router, which writes them to their places */
    CM_ALLTOALL_ROUTER,
    CM_ALLTOALL_ALGORITHMS
};

/* Order of the blocks in a node: by sender, or as they arrive. */
enum cm_alltoall_order { CM_ALLTOALL_BY_SOURCE, CM_ALLTOALL_BY_ARRIVAL, CM_ALLTOALL_ORDERS };

CM_API const char *cm_alltoall_kind_name(enum cm_alltoall_kind kind); /* "broadcast", ... */
/* "gray", ... */
CM_API const char *cm_alltoall_algorithm_name(enum cm_alltoall_algorithm algorithm);
CM_API const char *cm_alltoall_order_name(enum cm_alltoall_order order); /* "source", ... */

/* Parameters of a communication. */
struct cm_alltoall_task {
    enum cm_alltoall_kind kind;           /* what goes where */
    enum cm_alltoall_algorithm algorithm; /* how */
    enum cm_alltoall_order order;         /* order of the blocks in a result */
    uint64_t words;                       /* K: of a block */
    uint32_t first_dimension;             /* of the cube */
    uint32_t dimensions;                  /* d; n = 2^d nodes */
    uint32_t root;                        /* address of the one node in the one-to kinds */
};

struct cm_alltoall;

/* Compiles the IMPs and their tables. Fails with CM_BAD_INPUT for dimensions that the system does
 * not have, no words, an algorithm that does not fit the task, and too little node memory or SRAM.
 */
CM_API enum cm_status cm_alltoall_setup(struct cm_system *system,
                                        const struct cm_alltoall_task *task,
                                        struct cm_alltoall **alltoall, struct cm_error *err);
/* Return the blocks of a node in the source, and in the result: 1 or n. */
CM_API uint64_t cm_alltoall_source_blocks(const struct cm_alltoall_task *task);
CM_API uint64_t cm_alltoall_result_blocks(const struct cm_alltoall_task *task);
/*
 * Performs the communication. The layouts of src and dst have as many words a node as their blocks
 * have. dst is not src.
 */
CM_API enum cm_status cm_alltoall_call(struct cm_system *system, const struct cm_alltoall *alltoall,
                                       struct cm_array *dst, const struct cm_array *src,
                                       struct cm_error *err);
/* Performs the communication on node memory, given the addresses of the first words. */
CM_API enum cm_status cm_alltoall_call_at(struct cm_system *system,
                                          const struct cm_alltoall *alltoall, uint64_t dst,
                                          uint64_t src, struct cm_error *err);
/* Frees the setup with its IMPs and node memory. NULL is allowed. */
CM_API void cm_alltoall_deallocate(struct cm_system *system, struct cm_alltoall *alltoall);

/*
 * Returns, for the order by arrival, the address of the node that sends word `word` of block
 * `block` of the result to the node with address `address`. In the personalised form this is also
 * the node for which that word of the source is meant. For one-to-each, that word of the root's
 * block is meant for the node that is returned for the root's address.
 */
CM_API uint32_t cm_alltoall_arrival(const struct cm_alltoall *alltoall, uint32_t address,
                                    uint64_t block, uint64_t word);

/* Return the exchanges of a call (0 through the router), and the least exchanges of any algorithm
 * (docs/programs/alltoall.md). */
CM_API uint64_t cm_alltoall_exchanges(const struct cm_alltoall_task *task, uint32_t channels);
CM_API uint64_t cm_alltoall_bound(const struct cm_alltoall_task *task, uint32_t channels);

/* Description of a setup, for people and tests. */
struct cm_alltoall_info {
    uint64_t words, blocks;    /* K and n */
    uint64_t exchanges, bound; /* exchanges of a call, and the least of any algorithm */
    uint64_t words_received;   /* bytes that the nodes of a group receive from others, summed up */
    /* words of SRAM, of node memory for tables, and of working memory */
    uint64_t sram_words, table_words, work_words;
};
CM_API struct cm_alltoall_info cm_alltoall_info(const struct cm_alltoall *alltoall);

CM_END_DECLS

#endif
