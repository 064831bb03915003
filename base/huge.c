/* Large memory in huge pages, where the host has them. */
#include "huge.h"

#include "page.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#define HUGE_PAGE_BYTES ((size_t)1 << 21)
#define CACHE_LINE      ((size_t)64)

void *cm_huge_allocate(size_t bytes)
{
    const size_t alignment =
        CM_FOR_A_PAGE || bytes < HUGE_PAGE_BYTES ? CACHE_LINE : HUGE_PAGE_BYTES;
    if (bytes > SIZE_MAX - alignment)
        return NULL;
    const size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    void *memory = aligned_alloc(alignment, rounded);
#ifdef MADV_HUGEPAGE
    if (memory != NULL && alignment == HUGE_PAGE_BYTES)
        (void)madvise(memory, rounded, MADV_HUGEPAGE);
#endif
    return memory;
}
