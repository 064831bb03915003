/* Allocates large memory areas in huge pages, if the host has them. */
#include "huge.h"

#include "page.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#define CACHE_LINE ((size_t)64)

void cm_huge_advise(void *begin, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    const uintptr_t at = (uintptr_t)begin;
    const uintptr_t first = (at + CM_HUGE_PAGE_BYTES - 1) / CM_HUGE_PAGE_BYTES * CM_HUGE_PAGE_BYTES;
    const uintptr_t last = (at + bytes) / CM_HUGE_PAGE_BYTES * CM_HUGE_PAGE_BYTES;
    if (last > first)
        (void)madvise((char *)begin + (first - at), last - first, MADV_HUGEPAGE);
#else
    (void)begin, (void)bytes;
#endif
}

void *cm_huge_allocate(size_t bytes)
{
    const size_t alignment =
        CM_FOR_A_PAGE || bytes < CM_HUGE_PAGE_BYTES ? CACHE_LINE : CM_HUGE_PAGE_BYTES;
    if (bytes > SIZE_MAX - alignment)
        return NULL;
    const size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    void *memory = aligned_alloc(alignment, rounded);
    if (memory != NULL && alignment == CM_HUGE_PAGE_BYTES)
        cm_huge_advise(memory, rounded);
    return memory;
}
