/* Whole files: read with a limit; written to a new file and renamed, so that a failure leaves the
 * old file whole. */
#ifndef CM_BASE_FILE_H
#define CM_BASE_FILE_H

#include "error.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Reads all of `path` ("-" is standard input) into a new buffer (free with free()), NUL-terminated
 * beyond *length. CM_IO when it cannot be read (a directory too); CM_BAD_INPUT when it is longer
 * than `limit` bytes.
 */
CM_API enum cm_status cm_file_read(const char *path, size_t limit, char **data, size_t *length,
                                   struct cm_error *err);

/*
 * Writes `length` bytes to `path`: into a new file next to it, flushed, then renamed over it; a
 * special file that exists (/dev/full, a pipe) is written directly. CM_IO on any failure
 * (unwritable folder, full disk), with nothing changed.
 */
CM_API enum cm_status cm_file_write(const char *path, const void *data, size_t length,
                                    struct cm_error *err);

/* As cm_file_write, from several pieces, so that a large array needs no copy. */
struct cm_file_piece {
    const void *data; /* its bytes */
    size_t length;    /* how many */
};
CM_API enum cm_status cm_file_write_pieces(const char *path, const struct cm_file_piece *pieces,
                                           size_t count, struct cm_error *err);

/*
 * Whether cm_file_write could begin, as far as can be seen without writing: the folder of `path`
 * must be writable; a special file is opened (not a pipe: its reader would take the closing for the
 * end). CM_IO with the message that writing would give.
 */
CM_API enum cm_status cm_file_probe(const char *path, struct cm_error *err);

/*
 * The name that a file has until it is whole when it is readable before (FILE.part, as a trace), a
 * new string; NULL for what is written directly. CM_IO as for cm_file_probe.
 */
CM_API enum cm_status cm_file_part(const char *path, char **part, struct cm_error *err);

/*
 * Finds out whether two paths name one file, existing or not, however they are written. False for
 * special files: nothing in a device or a pipe is overwritten. CM_NO_MEMORY when it is not known.
 */
CM_API enum cm_status cm_file_same(const char *a, const char *b, bool *same, struct cm_error *err);

/*
 * Joins `path`, as written in a file, to the folder of that file: an absolute path stays as it is.
 * Returns a new string (free with free()), NULL when out of memory.
 */
CM_API char *cm_path_beside(const char *file, const char *path);

#ifdef __cplusplus
}
#endif

#endif
