/* Writing files so that a failure leaves the old file whole (output.h), and tests before writing
 * whether a file can be written. */
#include "file.h"
#include "output.h"
#include "processes.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

/* Largest number of symbolic links that Linux follows (path_resolution(7)). */
#define LINKS_MAX 40

/* Largest number of temporary names that are tried. A taken name belongs to another writer, or was
 * left by a crash. */
#define NAMES_MAX 1000u

/* Largest request of one write(2) in bytes, because some hosts refuse larger requests. */
#define LARGEST_BYTES (1u << 30)

#define MAGIC_MAX_BYTES 16u

/* Returns true if a signal that interrupts a write ends the writing: true for pipes and terminals,
 * false for regular files, which are written to their end. */
static bool ends_waiting(const struct cm_output *output)
{
    return errno == EINTR && output->exists && !S_ISREG(output->about.st_mode);
}

static enum cm_status fail(const struct cm_output *output, const char *doing, struct cm_error *err)
{
    if (ends_waiting(output))
        return cm_error_set(err, CM_INTERRUPTED, "interrupted");
    bool named = output->kind && strcmp(doing, "write") == 0;
    cm_error_at(err, CM_IO, output->name, 0, 0, "cannot %s%s%s: %s", doing, named ? " the " : "",
                named ? output->kind : "", strerror(errno));
    if (output->exists && S_ISREG(output->about.st_mode))
        cm_error_hint(err, "the old file is unchanged");
    return CM_IO;
}

/* Follows the symbolic links of the output's name, and stores the resulting path. */
static enum cm_status resolve(struct cm_output *output, struct cm_error *err)
{
    output->path = strdup(output->name);
    for (int links = 0; output->path; links++) {
        char text[PATH_MAX];
        output->exists = stat(output->path, &output->about) == 0;
        /* /dev/stdout and /proc/self/fd/1 can be opened, but the text of such a link need not be a
         * path */
        if (output->exists && !S_ISREG(output->about.st_mode))
            return CM_OK;
        ssize_t length = readlink(output->path, text, sizeof text);
        if (length < 0)
            return output->exists || errno == ENOENT ? CM_OK : fail(output, "write", err);
        errno = links == LINKS_MAX ? ELOOP : ENAMETOOLONG;
        if (links == LINKS_MAX || length == sizeof text)
            return fail(output, "follow the link", err);
        text[length] = '\0';
        char *next = cm_path_beside(output->path, text);
        free(output->path);
        output->path = next;
    }
    return cm_error_no_memory(err);
}

/* Fills in the description of the output: its path after symbolic links, and the state of the file
 * that exists there. */
static enum cm_status find(struct cm_output *output, const char *path, const char *kind,
                           struct cm_error *err)
{
    *output = (struct cm_output){.name = path, .kind = kind, .fd = -1};
    enum cm_status status = resolve(output, err);
    size_t length = strlen(path);
    bool folder =
        output->exists ? S_ISDIR(output->about.st_mode) : length > 0 && path[length - 1] == '/';
    if (status == CM_OK && folder)
        status = cm_error_at(err, CM_IO, path, 0, 0, "is a folder, expected a file");
    return status;
}

static bool same_inode(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Returns the descriptor of standard output or standard error if it is the output file, else -1. */
static int standard_descriptor(const struct cm_output *output)
{
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
        struct stat open_file;
        if (fstat(fd, &open_file) == 0 && same_inode(&open_file, &output->about))
            return fd;
    }
    return -1;
}

static bool is_written_directly(const struct cm_output *output)
{
    return output->exists && (!S_ISREG(output->about.st_mode) || standard_descriptor(output) >= 0);
}

static int open_file(const char *path, int flags, mode_t mode)
{
    int fd;
    do
        fd = open(path, flags | O_CLOEXEC, mode);
    while (fd < 0 && errno == EINTR);
    return fd;
}

static enum cm_status open_directly(struct cm_output *output, struct cm_error *err)
{
    int standard = standard_descriptor(output);
    do
        output->fd = standard >= 0 ? fcntl(standard, F_DUPFD_CLOEXEC, 0)
                                   : open(output->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    while (output->fd < 0 && errno == EINTR && !ends_waiting(output));
    return output->fd >= 0 ? CM_OK : fail(output, "open it for writing", err);
}

/* Fails if the existing file is write-protected, because rename(2) would replace it silently. */
static enum cm_status check_writable(const struct cm_output *output, const char *doing,
                                     struct cm_error *err)
{
    bool refused = output->exists && faccessat(AT_FDCWD, output->path, W_OK, AT_EACCESS) != 0;
    return refused ? fail(output, doing, err) : CM_OK;
}

/* Gives the new file the mode of the old one, and its owner if permitted. Without the owner the
 * set-user-id bits are dropped. */
static enum cm_status take_mode(const struct cm_output *output, struct cm_error *err)
{
    if (!output->exists)
        return CM_OK;
    mode_t mode = output->about.st_mode & 07777;
    if (fchown(output->fd, output->about.st_uid, output->about.st_gid) != 0)
        mode &= 0777;
    return fchmod(output->fd, mode) == 0 ? CM_OK : fail(output, "set its mode", err);
}

/* Creates the new file next to the old one, under a name that no other file has. */
static enum cm_status create_beside(struct cm_output *output, struct cm_error *err)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    enum cm_status status = check_writable(output, "write", err);
    for (unsigned i = 0; status == CM_OK && i < NAMES_MAX; i++) {
        char name[64];
        snprintf(name, sizeof name, ".cm200-%ld-%lx.tmp", (long)getpid(),
                 (unsigned long)now.tv_nsec + i);
        free(output->part);
        output->part = cm_path_beside(output->path, name);
        if (!output->part)
            return cm_error_no_memory(err);
        /* Mode 0666 lets the kernel apply the umask. A replacement is private until it gets the
         * mode of the old file. */
        output->fd =
            open_file(output->part, O_WRONLY | O_CREAT | O_EXCL, output->exists ? 0600 : 0666);
        if (output->fd >= 0)
            return take_mode(output, err);
        if (errno != EEXIST)
            break;
    }
    return status == CM_OK ? fail(output, "create a file in its folder", err) : status;
}

/* Locks the file that has the temporary name. It may be overwritten if it is empty or begins with
 * `magic`. */
static enum cm_status claim(struct cm_output *output, int fd, const char *magic,
                            struct cm_error *err)
{
    char found[MAGIC_MAX_BYTES];
    struct stat about;
    bool locked = flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    if (fstat(fd, &about) != 0)
        return fail(output, "write", err);
    bool ours = S_ISREG(about.st_mode);
    if (ours && about.st_size > 0) {
        ssize_t length;
        do
            length = pread(fd, found, strlen(magic), 0);
        while (length < 0 && errno == EINTR);
        if (length < 0)
            return fail(output, "write", err);
        ours = length == (ssize_t)strlen(magic) && memcmp(found, magic, (size_t)length) == 0;
    }
    if (!ours) {
        cm_error_at(err, CM_IO, output->part, 0, 0, "exists and is not a %s file", output->kind);
        cm_error_hint(err, "move it away, or choose another name");
        return CM_IO;
    }
    if (!locked)
        return cm_error_at(err, CM_IO, output->part, 0, 0, "another run is writing this %s",
                           output->kind);
    /* An empty file is not truncated, because ext4 flushes a truncated file to the disk when it is
     * closed, but a newly created file later. */
    if (about.st_size != 0 && ftruncate(fd, 0) != 0)
        return fail(output, "write", err);
    output->fd = fd;
    return CM_OK;
}

static enum cm_status name_part(struct cm_output *output, struct cm_error *err)
{
    size_t size = strlen(output->path) + sizeof ".part";
    output->part = malloc(size);
    if (!output->part)
        return cm_error_no_memory(err);
    snprintf(output->part, size, "%s.part", output->path);
    return CM_OK;
}

static enum cm_status create_part(struct cm_output *output, const char *magic, struct cm_error *err)
{
    if (name_part(output, err) != CM_OK)
        return CM_NO_MEMORY;
    int fd = open_file(output->part, O_RDWR | O_CREAT | O_NOFOLLOW, 0666);
    if (fd < 0)
        return fail(output, "write", err);
    enum cm_status status = claim(output, fd, magic, err);
    if (status != CM_OK)
        close(fd); /* the file is not removed, because another run or the user made it */
    return status;
}

/* Opens /dev/null in a process other than process 0. Process 0 alone writes the file, because all
 * processes would write the same bytes. */
static enum cm_status open_nowhere(struct cm_output *output, const char *path, struct cm_error *err)
{
    *output = (struct cm_output){.name = path, .fd = open_file("/dev/null", O_WRONLY, 0)};
    return output->fd >= 0 ? CM_OK : fail(output, "write", err);
}

enum cm_status cm_output_open(struct cm_output *output, const char *path, const char *kind,
                              const char *magic, struct cm_error *err)
{
    if (!cm_processes_speaks())
        return open_nowhere(output, path, err);
    enum cm_status status = find(output, path, kind, err);
    if (status == CM_OK && is_written_directly(output))
        status = open_directly(output, err);
    else if (status == CM_OK)
        status = kind ? create_part(output, magic, err) : create_beside(output, err);
    if (status != CM_OK)
        cm_output_finish(output);
    return status;
}

void cm_output_write(struct cm_output *output, const void *bytes, size_t length)
{
    const char *at = bytes;
    bool pipe = output->exists && S_ISFIFO(output->about.st_mode);
    /* A write of more than PIPE_BUF bytes may go into a pipe only in part, and then a signal would
     * not be noticed. */
    size_t most = pipe ? PIPE_BUF : LARGEST_BYTES;
    while (output->fault == 0 && length > 0) {
        ssize_t n = write(output->fd, at, length < most ? length : most);
        if (n < 0 && errno == EINTR && !ends_waiting(output))
            continue;
        if (n <= 0) { /* a device that accepts no bytes would make this loop endless */
            output->fault = n < 0 ? errno : EIO;
            return;
        }
        at += n;
        length -= (size_t)n;
    }
}

/* Flushes a file to the disk. Some file systems cannot flush (EINVAL, ENOTSUP), and then the
 * function relies on close(2). */
static bool flush(int fd)
{
    int result;
    do
        result = fsync(fd);
    while (result != 0 && errno == EINTR);
    return result == 0 || errno == EINVAL || errno == ENOTSUP;
}

/* Flushes the folder of a renamed file, which makes the rename durable. Failures are ignored. */
static void flush_folder(const char *path)
{
    char *folder = cm_path_beside(path, ".");
    int fd = folder ? open_file(folder, O_RDONLY | O_DIRECTORY, 0) : -1;
    if (fd >= 0) {
        (void)flush(fd);
        close(fd);
    }
    free(folder);
}

static void remove_part(struct cm_output *output)
{
    if (output->part)
        unlink(output->part);
    free(output->part);
    output->part = NULL;
}

enum cm_status cm_output_leave(struct cm_output *output, struct cm_error *err)
{
    if (output->fd < 0)
        return CM_OK;
    /* after EINTR the descriptor is already closed (close(2) of Linux) */
    if (close(output->fd) != 0 && errno != EINTR && output->fault == 0)
        output->fault = errno;
    output->fd = -1;
    if (output->fault == 0)
        return CM_OK;
    errno = output->fault;
    enum cm_status status = fail(output, "write", err);
    remove_part(output);
    return status;
}

enum cm_status cm_output_close(struct cm_output *output, struct cm_error *err)
{
    bool flushed = output->part && !output->kind;
    if (flushed && output->fault == 0 && !flush(output->fd))
        output->fault = errno;
    enum cm_status status = cm_output_leave(output, err);
    if (status == CM_OK && output->part && rename(output->part, output->path) != 0) {
        status = fail(output, "put the new file in its place", err);
        remove_part(output);
    }
    if (status == CM_OK && flushed)
        flush_folder(output->path);
    cm_output_finish(output);
    return status;
}

void cm_output_finish(struct cm_output *output)
{
    if (output->fd >= 0) {
        close(output->fd);
        remove_part(output);
    }
    free(output->part);
    free(output->path);
    *output = (struct cm_output){.fd = -1};
}

enum cm_status cm_file_write_pieces(const char *path, const struct cm_file_piece *pieces,
                                    size_t count, struct cm_error *err)
{
    struct cm_output output;
    enum cm_status status = cm_output_open(&output, path, NULL, NULL, err);
    for (size_t i = 0; status == CM_OK && i < count; i++)
        cm_output_write(&output, pieces[i].data, pieces[i].length);
    return status == CM_OK ? cm_output_close(&output, err) : status;
}

enum cm_status cm_file_write(const char *path, const void *data, size_t length,
                             struct cm_error *err)
{
    struct cm_file_piece piece = {data, length};
    return cm_file_write_pieces(path, &piece, 1, err);
}

static enum cm_status probe_directly(const struct cm_output *output, struct cm_error *err)
{
    if (standard_descriptor(output) >= 0)
        return CM_OK;
    if (S_ISFIFO(output->about.st_mode))
        return check_writable(output, "open it for writing", err);
    int fd = open_file(output->path, O_WRONLY | O_NOCTTY | O_NONBLOCK, 0);
    if (fd < 0)
        return fail(output, "open it for writing", err);
    close(fd);
    return CM_OK;
}

static enum cm_status probe_folder(const struct cm_output *output, struct cm_error *err)
{
    char *folder = cm_path_beside(output->path, ".");
    if (folder == NULL)
        return cm_error_no_memory(err);
    enum cm_status status = check_writable(output, "write", err);
    if (status == CM_OK && faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) != 0)
        status = fail(output, "create a file in its folder", err);
    free(folder);
    return status;
}

enum cm_status cm_file_probe(const char *path, struct cm_error *err)
{
    struct cm_output output;
    if (!cm_processes_speaks())
        return CM_OK;
    enum cm_status status = find(&output, path, NULL, err);
    if (status == CM_OK)
        status = is_written_directly(&output) ? probe_directly(&output, err)
                                              : probe_folder(&output, err);
    cm_output_finish(&output);
    return status;
}

enum cm_status cm_file_part(const char *path, char **part, struct cm_error *err)
{
    struct cm_output output;
    enum cm_status status = find(&output, path, NULL, err);
    if (status == CM_OK && !is_written_directly(&output))
        status = name_part(&output, err);
    *part = output.part;
    output.part = NULL;
    cm_output_finish(&output);
    return status;
}

/* Sets *same if two paths of missing files are the same name in the same folder. */
static enum cm_status compare_names(const char *a, const char *b, bool *same)
{
    const char *names[2] = {strrchr(a, '/'), strrchr(b, '/')};
    if (strcmp(names[0] ? names[0] + 1 : a, names[1] ? names[1] + 1 : b) != 0)
        return CM_OK;
    struct stat about[2];
    char *folders[2] = {cm_path_beside(a, "."), cm_path_beside(b, ".")};
    bool known = folders[0] && folders[1];
    *same = known && stat(folders[0], &about[0]) == 0 && stat(folders[1], &about[1]) == 0 &&
            same_inode(&about[0], &about[1]);
    free(folders[0]);
    free(folders[1]);
    return known ? CM_OK : CM_NO_MEMORY;
}

enum cm_status cm_file_same(const char *a, const char *b, bool *same, struct cm_error *err)
{
    struct cm_output first = {.name = a, .fd = -1}, second = {.name = b, .fd = -1};
    enum cm_status status = resolve(&first, NULL);
    if (status == CM_OK)
        status = resolve(&second, NULL);
    *same = false;
    if (status == CM_OK && first.exists && second.exists)
        *same = S_ISREG(first.about.st_mode) && same_inode(&first.about, &second.about);
    else if (status == CM_OK && !first.exists && !second.exists)
        status = compare_names(first.path, second.path, same);
    cm_output_finish(&first);
    cm_output_finish(&second);
    /* Errors other than CM_NO_MEMORY mean a path that leads nowhere, which is not the same file as
     * another. */
    return status == CM_NO_MEMORY ? cm_error_no_memory(err) : CM_OK;
}
