/* Algorithms of the paper, which plan streams of elements, and what a plan puts on the channels.
 * Not installed. */
#ifndef CM_PROGRAMS_RESHAPE_RESHAPE_STREAMS_H
#define CM_PROGRAMS_RESHAPE_RESHAPE_STREAMS_H

#include "reshape_plan.h"

/* Input of the algorithms: the processor exchanges of a plan. */
struct cm_reshape_work {
    struct cm_reshape_plan *plan;
    const uint32_t *order; /* D_paddr in the order of the exchanges */
    bool ordered;          /* true if the user gave the order */
    uint64_t coupled;      /* code of the dimensions after the local exchanges */
    int unit_shift;
    bool no_partners;                         /* true to forbid partners */
    enum cm_reshape_algorithm auto_algorithm; /* as in the request */
};

/*
 * Each algorithm fills plan->streams, steps and bound. If one of its conditions does not hold, it
 * fails with CM_BAD_INPUT and a message without a hint. The caller discards the streams of a failed
 * attempt.
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

/* reshape_two_path_shop.c: plans two paths as an open shop, and returns the steps that it takes if
 * elements make a detour. Neither sets plan->bound. */
enum cm_status cm_reshape_two_path_shop(const struct cm_reshape_work *work, struct cm_error *err);
uint64_t cm_reshape_two_path_shop_steps(const struct cm_reshape_plan *plan);

/* Converts a control's mask of local bits to bits of the number of a unit. */
uint64_t cm_reshape_unit_bits(const struct cm_reshape_work *work, uint64_t locals);

/* Adds a stream whose control also depends on `locals`. Cuts it wherever these local bits change
 * the parity. */
enum cm_status cm_reshape_add_cut(const struct cm_reshape_work *work,
                                  struct cm_reshape_stream stream, uint64_t locals,
                                  struct cm_error *err);

/* Returns ceil(a / b). */
uint64_t cm_reshape_divide_up(uint64_t a, uint64_t b);

/* Returns the first element of data set `set` of `sets` data sets, whose sizes differ by at most
 * one. */
uint64_t cm_reshape_set_first(uint64_t elements, uint32_t sets, uint32_t set);

/* Computes the order of the processor dimensions of D: the user's order, or those in `falling` from
 * the highest down, then those in `rising` from the lowest up. */
void cm_reshape_order(const struct cm_reshape_work *work, uint64_t falling, uint64_t rising,
                      uint32_t *order);

/* Returns the code of the dimensions after data set s has made `done` of its exchanges, which start
 * at order[s]. */
uint64_t cm_reshape_coupled_after(const struct cm_reshape_work *work, uint32_t s, uint32_t done);

/* Returns true if the control of the data set's next exchange depends on local bits. */
bool cm_reshape_control_is_local(const struct cm_reshape_work *work, uint32_t s, uint32_t done);

/* Exchange of some elements in logic dimension `dimension`, possibly with a detour over logic
 * dimension `detour`. */
struct cm_reshape_crossing {
    uint32_t dimension;
    uint32_t detour;
    uint64_t nodes;  /* parity mask of the control */
    uint32_t buffer; /* buffer, one of two */
    struct cm_reshape_condition when[CM_RESHAPE_CONDITIONS];
};

/* Add a sequence of elements, one in each step: directly, or around the idle side of the 2-cube,
 * where each takes two steps more. */
typedef enum cm_status (*cm_reshape_add_run)(const struct cm_reshape_work *work,
                                             const struct cm_reshape_crossing *crossing,
                                             uint64_t step, uint64_t element, uint64_t count,
                                             struct cm_error *err);
enum cm_status cm_reshape_add_direct(const struct cm_reshape_work *work,
                                     const struct cm_reshape_crossing *crossing, uint64_t step,
                                     uint64_t element, uint64_t count, struct cm_error *err);
enum cm_status cm_reshape_add_detour(const struct cm_reshape_work *work,
                                     const struct cm_reshape_crossing *crossing, uint64_t step,
                                     uint64_t element, uint64_t count, struct cm_error *err);

#define CM_RESHAPE_STREAMS_MAX (1u << 20) /* a plan with as many streams takes 200 MB */

/* Add a stream to plan->streams or plan->swap_streams. Fail with CM_NO_MEMORY, also for more than
 * CM_RESHAPE_STREAMS_MAX streams. */
enum cm_status cm_reshape_stream_add(struct cm_reshape_plan *plan, struct cm_reshape_stream stream,
                                     struct cm_error *err);
enum cm_status cm_reshape_swap_stream_add(struct cm_reshape_plan *plan,
                                          struct cm_reshape_stream stream, struct cm_error *err);

/* Set of nodes that meet all conditions. */
#define CM_RESHAPE_ALL_CONDITIONS (1 + CM_RESHAPE_CONDITIONS)
struct cm_reshape_nodes {
    struct cm_reshape_condition conditions[CM_RESHAPE_ALL_CONDITIONS];
};
/* Returns the nodes of a stream that have this parity. */
struct cm_reshape_nodes cm_reshape_nodes_of(const struct cm_reshape_stream *stream, bool parity);
bool cm_reshape_nodes_equal(const struct cm_reshape_nodes *a, const struct cm_reshape_nodes *b);
bool cm_reshape_nodes_have(const struct cm_reshape_nodes *nodes, uint64_t node);

/* Returns the number of elements over the busiest link, swaps included, or UINT64_MAX if out of
 * memory. */
uint64_t cm_reshape_link_load(const struct cm_reshape_plan *plan);

/* reshape_permute.c: computes the swaps that take the dimensions of plan->from to plan->to, in
 * rounds. */
enum cm_status cm_reshape_permute(struct cm_reshape_plan *plan, int unit_shift,
                                  struct cm_error *err);

#endif
