/*
 * A file that is written whole or not at all. The bytes go to a new file in the same folder,
 * because rename(2) is atomic only within one file system. The new file takes the name of the old
 * one when it is closed. Until then, and after any failure, the old file is whole. Special files (a
 * device, a pipe) are written directly, and so is the file of the program's standard output or
 * error, because renaming over it would lose later output. Symbolic links are followed. A handled
 * signal (without SA_RESTART) ends the wait for a pipe with CM_INTERRUPTED. Regular files are
 * written to their end. Internal to the library.
 */
#ifndef CM_BASE_OUTPUT_H
#define CM_BASE_OUTPUT_H

#include "error.h"

#include <stdbool.h>
#include <sys/stat.h>

struct cm_output {
    const char *name; /* path as the caller wrote it, for messages, borrowed */
    /* Kind of the file for messages, such as "trace". The file can then be read before it is whole.
     * NULL: it cannot be read before */
    const char *kind;
    char *path;        /* path after all symbolic links */
    char *part;        /* path of the new file. NULL: the file is written directly */
    bool exists;       /* True if the file `path` exists */
    struct stat about; /* status of the file `path`, if it exists */
    int fd;            /* -1: not open */
    int fault;         /* errno of the first failed write. 0: no failure */
};

/*
 * Begins to write a file. The new file has a name of its own (".cm200-...") and the mode of the old
 * one. With `kind`, a word for messages such as "trace", the file is readable before it is whole.
 * It is then NAME.part, and locked against other writers. A leftover of an interrupted run is
 * replaced if it is empty or begins with `magic`. Closing does not wait for the disk. Fails with
 * CM_IO.
 */
enum cm_status cm_output_open(struct cm_output *output, const char *path, const char *kind,
                              const char *magic, struct cm_error *err);

/* Writes bytes to the file. After a failure nothing more is written, and cm_output_close returns
 * the failure. */
void cm_output_write(struct cm_output *output, const void *bytes, size_t length);

/* Completes the file: the new file takes its name. If that or an earlier write fails, the new file
 * is removed. Fails with CM_IO. */
enum cm_status cm_output_close(struct cm_output *output, struct cm_error *err);

/* Leaves the bytes written so far under the temporary name output->part. Fails with CM_IO. */
enum cm_status cm_output_leave(struct cm_output *output, struct cm_error *err);

/* Frees the memory of the output. If the file is still open, the function also removes the
 * unfinished file. It may be called twice. */
void cm_output_finish(struct cm_output *output);

#endif
