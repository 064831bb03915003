/*
 * Drawing operations for figures: lines, areas and texts. A writer of SVG or PDF implements them.
 * Lengths are those of the picture, and y goes down. Internal to the library.
 */
#ifndef CM_REPORT_INK_H
#define CM_REPORT_INK_H

#include "svg.h"

#include <stdint.h>

struct cm_ink {
    void *to; /* first argument of each operation */
    void (*lines)(void *to, const double *points, uint32_t count, const struct cm_svg_pen *pen);
    /* Draws a rectangle. `fill` NULL: not filled. `pen` NULL: no line around it. */
    void (*rectangle)(void *to, const double place[4], const char *fill,
                      const struct cm_svg_pen *pen);
    void (*circle)(void *to, double x, double y, double radius, const char *fill,
                   const struct cm_svg_pen *pen);
    void (*text)(void *to, const struct cm_svg_label *label);
    /* Clips later operations to x, y, width, height. NULL ends the clipping. */
    void (*clip)(void *to, const double place[4]);
};

/* Returns operations that write SVG into a buffer. */
struct cm_ink cm_ink_svg(struct cm_buffer *svg);

/* Converts "#rrggbb" to red, green and blue from 0 to 255. Other texts give black. */
void cm_ink_colour(const char *colour, unsigned rgb[3]);

/* Draws a line from (x1, y1) to (x2, y2). */
void cm_ink_line(const struct cm_ink *ink, double x1, double y1, double x2, double y2,
                 const struct cm_svg_pen *pen);

#endif
