/* Reads whole files with a size limit. Writes a file under a new name and then renames it, so that
 * a failure leaves the old file whole. */
#ifndef CM_BASE_FILE_H
#define CM_BASE_FILE_H

#include "error.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Reads all of `path` ("-" is standard input) into a new buffer, which the caller frees with
 * free(). A NUL follows the *length bytes. Fails with CM_IO if the file cannot be read (also for a
 * directory), and with CM_BAD_INPUT if it is longer than `limit` bytes.
 */
CM_API enum cm_status cm_file_read(const char *path, size_t limit, char **data, size_t *length,
                                   struct cm_error *err);

/*
 * Writes `length` bytes to a new file next to `path`, flushes it, and renames it to `path`. An
 * existing special file (/dev/full, a pipe) is written directly. Fails with CM_IO (unwritable
 * folder, full disk) and then changes nothing.
 */
CM_API enum cm_status cm_file_write(const char *path, const void *data, size_t length,
                                    struct cm_error *err);

/* A text in memory, with the file name that messages give it. */
struct cm_file_text {
    const char *name; /* file name for messages */
    const char *text; /* bytes of the file */
    size_t length;    /* number of bytes of the text */
};

/* A piece of a file's content. cm_file_write_pieces writes several pieces one after the other,
 * which saves copying a large array into a single block. */
struct cm_file_piece {
    const void *data; /* bytes of the piece */
    size_t length;    /* number of bytes */
};
CM_API enum cm_status cm_file_write_pieces(const char *path, const struct cm_file_piece *pieces,
                                           size_t count, struct cm_error *err);

/*
 * Tests whether cm_file_write could begin, as far as a test without writing can show. The folder of
 * `path` must be writable. A special file is opened, except a pipe, because its reader would take
 * the closing for the end of the data. Fails with CM_IO and the message that writing would give.
 */
CM_API enum cm_status cm_file_probe(const char *path, struct cm_error *err);

/*
 * Returns the temporary name under which a file can be read while it is still being written, such
 * as FILE.part for a trace, as a new string. The name is NULL for special files, which are written
 * directly. Fails with CM_IO as cm_file_probe does.
 */
CM_API enum cm_status cm_file_part(const char *path, char **part, struct cm_error *err);

/*
 * Sets *same if two paths name one file, whether it exists or not, and however the paths are
 * written. Special files are never the same, because devices and pipes are not overwritten. Fails
 * with CM_NO_MEMORY.
 */
CM_API enum cm_status cm_file_same(const char *a, const char *b, bool *same, struct cm_error *err);

/* Joins `path`, which was read from the file `file`, to the folder of this file. Returns an
 * absolute path unchanged. The result is a new string, which the caller frees with free(), or NULL
 * when out of memory. */
CM_API char *cm_path_beside(const char *file, const char *path);

#ifdef __cplusplus
}
#endif

#endif
