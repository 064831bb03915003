/* Draws lines, areas and texts as SVG. */
#include "ink.h"

#include <stdlib.h>

static void lines(void *to, const double *points, uint32_t count, const struct cm_svg_pen *pen)
{
    struct cm_buffer text, *svg = to;
    if (count == 2) {
        cm_svg_line(svg, points[0], points[1], points[2], points[3], pen);
        return;
    }
    cm_buffer_init(&text);
    for (uint32_t i = 0; i < count; i++)
        cm_buffer_printf(&text, "%s%.2f,%.2f", i > 0 ? " " : "", points[2 * (size_t)i],
                         points[2 * (size_t)i + 1]);
    svg->failed = svg->failed || text.failed;
    if (text.data != NULL)
        cm_svg_shape(svg, NULL, pen, "polyline points=\"%s\"", text.data);
    cm_buffer_finish(&text);
}

static void rectangle(void *to, const double place[4], const char *fill,
                      const struct cm_svg_pen *pen)
{
    cm_svg_shape(to, fill, pen, "rect x=\"%.6g\" y=\"%.6g\" width=\"%.6g\" height=\"%.6g\"",
                 place[0], place[1], place[2], place[3]);
}

static void circle(void *to, double x, double y, double radius, const char *fill,
                   const struct cm_svg_pen *pen)
{
    cm_svg_shape(to, fill, pen, "circle cx=\"%.2f\" cy=\"%.2f\" r=\"%g\"", x, y, radius);
}

static void text(void *to, const struct cm_svg_label *label)
{
    cm_svg_text(to, label);
}

/* Begins or ends a nested SVG picture, which clips its content at a rectangle. The coordinates
 * inside are the same as outside. */
static void clip(void *to, const double place[4])
{
    if (place == NULL) {
        cm_svg_end(to);
        return;
    }
    cm_buffer_printf(to,
                     "<svg x=\"%.6g\" y=\"%.6g\" width=\"%.6g\" height=\"%.6g\" "
                     "viewBox=\"%.6g %.6g %.6g %.6g\">\n",
                     place[0], place[1], place[2], place[3], place[0], place[1], place[2],
                     place[3]);
}

struct cm_ink cm_ink_svg(struct cm_buffer *svg)
{
    return (struct cm_ink){svg, lines, rectangle, circle, text, clip};
}

void cm_ink_colour(const char *colour, unsigned rgb[3])
{
    char *end = NULL;
    unsigned long value = colour[0] == '#' ? strtoul(colour + 1, &end, 16) : 0;
    if (end == NULL || *end != '\0' || value > 0xffffff)
        value = 0;
    for (int i = 0; i < 3; i++)
        rgb[i] = (unsigned)(value >> (16 - 8 * i) & 255);
}

void cm_ink_line(const struct cm_ink *ink, double x1, double y1, double x2, double y2,
                 const struct cm_svg_pen *pen)
{
    const double points[4] = {x1, y1, x2, y2};
    ink->lines(ink->to, points, 2, pen);
}
