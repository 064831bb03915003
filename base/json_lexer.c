/* The tokens of RFC 8259, each fault with its own message. */
#include "json_lexer.h"

#include "json_number.h"
#include "text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A double holds 309 digits at most before it is infinite; shorter tokens without an exponent need
 * no look. */
#define FINITE_DIGITS 300u

static unsigned char byte_at(const struct cm_json_lexer *lexer, uint32_t offset)
{
    return offset < lexer->length ? (unsigned char)lexer->text[offset] : 0;
}

static bool is_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

/* What a misspelt word or number is made of; a fault is shown as a whole. */
static bool is_word(unsigned char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '.' || c == '+' || c == '-' || c == '$';
}

static uint32_t word_end(const struct cm_json_lexer *lexer, uint32_t offset)
{
    while (is_word(byte_at(lexer, offset)))
        offset++;
    return offset;
}

struct cm_quote cm_json_lexer_found(const struct cm_json_lexer *lexer, uint32_t offset)
{
    struct cm_quote quote;
    uint32_t codepoint;
    size_t left = lexer->length - offset;
    if (left == 0)
        snprintf(quote.text, sizeof quote.text, "the end of the file");
    else if (lexer->text[offset] == '"')
        snprintf(quote.text, sizeof quote.text, "a string");
    else if (is_word(byte_at(lexer, offset)))
        quote = cm_text_quote(lexer->text + offset, word_end(lexer, offset) - offset);
    else if (cm_utf8_decode(lexer->text + offset, left, &codepoint) == 0 ||
             !cm_text_is_printable(codepoint))
        snprintf(quote.text, sizeof quote.text, "the byte 0x%02x", byte_at(lexer, offset));
    else
        quote = cm_text_quote(lexer->text + offset,
                              cm_utf8_decode(lexer->text + offset, left, &codepoint));
    return quote;
}

enum cm_status cm_json_lexer_fail(const struct cm_json_lexer *lexer, uint32_t offset,
                                  const char *format, ...)
{
    char message[512];
    uint32_t line, column;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    cm_json_scan_position(lexer->scan, offset, &line, &column);
    cm_error_at(lexer->err, CM_BAD_INPUT, lexer->name, line, column, "%s", message);
    cm_error_source(lexer->err, lexer->text, lexer->length);
    return CM_BAD_INPUT;
}

enum cm_status cm_json_lexer_no_memory(const struct cm_json_lexer *lexer)
{
    return cm_error_at(lexer->err, CM_NO_MEMORY, lexer->name, 0, 0,
                       "not enough memory to read its %u bytes of JSON", (unsigned)lexer->length);
}

enum cm_status cm_json_lexer_line(struct cm_json_lexer *lexer, uint32_t offset)
{
    struct cm_json_scan *scan = lexer->scan;
    if (scan->line_count == scan->line_capacity) {
        uint32_t capacity = scan->line_capacity > 0 ? scan->line_capacity * 2 : 64;
        uint32_t *lines = realloc(scan->lines, capacity * sizeof *lines);
        if (!lines)
            return cm_json_lexer_no_memory(lexer);
        scan->lines = lines;
        scan->line_capacity = capacity;
    }
    scan->lines[scan->line_count++] = offset;
    return CM_OK;
}

enum cm_status cm_json_lexer_space(struct cm_json_lexer *lexer)
{
    for (;; lexer->at++) {
        unsigned char c = byte_at(lexer, lexer->at);
        if (c == '\n') {
            enum cm_status status = cm_json_lexer_line(lexer, lexer->at + 1);
            if (status != CM_OK)
                return status;
        } else if (c != ' ' && c != '\t' && c != '\r') {
            return CM_OK;
        }
    }
}

/* Reads the four digits of a \uXXXX escape whose backslash stands at `offset`. */
static enum cm_status read_unicode(const struct cm_json_lexer *lexer, uint32_t offset,
                                   uint32_t *value)
{
    *value = 0;
    for (uint32_t i = offset + 2; i < offset + 6; i++) {
        unsigned char c = byte_at(lexer, i);
        uint32_t digit;
        if (is_digit(c))
            digit = (uint32_t)(c - '0');
        else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
            digit = (uint32_t)((c | 0x20) - 'a' + 10);
        else
            return cm_json_lexer_fail(lexer, offset,
                                      "\\u must be followed by four hexadecimal digits");
        *value = *value << 4 | digit;
    }
    return CM_OK;
}

/* \uXXXX, or a pair of them that stands for one character beyond U+FFFF. */
static enum cm_status unicode_escape(struct cm_json_lexer *lexer, bool *has_nul)
{
    uint32_t start = lexer->at, high, low;
    enum cm_status status = read_unicode(lexer, start, &high);
    if (status != CM_OK)
        return status;
    lexer->at += 6;
    *has_nul |= high == 0;
    if (high < 0xd800 || high > 0xdfff)
        return CM_OK;
    bool pair =
        high <= 0xdbff && byte_at(lexer, lexer->at) == '\\' && byte_at(lexer, lexer->at + 1) == 'u';
    if (pair) {
        status = read_unicode(lexer, lexer->at, &low);
        if (status != CM_OK)
            return status;
        lexer->at += 6;
        pair = low >= 0xdc00 && low <= 0xdfff;
    }
    if (pair)
        return CM_OK;
    cm_json_lexer_fail(lexer, start, "the escape \\u%04x is one half of a surrogate pair alone",
                       (unsigned)high);
    cm_error_hint(lexer->err,
                  "characters beyond U+FFFF are written as a pair, such as \\ud83d\\ude00");
    return CM_BAD_INPUT;
}

static enum cm_status escape(struct cm_json_lexer *lexer, bool *has_nul)
{
    unsigned char c = byte_at(lexer, lexer->at + 1);
    if (c == 'u')
        return unicode_escape(lexer, has_nul);
    if (c != '\0' && strchr("\"\\/bfnrt", c)) {
        lexer->at += 2;
        return CM_OK;
    }
    cm_json_lexer_fail(lexer, lexer->at, "unknown escape \\ followed by %s",
                       cm_json_lexer_found(lexer, lexer->at + 1).text);
    cm_error_hint(lexer->err, "a backslash itself is written \\\\");
    return CM_BAD_INPUT;
}

static enum cm_status raw_control(const struct cm_json_lexer *lexer, uint32_t start)
{
    unsigned char c = byte_at(lexer, lexer->at);
    if (lexer->at >= lexer->length)
        return cm_json_lexer_fail(lexer, start, "the string that begins here is not closed");
    if (c == '\0')
        return cm_json_lexer_fail(lexer, lexer->at, "a NUL byte in a string");
    if (c == '\n' || c == '\r')
        cm_json_lexer_fail(lexer, start, "the string that begins here is not closed on its line");
    else
        cm_json_lexer_fail(lexer, lexer->at, "a raw control character (0x%02x) in a string", c);
    if (c == '\n' || c == '\r')
        cm_error_hint(lexer->err,
                      "close it with a double quote; a line break in it is written \\n");
    else
        cm_error_hint(lexer->err, c == '\t' ? "a tab is written \\t" : "write it as \\u%04x", c);
    return CM_BAD_INPUT;
}

enum cm_status cm_json_lexer_string(struct cm_json_lexer *lexer, bool *has_nul)
{
    uint32_t start = lexer->at++;
    for (;;) {
        unsigned char c = byte_at(lexer, lexer->at);
        if (c == '"')
            break;
        if (c < 0x20)
            return raw_control(lexer, start);
        if (c == '\\') {
            enum cm_status status = escape(lexer, has_nul);
            if (status != CM_OK)
                return status;
        } else if (c < 0x80) {
            lexer->at++;
        } else {
            uint32_t codepoint;
            size_t n =
                cm_utf8_decode(lexer->text + lexer->at, lexer->length - lexer->at, &codepoint);
            if (n == 0)
                return cm_json_lexer_fail(
                    lexer, lexer->at, "invalid UTF-8: the byte 0x%02x does not begin a character",
                    c);
            lexer->at += (uint32_t)n;
        }
    }
    lexer->at++;
    return CM_OK;
}

static enum cm_status bad_number(const struct cm_json_lexer *lexer, uint32_t start, const char *why)
{
    uint32_t end = word_end(lexer, start);
    struct cm_quote token = cm_text_clip(lexer->text + start, end - start);
    return cm_json_lexer_fail(lexer, start, "malformed number %s: %s", token.text, why);
}

/* Moves over digits; false when there is no digit. */
static bool skip_digits(struct cm_json_lexer *lexer)
{
    uint32_t start = lexer->at;
    while (is_digit(byte_at(lexer, lexer->at)))
        lexer->at++;
    return lexer->at > start;
}

enum cm_status cm_json_lexer_number(struct cm_json_lexer *lexer)
{
    uint32_t start = lexer->at;
    bool has_exponent = false;
    if (byte_at(lexer, lexer->at) == '-')
        lexer->at++;
    uint32_t first = lexer->at;
    if (!skip_digits(lexer))
        return bad_number(lexer, start, "a digit must follow the sign");
    if (byte_at(lexer, first) == '0' && lexer->at > first + 1)
        return bad_number(lexer, start, "it must not begin with a zero");
    if (byte_at(lexer, lexer->at) == '.') {
        lexer->at++;
        if (!skip_digits(lexer))
            return bad_number(lexer, start, "a digit must follow the point");
    }
    if ((byte_at(lexer, lexer->at) | 0x20) == 'e') {
        has_exponent = true;
        lexer->at++;
        if (byte_at(lexer, lexer->at) == '-' || byte_at(lexer, lexer->at) == '+')
            lexer->at++;
        if (!skip_digits(lexer))
            return bad_number(lexer, start, "its exponent has no digit");
    }
    if (is_word(byte_at(lexer, lexer->at)))
        return bad_number(lexer, start, "JSON has decimal numbers only");
    uint32_t length = lexer->at - start;
    if ((has_exponent || length > FINITE_DIGITS) &&
        !isfinite(cm_number_double(lexer->text + start)))
        return cm_json_lexer_fail(lexer, start, "the number %s is too large: at most about 1.8e308",
                                  cm_text_clip(lexer->text + start, length).text);
    if (length > CM_JSON_LONG_NUMBER)
        lexer->scan->has_long_number = true;
    return CM_OK;
}

static bool is_one_of(const char *text, size_t length, const char *const *words)
{
    for (; *words; words++)
        if (strlen(*words) == length && memcmp(text, *words, length) == 0)
            return true;
    return false;
}

/* Whether the last thing before an offset is a comma. */
static bool behind_comma(const struct cm_json_lexer *lexer, uint32_t offset)
{
    while (offset > 0 && strchr(" \t\r\n", lexer->text[offset - 1]))
        offset--;
    return offset > 0 && lexer->text[offset - 1] == ',';
}

/* A way out for the usual habits of other languages. */
static void hint_for_value(const struct cm_json_lexer *lexer, const char *text, size_t length)
{
    static const char *const literals[] = {"True", "False",     "TRUE", "FALSE", "None",
                                           "NULL", "undefined", "nil",  "Null",  NULL};
    static const char *const not_finite[] = {"NaN",  "nan",       "Infinity",  "inf",  "Inf",
                                             "-inf", "-Infinity", "+Infinity", "-nan", NULL};
    char c = length > 0 ? text[0] : '\0';
    if (is_one_of(text, length, literals))
        cm_error_hint(lexer->err, "JSON writes true, false and null in lower case");
    else if (is_one_of(text, length, not_finite))
        cm_error_hint(lexer->err, "JSON has no infinity and no NaN");
    else if (c == '+' || c == '.')
        cm_error_hint(lexer->err, "a number begins with a digit or a minus sign");
    else if (is_word((unsigned char)c) || c == '\'')
        cm_error_hint(lexer->err, "text needs double quotes");
    else if (c == '/' || c == '#')
        cm_error_hint(lexer->err, "JSON has no comments");
    else if (c == ']' && behind_comma(lexer, lexer->at))
        cm_error_hint(lexer->err, "JSON does not allow a comma behind the last value");
}

enum cm_status cm_json_lexer_word(struct cm_json_lexer *lexer, enum cm_json_kind *kind)
{
    static const char *const booleans[] = {"true", "false", NULL};
    static const char *const nulls[] = {"null", NULL};
    uint32_t end = word_end(lexer, lexer->at);
    const char *text = lexer->text + lexer->at;
    size_t length = end - lexer->at;
    if (is_one_of(text, length, booleans)) {
        *kind = CM_JSON_BOOL;
    } else if (is_one_of(text, length, nulls)) {
        *kind = CM_JSON_NULL;
    } else {
        cm_json_lexer_fail(lexer, lexer->at, "expected a value, found %s",
                           cm_json_lexer_found(lexer, lexer->at).text);
        hint_for_value(lexer, text, length > 0 ? length : lexer->at < lexer->length);
        return CM_BAD_INPUT;
    }
    lexer->at = end;
    return CM_OK;
}
