/* Layout: the rectangles of panels and parts in a picture of a given size. Positions are in points.
 * A picture of scale 2 has two pixels per point in each direction. */
#ifndef CM_VIZ_DRAW_LAYOUT_H
#define CM_VIZ_DRAW_LAYOUT_H

#include "../model/state.h"

struct cm_view_model;

struct cm_view_rect {
    int x, y, w, h;
};

/* Parts of the picture that are not panels. Their numbers follow those of the panels. */
enum cm_view_part {
    CM_VIEW_PART_BEFORE = CM_VIEW_PANEL_COUNT - 1,
#define CM_VIEW_PART(symbol, name) CM_VIEW_PART_##symbol,
#include "../model/panels.def"
    CM_VIEW_PART_COUNT,
};

/* Returns the name of a panel or part, such as "cube" or "legend". */
const char *cm_view_part_name(uint32_t part);

/* Rectangles of panels and parts. A part that is left out has w == 0. With two runs, column 0 is
 * the first run, column 1 the second, column 2 the difference. */
struct cm_view_layout {
    struct cm_view_rect place[3][CM_VIEW_PART_COUNT];
    uint32_t columns; /* 1, or 3 with two runs */
    /* Points at the left and right of every time strip. They are equal in all panels, so that one
     * axis serves all strips. */
    int strip_left, strip_right;
};

/*
 * Computes the layout of a picture of w x h points.
 *
 * Panels that have no room are left out in the order of their member `yields` (docs/panels.md lists
 * it), but one map always remains. The array panel needs an array whose places are recorded. With
 * two runs, one map is shown and no array.
 */
struct cm_view_layout cm_view_lay_out(const struct cm_view_model *model,
                                      const struct cm_view_state *state, int w, int h);

#endif
