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

/* Largest number of axes of a file. */
#define CM_NPY_MAX_RANK 32u

/* Type of the elements: real32, real64, complex64, complex128, int32, logical. */
enum cm_npy_type { CM_NPY_F4, CM_NPY_F8, CM_NPY_C8, CM_NPY_C16, CM_NPY_I4, CM_NPY_B1 };

/* An array of a .npy file. */
struct cm_npy {
    enum cm_npy_type type;           /* type of the elements */
    bool fortran_order;              /* True if the first index varies fastest */
    uint32_t rank;                   /* 0 to CM_NPY_MAX_RANK. The rank of a scalar is 0 */
    uint64_t shape[CM_NPY_MAX_RANK]; /* lengths of the axes, the first index first */
    uint64_t count;                  /* product of the shape */
    /* elements in the order of the file and the byte order of the host. The structure owns them */
    void *data;
};

/* Returns the number of bytes of an element. */
CM_API size_t cm_npy_type_size(enum cm_npy_type type);
/* Returns the type in the form in which the header has it. */
CM_API const char *cm_npy_type_descr(enum cm_npy_type type); /* "<f4", "|b1", ... */

/* These functions read a .npy file, or bytes that are already in memory (`name` stands for them in
 * messages). Fails with CM_BAD_INPUT for a fault of the header, and for a file that is too short or
 * too long. */
CM_API enum cm_status cm_npy_read(const char *path, struct cm_npy *out, struct cm_error *err);
CM_API enum cm_status cm_npy_parse(const char *name, const void *bytes, size_t length,
                                   struct cm_npy *out, struct cm_error *err);
/* Writes a .npy file in format 1.0, under a new name that is then changed to `path`. */
CM_API enum cm_status cm_npy_write(const char *path, const struct cm_npy *npy,
                                   struct cm_error *err);
/* Returns the ending of a file name that is for files of another format, such as ".csv", or NULL. A
 * .npy file must not get such a name. */
const char *cm_npy_other_ending(const char *path);
/* Frees the data. */
CM_API void cm_npy_finish(struct cm_npy *npy);
/* Reorders the data in place to Fortran order. */
CM_API enum cm_status cm_npy_to_fortran(struct cm_npy *npy, struct cm_error *err);

#ifdef __cplusplus
}
#endif

#endif
