/* Layout: the rectangles of panels and parts in a picture of a given size. Positions are in points.
 * At scale 2 a point is two pixels wide and high. */
#ifndef CM_VIZ_DRAW_LAYOUT_H
#define CM_VIZ_DRAW_LAYOUT_H

#include "../model/state.h"

struct cm_view_model;

struct cm_view_rect {
    int x, y, w, h;
};

/* Parts of the picture that are not panels, such as the legend. Their numbers follow the numbers of
 * the panels. */
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
    uint32_t columns; /* number of columns: 1, or 3 with two runs */
    /* Width in points of the margins at the left and right of every time strip. All panels have the
     * same margins, so that one time axis serves all strips. */
    int strip_left, strip_right;
};

/*
 * Computes the layout of a picture of w x h points.
 *
 * Panels that have no room are left out in the order of their member `yields` (listed in
 * docs/panels.md), but one map always remains. The array panel is shown if the trace has the places
 * of the array's elements. With two runs, the picture has one map and no array panel.
 */
struct cm_view_layout cm_view_lay_out(const struct cm_view_model *model,
                                      const struct cm_view_state *state, int w, int h);

#endif
