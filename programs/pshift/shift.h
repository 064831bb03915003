/* What a shift is, for PSHIFT and for the run-time library: type, axis, distance, boundary. */
#ifndef CM_PROGRAMS_PSHIFT_SHIFT_H
#define CM_PROGRAMS_PSHIFT_SHIFT_H

#include "../system/scalar.h"
#include "../system/system.h"

CM_BEGIN_DECLS

/* What comes in at the end of an axis. */
enum cm_shift_type {
    CM_SHIFT_CSHIFT,         /* circular */
    CM_SHIFT_EOSHIFT_SCALAR, /* end-off, boundary a scalar of the array's type */
    CM_SHIFT_EOSHIFT_ARRAY,  /* end-off, boundary an array of rank one less */
    CM_SHIFT_EOSHIFT_0,      /* end-off, boundary the constant 0 (.FALSE.) */
    CM_SHIFT_EOSHIFT_1,      /* end-off, boundary the constant 1 (.TRUE.) */
    CM_SHIFT_TYPE_COUNT
};

CM_API const char *cm_shift_type_name(enum cm_shift_type type); /* "cshift", ... as in workloads */

#define CM_PSHIFT_MAX 64u /* shifts in one call of PSHIFT */

/* One shift of a setup: what figure 4 passes to PSHIFT_SETUP. */
struct cm_pshift_pattern {
    enum cm_shift_type type; /* what comes from beyond the ends */
    uint32_t axis;           /* from 0 */
    int64_t distance;        /* dst(i) = src(i + distance) */
};

/* How the run-time library sends elements to other nodes. PSHIFT itself only has exchanges. */
enum cm_shift_path {
    CM_PATH_EXCHANGE,
    CM_PATH_ROUTER, /* every element a packet of its own, through the router */
    CM_PATH_COUNT
};

CM_API const char *cm_shift_path_name(enum cm_shift_path path); /* "exchange", "router" */

/*
 * dst(i) = src(i + distance) along `axis` (from 0). `boundary_array` has the rank of the array less
 * one (rank one: one element, given as `boundary_scalar` instead) with the axis left out, and the
 * array's type.
 */
struct cm_shift {
    enum cm_shift_type type;               /* what comes from beyond the ends */
    uint32_t axis;                         /* from 0 */
    int64_t distance;                      /* in elements, of either sign */
    struct cm_array *dst;                  /* the result */
    const struct cm_array *src;            /* what is shifted */
    struct cm_scalar boundary_scalar;      /* EOSHIFT with a scalar: what comes in */
    const struct cm_array *boundary_array; /* EOSHIFT with an array: what comes in; else NULL */
    enum cm_shift_path path;               /* how elements get to other nodes */
};

CM_END_DECLS

#endif
