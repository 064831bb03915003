/* Converts scalars to the bits that node memory holds. */
#include "scalar.h"

#include <math.h>
#include <string.h>

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

/* Writes a number as a component of 1 or 2 words. */
static void put_real(double value, uint32_t words, uint32_t *to)
{
    if (words == 1) {
        float single = (float)value;
        memcpy(to, &single, sizeof single);
    } else {
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        to[0] = (uint32_t)bits;
        to[1] = (uint32_t)(bits >> 32);
    }
}

struct cm_scalar cm_scalar_make(enum cm_type type, double re, double im)
{
    struct cm_scalar scalar = {{0}};
    uint32_t components = cm_type_components(type), words = cm_type_slices(type) / components;
    if (type == CM_TYPE_INT32)
        scalar.words[0] = bits_of_int32(re);
    else if (type == CM_TYPE_LOGICAL)
        scalar.words[0] = re != 0;
    else
        put_real(re, words, scalar.words);
    if (components == 2)
        put_real(im, words, scalar.words + words);
    return scalar;
}

uint64_t cm_scalar_bits(enum cm_type type, const struct cm_scalar *scalar, uint32_t component)
{
    uint32_t words = cm_type_slices(type) / cm_type_components(type);
    const uint32_t *at = &scalar->words[component * words];
    return words == 2 ? (uint64_t)at[1] << 32 | at[0] : at[0];
}
