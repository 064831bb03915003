/* Which places a shift leaves without a source, and whether what comes in fits them. */
#include "boundary.h"

#include <inttypes.h>

bool cm_boundary_places(const struct cm_axis *axis, int64_t distance, uint64_t *low, uint64_t *high)
{
    uint64_t length = axis->length;
    uint64_t magnitude = distance < 0 ? 0 - (uint64_t)distance : (uint64_t)distance;
    if (magnitude > length)
        magnitude = length;
    *low = distance > 0 ? length - magnitude : 0;
    *high = distance > 0 ? length : magnitude;
    return magnitude > 0;
}

enum cm_status cm_boundary_check(const struct cm_layout *layout, uint32_t axis,
                                 const struct cm_array *array, struct cm_error *err)
{
    const struct cm_layout *other = &array->layout;
    if (other->rank + 1 != layout->rank)
        return cm_error_set(err, CM_BAD_INPUT,
                            "boundary array \"%s\" has rank %" PRIu32
                            "; shifting an array of rank %" PRIu32 " needs one of rank %" PRIu32,
                            array->name, other->rank, layout->rank, layout->rank - 1);
    if (other->type != layout->type)
        return cm_error_set(err, CM_BAD_INPUT, "boundary array \"%s\" is %s, the shifted one %s",
                            array->name, cm_type_name(other->type), cm_type_name(layout->type));
    for (uint32_t a = 0; a < other->rank; a++) {
        uint64_t wanted = layout->axes[a + (a >= axis)].length;
        if (other->axes[a].length != wanted)
            return cm_error_set(err, CM_BAD_INPUT,
                                "boundary array \"%s\" has length %" PRIu64
                                " along its axis %" PRIu32
                                "; the shifted array without its axis %" PRIu32 " has %" PRIu64,
                                array->name, other->axes[a].length, a + 1, axis + 1, wanted);
    }
    return CM_OK;
}

struct cm_boundary cm_boundary_of(const struct cm_shift *shift)
{
    const struct cm_layout *layout = &shift->src->layout;
    struct cm_boundary boundary = {
        .layout = layout, .axis = shift->axis, .scalar = shift->boundary_scalar};
    if (shift->type != CM_SHIFT_CSHIFT)
        cm_boundary_places(&layout->axes[shift->axis], shift->distance, &boundary.low,
                           &boundary.high);
    if (shift->type == CM_SHIFT_EOSHIFT_ARRAY)
        boundary.array = shift->boundary_array;
    if (shift->type == CM_SHIFT_EOSHIFT_0 || shift->type == CM_SHIFT_EOSHIFT_1)
        boundary.scalar = cm_scalar_make(layout->type, shift->type == CM_SHIFT_EOSHIFT_1, 0);
    return boundary;
}
