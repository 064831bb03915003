/* The header dictionary of a .npy file. Internal to the library. */
#ifndef CM_BASE_NPY_HEADER_H
#define CM_BASE_NPY_HEADER_H

#include "npy.h"

/* Fills type, order, rank, shape and count from the dictionary's text, of `length` bytes and a
 * NUL. */
enum cm_status cm_npy_header_parse(const char *name, const char *text, size_t length,
                                   struct cm_npy *npy, struct cm_error *err);

/* Product of the shape and of the element's size. False when 63 bits do not hold it, extents of 0
 * left out. */
bool cm_npy_shape_bytes(const struct cm_npy *npy, uint64_t *count, uint64_t *bytes);

#endif
