/* The header dictionary of a .npy file. Internal to the library. */
#ifndef CM_BASE_NPY_HEADER_H
#define CM_BASE_NPY_HEADER_H

#include "npy.h"

/* Magic string, version, and a header length of two bytes (1.0) or four (2.0 and 3.0). */
#define CM_NPY_MAGIC_BYTES    6u
#define CM_NPY_PREAMBLE_BYTES 10u

/* NumPy refuses longer headers than 10,000 bytes; that of 32 extents of 20 digits is below
 * 1,000. */
#define CM_NPY_HEADER_MAX_BYTES 65536u

/* Fills type, order, rank, shape and count from the dictionary's text. */
enum cm_status cm_npy_header_parse(const char *name, const char *text, size_t length,
                                   struct cm_npy *npy, struct cm_error *err);

/* Product of the shape and of the element's size. False when 63 bits do not hold it, extents of 0
 * left out. */
bool cm_npy_shape_bytes(const struct cm_npy *npy, uint64_t *count, uint64_t *bytes);

#endif
