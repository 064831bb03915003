/*
 * What an end-off shift leaves without a source: the places [low, high) of its axis, and what comes
 * in there: a scalar, or an array of rank one less. Not installed.
 */
#ifndef CM_PROGRAMS_PSHIFT_BOUNDARY_H
#define CM_PROGRAMS_PSHIFT_BOUNDARY_H

#include "shift.h"

struct cm_boundary {
    const struct cm_layout *layout; /* of the array to fill */
    uint32_t axis;
    uint64_t low; /* places along the axis, of the whole array; none when low is high */
    uint64_t high;
    struct cm_scalar scalar;
    const struct cm_array *array; /* NULL: the scalar */
};

/* The boundary of a shift; a circular one has no places to fill. */
struct cm_boundary cm_boundary_of(const struct cm_shift *shift);

/* The places that an end-off shift by `distance` leaves without a source; false when it leaves
 * none. */
bool cm_boundary_places(const struct cm_axis *axis, int64_t distance, uint64_t *low,
                        uint64_t *high);
/* CM_BAD_INPUT unless `array` has the shape of `layout` without `axis`, and its type. */
enum cm_status cm_boundary_check(const struct cm_layout *layout, uint32_t axis,
                                 const struct cm_array *array, struct cm_error *err);

#endif
