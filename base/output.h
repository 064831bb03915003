/*
 * A file being written, whole or not at all. The bytes go to a new file in the same folder
 * (rename(2) is atomic only within one file system), which takes the name when it is closed; until
 * then, and after any failure, the old file is whole. What is not a regular file (a device, a pipe)
 * is written directly, and so is a file that is our own standard output or error: renaming over
 * that one would lose what is printed next. Symbolic links are followed. A signal that is handled
 * (without SA_RESTART) ends the waiting for a pipe, CM_INTERRUPTED; files are written to their end.
 * Internal to the library.
 */
#ifndef CM_BASE_OUTPUT_H
#define CM_BASE_OUTPUT_H

#include "error.h"

#include <stdbool.h>
#include <sys/stat.h>

struct cm_output {
    const char *name;  /* as the caller wrote it, for messages; borrowed */
    const char *kind;  /* of a file that is readable before it is whole, else NULL */
    char *path;        /* after all symbolic links */
    char *part;        /* the new file; NULL: written directly */
    bool exists;       /* the file under `path` does */
    struct stat about; /* it, if it does */
    int fd;            /* -1: not open */
    int fault;         /* errno of the first write that failed; 0: none */
};

/*
 * Begins. The new file has a name of its own (".cm200-..."), and the mode of the old one. With
 * `kind`, a word for messages such as "trace", it is readable before it is whole: it is NAME.part,
 * and locked, so that nobody else writes it; what an interrupted run left there is replaced when it
 * is empty or begins with `magic`; and closing does not wait for the disk. CM_IO.
 */
enum cm_status cm_output_open(struct cm_output *output, const char *path, const char *kind,
                              const char *magic, struct cm_error *err);

/* Adds bytes. A failure sticks: nothing is written after it, and closing returns it. */
void cm_output_write(struct cm_output *output, const void *bytes, size_t length);

/* Ends well: the new file takes its name. CM_IO when that or a write before failed; then the new
 * file is removed. */
enum cm_status cm_output_close(struct cm_output *output, struct cm_error *err);

/* Leaves what there is under its temporary name, output->part. CM_IO as above. */
enum cm_status cm_output_leave(struct cm_output *output, struct cm_error *err);

/* Frees the memory; while the file is open, also removes what was written. Safe to call twice. */
void cm_output_finish(struct cm_output *output);

#endif
