/* Whether a plan would put two elements on one channel. */
#include "reshape_check.h"

#include <inttypes.h>

static bool collide(const struct cm_reshape_stream *a, const struct cm_reshape_stream *b)
{
    if (a->first_step >= b->first_step + b->count * b->stride ||
        b->first_step >= a->first_step + a->count * a->stride)
        return false;
    if (a->stride == b->stride && a->first_step % a->stride != b->first_step % b->stride)
        return false;
    return cm_reshape_streams_meet(a, b);
}

static enum cm_status check_streams(const struct cm_reshape_stream *streams, uint32_t count,
                                    struct cm_error *err)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (collide(&streams[i], &streams[k]))
                return cm_error_set(err, CM_INTERNAL,
                                    "streams %" PRIu32 " and %" PRIu32
                                    " put two elements on one channel of dimension %" PRIu32,
                                    k, i, streams[i].dimension);
    return CM_OK;
}

/* No dimension and no local bit takes part in two swaps of one round. */
static enum cm_status check_round(const struct cm_reshape_plan *plan,
                                  const struct cm_reshape_round *round, struct cm_error *err)
{
    uint64_t seen[2] = {0, 0};
    for (uint32_t i = 0; i < round->swap_count; i++) {
        const struct cm_reshape_swap *swap = &plan->swaps[round->first_swap + i];
        for (uint32_t side = 0; side < 2; side++) {
            uint64_t *mask = &seen[side == 0 ? swap->first_is_local : swap->second_is_local];
            uint32_t place = side == 0 ? swap->first : swap->second;
            if (*mask >> place & 1)
                return cm_error_set(err, CM_INTERNAL,
                                    "two swaps of one round put two elements on one channel or in "
                                    "one place: dimension or local bit %" PRIu32,
                                    place);
            *mask |= UINT64_C(1) << place;
        }
    }
    if (round->stream_count == 0)
        return CM_OK;
    return check_streams(&plan->swap_streams[round->first_stream], round->stream_count, err);
}

enum cm_status check_plan(const struct cm_reshape_plan *plan, struct cm_error *err)
{
    enum cm_status status = check_streams(plan->streams, plan->stream_count, err);
    for (uint32_t i = 0; status == CM_OK && i < plan->round_count; i++)
        status = check_round(plan, &plan->rounds[i], err);
    return status;
}
