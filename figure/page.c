/* A chart on a page, written as SVG or PDF by the name of its file. */
#include "figure.h"

#include <string.h>

#define POINTS_OF_A_MILLIMETRE (72 / 25.4)

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), needed = strlen(end);
    return length > needed && strcmp(text + length - needed, end) == 0;
}

/* The font goes into an attribute of XML. */
static bool is_plain_font(const char *font)
{
    return font[0] != '\0' && font[strspn(font, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWX"
                                                "YZ0123456789 ,-")] == '\0';
}

int cm_figure_check(const struct cm_figure_page *page)
{
    if (!ends_with(page->path, ".svg") && !ends_with(page->path, ".pdf"))
        return shell_usage(page->command, "%s: a figure is an .svg or .pdf file",
                           shell_shown(page->path).text);
    if (ends_with(page->path, ".pdf") && !cm_figure_has_pdf())
        return shell_usage(page->command,
                           "%s: this build has no cairo, which PDF needs; write .svg",
                           shell_shown(page->path).text);
    if (!is_plain_font(page->font))
        return shell_usage(page->command, "--font %s: expected names of letters, digits and commas",
                           shell_shown(page->font).text);
    return 0;
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

int cm_figure_write(struct cm_chart *chart, const struct cm_figure_page *page)
{
    struct cm_buffer out;
    struct cm_error err = {0};
    enum cm_status status = CM_OK;
    chart->title = page->title;
    chart->width = page->millimetres[0] * POINTS_OF_A_MILLIMETRE;
    chart->height = page->millimetres[1] * POINTS_OF_A_MILLIMETRE;
    chart->letters = page->points;
    cm_buffer_init(&out);
    if (ends_with(page->path, ".pdf"))
        status = cm_figure_pdf(chart, page, &out, &err);
    else
        out.failed = !write_svg(chart, page, &out) || out.failed;
    const struct cli_partial partial = {page->path, "a figure of what was done is", NULL};
    return page->partial ? cli_deliver_partial(&partial, &out, status, &err)
                         : shell_deliver(page->path, &out, status, &err);
}
