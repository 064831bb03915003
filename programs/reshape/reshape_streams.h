/* This header declares the algorithms of the paper (reshape_plan.h), which plan streams of
 * elements, and functions that add streams to a plan. It is not installed. */
#ifndef CM_PROGRAMS_RESHAPE_RESHAPE_STREAMS_H
#define CM_PROGRAMS_RESHAPE_RESHAPE_STREAMS_H

#include "reshape_plan.h"

/* Input of the algorithms: the exchanges of a plan that cross cube dimensions. */
struct cm_reshape_work {
    struct cm_reshape_plan *plan;
    /* logic dimensions that are exchanged and are node address bits (D_paddr), in the order of the
     * exchanges */
    const uint32_t *order;
    bool ordered; /* true if the user gave the order */
    /* code of the addresses after the local exchanges: the coupled dimensions, one bit each */
    uint64_t coupled;
    int unit_shift;
    bool no_partners; /* true to forbid partners */
    /* algorithm that CM_RESHAPE_AUTO must choose, as in struct cm_reshape_request */
    enum cm_reshape_algorithm auto_algorithm;
};

/*
 * Algorithm that fills plan->streams, steps and bound. If one of its conditions does not hold, the
 * algorithm fails with CM_BAD_INPUT and a message without a hint. The caller discards the streams
 * of a failed attempt.
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

/* These functions of reshape_two_path_shop.c plan two paths as an open shop, and return the number
 * of steps of such a plan if elements make detours. They do not set plan->bound. */
enum cm_status cm_reshape_two_path_shop(const struct cm_reshape_work *work, struct cm_error *err);
uint64_t cm_reshape_two_path_shop_steps(const struct cm_reshape_plan *plan);

/* Converts a mask of bits of the local element number to a mask of bits of the unit number. */
uint64_t cm_reshape_unit_bits(const struct cm_reshape_work *work, uint64_t locals);

/* Adds a stream whose control also depends on the local bits in `locals`. Cuts the stream into
 * shorter ones wherever these local bits change the control's parity. */
enum cm_status cm_reshape_add_cut(const struct cm_reshape_work *work,
                                  struct cm_reshape_stream stream, uint64_t locals,
                                  struct cm_error *err);

/* Returns ceil(a / b). */
uint64_t cm_reshape_divide_up(uint64_t a, uint64_t b);

/* Returns the number of the first element of data set `set`, if the elements are cut into `sets`
 * data sets whose sizes differ by at most one. */
uint64_t cm_reshape_set_first(uint64_t elements, uint32_t sets, uint32_t set);

/* Computes the order of the processor dimensions of D: the user's order if there is one. Otherwise
 * the dimensions in `falling` come first, from the highest down, then the dimensions in `rising`,
 * from the lowest up. */
void cm_reshape_order(const struct cm_reshape_work *work, uint64_t falling, uint64_t rising,
                      uint32_t *order);

/* Returns the code of the addresses after data set `s` has made `done` exchanges, the first of
 * which is in dimension order[s]. */
uint64_t cm_reshape_coupled_after(const struct cm_reshape_work *work, uint32_t s, uint32_t done);

/* Returns true if a control depends on local bits: the control of the next exchange of data set `s`
 * after the set has made `done` exchanges. */
bool cm_reshape_control_is_local(const struct cm_reshape_work *work, uint32_t s, uint32_t done);

/* Exchange of some elements in logic dimension `dimension`, possibly with a detour over logic
 * dimension `detour`. */
struct cm_reshape_crossing {
    uint32_t dimension;
    uint32_t detour;
    uint64_t nodes;  /* parity mask of the control */
    uint32_t buffer; /* number of the first of two buffers for the detour */
    struct cm_reshape_condition when[CM_RESHAPE_CONDITIONS];
};

/* These functions add a sequence of elements, one in each step. Elements cross the dimension
 * directly, or make a detour around the idle side of the 2-cube, which takes two steps more. */
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

/* limit on the streams of a plan, which then takes 200 MB */
#define CM_RESHAPE_STREAMS_MAX (1u << 20)

/* These functions add a stream to plan->streams or plan->swap_streams. They fail with CM_NO_MEMORY
 * if memory or CM_RESHAPE_STREAMS_MAX is exhausted. */
enum cm_status cm_reshape_stream_add(struct cm_reshape_plan *plan, struct cm_reshape_stream stream,
                                     struct cm_error *err);
enum cm_status cm_reshape_swap_stream_add(struct cm_reshape_plan *plan,
                                          struct cm_reshape_stream stream, struct cm_error *err);

/* Set of nodes whose addresses meet all conditions in `conditions`. */
#define CM_RESHAPE_ALL_CONDITIONS (1 + CM_RESHAPE_CONDITIONS)
struct cm_reshape_nodes {
    struct cm_reshape_condition conditions[CM_RESHAPE_ALL_CONDITIONS];
};
/* Returns the nodes that take part in a stream and whose parity is `parity`. */
struct cm_reshape_nodes cm_reshape_nodes_of(const struct cm_reshape_stream *stream, bool parity);
bool cm_reshape_nodes_equal(const struct cm_reshape_nodes *a, const struct cm_reshape_nodes *b);
bool cm_reshape_nodes_have(const struct cm_reshape_nodes *nodes, uint64_t node);

/* Returns the number of elements that cross the busiest link in both phases, or UINT64_MAX if
 * memory runs out. */
uint64_t cm_reshape_link_load(const struct cm_reshape_plan *plan);

/* Computes the swaps, in rounds, that bring the dimensions of plan->from to their places in
 * plan->to (reshape_permute.c). */
enum cm_status cm_reshape_permute(struct cm_reshape_plan *plan, int unit_shift,
                                  struct cm_error *err);

#endif
