/*
 * NumPy .npy files, format 1.0 (2.0 and 3.0 are read): little-endian f4 f8 c8 c16 i4 b1, C or
 * Fortran order. Reference: NumPy's numpy.lib.format documentation.
 */
#ifndef CM_BASE_NPY_H
#define CM_BASE_NPY_H

#include "error.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Axes of a file, at most. */
#define CM_NPY_MAX_RANK 32u

/* Elements of a file: real32, real64, complex64, complex128, int32, logical. */
enum cm_npy_type { CM_NPY_F4, CM_NPY_F8, CM_NPY_C8, CM_NPY_C16, CM_NPY_I4, CM_NPY_B1 };

/* An array of a .npy file. */
struct cm_npy {
    enum cm_npy_type type;           /* of its elements */
    bool fortran_order;              /* the first index varies fastest */
    uint32_t rank;                   /* 0..CM_NPY_MAX_RANK; rank 0 is a scalar */
    uint64_t shape[CM_NPY_MAX_RANK]; /* its lengths, the first index first */
    uint64_t count;                  /* product of the shape */
    void *data;                      /* count elements in file order, host byte order; owned */
};

/* Bytes of an element. */
CM_API size_t cm_npy_type_size(enum cm_npy_type type);
/* The type as the header writes it. */
CM_API const char *cm_npy_type_descr(enum cm_npy_type type); /* "<f4", "|b1", ... */

/* Reads a file, or bytes already in memory (`name` for messages). Every fault of the header, a
 * short or a long file: CM_BAD_INPUT. */
CM_API enum cm_status cm_npy_read(const char *path, struct cm_npy *out, struct cm_error *err);
CM_API enum cm_status cm_npy_parse(const char *name, const void *bytes, size_t length,
                                   struct cm_npy *out, struct cm_error *err);
/* Writes format 1.0, to a new file that is renamed. */
CM_API enum cm_status cm_npy_write(const char *path, const struct cm_npy *npy,
                                   struct cm_error *err);
/* Frees the data. */
CM_API void cm_npy_finish(struct cm_npy *npy);
/* Reorders the data in place to Fortran order (a no-op if it is so already). */
CM_API enum cm_status cm_npy_to_fortran(struct cm_npy *npy, struct cm_error *err);

#ifdef __cplusplus
}
#endif

#endif
