/* Builds tables, and tries, runs and frees compiled IMPs. Only cache.c keeps them. */
#include "compiled_imps.h"

#include "../../sim/machine/rehearsal.h"

#include <string.h>

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

void cm_compiled_finish(struct cm_system *system, struct cm_compiled *compiled)
{
    cm_compiled_drop_imps(system, compiled);
    cm_list_finish(&compiled->constants);
    if (compiled->table_words > 0)
        cm_heap_free(system->heap, compiled->table_block);
}

void cm_compiled_drop(struct cm_system *system, struct cm_compiled *compiled)
{
    if (compiled)
        cm_compiled_finish(system, compiled);
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

enum cm_status cm_system_run_overlay(struct cm_system *system, const struct cm_imp *imp,
                                     const struct cm_actual *actuals, enum cm_entry entry,
                                     struct cm_error *err)
{
    enum cm_status status = cm_machine_overlay_imp(system->machine, imp, err);
    if (status != CM_OK)
        return status;
    system->overlay_words += cm_imp_words(imp);
    return cm_machine_run(system->machine, imp, actuals, entry, err);
}

/* Runs the IMPs. If `rehearsal` is not NULL, charges their cycles to the rehearsal instead. */
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
