/* Text, drawn from glyphs that are prepared once for each style and scale. Widths are in points. If
 * the target has no fonts, nothing is drawn. */
#ifndef CM_VIZ_DRAW_LABEL_H
#define CM_VIZ_DRAW_LABEL_H

#include "canvas.h"

#include "../../base/export.h"

struct cm_view_fonts;

enum cm_label_style {
    CM_LABEL_SMALL, /* 11 points */
    CM_LABEL_BODY,  /* 12 points */
    CM_LABEL_TITLE, /* 12 points, bold */
    CM_LABEL_MONO,  /* 11 points, fixed width */
    CM_LABEL_STYLE_COUNT,
};

enum cm_align { CM_LEFT, CM_CENTRE, CM_RIGHT };

struct cm_label {
    const struct cm_canvas *canvas;
    const struct cm_view_fonts *fonts;
};

double cm_label_width_of(const struct cm_label *label, enum cm_label_style style,
                         const char *string);

/* Place of a line of text: between x and x + w, with the middle of the line at y = `middle`. */
struct cm_text_place {
    enum cm_align align;
    double x, middle, w;
};

/* Draws a line of text. Text that is wider than its place is cut and ends in "…". Returns the width
 * drawn in points. */
double cm_label_draw(const struct cm_label *label, enum cm_label_style style,
                     struct cm_text_place place, uint32_t colour, const char *string);
double cm_label_print(const struct cm_label *label, enum cm_label_style style,
                      struct cm_text_place place, uint32_t colour, const char *format, ...)
    CM_PRINTF(5, 6);

#endif
