/* System calls that fail. Never sanitized: a sanitizer's own start comes through here. */
#include "failing_calls.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static bool on;
static unsigned long calls, failing_at;
static const char *failing_name; /* NULL: by number */
static int failure;              /* errno; 0: one byte only */

void failing_calls_begin(unsigned long call, int number)
{
    calls = 0;
    failing_at = call;
    failing_name = NULL;
    failure = number;
    on = true;
}

void failing_calls_named(const char *name, int number)
{
    failing_calls_begin(0, number);
    failing_name = name;
}

unsigned long failing_calls_end(void)
{
    on = false;
    return calls;
}

/* Counts a call, and says whether it is the one. */
static bool chosen(const char *name)
{
    if (!on)
        return false;
    calls++;
    return failing_name ? strcmp(name, failing_name) == 0 : calls == failing_at;
}

static bool fails(const char *name, bool interruptible)
{
    bool failing = chosen(name) && failure != 0 && (interruptible || failure != EINTR);
    if (failing)
        errno = failure;
    return failing;
}

/* As fails, for a call that moves *size bytes. */
static bool fails_to_move(const char *name, size_t *size)
{
    bool this = chosen(name), failing = this && failure != 0;
    if (failing)
        errno = failure;
    else if (this && *size > 1)
        *size = 1;
    return failing;
}

/* The next function of this name. */
#define NEXT(type, name)                                                                           \
    static type *next;                                                                             \
    if (next == NULL) {                                                                            \
        void *found = dlsym(RTLD_NEXT, name);                                                      \
        memcpy(&next, &found, sizeof next);                                                        \
    }

typedef int of_path_and_flags(const char *, int, ...);
typedef ssize_t reading(int, void *, size_t);
typedef ssize_t reading_at(int, void *, size_t, off_t);
typedef ssize_t checked_reading_at(int, void *, size_t, off_t, size_t);
typedef ssize_t writing(int, const void *, size_t);
typedef int of_descriptor(int);
typedef int of_two_paths(const char *, const char *);
typedef int of_descriptor_and_operation(int, int);
typedef int cutting(int, off_t);
typedef int changing_mode(int, mode_t);
typedef int changing_owner(int, uid_t, gid_t);
typedef int asking_open(int, struct stat *);
typedef int asking(const char *, struct stat *);
typedef int asking_access(int, const char *, int, int);

int open(const char *path, int flags, ...)
{
    NEXT(of_path_and_flags, "open")
    va_list list;
    va_start(list, flags);
    unsigned mode = (flags & O_CREAT) != 0 ? va_arg(list, unsigned) : 0;
    va_end(list);
    return fails("open", true) ? -1 : next(path, flags, mode);
}

ssize_t read(int fd, void *bytes, size_t size)
{
    NEXT(reading, "read")
    return fails_to_move("read", &size) ? -1 : next(fd, bytes, size);
}

ssize_t pread(int fd, void *bytes, size_t size, off_t at)
{
    NEXT(reading_at, "pread")
    return fails("pread", true) ? -1 : next(fd, bytes, size, at);
}

/* What pread becomes where the compiler knows the size of the room (_FORTIFY_SOURCE). */
checked_reading_at __pread_chk;
ssize_t __pread_chk(int fd, void *bytes, size_t size, off_t at, size_t room)
{
    NEXT(checked_reading_at, "__pread_chk")
    return fails("pread", true) ? -1 : next(fd, bytes, size, at, room);
}

ssize_t write(int fd, const void *bytes, size_t size)
{
    NEXT(writing, "write")
    return fails_to_move("write", &size) ? -1 : next(fd, bytes, size);
}

/* The descriptor is gone whatever close says. */
int close(int fd)
{
    NEXT(of_descriptor, "close")
    int result = next(fd);
    return fails("close", true) ? -1 : result;
}

int fsync(int fd)
{
    NEXT(of_descriptor, "fsync")
    return fails("fsync", true) ? -1 : next(fd);
}

int rename(const char *from, const char *to)
{
    NEXT(of_two_paths, "rename")
    return fails("rename", false) ? -1 : next(from, to);
}

int flock(int fd, int operation)
{
    NEXT(of_descriptor_and_operation, "flock")
    return fails("flock", false) ? -1 : next(fd, operation);
}

int ftruncate(int fd, off_t length)
{
    NEXT(cutting, "ftruncate")
    return fails("ftruncate", false) ? -1 : next(fd, length);
}

int fchmod(int fd, mode_t mode)
{
    NEXT(changing_mode, "fchmod")
    return fails("fchmod", false) ? -1 : next(fd, mode);
}

int fchown(int fd, uid_t user, gid_t group)
{
    NEXT(changing_owner, "fchown")
    return fails("fchown", false) ? -1 : next(fd, user, group);
}

int fstat(int fd, struct stat *about)
{
    NEXT(asking_open, "fstat")
    return fails("fstat", false) ? -1 : next(fd, about);
}

int stat(const char *path, struct stat *about)
{
    NEXT(asking, "stat")
    return fails("stat", false) ? -1 : next(path, about);
}

int faccessat(int folder, const char *path, int mode, int flags)
{
    NEXT(asking_access, "faccessat")
    return fails("faccessat", false) ? -1 : next(folder, path, mode, flags);
}
