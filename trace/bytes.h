/* Encoding of numbers and texts in trace files. The functions append to a cm_buffer and set its
 * `failed` when memory runs out. */
#ifndef CM_TRACE_BYTES_H
#define CM_TRACE_BYTES_H

#include "../base/buffer.h"

#include <stdint.h>
#include <string.h>

#define CM_NUMBER_MAX_BYTES 10u

/* Writes a number as unsigned LEB128 and returns the end of the bytes written. Encodes one byte or
 * two bytes without a branch, because both lengths alternate in most traces. May write one byte
 * beyond the returned end. */
static inline char *cm_write_number(char *at, uint64_t value)
{
    if (value < 1u << 14) {
        unsigned more = value >= 0x80;
        at[0] = (char)((value & 0x7f) | more << 7);
        at[1] = (char)(value >> 7);
        return at + 1 + more;
    }
    for (; value >= 0x80; value >>= 7)
        *at++ = (char)(value | 0x80);
    *at++ = (char)value;
    return at;
}

/* Writes a number as cm_write_number does. Faster for numbers that mostly take one byte. */
static inline char *cm_write_small(char *at, uint64_t value)
{
    if (value >= 0x80)
        return cm_write_number(at, value);
    *at = (char)value;
    return at + 1;
}

/* Encodes two numbers below 2^14 as LEB128 of exactly two bytes each. Returns the four bytes in one
 * number, the first byte lowest. */
static inline uint64_t cm_two_numbers(uint64_t first, uint64_t second)
{
    uint64_t both = first | second << 16;
    return (both & 0x007f007f) | (both & 0x3f803f80) << 1 | 0x00800080;
}

/* Writes the eight bytes of a number with one store, the lowest byte first. */
static inline void cm_write_bytes(char *at, uint64_t bytes)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    bytes = __builtin_bswap64(bytes);
#endif
    memcpy(at, &bytes, sizeof bytes);
}

static inline bool cm_bytes_room(struct cm_buffer *bytes, size_t more)
{
    return bytes->capacity - bytes->length > more || cm_buffer_room(bytes, more);
}

static inline void cm_put_byte(struct cm_buffer *bytes, unsigned value)
{
    if (cm_bytes_room(bytes, 1))
        bytes->data[bytes->length++] = (char)value;
}

static inline void cm_put_bytes(struct cm_buffer *bytes, const void *from, size_t count)
{
    if (!cm_bytes_room(bytes, count))
        return;
    memcpy(bytes->data + bytes->length, from, count);
    bytes->length += count;
}

static inline void cm_put_list(struct cm_buffer *bytes, const uint64_t *values, size_t count)
{
    if (!cm_bytes_room(bytes, count * CM_NUMBER_MAX_BYTES))
        return;
    char *at = bytes->data + bytes->length;
    for (size_t i = 0; i < count; i++)
        at = cm_write_number(at, values[i]);
    bytes->length = (size_t)(at - bytes->data);
}

/* Appends one or more numbers. */
#define cm_put(bytes, ...)                                                                         \
    cm_put_list(bytes, (const uint64_t[]){__VA_ARGS__},                                            \
                sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static inline void cm_put_u32(struct cm_buffer *bytes, uint32_t value)
{
    for (unsigned shift = 0; shift < 32; shift += 8)
        cm_put_byte(bytes, value >> shift & 0xff);
}

static inline void cm_put_text(struct cm_buffer *bytes, const char *text)
{
    cm_put(bytes, strlen(text));
    cm_buffer_append(bytes, text, strlen(text));
}

#endif
