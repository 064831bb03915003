/*
 * Drawing, and the main header of viz/draw/.
 *
 * This room draws the picture of a state of the viewer. Drawing is a pure function: equal arguments
 * give equal pixels, with or without a window. It never changes the state, opens a file or asks a
 * clock.
 *
 * Data: a picture consists of panels and other parts (model/panels.def). Each part is one struct
 * cm_panel with functions that draw the part and find the object under the pointer. The layout
 * gives every part a rectangle in points. A point is one pixel at scale 1.
 *
 * Invariants: drawing and hit tests use the same geometry, so a click hits what is drawn. A hit
 * test reads no pixels. Equal trace, state and size give equal pictures on every host.
 *
 * Files:
 *   draw.c          the whole picture, and the object at a pixel
 *   layout.c        rectangles of the parts
 *   panel_*.c       panels: cube, machine, time, packets, phases, array, matrix, ...
 *   part_*.c        other parts: header, axis, legend, causes, caption, tour
 *   frame.c, loads.c, hatch.c, readout.c, tip.c   shared by the panels
 *   callout.c       labels of the busiest channel and the hot spot
 *   canvas.c, svg.c                               shapes as pixels, or as SVG
 *   label.c, fonts.c                              text
 *   colours.c, colour_*.def                       colours
 */
#ifndef CM_VIZ_DRAW_DRAW_H
#define CM_VIZ_DRAW_DRAW_H

#include "../model/model.h"
#include "layout.h"

/* Glyphs of the fonts at one scale. */
struct cm_view_fonts;

/* Finds DejaVu Sans and DejaVu Sans Mono, by fontconfig or in the usual folders, and draws their
 * glyphs for a scale (pixels per point: 1, 1.5, 2, ...). Fails with CM_IO and a hint if the fonts
 * are missing, and with CM_NO_MEMORY if memory runs out. */
enum cm_status cm_view_fonts_open(double scale, struct cm_view_fonts **fonts, struct cm_error *err);
void cm_view_fonts_close(struct cm_view_fonts *fonts); /* frees the fonts, which may be NULL */

/* Row of the key table viz/control/keys.def, as the list of keys in the picture shows it. */
struct cm_view_key {
    const char *keys;  /* names of the keys, separated by blanks */
    const char *shown; /* names as the help writes them */
    const char *what;
    bool repeats; /* true if the action repeats while the key is held down */
};

struct cm_vector; /* vector.h */

struct cm_view_target {
    uint32_t *pixels; /* pixels as 0xAARRGGBB */
    int w, h;         /* size in pixels */
    /* number of pixels from the start of a row to the start of the next */
    int pitch;
    double scale;                      /* pixels per point */
    const struct cm_view_fonts *fonts; /* fonts for this scale. NULL: no text is drawn */
    const struct cm_view_key *keys;    /* key table, which the picture can show as a list */
    uint32_t key_count;
    /* vector target that draws instead of the pixels. NULL: pixels are drawn */
    const struct cm_vector *vector;
};

/* Draws the whole picture. */
void cm_view_draw(const struct cm_view_model *model, const struct cm_view_state *state,
                  const struct cm_view_target *target);

enum cm_view_hit_kind {
    CM_VIEW_HIT_NOTHING,
    CM_VIEW_HIT_MARK,      /* node or channel in a picture */
    CM_VIEW_HIT_ROW,       /* row of a list that names a node or channel */
    CM_VIEW_HIT_TIME,      /* cycle on a time strip or on the time axis */
    CM_VIEW_HIT_PHASE,     /* phase in the legend */
    CM_VIEW_HIT_DIMENSION, /* dimension in the legend, or label of a row in the panel "time" */
    CM_VIEW_HIT_SCALE,     /* colour scale of the legend */
    CM_VIEW_HIT_LAYOUT,    /* name of a layout in the panel "machine" */
    CM_VIEW_HIT_BUTTON,
    CM_VIEW_HIT_PACKET, /* row of a list that names a packet */
    /* row for a hop of the pinned packet. The hit has the cycle of the hop, and as `mark` the
     * channel of the hop */
    CM_VIEW_HIT_HOP,
    CM_VIEW_HIT_LINK, /* row for a link of the chain of blocking packets */
    CM_VIEW_HIT_LINE, /* source line in the panel "program" */
};

/* Object at a pixel of the picture. */
struct cm_view_hit {
    enum cm_view_hit_kind kind;
    /* value of cm_view_panel or cm_view_part. CM_VIEW_PART_COUNT: outside all parts */
    uint32_t part;
    uint32_t column;
    struct cm_view_mark mark;
    uint64_t cycle;
    enum cm_trace_phase phase;
    uint32_t dimension;
    enum cm_view_machine machine;
    /* true if the pixel is in the panel "cube", where it has the position (cube_x, cube_y) in
     * fractions of the panel */
    bool on_cube;
    double cube_x, cube_y;
    uint32_t button;
    uint64_t packet;
    uint32_t link; /* number of the link, counted as in struct cm_view_walk */
    uint32_t row;  /* row of the panel "program" */
    bool title;    /* true if the pixel is on a panel's title */
};
/* Returns the name of the key that a button presses, or NULL if there is no such button. */
const char *cm_view_button_key(uint32_t button);
/* Returns the object at the pixel (x, y) of the target. Does not read the target's pixels. */
struct cm_view_hit cm_view_hit(const struct cm_view_model *model, const struct cm_view_state *state,
                               const struct cm_view_target *target, int x, int y);

/* Returns the number of pages that the list of keys takes in a picture. */
uint32_t cm_view_help_pages(const struct cm_view_target *target);

/* Draws a caption in a strip of CM_VIEW_CAPTION_HEIGHT points at the bottom of the target, over its
 * whole width. */
#define CM_VIEW_CAPTION_HEIGHT 26
void cm_view_draw_caption(const char *text, enum cm_view_theme theme,
                          const struct cm_view_target *target);

/* Draws a message at the bottom of the picture. Draws nothing if the text is empty. */
void cm_view_draw_status(const char *text, enum cm_view_theme theme,
                         const struct cm_view_target *target);

#endif
