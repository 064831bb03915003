/*
 * The recording's file: NAME.part until it is whole, then NAME. A special file that exists
 * (/dev/full, a pipe) is written directly. Whoever writes NAME.part holds a lock on it, so that two
 * runs never write one trace.
 */
#include "record_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static enum cm_status fail(const struct cm_recorder_file *file, const char *doing, int fault,
                           struct cm_error *err)
{
    cm_error_at(err, CM_IO, file->path, 0, 0, "cannot %s the trace: %s", doing, strerror(fault));
    return CM_IO;
}

/* What lies under the temporary name may be overwritten when it is empty or a trace. */
static bool may_replace(int fd)
{
    char magic[CM_TRACE_MAGIC_BYTES];
    ssize_t length = pread(fd, magic, sizeof magic, 0);
    return length == 0 ||
           (length == (ssize_t)sizeof magic && memcmp(magic, CM_TRACE_MAGIC, sizeof magic) == 0);
}

static enum cm_status open_part(struct cm_recorder_file *file, struct cm_error *err)
{
    size_t size = strlen(file->path) + sizeof ".part";
    file->part = malloc(size);
    if (file->part == NULL)
        return cm_error_set(err, CM_NO_MEMORY, "out of memory for the trace");
    snprintf(file->part, size, "%s.part", file->path);
    file->fd = open(file->part, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (file->fd < 0)
        return fail(file, "write", errno, err);
    struct stat about;
    bool locked = flock(file->fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    if (fstat(file->fd, &about) != 0 || !S_ISREG(about.st_mode) || !may_replace(file->fd)) {
        cm_error_at(err, CM_IO, file->part, 0, 0, "stands where the trace is written, and is none");
        if (err != NULL)
            cm_error_hint(err, "move it away, or name the trace otherwise");
        return CM_IO;
    }
    if (!locked) {
        cm_error_at(err, CM_IO, file->part, 0, 0, "another run is writing this trace");
        return CM_IO;
    }
    /* A file that was cut to nothing is written to the disk when it is closed (ext4); a new one in
     * its own time. */
    if (about.st_size != 0 && ftruncate(file->fd, 0) != 0)
        return fail(file, "write", errno, err);
    return CM_OK;
}

enum cm_status cm_recorder_open(struct cm_recorder_file *file, const char *path,
                                struct cm_error *err)
{
    struct stat about;
    bool special = stat(path, &about) == 0 && !S_ISREG(about.st_mode);
    file->fd = -1;
    char *link = special ? NULL : realpath(path, NULL); /* a link keeps pointing where it does */
    file->path = link != NULL ? link : strdup(path);
    if (file->path == NULL)
        return cm_error_set(err, CM_NO_MEMORY, "out of memory for the trace");
    if (!special) {
        enum cm_status status = open_part(file, err);
        if (status != CM_OK && file->fd >= 0) {
            close(file->fd);
            file->fd = -1;
        }
        if (status != CM_OK) {
            free(file->part);
            file->part = NULL;
        }
        return status;
    }
    file->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    return file->fd >= 0 ? CM_OK : fail(file, "open", errno, err);
}

bool cm_recorder_write(struct cm_recorder_file *file, const void *bytes, size_t length)
{
    const char *at = bytes;
    while (length > 0) {
        ssize_t written = write(file->fd, at, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            file->fault = written < 0 ? errno : EIO;
            return false;
        }
        at += written;
        length -= (size_t)written;
    }
    return true;
}

enum cm_status cm_recorder_close(struct cm_recorder_file *file, bool failed, bool complete,
                                 struct cm_error *err)
{
    if (file->fd < 0)
        return CM_OK;
    int fault = file->fault;
    if (close(file->fd) != 0 && errno != EINTR && fault == 0)
        fault = errno;
    file->fd = -1;
    if (file->part == NULL)
        return fault == 0 ? CM_OK : fail(file, "write", fault, err);
    bool lost = failed || fault != 0;
    if (!lost && !complete)
        return CM_OK;
    if (!lost && rename(file->part, file->path) != 0)
        fault = errno;
    if (lost || fault != 0)
        unlink(file->part);
    free(file->part);
    file->part = NULL;
    return fault == 0 ? CM_OK : fail(file, "write", fault, err);
}
