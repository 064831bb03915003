/*
 * Scans the tokens of RFC 8259, and checks the structure of a text. A state machine runs over the
 * tokens. Its stack is the chain of parents of the value that is being read. Each kind of fault has
 * its own message.
 */
#include "json_document.h"
#include "list.h"
#include "text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A number token of at most this length, without an exponent, is certainly finite as a double. The
 * largest double has 309 digits. */
#define FINITE_DIGITS 300u

enum state {
    WANT_VALUE, /* exactly one value */
    WANT_FIRST, /* after an opening bracket: a first member or element, or the closing bracket */
    WANT_KEY,
    WANT_COMMA, /* after a member or element: a comma, or the closing bracket */
    DONE,       /* after the root value */
};

struct scanner {
    const char *name;
    const char *text;
    uint32_t length;
    uint32_t at; /* offset of the next token. Once the token is read, offset of its end */
    struct cm_json_scan *scan;
    struct cm_error *err;
    enum state state;
    uint32_t parent; /* innermost open container */
    uint32_t depth;  /* number of open containers */
    uint32_t key;    /* key of the next value */
};

void cm_json_scan_finish(struct cm_json_scan *scan)
{
    free(scan->values);
    free(scan->lines);
    *scan = (struct cm_json_scan){0};
}

void cm_json_scan_position(const struct cm_json_scan *scan, uint32_t offset, uint32_t *line,
                           uint32_t *column)
{
    uint32_t low = 0, high = scan->line_count; /* invariant: lines[low] <= offset < lines[high] */
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (scan->lines[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    *line = low + 1;
    *column = offset - scan->lines[low] + 1;
}

static unsigned char byte_at(const struct scanner *s, uint32_t offset)
{
    return offset < s->length ? (unsigned char)s->text[offset] : 0;
}

static bool is_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

/* Returns true if a character can be part of a misspelt word or number. Messages quote such a word
 * as a whole. */
static bool is_word(unsigned char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '.' || c == '+' || c == '-' || c == '$';
}

static uint32_t word_end(const struct scanner *s, uint32_t offset)
{
    while (is_word(byte_at(s, offset)))
        offset++;
    return offset;
}

static struct cm_quote found_at(const struct scanner *s, uint32_t offset)
{
    struct cm_quote quote;
    uint32_t codepoint;
    size_t left = s->length - offset;
    if (left == 0)
        snprintf(quote.text, sizeof quote.text, "the end of the file");
    else if (s->text[offset] == '"')
        snprintf(quote.text, sizeof quote.text, "a string");
    else if (is_word(byte_at(s, offset)))
        quote = cm_text_quote(s->text + offset, word_end(s, offset) - offset);
    else if (cm_utf8_decode(s->text + offset, left, &codepoint) == 0 ||
             !cm_text_is_printable(codepoint))
        snprintf(quote.text, sizeof quote.text, "the byte 0x%02x", byte_at(s, offset));
    else
        quote = cm_text_quote(s->text + offset, cm_utf8_decode(s->text + offset, left, &codepoint));
    return quote;
}

CM_PRINTF(3, 4)
static enum cm_status fail_at(const struct scanner *s, uint32_t offset, const char *format, ...)
{
    char message[512];
    uint32_t line, column;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    cm_json_scan_position(s->scan, offset, &line, &column);
    cm_error_at(s->err, CM_BAD_INPUT, s->name, line, column, "%s", message);
    cm_error_source(s->err, s->text, s->length);
    return CM_BAD_INPUT;
}

static enum cm_status begin_line(struct scanner *s, uint32_t offset)
{
    struct cm_json_scan *scan = s->scan;
    if (!cm_array_room(scan->lines, scan->line_count, scan->line_capacity))
        return cm_error_no_memory(s->err);
    scan->lines[scan->line_count++] = offset;
    return CM_OK;
}

static enum cm_status skip_space(struct scanner *s)
{
    for (;; s->at++) {
        unsigned char c = byte_at(s, s->at);
        if (c == '\n') {
            enum cm_status status = begin_line(s, s->at + 1);
            if (status != CM_OK)
                return status;
        } else if (c != ' ' && c != '\t' && c != '\r') {
            return CM_OK;
        }
    }
}

/* Reads the four digits of a \uXXXX escape. `offset` is the offset of the backslash. */
static enum cm_status read_unicode(const struct scanner *s, uint32_t offset, uint32_t *value)
{
    *value = 0;
    for (uint32_t i = offset + 2; i < offset + 6; i++) {
        unsigned char c = byte_at(s, i);
        uint32_t digit;
        if (is_digit(c))
            digit = (uint32_t)(c - '0');
        else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
            digit = (uint32_t)((c | 0x20) - 'a' + 10);
        else
            return fail_at(s, offset, "\\u must be followed by four hexadecimal digits");
        *value = *value << 4 | digit;
    }
    return CM_OK;
}

/* Reads a \uXXXX escape, or two such escapes, a surrogate pair, for a character beyond U+FFFF. */
static enum cm_status unicode_escape(struct scanner *s, bool *has_nul)
{
    uint32_t start = s->at, high, low;
    enum cm_status status = read_unicode(s, start, &high);
    if (status != CM_OK)
        return status;
    s->at += 6;
    *has_nul |= high == 0;
    if (high < 0xd800 || high > 0xdfff)
        return CM_OK;
    bool pair = high <= 0xdbff && byte_at(s, s->at) == '\\' && byte_at(s, s->at + 1) == 'u';
    if (pair) {
        status = read_unicode(s, s->at, &low);
        if (status != CM_OK)
            return status;
        s->at += 6;
        pair = low >= 0xdc00 && low <= 0xdfff;
    }
    if (pair)
        return CM_OK;
    fail_at(s, start, "the escape \\u%04x is one half of a surrogate pair alone", (unsigned)high);
    cm_error_hint(s->err, "characters beyond U+FFFF are written as a pair, such as \\ud83d\\ude00");
    return CM_BAD_INPUT;
}

static enum cm_status escape(struct scanner *s, bool *has_nul)
{
    unsigned char c = byte_at(s, s->at + 1);
    if (c == 'u')
        return unicode_escape(s, has_nul);
    if (c != '\0' && strchr("\"\\/bfnrt", c)) {
        s->at += 2;
        return CM_OK;
    }
    fail_at(s, s->at, "unknown escape \\ followed by %s", found_at(s, s->at + 1).text);
    cm_error_hint(s->err, "a backslash itself is written \\\\");
    return CM_BAD_INPUT;
}

static enum cm_status raw_control(const struct scanner *s, uint32_t start)
{
    unsigned char c = byte_at(s, s->at);
    if (s->at >= s->length)
        return fail_at(s, start, "the string that begins here is not closed");
    if (c == '\0')
        return fail_at(s, s->at, "a NUL byte in a string");
    if (c == '\n' || c == '\r')
        fail_at(s, start, "the string that begins here is not closed on its line");
    else
        fail_at(s, s->at, "a raw control character (0x%02x) in a string", c);
    if (c == '\n' || c == '\r')
        cm_error_hint(s->err, "close it with a double quote; a line break in it is written \\n");
    else
        cm_error_hint(s->err, c == '\t' ? "a tab is written \\t" : "write it as \\u%04x", c);
    return CM_BAD_INPUT;
}

static enum cm_status read_string(struct scanner *s, bool *has_nul)
{
    uint32_t start = s->at++;
    for (;;) {
        unsigned char c = byte_at(s, s->at);
        if (c == '"')
            break;
        if (c < 0x20)
            return raw_control(s, start);
        if (c == '\\') {
            enum cm_status status = escape(s, has_nul);
            if (status != CM_OK)
                return status;
        } else if (c < 0x80) {
            s->at++;
        } else {
            uint32_t codepoint;
            size_t n = cm_utf8_decode(s->text + s->at, s->length - s->at, &codepoint);
            if (n == 0)
                return fail_at(s, s->at,
                               "invalid UTF-8: the byte 0x%02x does not begin a character", c);
            s->at += (uint32_t)n;
        }
    }
    s->at++;
    return CM_OK;
}

static enum cm_status bad_number(const struct scanner *s, uint32_t start, const char *why)
{
    uint32_t end = word_end(s, start);
    struct cm_quote token = cm_text_clip(s->text + start, end - start);
    return fail_at(s, start, "malformed number %s: %s", token.text, why);
}

/* Skips digits. Returns false if there is no digit. */
static bool skip_digits(struct scanner *s)
{
    uint32_t start = s->at;
    while (is_digit(byte_at(s, s->at)))
        s->at++;
    return s->at > start;
}

static enum cm_status read_number(struct scanner *s)
{
    uint32_t start = s->at;
    bool has_exponent = false;
    if (byte_at(s, s->at) == '-')
        s->at++;
    uint32_t first = s->at;
    if (!skip_digits(s))
        return bad_number(s, start, "a digit must follow the sign");
    if (byte_at(s, first) == '0' && s->at > first + 1)
        return bad_number(s, start, "it must not begin with a zero");
    if (byte_at(s, s->at) == '.') {
        s->at++;
        if (!skip_digits(s))
            return bad_number(s, start, "a digit must follow the point");
    }
    if ((byte_at(s, s->at) | 0x20) == 'e') {
        has_exponent = true;
        s->at++;
        if (byte_at(s, s->at) == '-' || byte_at(s, s->at) == '+')
            s->at++;
        if (!skip_digits(s))
            return bad_number(s, start, "its exponent has no digit");
    }
    if (is_word(byte_at(s, s->at)))
        return bad_number(s, start, "JSON has decimal numbers only");
    uint32_t length = s->at - start;
    if ((has_exponent || length > FINITE_DIGITS) && !isfinite(cm_number_double(s->text + start)))
        return fail_at(s, start, "the number %s is too large: at most about 1.8e308",
                       cm_text_clip(s->text + start, length).text);
    if (length > CM_JSON_LONG_NUMBER)
        s->scan->has_long_number = true;
    return CM_OK;
}

static bool is_one_of(const char *text, size_t length, const char *const *words)
{
    for (; *words; words++)
        if (strlen(*words) == length && memcmp(text, *words, length) == 0)
            return true;
    return false;
}

/* Returns whether the last token before an offset is a comma. */
static bool behind_comma(const struct scanner *s, uint32_t offset)
{
    while (offset > 0 && strchr(" \t\r\n", s->text[offset - 1]))
        offset--;
    return offset > 0 && s->text[offset - 1] == ',';
}

/* Adds a hint about a common mistake: literals of other languages (True, None, NaN), text without
 * double quotes, comments, a comma after the last value. */
static void hint_for_value(const struct scanner *s, const char *text, size_t length)
{
    static const char *const literals[] = {"True", "False",     "TRUE", "FALSE", "None",
                                           "NULL", "undefined", "nil",  "Null",  NULL};
    static const char *const not_finite[] = {"NaN",  "nan",       "Infinity",  "inf",  "Inf",
                                             "-inf", "-Infinity", "+Infinity", "-nan", NULL};
    char c = length > 0 ? text[0] : '\0';
    if (is_one_of(text, length, literals))
        cm_error_hint(s->err, "JSON writes true, false and null in lower case");
    else if (is_one_of(text, length, not_finite))
        cm_error_hint(s->err, "JSON has no infinity and no NaN");
    else if (c == '+' || c == '.')
        cm_error_hint(s->err, "a number begins with a digit or a minus sign");
    else if (is_word((unsigned char)c) || c == '\'')
        cm_error_hint(s->err, "text needs double quotes");
    else if (c == '/' || c == '#')
        cm_error_hint(s->err, "JSON has no comments");
    else if (c == ']' && behind_comma(s, s->at))
        cm_error_hint(s->err, "JSON does not allow a comma after the last value");
}

static enum cm_status read_word(struct scanner *s, enum cm_json_kind *kind)
{
    static const char *const booleans[] = {"true", "false", NULL};
    static const char *const nulls[] = {"null", NULL};
    uint32_t end = word_end(s, s->at);
    const char *text = s->text + s->at;
    size_t length = end - s->at;
    if (is_one_of(text, length, booleans)) {
        *kind = CM_JSON_BOOL;
    } else if (is_one_of(text, length, nulls)) {
        *kind = CM_JSON_NULL;
    } else {
        fail_at(s, s->at, "expected a value, found %s", found_at(s, s->at).text);
        hint_for_value(s, text, length > 0 ? length : s->at < s->length);
        return CM_BAD_INPUT;
    }
    s->at = end;
    return CM_OK;
}

static bool in_object(const struct scanner *s)
{
    return s->parent != CM_JSON_NONE && s->scan->values[s->parent].kind == CM_JSON_OBJECT;
}

/* Reports an unexpected token. At the end of the text the message also says where the open
 * container began. */
static enum cm_status fail_unclosed(struct scanner *s, const char *expected)
{
    const struct cm_json_scan *scan = s->scan;
    uint32_t line, column;
    fail_at(s, s->at, "expected %s, found %s", expected, found_at(s, s->at).text);
    if (s->at == s->length && s->parent != CM_JSON_NONE) {
        cm_json_scan_position(scan, scan->values[s->parent].start, &line, &column);
        cm_error_hint(s->err, "the %s that begins at line %u, column %u is not closed",
                      in_object(s) ? "object" : "array", (unsigned)line, (unsigned)column);
    }
    return CM_BAD_INPUT;
}

static enum cm_status add_value(struct scanner *s, struct cm_json_value **value)
{
    struct cm_json_scan *scan = s->scan;
    if (!cm_array_room(scan->values, scan->count, scan->capacity))
        return cm_error_no_memory(s->err);
    if (s->parent != CM_JSON_NONE)
        scan->values[s->parent].count++;
    if (s->key != CM_JSON_NONE)
        scan->member_count++;
    *value = &scan->values[scan->count++];
    **value = (struct cm_json_value){.start = s->at, .key = s->key, .parent = s->parent};
    s->key = CM_JSON_NONE;
    return CM_OK;
}

static enum cm_status open_container(struct scanner *s, struct cm_json_value *value,
                                     enum cm_json_kind kind)
{
    if (s->depth == CM_JSON_MAX_DEPTH)
        return fail_at(s, s->at, "nested deeper than %u levels", CM_JSON_MAX_DEPTH);
    value->kind = (uint8_t)kind;
    s->parent = s->scan->count - 1;
    s->depth++;
    s->at++;
    s->state = WANT_FIRST;
    return CM_OK;
}

static void close_container(struct scanner *s)
{
    struct cm_json_value *container = &s->scan->values[s->parent];
    container->end = ++s->at;
    s->parent = container->parent;
    s->depth--;
    s->state = s->depth > 0 ? WANT_COMMA : DONE;
}

static enum cm_status scan_value(struct scanner *s)
{
    struct cm_json_value *value = NULL;
    enum cm_status status = add_value(s, &value);
    if (status != CM_OK)
        return status;
    char c = s->text[s->at];
    if (c == '{' || c == '[')
        return open_container(s, value, c == '{' ? CM_JSON_OBJECT : CM_JSON_ARRAY);
    enum cm_json_kind kind = CM_JSON_STRING;
    if (c == '"') {
        status = read_string(s, &value->has_nul);
    } else if (c == '-' || (c >= '0' && c <= '9')) {
        kind = CM_JSON_NUMBER;
        status = read_number(s);
    } else {
        status = read_word(s, &kind);
    }
    value->kind = (uint8_t)kind;
    value->end = s->at;
    s->state = s->depth > 0 ? WANT_COMMA : DONE;
    return status;
}

static enum cm_status scan_key(struct scanner *s)
{
    bool has_nul = false;
    if (s->text[s->at] != '"') {
        enum cm_status status = fail_unclosed(s, "a key in double quotes");
        if (s->text[s->at] == '}')
            cm_error_hint(s->err, "JSON does not allow a comma after the last member");
        return status;
    }
    s->key = s->at;
    enum cm_status status = read_string(s, &has_nul);
    if (status == CM_OK && has_nul)
        return fail_at(s, s->key, "a key with \\u0000 in it");
    if (status == CM_OK)
        status = skip_space(s);
    if (status != CM_OK)
        return status;
    if (s->text[s->at] != ':')
        return fail_unclosed(s, "\":\" after the key");
    s->at++;
    s->state = WANT_VALUE;
    return CM_OK;
}

/* Reads the token after an opening bracket or after a member. */
static enum cm_status scan_separator(struct scanner *s)
{
    char c = s->text[s->at];
    bool object = in_object(s);
    if (s->at < s->length && c == (object ? '}' : ']')) {
        close_container(s);
        return CM_OK;
    }
    if (s->state == WANT_COMMA) {
        if (c != ',')
            return fail_unclosed(s, object ? "\",\" or \"}\"" : "\",\" or \"]\"");
        s->at++;
    } else if (s->at == s->length) {
        return fail_unclosed(s, object ? "a key in double quotes or \"}\"" : "a value or \"]\"");
    }
    s->state = object ? WANT_KEY : WANT_VALUE;
    return CM_OK;
}

static enum cm_status scan_tokens(struct scanner *s)
{
    for (;;) {
        enum cm_status status = skip_space(s);
        if (status == CM_OK && s->state == DONE) {
            if (s->at == s->length)
                return CM_OK;
            return fail_at(s, s->at, "expected the end of the file, found %s",
                           found_at(s, s->at).text);
        }
        if (status == CM_OK)
            status = s->state == WANT_VALUE ? scan_value(s)
                     : s->state == WANT_KEY ? scan_key(s)
                                            : scan_separator(s);
        if (status != CM_OK)
            return status;
    }
}

/* Refuses an empty text, and texts in other encodings or with a byte-order mark, which it
 * recognises by the first bytes. */
static enum cm_status check_start(const struct scanner *s)
{
    const char *text = s->text;
    if (s->length == 0)
        return fail_at(s, 0, "the file is empty; expected a JSON value");
    if (s->length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        fail_at(s, 0,
                "the file begins with a byte order mark (0xef 0xbb 0xbf), "
                "which JSON does not allow");
    else if (s->length >= 2 &&
             (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
        fail_at(s, 0, "the file is UTF-16; JSON must be UTF-8");
    else
        return CM_OK;
    cm_error_hint(s->err, "save it as UTF-8 without a byte order mark");
    return CM_BAD_INPUT;
}

enum cm_status cm_json_scan(const char *name, const char *text, size_t length,
                            struct cm_json_scan *scan, struct cm_error *err)
{
    *scan = (struct cm_json_scan){0};
    /* the error has no position, because no single place is at fault */
    if (length > CM_JSON_MAX_BYTES)
        return cm_error_at(err, CM_BAD_INPUT, name, 0, 0,
                           "the file has %zu bytes; at most %u can be read", length,
                           CM_JSON_MAX_BYTES);
    struct scanner s = {
        .name = name,
        .text = text,
        .length = (uint32_t)length,
        .scan = scan,
        .err = err,
        .state = WANT_VALUE,
        .parent = CM_JSON_NONE,
        .key = CM_JSON_NONE,
    };
    enum cm_status status = begin_line(&s, 0);
    if (status == CM_OK)
        status = check_start(&s);
    if (status == CM_OK)
        status = scan_tokens(&s);
    if (status != CM_OK)
        cm_json_scan_finish(scan);
    return status;
}
