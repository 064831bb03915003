/* The files of a program as they were read, and the reading of INCLUDE. Internal to the library. */
#ifndef CM_FORTRAN_SOURCE_H
#define CM_FORTRAN_SOURCE_H

#include "../../base/list.h"
#include "parse.h"
#include "place.h"

struct cm_source_file {
    char *name;
    char *owned;      /* the text, when it is not the caller's */
    const char *text; /* NUL-terminated */
    size_t length;
    bool is_builtin;
};

struct cm_source {
    CM_LIST(struct cm_source_file) files;
    struct cm_syntax_reader reader;
};

/* A source of one file, whose text is copied; NULL when out of memory. */
struct cm_source *cm_source_create(const char *name, const char *text, size_t length,
                                   const struct cm_syntax_reader *reader);

/*
 * Adds the file that `path` means in file `from`: a header that is built in, by its last part, or
 * one that the reader finds next to that file. CM_NO_MEMORY, or what the reader says.
 */
enum cm_status cm_source_include(struct cm_source *source, uint32_t from, const char *path,
                                 uint32_t *file, struct cm_error *err);

#endif
