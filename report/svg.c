/* Writes pictures as SVG (W3C Recommendation "Scalable Vector Graphics 1.1"). */
#include "svg.h"

#include "../base/markup.h"

#include <stdarg.h>
#include <string.h>

static void put_escaped(struct cm_buffer *svg, const char *string)
{
    cm_markup_append(svg, string, strlen(string));
}

void cm_svg_begin(struct cm_buffer *svg, double width, double height, const char *title)
{
    cm_buffer_printf(svg,
                     "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" "
                     "viewBox=\"0 0 %g %g\" font-family=\"Helvetica, Arial, sans-serif\">\n<title>",
                     width, height, width, height);
    put_escaped(svg, title);
    cm_buffer_printf(svg, "</title>\n");
    cm_svg_shape(svg, "#ffffff", NULL, "rect width=\"%g\" height=\"%g\"", width, height);
}

void cm_svg_begin_mm(struct cm_buffer *svg, const double millimetres[2], double width,
                     double height, const char *font, const char *title)
{
    cm_buffer_printf(svg,
                     "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%gmm\" height=\"%gmm\" "
                     "viewBox=\"0 0 %.6g %.6g\" font-family=\"",
                     millimetres[0], millimetres[1], width, height);
    put_escaped(svg, font);
    cm_buffer_printf(svg, "\">\n<title>");
    put_escaped(svg, title);
    cm_buffer_printf(svg, "</title>\n");
    cm_svg_shape(svg, "#ffffff", NULL, "rect width=\"%.6g\" height=\"%.6g\"", width, height);
}

void cm_svg_description(struct cm_buffer *svg, const char *text)
{
    cm_buffer_printf(svg, "<desc>");
    put_escaped(svg, text);
    cm_buffer_printf(svg, "</desc>\n");
}

void cm_svg_end(struct cm_buffer *svg)
{
    cm_buffer_printf(svg, "</svg>\n");
}

void cm_svg_shape(struct cm_buffer *svg, const char *fill, const struct cm_svg_pen *pen,
                  const char *format, ...)
{
    va_list arguments;
    cm_buffer_append(svg, "<", 1);
    va_start(arguments, format);
    cm_buffer_vprintf(svg, format, arguments);
    va_end(arguments);
    cm_buffer_printf(svg, " fill=\"%s\"", fill != NULL ? fill : "none");
    if (pen != NULL && pen->width > 0) {
        cm_buffer_printf(svg, " stroke=\"%s\" stroke-width=\"%g\"", pen->colour, pen->width);
        if (pen->dashes != NULL)
            cm_buffer_printf(svg, " stroke-dasharray=\"%s\"", pen->dashes);
    }
    cm_buffer_printf(svg, "/>\n");
}

void cm_svg_line(struct cm_buffer *svg, double x1, double y1, double x2, double y2,
                 const struct cm_svg_pen *pen)
{
    cm_svg_shape(svg, NULL, pen, "line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\"", x1, y1, x2,
                 y2);
}

void cm_svg_text(struct cm_buffer *svg, const struct cm_svg_label *label)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    cm_buffer_printf(svg, "<text transform=\"translate(%.2f %.2f) rotate(%g)\" font-size=\"%g\"",
                     label->x, label->y, label->degrees, label->size);
    cm_buffer_printf(svg, " text-anchor=\"%s\">", anchors[label->anchor]);
    put_escaped(svg, label->string);
    cm_buffer_printf(svg, "</text>\n");
}
