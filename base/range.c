/* Reads and expands ranges of decimal numbers. It computes with whole numbers of a decimal unit. */
#include "range.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool cm_range_is_meant(const char *text)
{
    return strchr(text, ':') != NULL && text[strspn(text, "0123456789.:*+-eE")] == '\0';
}

/* Reads a decimal number without an exponent. Returns the text behind it, or NULL if there is no
 * such number. `*fits` becomes false if the number has too many digits. */
static const char *read_decimal(const char *text, struct cm_decimal *number, bool *fits)
{
    bool negative = *text == '-', point = false;
    uint32_t digits = 0, significant = 0;
    *number = (struct cm_decimal){0};
    for (text += negative; (*text >= '0' && *text <= '9') || (*text == '.' && !point); text++) {
        if (*text == '.') {
            point = true;
            continue;
        }
        digits++;
        significant += number->units > 0 || *text != '0';
        number->decimals += point;
        if (significant > CM_RANGE_DIGITS || number->decimals > CM_RANGE_DIGITS)
            *fits = false;
        else
            number->units = number->units * 10 + (*text - '0');
    }
    if (negative)
        number->units = -number->units;
    return digits > 0 ? text : NULL;
}

/* Multiplies the units of a number by a power of ten, so that the number has `decimals` decimals.
 */
static bool scale(struct cm_decimal *number, uint32_t decimals)
{
    for (; number->decimals < decimals; number->decimals++)
        if (__builtin_mul_overflow(number->units, 10, &number->units))
            return false;
    return true;
}

/* Converts the numbers of a range to the same unit. A factor keeps its own unit. */
static bool scale_all(struct cm_range *range)
{
    uint32_t decimals = range->first.decimals;
    decimals = range->last.decimals > decimals ? range->last.decimals : decimals;
    if (!range->factor && range->step.decimals > decimals)
        decimals = range->step.decimals;
    return scale(&range->first, decimals) && scale(&range->last, decimals) &&
           (range->factor || scale(&range->step, decimals));
}

static bool is_above_one(const struct cm_decimal *number)
{
    int64_t one = 1;
    for (uint32_t i = 0; i < number->decimals; i++)
        one *= 10;
    return number->units > one;
}

enum cm_range_fault cm_range_read(const char *text, struct cm_range *range)
{
    bool fits = true;
    *range = (struct cm_range){0};
    const char *at = read_decimal(text, &range->first, &fits);
    if (at == NULL || *at != ':' || (at = read_decimal(at + 1, &range->last, &fits)) == NULL ||
        *at != ':')
        return CM_RANGE_OTHER;
    range->factor = at[1] == '*';
    at = read_decimal(at + 1 + range->factor, &range->step, &fits);
    if (at == NULL || *at != '\0')
        return CM_RANGE_OTHER;
    if (!fits || !scale_all(range))
        return CM_RANGE_LONG;
    if (range->factor ? !is_above_one(&range->step) : range->step.units <= 0)
        return CM_RANGE_STEP;
    if (range->factor && range->first.units <= 0)
        return CM_RANGE_FIRST;
    return range->last.units < range->first.units ? CM_RANGE_DESCENDS : CM_RANGE_GOOD;
}

/* Appends a number without zeros at the end of its decimals. */
static void append(struct cm_decimal number, struct cm_buffer *list)
{
    uint64_t one = 1, units = (uint64_t)(number.units < 0 ? -number.units : number.units);
    for (; number.decimals > 0 && units % 10 == 0; number.decimals--)
        units /= 10;
    for (uint32_t i = 0; i < number.decimals; i++)
        one *= 10;
    cm_buffer_printf(list, "%s%" PRIu64, number.units < 0 ? "-" : "", units / one);
    if (number.decimals > 0)
        cm_buffer_printf(list, ".%0*" PRIu64, (int)number.decimals, units % one);
}

/* Removes zeros at the end of the decimals, so that products need fewer digits. */
static void shorten(struct cm_decimal *number)
{
    for (; number->decimals > 0 && number->units % 10 == 0; number->decimals--)
        number->units /= 10;
}

/* Compares two numbers above 0, which may have different units. Returns the sign of a - b: -1, 0 or
 * 1. */
static int compare(const struct cm_decimal *a, const struct cm_decimal *b)
{
    unsigned __int128 left = (unsigned __int128)a->units, right = (unsigned __int128)b->units;
    for (uint32_t i = a->decimals; i < b->decimals; i++)
        left *= 10;
    for (uint32_t i = b->decimals; i < a->decimals; i++)
        right *= 10;
    return left < right ? -1 : left > right;
}

/* Replaces a value of a range by the next one. Returns false if the next value has too many digits.
 */
static bool advance(const struct cm_range *range, struct cm_decimal *value)
{
    struct cm_decimal factor = range->step;
    if (!range->factor)
        return !__builtin_add_overflow(value->units, range->step.units, &value->units);
    shorten(&factor);
    if (__builtin_mul_overflow(value->units, factor.units, &value->units))
        return false;
    value->decimals += factor.decimals;
    shorten(value);
    return value->decimals <= CM_RANGE_DIGITS;
}

static bool is_within(const struct cm_range *range, const struct cm_decimal *value)
{
    return range->factor ? compare(value, &range->last) <= 0 : value->units <= range->last.units;
}

static double as_double(const struct cm_decimal *number)
{
    double value = (double)number->units;
    for (uint32_t i = 0; i < number->decimals; i++)
        value /= 10;
    return value;
}

/* Estimates whether the value that follows `value` is above the end of the range. Used where the
 * following value has too many digits to be computed exactly. */
static bool is_above_last(const struct cm_range *range, const struct cm_decimal *value)
{
    double step = as_double(&range->step), before = as_double(value);
    return (range->factor ? before * step : before + step) > as_double(&range->last);
}

enum cm_range_fault cm_range_expand(const struct cm_range *range, uint32_t most,
                                    struct cm_buffer *list)
{
    struct cm_decimal value = range->first;
    for (uint32_t count = 0; is_within(range, &value); count++) {
        if (count == most)
            return CM_RANGE_MANY;
        if (count > 0)
            cm_buffer_append(list, ",", 1);
        append(value, list);
        struct cm_decimal next = value;
        if (!advance(range, &next))
            return is_above_last(range, &value) ? CM_RANGE_GOOD : CM_RANGE_LONG;
        value = next;
    }
    return CM_RANGE_GOOD;
}

const char *cm_range_explain(enum cm_range_fault fault)
{
    static const char *const texts[] = {
        [CM_RANGE_GOOD] = "",
        [CM_RANGE_OTHER] = "a range is FIRST:LAST:STEP or FIRST:LAST:*FACTOR",
        [CM_RANGE_LONG] = "a number of the range has more than 18 digits",
        [CM_RANGE_STEP] = "the step is not above 0, or the factor is not above 1",
        [CM_RANGE_FIRST] = "a range with a factor begins above 0",
        [CM_RANGE_DESCENDS] = "the range is empty, because its last number is below its first",
        [CM_RANGE_MANY] = "the range has too many values",
    };
    return texts[fault];
}
