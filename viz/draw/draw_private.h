/* What the panels share: what a panel is, the frame that is being drawn, and the geometry that
 * drawing and hit tests agree on. */
#ifndef CM_VIZ_DRAW_DRAW_PRIVATE_H
#define CM_VIZ_DRAW_DRAW_PRIVATE_H

#include "colours.h"
#include "draw.h"
#include "label.h"

#include "../../report/numbers.h"

struct cm_frame;

/* The regions of the picture, from the outside in. */
enum cm_region {
    CM_REGION_NONE,
    CM_REGION_TOP, /* over the whole width */
    CM_REGION_BOTTOM,
    CM_REGION_SIDE, /* a column at the right */
    /* The other column, or a column for each run and the difference; from the bottom up. */
    CM_REGION_FOOT,
    CM_REGION_AXIS,
    CM_REGION_STRIPS, /* over time */
    CM_REGION_BRIEF,
    CM_REGION_MAPS, /* side by side in what is left */
};

/* What the height of a panel may depend on. */
struct cm_room {
    int w, h;   /* of the picture */
    int column; /* height of the column; 0: the least height of the panel is asked for */
    int dimensions;
    bool compare;
};

#define CM_TITLE_HEIGHT 20 /* of a panel */
#define CM_YIELD_LAST   9

/* A panel or another part of the picture; its name is in model/panels.def. */
struct cm_panel {
    const char *title;
    const char *about, *keys;        /* of its tip: a sentence, and keys with blanks between */
    enum cm_region region, compared; /* where it lies; where when two runs are compared */
    int height;                      /* points; none for maps */
    int (*height_in)(const struct cm_room *room); /* NULL: it is always the same */
    bool fills, grows; /* at the side: takes all that is left, takes half of it */
    int share[2];      /* of a map, in the width: up to CM_VIEW_CUBE_NODES nodes, beyond */
    /* Without room for all the lowest number yields first, from 1; of maps, the smaller one. */
    int yields;
    const struct cm_panel *with; /* the panel that it belongs to: they yield together; or NULL */
    /* Whether there is anything to show; NULL: always. */
    bool (*is_wanted)(const struct cm_view_model *model, const struct cm_view_state *state);
    void (*draw)(const struct cm_frame *frame);
    /* What lies at a place; NULL: nothing to point at. */
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
    /* Cycles of the column's run: cm_view_interval, the axis, the cursor; and the interval in the
     * first run, which a difference subtracts. */
    uint64_t first, end, axis_first, axis_end, cursor, minus_first, minus_end;
    /* The panel that is being drawn or pointed at. */
    const struct cm_panel *panel;
    struct cm_view_rect place, inside; /* all of it; without title and edges */
    uint32_t column;
    const struct cm_view_run *run; /* of its column */
    bool difference;               /* of the second run less the first; `run` is the second */
};

/* Draws small text (CM_LABEL_SMALL). Returns the width drawn. */
double cm_text(const struct cm_frame *frame, struct cm_text_place place, uint32_t colour,
               const char *format, ...) CM_PRINTF(4, 5);

/* A part as "15.6 %", "0.03 %". */
struct cm_formatted cm_percent_of(double part);

/* Ground, frame and title of the panel. */
void cm_frame_panel(const struct cm_frame *frame, const char *format, ...) CM_PRINTF(2, 3);
/* "A  " and the like before a panel's title when runs are compared; "" otherwise. */
const char *cm_frame_column_name(const struct cm_frame *frame);
/* Whether the runs' channels can be subtracted from each other: the same machine. */
bool cm_frame_comparable(const struct cm_frame *frame);
/* In a column of the difference of runs that are not comparable: says so, and returns true. */
bool cm_frame_say_incomparable(const struct cm_frame *frame);

/* Busy parts of channels over the interval, or what the state says of nodes: parts or counts. */
struct cm_shares {
    const uint64_t *busy, *minus; /* minus: NULL unless a difference */
    double length, minus_length;  /* the whole of a part; 1 of counts */
    double top;                   /* of the colour scale */
    bool counts;
};
struct cm_shares cm_frame_channels(const struct cm_frame *frame);
struct cm_shares cm_frame_nodes(const struct cm_frame *frame);
double cm_share(const struct cm_shares *shares, uint32_t index);
/* The colour of a busy part, or of a difference; 0 when it is idle, or there is no difference. */
uint32_t cm_frame_colour(const struct cm_frame *frame, double share);
/* The same on the scale of the shares. */
uint32_t cm_frame_colour_of(const struct cm_frame *frame, const struct cm_shares *shares,
                            double share);
/* A share of nodes with its unit: "67 %", "1,024"; a difference has a sign. */
struct cm_formatted cm_frame_load_text(const struct cm_frame *frame, const struct cm_shares *shares,
                                       double share);
/* What the colours of nodes tell: "words sent", "dimension 3, busy part". */
struct cm_load_title {
    char text[64];
};
struct cm_load_title cm_frame_load_title(const struct cm_frame *frame);

/* The node that is pinned or pointed at, or whose channel is; CM_TRACE_NONE: none. */
uint32_t cm_frame_node(const struct cm_frame *frame);
/* The node that is pinned, or whose channel is; CM_TRACE_NONE: none. */
uint32_t cm_frame_pinned_node(const struct cm_frame *frame);
bool cm_frame_is_subject(const struct cm_frame *frame, enum cm_view_mark_kind kind, uint32_t index);

/* The pointer is on a node or channel of the frame's run. */
void cm_frame_mark(const struct cm_frame *frame, enum cm_view_mark_kind kind, uint32_t index,
                   struct cm_view_hit *hit);
bool cm_rect_has(struct cm_view_rect place, double x, double y);

/* A table of cells, all alike. */
struct cm_cells {
    double x, y, w, h; /* of all cells */
    uint32_t columns, rows;
};
/* Which cell of a table lies at a place; false: none. */
bool cm_cells_at(const struct cm_cells *cells, double x, double y, uint32_t *column, uint32_t *row);

/* Time strips. x of a cycle, and the cycle at an x. */
struct cm_strip {
    double x, w;
    uint64_t first, end;
};
struct cm_strip cm_frame_strip(const struct cm_frame *frame);
double cm_strip_x(const struct cm_strip *strip, uint64_t cycle);
/* Pixel columns of a strip. */
uint32_t cm_strip_columns(const struct cm_frame *frame, const struct cm_strip *strip, int *first);
/* The cursor, and the edges of the interval, over the panel's strip. */
void cm_frame_cursor(const struct cm_frame *frame, double top, double bottom);
/* The hit of a panel that is a strip over all of its height. */
void cm_hit_strip(const struct cm_frame *frame, double x, double y, struct cm_view_hit *hit);

/* hatch.c: a rectangle in pixels in a phase's colour and hatching. */
void cm_fill_phase(const struct cm_canvas *canvas, struct cm_view_rect place,
                   enum cm_trace_phase phase);

/* Where a button lies in the part "caption"; w == 0: nowhere. */
struct cm_view_rect cm_button_place(struct cm_view_rect place, uint32_t button);
/* The tip of a button, or of the panel whose title is pointed at. */
void cm_draw_tip(const struct cm_frame *frame);
void cm_draw_help(const struct cm_frame *frame);
/* What lies under the pointer on a time strip, in words and numbers; of the strip's panel. */
void cm_draw_readout(const struct cm_frame *frame);
/* A time as people read it: "614.5 us" of cycles and clock. */
struct cm_formatted cm_time_of(uint64_t cycles, uint64_t clock_hz);

#endif
