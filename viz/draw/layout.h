/*
 * Where the panels of cm200-view lie in a picture of a given size. Positions are in points; a
 * picture of scale 2 has two pixels a point each way.
 */
#ifndef CM_VIZ_DRAW_LAYOUT_H
#define CM_VIZ_DRAW_LAYOUT_H

#include "../model/state.h"

struct cm_view_model;

struct cm_view_rect {
    int x, y, w, h;
};

/* Parts of the picture that are not panels; they count on from the panels. */
enum cm_view_part {
    CM_VIEW_PART_BEFORE = CM_VIEW_PANEL_COUNT - 1,
#define CM_VIEW_PART(symbol, name) CM_VIEW_PART_##symbol,
#include "../model/panels.def"
    CM_VIEW_PART_COUNT,
};

/* "cube", ..., "legend", ...: the name of a panel or part. */
const char *cm_view_part_name(uint32_t part);

/* Where panels and parts lie; one that yielded has w == 0. With two runs compared, column c is run
 * c, 2 the difference. */
struct cm_view_layout {
    struct cm_view_rect place[3][CM_VIEW_PART_COUNT];
    uint32_t columns; /* 1, or 3 when two runs are compared */
    /* What a panel with a time strip keeps free on either side of it: the same in each, so that one
     * axis serves all. */
    int strip_left, strip_right;
};

/*
 * Lays the panels out in w x h points. What has no room yields, in the order that the panels state
 * (docs/panels.md has it); one map stays. An array panel is left out if the trace recorded no
 * array's places; it and the smaller map are left out when two runs are compared.
 */
struct cm_view_layout cm_view_lay_out(const struct cm_view_model *model,
                                      const struct cm_view_state *state, int w, int h);

#endif
