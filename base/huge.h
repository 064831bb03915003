/* Large memory areas that are used completely. Internal to the library. */
#ifndef CM_BASE_HUGE_H
#define CM_BASE_HUGE_H

#include <stddef.h>

#define CM_HUGE_PAGE_BYTES ((size_t)2 << 20) /* size of the host's huge pages */

/*
 * Allocates `bytes` that will nearly all be used. From 2 MiB on they lie in the host's huge pages,
 * which saves a page fault every 4 KiB. The memory is aligned to 64 bytes and freed by free().
 * Returns NULL when out of memory.
 */
void *cm_huge_allocate(size_t bytes);

/*
 * Asks the kernel to back the area with huge pages as it is touched, which saves page faults and
 * look-ups of pages.
 */
void cm_huge_advise(void *begin, size_t bytes);

#endif
