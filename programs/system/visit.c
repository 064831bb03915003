/* Visits the elements of an array plane by plane, and finds the element number that belongs to each
 * word. */
#include "visit.h"

#include "system_private.h"
#include "tiles.h"

#include <string.h>

/* Local element of a tile, with the memory that holds it in all nodes of this process. */
struct place {
    const struct cm_layout *layout;
    const struct cm_tiles *tiles;
    const struct cm_tile *tile;
    uint32_t i; /* number of the element within the tile */
    const struct cm_planes *planes;
    uint64_t plane; /* memory plane of the element's first word */
};

/* Reads an element in the form of the host. In node memory the low word comes first, and a logical
 * element takes a whole word. */
static void get(const struct place *place, uint32_t node, void *element)
{
    uint32_t words[4];
    for (uint32_t w = 0; w < place->layout->slices; w++)
        words[w] = *cm_planes_word(place->planes, place->plane + w, node);
    if (place->layout->type == CM_TYPE_LOGICAL)
        *(uint8_t *)element = words[0] != 0;
    else
        memcpy(element, words, place->layout->slices * sizeof *words);
}

static void put(const struct place *place, uint32_t node, const void *element)
{
    uint32_t words[4] = {0};
    if (place->layout->type == CM_TYPE_LOGICAL)
        words[0] = *(const uint8_t *)element != 0;
    else
        memcpy(words, element, place->layout->slices * sizeof *words);
    for (uint32_t w = 0; w < place->layout->slices; w++)
        *cm_planes_word(place->planes, place->plane + w, node) = words[w];
}

static bool exists(const struct place *place, uint32_t node)
{
    uint8_t fill = place->tiles->fill[node];
    return fill == CM_NODE_FULL ||
           (fill == CM_NODE_PARTIAL &&
            (cm_tiles_present(place->tiles, place->tile, node) >> place->i & 1));
}

static void visit_nodes(const struct place *place, const struct cm_array_visit *visit,
                        uint32_t first, uint32_t last)
{
    uint64_t element[2];
    for (uint32_t node = first; node < last; node++) {
        if (!exists(place, node))
            continue;
        uint64_t e = place->tiles->first[node] + place->tile->offset[place->i];
        if (visit->read != NULL) {
            get(place, node, element);
            visit->read(visit->context, e, element);
        } else {
            visit->store(visit->context, e, element);
            put(place, node, element);
        }
    }
}

static void visit_all(const struct cm_layout *layout, const struct cm_tiles *tiles,
                      const struct cm_planes *planes, const struct cm_array_visit *visit,
                      uint32_t first, uint32_t last)
{
    struct cm_tile tile;
    for (uint64_t e = 0; e < layout->local_elements; e += CM_TILE_ELEMENTS) {
        cm_tiles_tile(tiles, e, &tile);
        for (uint32_t i = 0; i < tile.count; i++) {
            const struct place place = {
                .layout = layout,
                .tiles = tiles,
                .tile = &tile,
                .i = i,
                .planes = planes,
                .plane = (e + i) * layout->slices,
            };
            visit_nodes(&place, visit, first, last);
        }
    }
}

enum cm_status cm_array_visit(struct cm_system *system, const struct cm_array *array,
                              const struct cm_array_visit *visit, struct cm_error *err)
{
    const struct cm_layout *layout = &array->layout;
    uint32_t first = cm_machine_first_node(system->machine);
    uint32_t last = first + cm_machine_own_nodes(system->machine);
    /* number of nodes whose elements are read. Nodes from this number on hold copies */
    uint64_t used = UINT64_C(1) << layout->used_bits;
    struct cm_tiles tiles;
    struct cm_planes planes;
    enum cm_status status =
        cm_machine_own_planes(system->machine, array->address, layout->local_words, &planes, err);
    if (status == CM_OK)
        status = cm_tiles_init_nodes(&tiles, layout, first, last, err);
    if (status != CM_OK)
        return status;
    if (visit->read != NULL && last > used)
        last = (uint32_t)used;
    visit_all(layout, &tiles, &planes, visit, first, last);
    cm_tiles_finish(&tiles);
    return CM_OK;
}
