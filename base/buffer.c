/* A growing byte buffer. It remembers the first failed allocation, so that code that writes text
 * checks only once, at the end. */
#include "buffer.h"

#include "list.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cm_buffer_init(struct cm_buffer *buffer)
{
    *buffer = (struct cm_buffer){0};
}

void cm_buffer_finish(struct cm_buffer *buffer)
{
    if (!buffer)
        return;
    free(buffer->data);
    cm_buffer_init(buffer);
}

bool cm_buffer_room(struct cm_buffer *buffer, size_t more)
{
    if (buffer->failed || more >= SIZE_MAX - buffer->length) {
        buffer->failed = true;
        return false;
    }
    const struct cm_list_storage storage = {&buffer->data,     1,
                                            &buffer->capacity, sizeof buffer->capacity,
                                            buffer->capacity,  &buffer->failed};
    return cm_list_reserve(storage, (uint64_t)buffer->length + more + 1);
}

void cm_buffer_append(struct cm_buffer *buffer, const void *bytes, size_t length)
{
    if (!cm_buffer_room(buffer, length))
        return;
    if (length > 0)
        memcpy(buffer->data + buffer->length, bytes, length);
    buffer->length += length;
    buffer->data[buffer->length] = '\0';
}

void cm_buffer_vprintf(struct cm_buffer *buffer, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    size_t room = buffer->capacity - buffer->length;
    int length =
        vsnprintf(room > 0 ? buffer->data + buffer->length : NULL, room, format, arguments);
    if (length < 0) {
        buffer->failed = true;
    } else if (cm_buffer_room(buffer, (size_t)length)) {
        if ((size_t)length >= room)
            vsnprintf(buffer->data + buffer->length, (size_t)length + 1, format, again);
        buffer->length += (size_t)length;
    }
    if (buffer->failed && buffer->data)
        buffer->data[buffer->length] = '\0';
    va_end(again);
}

void cm_buffer_printf(struct cm_buffer *buffer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    cm_buffer_vprintf(buffer, format, arguments);
    va_end(arguments);
}

bool cm_buffer_ok(const struct cm_buffer *buffer)
{
    return !buffer->failed;
}
