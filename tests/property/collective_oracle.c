/* The oracle of reductions: what docs/collective.md says, by recursion over indices. */
#include "collective_oracle.h"

#include <math.h>

/* Through memory: gcc 12 at -O3 drops the conversion to float and back from the loop of fold. */
static double rounded(enum cm_type type, double x)
{
    volatile float single = (float)x;
    return type == CM_TYPE_REAL32 || type == CM_TYPE_COMPLEX64 ? (double)single : x;
}

static bool is_integer(enum cm_type type)
{
    return type == CM_TYPE_INT32 || type == CM_TYPE_LOGICAL;
}

static double wrapped(uint32_t bits)
{
    return (double)(int32_t)bits;
}

static uint32_t bits_of(double x)
{
    return (uint32_t)(int32_t)x;
}

static struct oracle_value integers(enum cm_collective_op op, double a, double b)
{
    uint32_t x = bits_of(a), y = bits_of(b), z = 0;
    switch (op) {
    case CM_COLLECTIVE_SUM:
    case CM_COLLECTIVE_COUNT:
        z = x + y;
        break;
    case CM_COLLECTIVE_PRODUCT:
        z = x * y;
        break;
    case CM_COLLECTIVE_MIN:
        return (struct oracle_value){.re = a < b ? a : b};
    case CM_COLLECTIVE_MAX:
        return (struct oracle_value){.re = a > b ? a : b};
    case CM_COLLECTIVE_AND:
        z = x & y;
        break;
    case CM_COLLECTIVE_OR:
        z = x | y;
        break;
    default:
        z = x ^ y;
    }
    return (struct oracle_value){.re = wrapped(z)};
}

/* The better of two, of equal ones the first found. */
static struct oracle_value located(bool minimum, struct oracle_value a, struct oracle_value b)
{
    if (b.at == 0 || isnan(b.re))
        return a;
    if (a.at == 0 || isnan(a.re))
        return b;
    if (a.re == b.re)
        return a.at < b.at ? a : b;
    return (a.re < b.re) == minimum ? a : b;
}

struct oracle_value oracle_operation(enum cm_collective_op op, enum cm_type type,
                                     struct oracle_value a, struct oracle_value b)
{
    const bool complex = cm_type_components(type) == 2;
    if (op == CM_COLLECTIVE_MINLOC || op == CM_COLLECTIVE_MAXLOC)
        return located(op == CM_COLLECTIVE_MINLOC, a, b);
    if (is_integer(type))
        return integers(op, a.re, b.re);
    if (op == CM_COLLECTIVE_SUM)
        return (struct oracle_value){.re = rounded(type, a.re + b.re),
                                     .im = rounded(type, a.im + b.im)};
    if (op == CM_COLLECTIVE_MIN)
        return (struct oracle_value){.re = a.re < b.re ? a.re : b.re};
    if (op == CM_COLLECTIVE_MAX)
        return (struct oracle_value){.re = a.re > b.re ? a.re : b.re};
    if (!complex)
        return (struct oracle_value){.re = rounded(type, a.re * b.re)};
    return (struct oracle_value){
        .re = rounded(type, rounded(type, a.re * b.re) - rounded(type, a.im * b.im)),
        .im = rounded(type, rounded(type, a.re * b.im) + rounded(type, a.im * b.re))};
}

struct oracle_value oracle_identity(enum cm_collective_op op, enum cm_type type)
{
    const bool integer = is_integer(type);
    struct oracle_value none = {0};
    if (op == CM_COLLECTIVE_PRODUCT)
        none.re = 1;
    else if (op == CM_COLLECTIVE_MIN)
        none.re = integer ? INT32_MAX : (double)INFINITY;
    else if (op == CM_COLLECTIVE_MAX)
        none.re = integer ? INT32_MIN : -(double)INFINITY;
    else if (op == CM_COLLECTIVE_AND)
        none.re = type == CM_TYPE_LOGICAL ? 1 : -1;
    return none;
}

/* Whether the element exists and takes part; *number is its number then. */
static bool takes_part(const struct oracle_array *array, const uint64_t *index, uint64_t *number)
{
    *number = 0;
    for (uint32_t a = array->rank; a-- > 0;) {
        if (index[a] >= array->shape[a])
            return false;
        *number = *number * array->shape[a] + index[a];
    }
    return array->mask == NULL || array->mask[*number];
}

/* The elements of the places that begin at `index`, one after the other along the axis. */
static struct oracle_value fold(const struct oracle_array *array, enum cm_collective_op op,
                                uint32_t axis, const uint64_t *index)
{
    struct oracle_value value = oracle_identity(op, array->type);
    uint64_t at[4] = {index[0], index[1], index[2], index[3]}, number;
    for (uint64_t i = 0; i < array->segment[axis]; i++) {
        at[axis] = index[axis] + i;
        if (!takes_part(array, at, &number))
            continue;
        struct oracle_value element = array->elements[number];
        element.at = (int64_t)at[axis] + 1;
        value = oracle_operation(op, array->type, value, element);
    }
    return value;
}

/* The blocks [first, first + count) of the axis. */
static struct oracle_value halves(const struct oracle_array *array, enum cm_collective_op op,
                                  uint32_t axis, uint64_t *index, uint64_t first, uint64_t count)
{
    if (count == 1) {
        index[axis] = first * array->segment[axis];
        return fold(array, op, axis, index);
    }
    const struct oracle_value lower = halves(array, op, axis, index, first, count / 2);
    const struct oracle_value upper = halves(array, op, axis, index, first + count / 2, count / 2);
    return oracle_operation(op, array->type, lower, upper);
}

struct oracle_value oracle_column(const struct oracle_array *array, enum cm_collective_op op,
                                  uint32_t axis, const uint64_t *index)
{
    uint64_t at[4] = {index[0], index[1], index[2], index[3]};
    return halves(array, op, axis, at, 0, UINT64_C(1) << array->bits[axis]);
}

/* The folds of the axes below `axes`, in the block of `block`; `at` has the indices above. */
static struct oracle_value nested(const struct oracle_array *array, enum cm_collective_op op,
                                  uint32_t axes, const uint64_t *block, uint64_t *at)
{
    uint64_t number;
    if (axes == 0) {
        struct oracle_value element = oracle_identity(op, array->type);
        if (takes_part(array, at, &number)) {
            element = array->elements[number];
            element.at = (int64_t)number + 1;
        }
        return element;
    }
    const uint32_t a = axes - 1;
    struct oracle_value value = oracle_identity(op, array->type);
    for (uint64_t i = 0; i < array->segment[a]; i++) {
        at[a] = block[a] * array->segment[a] + i;
        /* A place that does not exist is passed over, and so is an element that takes no part. */
        if (at[a] >= array->shape[a] || (a == 0 && !takes_part(array, at, &number)))
            continue;
        value = oracle_operation(op, array->type, value, nested(array, op, a, block, at));
    }
    return value;
}

/* Blocks that agree with `block` from bit `bit` of axis `axis` upwards. */
static struct oracle_value all_blocks(const struct oracle_array *array, enum cm_collective_op op,
                                      int axis, int bit, uint64_t *block)
{
    uint64_t at[4] = {0};
    while (axis >= 0 && bit == 0) {
        axis--;
        bit = axis >= 0 ? (int)array->bits[axis] : 0;
    }
    if (axis < 0)
        return nested(array, op, array->rank, block, at);
    const struct oracle_value lower = all_blocks(array, op, axis, bit - 1, block);
    block[axis] += UINT64_C(1) << (bit - 1);
    const struct oracle_value upper = all_blocks(array, op, axis, bit - 1, block);
    block[axis] -= UINT64_C(1) << (bit - 1);
    return oracle_operation(op, array->type, lower, upper);
}

struct oracle_value oracle_whole(const struct oracle_array *array, enum cm_collective_op op)
{
    uint64_t block[4] = {0};
    return all_blocks(array, op, (int)array->rank, 0, block);
}

struct oracle_value oracle_plain(const struct oracle_array *array, enum cm_collective_op op,
                                 uint32_t axis, const uint64_t *index)
{
    struct oracle_value value = oracle_identity(op, array->type);
    uint64_t all = 1, number;
    for (uint32_t a = 0; a < array->rank; a++)
        all *= array->shape[a];
    for (uint64_t e = 0; e < all; e++) {
        uint64_t at[4] = {0}, rest = e;
        bool member = true;
        for (uint32_t a = 0; a < array->rank; a++) {
            at[a] = rest % array->shape[a];
            rest /= array->shape[a];
            member = member && (axis == CM_COLLECTIVE_WHOLE || a == axis || at[a] == index[a]);
        }
        if (!member || !takes_part(array, at, &number))
            continue;
        struct oracle_value element = array->elements[number];
        element.at = (int64_t)(axis == CM_COLLECTIVE_WHOLE ? number : at[axis]) + 1;
        value = oracle_operation(op, array->type, value, element);
    }
    return value;
}
