/*
 * Plans of reshapes on the cube (Johnsson and Ho 1990: "the paper"). A reshape changes between
 * codes of the elements' addresses in a set D of dimensions. In dimension m of D the two elements
 * of a pair of neighbours are exchanged if bit m + 1 of the number of the element held is 1 (lemmas
 * 2 and 3). This bit is a parity of the element's present address, so each node computes it from
 * its own address. The bit is called the control of the exchange.
 *
 * Terms: K is the number of elements in a node. D_paddr is the set of dimensions in D that are node
 * address bits, and delta is their number. A plan says which elements cross which cube dimension at
 * which step. A consistent allocation needs a second phase that swaps whole dimensions.
 */
#ifndef CM_PROGRAMS_RESHAPE_RESHAPE_PLAN_H
#define CM_PROGRAMS_RESHAPE_RESHAPE_PLAN_H

#include "../system/allocation.h"

CM_BEGIN_DECLS

/* Algorithms that bring elements to their new nodes (docs/programs/reshape.md). */
enum cm_reshape_algorithm {
    CM_RESHAPE_AUTO,        /* the fewest steps that the conditions allow */
    CM_RESHAPE_ROTATE,      /* theorem 2 */
    CM_RESHAPE_TWO_PATH,    /* theorem 3, or two paths scheduled as an open shop */
    CM_RESHAPE_PIPELINE,    /* theorem 4 */
    CM_RESHAPE_GRAY_BINARY, /* theorem 5 */
    CM_RESHAPE_OPEN_SHOP,   /* lemma 3: max(K, delta) steps, or max(K / 2, delta) with partners */
    CM_RESHAPE_DETOUR,      /* uses longer paths, too. Auto does not take it */
    /* one pipeline of K + delta - 1 steps, for comparison. Auto does not take it */
    CM_RESHAPE_SINGLE_PATH,
    CM_RESHAPE_ALGORITHM_COUNT
};
/* Returns the name that workloads use. */
CM_API const char *cm_reshape_algorithm_name(enum cm_reshape_algorithm algorithm);

/* Control: a bit that each address computes, the parity of (address AND mask). */
struct cm_reshape_control {
    uint64_t nodes;  /* mask of the node address */
    uint64_t locals; /* mask of the local element number */
};

/* Exchange in one logic dimension, at its place in the order of exchanges. */
struct cm_reshape_exchange {
    uint32_t dimension;                /* logic dimension */
    struct cm_reshape_control control; /* control after the exchanges before it */
};

#define CM_RESHAPE_ARRAY UINT32_MAX /* in place of a buffer number: the element's own place */

/* Condition on nodes: the parity of (address AND nodes) is `value`. With 0 and false it holds in
 * all nodes. */
struct cm_reshape_condition {
    uint64_t nodes; /* mask of the address bits */
    bool value;     /* required parity */
};
#define CM_RESHAPE_CONDITIONS 5u

/* in place of a dimension: a move within the node, after the step's exchange */
#define CM_RESHAPE_WITHIN UINT32_MAX

/*
 * Stream of elements that cross one cube dimension. At step first_step + i stride, element
 * first_element + i stride leaves the nodes where the parity of (address AND nodes) is `sender`. It
 * leaves its own place or a buffer, and goes to a place or buffer of the neighbour, whose parity is
 * `receiver`. "An element" means one element of each sending node. Only nodes that meet all
 * conditions in `when` take part. Both ends of a link meet the same conditions.
 */
struct cm_reshape_stream {
    uint64_t first_step;    /* step at which the first element crosses */
    uint64_t count;         /* number of elements */
    uint64_t first_element; /* local number of the first element */
    uint64_t stride;        /* 1, or delta for all streams of a plan */
    uint64_t nodes;         /* mask of the address bits whose parity selects the nodes */
    struct cm_reshape_condition when[CM_RESHAPE_CONDITIONS]; /* conditions that must all hold */
    uint32_t dimension;    /* cube dimension, or CM_RESHAPE_WITHIN */
    uint32_t source;       /* CM_RESHAPE_ARRAY or number of a buffer */
    uint32_t target;       /* CM_RESHAPE_ARRAY or number of a buffer */
    bool sender, receiver; /* parities of the sending and of the receiving nodes */
    bool pair_flips; /* true if the second of two elements in a unit needs the opposite parity */
};

/* Swap of two physical dimensions, in the second phase of a consistent allocation. */
struct cm_reshape_swap {
    uint32_t first;       /* cube dimension, or local bit if first_is_local */
    uint32_t second;      /* cube dimension, or local bit if second_is_local */
    bool first_is_local;  /* true if `first` is a local bit */
    bool second_is_local; /* true if `second` is a local bit */
};

/* Round of swaps that happen at the same time. They have one kind, and no two share a dimension or
 * local bit. */
enum cm_reshape_round_kind {
    CM_RESHAPE_ROUND_LOCAL, /* two local bits: moves within the nodes */
    CM_RESHAPE_ROUND_MIXED, /* a cube dimension and a local bit */
    CM_RESHAPE_ROUND_CUBE   /* two cube dimensions */
};
struct cm_reshape_round {
    enum cm_reshape_round_kind kind;     /* kind of all swaps of the round */
    uint32_t first_swap, swap_count;     /* range in the plan's swaps */
    uint32_t first_stream, stream_count; /* range in swap_streams, for CM_RESHAPE_ROUND_CUBE */
    uint64_t steps;                      /* element transfers in sequence */
};

/* Parameters of a plan. */
struct cm_reshape_request {
    struct cm_allocation from; /* allocation before the reshape */
    /* Allocation after the reshape. to.processor is the set of processor dimensions. If permuted,
     * dimension m becomes dimension place[m]. */
    struct cm_allocation to;
    enum cm_reshape_algorithm algorithm; /* requested algorithm. CM_RESHAPE_AUTO: choose one */
    const uint32_t *order;               /* order of all dimensions of D. NULL: descending */
    uint32_t order_count;                /* number of entries in `order` */
    bool has_start; /* gray-binary only: true if all elements start in dimension `start` of D */
    uint32_t start; /* logic dimension, if has_start */
    /* Size of a node's share in the unit to count. 0: as the shape says. */
    uint64_t elements;
    int unit_shift;   /* log2 of units in an element: element bit b is unit bit b + unit_shift */
    bool no_partners; /* true to forbid that elements of a node share channels as partners */
    enum cm_reshape_algorithm auto_algorithm; /* algorithm that auto must use, or CM_RESHAPE_AUTO */
};

/* Plan of a reshape. Each step is an exchange. */
struct cm_reshape_plan {
    struct cm_allocation from, to;       /* allocations before and after */
    uint64_t dimensions;                 /* D, one bit each */
    uint64_t processor_dimensions;       /* D_paddr, one bit each */
    uint32_t delta;                      /* number of dimensions in D_paddr */
    uint64_t elements;                   /* K, in units */
    enum cm_reshape_algorithm algorithm; /* algorithm of the plan */
    /* True for one sequence of exchanges for all elements instead of one for each data set. */
    bool has_start;
    uint32_t start;                                /* logic dimension, if has_start */
    char reasons[CM_RESHAPE_ALGORITHM_COUNT][160]; /* why the other algorithms were rejected */
    /* Exchanges of all dimensions of D in order, local ones first. */
    struct cm_reshape_exchange *exchanges;
    uint32_t exchange_count, local_count;   /* number of all exchanges, and of the local ones */
    struct cm_reshape_stream *streams;      /* crossings of the first phase */
    uint32_t stream_count, stream_capacity; /* number of streams, and room */
    uint32_t buffer_count;                  /* number of buffers that the streams use */
    bool own_buffers;       /* true if nodes use the buffers at different times, each for itself */
    bool partners;          /* true if elements of a node with opposite controls share channels */
    uint64_t steps;         /* element transfers in sequence of the first phase */
    uint64_t bound;         /* steps by the theorem */
    uint64_t lower_bound;   /* K / 2 rounded up, which no algorithm can go below */
    uint64_t link_load_max; /* most elements over one link in one direction */
    struct cm_reshape_swap *swaps;   /* swaps of the second phase */
    uint32_t swap_count;             /* number of swaps */
    struct cm_reshape_round *rounds; /* rounds of the second phase */
    uint32_t round_count;            /* number of rounds */
    /* Streams of the rounds, whose steps start at 0 in each round. */
    struct cm_reshape_stream *swap_streams;
    uint32_t swap_stream_count, swap_stream_capacity; /* number of swap_streams, and room */
    /* Buffers of the swap_streams, numbered after those of the streams. */
    uint32_t swap_buffer_count;
    uint64_t swap_steps; /* element transfers in sequence of the second phase */
};

/*
 * Makes a plan. Fails with CM_BAD_INPUT if the sizes differ, the order is not a permutation of D,
 * the start is not in D, or the algorithm's conditions do not hold. The message names the
 * condition. Free the plan with cm_reshape_plan_finish, also after a failure.
 */
CM_API enum cm_status cm_reshape_plan_make(const struct cm_reshape_request *request,
                                           struct cm_reshape_plan *plan, struct cm_error *err);
CM_API void cm_reshape_plan_finish(struct cm_reshape_plan *plan);

/* Returns the control of an exchange in `dimension`. `coupled` is the present code of the
 * dimensions. */
CM_API struct cm_reshape_control cm_reshape_control(const struct cm_allocation *allocation,
                                                    uint64_t coupled, uint32_t dimension);

/* Returns true if some node would send elements of both streams over one channel in the same
 * step. */
CM_API bool cm_reshape_streams_meet(const struct cm_reshape_stream *a,
                                    const struct cm_reshape_stream *b);

CM_END_DECLS

#endif
