/* Numbers as people and files read them. */
#include "numbers.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Digits that every double survives as text and back (DBL_DIG), and that tell all doubles apart. */
#define DIGITS_SAFE  15
#define DIGITS_EXACT 17
/* Larger numbers have more digits in front of the point than a double tells apart. */
#define FIXED_LIMIT 1e15
/* Up to here four decimals are exact in a double but for FAST_MARGIN of the last of them. */
#define FAST_LIMIT  1e8
#define FAST_MARGIN 1e-3

size_t cm_number_u64(char out[CM_NUMBER_BYTES], uint64_t value)
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

/* printf writes the decimal point of the locale. */
static void set_point(char *number)
{
    char *comma = strchr(number, ',');
    if (comma != NULL)
        *comma = '.';
}

size_t cm_number_f64(char out[CM_NUMBER_BYTES], double value)
{
    for (int digits = DIGITS_SAFE; digits <= DIGITS_EXACT; digits++) {
        snprintf(out, CM_NUMBER_BYTES, "%.*g", digits, value);
        if (digits == DIGITS_EXACT || strtod(out, NULL) == value)
            break;
    }
    set_point(out);
    size_t length = strlen(out);
    if (strspn(out, "0123456789-") == length) {
        memcpy(out + length, ".0", 3);
        length += 2;
    }
    return length;
}

size_t cm_number_rounded(char out[CM_NUMBER_BYTES], double value, int digits)
{
    int length = snprintf(out, CM_NUMBER_BYTES, "%.*g", digits, value);
    set_point(out);
    return (size_t)length;
}

/*
 * As printf does it, but in integers and several times as fast: exports write millions of times.
 * 0 when the last digit is in doubt, as the value lies near the middle between two.
 */
static size_t fix_fast(char *out, double value, int decimals)
{
    static const uint32_t powers[] = {1, 10, 100, 1000, 10000};
    if (decimals >= (int)(sizeof powers / sizeof *powers) || !(value >= 0 && value < FAST_LIMIT))
        return 0;
    double scaled = value * powers[decimals], part = scaled - floor(scaled);
    if (part > 0.5 - FAST_MARGIN && part < 0.5 + FAST_MARGIN)
        return 0;
    uint64_t units = (uint64_t)(scaled + 0.5);
    size_t length = cm_number_u64(out, units / powers[decimals]);
    if (decimals > 0)
        out[length++] = '.';
    for (int i = decimals; i-- > 0;)
        out[length++] = (char)('0' + units / powers[i] % 10);
    out[length] = '\0';
    return length;
}

size_t cm_number_fixed(char out[CM_NUMBER_BYTES], double value, int decimals)
{
    size_t fast = fix_fast(out, value, decimals);
    if (fast > 0)
        return fast;
    if (!(fabs(value) < FIXED_LIMIT))
        return cm_number_rounded(out, value, DIGITS_EXACT);
    int length = snprintf(out, CM_NUMBER_BYTES, "%.*f", decimals, value);
    set_point(out);
    return (size_t)length;
}

struct cm_formatted cm_format_count(uint64_t value)
{
    struct cm_formatted count;
    char digits[CM_NUMBER_BYTES];
    size_t length = cm_number_u64(digits, value), used = 0;
    for (size_t i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            count.text[used++] = ',';
        count.text[used++] = digits[i];
    }
    count.text[used] = '\0';
    return count;
}

struct cm_formatted cm_format_seconds(double seconds)
{
    static const struct {
        double scale;
        const char *unit;
    } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};
    struct cm_formatted time;
    size_t i = 0;
    while (i < 3 && seconds < units[i].scale)
        i++;
    snprintf(time.text, sizeof time.text, "%.4g %s", seconds / units[i].scale, units[i].unit);
    return time;
}

struct cm_formatted cm_format_hz(uint64_t hz)
{
    struct cm_formatted clock;
    if (hz >= 1000000)
        snprintf(clock.text, sizeof clock.text, "%.10g MHz", (double)hz / 1e6);
    else if (hz >= 1000)
        snprintf(clock.text, sizeof clock.text, "%.6g kHz", (double)hz / 1e3);
    else
        snprintf(clock.text, sizeof clock.text, "%" PRIu64 " Hz", hz);
    return clock;
}
