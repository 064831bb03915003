/* Writes a chart with the size of a page, as SVG or PDF. The end of the file's path selects the
 * format. */
#include "figure.h"

#include <math.h>
#include <string.h>

#define POINTS_OF_A_MILLIMETRE (72 / 25.4)
/* Largest absolute value at an end of an axis. Sums and differences of such values are finite. */
#define LARGEST 1e300

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), needed = strlen(end);
    return length > needed && strcmp(text + length - needed, end) == 0;
}

/* Returns true if the name of a font can be an attribute of XML without escapes. */
static bool is_plain_font(const char *font)
{
    return font[0] != '\0' && font[strspn(font, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWX"
                                                "YZ0123456789 ,-")] == '\0';
}

enum cm_status cm_figure_check(const struct cm_figure_page *page, struct cm_error *err)
{
    if (!ends_with(page->path, ".svg") && !ends_with(page->path, ".pdf"))
        return cm_error_set(err, CM_USAGE, "%s: a figure is an .svg or .pdf file", page->path);
    if (ends_with(page->path, ".pdf") && !cm_figure_has_pdf())
        return cm_error_set(err, CM_USAGE,
                            "%s: this build has no cairo, which PDF needs; write .svg", page->path);
    if (!is_plain_font(page->font))
        return cm_error_set(err, CM_USAGE,
                            "--font %s: expected names of letters, digits and commas", page->font);
    return CM_OK;
}

static bool write_svg(const struct cm_chart *chart, const struct cm_figure_page *page,
                      struct cm_buffer *out)
{
    const struct cm_ink ink = cm_ink_svg(out);
    cm_svg_begin_mm(out, page->millimetres, chart->width, chart->height, page->font, page->name);
    cm_svg_description(out, page->about);
    bool whole = cm_chart_draw(chart, &ink);
    cm_svg_end(out);
    return whole;
}

/* Returns true if an axis can be drawn: its first end is below its last, neither is further
 * from 0 than LARGEST, and a logarithmic axis begins above 0. */
static bool is_drawable(const struct cm_chart_axis *axis)
{
    return fabs(axis->first) <= LARGEST && fabs(axis->last) <= LARGEST &&
           axis->first < axis->last && (axis->base <= 0 || axis->first > 0);
}

enum cm_status cm_figure_draw(struct cm_chart *chart, const struct cm_figure_page *page,
                              struct cm_buffer *out, struct cm_error *err)
{
    if (!is_drawable(&chart->x) || !is_drawable(&chart->y))
        return cm_error_set(err, CM_USAGE, "a value is too large or too small for a figure");
    chart->title = page->title;
    chart->width = page->millimetres[0] * POINTS_OF_A_MILLIMETRE;
    chart->height = page->millimetres[1] * POINTS_OF_A_MILLIMETRE;
    chart->letters = page->points;
    if (ends_with(page->path, ".pdf"))
        return cm_figure_pdf(chart, page, out, err);
    bool whole = write_svg(chart, page, out);
    return whole && cm_buffer_ok(out) ? CM_OK : cm_error_no_memory(err);
}
