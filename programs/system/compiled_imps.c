/* Keeping what the run-time library compiles. */
#include "compiled_imps.h"

#include <stdlib.h>

enum cm_status cm_table_create(struct cm_system *system, const uint32_t *planes, uint64_t words,
                               const char *what, uint64_t *address, struct cm_error *err)
{
    size_t nodes = cm_machine_nodes(system->machine);
    enum cm_status status =
        cm_heap_allocate(system->heap, CM_HEAP_TABLES, words, what, address, err);
    if (status != CM_OK)
        return status;
    for (uint64_t w = 0; status == CM_OK && w < words; w++)
        status = cm_machine_write_plane(system->machine, *address + w, planes + w * nodes, err);
    if (status != CM_OK)
        cm_heap_free(system->heap, *address);
    return status;
}

enum cm_status cm_compiled_add(struct cm_compiled *compiled, struct cm_imp *imp,
                               struct cm_error *err)
{
    struct cm_imp **larger = NULL;
    if (imp && !imp->failed)
        larger = realloc(compiled->imps, (compiled->imp_count + 1) * sizeof(*larger));
    if (!larger) {
        cm_imp_destroy(imp);
        return cm_error_no_memory(err);
    }
    compiled->imps = larger;
    compiled->imps[compiled->imp_count++] = imp;
    return CM_OK;
}

void cm_compiled_drop(struct cm_system *system, void *value)
{
    struct cm_compiled *compiled = value;
    if (!compiled)
        return;
    for (uint32_t i = 0; i < compiled->imp_count; i++)
        cm_imp_destroy(compiled->imps[i]);
    free(compiled->imps);
    if (compiled->has_table)
        cm_heap_free(system->heap, compiled->table);
    free(compiled);
}

enum cm_status cm_compiled_run(struct cm_system *system, const struct cm_compiled *compiled,
                               const struct cm_actual *actuals, enum cm_entry entry,
                               struct cm_error *err)
{
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; status == CM_OK && i < compiled->imp_count; i++)
        status = cm_system_run_overlay(system, compiled->imps[i], actuals,
                                       i == 0 ? entry : CM_ENTRY_CHAINED, err);
    return status;
}

void cm_key_begin(struct cm_buffer *key, enum cm_cache_tag tag)
{
    unsigned char byte = (unsigned char)tag;
    cm_buffer_init(key);
    cm_buffer_append(key, &byte, 1);
}

void cm_key_integer(struct cm_buffer *key, int64_t value)
{
    cm_buffer_append(key, &value, sizeof value);
}

void cm_key_layout(struct cm_buffer *key, const struct cm_layout *layout)
{
    cm_key_integer(key, layout->type);
    cm_key_integer(key, layout->rank);
    for (uint32_t a = 0; a < layout->rank; a++) {
        cm_key_integer(key, (int64_t)layout->axes[a].length);
        cm_key_integer(key, layout->axes[a].order);
        cm_key_integer(key, layout->axes[a].node_bits);
        cm_key_integer(key, layout->axes[a].first_dimension);
    }
}

static enum cm_status make_and_keep(struct cm_system *system, const struct cm_buffer *key,
                                    cm_compiled_make make, const void *task,
                                    const struct cm_compiled **out, struct cm_error *err)
{
    struct cm_compiled *compiled = calloc(1, sizeof *compiled);
    if (!compiled)
        return cm_error_no_memory(err);
    enum cm_status status = make(system, task, compiled, err);
    if (status == CM_OK)
        status =
            cm_cache_insert(system->cache, key->data, key->length, compiled, cm_compiled_drop, err);
    if (status != CM_OK)
        cm_compiled_drop(system, compiled);
    else
        *out = compiled;
    return status;
}

enum cm_status cm_compiled_get(struct cm_system *system, struct cm_buffer *key,
                               cm_compiled_make make, const void *task,
                               const struct cm_compiled **compiled, struct cm_error *err)
{
    enum cm_status status = CM_OK;
    if (!cm_buffer_ok(key))
        status = cm_error_no_memory(err);
    else if (!(*compiled = cm_cache_find(system->cache, key->data, key->length)))
        status = make_and_keep(system, key, make, task, compiled, err);
    cm_buffer_finish(key);
    return status;
}
