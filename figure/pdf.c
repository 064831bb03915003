/* Figures as PDF, drawn by the library cairo, which embeds the fonts. If this file is compiled
 * without CM_FIGURE_CAIRO, drawing fails with a message. */
#include "figure.h"

#ifdef CM_FIGURE_CAIRO

#include <cairo-pdf.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void set_colour(cairo_t *cairo, const char *colour)
{
    unsigned rgb[3];
    cm_ink_colour(colour, rgb);
    cairo_set_source_rgb(cairo, rgb[0] / 255.0, rgb[1] / 255.0, rgb[2] / 255.0);
}

static void stroke(cairo_t *cairo, const struct cm_svg_pen *pen)
{
    double dashes[2] = {0};
    char *next = NULL;
    if (pen->dashes != NULL) {
        dashes[0] = strtod(pen->dashes, &next);
        dashes[1] = strtod(next, NULL);
    }
    int count = dashes[0] > 0 && dashes[1] > 0 ? 2 : 0;
    set_colour(cairo, pen->colour);
    cairo_set_line_width(cairo, pen->width);
    cairo_set_dash(cairo, dashes, count, 0);
    cairo_stroke(cairo);
}

/* Fills the current path, draws its outline, and begins a new path. */
static void finish_path(cairo_t *cairo, const char *fill, const struct cm_svg_pen *pen)
{
    if (fill != NULL) {
        set_colour(cairo, fill);
        cairo_fill_preserve(cairo);
    }
    if (pen != NULL && pen->width > 0)
        stroke(cairo, pen);
    cairo_new_path(cairo);
}

static void lines(void *to, const double *points, uint32_t count, const struct cm_svg_pen *pen)
{
    for (uint32_t i = 0; i < count; i++)
        cairo_line_to(to, points[2 * (size_t)i], points[2 * (size_t)i + 1]);
    finish_path(to, NULL, pen);
}

static void rectangle(void *to, const double place[4], const char *fill,
                      const struct cm_svg_pen *pen)
{
    cairo_rectangle(to, place[0], place[1], place[2], place[3]);
    finish_path(to, fill, pen);
}

static void circle(void *to, double x, double y, double radius, const char *fill,
                   const struct cm_svg_pen *pen)
{
    cairo_new_sub_path(to);
    cairo_arc(to, x, y, radius, 0, 2 * 3.141592653589793);
    finish_path(to, fill, pen);
}

static void text(void *to, const struct cm_svg_label *label)
{
    cairo_text_extents_t extents;
    cairo_set_font_size(to, label->size);
    cairo_text_extents(to, label->string, &extents);
    double part = label->anchor == CM_SVG_MIDDLE ? 0.5 : label->anchor == CM_SVG_END ? 1 : 0;
    cairo_save(to);
    cairo_translate(to, label->x, label->y);
    cairo_rotate(to, label->degrees * 3.141592653589793 / 180);
    cairo_move_to(to, -part * extents.x_advance, 0);
    cairo_set_source_rgb(to, 0, 0, 0);
    cairo_show_text(to, label->string);
    cairo_restore(to);
    cairo_new_path(to);
}

static void clip(void *to, const double place[4])
{
    cairo_reset_clip(to);
    if (place == NULL)
        return;
    cairo_rectangle(to, place[0], place[1], place[2], place[3]);
    cairo_clip(to);
}

static cairo_status_t append(void *buffer, const unsigned char *bytes, unsigned length)
{
    cm_buffer_append(buffer, bytes, length);
    return cm_buffer_ok(buffer) ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

/* Selects the first font from a list of font names with commas between them. */
static void select_font(cairo_t *cairo, const char *fonts)
{
    char name[128];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(fonts, ","), fonts);
    cairo_select_font_face(cairo, name, CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
}

bool cm_figure_has_pdf(void)
{
    return true;
}

/* Writes the chart as PDF. The creation date is constant, so that equal charts give equal files. */
enum cm_status cm_figure_pdf(const struct cm_chart *chart, const struct cm_figure_page *page,
                             struct cm_buffer *out, struct cm_error *err)
{
    cairo_surface_t *surface =
        cairo_pdf_surface_create_for_stream(append, out, chart->width, chart->height);
    cairo_t *cairo = cairo_create(surface);
    const struct cm_ink ink = {cairo, lines, rectangle, circle, text, clip};
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, page->name);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_SUBJECT, page->about);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "1991-01-01T00:00:00Z");
    select_font(cairo, page->font);
    bool whole = cm_chart_draw(chart, &ink);
    cairo_show_page(cairo);
    cairo_status_t status = cairo_status(cairo);
    cairo_destroy(cairo);
    cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    if (!whole || !cm_buffer_ok(out) || status == CAIRO_STATUS_NO_MEMORY)
        return cm_error_no_memory(err);
    if (status != CAIRO_STATUS_SUCCESS)
        return cm_error_set(err, CM_IO, "the PDF cannot be made: %s",
                            cairo_status_to_string(status));
    return CM_OK;
}

#else

bool cm_figure_has_pdf(void)
{
    return false;
}

enum cm_status cm_figure_pdf(const struct cm_chart *chart, const struct cm_figure_page *page,
                             struct cm_buffer *out, struct cm_error *err)
{
    (void)chart;
    (void)page;
    (void)out;
    return cm_error_set(err, CM_USAGE, "this build of cm200 has no cairo, which PDF needs");
}

#endif
