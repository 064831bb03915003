/* Numbering of contents (bytes that may repeat, such as strings and patterns): equal contents get
 * equal numbers. A hash table finds the number, and a comparison with the stored content confirms
 * the match. */
#include "record_private.h"

#include "../base/random.h"

#define FIRST_SIZE  64u /* entries of the first hash table */
#define FIRST_BYTES 16u /* bytes in the store for each entry of the hash table */

static uint64_t hash_bytes(const void *bytes, size_t length)
{
    const unsigned char *at = bytes;
    uint64_t hash = length * CM_GOLDEN_RATIO;
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

/* Returns the hash table entry that has a content's number, or the empty entry where the number
 * belongs. */
static uint32_t *find(const struct cm_numbers *numbers, uint64_t hash, const void *content,
                      size_t length)
{
    for (uint64_t at = hash;; at++) {
        uint32_t *place = &numbers->table[at & (numbers->table_size - 1)];
        if (*place == 0)
            return place;
        const struct cm_numbered *item = &numbers->given.items[*place - 1];
        if (item->hash == hash && item->length == length &&
            (length == 0 || memcmp(numbers->contents.data + item->at, content, length) == 0))
            return place;
    }
}

/* Doubles the hash table, so that at most half of its entries are used. */
static bool grow(struct cm_numbers *numbers)
{
    uint32_t size = numbers->table_size == 0 ? FIRST_SIZE : numbers->table_size * 2;
    uint32_t *table = calloc(size, sizeof *table);
    if (table == NULL || !cm_list_room(&numbers->given, size / 2) ||
        !cm_bytes_room(&numbers->contents, (size_t)size * FIRST_BYTES)) {
        free(table);
        return false;
    }
    for (uint32_t i = 0; i < numbers->given.count; i++) {
        uint64_t at = numbers->given.items[i].hash;
        while (table[at & (size - 1)] != 0)
            at++;
        table[at & (size - 1)] = i + 1;
    }
    free(numbers->table);
    numbers->table = table;
    numbers->table_size = size;
    return true;
}

uint32_t cm_recorder_number(struct cm_recorder *r, struct cm_numbers *numbers, unsigned definition,
                            const struct cm_buffer *content)
{
    uint32_t count = numbers->given.count;
    if (!content->failed && (count < numbers->table_size / 2 || grow(numbers))) {
        uint64_t hash = hash_bytes(content->data, content->length);
        uint32_t *place = find(numbers, hash, content->data, content->length);
        if (*place != 0)
            return *place - 1;
        cm_list_push(&numbers->given,
                     (struct cm_numbered){hash, numbers->contents.length, content->length});
        cm_put_bytes(&numbers->contents, content->data, content->length);
        *place = numbers->given.count;
        if (definition != 0) {
            cm_put_byte(&r->definitions, definition);
            cm_put_bytes(&r->definitions, content->data, content->length);
        }
    }
    if (numbers->given.count > count && !numbers->contents.failed)
        return count;
    cm_recorder_fail(r);
    return 0;
}

void cm_numbers_finish(struct cm_numbers *numbers)
{
    cm_list_finish(&numbers->given);
    free(numbers->table);
    cm_buffer_finish(&numbers->contents);
    *numbers = (struct cm_numbers){0};
}
