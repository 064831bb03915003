/* The oracle of reductions and scans: what docs/programs/collective.md says, by recursion over
 * indices. */
#include "collective_oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
        return (struct oracle_value){.re = b.re < a.re ? b.re : a.re};
    if (op == CM_COLLECTIVE_MAX)
        return (struct oracle_value){.re = b.re > a.re ? b.re : a.re};
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

/* A value, and whether a segment begins in what it stands for. */
struct total {
    struct oracle_value value;
    bool begins;
};

/* A column in the order of the scan: place p of it is `at(p)` of the array. */
struct column {
    const struct oracle_array *array;
    const struct oracle_scan *scan;
    enum cm_collective_op op;
    uint32_t axis;
    uint64_t index[4];
};

/* Whether place p exists; *number is its element's. */
static bool exists(struct column *column, uint64_t p, uint64_t *number)
{
    const struct oracle_array *array = column->array;
    const uint64_t places = array->segment[column->axis] << array->bits[column->axis];
    struct oracle_array all = *array;
    all.mask = NULL;
    column->index[column->axis] = column->scan->downward ? places - 1 - p : p;
    return takes_part(&all, column->index, number);
}

static bool begins(struct column *column, uint64_t p)
{
    uint64_t number;
    return exists(column, p, &number) && column->scan->segments != NULL &&
           column->scan->segments[number] != 0;
}

/* The places [first, end), in a node. */
static struct total run_of(struct column *column, uint64_t first, uint64_t end, bool without_last)
{
    const struct oracle_array *array = column->array;
    struct total total = {oracle_identity(column->op, array->type), false};
    uint64_t number;
    for (uint64_t p = first; p < end; p++) {
        if (begins(column, p))
            total = (struct total){oracle_identity(column->op, array->type), true};
        if (exists(column, p, &number) && (array->mask == NULL || array->mask[number] != 0) &&
            !(without_last && p + 1 == end))
            total.value =
                oracle_operation(column->op, array->type, total.value, array->elements[number]);
    }
    return total;
}

static struct total join(const struct column *column, struct total a, struct total b)
{
    if (!b.begins)
        b.value = oracle_operation(column->op, column->array->type, a.value, b.value);
    b.begins = b.begins || a.begins;
    return b;
}

/* What comes before block c: for each bit of c, the 2^bit blocks before those already joined. */
static struct total prefix_of(const struct column *column, struct total *const *levels, uint64_t c)
{
    struct total prefix = {oracle_identity(column->op, column->array->type), false};
    for (uint32_t bit = 0; bit < column->array->bits[column->axis]; bit++)
        if (c >> bit & 1)
            prefix = join(column, levels[bit][(c >> bit) - 1], prefix);
    return prefix;
}

void oracle_scan_column(const struct oracle_array *array, enum cm_collective_op op, uint32_t axis,
                        const uint64_t *index, const struct oracle_scan *scan,
                        struct oracle_value *out)
{
    struct column column = {array, scan, op, axis, {index[0], index[1], index[2], index[3]}};
    const uint64_t blocks = UINT64_C(1) << array->bits[axis], length = array->segment[axis];
    struct total *levels[17] = {NULL};
    uint64_t number;
    for (uint32_t level = 0; level <= array->bits[axis]; level++) {
        levels[level] = calloc(blocks >> level, sizeof **levels);
        for (uint64_t m = 0; m < blocks >> level; m++)
            levels[level][m] =
                level == 0 ? run_of(&column, m * length, (m + 1) * length, false)
                           : join(&column, levels[level - 1][2 * m], levels[level - 1][2 * m + 1]);
    }
    for (uint64_t c = 0; c < blocks; c++) {
        const struct total prefix = prefix_of(&column, levels, c);
        for (uint64_t p = c * length; p < (c + 1) * length; p++) {
            struct total here = run_of(&column, c * length, p + 1, scan->exclusive);
            if (blocks > 1)
                here = join(&column, prefix, here);
            if (exists(&column, p, &number))
                out[column.index[axis]] = here.value;
        }
    }
    for (uint32_t level = 0; level <= array->bits[axis]; level++)
        free(levels[level]);
}

void oracle_scan_plain(const struct oracle_array *array, enum cm_collective_op op, uint32_t axis,
                       const uint64_t *index, const struct oracle_scan *scan,
                       struct oracle_value *out)
{
    struct column column = {array, scan, op, axis, {index[0], index[1], index[2], index[3]}};
    const uint64_t places = array->segment[axis] << array->bits[axis];
    uint64_t number;
    for (uint64_t p = 0; p < places; p++) {
        uint64_t from = p;
        while (from > 0 && !begins(&column, from))
            from--;
        const struct total here = run_of(&column, from, p + 1, scan->exclusive);
        if (exists(&column, p, &number))
            out[column.index[axis]] = here.value;
    }
}
