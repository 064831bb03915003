/* A file that is read piece by piece. Every error message names the file. Internal to the library.
 */
#ifndef CM_BASE_INPUT_H
#define CM_BASE_INPUT_H

#include "error.h"

#include <stdbool.h>

#define CM_INPUT_HEAD_BYTES 16u

struct cm_input {
    const char *name; /* name for messages, borrowed */
    int fd;           /* -1 when reading from memory */
    bool sized;       /* True if `left_bytes` is known, as for memory and regular files */
    uint64_t left_bytes;
    const unsigned char *memory;
    char *owned;                             /* memory that closing frees */
    unsigned char head[CM_INPUT_HEAD_BYTES]; /* bytes read ahead by cm_input_begins */
    /* part of `head` that has not yet been read, from head_at to before head_end */
    size_t head_at, head_end;
};

/* Opens `path` ("-" is standard input). Fails with CM_IO, also for a folder. */
enum cm_status cm_input_open(struct cm_input *input, const char *path, struct cm_error *err);

/*
 * Returns the reason why a file must not be read if another file names it, or NULL if it may be
 * read. Devices and pipes are refused, because they may have no end, or act when they are opened.
 * Empty files are refused, because files of /proc report no length. Missing files and folders are
 * not refused here, because reading them fails anyway.
 *
 * Every reader of a file that is named in a file calls this function or cm_file_read_stored().
 */
const char *cm_file_refusal(const char *path);

/* Sets *inside if a path, with links resolved, is in the folder of the file `owner`. The file may
 * not exist yet. A dangling link is outside. Fails with CM_NO_MEMORY. */
enum cm_status cm_file_is_inside(const char *path, const char *owner, bool *inside,
                                 struct cm_error *err);

/* Reads a file as cm_file_read() does. Fails with CM_BAD_INPUT for files that cm_file_refusal()
 * refuses. Never waits for a pipe. "-" is a file of this name. */
enum cm_status cm_file_read_stored(const char *path, size_t limit, char **data, size_t *length,
                                   struct cm_error *err);
void cm_input_open_memory(struct cm_input *input, const char *name, const void *bytes,
                          size_t length);

/* Reads until `size` bytes have been read or the input ends. *got becomes the number of bytes read.
 */
enum cm_status cm_input_read(struct cm_input *input, void *data, size_t size, size_t *got,
                             struct cm_error *err);

/* Determines whether the input begins with `magic` of at most CM_INPUT_HEAD_BYTES, without
 * consuming it. So the caller can refuse a useless or endless input by its first bytes. The
 * function must be called before the first reading. */
enum cm_status cm_input_begins(struct cm_input *input, const char *magic, bool *begins,
                               struct cm_error *err);

/* Reads the rest of the input, as cm_file_read does. */
enum cm_status cm_input_read_all(struct cm_input *input, size_t limit, char **data, size_t *length,
                                 struct cm_error *err);

/* Reads a .npy array as cm_npy_read does. Defined in npy.c. */
struct cm_npy;
enum cm_status cm_input_read_npy(struct cm_input *input, struct cm_npy *out, struct cm_error *err);

/* Closes the input. It may be called twice, and after a failed open. */
void cm_input_close(struct cm_input *input);

#endif
