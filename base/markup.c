/* Writes text with the characters escaped that XML and HTML write as entities. */
#include "markup.h"

#include <stdint.h>

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

void cm_markup_append_base64(struct cm_buffer *out, const char *bytes, size_t length)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *at = (const unsigned char *)bytes;
    if (!cm_buffer_room(out, length / 3 * 4 + 5))
        return;
    for (size_t i = 0; i < length; i += 3) {
        size_t left = length - i;
        uint32_t three = (uint32_t)at[i] << 16 | (left > 1 ? (uint32_t)at[i + 1] << 8 : 0) |
                         (left > 2 ? (uint32_t)at[i + 2] : 0);
        char four[4] = {digits[three >> 18], digits[three >> 12 & 63],
                        left > 1 ? digits[three >> 6 & 63] : '=',
                        left > 2 ? digits[three & 63] : '='};
        cm_buffer_append(out, four, sizeof four);
    }
}
