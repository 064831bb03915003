/* The algorithms of the paper as streams of elements, and what a plan puts on the channels. Not installed. */
#ifndef CM_PROGRAMS_RESHAPE_STREAMS_H
#define CM_PROGRAMS_RESHAPE_STREAMS_H

#include "reshape_plan.h"

/* What the algorithms work on: the processor exchanges of a plan. */
struct cm_reshape_work {
    struct cm_reshape_plan *plan;
    const uint32_t *order; /* D_paddr in order */
    bool ordered;          /* by the user */
    uint64_t coupled;      /* after the local exchanges */
    int unit_shift;
};

/*
 * Each fills plan->streams, steps and bound, or says which of its conditions does not hold (CM_BAD_INPUT, without a
 * hint); streams of a failed attempt are dropped by the caller.
 */
typedef enum cm_status (*cm_reshape_method)(const struct cm_reshape_work *work,
                                            struct cm_error *err);
enum cm_status cm_reshape_rotate(const struct cm_reshape_work *work, struct cm_error *err);
enum cm_status cm_reshape_two_path(const struct cm_reshape_work *work, struct cm_error *err);
enum cm_status cm_reshape_pipeline(const struct cm_reshape_work *work, struct cm_error *err);
enum cm_status cm_reshape_gray_binary(const struct cm_reshape_work *work, struct cm_error *err);

/* Adds `stream`, cut where local bits turn its control over. */
enum cm_status cm_reshape_stream_add(struct cm_reshape_plan *plan, struct cm_reshape_stream stream,
                                     uint64_t locals, int unit_shift, struct cm_error *err);

/* Elements over the busiest link, swaps included; UINT64_MAX when out of memory. */
uint64_t cm_reshape_link_load(const struct cm_reshape_plan *plan);

/* reshape_permute.c: the swaps that take the dimensions of plan->from to plan->to, in rounds. */
enum cm_status cm_reshape_permute(struct cm_reshape_plan *plan, int unit_shift,
                                  struct cm_error *err);

#endif
