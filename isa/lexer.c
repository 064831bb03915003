/* Tokens of one line of assembly text. Numbers are read with the same result in every locale. */
#include "lexer.h"

#include "../base/text.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool is_comment(char c)
{
    return c == ';' || c == '#';
}

/* Returns a description of what is wrong with the character at `s`, or NULL if it is allowed.
 * Writes the length of the character in bytes to *length. */
static const char *character_fault(const char *s, size_t left, bool comment, size_t *length)
{
    uint32_t code = 0;
    *length = cm_utf8_decode(s, left, &code);
    if (s[0] == '\0')
        return "NUL byte in the text";
    if (*length == 0)
        return "invalid UTF-8 in the text";
    if (*length > 1 && !comment)
        return "a character that is not ASCII, outside a comment";
    if (s[0] == '\r' && left == 1)
        return NULL; /* lines may end in CR LF */
    if ((code < ' ' && code != '\t') || code == 0x7f)
        return "control character in the text";
    return NULL;
}

const char *cm_lexer_check(const char *line, size_t length, uint32_t *column)
{
    bool comment = false;
    size_t i = 0;
    while (i < length && i < CM_ASM_LINE_MAX) {
        size_t character = 1;
        comment = comment || is_comment(line[i]);
        const char *fault = character_fault(line + i, length - i, comment, &character);
        if (fault) {
            *column = (uint32_t)i + 1;
            return fault;
        }
        i += character;
    }
    *column = CM_ASM_LINE_MAX + 1;
    return length > CM_ASM_LINE_MAX ? "the line is longer than 1000 bytes" : NULL;
}

void cm_lexer_init(struct cm_lexer *lexer, const char *line, size_t length)
{
    *lexer = (struct cm_lexer){.line = line, .length = length, .at = 0};
}

static char peek(const struct cm_lexer *lexer)
{
    return lexer->at < lexer->length ? lexer->line[lexer->at] : '\0';
}

static bool integer_value(const struct cm_token *token, unsigned base, int64_t *value)
{
    *value = 0;
    for (size_t i = base == 16 ? 2 : 0; i < token->length; i++) {
        char c = token->start[i];
        unsigned digit = 99;
        if (is_digit(c))
            digit = (unsigned)(c - '0');
        else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
            digit = (unsigned)((c | 0x20) - 'a') + 10;
        if (digit >= base)
            return false;
        *value = *value * base + digit;
        if (*value > CM_TOKEN_HUGE)
            *value = CM_TOKEN_HUGE;
    }
    return true;
}

/* Returns the value of a floating-point number. strtof alone would use the decimal point of the
 * user's locale. */
static float float_value(const char *text, char **end)
{
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c_locale == (locale_t)0)
        return strtof(text, end);
    float value = strtof_l(text, end, c_locale);
    freelocale(c_locale);
    return value;
}

/* Converts a token to a floating-point number: digits, an optional fraction, an optional exponent,
 * and a final 'f'. A token of another form becomes CM_TOKEN_BAD. */
static void read_float(struct cm_token *token)
{
    char text[64];
    size_t digits = token->length - 1;
    token->kind = CM_TOKEN_BAD;
    token->fault = "malformed number";
    if (token->start[digits] != 'f' || digits >= sizeof text)
        return;
    memcpy(text, token->start, digits);
    text[digits] = '\0';
    if (strspn(text, "0123456789.eE+-") != digits)
        return;
    char *end = NULL;
    float value = float_value(text, &end);
    if (end != text + digits)
        return;
    if (isinf(value)) {
        token->fault = "number too large for 32 bits";
        return;
    }
    uint32_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    token->kind = CM_TOKEN_FLOAT;
    token->fault = NULL;
    token->value = bits;
}

static void read_number(struct cm_lexer *lexer, struct cm_token *token)
{
    size_t start = lexer->at;
    bool hex = lexer->length - start > 2 && lexer->line[start] == '0' &&
               (lexer->line[start + 1] | 0x20) == 'x';
    for (; lexer->at < lexer->length; lexer->at++) {
        char c = lexer->line[lexer->at];
        bool exponent_sign =
            (c == '+' || c == '-') && !hex && (lexer->line[lexer->at - 1] | 0x20) == 'e';
        if (!is_digit(c) && !is_letter(c) && c != '.' && !exponent_sign)
            break;
    }
    token->length = lexer->at - start;
    token->kind = CM_TOKEN_INTEGER;
    if (!integer_value(token, hex ? 16 : 10, &token->value))
        read_float(token);
}

/* Skips blanks and begins a token. Its kind is the end of the line until the caller finds another
 * kind. */
static struct cm_token begin_token(struct cm_lexer *lexer)
{
    while (lexer->at < lexer->length && is_blank(peek(lexer)))
        lexer->at++;
    return (struct cm_token){
        .kind = CM_TOKEN_END, .start = lexer->line + lexer->at, .column = (uint32_t)lexer->at + 1};
}

struct cm_token cm_lexer_next(struct cm_lexer *lexer)
{
    struct cm_token token = begin_token(lexer);
    if (lexer->at >= lexer->length || is_comment(peek(lexer)))
        return token;
    if (is_digit(peek(lexer))) {
        read_number(lexer, &token);
        return token;
    }
    token.kind = is_letter(peek(lexer)) ? CM_TOKEN_NAME : CM_TOKEN_PUNCTUATION;
    do
        lexer->at++;
    while (token.kind == CM_TOKEN_NAME && (is_letter(peek(lexer)) || is_digit(peek(lexer))));
    token.length = (size_t)(lexer->line + lexer->at - token.start);
    return token;
}

struct cm_token cm_lexer_next_word(struct cm_lexer *lexer)
{
    struct cm_token token = begin_token(lexer);
    while (lexer->at < lexer->length && !is_blank(peek(lexer)) && !is_comment(peek(lexer)))
        lexer->at++;
    token.length = (size_t)(lexer->line + lexer->at - token.start);
    if (token.length > 0)
        token.kind = CM_TOKEN_NAME;
    return token;
}

bool cm_token_is(const struct cm_token *token, char punctuation)
{
    return token->kind == CM_TOKEN_PUNCTUATION && token->start[0] == punctuation;
}
