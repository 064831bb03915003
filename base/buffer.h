/* A growing byte buffer for text and files. It remembers a failed allocation, so a caller checks
 * cm_buffer_ok once at the end. */
#ifndef CM_BASE_BUFFER_H
#define CM_BASE_BUFFER_H

#include "export.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A byte buffer, initialised by cm_buffer_init or by zeros. */
struct cm_buffer {
    char *data;      /* NUL-terminated whenever not NULL */
    size_t length;   /* bytes in use, without the NUL */
    size_t capacity; /* bytes that there is room for */
    bool failed;     /* True if an allocation failed, so that the content is incomplete */
};

/* Initialises an empty buffer. */
CM_API void cm_buffer_init(struct cm_buffer *buffer);
/* Frees the memory of a buffer. */
CM_API void cm_buffer_finish(struct cm_buffer *buffer);
/* Makes room for `more` bytes after the content, and for a NUL. Returns false when out of memory.
 * The caller updates `length` after writing. */
CM_API bool cm_buffer_room(struct cm_buffer *buffer, size_t more);
/* Adds bytes at the end of the buffer. */
CM_API void cm_buffer_append(struct cm_buffer *buffer, const void *bytes, size_t length);
/* Adds formatted text at the end of the buffer. */
CM_API void cm_buffer_printf(struct cm_buffer *buffer, const char *format, ...) CM_PRINTF(2, 3);
CM_API void cm_buffer_vprintf(struct cm_buffer *buffer, const char *format, va_list arguments)
    CM_PRINTF(2, 0);
/* Returns false if an allocation has failed, so that the content is incomplete. */
CM_API bool cm_buffer_ok(const struct cm_buffer *buffer);

#ifdef __cplusplus
}
#endif

#endif
