/* Counts exchanges from the layout of an array alone, by formula and by channel capacity. */
#include "exchanges.h"

#include <stdlib.h>
#include <string.h>

static uint64_t magnitude(int64_t distance)
{
    return distance < 0 ? (uint64_t)0 - (uint64_t)distance : (uint64_t)distance;
}

bool cm_exchanges_by_formula(const struct cm_case_step *step, const struct cm_layout *layout,
                             uint64_t *exchanges)
{
    bool seen[CM_RANK_MAX][2] = {{false}};
    uint64_t most = 0;
    for (uint32_t i = 0; i < step->shift_count; i++) {
        const struct cm_case_shift *shift = &step->shifts[i];
        const struct cm_axis *axis = &layout->axes[shift->axis];
        const uint64_t s = magnitude(shift->distance);
        const int direction = shift->distance < 0;
        if (axis->node_bits == 0 || s == 0)
            continue;
        if (axis->order != CM_ORDER_NEWS || axis->padded || axis->node_bits < 2 ||
            s > axis->local_length || seen[shift->axis][direction])
            return false;
        seen[shift->axis][direction] = true;
        const uint64_t elements = layout->local_elements / axis->local_length * s;
        if (elements > most)
            most = elements;
    }
    *exchanges = most * ((layout->slices + 1) / 2);
    return true;
}

struct crossing {
    uint32_t *node_of;    /* of each element */
    uint32_t *differing;  /* bits in which the nodes that want the element differ from its own */
    uint64_t *leaving;    /* elements that must leave each node */
    uint64_t over[32][2]; /* elements that must cross a dimension, from either side */
    uint32_t farthest;
};

/* Block coordinates in Gray code (NEWS) or binary (SEND), each axis in its own cube dimensions. */
static void place_elements(const struct cm_layout *layout, uint32_t *node_of)
{
    for (uint64_t e = 0; e < layout->elements; e++) {
        uint64_t rest = e;
        node_of[e] = 0;
        for (uint32_t a = 0; a < layout->rank; a++) {
            const struct cm_axis *axis = &layout->axes[a];
            const uint32_t block = (uint32_t)(rest % axis->length / axis->local_length);
            const uint32_t bits = axis->order == CM_ORDER_NEWS ? block ^ (block >> 1) : block;
            node_of[e] |= bits << axis->first_dimension;
            rest /= axis->length;
        }
    }
}

static uint32_t bits_set(uint32_t word)
{
    uint32_t count = 0;
    for (; word != 0; word &= word - 1)
        count++;
    return count;
}

static void mark_shift(const struct cm_case_shift *shift, const struct cm_layout *layout,
                       struct crossing *crossing)
{
    const int64_t n = (int64_t)layout->axes[shift->axis].length;
    int64_t stride = 1;
    for (uint32_t a = 0; a < shift->axis; a++)
        stride *= (int64_t)layout->axes[a].length;
    for (uint64_t e = 0; e < layout->elements; e++) {
        const int64_t at = (int64_t)e / stride % n;
        int64_t to = at - shift->distance;
        if (shift->type == CM_SHIFT_CSHIFT)
            to = (to % n + n) % n;
        if (to < 0 || to >= n)
            continue;
        const uint64_t other = (uint64_t)((int64_t)e + (to - at) * stride);
        const uint32_t differing = crossing->node_of[e] ^ crossing->node_of[other];
        crossing->differing[e] |= differing;
        if (bits_set(differing) > crossing->farthest)
            crossing->farthest = bits_set(differing);
    }
}

static void count_source(const struct cm_layout *layout, struct crossing *crossing)
{
    for (uint64_t e = 0; e < layout->elements; e++) {
        const uint32_t node = crossing->node_of[e];
        crossing->leaving[node] += crossing->differing[e] != 0;
        for (uint32_t d = 0; d < layout->node_bits; d++)
            crossing->over[d][node >> d & 1] += crossing->differing[e] >> d & 1;
    }
}

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

static uint64_t bound(const struct cm_layout *layout, const struct crossing *crossing,
                      uint32_t channels)
{
    uint64_t least = crossing->farthest;
    const uint64_t side = (uint64_t)channels * layout->nodes / 2;
    for (uint32_t d = 0; d < layout->node_bits; d++)
        for (int s = 0; s < 2; s++) {
            const uint64_t exchanges = divide_up(crossing->over[d][s] * layout->slices, side);
            least = exchanges > least ? exchanges : least;
        }
    for (uint32_t node = 0; node < layout->nodes && layout->node_bits > 0; node++) {
        const uint64_t exchanges = divide_up(crossing->leaving[node] * layout->slices,
                                             (uint64_t)channels * layout->node_bits);
        least = exchanges > least ? exchanges : least;
    }
    return least;
}

uint64_t cm_exchanges_at_least(const struct cm_case *c, const struct cm_case_step *step,
                               const struct cm_layout *layout, uint32_t channels)
{
    struct crossing crossing = {.node_of = calloc((size_t)layout->elements, sizeof(uint32_t)),
                                .differing = calloc((size_t)layout->elements, sizeof(uint32_t)),
                                .leaving = calloc(layout->nodes, sizeof(uint64_t))};
    uint64_t least = UINT64_MAX;
    if (crossing.node_of == NULL || crossing.differing == NULL || crossing.leaving == NULL)
        goto done;
    place_elements(layout, crossing.node_of);
    for (uint32_t src = 0; src < c->array_count; src++) {
        bool used = false;
        memset(crossing.differing, 0, (size_t)layout->elements * sizeof(uint32_t));
        for (uint32_t i = 0; i < step->shift_count; i++)
            if (step->shifts[i].src == src) {
                mark_shift(&step->shifts[i], layout, &crossing);
                used = true;
            }
        if (used)
            count_source(layout, &crossing);
    }
    least = bound(layout, &crossing, channels);
done:
    free(crossing.node_of);
    free(crossing.differing);
    free(crossing.leaving);
    return least;
}
