/* Large memory areas of which nearly every byte is used. Internal to the library. */
#ifndef CM_BASE_HUGE_H
#define CM_BASE_HUGE_H

#include <stddef.h>

#define CM_HUGE_PAGE_BYTES ((size_t)2 << 20) /* size of the host's huge pages */

/*
 * Allocates `bytes` that will nearly all be used. Areas of 2 MiB and more lie in the host's huge
 * pages, which saves a page fault every 4 KiB. The memory is aligned to 64 bytes and freed by
 * free(). Returns NULL when out of memory.
 */
void *cm_huge_allocate(size_t bytes);

/*
 * Asks the kernel to back a memory area with huge pages. They save page faults and look-ups of
 * pages when the area is used.
 */
void cm_huge_advise(void *begin, size_t bytes);

#endif
