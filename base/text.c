/* Decodes strict UTF-8, and makes text of unknown origin printable for a message. */
#include "text.h"

#include <stdio.h>
#include <string.h>

/* [length of a sequence in bytes]: lowest code point that needs this length. A lower code point in
 * a sequence of this length is an overlong form (RFC 3629, section 3). */
static const uint32_t lowest_codepoint[5] = {0, 0, 0x80, 0x800, 0x10000};

static size_t sequence_length(unsigned char lead)
{
    if (lead < 0x80)
        return 1;
    if (lead >= 0xc2 && lead <= 0xdf)
        return 2;
    if (lead >= 0xe0 && lead <= 0xef)
        return 3;
    if (lead >= 0xf0 && lead <= 0xf4)
        return 4;
    return 0;
}

size_t cm_utf8_decode(const char *bytes, size_t length, uint32_t *codepoint)
{
    if (length == 0)
        return 0;
    unsigned char lead = (unsigned char)bytes[0];
    size_t count = sequence_length(lead);
    if (count == 0 || count > length)
        return 0;
    uint32_t value = count == 1 ? lead : lead & (0x7fu >> count);
    for (size_t i = 1; i < count; i++) {
        unsigned char next = (unsigned char)bytes[i];
        if ((next & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (next & 0x3f);
    }
    bool surrogate = value >= 0xd800 && value <= 0xdfff;
    if (value < lowest_codepoint[count] || surrogate || value > 0x10ffff)
        return 0;
    *codepoint = value;
    return count;
}

size_t cm_utf8_floor(const char *text, size_t offset)
{
    for (int back = 0; back < 3 && offset > 0; back++) {
        if (((unsigned char)text[offset] & 0xc0) != 0x80)
            break;
        offset--;
    }
    return offset;
}

bool cm_text_is_printable(uint32_t c)
{
    if (c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0xfeff)
        return false;
    /* line and paragraph separators, bidirectional embeddings, overrides and isolates */
    return !((c >= 0x200e && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
             (c >= 0x2066 && c <= 0x2069));
}

struct span {
    uint32_t first, last;
};

static bool spans_hold(const struct span *spans, size_t count, uint32_t c)
{
    for (size_t i = 0; i < count; i++)
        if (c >= spans[i].first && c <= spans[i].last)
            return true;
    return false;
}

uint32_t cm_text_width(uint32_t c)
{
    /* Ranges of wide characters (Unicode's EastAsianWidth W and F) and of combining marks. Only
     * blocks that matter in practice are listed. */
    static const struct span wide[] = {
        {0x1100, 0x115f},   {0x2e80, 0xa4cf},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},
        {0xfe30, 0xfe6f},   {0xff00, 0xff60},   {0xffe0, 0xffe6},   {0x1f300, 0x1f64f},
        {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd},
    };
    static const struct span zero[] = {
        {0x0300, 0x036f}, {0x200b, 0x200d}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}};
    if (spans_hold(zero, sizeof zero / sizeof zero[0], c))
        return 0;
    return spans_hold(wide, sizeof wide / sizeof wide[0], c) ? 2 : 1;
}

/* Writes the printable form of the character or stray byte at `bytes`. Returns the number of input
 * bytes that it represents. */
static size_t clean_one(char out[16], size_t *written, const char *bytes, size_t length)
{
    uint32_t c = 0;
    size_t taken = cm_utf8_decode(bytes, length, &c);
    if (taken > 0 && cm_text_is_printable(c)) {
        memcpy(out, bytes, taken);
        *written = taken;
        return taken;
    }
    int n;
    bool short_control = c == '\n' || c == '\t' || c == '\r';
    if (taken == 0 || (c < 0x80 && !short_control))
        n = snprintf(out, 16, "\\x%02x", (unsigned)(unsigned char)bytes[0]);
    else if (short_control)
        n = snprintf(out, 16, "\\%c", c == '\n' ? 'n' : c == '\t' ? 't' : 'r');
    else
        n = snprintf(out, 16, "\\u%04x", (unsigned)c);
    *written = (size_t)n;
    return taken == 0 ? 1 : taken;
}

size_t cm_text_clean(char *out, size_t size, const char *bytes, size_t length)
{
    size_t used = 0, safe = 0; /* `safe`: largest length of the output that leaves room for "..." */
    for (size_t at = 0; at < length;) {
        char one[16];
        size_t n;
        at += clean_one(one, &n, bytes + at, length - at);
        if (used + n + 1 > size) {
            memcpy(out + safe, "...", 4);
            return safe + 3;
        }
        memcpy(out + used, one, n);
        used += n;
        if (used + 4 <= size)
            safe = used;
    }
    out[used] = '\0';
    return used;
}

void cm_text_clean_lines(struct cm_buffer *out, const char *bytes, size_t length)
{
    for (size_t at = 0; at < length;) {
        char one[16] = {bytes[at]};
        size_t n = 1;
        if (bytes[at] == '\n' || bytes[at] == '\t')
            at++;
        else
            at += clean_one(one, &n, bytes + at, length - at);
        cm_buffer_append(out, one, n);
    }
}

bool cm_text_is_clean(const char *text)
{
    size_t length = strlen(text), taken;
    uint32_t c;
    for (size_t at = 0; at < length; at += taken) {
        taken = cm_utf8_decode(text + at, length - at, &c);
        if (taken == 0 || !cm_text_is_printable(c))
            return false;
    }
    return true;
}

struct cm_quote cm_text_quote(const char *bytes, size_t length)
{
    struct cm_quote quote;
    quote.text[0] = '"';
    size_t used = 1 + cm_text_clean(quote.text + 1, sizeof quote.text - 2, bytes, length);
    quote.text[used] = '"';
    quote.text[used + 1] = '\0';
    return quote;
}

struct cm_quote cm_text_clip(const char *bytes, size_t length)
{
    struct cm_quote quote;
    cm_text_clean(quote.text, sizeof quote.text, bytes, length);
    return quote;
}

const char *cm_text_number(const char *text, uint64_t *number)
{
    const char *at = text;
    for (*number = 0; *at >= '0' && *at <= '9'; at++) {
        unsigned digit = (unsigned)(*at - '0');
        if (*number > (UINT64_MAX - digit) / 10)
            return NULL;
        *number = *number * 10 + digit;
    }
    return at == text || (*text == '0' && at > text + 1) ? NULL : at;
}

const char *cm_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}
