/* Vector target that writes a picture as SVG. Shapes become shapes and text becomes text, in the
 * font DejaVu where it is installed. Neighbouring rectangles of the same colour, which time strips
 * consist of, are joined. */
#include "../../base/markup.h"
#include "vector.h"

#include <string.h>

static unsigned rgb(uint32_t colour)
{
    return colour & 0xffffffu;
}

static void flush(struct cm_svg *svg)
{
    const struct cm_view_rect *r = &svg->pending;
    if (r->w > 0)
        cm_buffer_printf(svg->out,
                         "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#%06x\"/>\n",
                         r->x, r->y, r->w, r->h, rgb(svg->pending_colour));
    svg->pending.w = 0;
}

static void svg_clip(void *to, const struct cm_view_rect *place)
{
    struct cm_svg *svg = to;
    if (memcmp(place, &svg->clip, sizeof *place) == 0)
        return;
    flush(svg);
    if (svg->clipped)
        cm_buffer_printf(svg->out, "</g>\n");
    svg->clip = *place;
    svg->clipped = true;
    cm_buffer_printf(svg->out,
                     "<clipPath id=\"c%u\"><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>"
                     "</clipPath>\n<g clip-path=\"url(#c%u)\">\n",
                     svg->clips, place->x, place->y, place->w, place->h, svg->clips);
    svg->clips++;
}

static void svg_fill(void *to, const struct cm_view_rect *place, uint32_t colour, uint32_t alpha)
{
    struct cm_svg *svg = to;
    struct cm_view_rect *last = &svg->pending;
    bool grows = alpha == 255 && last->w > 0 && last->y == place->y && last->h == place->h &&
                 last->x + last->w == place->x && svg->pending_colour == colour;
    if (grows) {
        last->w += place->w;
        return;
    }
    flush(svg);
    if (alpha == 255) {
        *last = *place;
        svg->pending_colour = colour;
        return;
    }
    cm_buffer_printf(svg->out,
                     "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#%06x\" "
                     "fill-opacity=\"%.3f\"/>\n",
                     place->x, place->y, place->w, place->h, rgb(colour), alpha / 255.0);
}

static void svg_path(void *to, const struct cm_vector_path *path, uint32_t colour)
{
    struct cm_svg *svg = to;
    flush(svg);
    cm_buffer_printf(svg->out, "<path d=\"");
    for (uint32_t i = 0; i < path->count; i++)
        cm_buffer_printf(svg->out, "%s%.2f,%.2f", i == 0 ? "M" : "L", path->points[i].x,
                         path->points[i].y);
    if (path->width > 0) {
        cm_buffer_printf(svg->out, "\" fill=\"none\" stroke=\"#%06x\" stroke-width=\"%.2f\"",
                         rgb(colour), path->width);
        if (path->dash > 0)
            cm_buffer_printf(svg->out, " stroke-dasharray=\"%.2f\"", path->dash);
        cm_buffer_printf(svg->out, "/>\n");
    } else {
        cm_buffer_printf(svg->out, "Z\" fill=\"#%06x\"/>\n", rgb(colour));
    }
}

static void svg_disc(void *to, struct cm_point centre, double radius, double width, uint32_t colour)
{
    struct cm_svg *svg = to;
    flush(svg);
    cm_buffer_printf(svg->out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\"", centre.x, centre.y,
                     radius - width / 2);
    if (width > 0)
        cm_buffer_printf(svg->out, " fill=\"none\" stroke=\"#%06x\" stroke-width=\"%.2f\"/>\n",
                         rgb(colour), width);
    else
        cm_buffer_printf(svg->out, " fill=\"#%06x\"/>\n", rgb(colour));
}

/* Writes a line of text. The attribute textLength makes it as wide as the layout assumed, even in
 * another font. */
static void svg_text(void *to, const struct cm_vector_text *text)
{
    const struct cm_vector_font *font = &text->font;
    struct cm_svg *svg = to;
    flush(svg);
    cm_buffer_printf(svg->out,
                     "<text x=\"%.2f\" y=\"%.2f\" font-family=\"%s\" font-size=\"%.2f\"%s "
                     "textLength=\"%.2f\" lengthAdjust=\"spacingAndGlyphs\" fill=\"#%06x\">",
                     text->start.x, text->start.y,
                     font->mono ? "DejaVu Sans Mono, monospace" : "DejaVu Sans, sans-serif",
                     font->size, font->bold ? " font-weight=\"bold\"" : "", text->width,
                     rgb(text->colour));
    cm_markup_append(svg->out, text->string, text->length);
    cm_buffer_printf(svg->out, "</text>\n");
}

void cm_view_svg_begin(struct cm_svg *svg, struct cm_buffer *out, const struct cm_svg_about *about,
                       struct cm_vector *vector)
{
    *svg = (struct cm_svg){.out = out};
    *vector = (struct cm_vector){svg, svg_clip, svg_fill, svg_path, svg_disc, svg_text};
    cm_buffer_printf(out,
                     "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                     "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                     "viewBox=\"0 0 %d %d\" xml:space=\"preserve\">\n<title>",
                     about->w, about->h, about->w, about->h);
    cm_markup_append(out, about->title, strlen(about->title));
    cm_buffer_printf(out, "</title>\n<desc>");
    cm_markup_append(out, about->description, strlen(about->description));
    cm_buffer_printf(out, "</desc>\n");
}

void cm_view_svg_end(struct cm_svg *svg)
{
    flush(svg);
    cm_buffer_printf(svg->out, "%s</svg>\n", svg->clipped ? "</g>\n" : "");
}
