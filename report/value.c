/* Writes numbers as text, for files. */
#include "value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* DIGITS_SAFE: number of decimal digits that a double always preserves (DBL_DIG). DIGITS_EXACT:
 * number of digits that distinguishes all doubles. */
#define DIGITS_SAFE  15
#define DIGITS_EXACT 17
/* A double above this limit has no exact digits after the decimal point. */
#define FIXED_LIMIT 1e15
/* Below this limit, the rounding of a double changes its value by less than FAST_MARGIN units of
 * the fourth decimal. */
#define FAST_LIMIT  1e8
#define FAST_MARGIN 1e-3

static size_t print_u64(uint64_t value, char *out)
{
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    size_t length = sizeof digits - at;
    memcpy(out, digits + at, length);
    out[length] = '\0';
    return length;
}

/* Prints the fewest digits that give the same double when read. A text that consists of digits only
 * gets ".0" at its end, so that it is not read as an integer. */
static void print_shortest(double value, char *out)
{
    for (int digits = DIGITS_SAFE; digits <= DIGITS_EXACT; digits++) {
        snprintf(out, CM_NUMBER_BYTES, "%.*g", digits, value);
        if (strtod(out, NULL) == value)
            break;
    }
    size_t length = strlen(out);
    if (strspn(out, "0123456789-") == length)
        memcpy(out + length, ".0", 3);
}

/*
 * Prints like printf("%.*f"), but with integers and several times as fast, because exports of
 * traces print millions of numbers. Returns 0 if the last digit is in doubt, because the value lies
 * near the middle between two texts.
 */
static size_t print_fixed_fast(double value, int decimals, char *out)
{
    static const uint32_t powers[] = {1, 10, 100, 1000, 10000};
    if (decimals >= (int)(sizeof powers / sizeof *powers) || !(value >= 0 && value < FAST_LIMIT))
        return 0;
    double scaled = value * powers[decimals], part = scaled - floor(scaled);
    if (part > 0.5 - FAST_MARGIN && part < 0.5 + FAST_MARGIN)
        return 0;
    uint64_t units = (uint64_t)(scaled + 0.5);
    size_t length = print_u64(units / powers[decimals], out);
    out[length++] = '.';
    for (int i = decimals; i-- > 0;)
        out[length++] = (char)('0' + units / powers[i] % 10);
    out[length] = '\0';
    return length;
}

static size_t print_f64(double value, int digits, char *out)
{
    size_t fast = digits < 0 ? print_fixed_fast(value, -digits, out) : 0;
    if (fast > 0)
        return fast;
    if (digits == 0)
        print_shortest(value, out);
    else if (digits < 0 && fabs(value) < FIXED_LIMIT)
        snprintf(out, CM_NUMBER_BYTES, "%.*f", -digits, value);
    else
        snprintf(out, CM_NUMBER_BYTES, "%.*g", digits < 0 ? DIGITS_EXACT : digits, value);
    char *comma = strchr(out, ','); /* the decimal point is a comma in some locales */
    if (comma != NULL)
        *comma = '.';
    return strlen(out);
}

size_t cm_value_print(struct cm_value value, char out[CM_NUMBER_BYTES])
{
    if (value.type == CM_VALUE_F64)
        return print_f64(value.as.f64, value.digits, out);
    bool negative = value.type == CM_VALUE_I64 && value.as.i64 < 0;
    out[0] = negative ? '-' : '\0';
    if (value.type == CM_VALUE_NONE || value.type == CM_VALUE_TEXT)
        return 0;
    return negative + print_u64(negative ? -value.as.u64 : value.as.u64, out + negative);
}
