/* Formats numbers as text: by edit descriptors, or in the list-directed forms of gfortran. */
#include "io.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX 600 /* a sign, 309 digits, a point, 200 digits */

/* Appends text, right-justified in `width` characters. Text that does not fit becomes asterisks. */
static void justify(const char *text, uint32_t width, struct cm_buffer *out)
{
    size_t length = strlen(text);
    if (width > 0 && length > width) {
        for (uint32_t i = 0; i < width; i++)
            cm_buffer_append(out, "*", 1);
        return;
    }
    for (size_t i = length; i < width; i++)
        cm_buffer_append(out, " ", 1);
    cm_buffer_append(out, text, length);
}

static const char *sign_of(const struct cm_fortran_edit *edit, double value)
{
    return signbit(value) ? "-" : edit->plus ? "+" : "";
}

/* Formats a NaN or an infinity. Returns false for other values. */
static bool put_special(const struct cm_fortran_edit *edit, double value, char *text)
{
    if (isnan(value))
        strcpy(text, "NaN");
    else if (isinf(value))
        snprintf(text, TEXT_MAX, "%s%s", sign_of(edit, value),
                 edit->width == 0 || edit->width >= 8 + (value < 0) ? "Infinity" : "Inf");
    else
        return false;
    return true;
}

/* Formats a value for the edit descriptor F. Omits the zero before the point if the width has no
 * room for it. */
static void put_fixed(const struct cm_fortran_edit *edit, double value, uint32_t digits, char *text)
{
    snprintf(text, TEXT_MAX, "%s%.*f%s", sign_of(edit, value), (int)digits, fabs(value),
             digits == 0 ? "." : "");
    char *zero = strstr(text, "0.");
    bool leads = zero != NULL && (zero == text || (zero == text + 1 && text[0] == '-'));
    if (leads && (edit->width == 0 || strlen(text) > edit->width) && text[strlen(text) - 1] != '.')
        memmove(zero, zero + 1, strlen(zero));
}

/* Appends an exponent with `digits` digits. If `digits` is 0, the exponent has a letter and two
 * digits, or three digits without the letter. An exponent with more digits makes the text longer
 * than any width. */
static void put_exponent(char *text, size_t at, char letter, int exponent, uint32_t digits)
{
    char sign = exponent < 0 ? '-' : '+';
    int size = abs(exponent), width = size < 10 ? 1 : size < 100 ? 2 : 3;
    if (digits > 0 && (int)digits < width)
        memset(text + at, '*', TEXT_MAX - at - 1);
    else if (digits > 0)
        snprintf(text + at, TEXT_MAX - at, "%c%c%0*d", letter, sign, (int)digits, size);
    else if (size < 100)
        snprintf(text + at, TEXT_MAX - at, "%c%c%02d", letter, sign, size);
    else
        snprintf(text + at, TEXT_MAX - at, "%c%03d", sign, size);
    text[TEXT_MAX - 1] = '\0';
}

/* Cuts the exponent off a number such as "1.25e+03", and returns the exponent. */
static int cut_exponent(char *number)
{
    char *mark = strchr(number, 'e');
    if (mark == NULL)
        return 0;
    *mark = '\0';
    return (int)strtol(mark + 1, NULL, 10);
}

/*
 * Formats a value for the edit descriptor E or D, with scale factor k and d digits (Fortran 90
 * standard, 10.6.5.1). If k > 0, k digits precede the point and d - k + 1 digits follow it. If k <=
 * 0, no digit precedes the point, and -k zeros and d + k digits follow it.
 */
static void put_scientific(const struct cm_fortran_edit *edit, double value, int k, uint32_t d,
                           char *text)
{
    char number[TEXT_MAX];
    int significant = k > 0 ? (int)d + 1 : (int)d + k;
    if (significant < 1)
        significant = 1;
    snprintf(number, sizeof(number), "%.*e", significant - 1, fabs(value));
    int power = cut_exponent(number);
    int exponent = value == 0 ? 0 : power + 1 - k;
    if (significant > 1) /* removes the point */
        memmove(number + 1, number + 2, (size_t)significant);
    int before = k > 0 ? (k < significant ? k : significant) : 0, zeros = k < 0 ? -k : 0;
    int length = snprintf(text, TEXT_MAX, "%s%.*s%s.%.*s%s", sign_of(edit, value), before, number,
                          before > 0 ? "" : "0", zeros < 100 ? zeros : 100,
                          "0000000000000000000000000000000000000000000000000000000000000000000000"
                          "000000000000000000000000000000",
                          number + before);
    put_exponent(text, (size_t)length, edit->letter == 'D' ? 'D' : 'E', exponent,
                 edit->exponent_digits);
    char *zero = strstr(text, "0.");
    if (before == 0 && edit->width > 0 && strlen(text) > edit->width)
        memmove(zero, zero + 1, strlen(zero));
}

/* Returns the exponent that a value, rounded to `digits` digits, has in the form 0.ddd times a
 * power of ten. */
static int exponent_of(double value, uint32_t digits)
{
    char rounded[TEXT_MAX];
    snprintf(rounded, sizeof(rounded), "%.*e", (int)digits - 1, fabs(value));
    int power = cut_exponent(rounded);
    return value == 0 ? 1 : power + 1;
}

/* Writes a value for the edit descriptor G in the form of F, with blanks in place of the exponent
 * (Fortran 90 standard, 10.5.1.2.1). Returns false if the value is too small or too large for this
 * form. */
static bool put_general(const struct cm_fortran_edit *edit, double value, struct cm_buffer *out)
{
    char text[TEXT_MAX];
    uint32_t blanks = edit->exponent_digits > 0 ? edit->exponent_digits + 2 : 4;
    uint32_t digits = edit->digits > 0 ? edit->digits : 1;
    int exponent = exponent_of(value, digits);
    if (exponent < 0 || exponent > (int)digits)
        return false;
    struct cm_fortran_edit fixed = *edit;
    fixed.width = edit->width > blanks ? edit->width - blanks : 0;
    put_fixed(&fixed, value, digits - (uint32_t)exponent, text);
    justify(text, fixed.width, out);
    for (uint32_t i = 0; edit->width > 0 && i < blanks; i++)
        cm_buffer_append(out, " ", 1);
    return true;
}

/* Formats a value for the edit descriptor EN: one to three digits precede the point, and the
 * exponent is a multiple of 3. */
static void put_engineering(const struct cm_fortran_edit *edit, double value, char *text)
{
    char number[TEXT_MAX];
    snprintf(number, sizeof(number), "%.17e", fabs(value));
    int power = cut_exponent(number);
    int exponent = (power >= 0 ? power / 3 : -((2 - power) / 3)) * 3, before = power - exponent + 1;
    snprintf(number, sizeof(number), "%.*e", (int)edit->digits + before - 1, fabs(value));
    if (cut_exponent(number) > power) { /* rounding has added a digit in front of the point */
        exponent += before == 3 ? 3 : 0;
        before = before == 3 ? 1 : before + 1;
        strcat(number, strchr(number, '.') != NULL ? "0" : ".0");
    }
    size_t length = strlen(number);
    if (length > 1) /* removes the point */
        memmove(number + 1, number + 2, length - 1);
    length = (size_t)snprintf(text, TEXT_MAX, "%s%.*s.%.*s", sign_of(edit, value), before, number,
                              (int)edit->digits, number + before);
    put_exponent(text, length, 'E', exponent, edit->exponent_digits);
}

/* Appends a real number for G0 or G0.d. */
static void put_shortest(const struct cm_fortran_edit *edit, bool is_wide, double value,
                         struct cm_buffer *out)
{
    uint32_t digits = edit->has_digits ? edit->digits : is_wide ? 17 : 9;
    int exponent = exponent_of(value, digits > 0 ? digits : 1);
    char text[TEXT_MAX];
    if (put_special(edit, value, text)) {
        justify(text, 0, out);
    } else if (exponent < 0 || exponent > (int)digits) {
        struct cm_fortran_edit full = *edit;
        full.exponent_digits = abs(exponent) < 10 ? 1 : abs(exponent) < 100 ? 2 : 3;
        put_scientific(&full, value, 0, digits, text);
        justify(text, 0, out);
    } else {
        struct cm_fortran_edit full = *edit;
        full.width = TEXT_MAX;
        put_fixed(&full, value, digits - (uint32_t)exponent, text);
        justify(text, 0, out);
    }
}

static void edit_real(const struct cm_fortran_edit *edit, bool is_wide, double value,
                      struct cm_buffer *out)
{
    char text[TEXT_MAX];
    if (edit->letter == 'G' && edit->has_width && edit->width == 0) {
        put_shortest(edit, is_wide, value, out);
        return;
    }
    if (put_special(edit, value, text)) {
        justify(text, edit->width, out);
        return;
    }
    if (edit->letter == 'G' && edit->has_digits && put_general(edit, value, out))
        return;
    if (edit->letter == 'F')
        put_fixed(edit, value * pow(10, edit->scale), edit->digits, text);
    else if (edit->letter == 'N')
        put_engineering(edit, value, text);
    else if (edit->letter == 'S')
        put_scientific(edit, value, 1, edit->digits, text);
    else
        put_scientific(edit, value, edit->scale, edit->digits, text);
    justify(text, edit->width, out);
}

/* Appends a number with at least edit->digits digits. Without a digit (I4.0 of the value 0) it is
 * blank. */
static void put_digits(const struct cm_fortran_edit *edit, const char *sign, const char *digits,
                       struct cm_buffer *out)
{
    char text[TEXT_MAX];
    bool has_digits = edit->has_digits && edit->letter != 'G';
    size_t least = has_digits ? edit->digits : 1, length = strlen(digits);
    if (has_digits && edit->digits == 0 && strcmp(digits, "0") == 0) {
        justify("", edit->width > 0 ? edit->width : 1, out);
        return;
    }
    size_t zeros = least > length ? least - length : 0;
    snprintf(text, sizeof(text), "%s%0*d", sign, zeros > 0 ? (int)zeros : 1, 0);
    snprintf(text + strlen(sign) + zeros, sizeof(text) - strlen(sign) - zeros, "%s", digits);
    justify(text, edit->width, out);
}

static void edit_integer(const struct cm_fortran_edit *edit, int32_t value, struct cm_buffer *out)
{
    char digits[16];
    snprintf(digits, sizeof(digits), "%" PRIu32, value < 0 ? 0 - (uint32_t)value : (uint32_t)value);
    put_digits(edit, value < 0 ? "-" : edit->plus ? "+" : "", digits, out);
}

/* Appends the bits of a value in base 16, 8 or 2. */
static void edit_bits(const struct cm_fortran_edit *edit, uint64_t bits, struct cm_buffer *out)
{
    char digits[72];
    size_t at = sizeof(digits) - 1;
    uint32_t shift = edit->letter == 'Z' ? 4 : edit->letter == 'O' ? 3 : 1;
    digits[at] = '\0';
    do {
        digits[--at] = "0123456789ABCDEF"[bits & ((1u << shift) - 1)];
        bits >>= shift;
    } while (bits != 0);
    put_digits(edit, "", digits + at, out);
}

void cm_fortran_edit_number(const struct cm_fortran_edit *edit, enum cm_type type,
                            const union cm_fortran_value *value, struct cm_buffer *out)
{
    bool is_wide = type == CM_TYPE_REAL64;
    if (strchr("ZOB", edit->letter) != NULL) {
        uint64_t bits = 0;
        memcpy(&bits, value, is_wide ? sizeof(double) : type == CM_TYPE_LOGICAL ? 1 : 4);
        edit_bits(edit, bits, out);
    } else if (type == CM_TYPE_LOGICAL) {
        justify(value->logical ? "T" : "F", edit->width > 0 ? edit->width : 1, out);
    } else if (type == CM_TYPE_INT32) {
        edit_integer(edit, value->integer, out);
    } else {
        edit_real(edit, is_wide, is_wide ? value->real64 : (double)value->real, out);
    }
}

/*
 * Writes a real number in gfortran's list-directed form. If the number is a part of a complex
 * number (`in_width` is false) and has an exponent, it has one digit more.
 */
void cm_fortran_list_real(bool is_wide, double value, bool in_width, struct cm_buffer *out)
{
    char text[TEXT_MAX];
    struct cm_fortran_edit edit = {.letter = 'G',
                                   .has_digits = true,
                                   .width = is_wide ? 25 : 16,
                                   .digits = is_wide ? 17 : 9,
                                   .exponent_digits = is_wide ? 3 : 2};
    uint32_t width = in_width ? edit.width : 0;
    int exponent = isfinite(value) ? exponent_of(value, edit.digits) : 0;
    if (put_special(&edit, value, text)) {
        justify(text, width, out);
    } else if (exponent < 0 || exponent > (int)edit.digits) {
        put_scientific(&edit, value, 1, edit.digits - (in_width ? 1 : 0), text);
        justify(text, width, out);
    } else if (in_width) {
        put_general(&edit, value, out);
    } else {
        put_fixed(&edit, value, edit.digits - (uint32_t)exponent, text);
        justify(text, 0, out);
    }
}
