/* Computes the destination of each node in the traffic patterns that are permutations. */
#include "pattern.h"

#include <stddef.h>

static const char *const names[CM_PATTERN_COUNT] = {
    "shift",     "bit-reversal", "transpose", "complement", "shuffle", "tornado", "butterfly",
    "neighbour", "random",       "hot-spot",  "all-to-all", "list",    "flows",
};

const char *cm_pattern_name(enum cm_pattern pattern)
{
    return (unsigned)pattern < CM_PATTERN_COUNT ? names[pattern] : NULL;
}

static uint32_t reverse(uint32_t bits, uint32_t count)
{
    uint32_t reversed = 0;
    for (uint32_t b = 0; b < count; b++)
        reversed |= (bits >> b & 1) << (count - 1 - b);
    return reversed;
}

/* Rotates the lowest `count` bits to the left by `by` places. */
static uint32_t rotate(uint32_t bits, uint32_t count, uint32_t by)
{
    if (count == 0 || by % count == 0)
        return bits;
    return (bits << by | bits >> (count - by)) & ((1u << count) - 1);
}

uint32_t cm_pattern_destination(enum cm_pattern pattern, uint32_t dimensions, uint32_t source,
                                uint32_t by)
{
    uint32_t last = (1u << dimensions) - 1;
    uint32_t ends = dimensions > 1 ? 1u | 1u << (dimensions - 1) : 0;
    switch (pattern) {
    case CM_PATTERN_SHIFT:
        return (source + by) & last;
    case CM_PATTERN_BIT_REVERSAL:
        return reverse(source, dimensions);
    case CM_PATTERN_TRANSPOSE:
        return rotate(source, dimensions, dimensions / 2);
    case CM_PATTERN_COMPLEMENT:
        return source ^ last;
    case CM_PATTERN_SHUFFLE:
        return rotate(source, dimensions, 1);
    case CM_PATTERN_TORNADO:
        return dimensions == 0 ? source : (source + last / 2) & last;
    case CM_PATTERN_BUTTERFLY: {
        bool same = (source & ends) == 0 || (source & ends) == ends;
        return same ? source : source ^ ends;
    }
    case CM_PATTERN_NEIGHBOUR:
        return (source + 1) & last;
    default:
        return source;
    }
}
