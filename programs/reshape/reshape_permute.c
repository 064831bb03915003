/*
 * The second phase of a consistent allocation: a stable dimension permutation, made of exchanges of two dimensions each
 * (Flanders 1982; Ho and Johnsson, Stable Dimension Permutations on Boolean Cubes, 1988: references 4 and 5 of the
 * paper). Each cycle of the permutation is undone from one of its places, a memory bit if it has one:
 *
 *     cube dimension and memory bit     half of a node's elements cross that dimension: K / 2 steps
 *     two cube dimensions               nodes whose two bits differ send all over two hops, one element behind the
 *                                       other: K + 1 steps; only cycles without a memory bit need it
 *     two memory bits                   local moves, no steps
 */
#include "reshape_streams.h"

#include <stdlib.h>

/* Places of the logic dimensions: cube dimensions first, then local bits. */
static uint32_t place_of(const struct cm_allocation *allocation, uint32_t dimension)
{
    uint32_t rank = cm_allocation_rank(allocation, dimension);
    return allocation->processor >> dimension & 1 ? rank : allocation->node_bits + rank;
}

static void add_swap(struct cm_reshape_plan *plan, uint32_t first, uint32_t second)
{
    uint32_t n = plan->from.node_bits;
    struct cm_reshape_swap swap = {.first_is_local = first >= n, .second_is_local = second >= n};
    swap.first = swap.first_is_local ? first - n : first;
    swap.second = swap.second_is_local ? second - n : second;
    plan->swaps[plan->swap_count++] = swap;
    if (!swap.first_is_local && !swap.second_is_local)
        plan->swap_steps += plan->elements + 1;
    else if (!swap.first_is_local || !swap.second_is_local)
        plan->swap_steps += plan->elements > 1 ? plan->elements / 2 : 1;
}

enum cm_status cm_reshape_permute(struct cm_reshape_plan *plan, struct cm_error *err)
{
    uint32_t q = plan->from.dimensions;
    uint32_t target[64]; /* of what lies at a place now */
    if (plan->from.processor == plan->to.processor)
        return CM_OK;
    plan->swaps = calloc(q + 1u, sizeof *plan->swaps);
    if (!plan->swaps)
        return cm_error_set(err, CM_NO_MEMORY, "out of memory for a plan");
    for (uint32_t m = 0; m < q; m++)
        target[place_of(&plan->from, m)] = place_of(&plan->to, m);
    /* Places from the highest down: memory bits, whose exchanges are cheaper, come first. */
    for (uint32_t pivot = q; pivot-- > 0;)
        while (target[pivot] != pivot) {
            uint32_t other = target[pivot];
            add_swap(plan, other, pivot);
            target[pivot] = target[other];
            target[other] = other;
        }
    return CM_OK;
}
