/* Geometry of the cube panel: the positions of the nodes, and the lines of the channels. */
#ifndef CM_VIZ_DRAW_CUBE_SHAPE_H
#define CM_VIZ_DRAW_CUBE_SHAPE_H

#include "draw_private.h"

struct cm_cube {
    /* rectangle of the whole cube. The panel may show a part of it */
    struct cm_view_rect inside;
    /* first node, number of nodes, and number of dimensions drawn, at most six */
    uint32_t base, count, dimensions;
    uint32_t channels; /* number of channels of a dimension */
    /* size of the grid of nodes. 0: the cube is drawn as an oblique cube */
    uint32_t columns, rows;
    double pitch_x, pitch_y, x, y; /* distance between nodes, and centre of node 0 */
    double box_w, box_h;           /* size of a node's box */
    double lane;                   /* distance between the lines of neighbouring channels */
};
struct cm_cube cm_cube_of(const struct cm_frame *frame);
struct cm_point cm_cube_node(const struct cm_cube *cube, uint32_t node);
/* Computes the line of a channel as 2 or 4 points, from the sender to the receiver. Returns the
 * number of points. */
uint32_t cm_cube_lane(const struct cm_cube *cube, uint32_t node, uint32_t dimension,
                      uint32_t channel, struct cm_point line[4]);

#endif
