/*
 * The third step of end-off shifts (P 3): boundary values into the places [low, high) of an axis
 * that have no source, from a scalar that the front end broadcasts or from an array of rank one
 * less. Not installed.
 */
#ifndef CM_PROGRAMS_PSHIFT_BOUNDARY_H
#define CM_PROGRAMS_PSHIFT_BOUNDARY_H

#include "../system/compiled_imps.h"
#include "shift.h"

struct cm_boundary {
    const struct cm_layout *layout; /* of the array to fill */
    uint32_t axis;
    uint64_t low; /* places along the axis, of the whole array; none when low is high */
    uint64_t high;
    uint64_t bits[2];             /* the scalar's components (cm_scalar_bits) */
    const struct cm_array *array; /* NULL: the scalar */
    /* Of an array: the number of the element, in what the IMPs get as "dst", that takes the value
     * of local element `local` of the layout; NULL: that one. */
    uint64_t (*store_at)(const void *context, uint64_t local);
    const void *context;
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

enum cm_status cm_boundary_fill(struct cm_system *system, const struct cm_boundary *boundary,
                                const struct cm_array *dst, enum cm_entry entry,
                                struct cm_error *err);
/* Compiles and keeps what cm_boundary_fill would run. */
enum cm_status cm_boundary_prepare(struct cm_system *system, const struct cm_boundary *boundary,
                                   struct cm_error *err);

/*
 * boundary_array.c: a cm_compiled_make for a struct cm_boundary with an array. Arguments of the
 * IMPs: "table", "dst", "boundary", and the scratch memory.
 */
enum cm_status cm_boundary_array_make(struct cm_system *system, const void *task,
                                      struct cm_compiled *compiled, struct cm_error *err);

#endif
