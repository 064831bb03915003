/* Declarations that the panels share: struct cm_panel, struct cm_frame (the column of the picture
 * that is being drawn), and the geometry that drawing and hit tests use. */
#ifndef CM_VIZ_DRAW_DRAW_PRIVATE_H
#define CM_VIZ_DRAW_DRAW_PRIVATE_H

#include "colours.h"
#include "draw.h"
#include "label.h"

#include "../../report/numbers.h"

struct cm_frame;

/* Regions of the picture in which panels are placed, from the outside in. */
enum cm_region {
    CM_REGION_NONE,
    CM_REGION_TOP, /* at the top, over the whole width */
    CM_REGION_BOTTOM,
    CM_REGION_SIDE, /* column at the right */
    /* The remaining regions divide the column at the left, from the bottom up. With two runs there
     * are three such columns: one for each run and one for the difference. */
    CM_REGION_FOOT,
    CM_REGION_AXIS,
    CM_REGION_STRIPS, /* panels over time, one above the other */
    CM_REGION_BRIEF,
    CM_REGION_MAPS, /* maps side by side, in the room that the other regions leave */
};

/* Values on which the height of a panel may depend. */
struct cm_room {
    int w, h; /* size of the whole picture in points */
    /* height of the panel's column in points. 0: the caller asks for the panel's least height */
    int column;
    int dimensions;
    bool compare;
};

#define CM_TITLE_HEIGHT 20 /* height of a panel's title in points */
#define CM_YIELD_LAST   9

/* Panel, or another part of the picture. Its name is in model/panels.def. */
struct cm_panel {
    const char *title;
    /* texts of the panel's tip: a sentence, and the names of keys, separated by blanks */
    const char *about, *keys;
    /* region of the panel if one run is shown, and if two runs are compared */
    enum cm_region region, compared;
    /* height in points. 0 for maps, which fill the room that is left */
    int height;
    /* function that computes the height in points. NULL: `height` is constant */
    int (*height_in)(const struct cm_room *room);
    /* `fills`: true if the panel takes all height that is left in the right column. `grows`: half
     * of it */
    bool fills, grows;
    /* true if a plain picture of two runs leaves the panel out while nothing is pinned */
    bool describes_pin;
    /* weight of a map's share of the width: in runs of at most CM_VIEW_CUBE_NODES nodes, and in
     * larger runs */
    int share[2];
    /* Turn, from 1, in which the panel is left out if the picture is too small. 0: never. The map
     * with the largest share always stays. */
    int yields;
    /* panel to which this part belongs, and with which it is left out. NULL: no panel */
    const struct cm_panel *with;
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

/* Cycles of a run: the interval (cm_view_interval), the interval of the time axis, and the cursor.
 * If two runs are aligned by steps, each run has its own cycles, and axes of equal length. */
struct cm_times {
    uint64_t first, end, axis_first, axis_end, cursor;
};

struct cm_frame {
    const struct cm_view_model *model;
    const struct cm_view_state *state;
    const struct cm_view_target *target;
    struct cm_canvas canvas;
    struct cm_label label;
    struct cm_view_layout layout;
    /* The same cycles in the time of the column's run, as in `times`, and the times of each run. */
    uint64_t first, end, axis_first, axis_end, cursor;
    struct cm_times times[CM_VIEW_RUNS_MAX];
    /* busy fraction at which the colour scale of the maps ends, in all columns */
    double top;
    /* The panel that is being drawn. */
    const struct cm_panel *panel;
    /* rectangle of the panel, and its part without title and edges */
    struct cm_view_rect place, inside;
    uint32_t column;
    const struct cm_view_run *run; /* run of the column */
    /* true if the column shows the second run minus the first. `run` is the second run in this
     * case */
    bool difference;
};

/* Draws text in the style CM_LABEL_SMALL. Returns the width drawn in points. */
double cm_text(const struct cm_frame *frame, struct cm_text_place place, uint32_t colour,
               const char *format, ...) CM_PRINTF(4, 5);

/* Formats a fraction as a percentage, such as "15.6 %". */
struct cm_formatted cm_percent_of(double part);

/* Draws the background, the frame and the title of the current panel. */
void cm_frame_panel(const struct cm_frame *frame, const char *format, ...) CM_PRINTF(2, 3);
/* Returns the name of the column, such as "A  ", which precedes the panel's title. Returns "" if
 * one run is shown. */
const char *cm_frame_column_name(const struct cm_frame *frame);
/* Returns true if the picture can subtract the channels of the two runs: both machines have as many
 * nodes and channels. */
bool cm_frame_comparable(const struct cm_frame *frame);
/* Draws a notice and returns true if the column shows the difference of two runs that cannot be
 * subtracted. */
bool cm_frame_say_incomparable(const struct cm_frame *frame);

/* Values behind the colours of channels or nodes over an interval: busy cycles or counts. Divided
 * by `length` they are called shares. */
struct cm_shares {
    /* value of each channel or node, and the values that a difference subtracts (NULL: no
     * difference) */
    const uint64_t *busy, *minus;
    double length, minus_length; /* divisors that turn values into shares. 1 for counts */
    double top;                  /* top of the colour scale */
    bool counts;
};
struct cm_shares cm_frame_channels(const struct cm_frame *frame);
struct cm_shares cm_frame_nodes(const struct cm_frame *frame);
double cm_share(const struct cm_shares *shares, uint32_t index);
/* Returns the colour of a channel's busy fraction, or of a difference of fractions. Returns 0 if
 * the fraction or difference is 0. */
uint32_t cm_frame_colour(const struct cm_frame *frame, double share);
/* Returns the same on a colour scale that ends at `top`. */
uint32_t cm_frame_colour_to(const struct cm_frame *frame, double share, double top);
/* Returns the colour of a share on the colour scale of `shares`. */
uint32_t cm_frame_colour_of(const struct cm_frame *frame, const struct cm_shares *shares,
                            double share);
/* Formats a node's share with its unit, such as "67 %", or a count such as "1,024". A difference
 * has a sign. */
struct cm_formatted cm_frame_load_text(const struct cm_frame *frame, const struct cm_shares *shares,
                                       double share);
/* Meaning of the nodes' colours, such as "words sent" or "dimension 3, busy part". */
struct cm_load_title {
    char text[64];
};
struct cm_load_title cm_frame_load_title(const struct cm_frame *frame);

/* Returns the node that is pinned or under the pointer, or the node from which a pinned or pointed
 * channel leads. Returns CM_TRACE_NONE if there is no such node. */
uint32_t cm_frame_node(const struct cm_frame *frame);
/* Returns the pinned node, or the node from which the pinned channel leads. Returns CM_TRACE_NONE
 * if nothing is pinned. */
uint32_t cm_frame_pinned_node(const struct cm_frame *frame);
bool cm_frame_is_subject(const struct cm_frame *frame, enum cm_view_mark_kind kind, uint32_t index);

/* Stores a node or channel of the frame's run in `hit`, as the object under the pointer. */
void cm_frame_mark(const struct cm_frame *frame, enum cm_view_mark_kind kind, uint32_t index,
                   struct cm_view_hit *hit);
bool cm_rect_has(struct cm_view_rect place, double x, double y);

/* Table of cells of equal size. */
struct cm_cells {
    double x, y, w, h; /* rectangle of all cells */
    uint32_t columns, rows;
};
/* Finds the column and row of the cell at a place. Returns false if there is no cell. */
bool cm_cells_at(const struct cm_cells *cells, double x, double y, uint32_t *column, uint32_t *row);

/* Returns the distance between ticks: the least number 1, 2 or 5 times a power of ten that gives at
 * most `count` ticks over `length`. `count` is at least 1. */
uint64_t cm_tick_step(uint64_t length, uint64_t count);

/* Time strip: the rectangle's left edge and width in points, and the interval of cycles that it
 * shows. */
struct cm_strip {
    double x, w;
    uint64_t first, end;
};
struct cm_strip cm_frame_strip(const struct cm_frame *frame);
double cm_strip_x(const struct cm_strip *strip, uint64_t cycle);
/* Returns the number of pixel columns of a strip. Sets *first to the x coordinate of the first
 * one. */
uint32_t cm_strip_columns(const struct cm_frame *frame, const struct cm_strip *strip, int *first);
/* Draws the cursor and the edges of the interval over the strip of the current panel. */
void cm_frame_cursor(const struct cm_frame *frame, double top, double bottom);
/* Finds the cycle at a place, for a panel that consists of one strip over its whole height. */
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
/* Draws the box with cycle, phase and loads at the pointer, if the pointer is on a time strip. */
void cm_draw_readout(const struct cm_frame *frame);
/* Formats a number of cycles as a time, such as "614.5 us". */
struct cm_formatted cm_time_of(uint64_t cycles, uint64_t clock_hz);

#endif
