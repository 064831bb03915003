/*
 * This header makes plans of reshapes on the cube (Johnsson and Ho 1990: "the paper"). A reshape
 * changes the code of the elements' addresses in a set D of dimensions. An exchange in dimension m
 * of D swaps two elements whose addresses differ only in bit m, if bit m + 1 of the elements'
 * numbers is 1 (lemmas 2 and 3). This bit is a parity of the element's present address, so each
 * node computes it from its own address. The bit is called the control of the exchange.
 *
 * Terms: K is the number of elements in a node. D_paddr is the set of dimensions in D that are node
 * address bits, and delta is their number. A plan says which elements cross which cube dimension at
 * which step. If the allocation after the reshape is consistent (the machine's usual layout), a
 * second phase swaps whole dimensions.
 */
#ifndef CM_PROGRAMS_RESHAPE_RESHAPE_PLAN_H
#define CM_PROGRAMS_RESHAPE_RESHAPE_PLAN_H

#include "../system/allocation.h"

CM_BEGIN_DECLS

/* Algorithms that bring elements to their new nodes (docs/programs/reshape.md). */
enum cm_reshape_algorithm {
    CM_RESHAPE_AUTO,        /* chooses the algorithm with the fewest steps whose conditions hold */
    CM_RESHAPE_ROTATE,      /* theorem 2 of the paper */
    CM_RESHAPE_TWO_PATH,    /* theorem 3 of the paper, or two paths scheduled as an open shop */
    CM_RESHAPE_PIPELINE,    /* theorem 4 of the paper */
    CM_RESHAPE_GRAY_BINARY, /* theorem 5 of the paper */
    /* open shop (lemma 3 of the paper). Takes as many steps as a node has elements, or as there are
     * dimensions, whichever is larger. Partners halve the number of elements */
    CM_RESHAPE_OPEN_SHOP,
    /* detour: also uses paths that are not shortest. CM_RESHAPE_AUTO does not choose it */
    CM_RESHAPE_DETOUR,
    /* one pipeline of all elements, for comparison. Takes K + delta - 1 steps, for K elements in a
     * node and delta dimensions. CM_RESHAPE_AUTO does not choose it */
    CM_RESHAPE_SINGLE_PATH,
    CM_RESHAPE_ALGORITHM_COUNT
};
/* Returns the name of an algorithm in workloads. */
CM_API const char *cm_reshape_algorithm_name(enum cm_reshape_algorithm algorithm);

/* Control of an exchange: a bit that each node computes from an element's address, the parity of
 * (address AND mask). */
struct cm_reshape_control {
    uint64_t nodes;  /* mask of the node address */
    uint64_t locals; /* mask of the local element number */
};

/* Exchange of elements in one logic dimension. A plan lists its exchanges in order. */
struct cm_reshape_exchange {
    uint32_t dimension;                /* logic dimension */
    struct cm_reshape_control control; /* control, given that all earlier exchanges are done */
};

/* value in place of a buffer's number: the element's own place in the array */
#define CM_RESHAPE_ARRAY UINT32_MAX

/* Condition on nodes: the parity of (address AND nodes) is `value`. If `nodes` is 0 and `value` is
 * false, it holds in all nodes. */
struct cm_reshape_condition {
    uint64_t nodes; /* mask of the address bits */
    bool value;     /* required parity */
};
#define CM_RESHAPE_CONDITIONS 5u

/* value in place of a cube dimension: the element moves within its node, after the step's exchange
 */
#define CM_RESHAPE_WITHIN UINT32_MAX

/*
 * Stream of elements that cross one cube dimension. At step first_step + i * stride, element
 * first_element + i * stride leaves the nodes where the parity of (address AND nodes) is `sender`.
 * The element leaves its own place in the array or a buffer, and goes to its place or a buffer of
 * the neighbour, where the parity is `receiver`. "An element" means one element of each sending
 * node. Only nodes that meet all conditions in `when` take part. Both ends of a link meet the same
 * conditions.
 */
struct cm_reshape_stream {
    uint64_t first_step;    /* step at which the first element crosses */
    uint64_t count;         /* number of elements */
    uint64_t first_element; /* local number of the first element */
    /* steps from one element to the next. For all streams of a plan 1, or for all of them the
     * number of crossed dimensions */
    uint64_t stride;
    uint64_t nodes; /* mask of the address bits whose parity selects the nodes */
    struct cm_reshape_condition when[CM_RESHAPE_CONDITIONS]; /* conditions that must all hold */
    uint32_t dimension;    /* cube dimension, or CM_RESHAPE_WITHIN */
    uint32_t source;       /* CM_RESHAPE_ARRAY or number of a buffer */
    uint32_t target;       /* CM_RESHAPE_ARRAY or number of a buffer */
    bool sender, receiver; /* parities of the sending and of the receiving nodes */
    /* true if a unit of two elements has opposite controls, so that the second element crosses
     * where the first does not */
    bool pair_flips;
};

/* Swap of two physical dimensions (cube dimensions or local bits), in the second phase of a reshape
 * to a consistent allocation. */
struct cm_reshape_swap {
    uint32_t first;       /* cube dimension, or local bit if first_is_local */
    uint32_t second;      /* cube dimension, or local bit if second_is_local */
    bool first_is_local;  /* true if `first` is a local bit */
    bool second_is_local; /* true if `second` is a local bit */
};

/* Round: swaps of dimensions that happen at the same time. All swaps of a round have one kind, and
 * no two swaps share a dimension or local bit. */
enum cm_reshape_round_kind {
    CM_RESHAPE_ROUND_LOCAL, /* each swap exchanges two local bits: moves within the nodes */
    CM_RESHAPE_ROUND_MIXED, /* each swap exchanges a cube dimension and a local bit */
    CM_RESHAPE_ROUND_CUBE   /* each swap exchanges two cube dimensions */
};
struct cm_reshape_round {
    enum cm_reshape_round_kind kind; /* kind of all swaps of the round */
    /* place of the round's swaps in the list `swaps` of the plan */
    uint32_t first_swap, swap_count;
    /* place of the round's streams in the list `swap_streams` of the plan, for
     * CM_RESHAPE_ROUND_CUBE */
    uint32_t first_stream, stream_count;
    uint64_t steps; /* number of steps: element transfers that follow each other */
};

/* Arguments for making a plan of a reshape. */
struct cm_reshape_request {
    struct cm_allocation from; /* allocation before the reshape */
    /* Allocation after the reshape. to.processor is the set of processor dimensions. In a permuted
     * allocation, dimension m becomes dimension place[m]. */
    struct cm_allocation to;
    enum cm_reshape_algorithm algorithm; /* requested algorithm. CM_RESHAPE_AUTO: choose one */
    /* order of the exchanges: all dimensions whose code changes. NULL: descending */
    const uint32_t *order;
    uint32_t order_count; /* number of entries in `order` */
    bool has_start; /* for gray-binary only: true if all elements start in dimension `start` */
    uint32_t start; /* logic dimension, if has_start */
    /* Size of a node's share of the array, in the unit that the plan counts (elements or machine
     * units). 0: the number of elements that follows from the shape. */
    uint64_t elements;
    /* log2 of the number of units in an element: bit b of an element's number is bit b + unit_shift
     * of a unit's number */
    int unit_shift;
    bool no_partners; /* true if elements of a node must not share channels as partners */
    /* algorithm that CM_RESHAPE_AUTO must choose. The value CM_RESHAPE_AUTO allows any algorithm */
    enum cm_reshape_algorithm auto_algorithm;
};

/* Plan of a reshape: streams of elements, and the rounds of a second phase. In each step the
 * machine makes one exchange. */
struct cm_reshape_plan {
    struct cm_allocation from, to; /* allocations before and after */
    /* set D: the logic dimensions whose code the reshape changes, one bit each */
    uint64_t dimensions;
    uint64_t processor_dimensions; /* set D_paddr: the dimensions of D that are node address bits */
    uint32_t delta;                /* number of dimensions in D_paddr */
    uint64_t elements;             /* number K of elements in a node, counted in units */
    enum cm_reshape_algorithm algorithm; /* algorithm of the plan */
    /* True if all elements make the exchanges in one sequence, instead of one sequence for each
     * data set. */
    bool has_start;
    uint32_t start;                                /* logic dimension, if has_start */
    char reasons[CM_RESHAPE_ALGORITHM_COUNT][160]; /* for each algorithm, why it was rejected */
    /* Exchanges of the plan in order, one for each dimension whose code changes. The exchanges in
     * memory dimensions come first. */
    struct cm_reshape_exchange *exchanges;
    /* number of all exchanges, and of exchanges in memory dimensions */
    uint32_t exchange_count, local_count;
    struct cm_reshape_stream *streams; /* streams of elements in the first phase */
    /* number of streams, and of streams that the allocated memory holds */
    uint32_t stream_count, stream_capacity;
    uint32_t buffer_count; /* number of buffers that the streams use */
    /* true if nodes take and free buffers at different times, as in the algorithm detour */
    bool own_buffers;
    bool partners; /* true if elements of a node with opposite controls share channels */
    /* number of steps of the first phase: element transfers that follow each other */
    uint64_t steps;
    uint64_t bound;                  /* number of steps that the algorithm's theorem gives */
    uint64_t lower_bound;            /* K / 2 rounded up: no algorithm takes fewer steps */
    uint64_t link_load_max;          /* largest number of elements over one link in one direction */
    struct cm_reshape_swap *swaps;   /* swaps of the second phase */
    uint32_t swap_count;             /* number of swaps */
    struct cm_reshape_round *rounds; /* rounds of the second phase */
    uint32_t round_count;            /* number of rounds */
    /* Streams of the second phase's rounds. Their steps start at 0 in each round. */
    struct cm_reshape_stream *swap_streams;
    /* number of swap_streams, and of swap_streams that the allocated memory holds */
    uint32_t swap_stream_count, swap_stream_capacity;
    /* Number of buffers that swap_streams use. Their numbers follow those of the buffers for
     * `streams`. */
    uint32_t swap_buffer_count;
    /* number of steps of the second phase: element transfers that follow each other */
    uint64_t swap_steps;
};

/*
 * Makes a plan of a reshape. Fails with CM_BAD_INPUT if the two allocations differ in size, the
 * order is not a permutation of D, the start is not in D, or the algorithm's conditions do not
 * hold. The message names the condition. The caller frees the plan with cm_reshape_plan_finish,
 * even after a failure.
 */
CM_API enum cm_status cm_reshape_plan_make(const struct cm_reshape_request *request,
                                           struct cm_reshape_plan *plan, struct cm_error *err);
CM_API void cm_reshape_plan_finish(struct cm_reshape_plan *plan);

/* Returns the control of an exchange in `dimension`. `coupled` is the present code of the
 * addresses: the dimensions m whose address bit is the sum of bits m and m + 1 of the element's
 * number. */
CM_API struct cm_reshape_control cm_reshape_control(const struct cm_allocation *allocation,
                                                    uint64_t coupled, uint32_t dimension);

/* Returns true if some node would send an element of stream `a` and an element of stream `b` over
 * one channel in the same step. */
CM_API bool cm_reshape_streams_meet(const struct cm_reshape_stream *a,
                                    const struct cm_reshape_stream *b);

CM_END_DECLS

#endif
