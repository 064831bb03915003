/* Builds tables, runs compiled IMPs, and keeps them in a hash table from keys to entries. */
#include "compiled_imps.h"

#include "../../sim/machine/rehearsal.h"

#include <string.h>

#define FIRST_BUCKETS 64u

struct entry {
    struct entry *next;     /* next entry in the same bucket */
    struct entry *previous; /* entry made before this one */
    uint64_t hash;
    struct cm_compiled compiled;
    size_t length; /* bytes of the key */
    unsigned char key[];
};

struct cm_cache {
    struct entry **buckets;
    size_t bucket_count; /* a power of two */
    size_t count;
    struct entry *last; /* entry made last */
};

uint64_t cm_cache_count(const struct cm_cache *cache)
{
    return cache ? cache->count : 0;
}

static enum cm_status write_planes(struct cm_system *system, const uint32_t *planes,
                                   uint64_t address, uint64_t words, struct cm_error *err)
{
    enum cm_status status = CM_OK;
    size_t nodes = cm_machine_nodes(system->machine);
    for (uint64_t w = 0; status == CM_OK && w < words; w++)
        status = cm_machine_write_plane(system->machine, address + w, planes + w * nodes, err);
    return status;
}

enum cm_status cm_table_create(struct cm_system *system, const struct cm_table_request *table,
                               uint64_t *address, struct cm_error *err)
{
    uint32_t nodes = cm_machine_nodes(system->machine);
    uint32_t *planes = calloc(table->words * nodes, sizeof *planes);
    if (!planes)
        return cm_error_no_memory(err);
    table->fill(table->context, nodes, planes);
    enum cm_status status =
        cm_heap_allocate(system->heap, CM_HEAP_TABLES, table->words, table->what, address, err);
    if (status == CM_OK) {
        status = write_planes(system, planes, *address, table->words, err);
        if (status != CM_OK)
            cm_heap_free(system->heap, *address);
    }
    free(planes);
    return status;
}

enum cm_status cm_compiled_table(struct cm_system *system, struct cm_compiled *compiled,
                                 const struct cm_table_request *table, struct cm_error *err)
{
    enum cm_status status = CM_OK;
    if (table->words > 0)
        status = cm_table_create(system, table, &compiled->table_block, err);
    if (status == CM_OK) {
        compiled->table = compiled->table_block;
        compiled->table_words = table->words;
    }
    return status;
}

enum cm_status cm_compiled_reserve(struct cm_system *system, struct cm_compiled *compiled,
                                   uint64_t words, uint64_t alignment, const char *what,
                                   struct cm_error *err)
{
    enum cm_status status = cm_heap_allocate(system->heap, CM_HEAP_TABLES, words + alignment - 1,
                                             what, &compiled->table_block, err);
    if (status != CM_OK)
        return status;
    compiled->table = (compiled->table_block + alignment - 1) / alignment * alignment;
    compiled->table_words = words;
    return CM_OK;
}

enum cm_status cm_compiled_add(struct cm_compiled *compiled, struct cm_imp *imp,
                               struct cm_error *err)
{
    if (imp && cm_list_push(&compiled->imps, imp))
        return CM_OK;
    cm_imp_destroy(imp);
    return cm_error_no_memory(err);
}

void cm_compiled_drop_imps(struct cm_system *system, struct cm_compiled *compiled)
{
    for (uint32_t i = 0; i < compiled->imps.count; i++) {
        if (system != NULL)
            cm_machine_unload_imp(system->machine, compiled->imps.items[i]);
        cm_imp_destroy(compiled->imps.items[i]);
    }
    cm_list_finish(&compiled->imps);
}

static void finish(struct cm_system *system, struct cm_compiled *compiled)
{
    cm_compiled_drop_imps(system, compiled);
    cm_list_finish(&compiled->constants);
    if (compiled->table_words > 0)
        cm_heap_free(system->heap, compiled->table_block);
}

void cm_compiled_drop(struct cm_system *system, struct cm_compiled *compiled)
{
    if (compiled)
        finish(system, compiled);
    free(compiled);
}

uint64_t cm_compiled_words(const struct cm_compiled *compiled)
{
    uint64_t words = 0;
    for (uint32_t i = 0; i < compiled->imps.count; i++)
        if (cm_imp_words(compiled->imps.items[i]) > words)
            words = cm_imp_words(compiled->imps.items[i]);
    return words;
}

enum cm_status cm_compiled_try(struct cm_system *system, const struct cm_compiled *compiled,
                               struct cm_error *err)
{
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; status == CM_OK && i < compiled->imps.count; i++)
        status = cm_machine_overlay_imp(system->machine, compiled->imps.items[i], err);
    return status;
}

/* Runs the IMPs, or charges them to a rehearsal unless it is NULL. */
static enum cm_status run_imps(struct cm_system *system, const struct cm_compiled *compiled,
                               const struct cm_actual *actuals, enum cm_entry entry,
                               struct cm_rehearsal *rehearsal, struct cm_error *err)
{
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; status == CM_OK && i < compiled->imps.count; i++) {
        const struct cm_imp *imp = compiled->imps.items[i];
        const enum cm_entry by = i == 0 ? entry : CM_ENTRY_CHAINED;
        status = rehearsal != NULL ? cm_rehearse(rehearsal, imp, actuals, by, err)
                                   : cm_system_run_overlay(system, imp, actuals, by, err);
    }
    return status;
}

enum cm_status cm_compiled_run(struct cm_system *system, const struct cm_compiled *compiled,
                               struct cm_actual *actuals, enum cm_entry entry, struct cm_error *err)
{
    return cm_compiled_rehearse(system, compiled, actuals, entry, NULL, err);
}

enum cm_status cm_compiled_rehearse(struct cm_system *system, const struct cm_compiled *compiled,
                                    struct cm_actual *actuals, enum cm_entry entry,
                                    struct cm_rehearsal *rehearsal, struct cm_error *err)
{
    const struct cm_scratch *scratch = &compiled->scratch;
    uint64_t address;
    if (scratch->words == 0)
        return run_imps(system, compiled, actuals, entry, rehearsal, err);
    enum cm_status status = cm_heap_allocate(system->heap, CM_HEAP_TABLES, scratch->words,
                                             scratch->name, &address, err);
    if (status != CM_OK)
        return status;
    actuals[scratch->argument].address = address;
    status = run_imps(system, compiled, actuals, entry, rehearsal, err);
    cm_heap_free(system->heap, address);
    return status;
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

/* Doubles the buckets, so that chains stay short. */
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

/* Finds the entry of a key, or has `make` fill a new one. The cache keeps an entry only if `make`
 * succeeds. */
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
        finish(system, &made->compiled);
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
        finish(system, &entry->compiled);
        free(entry);
    }
    free(cache->buckets);
    free(cache);
}
