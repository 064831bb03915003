/*
 * .npy files of which no process holds all: read where they are, in memory that shows the file, and
 * written part by part. Internal to the library.
 */
#ifndef CM_BASE_NPY_PARTS_H
#define CM_BASE_NPY_PARTS_H

#include "npy.h"
#include "output.h"

struct cm_npy_map {
    struct cm_npy npy;             /* without data */
    void *memory;                  /* the file; NULL: it cannot be mapped, as a pipe cannot */
    size_t bytes;                  /* of the file */
    const unsigned char *elements; /* in file order */
};

/* Faults of the file are those of cm_npy_read. */
enum cm_status cm_npy_map(const char *path, struct cm_npy_map *map, struct cm_error *err);
void cm_npy_unmap(struct cm_npy_map *map);
/* The same of bytes in memory, where the elements stay: out->data is NULL. */
enum cm_status cm_npy_parse_in_place(const char *name, const void *bytes, size_t length,
                                     struct cm_npy *out, const unsigned char **elements,
                                     struct cm_error *err);
/* Element e, counted in Fortran order, to `element`. */
void cm_npy_map_element(const struct cm_npy_map *map, uint64_t e, void *element);

/* Begins a file: npy without its data, which follow in parts, in file order (cm_npy_add). Then
 * cm_output_close; cm_output_finish gives the file up. */
enum cm_status cm_npy_begin(const char *path, const struct cm_npy *npy, struct cm_output *output,
                            struct cm_error *err);
/* Leaves the elements in the byte order of the file. */
void cm_npy_add(struct cm_output *output, enum cm_npy_type type, void *elements, uint64_t count);

#endif
