/*
 * What figures are drawn with: lines, areas and texts, which a writer of SVG or PDF takes. Lengths
 * are those of the picture, y goes down. Internal to the library.
 */
#ifndef CM_REPORT_INK_H
#define CM_REPORT_INK_H

#include "svg.h"

#include <stdint.h>

struct cm_ink {
    void *to; /* passed to each */
    void (*lines)(void *to, const double *points, uint32_t count, const struct cm_svg_pen *pen);
    /* `fill` NULL: open; `pen` NULL: no line around. */
    void (*rectangle)(void *to, const double place[4], const char *fill,
                      const struct cm_svg_pen *pen);
    void (*circle)(void *to, double x, double y, double radius, const char *fill,
                   const struct cm_svg_pen *pen);
    void (*text)(void *to, double x, double y, double size, double degrees,
                 enum cm_svg_anchor anchor, const char *string);
    /* What follows is cut off at x, y, width, height, until NULL. */
    void (*clip)(void *to, const double place[4]);
};

/* Writes SVG; `to` is the text, a struct cm_buffer. */
struct cm_ink cm_ink_svg(struct cm_buffer *svg);

/* Red, green and blue of "#rrggbb", each to 255; black for another text. */
void cm_ink_colour(const char *colour, unsigned rgb[3]);

/* One line from (x1, y1) to (x2, y2). */
void cm_ink_line(const struct cm_ink *ink, double x1, double y1, double x2, double y2,
                 const struct cm_svg_pen *pen);

#endif
