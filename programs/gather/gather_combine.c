/* Combines arrived elements with the elements in the destination. */
#include "gather_private.h"

#include <assert.h>
#include <string.h>

const char *cm_gather_op_name(enum cm_gather_op op)
{
    static const char *const names[CM_GATHER_OPS] = {"overwrite", "add", "min", "max",
                                                     "and",       "or",  "xor"};
    assert(op < CM_GATHER_OPS);
    return names[op];
}

bool cm_gather_takes(enum cm_gather_op op, enum cm_type type)
{
    switch (op) {
    case CM_GATHER_OVERWRITE:
        return true;
    case CM_GATHER_ADD:
        return type != CM_TYPE_LOGICAL;
    case CM_GATHER_MIN:
    case CM_GATHER_MAX:
        return type == CM_TYPE_REAL32 || type == CM_TYPE_REAL64 || type == CM_TYPE_INT32;
    default:
        return op < CM_GATHER_OPS && (type == CM_TYPE_INT32 || type == CM_TYPE_LOGICAL);
    }
}

/* Defines a function that returns a o b for a type of numbers. Minimum (maximum) is a if a is less
 * (greater) than b, otherwise b, as in reductions. */
#define COMBINE_NUMBERS(name, number)                                                              \
    static number name(enum cm_gather_op op, number a, number b)                                   \
    {                                                                                              \
        if (op == CM_GATHER_ADD)                                                                   \
            return a + b;                                                                          \
        if (op == CM_GATHER_MIN)                                                                   \
            return a < b ? a : b;                                                                  \
        return a > b ? a : b;                                                                      \
    }
COMBINE_NUMBERS(combine_single, float)
COMBINE_NUMBERS(combine_double, double)
#undef COMBINE_NUMBERS

static uint32_t combine_integers(enum cm_gather_op op, uint32_t a, uint32_t b)
{
    switch (op) {
    case CM_GATHER_ADD:
        return a + b;
    case CM_GATHER_MIN:
        return (int32_t)a < (int32_t)b ? a : b;
    case CM_GATHER_MAX:
        return (int32_t)a > (int32_t)b ? a : b;
    case CM_GATHER_AND:
        return a & b;
    case CM_GATHER_OR:
        return a | b;
    default:
        return a ^ b;
    }
}

/* Returns the number that two words of node memory hold. The low word of 64 bits comes first. */
static double double_of(const uint32_t words[2])
{
    const uint64_t bits = (uint64_t)words[1] << 32 | words[0];
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void combine_wide(enum cm_gather_op op, uint32_t *there, const uint32_t *arrived)
{
    const double value = combine_double(op, double_of(there), double_of(arrived));
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    there[0] = (uint32_t)bits;
    there[1] = (uint32_t)(bits >> 32);
}

static void combine_narrow(enum cm_gather_op op, uint32_t *there, const uint32_t *arrived)
{
    float a, b;
    memcpy(&a, there, sizeof a);
    memcpy(&b, arrived, sizeof b);
    a = combine_single(op, a, b);
    memcpy(there, &a, sizeof a);
}

void cm_gather_combine(enum cm_gather_op op, enum cm_type type, uint32_t *there,
                       const uint32_t *arrived)
{
    const uint32_t slices = cm_type_slices(type), parts = cm_type_components(type);
    if (op == CM_GATHER_OVERWRITE) {
        memcpy(there, arrived, slices * sizeof *there);
    } else if (type == CM_TYPE_INT32 || type == CM_TYPE_LOGICAL) {
        *there = combine_integers(op, *there, *arrived);
    } else {
        for (uint32_t part = 0; part < parts; part++) {
            if (slices == parts)
                combine_narrow(op, there + part, arrived + part);
            else
                combine_wide(op, there + 2 * part, arrived + 2 * part);
        }
    }
}
