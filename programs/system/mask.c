/* Makes the garbage mask of padded layouts (PSHIFT paper, 2.1). The mask has one bit for each local
 * element in node memory, and the context flag takes its value from there. */
#include "compiled_imps.h"
#include "tiles.h"

static enum cm_status write_mask(struct cm_system *system, const struct cm_layout *layout,
                                 uint64_t address, struct cm_error *err)
{
    struct cm_tiles tiles;
    uint32_t *plane = malloc(layout->nodes * sizeof(*plane));
    if (!plane)
        return cm_error_no_memory(err);
    enum cm_status status = cm_tiles_init(&tiles, layout, err);
    for (uint64_t e = 0; status == CM_OK && e < layout->local_elements; e += CM_TILE_ELEMENTS) {
        struct cm_tile tile;
        cm_tiles_tile(&tiles, e, &tile);
        for (uint32_t node = 0; node < layout->nodes; node++)
            plane[node] = cm_tiles_present(&tiles, &tile, node);
        status =
            cm_machine_write_plane(system->machine, address + e / CM_TILE_ELEMENTS, plane, err);
    }
    cm_tiles_finish(&tiles);
    free(plane);
    return status;
}

/* Serves as a cm_compiled_make for the cache: makes a table without IMPs. */
static enum cm_status make_mask(struct cm_system *system, const void *task,
                                struct cm_compiled *compiled, struct cm_error *err)
{
    const struct cm_layout *layout = task;
    uint64_t words = (layout->local_elements - 1) / CM_TILE_ELEMENTS + 1;
    enum cm_status status =
        cm_compiled_reserve(system, compiled, words, 1, "the garbage mask", err);
    if (status != CM_OK || cm_machine_timing_only(system->machine))
        return status;
    return write_mask(system, layout, compiled->table, err);
}

enum cm_status cm_system_garbage_mask(struct cm_system *system, const struct cm_layout *layout,
                                      bool *present, uint64_t *address, struct cm_error *err)
{
    const struct cm_compiled *mask;
    struct cm_buffer key;
    *present = false;
    *address = 0;
    for (uint32_t a = 0; a < layout->rank; a++)
        *present = *present || layout->axes[a].padded;
    if (!*present)
        return CM_OK;
    /* Arrays of any type share the mask of their shape and placement, so the key has no type. */
    cm_key_begin(&key, CM_CACHE_MASK);
    for (uint32_t a = 0; a < layout->rank; a++)
        CM_CACHE_KEY(&key, layout->axes[a].length, layout->axes[a].order,
                     layout->axes[a].node_bits);
    enum cm_status status = cm_compiled_get(system, &key, make_mask, layout, &mask, err);
    if (status == CM_OK)
        *address = mask->table;
    return status;
}
