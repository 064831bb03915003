/* Performs a transpose by exchanges, as changes of the elements' addresses. The bits are permuted
 * by rounds of programs/reshape or by chains, whichever take fewer exchanges. */
#include "transpose_private.h"
#include "transpose_rotate.h"

/* Computes the number of exchanges of a reshape: the number of steps of its plan in the machine's
 * units. */
static enum cm_status count_exchanges(const struct cm_system *system,
                                      const struct cm_reshape_task *reshape, uint64_t *exchanges,
                                      struct cm_error *err)
{
    const uint32_t channels = cm_machine_config(system->machine)->network_channels_per_dimension;
    struct cm_reshape_plan plan;
    enum cm_status status = cm_reshape_plan_units(reshape, channels, &plan, err);
    *exchanges = plan.steps + plan.swap_steps;
    cm_reshape_plan_finish(&plan);
    return status;
}

/* Reduces the second change to the permutation of local bits that chains leave to be done. */
static void keep_local_places(struct cm_transpose_plan *plan, const struct cm_chains *chains)
{
    struct cm_allocation *to = &plan->changes[CM_TRANSPOSE_PERMUTE].to;
    const uint32_t locals = to->dimensions - to->node_bits;
    for (uint32_t bit = 0; bit < to->dimensions; bit++)
        to->place[bit] = bit < locals ? chains->place[bit] : (uint8_t)bit;
    plan->needed[CM_TRANSPOSE_PERMUTE] = chains->permuted;
}

/* Uses chains if they take no more exchanges than rounds. */
static enum cm_status try_chains(struct cm_system *system, struct cm_transpose *own,
                                 uint64_t rounds, struct cm_error *err)
{
    const struct cm_config *config = cm_machine_config(system->machine);
    const struct cm_reshape_task *permute = &own->plan.changes[CM_TRANSPOSE_PERMUTE];
    struct cm_chains chains;
    enum cm_status status = cm_chains_make(&permute->to, permute->slices,
                                           config->network_channels_per_dimension, &chains, err);
    own->info.chained = status == CM_OK && chains.count > 0 && chains.exchanges <= rounds &&
                        cm_chains_can_run(&chains, config);
    if (own->info.chained) {
        status = cm_chains_compile(system, &chains, own->chains, err);
        keep_local_places(&own->plan, &chains);
        own->info.exchanges += chains.exchanges;
    }
    cm_chains_finish(&chains);
    return status;
}

enum cm_status cm_transpose_set_up_exchanges(struct cm_system *system, struct cm_transpose *own,
                                             struct cm_error *err)
{
    struct cm_transpose_plan *plan = &own->plan;
    enum cm_status status = CM_OK;
    uint64_t exchanges = 0;
    cm_transpose_plan_make(&own->task, plan);
    own->info.dimensions = plan->dimensions;
    if (plan->needed[CM_TRANSPOSE_PERMUTE])
        status = count_exchanges(system, &plan->changes[CM_TRANSPOSE_PERMUTE], &exchanges, err);
    if (status == CM_OK && exchanges > 0)
        status = try_chains(system, own, exchanges, err);
    for (uint32_t i = 0; status == CM_OK && i < CM_TRANSPOSE_CHANGES; i++) {
        if (!plan->needed[i])
            continue;
        status = cm_reshape_prepare(system, &plan->changes[i], err);
        if (status == CM_OK)
            status = count_exchanges(system, &plan->changes[i], &exchanges, err);
        own->info.exchanges += exchanges;
    }
    return status;
}

enum cm_status cm_transpose_exchange(struct cm_system *system, const struct cm_transpose *own,
                                     struct cm_array *dst, struct cm_error *err)
{
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; status == CM_OK && i < CM_TRANSPOSE_CHANGES; i++) {
        if (i == CM_TRANSPOSE_PERMUTE && own->info.chained)
            status = cm_chains_run(system, own->chains, dst->address, err);
        if (status == CM_OK && own->plan.needed[i])
            status = cm_reshape(system, &own->plan.changes[i], dst, err);
    }
    return status;
}
