/* Converts number tokens of JSON to exact integers, and to doubles independently of the locale. */
#include "json_document.h"

#include <locale.h>
#include <stdlib.h>

/* An exponent of this size or more is read as this exponent. The longest file (16 MiB) has too few
 * digits to bring a number with such an exponent back into the range of a double. */
#define EXPONENT_MAX 1000000000

/* Number of digits of UINT64_MAX. */
#define U64_DIGITS 20

struct decimal {
    const char *digits; /* digits of the token, perhaps with one '.', which is skipped */
    size_t length;      /* length of `digits` in bytes, without trailing zeros */
    int64_t exponent;   /* power of ten by which the number written by the digits is multiplied */
    size_t count;       /* number of digits without leading zeros. 0 for the number zero */
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int64_t read_exponent(const char *token, size_t length)
{
    size_t i = token[0] == '-' || token[0] == '+' ? 1 : 0;
    int64_t value = 0;
    for (; i < length; i++)
        if (value < EXPONENT_MAX)
            value = value * 10 + (token[i] - '0');
    return token[0] == '-' ? -value : value;
}

/* Splits an unsigned token into digits and exponent, without leading and trailing zeros. */
static struct decimal split(const char *token, size_t length)
{
    size_t end = 0, point = length;
    while (end < length && (is_digit(token[end]) || token[end] == '.')) {
        if (token[end] == '.')
            point = end;
        end++;
    }
    struct decimal d = {.digits = token};
    if (end < length)
        d.exponent = read_exponent(token + end + 1, length - end - 1);
    if (point < end)
        d.exponent -= (int64_t)(end - point - 1);
    while (end > 0 && (token[end - 1] == '0' || token[end - 1] == '.')) {
        if (token[end - 1] == '0')
            d.exponent++;
        end--;
    }
    d.length = end;
    for (size_t i = 0; i < end; i++)
        if (is_digit(token[i]) && (d.count > 0 || token[i] != '0'))
            d.count++;
    return d;
}

/* Appends a decimal digit to the value. Returns false if the result does not fit. */
static bool push_digit(uint64_t *value, unsigned digit)
{
    if (*value > (UINT64_MAX - digit) / 10)
        return false;
    *value = *value * 10 + digit;
    return true;
}

enum cm_number_result cm_number_integer(const char *token, size_t length, bool *negative,
                                        uint64_t *magnitude)
{
    bool minus = token[0] == '-';
    struct decimal d = split(token + minus, length - minus);
    *negative = false;
    *magnitude = 0;
    if (d.count == 0)
        return CM_NUMBER_OK;
    if (d.exponent < 0)
        return CM_NUMBER_NOT_INTEGER;
    *negative = minus;
    if (d.count > U64_DIGITS || d.exponent > U64_DIGITS)
        return CM_NUMBER_TOO_LARGE;
    uint64_t value = 0;
    for (size_t i = 0; i < d.length; i++)
        if (is_digit(d.digits[i]) && !push_digit(&value, (unsigned)(d.digits[i] - '0')))
            return CM_NUMBER_TOO_LARGE;
    for (int64_t i = 0; i < d.exponent; i++)
        if (!push_digit(&value, 0))
            return CM_NUMBER_TOO_LARGE;
    *magnitude = value;
    return CM_NUMBER_OK;
}

double cm_number_double(const char *token)
{
    /* strtod alone would use the decimal comma of the user's locale. The locale "C" needs no memory
     * and cannot fail. */
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    double value = c_locale ? strtod_l(token, NULL, c_locale) : strtod(token, NULL);
    if (c_locale)
        freelocale(c_locale);
    return value;
}
