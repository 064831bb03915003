/*
 * Drawing on a vector target (vector.h), or in software into 32-bit pixels: rectangles, lines,
 * discs, triangles, with the edges smoothed by coverage. Places are in points; the canvas
 * multiplies by its scale. Only + - * / and square roots, so that a picture is the same everywhere.
 *
 * Our own code rather than SDL2_gfx: its primitives go through an SDL_Renderer, a call a pixel for
 * smoothed lines, so the software renderer would not reach 60 frames a second, and the pixels would
 * depend on the renderer.
 */
#ifndef CM_VIZ_DRAW_CANVAS_H
#define CM_VIZ_DRAW_CANVAS_H

#include "layout.h"

struct cm_canvas {
    uint32_t *pixels;
    int w, h, pitch;              /* in pixels */
    int left, top, right, bottom; /* what may be drawn on, in pixels; right and bottom excluded */
    double scale;
    const struct cm_vector *vector; /* draws instead of the pixels; NULL: none */
    enum cm_view_theme theme;       /* of colours that are roles (colours.h) */
};

/* A rectangle in points. */
struct cm_area {
    double x, y, w, h;
};

struct cm_view_target;
struct cm_canvas cm_canvas_of(const struct cm_view_target *target, enum cm_view_theme theme);
/* The canvas, cut to a place. */
struct cm_canvas cm_canvas_clip(const struct cm_canvas *canvas, struct cm_view_rect place);
/* The pixel that a coordinate falls on: edges of rectangles are between whole pixels. */
int cm_canvas_pixel(const struct cm_canvas *canvas, double place);

void cm_canvas_fill(const struct cm_canvas *canvas, double x, double y, double w, double h,
                    uint32_t colour);
/* The same in pixels; no rounding. */
void cm_canvas_fill_pixels(const struct cm_canvas *canvas, int x, int y, int w, int h,
                           uint32_t colour);
/* An outline within the rectangle, `width` points (at least a pixel) wide. */
void cm_canvas_frame(const struct cm_canvas *canvas, struct cm_area area, double width,
                     uint32_t colour);
/* The same in pixels; its sides are drawn even where rounding leaves no width between them. */
void cm_canvas_frame_pixels(const struct cm_canvas *canvas, struct cm_view_rect place, int thick,
                            uint32_t colour);
/* Mixes a colour in; alpha 0..255. */
void cm_canvas_shade(const struct cm_canvas *canvas, struct cm_area area, uint32_t colour,
                     uint32_t alpha);

struct cm_point {
    double x, y;
};
/* `dash` points of line and as much gap, `dash` 0: solid. */
void cm_canvas_line(const struct cm_canvas *canvas, struct cm_point a, struct cm_point b,
                    double width, double dash, uint32_t colour);
void cm_canvas_disc(const struct cm_canvas *canvas, struct cm_point centre, double radius,
                    uint32_t colour);
void cm_canvas_ring(const struct cm_canvas *canvas, struct cm_point centre, double radius,
                    double width, uint32_t colour);
void cm_canvas_triangle(const struct cm_canvas *canvas, struct cm_point a, struct cm_point b,
                        struct cm_point c, uint32_t colour);

/* Mixes a colour, not a role, into a pixel by its coverage, 0..255; for glyphs. */
void cm_canvas_mix(const struct cm_canvas *canvas, int x, int y, uint32_t colour,
                   uint32_t coverage);

#endif
