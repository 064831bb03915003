/*
 * This header fills the boundaries of end-off shifts, which is the third step of a shift (section 3
 * of the PSHIFT paper). Elements at the places [low, high) of an axis have no source. They get a
 * scalar that the front end broadcasts, or the elements of an array of rank one less. This header
 * is not installed.
 */
#ifndef CM_PROGRAMS_PSHIFT_BOUNDARY_H
#define CM_PROGRAMS_PSHIFT_BOUNDARY_H

#include "../system/compiled_imps.h"
#include "shift.h"

struct cm_boundary {
    const struct cm_layout *layout; /* layout of the array to fill */
    uint32_t axis;
    uint64_t low; /* range of places along the axis to fill, counted over the whole array */
    uint64_t high;
    uint64_t bits[2];             /* bits of the scalar's components (cm_scalar_bits) */
    const struct cm_array *array; /* boundary array. NULL: the boundary is the scalar */
    /* For boundary arrays: function that returns the local element of "dst" which gets the boundary
     * element of local element `local`. NULL: it is `local` itself. */
    uint64_t (*store_at)(const void *context, uint64_t local);
    const void *context;
};

/* Returns the boundary of a shift. If the shift is circular, it has no places to fill. */
struct cm_boundary cm_boundary_of(const struct cm_shift *shift);

/* Computes the places [*low, *high) that an end-off shift by `distance` leaves without a source.
 * Returns false if there are no such places. */
bool cm_boundary_places(const struct cm_axis *axis, int64_t distance, uint64_t *low,
                        uint64_t *high);
/* Checks a boundary array. Fails with CM_BAD_INPUT unless `array` has the type of `layout`, and its
 * shape without `axis`. */
enum cm_status cm_boundary_check(const struct cm_layout *layout, uint32_t axis,
                                 const struct cm_array *array, struct cm_error *err);

enum cm_status cm_boundary_fill(struct cm_system *system, const struct cm_boundary *boundary,
                                const struct cm_array *dst, enum cm_entry entry,
                                struct cm_error *err);
/* Compiles the IMPs of cm_boundary_fill, and keeps them in the cache. */
enum cm_status cm_boundary_prepare(struct cm_system *system, const struct cm_boundary *boundary,
                                   struct cm_error *err);

/*
 * Compiles the IMPs that fill a boundary from an array (boundary_array.c). `task` is a struct
 * cm_boundary. This function is a cm_compiled_make. The IMPs have the arguments "table", "dst" and
 * "boundary", and the address of the scratch memory.
 */
enum cm_status cm_boundary_array_make(struct cm_system *system, const void *task,
                                      struct cm_compiled *compiled, struct cm_error *err);

#endif
