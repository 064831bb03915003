/* A growing byte buffer whose failures stick, so that writers of text need not check every line. */
#include "buffer.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SMALLEST_CAPACITY 256u

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

/* Makes room for `more` bytes and the terminator. */
static bool reserve(struct cm_buffer *buffer, size_t more)
{
    if (buffer->failed)
        return false;
    if (more < buffer->capacity - buffer->length)
        return true;
    if (more >= SIZE_MAX / 2 - buffer->length) {
        buffer->failed = true;
        return false;
    }
    size_t needed = buffer->length + more + 1;
    size_t capacity = buffer->capacity * 2;
    if (capacity < SMALLEST_CAPACITY)
        capacity = SMALLEST_CAPACITY;
    if (capacity < needed)
        capacity = needed;
    char *data = realloc(buffer->data, capacity);
    if (!data) {
        buffer->failed = true;
        return false;
    }
    buffer->data = data;
    buffer->capacity = capacity;
    return true;
}

void cm_buffer_append(struct cm_buffer *buffer, const void *bytes, size_t length)
{
    if (!reserve(buffer, length))
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
    } else if (reserve(buffer, (size_t)length)) {
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
