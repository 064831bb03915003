/*
 * Drawing, and the main header of viz/draw/.
 *
 * Drawing turns a model, a state and a target into a picture. It is a pure function: equal
 * arguments give equal pixels, with or without a window. It never changes the state, opens a file
 * or asks a clock.
 *
 * Data: a picture consists of panels and other parts (model/panels.def). Each part is one struct
 * cm_panel with functions that draw it and find the object under a pointer. The layout gives every
 * part a rectangle in points. A point is one pixel at scale 1.
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
 * glyphs for a scale (1, 1.5, 2, ...). Fails with CM_IO and a hint if the fonts are missing, and
 * with CM_NO_MEMORY. */
enum cm_status cm_view_fonts_open(double scale, struct cm_view_fonts **fonts, struct cm_error *err);
void cm_view_fonts_close(struct cm_view_fonts *fonts); /* frees the fonts, which may be NULL */

/* Row of the key table viz/control/keys.def, for the help. */
struct cm_view_key {
    const char *keys;  /* names of the keys, with blanks between them */
    const char *shown; /* names as the help writes them */
    const char *what;
    bool repeats; /* true if the action repeats while the key is held down */
};

struct cm_vector; /* vector.h */

struct cm_view_target {
    uint32_t *pixels;                  /* pixels as 0xAARRGGBB */
    int w, h;                          /* size in pixels */
    int pitch;                         /* pixels from a row to the next */
    double scale;                      /* pixels per point */
    const struct cm_view_fonts *fonts; /* fonts of the scale. NULL: no text is drawn */
    const struct cm_view_key *keys;    /* key table that the help lists */
    uint32_t key_count;
    const struct cm_vector *vector; /* vector target that draws instead of the pixels. NULL: none */
};

/* Draws the whole picture. */
void cm_view_draw(const struct cm_view_model *model, const struct cm_view_state *state,
                  const struct cm_view_target *target);

enum cm_view_hit_kind {
    CM_VIEW_HIT_NOTHING,
    CM_VIEW_HIT_MARK,      /* a node or a channel */
    CM_VIEW_HIT_ROW,       /* row of a list that names a node or a channel */
    CM_VIEW_HIT_TIME,      /* cycle on a time strip or on the axis */
    CM_VIEW_HIT_PHASE,     /* phase in the legend */
    CM_VIEW_HIT_DIMENSION, /* dimension in the legend, or the label of a row in the panel "time" */
    CM_VIEW_HIT_SCALE,     /* colour scale of the legend */
    CM_VIEW_HIT_LAYOUT,    /* name of a layout in the panel "machine" */
    CM_VIEW_HIT_BUTTON,
    CM_VIEW_HIT_PACKET, /* row that names a packet */
    /* row of a hop of the pinned packet, with its cycle, and its channel as `mark` */
    CM_VIEW_HIT_HOP,
    CM_VIEW_HIT_LINK, /* row of a link in the chain of blocking packets */
    CM_VIEW_HIT_LINE, /* source line in the panel "program" */
};

/* Object at a pixel. */
struct cm_view_hit {
    enum cm_view_hit_kind kind;
    uint32_t part; /* value of cm_view_panel or cm_view_part. CM_VIEW_PART_COUNT: none */
    uint32_t column;
    struct cm_view_mark mark;
    uint64_t cycle;
    enum cm_trace_phase phase;
    uint32_t dimension;
    enum cm_view_machine machine;
    /* true if the pixel is in the view of the cube, at (cube_x, cube_y) in fractions of the view */
    bool on_cube;
    double cube_x, cube_y;
    uint32_t button;
    uint64_t packet;
    uint32_t link; /* number of the link, as in struct cm_view_walk */
    uint32_t row;  /* row of the panel "program" */
    bool title;    /* true if the pixel is on a panel's title */
};
/* Returns the key that a button presses, or NULL if there is no such button. */
const char *cm_view_button_key(uint32_t button);
/* Returns the object at the pixel (x, y) of the target. Reads no pixels. */
struct cm_view_hit cm_view_hit(const struct cm_view_model *model, const struct cm_view_state *state,
                               const struct cm_view_target *target, int x, int y);

/* Draws a line of text at the bottom of the picture, or nothing if the text is empty. */
void cm_view_draw_status(const char *text, enum cm_view_theme theme,
                         const struct cm_view_target *target);

#endif
