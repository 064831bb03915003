/* Reads list-directed input: values that blanks, commas and ends of records separate, with repeat
 * counts. A slash ends the input, and a missing value leaves its item unchanged. */
#include "io.h"

#include <ctype.h>
#include <string.h>

char cm_fortran_peek(const struct cm_fortran_transfer *t)
{
    return t->position < t->line.length ? t->line.data[t->position] : '\n';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool is_separator(char c)
{
    return is_blank(c) || c == ',' || c == '/' || c == '\n' || c == ';';
}

static void skip_in_record(struct cm_fortran_transfer *t)
{
    while (is_blank(cm_fortran_peek(t)))
        t->position++;
}

enum cm_status cm_fortran_skip_blanks(struct cm_fortran_transfer *t)
{
    enum cm_status status = CM_OK;
    for (skip_in_record(t); status == CM_OK && t->position >= t->line.length; skip_in_record(t)) {
        status = cm_fortran_record_read(t);
        if (status == CM_OK)
            status = cm_fortran_record_check(t);
    }
    return status;
}

/* Reads a text in quotes, which may continue in further records. */
static enum cm_status read_quoted(struct cm_fortran_transfer *t,
                                  struct cm_fortran_list_reader *reader)
{
    char quote = t->line.data[t->position++];
    enum cm_status status = CM_OK;
    reader->is_text = true;
    while (status == CM_OK) {
        if (t->position >= t->line.length) {
            status = cm_fortran_record_read(t);
            continue;
        }
        char c = t->line.data[t->position++];
        if (c == quote && cm_fortran_peek(t) != quote)
            return CM_OK;
        t->position += c == quote;
        cm_buffer_append(&reader->value, &c, 1);
        if (reader->value.length > CM_FORTRAN_LINE_MAX)
            return cm_fortran_condition(t, CM_IO_BAD_VALUE, "a text of the input is too long");
    }
    return status;
}

/* Reads the two parts of a complex number, without blanks, up to the closing parenthesis. */
static enum cm_status read_complex(struct cm_fortran_transfer *t,
                                   struct cm_fortran_list_reader *reader)
{
    enum cm_status status = CM_OK;
    for (;;) {
        status = cm_fortran_skip_blanks(t);
        if (status != CM_OK)
            return status;
        char c = t->line.data[t->position++];
        cm_buffer_append(&reader->value, &c, 1);
        if (c == ')')
            return CM_OK;
        if (reader->value.length > 200)
            return cm_fortran_condition(t, CM_IO_BAD_VALUE, "a complex number is not closed");
    }
}

static void read_word(struct cm_fortran_transfer *t, struct cm_fortran_list_reader *reader)
{
    while (!is_separator(cm_fortran_peek(t)) && !(reader->is_namelist && cm_fortran_peek(t) == '='))
        cm_buffer_append(&reader->value, &t->line.data[t->position++], 1);
}

/* Takes the repeat count from a word such as 3*1.5, if it has one. */
static bool take_count(struct cm_fortran_transfer *t, struct cm_fortran_list_reader *reader)
{
    size_t at = t->position;
    uint64_t count = 0;
    while (at < t->line.length && isdigit((unsigned char)t->line.data[at]) && count < UINT32_MAX)
        count = count * 10 + (uint64_t)(t->line.data[at++] - '0');
    if (at == t->position || at >= t->line.length || t->line.data[at] != '*' || count == 0 ||
        count > UINT32_MAX)
        return false;
    reader->left = (uint32_t)count - 1;
    t->position = at + 1;
    return true;
}

/* Returns whether the record continues with NAME = or NAME(...) =, which ends the values of an
 * object of a NAMELIST. */
static bool is_at_name(const struct cm_fortran_transfer *t)
{
    const char *text = t->line.data;
    size_t at = t->position, length = t->line.length;
    if (at >= length || !isalpha((unsigned char)text[at]))
        return false;
    while (at < length && (isalnum((unsigned char)text[at]) || text[at] == '_'))
        at++;
    while (at < length && is_blank(text[at]))
        at++;
    if (at < length && text[at] == '(') {
        while (at < length && text[at] != ')')
            at++;
        at++;
        while (at < length && is_blank(text[at]))
            at++;
    }
    return at < length && text[at] == '=';
}

/* Skips the separator behind a value. A comma may also be in a later record. */
static void end_value(struct cm_fortran_transfer *t, struct cm_fortran_list_reader *reader)
{
    skip_in_record(t);
    reader->wants_comma = cm_fortran_peek(t) == '\n';
    if (cm_fortran_peek(t) == ',' || cm_fortran_peek(t) == ';')
        t->position++;
}

static enum cm_status read_after_count(struct cm_fortran_transfer *t,
                                       struct cm_fortran_list_reader *reader)
{
    char c = cm_fortran_peek(t);
    if (is_separator(c)) {
        reader->is_null = true;
        return CM_OK;
    }
    if (c == '\'' || c == '"')
        return read_quoted(t, reader);
    if (c == '(')
        return read_complex(t, reader);
    read_word(t, reader);
    return CM_OK;
}

/* Reads the next value into reader->value. */
static enum cm_status read_next(struct cm_fortran_transfer *t,
                                struct cm_fortran_list_reader *reader)
{
    enum cm_status status = cm_fortran_skip_blanks(t);
    if (status == CM_OK && reader->wants_comma && cm_fortran_peek(t) == ',') {
        t->position++;
        status = cm_fortran_skip_blanks(t);
    }
    if (status != CM_OK)
        return status;
    reader->value.length = 0;
    reader->is_text = reader->wants_comma = false;
    char c = cm_fortran_peek(t);
    reader->at_name = reader->is_namelist && (is_at_name(t) || c == '&' || c == '$');
    reader->is_null = c == ',' || c == ';';
    reader->is_ended = c == '/' || reader->at_name;
    if (reader->is_ended)
        return CM_OK;
    if (reader->is_null) {
        t->position++;
        return CM_OK;
    }
    (void)take_count(t, reader);
    status = read_after_count(t, reader);
    if (status == CM_OK && !cm_buffer_ok(&reader->value))
        status = cm_fortran_no_memory(t->run);
    if (status == CM_OK)
        end_value(t, reader);
    return status;
}

static bool convert_complex(const char *text, size_t length, double parts[2])
{
    const char *comma = length > 0 ? memchr(text, ',', length) : NULL;
    if (comma == NULL || text[0] != '(')
        return false;
    return cm_fortran_read_real(text + 1, (size_t)(comma - text) - 1, &parts[0]) &&
           cm_fortran_read_real(comma + 1, (size_t)(text + length - comma) - 2, &parts[1]);
}

/* Converts the value to the type of an item. */
static bool convert(const struct cm_fortran_list_reader *reader, uint8_t type,
                    union cm_fortran_value *value)
{
    const char *text = reader->value.data != NULL ? reader->value.data : "";
    size_t length = reader->value.length;
    double parts[2];
    if (type == CM_FORTRAN_CHARACTER) {
        const struct cm_fortran_text from = {(char *)text, (uint32_t)length};
        cm_fortran_text_fill(&value->text, &from);
        return true;
    }
    if (reader->is_text)
        return false;
    if (type == CM_TYPE_INT32)
        return cm_fortran_read_integer(text, length, &value->integer);
    if (type == CM_TYPE_LOGICAL)
        return cm_fortran_read_logical(text, length, &value->logical);
    bool is_complex = type == CM_TYPE_COMPLEX64 || type == CM_TYPE_COMPLEX128;
    if (is_complex ? !convert_complex(text, length, parts)
                   : !cm_fortran_read_real(text, length, &parts[0]))
        return false;
    if (type == CM_TYPE_REAL32)
        value->real = (float)parts[0];
    else if (type == CM_TYPE_REAL64)
        value->real64 = parts[0];
    for (uint32_t i = 0; is_complex && i < 2; i++) {
        if (type == CM_TYPE_COMPLEX64)
            value->complex[i] = (float)parts[i];
        else
            value->complex128[i] = parts[i];
    }
    return true;
}

enum cm_status cm_fortran_list_read(struct cm_fortran_transfer *t,
                                    struct cm_fortran_list_reader *reader, uint8_t type,
                                    union cm_fortran_value *value)
{
    enum cm_status status = CM_OK;
    if (reader->is_ended)
        return CM_OK;
    if (reader->left > 0)
        reader->left--;
    else
        status = read_next(t, reader);
    if (status != CM_OK || reader->is_ended || reader->is_null)
        return status;
    if (convert(reader, type, value))
        return CM_OK;
    return cm_fortran_condition(
        t, CM_IO_BAD_VALUE, "\"%.40s\" is not a value of item %" PRIu64 ", which is %s",
        reader->value.data != NULL ? reader->value.data : "", t->item, cm_fortran_type_text(type));
}
