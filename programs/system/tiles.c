/* Computes element numbers on the host as the sum of a part for each node and a part for each local
 * element. */
#include "tiles.h"

#include <stdlib.h>
#include <string.h>

static void add_axis(struct cm_tiles *tiles, uint32_t a, uint64_t host_stride, uint32_t first,
                     uint32_t last)
{
    const struct cm_layout *layout = tiles->layout;
    const struct cm_axis *axis = &layout->axes[a];
    for (uint32_t node = first; node < last; node++) {
        uint64_t begin = cm_layout_coordinate(layout, node, a) * axis->local_length;
        tiles->first[node] += begin * host_stride;
        if (!axis->padded)
            continue;
        uint64_t held = begin >= axis->length ? 0 : axis->length - begin;
        if (held >= axis->local_length)
            held = axis->local_length;
        else if (held == 0)
            tiles->fill[node] = CM_NODE_EMPTY;
        else if (tiles->fill[node] == CM_NODE_FULL)
            tiles->fill[node] = CM_NODE_PARTIAL;
        tiles->held[a][node] = held;
    }
}

enum cm_status cm_tiles_init(struct cm_tiles *tiles, const struct cm_layout *layout,
                             struct cm_error *err)
{
    return cm_tiles_init_nodes(tiles, layout, 0, layout->nodes, err);
}

enum cm_status cm_tiles_init_nodes(struct cm_tiles *tiles, const struct cm_layout *layout,
                                   uint32_t first, uint32_t last, struct cm_error *err)
{
    memset(tiles, 0, sizeof(*tiles));
    tiles->layout = layout;
    tiles->first = calloc(layout->nodes, sizeof(*tiles->first));
    tiles->fill = malloc(layout->nodes);
    bool ok = tiles->first && tiles->fill;
    for (uint32_t a = 0; ok && a < layout->rank; a++) {
        if (!layout->axes[a].padded)
            continue;
        tiles->held[a] = calloc(layout->nodes, sizeof(*tiles->held[a]));
        ok = tiles->held[a];
    }
    if (!ok) {
        cm_tiles_finish(tiles);
        return cm_error_no_memory(err);
    }
    memset(tiles->fill + first, CM_NODE_FULL, last - first);
    uint64_t host_stride = 1;
    for (uint32_t a = 0; a < layout->rank; a++) {
        add_axis(tiles, a, host_stride, first, last);
        host_stride *= layout->axes[a].length;
    }
    return CM_OK;
}

void cm_tiles_finish(struct cm_tiles *tiles)
{
    free(tiles->first);
    free(tiles->fill);
    for (uint32_t a = 0; a < CM_RANK_MAX; a++)
        free(tiles->held[a]);
    memset(tiles, 0, sizeof(*tiles));
}

/* Advances the coordinates to the next local element, like an odometer with the local lengths. */
static void advance(const struct cm_layout *layout, uint64_t *coordinate)
{
    for (uint32_t a = 0; a < layout->rank; a++) {
        if (++coordinate[a] < layout->axes[a].local_length)
            return;
        coordinate[a] = 0;
    }
}

static uint64_t host_offset(const struct cm_layout *layout, const uint64_t *coordinate)
{
    uint64_t offset = 0;
    for (uint32_t a = layout->rank; a-- > 0;)
        offset = offset * layout->axes[a].length + coordinate[a];
    return offset;
}

void cm_tiles_tile(const struct cm_tiles *tiles, uint64_t begin, struct cm_tile *tile)
{
    const struct cm_layout *layout = tiles->layout;
    uint64_t left = layout->local_elements - begin;
    uint64_t coordinate[CM_RANK_MAX];
    uint64_t rest = begin;
    for (uint32_t a = 0; a < layout->rank; a++) {
        coordinate[a] = rest % layout->axes[a].local_length;
        rest /= layout->axes[a].local_length;
    }
    tile->count = left < CM_TILE_ELEMENTS ? (uint32_t)left : CM_TILE_ELEMENTS;
    for (uint32_t i = 0; i < tile->count; i++) {
        tile->offset[i] = host_offset(layout, coordinate);
        for (uint32_t a = 0; a < layout->rank; a++)
            tile->coordinate[a][i] = coordinate[a];
        advance(layout, coordinate);
    }
}

static uint32_t present_along(const struct cm_tile *tile, uint32_t a, uint64_t held)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < tile->count; i++)
        bits |= (uint32_t)(tile->coordinate[a][i] < held) << i;
    return bits;
}

uint32_t cm_tiles_present(const struct cm_tiles *tiles, const struct cm_tile *tile, uint32_t node)
{
    uint32_t bits = UINT32_MAX >> (CM_TILE_ELEMENTS - tile->count);
    if (tiles->fill[node] == CM_NODE_FULL)
        return bits;
    if (tiles->fill[node] == CM_NODE_EMPTY)
        return 0;
    for (uint32_t a = 0; a < tiles->layout->rank; a++)
        if (tiles->held[a])
            bits &= present_along(tile, a, tiles->held[a][node]);
    return bits;
}
