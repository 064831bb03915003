/*
 * Drawing is a pure function of model, state and size into pixels: the same three give the same
 * picture, with or without a window.
 */
#ifndef CM_VIZ_DRAW_DRAW_H
#define CM_VIZ_DRAW_DRAW_H

#include "../model/model.h"
#include "layout.h"

/* Glyphs of the fonts at one scale, drawn once. */
struct cm_view_fonts;

/*
 * Finds DejaVu Sans and DejaVu Sans Mono, through fontconfig or where Debian puts them, and draws
 * their glyphs for a scale (1, 1.5, 2, ...). CM_IO with a hint when they are missing: package
 * fonts-dejavu-core.
 */
enum cm_status cm_view_fonts_open(double scale, struct cm_view_fonts **fonts, struct cm_error *err);
void cm_view_fonts_close(struct cm_view_fonts *fonts); /* NULL is taken */

/* What keys do, as viz/control/keys.def lists it. */
struct cm_view_key {
    const char *keys;  /* by their names, blanks between */
    const char *shown; /* as the help writes them */
    const char *what;
    bool repeats; /* holding a key down acts again and again */
};

struct cm_vector; /* vector.h */

struct cm_view_target {
    uint32_t *pixels;                  /* 0xAARRGGBB */
    int w, h;                          /* in pixels */
    int pitch;                         /* in pixels, from a row to the next */
    double scale;                      /* pixels a point */
    const struct cm_view_fonts *fonts; /* NULL: no text is drawn */
    const struct cm_view_key *keys;    /* what the help lists */
    uint32_t key_count;
    const struct cm_vector *vector; /* is drawn on instead of the pixels; NULL: none */
};

/* Draws the whole picture. */
void cm_view_draw(const struct cm_view_model *model, const struct cm_view_state *state,
                  const struct cm_view_target *target);

enum cm_view_hit_kind {
    CM_VIEW_HIT_NOTHING,
    CM_VIEW_HIT_MARK,      /* a node or a channel */
    CM_VIEW_HIT_ROW,       /* a row of a list, which names a node or a channel */
    CM_VIEW_HIT_TIME,      /* a cycle on a time strip or the axis */
    CM_VIEW_HIT_PHASE,     /* items of the legend */
    CM_VIEW_HIT_DIMENSION, /* of the legend, or the label of a row of dimension x time */
    CM_VIEW_HIT_SCALE,     /* the colour scale of the legend */
    CM_VIEW_HIT_LAYOUT,    /* the name of a layout, in the machine's panel */
    CM_VIEW_HIT_BUTTON,
    CM_VIEW_HIT_PACKET, /* a row that names a packet */
    CM_VIEW_HIT_HOP,    /* a row of the packet's way: its cycle, and the channel as `mark` */
    CM_VIEW_HIT_LINK,   /* a row of the chain of what was in the way */
    CM_VIEW_HIT_LINE,   /* a line of the program that is stepped through */
};

/* What lies at a pixel. */
struct cm_view_hit {
    enum cm_view_hit_kind kind;
    uint32_t part; /* enum cm_view_panel or cm_view_part; CM_VIEW_PART_COUNT: none */
    uint32_t column;
    struct cm_view_mark mark;
    uint64_t cycle;
    enum cm_trace_phase phase;
    uint32_t dimension;
    enum cm_view_machine machine;
    bool on_cube; /* it is within the cube's view, at a part of its width and height */
    double cube_x, cube_y;
    uint32_t button;
    uint64_t packet;
    uint32_t link; /* as in struct cm_view_walk */
    uint32_t row;  /* of the program's panel */
    bool title;    /* it is a panel's title */
};
/* The key that a button presses; NULL: there is no such button. */
const char *cm_view_button_key(uint32_t button);
/* (x, y) in pixels of the target; its pixels are not read. */
struct cm_view_hit cm_view_hit(const struct cm_view_model *model, const struct cm_view_state *state,
                               const struct cm_view_target *target, int x, int y);

/* A line of text over the picture's foot; "": none. */
void cm_view_draw_status(const char *text, enum cm_view_theme theme,
                         const struct cm_view_target *target);

#endif
