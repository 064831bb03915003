/*
 * Pictures as SVG 1.1, written to a buffer shape by shape. Lengths are pixels, y goes down.
 * Internal to the library.
 */
#ifndef CM_REPORT_SVG_H
#define CM_REPORT_SVG_H

#include "../base/buffer.h"

/* How lines look; a width of 0: there is no line. */
struct cm_svg_pen {
    const char *colour; /* as in CSS */
    double width;
    const char *dashes; /* lengths of dashes and gaps, as in "6 4"; NULL: a full line */
};

enum cm_svg_anchor { CM_SVG_START, CM_SVG_MIDDLE, CM_SVG_END };

/* Opens a picture on white ground; screen readers say its `title`. */
void cm_svg_begin(struct cm_buffer *svg, double width, double height, const char *title);
/* The same with sizes in millimetres and in the picture's units, and a name for its letters. */
void cm_svg_begin_mm(struct cm_buffer *svg, const double millimetres[2], double width,
                     double height, const char *font, const char *title);
void cm_svg_end(struct cm_buffer *svg);
/* What the picture is of, for who looks into the file. */
void cm_svg_description(struct cm_buffer *svg, const char *text);
/* An element by its name and attributes, as in "circle cx=\"%.2f\""; `fill` NULL: it is open. */
void cm_svg_shape(struct cm_buffer *svg, const char *fill, const struct cm_svg_pen *pen,
                  const char *format, ...) CM_PRINTF(4, 5);
void cm_svg_line(struct cm_buffer *svg, double x1, double y1, double x2, double y2,
                 const struct cm_svg_pen *pen);
/* One line of text with (x, y) on its baseline, turned by `degrees` clockwise. */
void cm_svg_text(struct cm_buffer *svg, double x, double y, double size, double degrees,
                 enum cm_svg_anchor anchor, const char *string);

#endif
