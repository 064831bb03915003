/* Shifts along an axis, as PSHIFT and the run-time library take them: type, axis, distance and
 * boundary. */
#ifndef CM_PROGRAMS_PSHIFT_SHIFT_H
#define CM_PROGRAMS_PSHIFT_SHIFT_H

#include "../system/scalar.h"
#include "../system/system.h"

CM_BEGIN_DECLS

/* Kind of boundary: what replaces elements from beyond the end of an axis. */
enum cm_shift_type {
    CM_SHIFT_CSHIFT,         /* circular, without boundary */
    CM_SHIFT_EOSHIFT_SCALAR, /* end-off, boundary a scalar of the array's type */
    CM_SHIFT_EOSHIFT_ARRAY,  /* end-off, boundary an array of rank one less */
    CM_SHIFT_EOSHIFT_0,      /* end-off, boundary the constant 0 (.FALSE.) */
    CM_SHIFT_EOSHIFT_1,      /* end-off, boundary the constant 1 (.TRUE.) */
    CM_SHIFT_TYPE_COUNT
};

CM_API const char *cm_shift_type_name(enum cm_shift_type type); /* as in workloads: "cshift", ... */

#define CM_PSHIFT_MAX 64u /* shifts in a call of PSHIFT */

/* Shift of a setup, as figure 4 passes it to PSHIFT_SETUP. */
struct cm_pshift_pattern {
    enum cm_shift_type type; /* kind of boundary */
    uint32_t axis;           /* counts from 0 */
    int64_t distance;        /* dst(i) = src(i + distance) */
};

/* Ways in which the run-time library sends elements to other nodes. PSHIFT uses exchanges only. */
enum cm_shift_path {
    CM_PATH_EXCHANGE,
    CM_PATH_ROUTER, /* each element is a packet through the router */
    CM_PATH_COUNT
};

CM_API const char *cm_shift_path_name(enum cm_shift_path path); /* "exchange" or "router" */

/* Shift dst(i) = src(i + distance) along `axis`. A boundary array has the array's type and shape
 * without `axis`. Rank one takes `boundary_scalar` instead. */
struct cm_shift {
    enum cm_shift_type type;    /* kind of boundary */
    uint32_t axis;              /* counts from 0 */
    int64_t distance;           /* in elements, of either sign */
    struct cm_array *dst;       /* destination */
    const struct cm_array *src; /* source */
    /* boundary of EOSHIFT with a scalar, or with an array if the source has rank 1 */
    struct cm_scalar boundary_scalar;
    const struct cm_array *boundary_array; /* boundary of EOSHIFT with an array. NULL for rank 1. */
    enum cm_shift_path path;               /* way to other nodes */
};

CM_END_DECLS

#endif
