/*
 * Plan of the step reshape. It is made when the run is created, so it is known before the step is
 * executed.
 */
#ifndef CM_PROGRAMS_WORKLOAD_STEPS_RESHAPE_H
#define CM_PROGRAMS_WORKLOAD_STEPS_RESHAPE_H

#include "../../reshape/reshape.h"
#include "../workload.h"

CM_BEGIN_DECLS

/* Summary of the plan of a reshape step. A step of the plan moves one whole element of each node,
 * as in the paper. The machine may exchange two words of it at once. reshape_plan.h defines D, K,
 * delta and the algorithms. */
struct cm_reshape_summary {
    uint64_t dimensions;           /* set D of logic dimensions, one bit each */
    uint64_t processor_dimensions; /* dimensions of D that are node address bits, one bit each */
    uint32_t delta;                /* number of processor dimensions */
    uint64_t elements_per_node;    /* K */
    uint64_t steps;                /* steps of the plan, both phases together */
    uint64_t bound;                /* steps of the first phase by the algorithm's theorem */
    uint64_t lower_bound;          /* least steps of the first phase by any algorithm */
    uint64_t permutation_steps;    /* steps of the second phase, for a consistent allocation */
    uint64_t link_load_max;        /* most elements over one link in one direction */
    enum cm_reshape_algorithm algorithm; /* algorithm that the plan uses */
    bool has_start; /* true if all elements take the exchanges in one order, from `start` */
    uint32_t start; /* logic dimension of the first exchange, if has_start */
    /* For algorithm auto: why it rejected each of the other algorithms, or "" without a reason. */
    char reasons[CM_RESHAPE_ALGORITHM_COUNT][160];
};

/* Returns the summary of the step's plan, or NULL if the step is not a reshape. The run owns it. */
CM_API const struct cm_reshape_summary *cm_step_reshape_summary(const struct cm_step_result *step);
/* Returns the task that the plan was made for, or NULL if the step is not a reshape. The run owns
 * it. */
CM_API const struct cm_reshape_task *cm_step_reshape_task(const struct cm_step_result *step);

CM_END_DECLS

#endif
