/* Plans: the controls of exchanges, and freeing a plan. */
#include "reshape_plan.h"

#include <stdlib.h>

/* Lemma 1: bit m + 1 of the number is the sum of the code's bits from m + 1 up to the first that is
 * not coupled. */
struct cm_reshape_control cm_reshape_control(const struct cm_allocation *allocation,
                                             uint64_t coupled, uint32_t dimension)
{
    struct cm_reshape_control control = {0, 0};
    for (uint32_t m = dimension + 1; m < allocation->dimensions; m++) {
        uint64_t bit = UINT64_C(1) << cm_allocation_rank(allocation, m);
        if (allocation->processor >> m & 1)
            control.nodes |= bit;
        else
            control.locals |= bit;
        if (!(coupled >> m & 1))
            break;
    }
    return control;
}

void cm_reshape_plan_finish(struct cm_reshape_plan *plan)
{
    void *owned[] = {plan->exchanges, plan->streams, plan->swaps, plan->rounds, plan->swap_streams};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    plan->exchanges = NULL;
    plan->streams = plan->swap_streams = NULL;
    plan->swaps = NULL;
    plan->rounds = NULL;
}
