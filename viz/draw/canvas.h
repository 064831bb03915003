/*
 * Canvas: draws rectangles, lines, discs and triangles, whose coordinates are in points.
 *
 * A canvas draws into 32-bit pixels or hands the shapes to a vector target (vector.h). Pixels at an
 * edge are mixed by the share that the shape covers. The canvas multiplies points by its scale. It
 * computes with + - * / and square roots only, so a picture is the same on every host.
 *
 * The project does not use SDL2_gfx. Its smoothed lines take a call to SDL_Renderer for each pixel,
 * which is too slow for 60 frames a second, and its pixels depend on the renderer.
 */
#ifndef CM_VIZ_DRAW_CANVAS_H
#define CM_VIZ_DRAW_CANVAS_H

#include "layout.h"

struct cm_canvas {
    uint32_t *pixels;
    int w, h, pitch;              /* in pixels */
    int left, top, right, bottom; /* clip rectangle in pixels, with `right` and `bottom` outside */
    double scale;
    /* vector target that draws instead of the pixels. NULL: pixels are drawn */
    const struct cm_vector *vector;
    enum cm_view_theme theme; /* theme of the colours that are roles (colours.h) */
};

/* A rectangle in points. */
struct cm_area {
    double x, y, w, h;
};

struct cm_view_target;
struct cm_canvas cm_canvas_of(const struct cm_view_target *target, enum cm_view_theme theme);
/* Returns the canvas with its clip rectangle reduced to `place`. */
struct cm_canvas cm_canvas_clip(const struct cm_canvas *canvas, struct cm_view_rect place);
/* Returns the pixel for a coordinate in points, rounded, so that edges of rectangles are between
 * whole pixels. */
int cm_canvas_pixel(const struct cm_canvas *canvas, double place);

void cm_canvas_fill(const struct cm_canvas *canvas, double x, double y, double w, double h,
                    uint32_t colour);
/* Fills a rectangle whose coordinates are in pixels, so nothing is rounded. */
void cm_canvas_fill_pixels(const struct cm_canvas *canvas, int x, int y, int w, int h,
                           uint32_t colour);
/* Draws an outline inside an area. The outline is `width` points wide, but at least one pixel. */
void cm_canvas_frame(const struct cm_canvas *canvas, struct cm_area area, double width,
                     uint32_t colour);
/* Draws an outline inside a rectangle whose coordinates are in pixels. All four sides are drawn,
 * even if the rectangle has no width. */
void cm_canvas_frame_pixels(const struct cm_canvas *canvas, struct cm_view_rect place, int thick,
                            uint32_t colour);
/* Mixes a colour into the pixels of an area with the weight `alpha`, from 0 to 255. */
void cm_canvas_shade(const struct cm_canvas *canvas, struct cm_area area, uint32_t colour,
                     uint32_t alpha);

struct cm_point {
    double x, y;
};
/* Draws a line of dashes, each `dash` points long with a gap of the same length. `dash` 0: a solid
 * line. */
void cm_canvas_line(const struct cm_canvas *canvas, struct cm_point a, struct cm_point b,
                    double width, double dash, uint32_t colour);
void cm_canvas_disc(const struct cm_canvas *canvas, struct cm_point centre, double radius,
                    uint32_t colour);
void cm_canvas_ring(const struct cm_canvas *canvas, struct cm_point centre, double radius,
                    double width, uint32_t colour);
void cm_canvas_triangle(const struct cm_canvas *canvas, struct cm_point a, struct cm_point b,
                        struct cm_point c, uint32_t colour);

/* Mixes a colour into a pixel with the weight `coverage`, from 0 to 255, which comes from a glyph.
 * The colour must be a value, not a role. */
void cm_canvas_mix(const struct cm_canvas *canvas, int x, int y, uint32_t colour,
                   uint32_t coverage);

#endif
