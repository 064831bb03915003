/* Numbers for contents: the same content gets the same number, whoever brings it. */
#include "record_private.h"

uint64_t cm_hash_bytes(const void *bytes, size_t length, uint64_t seed)
{
    const unsigned char *at = bytes;
    uint64_t hash = seed ^ length * UINT64_C(0x9e3779b97f4a7c15);
    for (; length >= 8; length -= 8, at += 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        hash = (hash ^ word) * UINT64_C(0xff51afd7ed558ccd);
        hash ^= hash >> 32;
    }
    for (; length > 0; length--)
        hash = (hash ^ *at++) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 29;
}

/* The place in the table of a content, or the empty place where it would go. */
static uint32_t *find(const struct cm_numbers *numbers, uint64_t hash, const void *content,
                      size_t length)
{
    for (uint64_t at = hash;; at++) {
        uint32_t *place = &numbers->table[at & (numbers->table_size - 1)];
        if (*place == 0)
            return place;
        const struct cm_numbered *item = &numbers->items[*place - 1];
        if (item->hash == hash && item->length == length &&
            (length == 0 || memcmp(numbers->contents.data + item->at, content, length) == 0))
            return place;
    }
}

static bool grow(struct cm_numbers *numbers)
{
    uint32_t capacity = numbers->capacity == 0 ? 32 : numbers->capacity * 2;
    struct cm_numbered *items = realloc(numbers->items, capacity * sizeof *items);
    if (items == NULL)
        return false;
    numbers->items = items;
    uint32_t *table = calloc((size_t)capacity * 2, sizeof *table);
    if (table == NULL)
        return false;
    free(numbers->table);
    numbers->table = table;
    numbers->table_size = capacity * 2;
    numbers->capacity = capacity;
    for (uint32_t i = 0; i < numbers->count; i++)
        for (uint64_t at = items[i].hash;; at++)
            if (table[at & (numbers->table_size - 1)] == 0) {
                table[at & (numbers->table_size - 1)] = i + 1;
                break;
            }
    return true;
}

uint32_t cm_numbers_of(struct cm_numbers *numbers, const void *content, size_t length, bool *is_new)
{
    uint64_t hash = cm_hash_bytes(content, length, 1);
    *is_new = false;
    if (numbers->count == numbers->capacity && !grow(numbers))
        return UINT32_MAX;
    uint32_t *place = find(numbers, hash, content, length);
    if (*place != 0)
        return *place - 1;
    size_t at = numbers->contents.length;
    cm_put_raw(&numbers->contents, content, length);
    if (numbers->contents.failed)
        return UINT32_MAX;
    numbers->items[numbers->count] = (struct cm_numbered){hash, at, length};
    *place = ++numbers->count;
    *is_new = true;
    return numbers->count - 1;
}

void cm_numbers_finish(struct cm_numbers *numbers)
{
    free(numbers->items);
    free(numbers->table);
    cm_bytes_finish(&numbers->contents);
    *numbers = (struct cm_numbers){0};
}
