/*
 * The panels of cm200-view: their names, and where each lies in a picture of a given size.
 * Positions are in points; a picture of scale 2 has two pixels a point each way.
 */
#ifndef CM_VIZ_DRAW_PANELS_H
#define CM_VIZ_DRAW_PANELS_H

#include "../model/state.h"

struct cm_view_model;

struct cm_view_rect {
    int x, y, w, h;
};

/* Parts of the picture that are no panels. */
enum cm_view_part {
    CM_VIEW_PART_HEADER = CM_VIEW_PANEL_COUNT, /* the run, the cycle, what is played */
    CM_VIEW_PART_NOTICE,                       /* what is wrong with the trace */
    CM_VIEW_PART_AXIS,                         /* the time axis */
    CM_VIEW_PART_LEGEND,
    CM_VIEW_PART_CAUSES, /* cycles by cause: the other half of the panel "phases" */
    CM_VIEW_PART_COUNT,
};

/* Where panels and parts lie; one that yielded has w == 0. With two runs compared, column c is run
 * c, 2 the difference. */
struct cm_view_layout {
    struct cm_view_rect place[3][CM_VIEW_PART_COUNT];
    uint32_t columns; /* 1, or 3 when two runs are compared */
    /* What a panel with a time strip keeps free on either side of it: the same in each, so that one
     * axis serves all. */
    int strip_left, strip_right;
};

/* "cube", "machine", "time", "phases", "array", "inspector", "all": NAME of --panel. */
const char *cm_view_panel_name(enum cm_view_panel panel);
bool cm_view_panel_find(const char *name, enum cm_view_panel *panel);
/* What a panel is headed with, for people. */
const char *cm_view_panel_title(enum cm_view_panel panel);

/*
 * Lays the panels out in w x h points. What has no room yields, in this order: array, phases,
 * inspector, the smaller map (the cube beyond 64 nodes, else the machine), legend, dimension x
 * time, time axis, notice, header; one map stays. The array has no place either when the trace
 * tells of no array's places, array and smaller map not when two runs are compared.
 */
struct cm_view_layout cm_view_lay_out(const struct cm_view_model *model,
                                      const struct cm_view_state *state, int w, int h);

#endif
