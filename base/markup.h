/* Text within XML and HTML. Internal to the project. */
#ifndef CM_BASE_MARKUP_H
#define CM_BASE_MARKUP_H

#include "buffer.h"

/* Adds text as it is written between tags and in quoted attributes (XML 1.0, section 2.4). XML has
 * no control characters: a blank is in the place of each, new lines and tabs excepted. */
void cm_markup_append(struct cm_buffer *out, const char *text, size_t length);

#endif
