/*
 * Walks through a format, for input and for output.
 *
 * The items drive the walk: for each item, the walk executes the descriptors that need no item, up
 * to the next one that takes an item. If the format ends while items are left, the record ends, and
 * the format continues at its last group in parentheses, or at its start. Groups are on a stack, so
 * that the walk can stop between two items.
 */
#include "io.h"

#include <ctype.h>
#include <string.h>

void cm_fortran_format_begin(struct cm_fortran_format *format, const char *text, bool blank_zero)
{
    *format = (struct cm_fortran_format){.at = text, .revert = text, .blank_zero = blank_zero};
}

static char letter_at(const char *at)
{
    return (char)toupper((unsigned char)*at);
}

static void skip_blanks(const char **at)
{
    while (**at == ' ' || **at == ',' || **at == '\t')
        ++*at;
}

static uint32_t number(const char **at)
{
    uint32_t value = 0;
    while (isdigit((unsigned char)**at)) {
        value = value < 100000 ? value * 10 + (uint32_t)(**at - '0') : value;
        ++*at;
    }
    return value;
}

static enum cm_status text_of_format(struct cm_fortran_transfer *t, const char *text, size_t length)
{
    return t->reads ? cm_fortran_condition(t, CM_IO_BAD_FORMAT, "a format for input has a text")
                    : cm_fortran_put(t, text, length);
}

static enum cm_status quoted(struct cm_fortran_transfer *t, const char **at)
{
    char quote = *(*at)++;
    enum cm_status status = CM_OK;
    while (**at != '\0' && status == CM_OK) {
        if (**at == quote && (*at)[1] != quote)
            break;
        *at += **at == quote;
        status = text_of_format(t, (*at)++, 1);
    }
    *at += **at != '\0';
    return status;
}

static enum cm_status hollerith(struct cm_fortran_transfer *t, const char **at, uint32_t length)
{
    enum cm_status status = CM_OK;
    ++*at;
    for (uint32_t i = 0; i < length && **at != '\0' && status == CM_OK; i++)
        status = text_of_format(t, (*at)++, 1);
    return status;
}

/* Reads an edit descriptor: its letters, followed by w, w.d or w.dEe. */
static void read_descriptor(struct cm_fortran_format *format)
{
    const char **at = &format->at;
    struct cm_fortran_edit *edit = &format->edit;
    *edit = (struct cm_fortran_edit){
        .scale = format->scale, .plus = format->plus, .blank_zero = format->blank_zero};
    edit->letter = letter_at((*at)++);
    if (edit->letter == 'E' && (letter_at(*at) == 'S' || letter_at(*at) == 'N'))
        edit->letter = letter_at((*at)++);
    edit->has_width = isdigit((unsigned char)**at) != 0;
    edit->width = number(at);
    if (**at == '.') {
        ++*at;
        edit->has_digits = true;
        edit->digits = number(at);
        if (edit->digits > 200)
            edit->digits = 200;
    }
    if (edit->has_digits && letter_at(*at) == 'E' && strchr("EDGSN", edit->letter) != NULL) {
        ++*at;
        edit->exponent_digits = number(at);
    }
}

/* Reads the rest of the edit descriptor T, TL or TR, and moves the position in the record. */
static enum cm_status move(struct cm_fortran_transfer *t, const char **at)
{
    char next = letter_at(++*at);
    if (next == 'L' || next == 'R')
        ++*at;
    size_t by = number(at);
    if (next == 'L')
        t->position -= by < t->position ? by : t->position;
    else if (next == 'R')
        t->position += by;
    else
        t->position = by > 0 ? by - 1 : 0;
    return cm_fortran_record_check(t);
}

static enum cm_status slashes(struct cm_fortran_transfer *t, const char **at, uint32_t times)
{
    enum cm_status status = CM_OK;
    ++*at;
    for (uint32_t i = 0; i < times && status == CM_OK; i++) {
        status = cm_fortran_record_end(t);
        if (status == CM_OK)
            status = cm_fortran_record_check(t);
    }
    return status;
}

/* Executes S, SP, SS, BN or BZ. */
static void set_mode(struct cm_fortran_format *format)
{
    bool is_blank = letter_at(format->at++) == 'B';
    char mode = letter_at(format->at);
    if (is_blank)
        format->blank_zero = mode == 'Z';
    else
        format->plus = mode == 'P';
    format->at += is_blank || mode == 'P' || mode == 'S';
}

/* Executes an edit descriptor that takes no item. Sets *found to false for other descriptors. */
static enum cm_status control(struct cm_fortran_transfer *t, struct cm_fortran_format *format,
                              int64_t count, bool *found)
{
    const char **at = &format->at;
    uint32_t times = count > 0 ? (uint32_t)count : 0;
    switch (letter_at(*at)) {
    case '\'':
    case '"':
        return quoted(t, at);
    case '/':
        return slashes(t, at, times);
    case 'X':
        ++*at;
        t->position += times;
        return cm_fortran_record_check(t);
    case 'T':
        return move(t, at);
    case 'P':
        ++*at;
        format->scale = (int32_t)count;
        return CM_OK;
    case 'H':
        return hollerith(t, at, times);
    case '$':
    case '\\':
        ++*at;
        t->keeps_line = true;
        return CM_OK;
    case 'B':
        *found = letter_at(*at + 1) == 'N' || letter_at(*at + 1) == 'Z';
        if (*found)
            set_mode(format);
        return CM_OK;
    case 'S':
        set_mode(format);
        return CM_OK;
    default:
        *found = false;
        return CM_OK;
    }
}

static enum cm_status open_group(struct cm_fortran_transfer *t, struct cm_fortran_format *format,
                                 const char *beginning, uint32_t times)
{
    if (format->depth == CM_FORTRAN_FORMAT_DEPTH)
        return cm_fortran_condition(t, CM_IO_BAD_FORMAT, "the format nests too deep");
    if (format->depth == 0)
        format->revert = beginning;
    const char *inside = ++format->at;
    format->groups[format->depth].inside = inside;
    format->groups[format->depth++].left = times;
    return CM_OK;
}

/* Ends a group, or begins it again. */
static void close_group(struct cm_fortran_format *format)
{
    format->at++;
    if (format->depth > 0 && --format->groups[format->depth - 1].left > 0)
        format->at = format->groups[format->depth - 1].inside;
    else if (format->depth > 0)
        format->depth--;
}

/* Executes one entry of the format. Sets format->pending if it takes items. */
static enum cm_status entry(struct cm_fortran_transfer *t, struct cm_fortran_format *format)
{
    const char *beginning = format->at;
    bool found = true, is_negative = *format->at == '-';
    bool is_endless = *format->at == '*';
    if (is_negative || *format->at == '+' || is_endless)
        format->at++;
    while (*format->at == ' ')
        format->at++;
    bool counted = isdigit((unsigned char)*format->at);
    int64_t count = counted ? number(&format->at) : 1;
    while (*format->at == ' ')
        format->at++;
    if (*format->at == '(')
        return open_group(t, format, beginning,
                          is_endless ? UINT32_MAX : (uint32_t)(count > 0 ? count : 1));
    enum cm_status status = control(t, format, is_negative ? -count : count, &found);
    if (status != CM_OK || found)
        return status;
    if (*format->at == '\0' || strchr("IFEDGLAZOB", letter_at(format->at)) == NULL)
        return cm_fortran_condition(t, CM_IO_BAD_FORMAT,
                                    "the format has an unknown edit descriptor: %.12s", format->at);
    read_descriptor(format);
    format->pending = (uint32_t)count;
    return CM_OK;
}

/* Executes the format up to a descriptor that takes an item, to its end, or to a colon if no item
 * is left. Sets *ended unless there is such a descriptor. */
static enum cm_status advance(struct cm_fortran_transfer *t, struct cm_fortran_format *format,
                              bool has_item, bool *ended)
{
    enum cm_status status = CM_OK;
    *ended = false;
    while (status == CM_OK && format->pending == 0) {
        skip_blanks(&format->at);
        *ended = *format->at == '\0' || (*format->at == ':' && !has_item);
        if (*ended)
            return CM_OK;
        if (*format->at == ')')
            close_group(format);
        else if (*format->at == ':')
            format->at++;
        else
            status = entry(t, format);
        if (status == CM_OK)
            status = cm_fortran_record_check(t);
    }
    return status;
}

enum cm_status cm_fortran_format_next(struct cm_fortran_transfer *t,
                                      struct cm_fortran_format *format)
{
    for (;;) {
        bool ended;
        enum cm_status status = advance(t, format, true, &ended);
        if (status != CM_OK)
            return status;
        if (!ended)
            break;
        if (!format->has_taken)
            return cm_fortran_condition(t, CM_IO_BAD_FORMAT,
                                        "the format has no edit descriptor for the items");
        format->has_taken = false;
        format->at = format->revert;
        format->depth = 0;
        status = cm_fortran_record_end(t);
        if (status != CM_OK)
            return status;
    }
    format->pending--;
    format->has_taken = true;
    return CM_OK;
}

enum cm_status cm_fortran_format_end(struct cm_fortran_transfer *t,
                                     struct cm_fortran_format *format)
{
    bool ended;
    return advance(t, format, false, &ended);
}
