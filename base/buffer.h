/* A growing byte buffer for text and files. A failed allocation sticks: check cm_buffer_ok once at
 * the end. */
#ifndef CM_BASE_BUFFER_H
#define CM_BASE_BUFFER_H

#include "export.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes that grow; made by cm_buffer_init, or all zeros. */
struct cm_buffer {
    char *data;      /* NUL-terminated whenever not NULL */
    size_t length;   /* bytes in use, without the NUL */
    size_t capacity; /* bytes that there is room for */
    bool failed;     /* an allocation failed: the content is not complete */
};

/* An empty buffer. */
CM_API void cm_buffer_init(struct cm_buffer *buffer);
/* Frees what it holds. */
CM_API void cm_buffer_finish(struct cm_buffer *buffer);
/* Makes room for `more` bytes behind those there, and a NUL; false when out of memory. Who writes
 * there sets the length. */
CM_API bool cm_buffer_room(struct cm_buffer *buffer, size_t more);
/* Adds bytes at the end. */
CM_API void cm_buffer_append(struct cm_buffer *buffer, const void *bytes, size_t length);
/* Adds formatted text at the end. */
CM_API void cm_buffer_printf(struct cm_buffer *buffer, const char *format, ...) CM_PRINTF(2, 3);
CM_API void cm_buffer_vprintf(struct cm_buffer *buffer, const char *format, va_list arguments)
    CM_PRINTF(2, 0);
/* False once an allocation has failed: the contents are then incomplete. */
CM_API bool cm_buffer_ok(const struct cm_buffer *buffer);

#ifdef __cplusplus
}
#endif

#endif
