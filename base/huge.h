/* Large memory that is used all over. Internal to the library. */
#ifndef CM_BASE_HUGE_H
#define CM_BASE_HUGE_H

#include <stddef.h>

#define CM_HUGE_PAGE_BYTES ((size_t)2 << 20) /* the host's */

/*
 * As malloc, for `bytes` that will nearly all be used: from 2 MiB on in the host's huge pages,
 * which saves it a page fault every 4 KiB. Aligned to 64 bytes; freed by free. NULL: out of memory.
 */
void *cm_huge_allocate(size_t bytes);

/*
 * The host may back the whole huge pages within an area by such, as it is touched: there are fewer
 * page faults, and fewer pages to look up.
 */
void cm_huge_advise(void *begin, size_t bytes);

#endif
