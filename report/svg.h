/*
 * A writer of SVG 1.1, shape by shape. Lengths are pixels, and y goes down. Internal to the
 * library.
 */
#ifndef CM_REPORT_SVG_H
#define CM_REPORT_SVG_H

#include "../base/buffer.h"

/* Appearance of lines. A width of 0 draws no line. */
struct cm_svg_pen {
    const char *colour; /* colour as in CSS */
    double width;
    const char *dashes; /* lengths of dashes and gaps, such as "6 4". NULL: a full line */
};

enum cm_svg_anchor { CM_SVG_START, CM_SVG_MIDDLE, CM_SVG_END };

/* Begins a picture on white ground. Screen readers read its `title` aloud. */
void cm_svg_begin(struct cm_buffer *svg, double width, double height, const char *title);
/* Begins a picture with sizes in millimetres and in the picture's units, and a name for its font.
 */
void cm_svg_begin_mm(struct cm_buffer *svg, const double millimetres[2], double width,
                     double height, const char *font, const char *title);
void cm_svg_end(struct cm_buffer *svg);
/* Adds a description for people who read the file. */
void cm_svg_description(struct cm_buffer *svg, const char *text);
/* Adds an element by name and attributes, such as "circle cx=\"%.2f\"". `fill` NULL: not filled. */
void cm_svg_shape(struct cm_buffer *svg, const char *fill, const struct cm_svg_pen *pen,
                  const char *format, ...) CM_PRINTF(4, 5);
void cm_svg_line(struct cm_buffer *svg, double x1, double y1, double x2, double y2,
                 const struct cm_svg_pen *pen);

/* Line of text. Its baseline begins, ends or has its middle at (x, y), and is turned by `degrees`
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
