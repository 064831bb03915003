/*
 * Relates local elements of an array to element numbers on the host, for work on whole planes. A
 * tile is 32 consecutive local elements in all nodes. This header is not installed.
 */
#ifndef CM_PROGRAMS_SYSTEM_TILES_H
#define CM_PROGRAMS_SYSTEM_TILES_H

#include "geometry.h"

/* number of local elements of a tile: as many as a word of the garbage mask has bits */
#define CM_TILE_ELEMENTS 32u

enum cm_node_fill { CM_NODE_EMPTY, CM_NODE_PARTIAL, CM_NODE_FULL };

/*
 * Element numbers on the host. Local element e of node n has the number first[n] + offset(e), so a
 * plane needs one addition for each node. At the end of a padded axis a, a node n has only the
 * elements whose local coordinate is below held[a][n].
 */
struct cm_tiles {
    const struct cm_layout *layout;
    uint64_t *first; /* number of the first element of each node */
    /* for each padded axis, the number of elements along the axis that exist in each node. NULL for
     * other axes */
    uint64_t *held[CM_RANK_MAX];
    uint8_t *fill; /* for each node, an enum cm_node_fill: which elements of the node exist */
};

/* A tile of consecutive local elements. */
struct cm_tile {
    uint32_t count; /* number of elements: CM_TILE_ELEMENTS, or fewer in the last tile */
    uint64_t offset[CM_TILE_ELEMENTS];
    uint64_t coordinate[CM_RANK_MAX][CM_TILE_ELEMENTS]; /* local coordinates along each axis */
};

/* Prepares the tables for all nodes. Keeps a pointer to the layout. */
enum cm_status cm_tiles_init(struct cm_tiles *tiles, const struct cm_layout *layout,
                             struct cm_error *err);
/* Prepares the tables only for the nodes `first` to `last` - 1. */
enum cm_status cm_tiles_init_nodes(struct cm_tiles *tiles, const struct cm_layout *layout,
                                   uint32_t first, uint32_t last, struct cm_error *err);
void cm_tiles_finish(struct cm_tiles *tiles);

/* Finds the tile that begins at local element `begin`, which must be less than local_elements. */
void cm_tiles_tile(const struct cm_tiles *tiles, uint64_t begin, struct cm_tile *tile);

/* Returns a bit for each element of the tile, which is 1 if the element exists in the node. */
uint32_t cm_tiles_present(const struct cm_tiles *tiles, const struct cm_tile *tile, uint32_t node);

#endif
