/* Traces with right frames around any bytes. */
#include "mend.h"

#include "base/crc32.h"
#include "trace/format.h"

#include <stdlib.h>
#include <string.h>

static void put_u32(uint8_t *at, uint32_t value)
{
    for (unsigned b = 0; b < 4; b++)
        at[b] = (uint8_t)(value >> 8 * b);
}

static uint32_t get_u32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void mend(uint8_t *bytes, size_t size)
{
    static const uint8_t version[4] = {CM_TRACE_VERSION};
    size_t at = CM_TRACE_HEADER_BYTES;
    memcpy(bytes, CM_TRACE_MAGIC, CM_TRACE_MAGIC_BYTES);
    memcpy(bytes + CM_TRACE_MAGIC_BYTES, version, sizeof version);
    while (size - at >= CM_TRACE_FRAME_BYTES) {
        size_t left = size - at - CM_TRACE_FRAME_BYTES;
        if (get_u32(bytes + at + 1) > left)
            put_u32(bytes + at + 1, (uint32_t)left);
        uint32_t length = get_u32(bytes + at + 1);
        uint32_t sum = cm_crc32(0, bytes + at, 5);
        put_u32(bytes + at + 5, cm_crc32(sum, bytes + at + CM_TRACE_FRAME_BYTES, length));
        at += CM_TRACE_FRAME_BYTES + length;
    }
}

uint8_t *fuzz_mend_trace(const uint8_t *data, size_t size)
{
    uint8_t *copy = size > CM_TRACE_HEADER_BYTES ? malloc(size) : NULL;
    if (copy != NULL) {
        memcpy(copy, data, size);
        mend(copy, size);
    }
    return copy;
}
