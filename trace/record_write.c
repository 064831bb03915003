/* Writes the blocks of a recording to the file or to memory. */
#include "record_private.h"

#include "../base/crc32.h"

static void stop(struct cm_recorder *r)
{
    r->failed = true;
    r->prediction.next = NULL;
}

void cm_recorder_fail(struct cm_recorder *r)
{
    stop(r);
    r->no_memory = r->file.fault == 0;
}

static void write_bytes(struct cm_recorder *r, const struct cm_buffer *bytes)
{
    if (r->in_memory || r->failed)
        return;
    cm_output_write(&r->file, bytes->data, bytes->length);
    if (r->file.fault != 0)
        stop(r);
    r->written += bytes->length;
}

void cm_recorder_write_out(struct cm_recorder *r)
{
    write_bytes(r, &r->out);
    if (!r->in_memory)
        r->out.length = 0;
}

void cm_recorder_block(struct cm_recorder *r, enum cm_trace_block type,
                       const struct cm_buffer *payload)
{
    unsigned char frame[5] = {
        (unsigned char)type, (unsigned char)payload->length, (unsigned char)(payload->length >> 8),
        (unsigned char)(payload->length >> 16), (unsigned char)(payload->length >> 24)};
    if (r->failed)
        return;
    if (payload->failed || payload->length > UINT32_MAX) {
        cm_recorder_fail(r);
        return;
    }
    uint32_t crc = cm_crc32(cm_crc32(0, frame, sizeof frame), payload->data, payload->length);
    cm_buffer_append(&r->out, frame, sizeof frame);
    cm_put_u32(&r->out, crc);
    bool large = !r->in_memory && payload->length >= CM_RECORDER_WRITE_BYTES;
    if (!large)
        cm_buffer_append(&r->out, payload->data, payload->length);
    if (r->out.failed)
        cm_recorder_fail(r);
    else if (large || r->out.length >= CM_RECORDER_WRITE_BYTES)
        cm_recorder_write_out(r);
    if (large)
        /* A large block is written directly, without a copy into the buffer. */
        write_bytes(r, payload);
}

void cm_recorder_define(struct cm_recorder *r)
{
    if (r->definitions.failed)
        cm_recorder_fail(r);
    if (r->definitions.length > 0)
        cm_recorder_block(r, CM_BLOCK_DEFINITIONS, &r->definitions);
    r->definitions.length = 0;
    if (r->types.failed)
        cm_recorder_fail(r);
    if (r->types.length > 0)
        cm_recorder_block(r, CM_BLOCK_TYPES, &r->types);
    r->types.length = 0;
}

char *cm_write_causes(char *at, const uint64_t *cycles, uint32_t causes)
{
    char *const count = at++;
    *count = 0;
    for (; causes; causes &= causes - 1, ++*count) {
        const uint32_t i = (uint32_t)__builtin_ctz(causes);
        *at++ = (char)i;
        at = cm_write_number(at, cycles[i]);
    }
    return at;
}

void cm_put_causes(struct cm_buffer *bytes, const uint64_t *cycles)
{
    uint32_t causes = 0;
    if (!cm_bytes_room(bytes, CM_CAUSES_MAX_BYTES))
        return;
    for (uint32_t i = 0; i < CM_CAUSE_COUNT; i++)
        causes |= (uint32_t)(cycles[i] != 0) << i;
    char *const at = bytes->data + bytes->length;
    bytes->length += (size_t)(cm_write_causes(at, cycles, causes) - at);
}
