/*
 * Relates local elements of an array to element numbers on the host, for work on whole planes. A
 * tile is 32 consecutive local elements in all nodes. Not installed.
 */
#ifndef CM_PROGRAMS_SYSTEM_TILES_H
#define CM_PROGRAMS_SYSTEM_TILES_H

#include "geometry.h"

#define CM_TILE_ELEMENTS 32u /* local elements of a tile: one word of the garbage mask */

enum cm_node_fill { CM_NODE_EMPTY, CM_NODE_PARTIAL, CM_NODE_FULL };

/*
 * Element numbers on the host. Local element e of node n has the number first[n] + offset(e), so a
 * plane needs one addition for each node. At the end of a padded axis, a node has only the elements
 * whose local coordinate is below held[a][n].
 */
struct cm_tiles {
    const struct cm_layout *layout;
    uint64_t *first; /* by node: number of its first element */
    /* by node, for a padded axis: elements along the axis that exist in the node. NULL for other
     * axes */
    uint64_t *held[CM_RANK_MAX];
    uint8_t *fill; /* by node: an enum cm_node_fill */
};

/* A tile of consecutive local elements. */
struct cm_tile {
    uint32_t count; /* 1 to CM_TILE_ELEMENTS. Smaller only for the last tile */
    uint64_t offset[CM_TILE_ELEMENTS];
    uint64_t coordinate[CM_RANK_MAX][CM_TILE_ELEMENTS]; /* local coordinates along each axis */
};

/* Prepares all nodes. Keeps a pointer to the layout. */
enum cm_status cm_tiles_init(struct cm_tiles *tiles, const struct cm_layout *layout,
                             struct cm_error *err);
/* Prepares only the nodes from `first` to before `last`. */
enum cm_status cm_tiles_init_nodes(struct cm_tiles *tiles, const struct cm_layout *layout,
                                   uint32_t first, uint32_t last, struct cm_error *err);
void cm_tiles_finish(struct cm_tiles *tiles);

/* Finds the tile that begins at local element `begin`, which must be less than local_elements. */
void cm_tiles_tile(const struct cm_tiles *tiles, uint64_t begin, struct cm_tile *tile);

/* Returns a bit for each element of the tile: 1 if the element exists in the node. */
uint32_t cm_tiles_present(const struct cm_tiles *tiles, const struct cm_tile *tile, uint32_t node);

#endif
