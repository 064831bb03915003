/* Creates and destroys a system, and runs IMPs over the SRAM. */
#include "../../isa/imp.h"
#include "system_private.h"

#include <stdlib.h>

enum cm_status cm_system_create(const struct cm_config *config,
                                const struct cm_machine_options *options, struct cm_system **system,
                                struct cm_error *err)
{
    *system = NULL;
    struct cm_system *made = calloc(1, sizeof(*made));
    if (!made)
        return cm_error_no_memory(err);
    enum cm_status status = cm_machine_create(config, options, &made->machine, err);
    if (status == CM_OK)
        status = cm_heap_create(config, made->machine, &made->heap, err);
    if (status != CM_OK) {
        cm_system_destroy(made);
        return status;
    }
    *system = made;
    return CM_OK;
}

void cm_system_destroy(struct cm_system *system)
{
    if (!system)
        return;
    /* Setups and compiled IMPs give back SRAM and node memory when they are freed, so the machine
     * and the heap are destroyed last. */
    for (uint32_t i = 0; i < system->setups.count; i++)
        system->setups.drop(system, system->setups.at[i]);
    free(system->setups.at);
    cm_cache_destroy(system->cache, system);
    cm_heap_destroy(system->heap);
    cm_machine_destroy(system->machine);
    free(system->routed_words);
    free(system);
}

struct cm_machine *cm_system_machine(struct cm_system *system)
{
    return system->machine;
}
