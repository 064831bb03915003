/* Writes text with the characters escaped that XML and HTML write as entities. */
#include "markup.h"

static const char *entity(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\n':
    case '\t':
        return NULL;
    default:
        return (unsigned char)c < ' ' ? " " : NULL;
    }
}

void cm_markup_append(struct cm_buffer *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const char *instead = entity(text[i]);
        if (instead != NULL)
            cm_buffer_printf(out, "%s", instead);
        else
            cm_buffer_append(out, &text[i], 1);
    }
}
