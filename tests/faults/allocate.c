/*
 * malloc and the others, in front of the real ones. A sanitizer allocates and frees before anything
 * is initialised, and takes calls of __tls_get_addr, so nothing here is thread-local, and all
 * functions are found together, at the first call, when there is one thread.
 */
#include "allocate.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static struct {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void *(*aligned_alloc)(size_t, size_t);
    int (*posix_memalign)(void **, size_t, size_t);
    void (*free)(void *);
} real;

static enum { UNKNOWN, LOOKING, KNOWN } state;

static void find(void *function, const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    memcpy(function, &found, sizeof found);
}

/* Whether the real functions are known: not while they are looked for, which may allocate. */
static bool ready(void)
{
    if (state == UNKNOWN) {
        state = LOOKING;
        find(&real.malloc, "malloc");
        find(&real.calloc, "calloc");
        find(&real.realloc, "realloc");
        find(&real.aligned_alloc, "aligned_alloc");
        find(&real.posix_memalign, "posix_memalign");
        find(&real.free, "free");
        state = KNOWN;
    }
    return state == KNOWN;
}

/* What is allocated while they are looked for; zeros, and never freed. */
static _Alignas(16) char early[4096];
static size_t early_used;

static void *early_allocate(size_t size)
{
    size_t at = early_used, room = sizeof early - at;
    if (size > room)
        abort();
    early_used += (size + 15) / 16 * 16;
    return early + at;
}

static bool is_early(const void *memory)
{
    uintptr_t at = (uintptr_t)memory;
    return at >= (uintptr_t)early && at < (uintptr_t)early + sizeof early;
}

void *malloc(size_t size)
{
    if (!ready())
        return early_allocate(size);
    return allocation_fails() ? NULL : real.malloc(size);
}

void *calloc(size_t count, size_t size)
{
    if (!ready())
        return early_allocate(count * size);
    return allocation_fails() ? NULL : real.calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    if (!ready())
        return early_allocate(size); /* old is NULL: dlsym enlarges nothing */
    if (allocation_fails())
        return NULL;
    if (!is_early(old))
        return real.realloc(old, size);
    size_t room = (size_t)(early + sizeof early - (char *)old);
    void *larger = real.malloc(size);
    return larger == NULL ? NULL : memcpy(larger, old, size < room ? size : room);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    if (!ready())
        return NULL;
    return allocation_fails() ? NULL : real.aligned_alloc(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    if (!ready() || allocation_fails())
        return ENOMEM;
    return real.posix_memalign(memory, alignment, size);
}

void free(void *memory)
{
    if (memory != NULL && !is_early(memory) && ready())
        real.free(memory);
}
