/*
 * A library for LD_PRELOAD that makes one call of a program fail.
 *
 *   CM_FAULT=KIND:N:ACTION[,KIND:N:ACTION...]   the N-th call of KIND, from 1
 *   CM_FAULT_COUNTS=FILE                        on exit, writes the number of calls of each kind
 *
 *   KIND    alloc   malloc, calloc, realloc, aligned_alloc, posix_memalign, and mmap of no file
 *           protect mprotect
 *           open    open, fopen
 *           read    read, pread
 *           write   write, and fwrite to the standard output
 *           sync    fsync
 *           rename  rename
 *           close   close, fclose
 *           thread  pthread_create
 *   ACTION  an errno (ENOSPC, EIO, EINTR, ENOMEM, EMFILE, EAGAIN): the call fails with it
 *           short           read and write move one byte
 *           SIGx            the signal is raised before the call, which then goes on
 *           SIGx+           the signal is raised after the call
 *
 * Calls before main and after exit are not counted.
 */
#undef _FILE_OFFSET_BITS /* it renames open to open64, and both are defined here */
#include "allocate.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum kind { ALLOC, PROTECT, OPEN, READ, WRITE, SYNC, RENAME, CLOSE, THREAD, KINDS };

static const char *const kind_names[KINDS] = {"alloc", "protect", "open",  "read",  "write",
                                              "sync",  "rename",  "close", "thread"};

static const struct {
    const char *name;
    int number;
} actions[] = {
    {"ENOSPC", ENOSPC}, {"EIO", EIO},         {"EINTR", EINTR},   {"ENOMEM", ENOMEM},
    {"EMFILE", EMFILE}, {"EAGAIN", EAGAIN},   {"SIGINT", SIGINT}, {"SIGTERM", SIGTERM},
    {"SIGHUP", SIGHUP}, {"SIGPIPE", SIGPIPE},
};

#define FAULTS_MAX 4

static struct fault {
    enum kind kind;
    unsigned long at;
    bool is_signal, after, is_short;
    int number; /* of the errno or of the signal */
} faults[FAULTS_MAX];

static unsigned fault_count;
static atomic_ulong calls[KINDS];
static atomic_bool on;
static char counts_path[4096];

static void stop(const char *why)
{
    (void)!write(STDERR_FILENO, why, strlen(why));
    _exit(125);
}

static void read_fault(const char *text, size_t length)
{
    char copy[64], *number, *action = NULL;
    if (length >= sizeof copy || fault_count == FAULTS_MAX)
        stop("CM_FAULT: too long\n");
    memcpy(copy, text, length);
    copy[length] = '\0';
    struct fault *fault = &faults[fault_count];
    if ((number = strchr(copy, ':')) == NULL || (action = strchr(number + 1, ':')) == NULL)
        stop("CM_FAULT: expected KIND:N:ACTION\n");
    *number++ = *action++ = '\0';
    while (fault->kind < KINDS && strcmp(kind_names[fault->kind], copy) != 0)
        fault->kind++;
    fault->at = strtoul(number, NULL, 10);
    fault->is_short = strcmp(action, "short") == 0;
    fault->is_signal = strncmp(action, "SIG", 3) == 0;
    char *plus = strchr(action, '+');
    if (plus != NULL) {
        fault->after = true;
        *plus = '\0';
    }
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        if (strcmp(actions[i].name, action) == 0)
            fault->number = actions[i].number;
    if (fault->kind == KINDS || fault->at == 0 || (fault->number == 0 && !fault->is_short))
        stop("CM_FAULT: no such kind, call or action\n");
    fault_count++;
}

__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("CM_FAULT");
    while (text != NULL && *text != '\0') {
        size_t length = strcspn(text, ",");
        read_fault(text, length);
        text += length + (text[length] == ',');
    }
    const char *path = getenv("CM_FAULT_COUNTS");
    if (path != NULL)
        snprintf(counts_path, sizeof counts_path, "%s", path);
    /* Programs that this one starts run without faults. */
    unsetenv("CM_FAULT");
    unsetenv("CM_FAULT_COUNTS");
    unsetenv("LD_PRELOAD");
    atomic_store(&on, true);
}

__attribute__((destructor)) static void end(void)
{
    atomic_store(&on, false);
    if (counts_path[0] == '\0')
        return;
    char text[512];
    int length = 0;
    for (unsigned k = 0; k < KINDS; k++)
        length += snprintf(text + length, sizeof text - (size_t)length, "%s %lu\n", kind_names[k],
                           (unsigned long)atomic_load(&calls[k]));
    int fd = (int)syscall(SYS_openat, AT_FDCWD, counts_path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (fd < 0 || syscall(SYS_write, fd, text, length) != length)
        stop("CM_FAULT_COUNTS: cannot be written\n");
    syscall(SYS_close, fd);
}

/* The fault that this call of the kind meets, or NULL. A signal before the call is raised here. */
static const struct fault *meet(enum kind kind)
{
    if (!atomic_load_explicit(&on, memory_order_relaxed))
        return NULL;
    unsigned long number = atomic_fetch_add(&calls[kind], 1) + 1;
    for (unsigned i = 0; i < fault_count; i++) {
        const struct fault *fault = &faults[i];
        if (fault->kind != kind || fault->at != number)
            continue;
        if (fault->is_signal && !fault->after)
            kill(getpid(), fault->number);
        return fault;
    }
    return NULL;
}

/* Whether the call must fail; errno is set. */
static bool fails(const struct fault *fault)
{
    if (fault == NULL || fault->is_signal || fault->is_short)
        return false;
    errno = fault->number;
    return true;
}

/* After the call: the signal that comes then; errno stays the call's. */
static void leave(const struct fault *fault)
{
    int saved = errno;
    if (fault != NULL && fault->is_signal && fault->after)
        kill(getpid(), fault->number);
    errno = saved;
}

/* The function of this name that would have been called; found on the first call. */
#define NEXT(type, name)                                                                           \
    static type next;                                                                              \
    if (next == NULL)                                                                              \
    *(void **)&next = dlsym(RTLD_NEXT, name)

/* ---- memory --------------------------------------------------------------------------------- */

bool allocation_fails(void)
{
    return fails(meet(ALLOC));
}

typedef void *mmap_type(void *, size_t, int, int, int, off_t);

void *mmap64(void *address, size_t length, int protection, int flags, int fd, off_t offset)
{
    NEXT(mmap_type *, "mmap64");
    if ((flags & MAP_ANONYMOUS) && fails(meet(ALLOC)))
        return MAP_FAILED;
    return next(address, length, protection, flags, fd, offset);
}

void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset)
{
    return mmap64(address, length, protection, flags, fd, offset);
}

typedef int mprotect_type(void *, size_t, int);

int mprotect(void *address, size_t length, int protection)
{
    NEXT(mprotect_type *, "mprotect");
    return fails(meet(PROTECT)) ? -1 : next(address, length, protection);
}

/* ---- files ---------------------------------------------------------------------------------- */

typedef int open_type(const char *, int, ...);
typedef FILE *fopen_type(const char *, const char *);
typedef ssize_t read_type(int, void *, size_t);
typedef ssize_t write_type(int, const void *, size_t);
typedef size_t fwrite_type(const void *, size_t, size_t, FILE *);
typedef int fd_type(int);
typedef int rename_type(const char *, const char *);
typedef int fclose_type(FILE *);

static int open_with(const char *path, int flags, int mode)
{
    NEXT(open_type *, "open64");
    const struct fault *fault = meet(OPEN);
    int fd = fails(fault) ? -1 : next(path, flags, mode);
    leave(fault);
    return fd;
}

static int mode_of(int flags, va_list arguments)
{
    return (flags & O_CREAT) != 0 ? va_arg(arguments, int) : 0;
}

int open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    int mode = mode_of(flags, arguments);
    va_end(arguments);
    return open_with(path, flags, mode);
}

/* What <fcntl.h> calls where files may be larger than 2 GiB, and with _FORTIFY_SOURCE. */
int open64(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    int mode = mode_of(flags, arguments);
    va_end(arguments);
    return open_with(path, flags, mode);
}

int __open64_2(const char *path, int flags);
int __open64_2(const char *path, int flags)
{
    return open_with(path, flags, 0);
}

int __open_2(const char *path, int flags);
int __open_2(const char *path, int flags)
{
    return open_with(path, flags, 0);
}

FILE *fopen64(const char *path, const char *mode)
{
    NEXT(fopen_type *, "fopen64");
    const struct fault *fault = meet(OPEN);
    FILE *file = fails(fault) ? NULL : next(path, mode);
    leave(fault);
    return file;
}

FILE *fopen(const char *path, const char *mode)
{
    return fopen64(path, mode);
}

ssize_t read(int fd, void *data, size_t length)
{
    NEXT(read_type *, "read");
    const struct fault *fault = meet(READ);
    if (fails(fault))
        return -1;
    ssize_t n = next(fd, data, fault != NULL && fault->is_short && length > 1 ? 1 : length);
    leave(fault);
    return n;
}

typedef ssize_t pread_type(int, void *, size_t, off_t);

ssize_t pread64(int fd, void *data, size_t length, off_t at)
{
    NEXT(pread_type *, "pread64");
    const struct fault *fault = meet(READ);
    if (fails(fault))
        return -1;
    ssize_t n = next(fd, data, fault != NULL && fault->is_short && length > 1 ? 1 : length, at);
    leave(fault);
    return n;
}

/* With _FORTIFY_SOURCE. */
ssize_t __read_chk(int fd, void *data, size_t length, size_t room);
ssize_t __read_chk(int fd, void *data, size_t length, size_t room)
{
    return read(fd, data, length < room ? length : room);
}

ssize_t write(int fd, const void *data, size_t length)
{
    NEXT(write_type *, "write");
    const struct fault *fault = meet(WRITE);
    if (fails(fault))
        return -1;
    ssize_t n = next(fd, data, fault != NULL && fault->is_short && length > 1 ? 1 : length);
    leave(fault);
    return n;
}

size_t fwrite(const void *data, size_t size, size_t count, FILE *file)
{
    NEXT(fwrite_type *, "fwrite");
    const struct fault *fault = file == stdout ? meet(WRITE) : NULL;
    if (fails(fault))
        return 0;
    size_t n = next(data, size, count, file);
    leave(fault);
    return n;
}

int fsync(int fd)
{
    NEXT(fd_type *, "fsync");
    const struct fault *fault = meet(SYNC);
    int result = fails(fault) ? -1 : next(fd);
    leave(fault);
    return result;
}

int close(int fd)
{
    NEXT(fd_type *, "close");
    const struct fault *fault = meet(CLOSE);
    int result = next(fd);
    if (fails(fault))
        result = -1;
    leave(fault);
    return result;
}

int fclose(FILE *file)
{
    NEXT(fclose_type *, "fclose");
    const struct fault *fault = meet(CLOSE);
    int result = next(file);
    if (fails(fault))
        result = EOF;
    leave(fault);
    return result;
}

int rename(const char *from, const char *to)
{
    NEXT(rename_type *, "rename");
    const struct fault *fault = meet(RENAME);
    int result = fails(fault) ? -1 : next(from, to);
    leave(fault);
    return result;
}

typedef int create_type(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *argument)
{
    NEXT(create_type *, "pthread_create");
    const struct fault *fault = meet(THREAD);
    if (fails(fault))
        return errno;
    return next(thread, attributes, start, argument);
}
