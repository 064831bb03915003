/* What the panels share: the frame that is being drawn, and the geometry that drawing and hit tests
 * agree on. */
#ifndef CM_VIZ_DRAW_DRAW_PRIVATE_H
#define CM_VIZ_DRAW_DRAW_PRIVATE_H

#include "colours.h"
#include "draw.h"
#include "label.h"

struct cm_frame {
    const struct cm_view_model *model;
    const struct cm_view_state *state;
    const struct cm_view_target *target;
    struct cm_canvas canvas;
    struct cm_label label;
    struct cm_view_layout layout;
    uint64_t first, end; /* cm_view_interval */
};

/* `label` points into the frame, which must not move. */
void cm_frame_begin(struct cm_frame *frame, const struct cm_view_model *model,
                    const struct cm_view_state *state, const struct cm_view_target *target);

/* The run of a column; the difference (column 2) is that of the second run less the first. */
const struct cm_view_run *cm_frame_run(const struct cm_frame *frame, uint32_t column);
bool cm_frame_is_difference(const struct cm_frame *frame, uint32_t column);
/* Whether the runs' channels can be set against each other: the same machine. */
bool cm_frame_comparable(const struct cm_frame *frame);
/* In a panel of the difference of runs that are not. */
void cm_frame_say_incomparable(const struct cm_frame *frame, struct cm_view_rect place);
/* Of the run that is shown, or of the larger machine of two. */
uint32_t cm_frame_dimensions(const struct cm_frame *frame);

/* Busy parts of channels, or of nodes (their busiest channel), of a column over an interval. */
struct cm_shares {
    const uint64_t *busy, *minus; /* minus: NULL unless a difference */
    double length;
};
struct cm_shares cm_frame_channels(const struct cm_frame *frame, uint32_t column);
struct cm_shares cm_frame_nodes(const struct cm_frame *frame, uint32_t column);
double cm_share(const struct cm_shares *shares, uint32_t index);
/* The colour of a busy part, or of a difference; 0 when it is idle, or no different. */
uint32_t cm_frame_colour(const struct cm_frame *frame, uint32_t column, double share);

/* Ground, frame and title of a panel; returns what is left of it. */
struct cm_view_rect cm_frame_panel(const struct cm_frame *frame, struct cm_view_rect place,
                                   enum cm_view_panel panel, const char *title);
struct cm_view_rect cm_panel_inside(struct cm_view_rect place);
/* "pshift: " and the like before a panel's title when runs are compared; "" otherwise. */
const char *cm_frame_column_name(const struct cm_frame *frame, uint32_t column);

/* Time strips. x of a cycle, and the cycle at an x. */
struct cm_strip {
    double x, w;
    uint64_t first, end;
};
struct cm_strip cm_frame_strip(const struct cm_frame *frame, struct cm_view_rect place);
double cm_strip_x(const struct cm_strip *strip, uint64_t cycle);
uint64_t cm_strip_cycle(const struct cm_strip *strip, double x);
/* Pixel columns of a strip. */
uint32_t cm_strip_columns(const struct cm_frame *frame, const struct cm_strip *strip, int *first);
/* The cursor, and the edges of the interval, over a strip. */
void cm_frame_cursor(const struct cm_frame *frame, struct cm_view_rect place, double top,
                     double bottom);

/* The rows of dimension x time within its panel. */
double cm_time_row(const struct cm_frame *frame, struct cm_view_rect place, uint32_t dimension,
                   double *height);

/* The machine's grid and heat map. */
struct cm_cells {
    double x, y, w, h; /* of all cells */
    uint32_t columns, rows;
};
struct cm_cells cm_machine_grid(const struct cm_frame *frame, uint32_t column);
struct cm_cells cm_machine_heat(const struct cm_frame *frame, uint32_t column);
struct cm_view_rect cm_machine_tab(struct cm_view_rect place, enum cm_view_machine layout);
/* The node of a heat map's column, and how many nodes share one. */
uint32_t cm_heat_node(const struct cm_view_run *run, const struct cm_cells *cells, uint32_t column);

/* The cube: nodes from `base` on, where they lie, and the lanes of their channels. */
struct cm_cube {
    struct cm_view_rect inside;
    uint32_t base, count, dimensions; /* dimensions drawn, at most six */
    uint32_t columns, rows;           /* of the grid; 0: oblique */
    double pitch_x, pitch_y, x, y;    /* of node 0's centre */
    double box_w, box_h;              /* of a node */
    double lane;                      /* from a channel's line to the next */
};
struct cm_cube cm_cube_of(const struct cm_frame *frame, uint32_t column);
struct cm_point cm_cube_node(const struct cm_cube *cube, uint32_t node);
/* The way of a channel's line, 2 points or 4; the last is where the words arrive. */
uint32_t cm_cube_lane(const struct cm_cube *cube, uint32_t node, uint32_t dimension,
                      uint32_t channel, uint32_t channels, struct cm_point way[4]);

/* Items of the legend. */
struct cm_view_rect cm_legend_scale(struct cm_view_rect place);
struct cm_view_rect cm_legend_phase(struct cm_view_rect place, uint32_t phase);
struct cm_view_rect cm_legend_dimension(struct cm_view_rect place, uint32_t dimension);

/* Where an array's elements lie in its panel. */
struct cm_cells cm_array_cells(const struct cm_frame *frame, uint32_t column);

void cm_draw_cube(const struct cm_frame *frame, uint32_t column);
void cm_draw_machine(const struct cm_frame *frame, uint32_t column);
void cm_draw_time(const struct cm_frame *frame, uint32_t column);
void cm_draw_phases(const struct cm_frame *frame, uint32_t column);
void cm_draw_causes(const struct cm_frame *frame, uint32_t column);
void cm_draw_array(const struct cm_frame *frame, uint32_t column);
void cm_draw_inspector(const struct cm_frame *frame, uint32_t column);
void cm_draw_brief(const struct cm_frame *frame,
                   uint32_t column); /* the inspector when comparing */
void cm_draw_legend(const struct cm_frame *frame);
void cm_draw_header(const struct cm_frame *frame);
void cm_draw_notice(const struct cm_frame *frame);
void cm_draw_axis(const struct cm_frame *frame, uint32_t column);
void cm_draw_help(const struct cm_frame *frame);

#endif
