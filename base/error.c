/* Fills in errors, cuts out the source line around a fault, and formats an error as text for
 * people. */
#include "error.h"

#include "text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Number of bytes of a source line that are shown, and the number of these bytes that come before
 * the fault. The line fits a terminal of 110 columns. */
#define SHOWN_BYTES  100u
#define BEFORE_BYTES 60u

int cm_status_exit_code(enum cm_status status)
{
    switch (status) {
    case CM_OK:
        return 0;
    case CM_CHECK_FAILED:
        return 1;
    case CM_USAGE:
        return 2;
    case CM_BAD_INPUT:
    case CM_FAULT:
        return 3;
    case CM_IO:
        return 4;
    case CM_NO_MEMORY:
    case CM_INTERNAL:
        return 5;
    case CM_INTERRUPTED:
        return 130;
    }
    return 5;
}

/* Formats a message into `out`. Unprintable characters are escaped, and the text is cut to `size`.
 */
CM_PRINTF(3, 0)
static void format_clean(char *out, size_t size, const char *format, va_list arguments)
{
    char raw[2048];
    int length = vsnprintf(raw, sizeof raw, format, arguments);
    if (length < 0)
        length = 0;
    size_t copied = (size_t)length < sizeof raw ? (size_t)length : sizeof raw - 1;
    cm_text_clean(out, size, raw, copied);
}

/* Stores the name of the file. The end of a long path is kept, because it distinguishes files best.
 */
static void set_file(struct cm_error *err, const char *file)
{
    char clean[5 * sizeof err->file]; /* escaping makes at most four bytes of one */
    size_t length = strlen(file), limit = sizeof err->file - 1;
    size_t skip = length > limit ? cm_utf8_floor(file, length - limit) : 0;
    size_t used = cm_text_clean(clean, sizeof clean, file + skip, length - skip);
    if (skip == 0 && used <= limit) {
        memcpy(err->file, clean, used + 1);
        return;
    }
    size_t from = used - (limit - 3);
    while (((unsigned char)clean[from] & 0xc0) == 0x80)
        from++;
    memcpy(err->file, "...", 3);
    memcpy(err->file + 3, clean + from, used - from + 1);
}

/* Place of a fault in a file. */
struct place {
    const char *file; /* NULL: no place */
    uint32_t line, column;
};

CM_PRINTF(4, 0)
static void fill(struct cm_error *err, enum cm_status status, struct place place,
                 const char *format, va_list arguments)
{
    if (!err)
        return;
    err->status = status;
    err->file[0] = '\0';
    if (place.file)
        set_file(err, place.file);
    err->line = place.line;
    err->column = place.column;
    err->hint[0] = err->source[0] = '\0';
    err->caret = 0;
    format_clean(err->message, sizeof err->message, format, arguments);
}

enum cm_status cm_error_set(struct cm_error *err, enum cm_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fill(err, status, (struct place){NULL, 0, 0}, format, arguments);
    va_end(arguments);
    return status;
}

enum cm_status cm_error_refuse(struct cm_error *err, const char *hint, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fill(err, CM_BAD_INPUT, (struct place){NULL, 0, 0}, format, arguments);
    va_end(arguments);
    cm_error_hint(err, "%s", hint);
    return CM_BAD_INPUT;
}

enum cm_status cm_error_no_memory(struct cm_error *err)
{
    return cm_error_set(err, CM_NO_MEMORY, "out of memory");
}

enum cm_status cm_error_at(struct cm_error *err, enum cm_status status, const char *file,
                           uint32_t line, uint32_t column, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fill(err, status, (struct place){file, line, column}, format, arguments);
    va_end(arguments);
    return status;
}

enum cm_status cm_error_hint(struct cm_error *err, const char *format, ...)
{
    if (!err)
        return CM_INTERNAL;
    va_list arguments;
    va_start(arguments, format);
    format_clean(err->hint, sizeof err->hint, format, arguments);
    va_end(arguments);
    return err->status;
}

/* Finds a line by its number from 1, without its line ending. Returns false if the text has fewer
 * lines. */
static bool find_line(const char *text, size_t length, uint32_t line, const char **start,
                      size_t *line_length)
{
    const char *at = text, *end = text + length;
    for (uint32_t i = 1; i < line; i++) {
        const char *newline = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
        if (!newline)
            return false;
        at = newline + 1;
    }
    const char *newline = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
    const char *stop = newline ? newline : end;
    if (stop > at && stop[-1] == '\r')
        stop--;
    *start = at;
    *line_length = (size_t)(stop - at);
    return true;
}

/* Copies bytes [from, to) of the line into err->source. A character that a terminal would obey
 * becomes '?'. */
static void copy_shown(struct cm_error *err, size_t *used, const char *line, size_t from, size_t to,
                       size_t fault)
{
    for (size_t at = from; at < to;) {
        uint32_t c = 0;
        size_t n = cm_utf8_decode(line + at, to - at, &c);
        if (n > 0 && (c == '\t' || cm_text_is_printable(c))) {
            memcpy(err->source + *used, line + at, n);
            *used += n;
        } else {
            err->source[(*used)++] = '?';
            n = n > 0 ? n : 1;
        }
        at += n;
        if (at <= fault)
            err->caret++;
    }
}

void cm_error_source(struct cm_error *err, const char *text, size_t length)
{
    const char *line;
    size_t bytes;
    if (!err || err->line == 0 || !text || !find_line(text, length, err->line, &line, &bytes))
        return;
    size_t fault = err->column > 0 ? err->column - 1 : 0;
    if (fault > bytes)
        fault = bytes;
    size_t from = 0, to = bytes;
    if (bytes > SHOWN_BYTES) {
        from = fault > BEFORE_BYTES ? fault - BEFORE_BYTES : 0;
        if (from > bytes - SHOWN_BYTES)
            from = bytes - SHOWN_BYTES;
        to = from + SHOWN_BYTES;
        from = cm_utf8_floor(line, from);
        to = to < bytes ? cm_utf8_floor(line, to) : bytes;
    }
    size_t used = 0;
    err->caret = 0;
    if (from > 0) {
        memcpy(err->source, "...", 3);
        used = err->caret = 3;
    }
    copy_shown(err, &used, line, from, to, fault);
    if (to < bytes) {
        memcpy(err->source + used, "...", 3);
        used += 3;
    }
    err->source[used] = '\0';
}

/* Output buffer of cm_error_format, and the length that the whole text needs, which may exceed the
 * buffer. */
struct writer {
    char *buffer;
    size_t size;
    size_t length;
};

CM_PRINTF(2, 3)
static void put(struct writer *w, const char *format, ...)
{
    va_list arguments;
    size_t used = w->length < w->size ? w->length : w->size;
    va_start(arguments, format);
    char *end = used > 0 ? w->buffer + used : w->buffer; /* the buffer may be NULL with size 0 */
    int length = vsnprintf(end, w->size - used, format, arguments);
    va_end(arguments);
    w->length += length > 0 ? (size_t)length : 0;
}

/* Writes a caret under the character at the fault. Tabs are repeated, so that the caret lines up on
 * every terminal. */
static void put_caret(struct writer *w, const char *source, uint32_t caret)
{
    size_t length = strlen(source);
    for (size_t at = 0; at < length && caret > 0; caret--) {
        uint32_t c = '?';
        size_t n = cm_utf8_decode(source + at, length - at, &c);
        at += n > 0 ? n : 1;
        put(w, "%*s", c == '\t' ? 0 : (int)cm_text_width(c), c == '\t' ? "\t" : "");
    }
    put(w, "^\n");
}

size_t cm_error_format(const struct cm_error *err, char *buffer, size_t size)
{
    struct writer w = {buffer, size, 0};
    if (err->file[0])
        put(&w, "%s:", err->file);
    if (err->line > 0)
        put(&w, "%u:", (unsigned)err->line);
    if (err->line > 0 && err->column > 0)
        put(&w, "%u:", (unsigned)err->column);
    put(&w, "%s%s\n", err->file[0] || err->line > 0 ? " " : "", err->message);
    if (err->source[0])
        put(&w, "%s\n", err->source);
    if (err->source[0] && err->column > 0)
        put_caret(&w, err->source, err->caret);
    if (err->hint[0])
        put(&w, "hint: %s\n", err->hint);
    return w.length;
}
