/* Symbol visibility. libcm200 is built with hidden symbols. Declarations of public headers are
 * marked CM_API, and lie between CM_BEGIN_DECLS and CM_END_DECLS, so that C++ links them as C. */
#ifndef CM_BASE_EXPORT_H
#define CM_BASE_EXPORT_H

/* Marks of a declaration: CM_API exports a function from the library, and CM_PRINTF lets the
 * compiler check the arguments of its format. */
#if defined(__GNUC__)
#define CM_API          __attribute__((visibility("default")))
#define CM_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define CM_API
#define CM_PRINTF(f, a)
#endif

/* Brackets around declarations, which make C++ link them as C. */
#ifdef __cplusplus
#define CM_BEGIN_DECLS extern "C" {
#define CM_END_DECLS   }
#else
#define CM_BEGIN_DECLS
#define CM_END_DECLS
#endif

#endif
