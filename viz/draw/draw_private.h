/* Declarations that the panels share: struct cm_panel, the frame that is being drawn, and the
 * geometry for drawing and hit tests. */
#ifndef CM_VIZ_DRAW_DRAW_PRIVATE_H
#define CM_VIZ_DRAW_DRAW_PRIVATE_H

#include "colours.h"
#include "draw.h"
#include "label.h"

#include "../../report/numbers.h"

struct cm_frame;

/* Regions of the picture, from the outside in. */
enum cm_region {
    CM_REGION_NONE,
    CM_REGION_TOP, /* at the top, over the whole width */
    CM_REGION_BOTTOM,
    CM_REGION_SIDE, /* column at the right */
    /* The remaining regions divide the left column, from the bottom up. With two runs, each run and
     * the difference have such a column. */
    CM_REGION_FOOT,
    CM_REGION_AXIS,
    CM_REGION_STRIPS, /* strips over time */
    CM_REGION_BRIEF,
    CM_REGION_MAPS, /* maps side by side, in the remaining room */
};

/* Values that the height of a panel may depend on. */
struct cm_room {
    int w, h;   /* size of the picture in points */
    int column; /* height of the column in points. 0: the caller asks for the least height */
    int dimensions;
    bool compare;
};

#define CM_TITLE_HEIGHT 20 /* height of a panel's title in points */
#define CM_YIELD_LAST   9

/* Panel, or another part of the picture. Its name is in model/panels.def. */
struct cm_panel {
    const char *title;
    /* texts of the panel's tip: a sentence, and keys with blanks between them */
    const char *about, *keys;
    enum cm_region region, compared; /* region with one run, and with two runs */
    int height;                      /* height in points. Maps have no height */
    /* computes the height. NULL: `height` is constant */
    int (*height_in)(const struct cm_room *room);
    /* true if the panel takes the remaining height of the right column, or half of it */
    bool fills, grows;
    /* weight of a map's width, for up to CM_VIEW_CUBE_NODES nodes, and for more nodes */
    int share[2];
    /* Order in which panels are left out if the picture is too small, from 1. 0: the panel is never
     * left out. Of the maps, the smaller one is left out. */
    int yields;
    const struct cm_panel *with; /* panel that this part belongs to and is left out with, or NULL */
    /* Returns true if the panel has something to show. NULL: always. */
    bool (*is_wanted)(const struct cm_view_model *model, const struct cm_view_state *state);
    void (*draw)(const struct cm_frame *frame);
    /* Finds the object at a place. NULL: the panel has no objects. */
    void (*hit)(const struct cm_frame *frame, double x, double y, struct cm_view_hit *hit);
};
extern const struct cm_panel *const cm_panels[CM_VIEW_PART_COUNT];
#define CM_VIEW_PANEL(symbol, name) extern const struct cm_panel cm_panel_##name;
#define CM_VIEW_PART(symbol, name)  extern const struct cm_panel cm_panel_##name;
#include "../model/panels.def"

struct cm_frame {
    const struct cm_view_model *model;
    const struct cm_view_state *state;
    const struct cm_view_target *target;
    struct cm_canvas canvas;
    struct cm_label label;
    struct cm_view_layout layout;
    /* Cycles of the column's run: the interval (cm_view_interval), the time axis and the cursor.
     * `minus_first` and `minus_end` are the interval of the run that a difference subtracts. */
    uint64_t first, end, axis_first, axis_end, cursor, minus_first, minus_end;
    /* The current panel. */
    const struct cm_panel *panel;
    /* whole rectangle of the panel, and the rectangle without title and edges */
    struct cm_view_rect place, inside;
    uint32_t column;
    const struct cm_view_run *run; /* run of the column */
    /* true if the column shows the second run minus the first. `run` is the second run then */
    bool difference;
};

/* Draws small text (CM_LABEL_SMALL). Returns the width drawn. */
double cm_text(const struct cm_frame *frame, struct cm_text_place place, uint32_t colour,
               const char *format, ...) CM_PRINTF(4, 5);

/* Formats a fraction as a percentage, such as "15.6 %". */
struct cm_formatted cm_percent_of(double part);

/* Draws the background, the frame and the title of the panel. */
void cm_frame_panel(const struct cm_frame *frame, const char *format, ...) CM_PRINTF(2, 3);
/* Returns the name of the column before the title, such as "A  ", or "" with one run. */
const char *cm_frame_column_name(const struct cm_frame *frame);
/* Returns true if the channels of the two runs can be subtracted: both machines have the same nodes
 * and channels. */
bool cm_frame_comparable(const struct cm_frame *frame);
/* Draws a notice and returns true if the column is a difference of runs that are not comparable. */
bool cm_frame_say_incomparable(const struct cm_frame *frame);

/* Values behind the colours of channels or nodes over the interval. The values are fractions of the
 * interval, or counts. */
struct cm_shares {
    /* values, and the values that a difference subtracts. `minus` is NULL without a difference */
    const uint64_t *busy, *minus;
    double length, minus_length; /* divisors that turn values into shares. 1 for counts */
    double top;                  /* top of the colour scale */
    bool counts;
};
struct cm_shares cm_frame_channels(const struct cm_frame *frame);
struct cm_shares cm_frame_nodes(const struct cm_frame *frame);
double cm_share(const struct cm_shares *shares, uint32_t index);
/* Returns the colour of a busy fraction or of a difference of fractions. Returns 0 if the channel
 * is idle, or if there is no difference. */
uint32_t cm_frame_colour(const struct cm_frame *frame, double share);
/* Returns the colour of a share on the scale of `shares`. */
uint32_t cm_frame_colour_of(const struct cm_frame *frame, const struct cm_shares *shares,
                            double share);
/* Formats the share of a node with its unit, such as "67 %" or "1,024". A difference has a sign. */
struct cm_formatted cm_frame_load_text(const struct cm_frame *frame, const struct cm_shares *shares,
                                       double share);
/* Meaning of the nodes' colours, such as "words sent" or "dimension 3, busy part". */
struct cm_load_title {
    char text[64];
};
struct cm_load_title cm_frame_load_title(const struct cm_frame *frame);

/* Returns the node that is pinned or pointed at, or the node of such a channel. Returns
 * CM_TRACE_NONE if there is no such node. */
uint32_t cm_frame_node(const struct cm_frame *frame);
/* Returns the pinned node, or the node of the pinned channel. Returns CM_TRACE_NONE if nothing is
 * pinned. */
uint32_t cm_frame_pinned_node(const struct cm_frame *frame);
bool cm_frame_is_subject(const struct cm_frame *frame, enum cm_view_mark_kind kind, uint32_t index);

/* Stores a node or channel of the frame's run in the hit. */
void cm_frame_mark(const struct cm_frame *frame, enum cm_view_mark_kind kind, uint32_t index,
                   struct cm_view_hit *hit);
bool cm_rect_has(struct cm_view_rect place, double x, double y);

/* Table of cells of equal size. */
struct cm_cells {
    double x, y, w, h; /* rectangle of all cells */
    uint32_t columns, rows;
};
/* Finds the cell of a table at a place. Returns false if there is no cell. */
bool cm_cells_at(const struct cm_cells *cells, double x, double y, uint32_t *column, uint32_t *row);

/* Time strip, and the conversion from a cycle to an x coordinate. */
struct cm_strip {
    double x, w;
    uint64_t first, end;
};
struct cm_strip cm_frame_strip(const struct cm_frame *frame);
double cm_strip_x(const struct cm_strip *strip, uint64_t cycle);
/* Returns the number of pixel columns of a strip. Sets *first to the first column. */
uint32_t cm_strip_columns(const struct cm_frame *frame, const struct cm_strip *strip, int *first);
/* Draws the cursor and the edges of the interval over the panel's strip. */
void cm_frame_cursor(const struct cm_frame *frame, double top, double bottom);
/* Finds the cycle at a place, for a panel that is one strip over its whole height. */
void cm_hit_strip(const struct cm_frame *frame, double x, double y, struct cm_view_hit *hit);

/* Fills a rectangle of pixels with the colour and the hatching of a phase. Defined in hatch.c. */
void cm_fill_phase(const struct cm_canvas *canvas, struct cm_view_rect place,
                   enum cm_trace_phase phase);

/* Returns the rectangle of a button in the part "caption". Its width is 0 if the button has no
 * room. */
struct cm_view_rect cm_button_place(struct cm_view_rect place, uint32_t button);
/* Draws the tip of the button or the panel title under the pointer. */
void cm_draw_tip(const struct cm_frame *frame);
void cm_draw_help(const struct cm_frame *frame);
/* Draws the readout of the time strip under the pointer, in words and numbers. */
void cm_draw_readout(const struct cm_frame *frame);
/* Formats the time of some cycles for people, such as "614.5 us". */
struct cm_formatted cm_time_of(uint64_t cycles, uint64_t clock_hz);

#endif
