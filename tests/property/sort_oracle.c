/* The order of keys, by the documented rules: numbers by value, zeros by their sign, NaNs last. */
#include "sort_oracle.h"

#include <math.h>
#include <string.h>

static double number_of(enum cm_type type, const void *keys, uint64_t element)
{
    const unsigned char *at = (const unsigned char *)keys + element * cm_type_host_bytes(type);
    int32_t integer;
    float single;
    double wide;
    if (type == CM_TYPE_LOGICAL)
        return *at;
    if (type == CM_TYPE_INT32) {
        memcpy(&integer, at, sizeof integer);
        return integer;
    }
    if (type == CM_TYPE_REAL32) {
        memcpy(&single, at, sizeof single);
        return (double)single;
    }
    memcpy(&wide, at, sizeof wide);
    return wide;
}

/* The fraction of a NaN, which tells NaNs apart. */
static uint64_t fraction_of(enum cm_type type, const void *keys, uint64_t element)
{
    const unsigned char *at = (const unsigned char *)keys + element * cm_type_host_bytes(type);
    uint64_t wide = 0;
    uint32_t single;
    if (type == CM_TYPE_REAL32) {
        memcpy(&single, at, sizeof single);
        return single & 0x7fffffu;
    }
    memcpy(&wide, at, sizeof wide);
    return wide & UINT64_C(0xfffffffffffff);
}

/* Negative: element a comes before b; 0: they are equal. */
static int compare(enum cm_type type, const void *keys, uint64_t a, uint64_t b, bool descending)
{
    const double x = number_of(type, keys, a), y = number_of(type, keys, b);
    int result;
    if (isnan(x) && isnan(y)) {
        const uint64_t f = fraction_of(type, keys, a), g = fraction_of(type, keys, b);
        return f < g ? -1 : f > g;
    }
    if (isnan(x) || isnan(y))
        return isnan(x) ? 1 : -1;
    if (x == 0 && y == 0 && type != CM_TYPE_INT32 && type != CM_TYPE_LOGICAL)
        result = (signbit(x) == 0) - (signbit(y) == 0);
    else
        result = x < y ? -1 : x > y;
    return descending ? -result : result;
}

void oracle_order(enum cm_type type, const void *keys, uint64_t first, uint64_t step,
                  uint64_t length, bool descending, uint64_t *order)
{
    for (uint64_t i = 0; i < length; i++) {
        uint64_t low = 0, high = i;
        while (low < high) { /* the first place whose key comes after key i */
            const uint64_t middle = (low + high) / 2;
            if (compare(type, keys, first + order[middle] * step, first + i * step, descending) > 0)
                high = middle;
            else
                low = middle + 1;
        }
        memmove(order + low + 1, order + low, (i - low) * sizeof *order);
        order[low] = i;
    }
}

void oracle_key(enum cm_type type, const void *keys, uint64_t element, void *key)
{
    const size_t bytes = cm_type_host_bytes(type);
    const bool real = type == CM_TYPE_REAL32 || type == CM_TYPE_REAL64;
    memcpy(key, (const unsigned char *)keys + element * bytes, bytes);
    if (real && isnan(number_of(type, keys, element)))
        ((unsigned char *)key)[bytes - 1] &= 0x7f;
}
