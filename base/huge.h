/* Large memory that is used all over. Internal to the library. */
#ifndef CM_BASE_HUGE_H
#define CM_BASE_HUGE_H

#include <stddef.h>

/*
 * As malloc, for `bytes` that will nearly all be used: from 2 MiB on in the host's huge pages,
 * which saves it a page fault every 4 KiB. Aligned to 64 bytes; freed by free. NULL: out of memory.
 */
void *cm_huge_allocate(size_t bytes);

#endif
