/* The files of a program, and INCLUDE. Internal to the library. */
#ifndef CM_FORTRAN_SOURCE_H
#define CM_FORTRAN_SOURCE_H

#include "../../base/list.h"
#include "parse.h"
#include "place.h"

struct cm_source_file {
    char *name;
    char *owned;      /* text that this file owns, or NULL */
    const char *text; /* NUL-terminated text */
    size_t length;
    bool is_builtin;
};

struct cm_source {
    CM_LIST(struct cm_source_file) files;
    struct cm_syntax_reader reader;
};

/* Returns whether a file name has a suffix of Fortran 90 or later, whose source form is free. */
bool cm_source_is_fortran_90(const char *name);

/* Creates a source of one file, whose text is copied. Returns NULL if memory is exhausted. */
struct cm_source *cm_source_create(const char *name, const char *text, size_t length,
                                   const struct cm_syntax_reader *reader);

/*
 * Adds the file that `path` names in file `from`. The last part of the path may name a built-in
 * header. Otherwise the reader looks for the file next to `from`. Returns CM_NO_MEMORY, or the
 * reader's error.
 */
enum cm_status cm_source_include(struct cm_source *source, uint32_t from, const char *path,
                                 uint32_t *file, struct cm_error *err);

#endif
