/* Splits shifts along an axis into parts, places along an axis into ranges, and ranges into runs.
 * axis_parts.h defines these pieces. */
#include "axis_parts.h"

static int64_t floor_divide(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

uint32_t cm_axis_parts_find(const struct cm_axis *axis, int64_t distance,
                            struct cm_axis_part parts[2])
{
    int64_t length = (int64_t)axis->local_length;
    int64_t nodes = floor_divide(distance, length);
    int64_t rest = distance - nodes * length;
    uint32_t count = 0;
    parts[count++] = (struct cm_axis_part){
        .first = 0, .count = (uint64_t)(length - rest), .source = (uint64_t)rest, .nodes = nodes};
    if (rest > 0)
        parts[count++] = (struct cm_axis_part){.first = (uint64_t)(length - rest),
                                               .count = (uint64_t)rest,
                                               .source = 0,
                                               .nodes = nodes + 1};
    return count;
}

/* Finds the block coordinates c with low <= c L + i < high, where L is the local length. Returns
 * false if there is no such block. */
static bool coordinates_at(const struct cm_axis *axis, uint64_t low, uint64_t high, uint64_t i,
                           struct cm_range *range)
{
    uint64_t length = axis->local_length;
    uint64_t first = low > i ? (low - i + length - 1) / length : 0;
    uint64_t end = high > i ? (high - i + length - 1) / length : 0;
    uint64_t nodes = UINT64_C(1) << axis->node_bits;
    if (end > nodes)
        end = nodes;
    range->first_coordinate = (uint32_t)first;
    range->last_coordinate = (uint32_t)(end - 1);
    return first < end;
}

uint32_t cm_ranges_find(const struct cm_axis *axis, uint64_t low, uint64_t high,
                        struct cm_range ranges[3])
{
    uint64_t length = axis->local_length;
    uint64_t cuts[4] = {0, low % length, high % length, length};
    uint32_t count = 0;
    if (cuts[1] > cuts[2]) {
        cuts[1] = high % length;
        cuts[2] = low % length;
    }
    for (uint32_t k = 0; k < 3; k++) {
        struct cm_range range = {.first = cuts[k], .count = cuts[k + 1] - cuts[k]};
        if (range.count > 0 && coordinates_at(axis, low, high, range.first, &range))
            ranges[count++] = range;
    }
    return count;
}

struct cm_runs cm_runs_of(const struct cm_layout *layout, uint32_t a, uint64_t first,
                          uint64_t count)
{
    uint64_t inner = layout->axes[a].stride;
    uint64_t stride = inner * layout->axes[a].local_length;
    return (struct cm_runs){.offset = first * inner,
                            .run = count * inner,
                            .rows = layout->local_elements / stride,
                            .stride = stride};
}
