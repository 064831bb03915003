/*
 * Checks the text of a FORMAT, by recursive descent over its grammar:
 *
 *   list   = item { [,] item }
 *   item   = [n] ( list ) | *( list ) | [n] data | nX | Tn | TLn | TRn | kP | / | : | 'text'
 *          | nHtext | S | SP | SS | BN | BZ | $ | \
 *   data   = Iw[.m] | Zw[.m] | Ow[.m] | Bw[.m] | Fw.d | Ew.d[Ee] | Dw.d | ESw.d[Ee] | ENw.d[Ee]
 *          | Gw.d[Ee] | G0[.d] | Lw | A[w]
 *
 * Blanks count in texts alone. Letters may be lower case.
 */
#include "format.h"

#include "check.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define GROUPS_MAX 16u

struct format {
    const char *at;
    char *fault; /* message about the first fault */
    uint32_t depth;
    uint32_t data_count; /* number of edit descriptors for data so far */
};

static char peek(struct format *format)
{
    while (*format->at == ' ' || *format->at == '\t')
        format->at++;
    return (char)toupper((unsigned char)*format->at);
}

static bool take(struct format *format, char wanted)
{
    if (peek(format) != wanted)
        return false;
    format->at++;
    return true;
}

static bool number(struct format *format, uint32_t *value)
{
    if (!isdigit((unsigned char)peek(format)))
        return false;
    for (*value = 0; isdigit((unsigned char)peek(format)); format->at++)
        *value = *value < 100000 ? *value * 10 + (uint32_t)(*format->at - '0') : *value;
    return true;
}

static bool fail(struct format *format, const char *from, const char *what)
{
    const char *text = *from ? from : "the end";
    snprintf(format->fault, CM_FORTRAN_FAULT_BYTES, "%s in this format: %.12s", what, text);
    return false;
}

static bool skip_text(struct format *format, char quote)
{
    const char *from = format->at++;
    while (*format->at) {
        if (*format->at == quote && format->at[1] == quote)
            format->at += 2;
        else if (*format->at++ == quote)
            return true;
    }
    return fail(format, from, "a text does not end");
}

static bool skip_hollerith(struct format *format, uint32_t count)
{
    const char *from = format->at++;
    for (; count > 0; count--)
        if (!*format->at++) {
            format->at--;
            return fail(format, from, "a text is too short");
        }
    return true;
}

/* Reads the width w, w.d or w.dEe behind the letter of an edit descriptor. `needs` is 1 if w is
 * required, and 2 if .d is required, too. */
static bool widths(struct format *format, const char *from, uint32_t needs, bool exponent)
{
    uint32_t value;
    bool has = number(format, &value);
    if (!has)
        return needs == 0 || fail(format, from, "a width is missing");
    if (take(format, '.')) {
        if (!number(format, &value))
            return fail(format, from, "the digits after the point are missing");
    } else if (needs > 1) {
        return fail(format, from, "the digits after the point are missing");
    }
    if (exponent && peek(format) == 'E') {
        format->at++;
        if (!number(format, &value))
            return fail(format, from, "the width of the exponent is missing");
    }
    return true;
}

static bool tab(struct format *format, const char *from)
{
    uint32_t value;
    if (!take(format, 'L'))
        (void)take(format, 'R');
    return number(format, &value) || fail(format, from, "a column is missing");
}

static bool data(struct format *format)
{
    const char *from = format->at;
    char letter = peek(format);
    if (letter)
        format->at++;
    format->data_count++;
    switch (letter) {
    case 'I':
    case 'L':
    case 'Z':
    case 'O':
    case 'B':
        return widths(format, from, 1, false);
    case 'F':
        return widths(format, from, 2, false);
    case 'E':
        if (!take(format, 'S'))
            (void)take(format, 'N');
        return widths(format, from, 2, true);
    case 'D':
        return widths(format, from, 2, false);
    case 'G':
        return widths(format, from, peek(format) == '0' ? 1 : 2, true);
    case 'A':
        return widths(format, from, 0, false);
    default:
        format->at = from;
        return fail(format, from, "an edit descriptor is not supported");
    }
}

static bool list(struct format *format);

/* Reads an item of a format that may follow a repeat count. */
static bool counted(struct format *format, uint32_t count)
{
    switch (peek(format)) {
    case '(':
        format->at++;
        return list(format);
    case 'X':
    case 'P':
    case '/':
        format->at++;
        return true;
    case 'H':
        return skip_hollerith(format, count);
    default:
        return data(format);
    }
}

static bool scale(struct format *format)
{
    const char *from = format->at++;
    uint32_t value;
    if (number(format, &value) && take(format, 'P'))
        return true;
    return fail(format, from, "only a scale factor, kP, may have a sign");
}

/* Reads a group without a repeat limit. Without data in it, it would never end. */
static bool endless_group(struct format *format)
{
    const char *from = format->at++;
    const uint32_t before = format->data_count;
    if (!take(format, '('))
        return fail(format, from, "a group is missing behind the *");
    return list(format) && (format->data_count > before ||
                            fail(format, from, "an edit descriptor for data is missing"));
}

static bool item(struct format *format)
{
    uint32_t count;
    const char *from = format->at;
    switch (peek(format)) {
    case '\'':
    case '"':
        return skip_text(format, *format->at);
    case '/':
    case ':':
    case 'X':
    case '$':
    case '\\':
        format->at++;
        return true;
    case '*':
        return endless_group(format);
    case '(':
        format->at++;
        return list(format);
    case 'B':
        format->at++;
        if (take(format, 'N') || take(format, 'Z'))
            return true;
        format->at = from;
        return data(format);
    case '+':
    case '-':
        return scale(format);
    case 'T':
        format->at++;
        return tab(format, from);
    case 'S':
        format->at++;
        if (!take(format, 'P'))
            (void)take(format, 'S');
        return true;
    default:
        return number(format, &count) ? counted(format, count) : data(format);
    }
}

/* Reads the items of a format up to the closing parenthesis. */
static bool list(struct format *format)
{
    const char *from = format->at;
    if (++format->depth > GROUPS_MAX)
        return fail(format, from, "groups are nested too deeply");
    while (!take(format, ')')) {
        if (!peek(format))
            return fail(format, from, "a parenthesis is not closed");
        if (!item(format))
            return false;
        (void)take(format, ',');
    }
    format->depth--;
    return true;
}

/* Removes the blanks of a format that was checked, except those in texts and behind a comma. */
static void remove_blanks(char *format)
{
    char *to = format, quote = '\0';
    uint32_t count = 0; /* repeat count or length in front of the present character */
    for (const char *at = format; *at != '\0'; at++) {
        const bool is_letter_h = toupper((unsigned char)*at) == 'H';
        if (quote == '\0' && (*at == ' ' || *at == '\t') && (to == format || to[-1] != ','))
            continue;
        *to++ = *at;
        if (quote != '\0')
            quote = *at == quote ? '\0' : quote;
        else if (*at == '\'' || *at == '"')
            quote = *at;
        for (uint32_t left = is_letter_h && quote == '\0' ? count : 0; left > 0; left--)
            *to++ = *++at;
        if (!isdigit((unsigned char)*at) || is_letter_h)
            count = 0;
        else if (count < 100000) /* as number() counts */
            count = count * 10 + (uint32_t)(*at - '0');
    }
    *to = '\0';
}

bool cm_fortran_format_check(char *text, char fault[CM_FORTRAN_FAULT_BYTES])
{
    struct format format = {.at = text, .fault = fault};
    if (!take(&format, '('))
        return fail(&format, format.at, "expected a parenthesis at the beginning");
    const char *inside = format.at;
    if (!list(&format))
        return false;
    const size_t length = (size_t)(format.at - 1 - inside);
    if (peek(&format))
        return fail(&format, format.at, "text follows the last parenthesis");
    memmove(text, inside, length);
    text[length] = '\0';
    remove_blanks(text);
    return true;
}

const char *cm_check_format(struct cm_check *check, const struct cm_fortran_expression *text)
{
    char fault[CM_FORTRAN_FAULT_BYTES];
    const size_t bytes = strlen(text->text) + 1;
    char *format = cm_check_take(check, bytes);
    memcpy(format, text->text, bytes);
    if (!cm_fortran_format_check(format, fault))
        return cm_check_fail(check, text->place, "%s", fault);
    return format;
}
