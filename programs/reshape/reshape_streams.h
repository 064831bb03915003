/* The algorithms of the paper as streams of elements, and what a plan puts on the channels. Not
 * installed. */
#ifndef CM_PROGRAMS_RESHAPE_RESHAPE_STREAMS_H
#define CM_PROGRAMS_RESHAPE_RESHAPE_STREAMS_H

#include "reshape_plan.h"

/* What the algorithms work on: the processor exchanges of a plan. */
struct cm_reshape_work {
    struct cm_reshape_plan *plan;
    const uint32_t *order; /* D_paddr in order */
    bool ordered;          /* by the user */
    uint64_t coupled;      /* after the local exchanges */
    int unit_shift;
    bool apart;                         /* no partners */
    enum cm_reshape_algorithm quickest; /* as in the request */
};

/*
 * Each fills plan->streams, steps and bound, or says which of its conditions does not hold
 * (CM_BAD_INPUT, without a hint); the caller drops the streams of a failed attempt.
 */
typedef enum cm_status (*cm_reshape_method)(const struct cm_reshape_work *work,
                                            struct cm_error *err);
enum cm_status cm_reshape_rotate(const struct cm_reshape_work *work, struct cm_error *err);
enum cm_status cm_reshape_two_path(const struct cm_reshape_work *work, struct cm_error *err);
enum cm_status cm_reshape_pipeline(const struct cm_reshape_work *work, struct cm_error *err);
enum cm_status cm_reshape_gray_binary(const struct cm_reshape_work *work, struct cm_error *err);
enum cm_status cm_reshape_open_shop(const struct cm_reshape_work *work, struct cm_error *err);
enum cm_status cm_reshape_detour(const struct cm_reshape_work *work, struct cm_error *err);
enum cm_status cm_reshape_single_path(const struct cm_reshape_work *work, struct cm_error *err);

/* reshape_two_ways.c: two paths as an open shop, and the steps that it takes where elements go
 * round. Leaves plan->bound. */
enum cm_status cm_reshape_two_ways(const struct cm_reshape_work *work, struct cm_error *err);
uint64_t cm_reshape_two_ways_steps(const struct cm_reshape_plan *plan);

/* A control's local bits as bits of the number of a unit. */
uint64_t cm_reshape_unit_bits(const struct cm_reshape_work *work, uint64_t locals);

/* Adds a stream whose control also depends on `locals`: cut where these turn it over. */
enum cm_status cm_reshape_add_cut(const struct cm_reshape_work *work,
                                  struct cm_reshape_stream stream, uint64_t locals,
                                  struct cm_error *err);

/* ceil(a / b) */
uint64_t cm_reshape_divide_up(uint64_t a, uint64_t b);

/* The first element of data set `set` of `sets`, which are as equal as they can be. */
uint64_t cm_reshape_set_first(uint64_t elements, uint32_t sets, uint32_t set);

/* The processor dimensions of D in the user's order, or those in `falling` from the highest down,
 * then those in `rising` from the lowest up. */
void cm_reshape_order(const struct cm_reshape_work *work, uint64_t falling, uint64_t rising,
                      uint32_t *order);

/* How the dimensions are coded when data set s has made `done` of its exchanges, which begin at
 * order[s]. */
uint64_t cm_reshape_coupled_after(const struct cm_reshape_work *work, uint32_t s, uint32_t done);

/* Whether the exchange that it makes next has a control that depends on local bits. */
bool cm_reshape_control_is_local(const struct cm_reshape_work *work, uint32_t s, uint32_t done);

/* An exchange in logic dimension `dimension`, of some elements, with a way round over logic
 * dimension `round`. */
struct cm_reshape_crossing {
    uint32_t dimension;
    uint32_t round;
    uint64_t nodes;  /* the control's parity mask */
    uint32_t buffer; /* of two */
    struct cm_reshape_condition when[CM_RESHAPE_CONDITIONS];
};

/* A run of elements, one a step: straight across; round the idle side of the 2-cube, each two steps
 * more. */
typedef enum cm_status (*cm_reshape_add_run)(const struct cm_reshape_work *work,
                                             const struct cm_reshape_crossing *crossing,
                                             uint64_t step, uint64_t element, uint64_t count,
                                             struct cm_error *err);
enum cm_status cm_reshape_add_direct(const struct cm_reshape_work *work,
                                     const struct cm_reshape_crossing *crossing, uint64_t step,
                                     uint64_t element, uint64_t count, struct cm_error *err);
enum cm_status cm_reshape_add_round(const struct cm_reshape_work *work,
                                    const struct cm_reshape_crossing *crossing, uint64_t step,
                                    uint64_t element, uint64_t count, struct cm_error *err);

#define CM_RESHAPE_STREAMS_MAX (1u << 20) /* a plan with this many takes 200 MB */

/* Adds a stream to plan->streams; to plan->swap_streams. CM_NO_MEMORY also when there would be more
 * than CM_RESHAPE_STREAMS_MAX. */
enum cm_status cm_reshape_stream_add(struct cm_reshape_plan *plan, struct cm_reshape_stream stream,
                                     struct cm_error *err);
enum cm_status cm_reshape_swap_stream_add(struct cm_reshape_plan *plan,
                                          struct cm_reshape_stream stream, struct cm_error *err);

/* The nodes that meet all conditions. */
#define CM_RESHAPE_ALL_CONDITIONS (1 + CM_RESHAPE_CONDITIONS)
struct cm_reshape_nodes {
    struct cm_reshape_condition conditions[CM_RESHAPE_ALL_CONDITIONS];
};
/* The nodes of a stream with this parity. */
struct cm_reshape_nodes cm_reshape_nodes_of(const struct cm_reshape_stream *stream, bool parity);
bool cm_reshape_nodes_equal(const struct cm_reshape_nodes *a, const struct cm_reshape_nodes *b);
bool cm_reshape_nodes_have(const struct cm_reshape_nodes *nodes, uint64_t node);

/* Elements over the busiest link, swaps included; UINT64_MAX when out of memory. */
uint64_t cm_reshape_link_load(const struct cm_reshape_plan *plan);

/* reshape_permute.c: the swaps that take the dimensions of plan->from to plan->to, in rounds. */
enum cm_status cm_reshape_permute(struct cm_reshape_plan *plan, int unit_shift,
                                  struct cm_error *err);

#endif
