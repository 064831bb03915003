/* JSON text: strings and numbers. */
#include "json_text.h"

#include <stdio.h>
#include <stdlib.h>

void cm_json_append_string(struct cm_buffer *text, const char *string)
{
    cm_buffer_append(text, "\"", 1);
    for (const char *c = string; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\')
            cm_buffer_printf(text, "\\%c", *c);
        else if ((unsigned char)*c < 0x20 || *c == 0x7f)
            cm_buffer_printf(text, "\\u%04x", (unsigned)(unsigned char)*c);
        else
            cm_buffer_append(text, c, 1);
    }
    cm_buffer_append(text, "\"", 1);
}

void cm_json_append_double(struct cm_buffer *text, double value)
{
    char number[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(number, sizeof number, "%.*g", digits, value);
        if (strtod(number, NULL) == value)
            break;
    }
    bool integral = true;
    for (const char *c = number; *c != '\0'; c++)
        integral = integral && ((*c >= '0' && *c <= '9') || *c == '-');
    cm_buffer_printf(text, "%s%s", number, integral ? ".0" : "");
}
