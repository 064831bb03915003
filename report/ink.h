/*
 * Drawing operations for figures: lines, areas and texts. The writers of SVG and of PDF implement
 * these operations. Lengths are in units of the picture, and y grows downwards. Internal to the
 * library.
 */
#ifndef CM_REPORT_INK_H
#define CM_REPORT_INK_H

#include "svg.h"

#include <stdint.h>

struct cm_ink {
    void *to; /* first argument of each operation: the place where the writer draws */
    void (*lines)(void *to, const double *points, uint32_t count, const struct cm_svg_pen *pen);
    /* Draws a rectangle. `fill` NULL: the rectangle is not filled. `pen` NULL: it has no outline.
     */
    void (*rectangle)(void *to, const double place[4], const char *fill,
                      const struct cm_svg_pen *pen);
    void (*circle)(void *to, double x, double y, double radius, const char *fill,
                   const struct cm_svg_pen *pen);
    void (*text)(void *to, const struct cm_svg_label *label);
    /* Clips later operations to the rectangle x, y, width, height. NULL ends the clipping. */
    void (*clip)(void *to, const double place[4]);
};

/* Returns drawing operations that write SVG into a buffer. */
struct cm_ink cm_ink_svg(struct cm_buffer *svg);

/* Converts "#rrggbb" to red, green and blue from 0 to 255. A text of another form gives black. */
void cm_ink_colour(const char *colour, unsigned rgb[3]);

/* Draws a line from (x1, y1) to (x2, y2). */
void cm_ink_line(const struct cm_ink *ink, double x1, double y1, double x2, double y2,
                 const struct cm_svg_pen *pen);

#endif
