/* cm200 export --format html: writes a web page that contains the viewer and one or two traces. */
#include "export_html.h"

#include "../base/file.h"
#include "../base/markup.h"
#include "cli.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TEMPLATE           "web/trace.html" /* made by `ninja web` (web/embed.py) */
#define PLACE              "<!--@traces@-->"
#define TEMPLATE_MAX_BYTES ((size_t)16 << 20)
/* largest trace in bytes. In base 64 it is a third longer, and browsers limit a string to about
 * twice the size. */
#define TRACE_MAX_BYTES ((size_t)256 << 20)

static void put_text(struct cm_buffer *text, const char *name)
{
    cm_markup_append(text, name, strlen(name));
}

/* Appends the bytes of a trace file to the page, as an element that web/export.js reads. */
static enum cm_status put_trace(const char *path, int number, struct cm_buffer *text,
                                struct cm_error *err)
{
    char *data = NULL;
    size_t length = 0;
    enum cm_status status = cm_file_read(path, TRACE_MAX_BYTES, &data, &length, err);
    if (status == CM_BAD_INPUT)
        cm_error_hint(
            err,
            "a page holds less: record fewer steps, leave --trace-window out, or use cm200-view");
    if (status != CM_OK)
        return status;
    const char *slash = strrchr(path, '/');
    cm_buffer_printf(text, "<script type=\"text/plain\" id=\"trace-%d\" data-name=\"", number);
    put_text(text, slash != NULL ? slash + 1 : path);
    cm_buffer_printf(text, "\">");
    cm_markup_append_base64(text, data, length);
    cm_buffer_printf(text, "</script>\n");
    free(data);
    return CM_OK;
}

static enum cm_status fill(const char *page, const char *first, const char *second,
                           struct cm_buffer *text, struct cm_error *err)
{
    const char *place = strstr(page, PLACE);
    if (place == NULL)
        return cm_error_set(err, CM_BAD_INPUT, "%s has no place for traces", TEMPLATE);
    cm_buffer_append(text, page, (size_t)(place - page));
    enum cm_status status = put_trace(first, 1, text, err);
    if (status == CM_OK && second != NULL)
        status = put_trace(second, 2, text, err);
    if (status == CM_OK)
        cm_buffer_printf(text, "%s", place + strlen(PLACE));
    return status;
}

enum cm_status cli_export_html(const char *first, const char *second, struct cm_buffer *text,
                               struct cm_error *err)
{
    char path[1024], *page = NULL;
    size_t length = 0;
    const char *found = cli_data_path(TEMPLATE, path, sizeof path);
    if (found == NULL) {
        cm_error_set(err, CM_USAGE, "this cm200 was built without the page for --format html");
        cm_error_hint(err, "no Debian package has the page; in the source folder run: "
                           "scripts/setup --web && ninja -C build web");
        return CM_USAGE;
    }
    enum cm_status status = cm_file_read(found, TEMPLATE_MAX_BYTES, &page, &length, err);
    if (status == CM_OK)
        status = fill(page, first, second, text, err);
    free(page);
    return status;
}
