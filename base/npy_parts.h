/* Large .npy files. A process holds only its part of the elements: it maps a file to read it, and
 * writes a file part by part. Internal to the library. */
#ifndef CM_BASE_NPY_PARTS_H
#define CM_BASE_NPY_PARTS_H

#include "npy.h"
#include "output.h"

struct cm_npy_area; /* npy_parts.c */

struct cm_npy_map {
    struct cm_npy npy; /* header, without data */
    /* mapped file. NULL: the file cannot be mapped, for instance a pipe */
    void *memory;
    size_t bytes;                  /* length of the file */
    const unsigned char *elements; /* elements in file order */
    struct cm_npy_area *area;      /* record of the mapping, for cm_npy_repair */
};

/* Maps a .npy file into memory. Fails for the same faults of the file as cm_npy_read. */
enum cm_status cm_npy_map(const char *path, struct cm_npy_map *map, struct cm_error *err);
void cm_npy_unmap(struct cm_npy_map *map);
/* Fails with CM_IO if the mapped file became shorter, or was written to, since it was mapped,
 * because elements may then be wrong. It does no harm if another file has taken the name in the
 * meantime. */
enum cm_status cm_npy_map_check(const struct cm_npy_map *map, const char *path,
                                struct cm_error *err);

/*
 * Replaces the missing part of a mapped file that has become shorter by zeros, so that the access
 * to `address` which raised SIGBUS can be repeated. Returns false if no mapped file has the
 * address. The handler of SIGBUS calls this function, which is safe there. cm_npy_map_check() then
 * reports the file.
 */
bool cm_npy_repair(void *address);

/* Parses a .npy file that is in memory. The elements stay where they are: *elements points to them,
 * and out->data is NULL. */
enum cm_status cm_npy_parse_in_place(const char *name, const void *bytes, size_t length,
                                     struct cm_npy *out, const unsigned char **elements,
                                     struct cm_error *err);
/* Copies element e, counted in Fortran order, to `element`. */
void cm_npy_map_element(const struct cm_npy_map *map, uint64_t e, void *element);

/* Begins to write a .npy file, with the header that `npy` describes. Its data follow in parts, in
 * file order (cm_npy_add). Then cm_output_close completes the file, and cm_output_finish discards
 * it. */
enum cm_status cm_npy_begin(const char *path, const struct cm_npy *npy, struct cm_output *output,
                            struct cm_error *err);
/* Writes the next elements to the file. Afterwards the elements in memory have the byte order of
 * the file. */
void cm_npy_add(struct cm_output *output, enum cm_npy_type type, void *elements, uint64_t count);

#endif
