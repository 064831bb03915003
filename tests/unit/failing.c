/* Allocations that fail. Never sanitized: a sanitizer's own start comes through here. */
#include "failing.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static unsigned long calls, failing_at;
static bool all_later;
static __thread bool on; /* other threads allocate in no fixed order */
static atomic_bool elsewhere;
static __thread bool here; /* of failing_elsewhere */

void failing_begin(unsigned long call, bool stays)
{
    calls = 0;
    failing_at = call;
    all_later = stays;
    on = true;
}

void failing_elsewhere(void)
{
    here = true;
    atomic_store(&elsewhere, true);
}

unsigned long failing_end(void)
{
    on = false;
    atomic_store(&elsewhere, false);
    return calls;
}

static bool fails(void)
{
    bool failing = atomic_load(&elsewhere) && !here;
    if (on) {
        unsigned long call = ++calls;
        failing = failing_at != 0 && (call == failing_at || (call > failing_at && all_later));
    }
    if (failing)
        errno = ENOMEM;
    return failing;
}

/* dlsym may allocate before the next function is known: from here, for good. */
static _Alignas(16) char early[4096];
static size_t early_used;

static void *early_allocate(size_t size)
{
    size_t at = early_used;
    early_used += (size + 15) / 16 * 16;
    return early_used <= sizeof early ? early + at : NULL;
}

static void *find_next(const char *name)
{
    static __thread bool looking;
    if (looking)
        return NULL;
    looking = true;
    void *next = dlsym(RTLD_NEXT, name);
    looking = false;
    return next;
}

/* The body of a function that calls the next of its name, or fails. */
#define NEXT(type, name, size, ...)                                                                \
    static type next;                                                                              \
    if (next == NULL) {                                                                            \
        void *found = find_next(name);                                                             \
        if (found == NULL)                                                                         \
            return early_allocate(size);                                                           \
        memcpy(&next, &found, sizeof next);                                                        \
    }                                                                                              \
    return fails() ? NULL : next(__VA_ARGS__)

typedef void *one_size(size_t);
typedef void *two_sizes(size_t, size_t);
typedef void *old_and_size(void *, size_t);

void *malloc(size_t size)
{
    NEXT(one_size *, "malloc", size, size);
}

void *calloc(size_t count, size_t size)
{
    NEXT(two_sizes *, "calloc", count * size, count, size);
}

void *realloc(void *old, size_t size)
{
    NEXT(old_and_size *, "realloc", size, old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    NEXT(two_sizes *, "aligned_alloc", size, alignment, size);
}
