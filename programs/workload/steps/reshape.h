/*
 * Plan of the step reshape. It is made when the run is created, so it is known before the step is
 * executed.
 */
#ifndef CM_PROGRAMS_WORKLOAD_STEPS_RESHAPE_H
#define CM_PROGRAMS_WORKLOAD_STEPS_RESHAPE_H

#include "../../reshape/reshape.h"
#include "../workload.h"

CM_BEGIN_DECLS

/* Summary of the plan of a reshape step. In a step of the plan each node moves one whole element,
 * as in the paper by Johnsson and Ho. The machine may exchange two words of the element at once.
 * reshape_plan.h defines D, K, delta and the algorithms. */
struct cm_reshape_summary {
    /* D: set of the logic dimensions in which the reshape changes the code of addresses, one bit
     * each */
    uint64_t dimensions;
    uint64_t processor_dimensions; /* dimensions of D that are node address bits, one bit each */
    uint32_t delta;                /* delta: number of processor dimensions */
    uint64_t elements_per_node;    /* K: number of elements in each node */
    uint64_t steps;                /* number of steps of the plan, both phases together */
    uint64_t bound;       /* number of steps of the first phase by the algorithm's theorem */
    uint64_t lower_bound; /* least number of steps of the first phase by any algorithm */
    /* number of steps of the second phase, for a consistent allocation */
    uint64_t permutation_steps;
    uint64_t link_load_max; /* largest number of elements that cross one link in one direction */
    enum cm_reshape_algorithm algorithm; /* algorithm that the plan uses */
    /* true if all elements take the exchanges in one order, which begins with `start` */
    bool has_start;
    uint32_t start; /* logic dimension of the first exchange, if has_start */
    /* For algorithm auto: why each of the other algorithms was rejected, or "" without a reason. */
    char reasons[CM_RESHAPE_ALGORITHM_COUNT][160];
};

/* Returns the summary of the step's plan, or NULL if the step is not a reshape. The run owns the
 * summary. */
CM_API const struct cm_reshape_summary *cm_step_reshape_summary(const struct cm_step_result *step);
/* Returns the task that the plan was made for, or NULL if the step is not a reshape. The run owns
 * the task. */
CM_API const struct cm_reshape_task *cm_step_reshape_task(const struct cm_step_result *step);

CM_END_DECLS

#endif
