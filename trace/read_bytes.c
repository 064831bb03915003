/* Reads the numbers and bytes of a trace's blocks, and allocates memory for the reader. */
#include "../base/input.h"
#include "read_private.h"

#include <stdlib.h>

uint64_t cm_get_long(struct cm_input_bytes *in)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && in->at < in->end; shift += 7) {
        unsigned byte = *in->at++;
        if (shift == 63 && byte > 1)
            break;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    cm_expect(in, false);
    return 0;
}

uint64_t cm_get_below(struct cm_input_bytes *in, uint64_t count)
{
    uint64_t value = cm_get(in);
    return cm_expect(in, value < count) ? value : 0;
}

unsigned cm_get_byte(struct cm_input_bytes *in)
{
    return cm_expect(in, in->at < in->end) ? *in->at++ : 0;
}

const unsigned char *cm_get_raw(struct cm_input_bytes *in, uint64_t length)
{
    const unsigned char *raw = in->at;
    if (!cm_expect(in, length <= (uint64_t)(in->end - in->at)))
        return NULL;
    in->at += length;
    return raw;
}

uint64_t cm_read_rank(const uint64_t *first, size_t stride, uint64_t count, uint64_t limit)
{
    /* Bisection: the first `low` elements are at most the limit, and the elements from index `high`
     * on are above the limit. */
    uint64_t low = 0, high = count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (*(const uint64_t *)((const char *)first + middle * stride) <= limit)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void *cm_read_allocate(const struct cm_trace *trace, uint64_t count, size_t size)
{
    void *made = calloc(count + 1, size);
    trace->cache->no_memory = trace->cache->no_memory || made == NULL;
    return made;
}

bool cm_trace_failed(const struct cm_trace *trace)
{
#define FAILED(type, name) || trace->name.failed
    return trace->cache->no_memory CM_READ_LISTS(FAILED);
}
