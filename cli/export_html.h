/* The web page that cm200 export --format html writes. */
#ifndef CM_CLI_EXPORT_HTML_H
#define CM_CLI_EXPORT_HTML_H

#include "../base/buffer.h"
#include "../base/error.h"

/* Appends the page with one trace file, or, if `second` is not NULL, with two to compare. Fails
 * with CM_USAGE if `ninja web` did not make the page's template, and with CM_BAD_INPUT if a trace
 * is too large for a page. Other failures are CM_IO and CM_NO_MEMORY. */
enum cm_status cli_export_html(const char *first, const char *second, struct cm_buffer *text,
                               struct cm_error *err);

#endif
