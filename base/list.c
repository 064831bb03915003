/* Enlarges lists (base/list.h). Pointer and capacity of a list have types that only the caller
 * knows, so they are copied in and out byte by byte. */
#include "list.h"

#include <string.h>

#define SMALLEST_CAPACITY 16u

/* Returns the next capacity: twice the present one, and at least `needed`. Returns 0 if the next
 * capacity is above the limit. */
static uint64_t next_capacity(uint64_t capacity, uint64_t needed, uint64_t limit)
{
    uint64_t next = capacity > limit / 2 ? limit : capacity * 2;
    next = next > SMALLEST_CAPACITY ? next : SMALLEST_CAPACITY;
    next = next > needed ? next : needed;
    return next <= limit ? next : 0;
}

/* Writes `value` into the member at `field`, an unsigned number of 32 or 64 bits (`bytes` says
 * which). */
static void store(void *field, size_t bytes, uint64_t value)
{
    uint32_t narrow = (uint32_t)value;
    if (bytes == sizeof narrow)
        memcpy(field, &narrow, sizeof narrow);
    else
        memcpy(field, &value, sizeof value);
}

bool cm_list_grow(const struct cm_list_storage *storage, uint64_t needed)
{
    const size_t element_bytes = storage->element_bytes;
    bool *failed = storage->failed;
    uint64_t limit = storage->field_bytes == sizeof(uint32_t) ? UINT32_MAX : UINT64_MAX;
    if (limit > PTRDIFF_MAX / element_bytes)
        limit = PTRDIFF_MAX / element_bytes;
    uint64_t next = next_capacity(storage->capacity, needed, limit);
    void *array, *larger = NULL;
    memcpy(&array, storage->items, sizeof array);
    if (next != 0 && (failed == NULL || !*failed))
        larger = realloc(array, (size_t)next * element_bytes);
    if (larger == NULL) {
        if (failed != NULL)
            *failed = true;
        return false;
    }
    memcpy(storage->items, &larger, sizeof larger);
    store(storage->field, storage->field_bytes, next);
    return true;
}

bool cm_list_clear(void *items, size_t element_bytes, void *field, size_t field_bytes,
                   uint64_t count, uint64_t wanted)
{
    memset((char *)items + (size_t)count * element_bytes, 0,
           (size_t)(wanted - count) * element_bytes);
    store(field, field_bytes, wanted);
    return true;
}
