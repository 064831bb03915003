/* Names of the shift types, and scalars as the bits that node memory holds. */
#include "shift.h"

#include <assert.h>
#include <math.h>
#include <string.h>

const char *cm_shift_type_name(enum cm_shift_type type)
{
    static const char *const names[CM_SHIFT_TYPE_COUNT] = {
        [CM_SHIFT_CSHIFT] = "cshift",
        [CM_SHIFT_EOSHIFT_SCALAR] = "eoshift_scalar",
        [CM_SHIFT_EOSHIFT_ARRAY] = "eoshift_array",
        [CM_SHIFT_EOSHIFT_0] = "eoshift_0",
        [CM_SHIFT_EOSHIFT_1] = "eoshift_1",
    };
    assert(type < CM_SHIFT_TYPE_COUNT);
    return names[type];
}

static uint32_t bits_of_real32(double value)
{
    float rounded = (float)value;
    uint32_t bits;
    memcpy(&bits, &rounded, sizeof(bits));
    return bits;
}

static void split_real64(double value, uint32_t words[2])
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    words[0] = (uint32_t)bits;
    words[1] = (uint32_t)(bits >> 32);
}

static uint32_t bits_of_int32(double value)
{
    double rounded = rint(value);
    if (isnan(rounded))
        return 0;
    if (rounded <= INT32_MIN)
        return (uint32_t)INT32_MIN;
    if (rounded >= INT32_MAX)
        return (uint32_t)INT32_MAX;
    return (uint32_t)(int32_t)rounded;
}

struct cm_scalar cm_scalar_make(enum cm_type type, double re, double im)
{
    struct cm_scalar scalar = {{0}};
    switch (type) {
    case CM_TYPE_REAL32:
        scalar.words[0] = bits_of_real32(re);
        break;
    case CM_TYPE_COMPLEX64:
        scalar.words[0] = bits_of_real32(re);
        scalar.words[1] = bits_of_real32(im);
        break;
    case CM_TYPE_COMPLEX128:
        split_real64(im, scalar.words + 2);
        split_real64(re, scalar.words);
        break;
    case CM_TYPE_REAL64:
        split_real64(re, scalar.words);
        break;
    case CM_TYPE_INT32:
        scalar.words[0] = bits_of_int32(re);
        break;
    case CM_TYPE_LOGICAL:
        scalar.words[0] = re != 0;
        break;
    default:
        assert(false);
    }
    return scalar;
}

const char *cm_shift_path_name(enum cm_shift_path path)
{
    static const char *const names[] = {"exchange", "router"};
    return (unsigned)path < CM_PATH_COUNT ? names[path] : "?";
}
