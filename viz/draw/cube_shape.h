/* The shape of the cube panel: where its nodes lie, and the lanes of their channels. */
#ifndef CM_VIZ_DRAW_CUBE_SHAPE_H
#define CM_VIZ_DRAW_CUBE_SHAPE_H

#include "draw_private.h"

struct cm_cube {
    struct cm_view_rect inside;       /* place of all of it; the panel may show a part */
    uint32_t base, count, dimensions; /* nodes from `base` on; dimensions drawn, at most six */
    uint32_t channels;                /* of a dimension */
    uint32_t columns, rows;           /* of the grid; 0: oblique */
    double pitch_x, pitch_y, x, y;    /* of node 0's centre */
    double box_w, box_h;              /* of a node */
    double lane;                      /* from a channel's line to the next */
};
struct cm_cube cm_cube_of(const struct cm_frame *frame);
struct cm_point cm_cube_node(const struct cm_cube *cube, uint32_t node);
/* The way of a channel's line, 2 points or 4; the last is where the words arrive. */
uint32_t cm_cube_lane(const struct cm_cube *cube, uint32_t node, uint32_t dimension,
                      uint32_t channel, struct cm_point line[4]);

#endif
