/*
 * Geometry of the cube panel: the positions of the nodes, and the lines of the channels.
 *
 * A cube shows up to 64 nodes. If a node of a larger machine is pinned, the panel shows its
 * neighbourhood instead: the node as a bar, and each of its neighbours in a row of its own, to the
 * left or right of the bar. A pinned channel has two bars, one for each of its ends.
 */
#ifndef CM_VIZ_DRAW_CUBE_SHAPE_H
#define CM_VIZ_DRAW_CUBE_SHAPE_H

#include "draw_private.h"

struct cm_cube {
    /* rectangle of the whole cube. The panel may show a part of it */
    struct cm_view_rect inside;
    /* first node, number of nodes, and number of dimensions drawn. A cube has at most six
     * dimensions, a neighbourhood has all */
    uint32_t base, count, dimensions;
    uint32_t bars;     /* number of nodes that are bars. 0: a cube */
    uint32_t bar[2];   /* nodes that are bars. The second differs from the first in one dimension */
    uint32_t joined;   /* dimension between the two bars */
    double bar_h;      /* height of a bar. Its width is that of a node's box */
    uint32_t channels; /* number of channels of a dimension */
    /* size of the grid of nodes. 0: the cube is drawn as an oblique cube */
    uint32_t columns, rows;
    double pitch_x, pitch_y, x, y; /* distance between nodes, and centre of node 0 */
    double box_w, box_h;           /* size of a node's box */
    double lane;                   /* distance between the lines of neighbouring channels */
};
struct cm_cube cm_cube_of(const struct cm_frame *frame);
/* Returns true if the picture has a node, and if it has the channels of a node in a dimension. */
bool cm_cube_has(const struct cm_cube *cube, uint32_t node);
bool cm_cube_joins(const struct cm_cube *cube, uint32_t node, uint32_t dimension);
/* Returns the node with a number from 0 to `count` - 1 in the picture. Bars come first. */
uint32_t cm_cube_member(const struct cm_cube *cube, uint32_t number);
bool cm_cube_is_bar(const struct cm_cube *cube, uint32_t node);
/* Returns the height of a node's box or bar. */
double cm_cube_height(const struct cm_cube *cube, uint32_t node);
struct cm_point cm_cube_node(const struct cm_cube *cube, uint32_t node);
/* Computes the line of a channel as 2 or 4 points, from the sender to the receiver. Returns the
 * number of points. */
uint32_t cm_cube_lane(const struct cm_cube *cube, uint32_t node, uint32_t dimension,
                      uint32_t channel, struct cm_point line[4]);

#endif
