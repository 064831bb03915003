/* Symbol visibility: libcm200 is built with hidden symbols; what a public header declares is marked
 * CM_API. */
#ifndef CM_BASE_EXPORT_H
#define CM_BASE_EXPORT_H

#if defined(__GNUC__)
#define CM_API          __attribute__((visibility("default")))
#define CM_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define CM_API
#define CM_PRINTF(f, a)
#endif

#endif
