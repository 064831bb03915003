/* The garbage mask of padded layouts (P 2.1): a bit an element in node memory, for the context
 * flag. */
#include "system_private.h"
#include "tiles.h"

#include <stdlib.h>
#include <string.h>

struct mask {
    uint64_t address;
};

static void mask_drop(struct cm_system *system, void *value)
{
    struct mask *mask = value;
    cm_heap_free(system->heap, mask->address);
    free(mask);
}

/* Arrays of any type share the mask of their shape and placement. Returns the length of the key. */
#define KEY_BYTES (2 + CM_RANK_MAX * 10)
static size_t mask_key(const struct cm_layout *layout, unsigned char key[KEY_BYTES])
{
    size_t length = 0;
    key[length++] = CM_CACHE_MASK;
    key[length++] = (unsigned char)layout->rank;
    for (uint32_t a = 0; a < layout->rank; a++) {
        const struct cm_axis *axis = &layout->axes[a];
        memcpy(key + length, &axis->length, sizeof(axis->length));
        length += sizeof(axis->length);
        key[length++] = (unsigned char)axis->order;
        key[length++] = (unsigned char)axis->node_bits;
    }
    return length;
}

static enum cm_status write_mask(struct cm_system *system, const struct cm_layout *layout,
                                 uint64_t address, struct cm_error *err)
{
    struct cm_tiles spread;
    uint32_t *plane = malloc(layout->nodes * sizeof(*plane));
    if (!plane)
        return cm_error_no_memory(err);
    enum cm_status status = cm_tiles_init(&spread, layout, err);
    for (uint64_t e = 0; status == CM_OK && e < layout->local_elements; e += CM_TILE_ELEMENTS) {
        struct cm_tile tile;
        cm_tiles_tile(&spread, e, &tile);
        for (uint32_t node = 0; node < layout->nodes; node++)
            plane[node] = cm_tiles_present(&spread, &tile, node);
        status =
            cm_machine_write_plane(system->machine, address + e / CM_TILE_ELEMENTS, plane, err);
    }
    cm_tiles_finish(&spread);
    free(plane);
    return status;
}

static enum cm_status make_mask(struct cm_system *system, const struct cm_layout *layout,
                                struct mask *mask, struct cm_error *err)
{
    uint64_t words = (layout->local_elements - 1) / CM_TILE_ELEMENTS + 1;
    enum cm_status status = cm_heap_allocate(system->heap, CM_HEAP_TABLES, words,
                                             "the garbage mask", &mask->address, err);
    if (status != CM_OK || cm_machine_timing_only(system->machine))
        return status;
    status = write_mask(system, layout, mask->address, err);
    if (status != CM_OK)
        cm_heap_free(system->heap, mask->address);
    return status;
}

enum cm_status cm_system_garbage_mask(struct cm_system *system, const struct cm_layout *layout,
                                      bool *present, uint64_t *address, struct cm_error *err)
{
    unsigned char key[KEY_BYTES];
    size_t length = mask_key(layout, key);
    *present = false;
    *address = 0;
    for (uint32_t a = 0; a < layout->rank; a++)
        *present = *present || layout->axes[a].padded;
    if (!*present)
        return CM_OK;
    struct mask *mask = cm_cache_find(system->cache, key, length);
    if (mask) {
        *address = mask->address;
        return CM_OK;
    }
    mask = malloc(sizeof(*mask));
    if (!mask)
        return cm_error_no_memory(err);
    enum cm_status status = make_mask(system, layout, mask, err);
    if (status != CM_OK) {
        free(mask);
        return status;
    }
    *address = mask->address;
    status = cm_cache_insert(system->cache, key, length, mask, mask_drop, err);
    if (status != CM_OK)
        mask_drop(system, mask);
    return status;
}
