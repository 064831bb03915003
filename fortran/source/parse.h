/* CM Fortran: from the text of a program to its syntax tree (syntax.h). */
#ifndef CM_FORTRAN_PARSE_H
#define CM_FORTRAN_PARSE_H

#include "syntax.h"

CM_BEGIN_DECLS

/* Reads a file that INCLUDE or #include names, as cm_file_read does; free() the text. */
struct cm_syntax_reader {
    enum cm_status (*read)(void *context, const char *path, char **text, size_t *length,
                           struct cm_error *err); /* as cm_file_read */
    void *context;                                /* its first argument */
};

/* The longest file that is read. */
#define CM_FORTRAN_MAX_BYTES (16u * 1024u * 1024u)

/* Whether the name is one of a Fortran program: .fcm, .f, .for, .f90, .f95 in either case. */
CM_API bool cm_fortran_is_source_name(const char *name);

/*
 * Reads a program of `length` bytes; `name` names it in messages, and decides its form: free for
 * .f90 and .f95, else fixed. `reader` may be NULL: then files are read from disk. CM_BAD_INPUT when
 * `messages`, which begin empty, hold at least one: *tree then has the units that could be read,
 * and marks the others as broken, so that cm_fortran_check adds what else is wrong; nothing else
 * takes it. *tree is NULL after CM_NO_MEMORY alone, and so is *source, which belongs to the caller.
 */
CM_API enum cm_status cm_syntax_parse(const char *name, const char *text, size_t length,
                                      const struct cm_syntax_reader *reader,
                                      struct cm_source **source, struct cm_messages *messages,
                                      struct cm_syntax **tree);

/* Frees the texts; NULL is taken. */
CM_API void cm_source_destroy(struct cm_source *source);

CM_END_DECLS

#endif
