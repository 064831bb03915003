/* Entries of micro code. A hash table finds equal entries, so each entry is made only once. */
#include "micro.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_BUCKETS 256u

static uint32_t hash_of(const struct cm_micro *entry)
{
    uint32_t words[sizeof *entry / sizeof(uint32_t)];
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    memcpy(words, entry, sizeof words);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        hash = (hash ^ words[i]) * UINT64_C(0x100000001b3);
    return (uint32_t)(hash ^ hash >> 32);
}

static uint32_t *bucket_of(struct cm_lower *lower, const struct cm_micro *entry)
{
    for (uint32_t at = hash_of(entry);; at++) {
        uint32_t *bucket = &lower->buckets[at & (lower->bucket_count - 1)];
        if (*bucket == 0 || memcmp(&lower->code.items[*bucket], entry, sizeof *entry) == 0)
            return bucket;
    }
}

static bool grow(struct cm_lower *lower)
{
    uint32_t count = lower->bucket_count ? 2 * lower->bucket_count : FIRST_BUCKETS;
    uint32_t *buckets = calloc(count, sizeof *buckets);
    if (!buckets)
        return false;
    free(lower->buckets);
    lower->buckets = buckets;
    lower->bucket_count = count;
    for (uint32_t i = 1; i < lower->code.count; i++)
        *bucket_of(lower, &lower->code.items[i]) = i;
    return true;
}

uint32_t cm_micro_add(struct cm_lower *lower, const struct cm_micro *entry)
{
    lower->failed = lower->failed || (2 * lower->code.count >= lower->bucket_count && !grow(lower));
    if (lower->failed)
        return 0;
    uint32_t *bucket = bucket_of(lower, entry);
    if (*bucket != 0)
        return *bucket;
    lower->failed = !cm_list_push(&lower->code, *entry);
    if (lower->failed)
        return 0;
    return *bucket = lower->code.count - 1;
}

/* Returns true if the operands of an instruction may change places. */
static bool commutes(enum cm_op op)
{
    switch (op) {
    case CM_OP_FADD32:
    case CM_OP_FADD64:
    case CM_OP_FMUL32:
    case CM_OP_FMUL64:
    case CM_OP_IADD:
    case CM_OP_IMUL:
    case CM_OP_IAND:
    case CM_OP_IOR:
    case CM_OP_IXOR:
    case CM_OP_IMIN:
    case CM_OP_IMAX:
    case CM_OP_FEQ32:
    case CM_OP_FEQ64:
    case CM_OP_IEQ:
        return true;
    default:
        return false;
    }
}

/* Returns true if the result of an instruction has 64 bits. */
static bool gives_wide(enum cm_op op)
{
    switch (op) {
    case CM_OP_FADD64:
    case CM_OP_FSUB64:
    case CM_OP_FMUL64:
    case CM_OP_FMA64:
    case CM_OP_FDIV64:
    case CM_OP_FSQRT64:
    case CM_OP_FNEG64:
    case CM_OP_FABS64:
    case CM_OP_FMIN64:
    case CM_OP_FMAX64:
    case CM_OP_I2F64:
    case CM_OP_F32TO64:
    case CM_OP_FJOIN:
        return true;
    default:
        return false;
    }
}

uint32_t cm_micro_plain(struct cm_lower *lower, enum cm_op op, uint32_t a, uint32_t b, uint32_t c)
{
    const bool swap = commutes(op) && b < a;
    return cm_micro_add(lower, &(struct cm_micro){.kind = CM_MICRO_PLAIN,
                                                  .op = op,
                                                  .sources = {swap ? b : a, swap ? a : b, c},
                                                  .wide = gives_wide(op)});
}

uint32_t cm_micro_test(struct cm_lower *lower, enum cm_op op, uint32_t a, uint32_t b)
{
    const bool swap = commutes(op) && b < a;
    return cm_micro_add(lower,
                        &(struct cm_micro){.kind = CM_MICRO_TEST,
                                           .test = op,
                                           .sources = {0, 0, 0, swap ? b : a, swap ? a : b}});
}

uint32_t cm_micro_not(struct cm_lower *lower, uint32_t condition)
{
    struct cm_micro entry = lower->code.items[condition];
    if (entry.kind != CM_MICRO_TEST)
        return CM_MICRO2(lower, IXOR, condition, cm_micro_word(lower, 1));
    entry.negated = !entry.negated;
    return cm_micro_add(lower, &entry);
}

uint32_t cm_micro_select(struct cm_lower *lower, bool wide, uint32_t condition, uint32_t yes,
                         uint32_t no)
{
    const struct cm_micro test = lower->code.items[condition];
    struct cm_micro entry = {.kind = CM_MICRO_SELECT,
                             .op = wide ? CM_OP_FSEL64 : CM_OP_FSEL32,
                             .test = CM_OP_CTXREST,
                             .sources = {yes, no, 0, condition, 0},
                             .wide = wide};
    if (yes == no)
        return yes;
    if (test.kind == CM_MICRO_TEST) {
        entry.test = test.test;
        entry.sources[0] = test.negated ? no : yes;
        entry.sources[1] = test.negated ? yes : no;
        entry.sources[3] = test.sources[3];
        entry.sources[4] = test.sources[4];
    }
    return cm_micro_add(lower, &entry);
}

static uint32_t constant(struct cm_lower *lower, uint64_t bits, bool wide)
{
    uint32_t slot = 0;
    while (slot < lower->slots.count &&
           !(lower->slots.items[slot].is_constant && lower->slots.items[slot].bits == bits &&
             lower->slots.items[slot].wide == wide))
        slot++;
    if (slot == lower->slots.count &&
        !cm_list_push(&lower->slots,
                      (struct cm_slot_value){.bits = bits, .wide = wide, .is_constant = true})) {
        lower->failed = true;
        return 0;
    }
    return cm_micro_add(lower, &(struct cm_micro){.kind = CM_MICRO_SCALAR,
                                                  .op = wide ? CM_OP_FSCAL64 : CM_OP_FSCAL32,
                                                  .number = slot,
                                                  .wide = wide});
}

uint32_t cm_micro_word(struct cm_lower *lower, uint32_t bits)
{
    return constant(lower, bits, false);
}

uint32_t cm_micro_bits(struct cm_lower *lower, uint64_t bits)
{
    return constant(lower, bits, true);
}

uint32_t cm_micro_single(struct cm_lower *lower, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return constant(lower, bits, false);
}

uint32_t cm_micro_double(struct cm_lower *lower, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return constant(lower, bits, true);
}

uint32_t cm_micro_real(struct cm_lower *lower, const struct cm_type_ops *ops, double value)
{
    return ops->wide ? cm_micro_double(lower, value) : cm_micro_single(lower, (float)value);
}

#define REAL_OPS(bits)                                                                             \
    {                                                                                              \
        CM_OP_FLOAD##bits, CM_OP_FSTORE##bits, CM_OP_FSCAL##bits, CM_OP_FADD##bits,                \
            CM_OP_FSUB##bits, CM_OP_FMUL##bits, CM_OP_FMA##bits, CM_OP_FDIV##bits,                 \
            CM_OP_FSQRT##bits, CM_OP_FNEG##bits, CM_OP_FABS##bits, CM_OP_FMIN##bits,               \
            CM_OP_FMAX##bits, CM_OP_FEQ##bits, CM_OP_FLT##bits, CM_OP_FLE##bits, (bits) == 64      \
    }

const struct cm_type_ops *cm_type_ops(enum cm_type type)
{
    static const struct cm_type_ops single = REAL_OPS(32), wide = REAL_OPS(64);
    /* Operations that integers lack are 0. They take several instructions. */
    static const struct cm_type_ops integer = {.load = CM_OP_FLOAD32,
                                               .store = CM_OP_FSTORE32,
                                               .scalar = CM_OP_FSCAL32,
                                               .add = CM_OP_IADD,
                                               .subtract = CM_OP_ISUB,
                                               .multiply = CM_OP_IMUL,
                                               .divide = CM_OP_IDIV,
                                               .least = CM_OP_IMIN,
                                               .greatest = CM_OP_IMAX,
                                               .equal = CM_OP_IEQ,
                                               .less = CM_OP_ILT,
                                               .less_equal = CM_OP_ILE};
    if (type == CM_TYPE_INT32 || type == CM_TYPE_LOGICAL)
        return &integer;
    return cm_type_is_wide(type) ? &wide : &single;
}

uint32_t cm_lower_sign(struct cm_lower *l, const struct cm_type_ops *ops, uint32_t x, uint32_t sign)
{
    /* mask of the sign bit, in a 32-bit number or in the high word of a double */
    const uint32_t bit = cm_micro_word(l, UINT32_C(1) << 31);
    const uint32_t magnitude = cm_micro_plain(l, ops->magnitude, x, 0, 0);
    if (!ops->wide)
        return CM_MICRO2(l, IOR, magnitude, CM_MICRO2(l, IAND, sign, bit));
    const uint32_t high = CM_MICRO2(l, IOR, CM_MICRO1(l, FHIGH, magnitude),
                                    CM_MICRO2(l, IAND, CM_MICRO1(l, FHIGH, sign), bit));
    return CM_MICRO2(l, FJOIN, magnitude, high);
}
