/*
 * Writing files so that a failure leaves the old one whole: the bytes go to a new file in the same
 * folder (rename(2) is atomic only within one file system), are flushed to the disk, and only then
 * take the old file's name.
 */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* As many as Linux follows (path_resolution(7)). */
#define LINKS_MAX 40

/* How many names for the new file are tried before giving up: a taken one is another writer's, or
 * was left by a crash. */
#define NAMES_MAX 1000u

/* The most that one write(2) is asked for; some hosts refuse more. */
#define LARGEST_BYTES (1u << 30)

struct target {
    const char *name; /* as the caller wrote it, for messages */
    char *path;       /* after all symbolic links */
    bool exists;
    struct stat about;
    char *new_path; /* of the file that is to take its place */
    int fd;
};

static enum cm_status fail(const struct target *target, const char *doing, struct cm_error *err)
{
    enum cm_status status =
        cm_error_at(err, CM_IO, target->name, 0, 0, "cannot %s: %s", doing, strerror(errno));
    if (err && target->exists && S_ISREG(target->about.st_mode))
        cm_error_hint(err, "the file that was there is unchanged");
    return status;
}

static enum cm_status no_memory(const struct target *target, struct cm_error *err)
{
    return cm_error_at(err, CM_NO_MEMORY, target->name, 0, 0, "not enough memory to write it");
}

/* Reads where the link `path` points to, as a path that can be opened from here; NULL and errno
 * when it cannot. */
static char *link_target(const char *path, size_t length)
{
    size_t size = length > 0 ? length + 1 : 4096; /* links of /proc claim no length */
    char *text = malloc(size);
    if (!text)
        return NULL;
    ssize_t n = readlink(path, text, size);
    char *joined = NULL;
    if (n >= 0 && (size_t)n < size) {
        text[n] = '\0';
        joined = cm_path_beside(path, text);
    } else if (n >= 0) {
        errno = ENAMETOOLONG;
    }
    free(text);
    return joined;
}

/* Follows symbolic links by hand, because the file at the end need not exist yet. */
static enum cm_status resolve(struct target *target, struct cm_error *err)
{
    target->path = strdup(target->name);
    for (int links = 0; target->path; links++) {
        target->exists = lstat(target->path, &target->about) == 0;
        if (!target->exists)
            return errno == ENOENT ? CM_OK : fail(target, "write", err);
        if (!S_ISLNK(target->about.st_mode))
            return CM_OK;
        /* what stands for an open file (/dev/stdout, /proc/self/fd/1) can be opened, but its text
         * need not be a path */
        struct stat end;
        if (stat(target->path, &end) == 0 && !S_ISREG(end.st_mode)) {
            target->about = end;
            return CM_OK;
        }
        if (links == LINKS_MAX)
            errno = ELOOP;
        char *next =
            links < LINKS_MAX ? link_target(target->path, (size_t)target->about.st_size) : NULL;
        if (!next && errno != ENOMEM)
            return fail(target, "follow the link", err);
        free(target->path);
        target->path = next;
    }
    return no_memory(target, err);
}

static enum cm_status write_all(struct target *target, const struct cm_file_piece *pieces,
                                size_t count, struct cm_error *err)
{
    for (size_t i = 0; i < count; i++) {
        const char *data = pieces[i].data;
        size_t left = pieces[i].length;
        while (left > 0) {
            ssize_t n = write(target->fd, data, left < LARGEST_BYTES ? left : LARGEST_BYTES);
            if (n < 0 && errno == EINTR)
                continue;
            if (n == 0)
                errno = EIO; /* a device that takes nothing would keep us here for ever */
            if (n <= 0)
                return fail(target, "write", err);
            data += n;
            left -= (size_t)n;
        }
    }
    return CM_OK;
}

/* Some file systems cannot flush (EINVAL, ENOTSUP): then close(2) is all the promise there is. */
static bool flush(int fd)
{
    int result;
    do
        result = fsync(fd);
    while (result != 0 && errno == EINTR);
    return result == 0 || errno == EINVAL || errno == ENOTSUP;
}

static enum cm_status close_target(struct target *target, struct cm_error *err)
{
    int fd = target->fd;
    target->fd = -1;
    /* on EINTR the descriptor is gone already (close(2) of Linux) */
    return close(fd) == 0 || errno == EINTR ? CM_OK : fail(target, "write", err);
}

/* The descriptor of this process that is `about`, among standard output and error; -1 when neither
 * is. */
static int standard_descriptor(const struct stat *about)
{
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
        struct stat open_file;
        if (fstat(fd, &open_file) == 0 && open_file.st_dev == about->st_dev &&
            open_file.st_ino == about->st_ino)
            return fd;
    }
    return -1;
}

/*
 * A device or a pipe has no old content to protect. Nor has a file that is our own output (--stats
 * /dev/stdout > FILE): renaming over that one would lose what is printed next, so it is continued
 * where it stands.
 */
static enum cm_status write_directly(struct target *target, const struct cm_file_piece *pieces,
                                     size_t count, struct cm_error *err)
{
    int standard = standard_descriptor(&target->about);
    do
        target->fd = standard >= 0 ? fcntl(standard, F_DUPFD_CLOEXEC, 0)
                                   : open(target->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    while (target->fd < 0 && errno == EINTR);
    if (target->fd < 0)
        return fail(target, "open it for writing", err);
    enum cm_status status = write_all(target, pieces, count, err);
    return status == CM_OK ? close_target(target, err) : status;
}

/* Creates the new file beside the old one, under a name that nobody else has. */
static enum cm_status create_beside(struct target *target, struct cm_error *err)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    for (unsigned i = 0; i < NAMES_MAX; i++) {
        char name[64];
        snprintf(name, sizeof name, ".cm200-%ld-%lx.tmp", (long)getpid(),
                 (unsigned long)now.tv_nsec + i);
        char *path = cm_path_beside(target->path, name);
        if (!path)
            return no_memory(target, err);
        /* mode 0666 lets the kernel apply the umask; what replaces a file is private until it gets
         * that file's mode */
        int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, target->exists ? 0600 : 0666);
        if (fd >= 0) {
            target->fd = fd;
            target->new_path = path;
            return CM_OK;
        }
        free(path);
        if (errno != EEXIST && errno != EINTR)
            return fail(target, "create a file in its folder", err);
    }
    return fail(target, "create a file in its folder", err);
}

/* The new file gets the old one's mode, and its owner where we may; without the owner, no
 * set-user-id bits. */
static enum cm_status take_mode(struct target *target, struct cm_error *err)
{
    if (!target->exists)
        return CM_OK;
    mode_t mode = target->about.st_mode & 07777;
    if (fchown(target->fd, target->about.st_uid, target->about.st_gid) != 0)
        mode &= 0777;
    return fchmod(target->fd, mode) == 0 ? CM_OK : fail(target, "set its mode", err);
}

/* A rename is on the disk once its folder is; no harm if that cannot be asked for. */
static void flush_folder(const char *path)
{
    char *folder = cm_path_beside(path, ".");
    int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        (void)flush(fd);
        close(fd);
    }
    free(folder);
}

static enum cm_status write_beside(struct target *target, const struct cm_file_piece *pieces,
                                   size_t count, struct cm_error *err)
{
    /* rename(2) would replace a write-protected file without a word */
    if (target->exists && faccessat(AT_FDCWD, target->path, W_OK, AT_EACCESS) != 0)
        return fail(target, "write", err);
    enum cm_status status = create_beside(target, err);
    if (status == CM_OK)
        status = take_mode(target, err);
    if (status == CM_OK)
        status = write_all(target, pieces, count, err);
    if (status == CM_OK && !flush(target->fd))
        status = fail(target, "write", err);
    if (status == CM_OK)
        status = close_target(target, err);
    if (status == CM_OK && rename(target->new_path, target->path) != 0)
        status = fail(target, "put the new file in its place", err);
    if (status == CM_OK)
        flush_folder(target->path);
    else if (target->new_path)
        unlink(target->new_path);
    return status;
}

static bool is_written_directly(const struct target *target)
{
    return target->exists &&
           (!S_ISREG(target->about.st_mode) || standard_descriptor(&target->about) >= 0);
}

static enum cm_status refuse_folder(const struct target *target, struct cm_error *err)
{
    if (!target->exists || !S_ISDIR(target->about.st_mode))
        return CM_OK;
    errno = EISDIR;
    return fail(target, "write", err);
}

static void finish_target(struct target *target)
{
    if (target->fd >= 0)
        close(target->fd);
    free(target->new_path);
    free(target->path);
}

enum cm_status cm_file_write_pieces(const char *path, const struct cm_file_piece *pieces,
                                    size_t count, struct cm_error *err)
{
    struct target target = {.name = path, .fd = -1};
    enum cm_status status = resolve(&target, err);
    if (status == CM_OK)
        status = refuse_folder(&target, err);
    if (status != CM_OK)
        goto finish;
    if (is_written_directly(&target)) {
        status = write_directly(&target, pieces, count, err);
    } else {
        status = write_beside(&target, pieces, count, err);
    }
finish:
    finish_target(&target);
    return status;
}

static enum cm_status probe_directly(const struct target *target, struct cm_error *err)
{
    if (standard_descriptor(&target->about) >= 0)
        return CM_OK;
    if (S_ISFIFO(target->about.st_mode))
        return faccessat(AT_FDCWD, target->path, W_OK, AT_EACCESS) == 0
                   ? CM_OK
                   : fail(target, "open it for writing", err);
    int fd = open(target->path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return fail(target, "open it for writing", err);
    close(fd);
    return CM_OK;
}

static enum cm_status probe_beside(struct target *target, struct cm_error *err)
{
    if (target->exists && faccessat(AT_FDCWD, target->path, W_OK, AT_EACCESS) != 0)
        return fail(target, "write", err);
    enum cm_status status = create_beside(target, err);
    if (target->new_path)
        unlink(target->new_path);
    return status;
}

enum cm_status cm_file_probe(const char *path, struct cm_error *err)
{
    struct target target = {.name = path, .fd = -1};
    enum cm_status status = resolve(&target, err);
    if (status == CM_OK)
        status = refuse_folder(&target, err);
    if (status == CM_OK)
        status = is_written_directly(&target) ? probe_directly(&target, err)
                                              : probe_beside(&target, err);
    finish_target(&target);
    return status;
}

/* Files that don't exist yet: the same name in the same folder. */
static bool same_new_file(const char *a, const char *b)
{
    struct stat about[2];
    const char *const paths[2] = {a, b};
    const char *names[2];
    for (int i = 0; i < 2; i++) {
        const char *slash = strrchr(paths[i], '/');
        names[i] = slash ? slash + 1 : paths[i];
        char *folder = cm_path_beside(paths[i], ".");
        bool found = folder && stat(folder, &about[i]) == 0;
        free(folder);
        if (!found)
            return false;
    }
    return strcmp(names[0], names[1]) == 0 && about[0].st_dev == about[1].st_dev &&
           about[0].st_ino == about[1].st_ino;
}

bool cm_file_same(const char *a, const char *b)
{
    struct target first = {.name = a, .fd = -1}, second = {.name = b, .fd = -1};
    bool same = false;
    if (resolve(&first, NULL) != CM_OK || resolve(&second, NULL) != CM_OK)
        goto finish;
    if (first.exists != second.exists)
        goto finish;
    same = first.exists
               ? S_ISREG(first.about.st_mode) && first.about.st_dev == second.about.st_dev &&
                     first.about.st_ino == second.about.st_ino
               : same_new_file(first.path, second.path);
finish:
    finish_target(&first);
    finish_target(&second);
    return same;
}

enum cm_status cm_file_write(const char *path, const void *data, size_t length,
                             struct cm_error *err)
{
    struct cm_file_piece piece = {data, length};
    return cm_file_write_pieces(path, &piece, 1, err);
}
