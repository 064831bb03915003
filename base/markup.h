/* Writes text inside XML and HTML. Internal to the project. */
#ifndef CM_BASE_MARKUP_H
#define CM_BASE_MARKUP_H

#include "buffer.h"

/* Appends text escaped for the space between tags and for quoted attributes (XML 1.0, section 2.4).
 * XML has no control characters, so each becomes a blank, except new lines and tabs. */
void cm_markup_append(struct cm_buffer *out, const char *text, size_t length);
/* Appends bytes in base 64 (RFC 4648). */
void cm_markup_append_base64(struct cm_buffer *out, const char *bytes, size_t length);

#endif
