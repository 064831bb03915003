/* This header describes shifts of arrays along an axis: type, axis, distance and boundary. PSHIFT
 * and the run-time library use this description. */
#ifndef CM_PROGRAMS_PSHIFT_SHIFT_H
#define CM_PROGRAMS_PSHIFT_SHIFT_H

#include "../system/scalar.h"
#include "../system/system.h"

CM_BEGIN_DECLS

/* Type of a shift: which elements replace those from beyond the end of the axis. */
enum cm_shift_type {
    CM_SHIFT_CSHIFT,         /* circular shift, which has no boundary */
    CM_SHIFT_EOSHIFT_SCALAR, /* end-off shift, whose boundary is a scalar of the array's type */
    CM_SHIFT_EOSHIFT_ARRAY,  /* end-off shift, whose boundary is an array of rank one less */
    CM_SHIFT_EOSHIFT_0,      /* end-off shift, whose boundary is the constant 0 (.FALSE.) */
    CM_SHIFT_EOSHIFT_1,      /* end-off shift, whose boundary is the constant 1 (.TRUE.) */
    CM_SHIFT_TYPE_COUNT
};

/* returns the name in workloads, "cshift" and so on */
CM_API const char *cm_shift_type_name(enum cm_shift_type type);

#define CM_PSHIFT_MAX 64u /* limit on the shifts in a call of PSHIFT */

/* Shift in a PSHIFT setup, as figure 4 of the PSHIFT paper passes it to PSHIFT_SETUP. */
struct cm_pshift_pattern {
    enum cm_shift_type type; /* type of the shift */
    uint32_t axis;           /* number of the axis, from 0 */
    int64_t distance;        /* distance in elements: dst(i) = src(i + distance) */
};

/* Path by which the run-time library sends elements to other nodes. PSHIFT always uses exchanges.
 */
enum cm_shift_path {
    CM_PATH_EXCHANGE,
    CM_PATH_ROUTER, /* each element is a packet through the router */
    CM_PATH_COUNT
};

CM_API const char *cm_shift_path_name(enum cm_shift_path path); /* returns "exchange" or "router" */

/* Shift dst(i) = src(i + distance) along `axis`. A boundary array has the array's type, and its
 * shape without `axis`. If the array has rank one, `boundary_scalar` is used instead. */
struct cm_shift {
    enum cm_shift_type type;    /* type of the shift */
    uint32_t axis;              /* number of the axis, from 0 */
    int64_t distance;           /* distance in elements, of either sign */
    struct cm_array *dst;       /* destination */
    const struct cm_array *src; /* source */
    /* Boundary of CM_SHIFT_EOSHIFT_SCALAR, and of CM_SHIFT_EOSHIFT_ARRAY if the array has rank 1.
     */
    struct cm_scalar boundary_scalar;
    const struct cm_array *boundary_array; /* boundary of CM_SHIFT_EOSHIFT_ARRAY. NULL for rank 1 */
    enum cm_shift_path path;               /* path by which elements go to other nodes */
};

CM_END_DECLS

#endif
