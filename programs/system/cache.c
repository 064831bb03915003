/* Things compiled once and kept: a hash table from byte strings to values with their
 * destructors. */
#include "system_private.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_BUCKETS 64u

struct entry {
    struct entry *next;     /* in its bucket */
    struct entry *previous; /* in order of insertion: the last one in is dropped first */
    uint64_t hash;
    void *value;
    cm_cache_drop drop;
    size_t length;
    unsigned char key[];
};

struct cm_cache {
    struct entry **buckets;
    size_t bucket_count; /* a power of two */
    size_t count;
    struct entry *last;
};

struct cm_cache *cm_cache_create(void)
{
    struct cm_cache *cache = calloc(1, sizeof(*cache));
    if (!cache)
        return NULL;
    cache->bucket_count = FIRST_BUCKETS;
    cache->buckets = calloc(cache->bucket_count, sizeof(struct entry *));
    if (!cache->buckets) {
        free(cache);
        return NULL;
    }
    return cache;
}

void cm_cache_destroy(struct cm_cache *cache, struct cm_system *system)
{
    if (!cache)
        return;
    struct entry *entry = cache->last;
    while (entry) {
        struct entry *previous = entry->previous;
        entry->drop(system, entry->value);
        free(entry);
        entry = previous;
    }
    free(cache->buckets);
    free(cache);
}

/* FNV-1a, 64 bits (Fowler, Noll, Vo). */
static uint64_t hash_of(const void *key, size_t length)
{
    const unsigned char *bytes = key;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

void *cm_cache_find(const struct cm_cache *cache, const void *key, size_t length)
{
    uint64_t hash = hash_of(key, length);
    struct entry *entry = cache->buckets[hash & (cache->bucket_count - 1)];
    for (; entry; entry = entry->next)
        if (entry->hash == hash && entry->length == length && memcmp(entry->key, key, length) == 0)
            return entry->value;
    return NULL;
}

static void link_entry(struct entry **buckets, size_t bucket_count, struct entry *entry)
{
    struct entry **bucket = &buckets[entry->hash & (bucket_count - 1)];
    entry->next = *bucket;
    *bucket = entry;
}

/* Keeps chains short; when out of memory they only grow longer. */
static void grow(struct cm_cache *cache)
{
    size_t bucket_count = 2 * cache->bucket_count;
    struct entry **buckets = calloc(bucket_count, sizeof(struct entry *));
    if (!buckets)
        return;
    for (struct entry *entry = cache->last; entry; entry = entry->previous)
        link_entry(buckets, bucket_count, entry);
    free(cache->buckets);
    cache->buckets = buckets;
    cache->bucket_count = bucket_count;
}

enum cm_status cm_cache_insert(struct cm_cache *cache, const void *key, size_t length, void *value,
                               cm_cache_drop drop, struct cm_error *err)
{
    struct entry *entry = malloc(sizeof(*entry) + length);
    if (!entry)
        return cm_error_no_memory(err);
    memcpy(entry->key, key, length);
    entry->length = length;
    entry->hash = hash_of(key, length);
    entry->value = value;
    entry->drop = drop;
    entry->previous = cache->last;
    cache->last = entry;
    link_entry(cache->buckets, cache->bucket_count, entry);
    if (++cache->count > cache->bucket_count)
        grow(cache);
    return CM_OK;
}
