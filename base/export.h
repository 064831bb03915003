/* Symbol visibility: libcm200 is built with hidden symbols; what a public header declares is marked
 * CM_API, and stands between CM_BEGIN_DECLS and CM_END_DECLS, so that C++ links it as C. */
#ifndef CM_BASE_EXPORT_H
#define CM_BASE_EXPORT_H

/* Before a declaration: it is exported; and what the compiler may check of its format. */
#if defined(__GNUC__)
#define CM_API          __attribute__((visibility("default")))
#define CM_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define CM_API
#define CM_PRINTF(f, a)
#endif

/* Around declarations: C++ links them as C. */
#ifdef __cplusplus
#define CM_BEGIN_DECLS extern "C" {
#define CM_END_DECLS   }
#else
#define CM_BEGIN_DECLS
#define CM_END_DECLS
#endif

#endif
