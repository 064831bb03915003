/* Pictures as SVG and PDF files: viz/draw draws them on a vector target. PDF is available only if
 * the program was built with cairo. */
#include "picture.h"

#include "../draw/vector.h"

#include "../../base/file.h"
#include "../../shell/shell.h"

#include <stdio.h>
#include <string.h>

#ifdef CM_VIEW_CAIRO
#include <cairo-pdf.h>
#endif

/* Writes a line of text about each run that the picture shows. */
static void put_sources(struct cm_buffer *text, const struct cm_view_model *model)
{
    for (uint32_t i = 0; i < model->run_count; i++)
        cm_buffer_printf(text, "%sSource%s: %s", i > 0 ? "\n" : "", i > 0 ? " B" : "",
                         model->runs[i].info->made_of);
    cm_buffer_append(text, "", 1); /* appends the 0 that ends the string */
}

static enum cm_status make_svg(const struct cm_view_picture *picture,
                               const struct cm_view_control *control, const char *about,
                               struct cm_buffer *out, struct cm_error *err)
{
    struct cm_vector vector;
    struct cm_svg svg;
    cm_view_svg_begin(&svg, out,
                      &(struct cm_svg_about){picture->target.w, picture->target.h,
                                             control->model->runs[0].info->workload, about},
                      &vector);
    cm_view_picture_draw_on(picture, control, &vector);
    cm_view_svg_end(&svg);
    return cm_buffer_ok(out) ? CM_OK : cm_error_no_memory(err);
}

#ifdef CM_VIEW_CAIRO

static void set_colour(cairo_t *cairo, uint32_t colour, double alpha)
{
    cairo_set_source_rgba(cairo, (colour >> 16 & 255) / 255.0, (colour >> 8 & 255) / 255.0,
                          (colour & 255) / 255.0, alpha);
}

static void pdf_clip(void *to, const struct cm_view_rect *place)
{
    cairo_reset_clip(to);
    cairo_rectangle(to, place->x, place->y, place->w, place->h);
    cairo_clip(to);
}

static void pdf_fill(void *to, const struct cm_view_rect *place, uint32_t colour, uint32_t alpha)
{
    set_colour(to, colour, alpha / 255.0);
    cairo_rectangle(to, place->x, place->y, place->w, place->h);
    cairo_fill(to);
}

static void pdf_path(void *to, const struct cm_vector_path *path, uint32_t colour)
{
    set_colour(to, colour, 1);
    for (uint32_t i = 0; i < path->count; i++)
        cairo_line_to(to, path->points[i].x, path->points[i].y);
    if (path->width > 0) {
        cairo_set_line_width(to, path->width);
        cairo_set_dash(to, &path->dash, path->dash > 0 ? 1 : 0, 0);
        cairo_stroke(to);
    } else {
        cairo_close_path(to);
        cairo_fill(to);
    }
}

static void pdf_disc(void *to, struct cm_point centre, double radius, double width, uint32_t colour)
{
    set_colour(to, colour, 1);
    cairo_new_sub_path(to);
    cairo_arc(to, centre.x, centre.y, radius - width / 2, 0, 2 * 3.141592653589793);
    if (width > 0) {
        cairo_set_line_width(to, width);
        cairo_set_dash(to, NULL, 0, 0);
        cairo_stroke(to);
    } else {
        cairo_fill(to);
    }
}

static void pdf_text(void *to, const struct cm_vector_text *text)
{
    const struct cm_vector_font *font = &text->font;
    char string[1024];
    cairo_text_extents_t extents;
    snprintf(string, sizeof string, "%.*s", (int)text->length, text->string);
    set_colour(to, text->colour, 1);
    cairo_select_font_face(to, font->mono ? "DejaVu Sans Mono" : "DejaVu Sans",
                           CAIRO_FONT_SLANT_NORMAL,
                           font->bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(to, font->size);
    cairo_text_extents(to, string, &extents);
    cairo_save(to);
    cairo_translate(to, text->start.x, text->start.y);
    /* scales the text to the width that the layout assumed */
    if (extents.x_advance > 0 && text->width > 0)
        cairo_scale(to, text->width / extents.x_advance, 1);
    cairo_move_to(to, 0, 0);
    cairo_show_text(to, string);
    cairo_restore(to);
}

static cairo_status_t append(void *buffer, const unsigned char *bytes, unsigned length)
{
    cm_buffer_append(buffer, bytes, length);
    return cm_buffer_ok(buffer) ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

/* Sets title, subject and a constant date of the PDF file, so that equal pictures give equal
 * files. */
static void describe(cairo_surface_t *surface, const struct cm_view_control *control,
                     const char *about)
{
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE,
                                   control->model->runs[0].info->workload);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_SUBJECT, about);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "1991-01-01T00:00:00Z");
}

static enum cm_status make_pdf(const struct cm_view_picture *picture,
                               const struct cm_view_control *control, const char *about,
                               struct cm_buffer *out, struct cm_error *err)
{
    cairo_surface_t *surface =
        cairo_pdf_surface_create_for_stream(append, out, picture->target.w, picture->target.h);
    cairo_t *cairo = cairo_create(surface);
    const struct cm_vector vector = {cairo, pdf_clip, pdf_fill, pdf_path, pdf_disc, pdf_text};
    describe(surface, control, about);
    cm_view_picture_draw_on(picture, control, &vector);
    cairo_show_page(cairo);
    cairo_status_t status = cairo_status(cairo);
    cairo_destroy(cairo);
    cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    if (!cm_buffer_ok(out) || status == CAIRO_STATUS_NO_MEMORY)
        return cm_error_no_memory(err);
    if (status != CAIRO_STATUS_SUCCESS)
        return cm_error_set(err, CM_IO, "the PDF cannot be made: %s",
                            cairo_status_to_string(status));
    return CM_OK;
}

bool cm_view_has_pdf(void)
{
    return true;
}

#else

static enum cm_status make_pdf(const struct cm_view_picture *picture,
                               const struct cm_view_control *control, const char *about,
                               struct cm_buffer *out, struct cm_error *err)
{
    (void)picture;
    (void)control;
    (void)about;
    (void)out;
    return cm_error_set(err, CM_USAGE, "this build of cm200-view has no cairo, which PDF needs");
}

bool cm_view_has_pdf(void)
{
    return false;
}

#endif

enum cm_status cm_view_picture_vector(const struct cm_view_picture *picture,
                                      const struct cm_view_control *control, bool pdf,
                                      const char *path, struct cm_error *err)
{
    struct cm_buffer out, about;
    cm_buffer_init(&out);
    cm_buffer_init(&about);
    put_sources(&about, control->model);
    enum cm_status status = cm_buffer_ok(&about) ? CM_OK : cm_error_no_memory(err);
    if (status == CM_OK)
        status = (pdf ? make_pdf : make_svg)(picture, control, about.data, &out, err);
    if (status == CM_OK && cm_view_model_failed(control->model))
        status = cm_error_no_memory(err);
    shell_interrupt_hold(true);
    if (status == CM_OK)
        status = cm_file_write(path, out.data, out.length, err);
    shell_interrupt_hold(false);
    cm_buffer_finish(&about);
    cm_buffer_finish(&out);
    return status;
}
