/* Reads numbers and logical values from text: fields of a format, and values of list-directed
 * input. */
#include "io.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define FIELD_MAX 512u /* largest number of characters of a number */

bool cm_fortran_read_integer(const char *text, size_t length, int32_t *value)
{
    int64_t number = 0;
    size_t at = length > 0 && (text[0] == '-' || text[0] == '+');
    if (at == length)
        return false;
    for (; at < length; at++) {
        if (!isdigit((unsigned char)text[at]))
            return false;
        number = number * 10 + (text[at] - '0');
        if (number > INT64_C(2147483648))
            return false;
    }
    if (text[0] == '-')
        number = -number;
    *value = (int32_t)number;
    return number <= INT32_MAX;
}

/* Returns the number of characters of a mantissa such as -12.5, or 0 for another text. */
static size_t mantissa_length(const char *text)
{
    size_t at = text[0] == '-' || text[0] == '+', digits = 0;
    for (; isdigit((unsigned char)text[at]); at++)
        digits++;
    at += text[at] == '.';
    for (; isdigit((unsigned char)text[at]); at++)
        digits++;
    return digits > 0 ? at : 0;
}

/* Returns whether a text is an infinity or a NaN, and converts it. */
static bool read_special(const char *text, double *value)
{
    const char *word = text + (text[0] == '-' || text[0] == '+');
    bool is_nan = strncasecmp(word, "nan", 3) == 0 && (word[3] == '\0' || word[3] == '(');
    if (!is_nan && strcasecmp(word, "inf") != 0 && strcasecmp(word, "infinity") != 0)
        return false;
    *value = is_nan ? (double)NAN : text[0] == '-' ? -HUGE_VAL : HUGE_VAL;
    return true;
}

/* Reads a real number. Without a point it has `digits` digits behind the point. Without an exponent
 * it is divided by 10 to the power of `scale`. */
static bool read_scaled(const char *text, size_t length, uint32_t digits, int32_t scale,
                        double *value)
{
    char copy[FIELD_MAX + 1], made[FIELD_MAX + 32], *end;
    if (length > FIELD_MAX || memchr(text, '\0', length) != NULL)
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    if (read_special(copy, value))
        return true;
    size_t mantissa = mantissa_length(copy);
    const char *rest = copy + mantissa;
    long exponent = 0;
    if (mantissa == 0)
        return false;
    bool has_exponent = *rest != '\0';
    if (has_exponent) {
        rest += strchr("eEdDqQ", *rest) != NULL;
        if (!isdigit((unsigned char)rest[*rest == '-' || *rest == '+']) ||
            isspace((unsigned char)*rest))
            return false;
        exponent = strtol(rest, &end, 10);
        if (*end != '\0')
            return false;
    }
    if (memchr(copy, '.', mantissa) == NULL)
        exponent -= (long)digits;
    if (!has_exponent)
        exponent -= scale;
    exponent = exponent > 100000 ? 100000 : exponent < -100000 ? -100000 : exponent;
    snprintf(made, sizeof(made), "%.*se%ld", (int)mantissa, copy, exponent);
    *value = strtod(made, &end);
    return *end == '\0';
}

bool cm_fortran_read_real(const char *text, size_t length, double *value)
{
    return read_scaled(text, length, 0, 0, value);
}

bool cm_fortran_read_logical(const char *text, size_t length, uint8_t *value)
{
    size_t at = length > 0 && text[0] == '.';
    if (at == length)
        return false;
    char letter = (char)toupper((unsigned char)text[at]);
    *value = letter == 'T';
    return letter == 'T' || letter == 'F';
}

/* ---- fields ---- */

/* Takes the characters of a field from the record. A comma ends a field of a number. Removes
 * blanks, or after the edit descriptor BZ makes zeros of the blanks after the first character. A
 * field without characters is blank. */
static void take_field(struct cm_fortran_transfer *t, const struct cm_fortran_edit *edit,
                       char field[FIELD_MAX + 1])
{
    size_t left = t->line.length > t->position ? t->line.length - t->position : 0, used = 0, taken;
    for (taken = 0; taken < edit->width && taken < left; taken++) {
        char c = t->line.data[t->position + taken];
        if (c == ',' && t->unit != NULL) /* gfortran takes no commas in internal files */
            break;
        bool is_blank = c == ' ' || c == '\t';
        if (is_blank && used > 0 && edit->blank_zero)
            c = '0';
        if ((!is_blank || (used > 0 && edit->blank_zero)) && used < FIELD_MAX)
            field[used++] = c;
    }
    field[used] = '\0';
    t->size += (int32_t)taken;
    bool has_comma = taken < edit->width && taken < left;
    t->position += has_comma ? taken + 1 : edit->width;
}

/* Returns whether a field has no digits in front of its exponent, as `.`, `-` and `E5` have none.
 * gfortran reads such a field as 0. */
static bool is_zero_field(const char *field)
{
    field += *field == '-' || *field == '+';
    field += *field == '.';
    if (*field == '\0')
        return true;
    if (strchr("eEdDqQ", *field) == NULL)
        return false;
    field++;
    field += *field == '-' || *field == '+';
    return *field != '\0' && strspn(field, "0123456789") == strlen(field);
}

/* Reads the bits of a value in base 16, 8 or 2. */
static bool read_bits(const struct cm_fortran_edit *edit, const char *field, enum cm_type type,
                      union cm_fortran_value *value)
{
    char *end;
    errno = 0;
    uint64_t bits = strtoull(field, &end, edit->letter == 'Z' ? 16 : edit->letter == 'O' ? 8 : 2);
    size_t bytes = type == CM_TYPE_REAL64 ? 8 : 4;
    if (*end != '\0' || errno != 0 || field[0] == '-' || field[0] == '+' ||
        (bytes == 4 && bits > UINT32_MAX))
        return false;
    if (type == CM_TYPE_LOGICAL)
        value->logical = bits != 0;
    else
        memcpy(value, &bits, bytes);
    return true;
}

static bool read_value(const struct cm_fortran_edit *edit, const char *field, enum cm_type type,
                       union cm_fortran_value *value)
{
    size_t length = strlen(field);
    double real = 0;
    if (length == 0) {
        memset(value, 0, sizeof *value);
        return type != CM_TYPE_LOGICAL || strchr("LG", edit->letter) != NULL;
    }
    if (strchr("ZOB", edit->letter) != NULL)
        return read_bits(edit, field, type, value);
    if (type == CM_TYPE_INT32)
        return cm_fortran_read_integer(field, length, &value->integer);
    if (type == CM_TYPE_LOGICAL)
        return cm_fortran_read_logical(field, length, &value->logical);
    if (is_zero_field(field))
        real = field[0] == '-' && field[1] != '\0' ? -0.0 : 0.0;
    else if (!read_scaled(field, length, edit->digits, edit->scale, &real))
        return false;
    if (type == CM_TYPE_REAL64)
        value->real64 = real;
    else
        value->real = (float)real;
    return true;
}

enum cm_status cm_fortran_read_field(struct cm_fortran_transfer *t,
                                     const struct cm_fortran_edit *edit, enum cm_type type,
                                     union cm_fortran_value *value)
{
    char field[FIELD_MAX + 1];
    if (edit->width == 0)
        return cm_fortran_condition(t, CM_IO_BAD_FORMAT, "%c needs a width to read item %" PRIu64,
                                    edit->letter, t->item);
    take_field(t, edit, field);
    if (read_value(edit, field, type, value))
        return CM_OK;
    return cm_fortran_condition(t, CM_IO_BAD_VALUE,
                                "\"%.40s\" is not a value of item %" PRIu64 ", which is %s", field,
                                t->item, cm_fortran_type_text((uint32_t)type));
}
