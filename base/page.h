/* A browser's page has to be small: its program leaves out what a page has no use for, or what only
 * makes large machines faster. */
#ifndef CM_BASE_PAGE_H
#define CM_BASE_PAGE_H

#include <stddef.h>

#ifdef __EMSCRIPTEN__
#define CM_FOR_A_PAGE          1
#define CM_NOT_IN_A_PAGE(text) NULL
#else
#define CM_FOR_A_PAGE          0
#define CM_NOT_IN_A_PAGE(text) (text)
#endif

#endif
