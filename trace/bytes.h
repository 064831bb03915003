/* Bytes being written: numbers as LEB128. A failed allocation sticks. */
#ifndef CM_TRACE_BYTES_H
#define CM_TRACE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct cm_bytes {
    unsigned char *data;
    size_t length, capacity;
    bool failed;
};

static inline bool cm_bytes_room(struct cm_bytes *bytes, size_t more)
{
    if (bytes->capacity - bytes->length >= more)
        return true;
    size_t capacity = bytes->capacity == 0 ? 4096 : bytes->capacity;
    while (capacity - bytes->length < more)
        capacity *= 2;
    unsigned char *larger = bytes->failed ? NULL : (unsigned char *)realloc(bytes->data, capacity);
    if (larger == NULL) {
        bytes->failed = true;
        return false;
    }
    bytes->data = larger;
    bytes->capacity = capacity;
    return true;
}

static inline void cm_put_byte(struct cm_bytes *bytes, unsigned value)
{
    if (cm_bytes_room(bytes, 1))
        bytes->data[bytes->length++] = (unsigned char)value;
}

static inline void cm_put_raw(struct cm_bytes *bytes, const void *from, size_t length)
{
    if (length == 0 || !cm_bytes_room(bytes, length))
        return;
    memcpy(bytes->data + bytes->length, from, length);
    bytes->length += length;
}

static inline void cm_put_u32(struct cm_bytes *bytes, uint32_t value)
{
    const unsigned char raw[4] = {(unsigned char)value, (unsigned char)(value >> 8),
                                  (unsigned char)(value >> 16), (unsigned char)(value >> 24)};
    cm_put_raw(bytes, raw, sizeof raw);
}

static inline void cm_put(struct cm_bytes *bytes, uint64_t value)
{
    if (!cm_bytes_room(bytes, 10))
        return;
    while (value >= 0x80) {
        bytes->data[bytes->length++] = (unsigned char)(value | 0x80);
        value >>= 7;
    }
    bytes->data[bytes->length++] = (unsigned char)value;
}

static inline void cm_put_text(struct cm_bytes *bytes, const char *text)
{
    size_t length = strlen(text);
    cm_put(bytes, length);
    cm_put_raw(bytes, text, length);
}

static inline void cm_bytes_finish(struct cm_bytes *bytes)
{
    free(bytes->data);
    *bytes = (struct cm_bytes){0};
}

#endif
