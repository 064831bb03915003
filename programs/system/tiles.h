/* How the elements of an array spread over nodes, prepared for work on whole planes: 32 local
 * elements of all nodes. Not installed. */
#ifndef CM_PROGRAMS_SYSTEM_TILES_H
#define CM_PROGRAMS_SYSTEM_TILES_H

#include "geometry.h"

#define CM_TILE_ELEMENTS 32u /* local elements of a tile: a word of the garbage mask */

enum cm_node_fill { CM_NODE_EMPTY, CM_NODE_PARTIAL, CM_NODE_FULL };

/*
 * The element with local number e in node n is number first[n] + offset(e) on the host, so work on
 * a plane is one addition per node. In a node at the end of a padded axis only local coordinates
 * below held[a][n] exist.
 */
struct cm_tiles {
    const struct cm_layout *layout;
    uint64_t *first; /* a node */
    /* per node, for a padded axis: elements of the axis that exist there; else NULL */
    uint64_t *held[CM_RANK_MAX];
    uint8_t *fill; /* per node: enum cm_node_fill */
};

/* Consecutive local elements. */
struct cm_tile {
    uint32_t count; /* 1 .. CM_TILE_ELEMENTS; fewer only at the end */
    uint64_t offset[CM_TILE_ELEMENTS];
    uint64_t coordinate[CM_RANK_MAX][CM_TILE_ELEMENTS]; /* local, along each axis */
};

/* Keeps a pointer to the layout. */
enum cm_status cm_tiles_init(struct cm_tiles *tiles, const struct cm_layout *layout,
                             struct cm_error *err);
/* The same for the nodes from `first` to before `last` alone. */
enum cm_status cm_tiles_init_nodes(struct cm_tiles *tiles, const struct cm_layout *layout,
                                   uint32_t first, uint32_t last, struct cm_error *err);
void cm_tiles_finish(struct cm_tiles *tiles);

/* The tile that begins at local element `begin` < local_elements. */
void cm_tiles_tile(const struct cm_tiles *tiles, uint64_t begin, struct cm_tile *tile);

/* Bit i is 1 where element i of the tile exists in the node. */
uint32_t cm_tiles_present(const struct cm_tiles *tiles, const struct cm_tile *tile, uint32_t node);

#endif
