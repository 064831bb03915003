/* Scalars of the front end: a value of any element type, as the bits that node memory holds. */
#ifndef CM_PROGRAMS_SYSTEM_SCALAR_H
#define CM_PROGRAMS_SYSTEM_SCALAR_H

#include "geometry.h"

CM_BEGIN_DECLS

/* The bits of a scalar: word s is slice s of an element. */
struct cm_scalar {
    uint32_t words[4]; /* words beyond the slices of the type are 0 */
};
/*
 * Makes a scalar from `re`, and for complex types `im`, rounded to the type. A logical scalar is re
 * != 0. An int32 scalar is the nearest integer (half to even). Beyond its range it is the nearer
 * end of the range, and for NaN it is 0.
 */
CM_API struct cm_scalar cm_scalar_make(enum cm_type type, double re, double im);

/* Returns the bits of a component, for use as a scalar argument of an IMP. Component 0 is the real
 * part, or the whole of a real value. */
CM_API uint64_t cm_scalar_bits(enum cm_type type, const struct cm_scalar *scalar,
                               uint32_t component);

CM_END_DECLS

#endif
