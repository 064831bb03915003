/* Scalars of the front end: values of any element type as the bits that node memory holds. */
#ifndef CM_PROGRAMS_SYSTEM_SCALAR_H
#define CM_PROGRAMS_SYSTEM_SCALAR_H

#include "geometry.h"

CM_BEGIN_DECLS

/* A scalar of any type, as bits: word s is slice s of an element. */
struct cm_scalar {
    uint32_t words[4]; /* those beyond the type's slices are 0 */
};
/*
 * re and im are rounded to the type; im is used by complex types only; logical: re != 0; int32: the
 * nearest integer (half to even), the nearer end of the range beyond it, 0 for NaN.
 */
CM_API struct cm_scalar cm_scalar_make(enum cm_type type, double re, double im);

/* A scalar argument of an IMP: the bits of component `component` (0: re, or all of a real
 * value). */
CM_API uint64_t cm_scalar_bits(enum cm_type type, const struct cm_scalar *scalar,
                               uint32_t component);

CM_END_DECLS

#endif
