/*
 * Plans of reshapes on the cube (Johnsson and Ho 1990: "the paper" here). A reshape changes the
 * code of an array's elements in the dimensions D: in dimension m of D the two elements of each
 * pair of neighbours change places where bit m + 1 of the number of the element held is 1 (lemmas 2
 * and 3). That bit is a parity over the element's present address, so that each node finds it from
 * its own. A plan says which elements cross which cube dimension at which step.
 */
#ifndef CM_PROGRAMS_RESHAPE_RESHAPE_PLAN_H
#define CM_PROGRAMS_RESHAPE_RESHAPE_PLAN_H

#include "../system/allocation.h"

CM_BEGIN_DECLS

/* How elements go to their new nodes (docs/programs/reshape.md). */
enum cm_reshape_algorithm {
    CM_RESHAPE_AUTO,        /* the fewest steps that the conditions allow */
    CM_RESHAPE_ROTATE,      /* theorem 2 */
    CM_RESHAPE_TWO_PATH,    /* theorem 3, or two paths as an open shop */
    CM_RESHAPE_PIPELINE,    /* theorem 4 */
    CM_RESHAPE_GRAY_BINARY, /* theorem 5 */
    CM_RESHAPE_OPEN_SHOP,   /* lemma 3: max(K, delta) steps, or max(K / 2, delta) */
    CM_RESHAPE_DETOUR,      /* over longer paths too; auto does not take it */
    CM_RESHAPE_SINGLE_PATH, /* one pipeline, to compare with: K + delta - 1 steps; nor this */
    CM_RESHAPE_ALGORITHM_COUNT
};
/* As in workloads. */
CM_API const char *cm_reshape_algorithm_name(enum cm_reshape_algorithm algorithm);

/* A bit that each address computes for itself: the parity of address AND mask. */
struct cm_reshape_control {
    uint64_t nodes;  /* over the node's address */
    uint64_t locals; /* over the local element number */
};

/* Exchange in one logic dimension, at the point of the order where it stands. */
struct cm_reshape_exchange {
    uint32_t dimension;                /* of the logic dimensions */
    struct cm_reshape_control control; /* with the exchanges before it made */
};

#define CM_RESHAPE_ARRAY UINT32_MAX /* instead of a buffer: the element's own place */

/* A condition on nodes: the parity of (address AND nodes) is `value`. With 0 and false it holds
 * everywhere. */
struct cm_reshape_condition {
    uint64_t nodes; /* which bits of the address count */
    bool value;     /* the parity asked for */
};
#define CM_RESHAPE_CONDITIONS 5u

#define CM_RESHAPE_WITHIN UINT32_MAX /* instead of a dimension: a move, after the step's exchange */

/*
 * Elements that cross one cube dimension: at step first_step + i stride element first_element + i
 * stride leaves its own place, or a buffer, of the nodes where the parity of (address AND nodes) is
 * `sender`, for a place or buffer of the neighbours, whose parity is `receiver`. "An element" is
 * one of each sending node. Only nodes take part for which all of `when` holds; both ends of a link
 * agree on it.
 */
struct cm_reshape_stream {
    uint64_t first_step;    /* when its first element crosses */
    uint64_t count;         /* of its elements */
    uint64_t first_element; /* by its number within the node */
    uint64_t stride;        /* 1, or for all streams of a plan delta */
    uint64_t nodes;         /* bits of the address whose parity counts */
    struct cm_reshape_condition when[CM_RESHAPE_CONDITIONS]; /* all must hold */
    uint32_t dimension;                                      /* of the cube, or CM_RESHAPE_WITHIN */
    uint32_t source;       /* CM_RESHAPE_ARRAY or the number of a buffer */
    uint32_t target;       /* where it goes, likewise */
    bool sender, receiver; /* parities of who sends and who receives */
    bool pair_flips;       /* of two elements in one unit the second wants the other parity */
};

/* An exchange of two physical dimensions: second phase of a consistent allocation. */
struct cm_reshape_swap {
    uint32_t first;       /* cube dimension, or local bit when first_is_local */
    uint32_t second;      /* likewise */
    bool first_is_local;  /* first is a local bit */
    bool second_is_local; /* second is a local bit */
};

/* Swaps that are made at once: of one kind, and no two of one dimension or one local bit. */
enum cm_reshape_round_kind {
    CM_RESHAPE_ROUND_LOCAL, /* two local bits: moves within the nodes */
    CM_RESHAPE_ROUND_MIXED, /* a cube dimension and a local bit */
    CM_RESHAPE_ROUND_CUBE   /* two cube dimensions */
};
struct cm_reshape_round {
    enum cm_reshape_round_kind kind;     /* within the nodes or over the cube */
    uint32_t first_swap, swap_count;     /* its exchanges in the plan's swaps */
    uint32_t first_stream, stream_count; /* of swap_streams; for CM_RESHAPE_ROUND_CUBE */
    uint64_t steps;                      /* element transfers in sequence */
};

/* What a plan is made for. */
struct cm_reshape_request {
    struct cm_allocation from; /* where elements are before it */
    /* to.processor: where the dimensions are afterwards; permuted: dimension m then is dimension
     * place[m]. */
    struct cm_allocation to;
    enum cm_reshape_algorithm algorithm; /* as asked for; CM_RESHAPE_AUTO: to be chosen */
    const uint32_t *order;               /* of all dimensions of D; NULL: descending */
    uint32_t order_count;                /* dimensions in `order` */
    bool has_start; /* gray-binary only: all elements begin in dimension `start` of D */
    uint32_t start; /* a logic dimension, when has_start */
    /* what a node holds, in the unit to be counted; 0: what the shape says */
    uint64_t elements;
    int unit_shift; /* log2 of units per element: element bit b is unit bit b + unit_shift */
    bool apart;     /* no two elements of a node share channels as partners */
    enum cm_reshape_algorithm quickest; /* what auto has to take, or CM_RESHAPE_AUTO */
};

/* The steps of a reshape, each an exchange. */
struct cm_reshape_plan {
    struct cm_allocation from, to;       /* before and after */
    uint64_t dimensions;                 /* D, one bit each */
    uint64_t processor_dimensions;       /* D_paddr */
    uint32_t delta;                      /* dimensions of D_paddr */
    uint64_t elements;                   /* K, in units */
    enum cm_reshape_algorithm algorithm; /* the one taken */
    bool has_start; /* one sequence of exchanges for all elements, not one for each data set */
    uint32_t start; /* a logic dimension, when has_start */
    char reasons[CM_RESHAPE_ALGORITHM_COUNT][160]; /* why each of the others was not taken */
    struct cm_reshape_exchange *exchanges;         /* all of D, in order: local ones first */
    uint32_t exchange_count, local_count;   /* of exchanges: all, and the local ones in front */
    struct cm_reshape_stream *streams;      /* what crosses when */
    uint32_t stream_count, stream_capacity; /* of streams: how many, and room for */
    uint32_t buffer_count;                  /* that the streams use */
    bool own_buffers;       /* nodes use the buffers at different times, each for itself */
    bool partners;          /* elements of one node that have opposite controls share channels */
    uint64_t steps;         /* element transfers in sequence, of the exchanges */
    uint64_t bound;         /* what the theorem says */
    uint64_t lower_bound;   /* no algorithm takes fewer: K / 2, rounded up */
    uint64_t link_load_max; /* elements over one link in one direction */
    struct cm_reshape_swap *swaps;          /* of the second phase */
    uint32_t swap_count;                    /* how many */
    struct cm_reshape_round *rounds;        /* of the second phase */
    uint32_t round_count;                   /* how many */
    struct cm_reshape_stream *swap_streams; /* steps counted from the beginning of the round */
    uint32_t swap_stream_count, swap_stream_capacity; /* of swap_streams: how many, and room for */
    uint32_t swap_buffer_count;                       /* after those of the streams */
    uint64_t swap_steps;                              /* of the second phase */
};

/*
 * Plans. CM_BAD_INPUT when the sizes differ, the order is not a permutation of D, the start is not
 * in D, or the algorithm's conditions do not hold; the message names the condition. Free with
 * cm_reshape_plan_finish, also after a failure.
 */
CM_API enum cm_status cm_reshape_plan_make(const struct cm_reshape_request *request,
                                           struct cm_reshape_plan *plan, struct cm_error *err);
CM_API void cm_reshape_plan_finish(struct cm_reshape_plan *plan);

/* The control of an exchange in `dimension` while `coupled` says how the dimensions are coded. */
CM_API struct cm_reshape_control cm_reshape_control(const struct cm_allocation *allocation,
                                                    uint64_t coupled, uint32_t dimension);

/* Whether some node would send elements of both streams over one channel, if they sent at the same
 * step. */
CM_API bool cm_reshape_streams_meet(const struct cm_reshape_stream *a,
                                    const struct cm_reshape_stream *b);

CM_END_DECLS

#endif
