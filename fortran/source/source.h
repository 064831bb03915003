/* This header declares the files of a program, with those that INCLUDE adds. It is internal to the
 * library. */
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

/* Returns whether a file name has a suffix of Fortran 90 or later. Such a file is in free form. */
bool cm_source_is_fortran_90(const char *name);

/* Creates a source with one file, whose text is copied. Returns NULL if memory is exhausted. */
struct cm_source *cm_source_create(const char *name, const char *text, size_t length,
                                   const struct cm_syntax_reader *reader);

/*
 * Adds the file that an INCLUDE of file `from` names by `path`. The last part of the path may be
 * the name of a built-in header. Otherwise the reader looks for the file next to `from`. On failure
 * returns CM_NO_MEMORY, or the error of the reader.
 */
enum cm_status cm_source_include(struct cm_source *source, uint32_t from, const char *path,
                                 uint32_t *file, struct cm_error *err);

#endif
