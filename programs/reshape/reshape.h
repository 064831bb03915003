/*
 * This header declares reshapes of arrays on the machine, and its first comment describes the room
 * programs/reshape.
 *
 * A reshape gives an array another shape while its elements keep their numbers. The address of an
 * element (node and local place) is its number with each axis in Gray code, so another shape means
 * other addresses. reshape_plan.h makes a plan: which element crosses which cube dimension at which
 * step, by an algorithm of Johnsson and Ho. This header compiles a plan to IMPs and executes them
 * on an array.
 *
 * The plan counts steps in elements, as the paper of Johnsson and Ho does. The machine exchanges
 * units. A unit is two words, which cross the two channels of a dimension, or one word if a node
 * holds only one. So the exchanges on the machine are the steps of the same plan, counted in units.
 *
 * Invariants: in one step a channel carries at most one unit in each direction, and the machine
 * faults otherwise. A plan is made once and then only read.
 *
 * Files: reshape_choose.c chooses the algorithm. reshape_streams.c and one file for each algorithm
 * (pipeline, two_path, open_shop, detour, ...) plan the first phase. reshape_permute.c and
 * reshape_crossings.c plan the second phase. reshape_compile.c, reshape_steps.c and reshape_swaps.c
 * emit IMPs. reshape_weigh.c compares candidate plans by cycles. reshape_table.c prints the paper's
 * tables.
 */
#ifndef CM_PROGRAMS_RESHAPE_RESHAPE_H
#define CM_PROGRAMS_RESHAPE_RESHAPE_H

#include "../system/system.h"
#include "reshape_plan.h"

CM_BEGIN_DECLS

/* Computes the allocation of an array in its canonical layout: which bits of an element's number
 * are node bits, which are local bits, and their code. Fails with CM_BAD_INPUT unless every axis is
 * NEWS without padding and all nodes are used. */
CM_API enum cm_status cm_reshape_canonical(const struct cm_layout *layout,
                                           struct cm_allocation *allocation, struct cm_error *err);

/* Arguments of a reshape: the layouts of the array before and after, and the algorithm. */
struct cm_reshape_task {
    struct cm_allocation from; /* allocation before the reshape */
    struct cm_allocation to;   /* allocation after the reshape */
    /* Requested algorithm. CM_RESHAPE_AUTO: the plan chooses one. */
    enum cm_reshape_algorithm algorithm;
    uint32_t order[64];   /* dimensions in the order in which they are exchanged */
    uint32_t order_count; /* number of entries in `order`. 0: the order of the algorithm */
    /* true if all elements start in dimension `start`, which the algorithm gray-binary allows */
    bool has_start;
    uint32_t start;  /* logic dimension, if has_start */
    uint32_t slices; /* words of an element */
    /* for CM_RESHAPE_AUTO: true to plan without partners (cm_reshape_weigh sets it) */
    bool no_partners;
    /* For CM_RESHAPE_AUTO: the algorithm that the plan must choose. The value CM_RESHAPE_AUTO
     * allows any algorithm. */
    enum cm_reshape_algorithm auto_algorithm;
};

/* These functions make the plan of a reshape. The first counts the steps in elements, the paper's
 * unit. The second counts them in the units of one or two words that the machine exchanges. */
CM_API enum cm_status cm_reshape_plan_elements(const struct cm_reshape_task *task,
                                               struct cm_reshape_plan *plan, struct cm_error *err);
CM_API enum cm_status cm_reshape_plan_units(const struct cm_reshape_task *task, uint32_t channels,
                                            struct cm_reshape_plan *plan, struct cm_error *err);

/*
 * Chooses between plans for CM_RESHAPE_AUTO, if two elements of a node can share a channel as
 * partners. Partners save steps, but cost moves within the nodes. The candidate plans are compiled,
 * and their cycles counted on a machine that moves no data. Admitted are plans that need no more
 * steps than the best plan without partners, and at most 2 % more cycles than the quickest plan.
 * CM_RESHAPE_AUTO then takes the admitted plan with the fewest steps. Without a call of this
 * function, it takes the plan with the fewest steps of all.
 */
CM_API enum cm_status cm_reshape_weigh(const struct cm_config *config, struct cm_reshape_task *task,
                                       struct cm_error *err);

/* Compiles a reshape ahead of a run. */
CM_API enum cm_status cm_reshape_prepare(struct cm_system *system,
                                         const struct cm_reshape_task *task, struct cm_error *err);
/* Moves the elements of `array`, whose layout must be task->from. The caller updates the array's
 * layout. */
CM_API enum cm_status cm_reshape(struct cm_system *system, const struct cm_reshape_task *task,
                                 struct cm_array *array, struct cm_error *err);

/*
 * Appends the table of figures 1, 3, 4 and 5 of the paper to `text`. It shows the element at each
 * address after each exchange of a plan, exchanges in memory dimensions first. Addresses are
 * written dimension by dimension, as in the paper. If a gray-binary plan starts in all dimensions
 * at once, the table has a group of columns for each starting dimension and no controls, as in
 * figure 5. Other plans have one sequence of columns.
 */
struct cm_buffer;
CM_API void cm_reshape_table(const struct cm_reshape_plan *plan, struct cm_buffer *text);

CM_END_DECLS

#endif
