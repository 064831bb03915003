/* Switch for the build of the viewer as a web page. The program in a web page has to be small, so
 * it lacks code that is useless there, or that only speeds up large machines. */
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
