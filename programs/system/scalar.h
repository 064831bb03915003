/* Scalars of the front end. A scalar is a value of any element type, as the bits that node memory
 * would hold. */
#ifndef CM_PROGRAMS_SYSTEM_SCALAR_H
#define CM_PROGRAMS_SYSTEM_SCALAR_H

#include "geometry.h"

CM_BEGIN_DECLS

/* Bits of a scalar. Word s is slice s of an element. */
struct cm_scalar {
    uint32_t words[4]; /* words beyond the slices of the type are 0 */
};
/*
 * Makes a scalar from `re`, and for complex types also `im`, rounded to the type. A logical scalar
 * is true if re != 0. An int32 scalar is the nearest integer to `re`, the even one at a tie. A
 * number beyond the range of int32 becomes the nearer end of the range, and NaN becomes 0.
 */
CM_API struct cm_scalar cm_scalar_make(enum cm_type type, double re, double im);

/* Returns the bits of a component, for use as a scalar argument of an IMP. Component 0 is the real
 * part of a complex value, or all of a real value. */
CM_API uint64_t cm_scalar_bits(enum cm_type type, const struct cm_scalar *scalar,
                               uint32_t component);

CM_END_DECLS

#endif
