/* Keeps compiled IMPs in a hash table from keys to entries. */
#include "compiled_imps.h"

#include <string.h>

#define FIRST_BUCKETS 64u

struct entry {
    struct entry *next;     /* next entry in the same bucket of the hash table */
    struct entry *previous; /* entry that was made before this entry */
    uint64_t hash;
    struct cm_compiled compiled;
    size_t length; /* number of bytes of the key */
    unsigned char key[];
};

struct cm_cache {
    struct entry **buckets;
    size_t bucket_count; /* number of buckets, a power of two */
    size_t count;
    struct entry *last; /* entry that was made last */
};

uint64_t cm_cache_count(const struct cm_cache *cache)
{
    return cache ? cache->count : 0;
}

void cm_key_begin(struct cm_buffer *key, enum cm_cache_tag tag)
{
    unsigned char byte = (unsigned char)tag;
    cm_buffer_init(key);
    cm_buffer_append(key, &byte, 1);
}

void cm_key_words(struct cm_buffer *key, const uint64_t *words, size_t count)
{
    cm_buffer_append(key, words, count * sizeof *words);
}

void cm_key_layout(struct cm_buffer *key, const struct cm_layout *layout)
{
    CM_CACHE_KEY(key, layout->type, layout->rank);
    for (uint32_t a = 0; a < layout->rank; a++) {
        const struct cm_axis *axis = &layout->axes[a];
        CM_CACHE_KEY(key, axis->length, axis->order, axis->node_bits, axis->first_dimension);
    }
}

/* Returns the 64-bit FNV-1a hash of a key (Fowler, Noll, Vo). */
static uint64_t hash_of(const struct cm_buffer *key)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < key->length; i++)
        hash = (hash ^ (unsigned char)key->data[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static struct entry **bucket_of(struct cm_cache *cache, uint64_t hash)
{
    return &cache->buckets[hash & (cache->bucket_count - 1)];
}

static void link_entry(struct cm_cache *cache, struct entry *entry)
{
    struct entry **bucket = bucket_of(cache, entry->hash);
    entry->next = *bucket;
    *bucket = entry;
}

/* Doubles the number of buckets, so that the lists of entries in them stay short. */
static bool grow(struct cm_cache *cache)
{
    size_t bucket_count = cache->bucket_count ? 2 * cache->bucket_count : FIRST_BUCKETS;
    struct entry **buckets = calloc(bucket_count, sizeof *buckets);
    if (!buckets)
        return false;
    free(cache->buckets);
    cache->buckets = buckets;
    cache->bucket_count = bucket_count;
    for (struct entry *entry = cache->last; entry; entry = entry->previous)
        link_entry(cache, entry);
    return true;
}

/* Finds the entry of a key, or calls `make` to fill a new entry. The cache keeps an entry only if
 * `make` succeeds. */
static enum cm_status find_or_make(struct cm_system *system, const struct cm_buffer *key,
                                   cm_compiled_make make, const void *task,
                                   const struct cm_compiled **out, struct cm_error *err)
{
    struct cm_cache *cache = system->cache;
    uint64_t hash = hash_of(key);
    for (struct entry *entry = *bucket_of(cache, hash); entry; entry = entry->next)
        if (entry->hash == hash && entry->length == key->length &&
            memcmp(entry->key, key->data, key->length) == 0) {
            *out = &entry->compiled;
            return CM_OK;
        }
    struct entry *made = calloc(1, sizeof *made + key->length);
    if (!made || (cache->count >= cache->bucket_count && !grow(cache))) {
        free(made);
        return cm_error_no_memory(err);
    }
    enum cm_status status = make(system, task, &made->compiled, err);
    if (status != CM_OK) {
        cm_compiled_finish(system, &made->compiled);
        free(made);
        return status;
    }
    memcpy(made->key, key->data, key->length);
    made->length = key->length;
    made->hash = hash;
    made->previous = cache->last;
    cache->last = made;
    cache->count++;
    link_entry(cache, made);
    *out = &made->compiled;
    return CM_OK;
}

enum cm_status cm_compiled_get(struct cm_system *system, struct cm_buffer *key,
                               cm_compiled_make make, const void *task,
                               const struct cm_compiled **compiled, struct cm_error *err)
{
    if (!system->cache)
        system->cache = calloc(1, sizeof *system->cache);
    bool ready = system->cache && (system->cache->buckets || grow(system->cache));
    enum cm_status status = ready && cm_buffer_ok(key)
                                ? find_or_make(system, key, make, task, compiled, err)
                                : cm_error_no_memory(err);
    cm_buffer_finish(key);
    return status;
}

void cm_cache_destroy(struct cm_cache *cache, struct cm_system *system)
{
    if (!cache)
        return;
    for (struct entry *entry = cache->last, *previous; entry; entry = previous) {
        previous = entry->previous;
        cm_compiled_finish(system, &entry->compiled);
        free(entry);
    }
    free(cache->buckets);
    free(cache);
}
