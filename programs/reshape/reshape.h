/*
 * Reshapes on the machine: a plan (reshape_plan.h) compiled to IMPs, and arrays that have an
 * allocation of their own. Both channels of a dimension are used: what crosses a dimension in one
 * exchange is a unit of two words (one word if an element and a node hold no more), so that the
 * exchanges of a reshape are the steps of the same plan counted in units.
 */
#ifndef CM_PROGRAMS_RESHAPE_RESHAPE_H
#define CM_PROGRAMS_RESHAPE_RESHAPE_H

#include "../system/system.h"
#include "reshape_plan.h"

CM_BEGIN_DECLS

/* The allocation of an array in its canonical layout: every axis NEWS, no padding, all nodes in use
 * (CM_BAD_INPUT otherwise). */
CM_API enum cm_status cm_reshape_canonical(const struct cm_layout *layout,
                                           struct cm_allocation *allocation, struct cm_error *err);

/* A reshape of the elements of an array. */
struct cm_reshape_task {
    struct cm_allocation from;           /* where elements are before it */
    struct cm_allocation to;             /* where they are afterwards */
    enum cm_reshape_algorithm algorithm; /* how; CM_RESHAPE_AUTO: by the plan's rules */
    uint32_t order[64];                  /* in which dimensions are exchanged, when given */
    uint32_t order_count;                /* 0: none given */
    bool has_start;                      /* gray-binary: all elements begin in dimension `start` */
    uint32_t start;                      /* a logic dimension, when has_start */
    uint32_t slices;                     /* words of an element */
    bool apart;                          /* auto: without partners; see cm_reshape_weigh */
    enum cm_reshape_algorithm quickest;  /* auto: this one; CM_RESHAPE_AUTO: any */
};

/* Plans in elements (the paper's unit), or in the units that the machine exchanges. */
CM_API enum cm_status cm_reshape_plan_elements(const struct cm_reshape_task *task,
                                               struct cm_reshape_plan *plan, struct cm_error *err);
CM_API enum cm_status cm_reshape_plan_units(const struct cm_reshape_task *task, uint32_t channels,
                                            struct cm_reshape_plan *plan, struct cm_error *err);

/*
 * For auto where elements of one node can share channels as partners: fewer steps, but moves within
 * the nodes. The plans are compiled and their cycles counted on a machine of this kind that moves
 * no data. Then of the plans with no more steps than the best one without partners, and at most 2 %
 * more cycles than the quickest of them, auto takes the one with the fewest steps. Without this
 * call it takes the fewest steps of all.
 */
CM_API enum cm_status cm_reshape_weigh(const struct cm_config *config, struct cm_reshape_task *task,
                                       struct cm_error *err);

/* Compiles ahead of a run. */
CM_API enum cm_status cm_reshape_prepare(struct cm_system *system,
                                         const struct cm_reshape_task *task, struct cm_error *err);
/* Moves the elements of `array`, which is laid out as task->from says. The caller updates its
 * layout. */
CM_API enum cm_status cm_reshape(struct cm_system *system, const struct cm_reshape_task *task,
                                 struct cm_array *array, struct cm_error *err);

/*
 * The table of figures 1, 3, 4 and 5: which element each address holds after each exchange of a
 * plan, memory dimensions first. Addresses are written as the paper does, dimension for dimension.
 * The concurrent form of gray-binary has a group of columns for the data set that begins in each
 * dimension and no controls, as in figure 5; everything else one sequence.
 */
struct cm_buffer;
CM_API void cm_reshape_table(const struct cm_reshape_plan *plan, struct cm_buffer *text);

CM_END_DECLS

#endif
