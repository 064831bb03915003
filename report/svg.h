/*
 * A writer of SVG 1.1, shape by shape. Lengths are in pixels, and y grows downwards. Internal to
 * the library.
 */
#ifndef CM_REPORT_SVG_H
#define CM_REPORT_SVG_H

#include "../base/buffer.h"

/* Look of lines. With a width of 0, the line is not drawn. */
struct cm_svg_pen {
    const char *colour; /* colour of the line, as CSS writes it */
    double width;
    /* lengths of dashes and gaps, such as "6 4". NULL: the line is not dashed */
    const char *dashes;
};

enum cm_svg_anchor { CM_SVG_START, CM_SVG_MIDDLE, CM_SVG_END };

/* Begins a picture on white ground. Screen readers read its `title` aloud. */
void cm_svg_begin(struct cm_buffer *svg, double width, double height, const char *title);
/* Begins a picture with its size in millimetres and in the picture's own units, and the name of its
 * font. */
void cm_svg_begin_mm(struct cm_buffer *svg, const double millimetres[2], double width,
                     double height, const char *font, const char *title);
void cm_svg_end(struct cm_buffer *svg);
/* Adds a description, which is not drawn, for people who read the file. */
void cm_svg_description(struct cm_buffer *svg, const char *text);
/* Adds an SVG element, given by its name and attributes, such as "circle cx=\"%.2f\"". `fill` NULL:
 * the element is not filled. */
void cm_svg_shape(struct cm_buffer *svg, const char *fill, const struct cm_svg_pen *pen,
                  const char *format, ...) CM_PRINTF(4, 5);
void cm_svg_line(struct cm_buffer *svg, double x1, double y1, double x2, double y2,
                 const struct cm_svg_pen *pen);

/* A line of text. Its baseline begins, ends or has its middle at (x, y), and is turned by `degrees`
 * clockwise. */
struct cm_svg_label {
    double x, y;
    double size, degrees;
    enum cm_svg_anchor anchor;
    const char *string;
};

/* Adds a line of text. */
void cm_svg_text(struct cm_buffer *svg, const struct cm_svg_label *label);

#endif
