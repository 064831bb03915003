/* Writing JSON by hand, because cJSON would round integers above 2^53. Not installed. */
#ifndef CM_BASE_JSON_TEXT_H
#define CM_BASE_JSON_TEXT_H

#include "buffer.h"

/* A string with its quotes, escaped. */
void cm_json_append_string(struct cm_buffer *text, const char *string);
/* The shortest form that reads back as the same number, and that shows it is not an integer. */
void cm_json_append_double(struct cm_buffer *text, double value);

#endif
