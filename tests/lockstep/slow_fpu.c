/* The FPU of the slow machine. Nothing here is fast, and nothing knows of other nodes. */
#include "slow_fpu.h"

#include <math.h>
#include <string.h>

static float single_of(uint64_t bits)
{
    const uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof(value));
    return value;
}

static double twice_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static struct cm_slow_result single(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return (struct cm_slow_result){.bits = bits, .nan = isnan(value) != 0};
}

static struct cm_slow_result twice(double value)
{
    struct cm_slow_result result = {.wide = true, .nan = isnan(value) != 0};
    memcpy(&result.bits, &value, sizeof(result.bits));
    return result;
}

static struct cm_slow_result word(uint32_t bits)
{
    return (struct cm_slow_result){.bits = bits};
}

static struct cm_slow_result whole(uint64_t bits)
{
    return (struct cm_slow_result){.bits = bits, .wide = true};
}

static int64_t signed_of(uint64_t bits)
{
    const int64_t low = (int64_t)(bits & UINT32_MAX);
    return low < INT64_C(2147483648) ? low : low - INT64_C(4294967296);
}

/* Truncated; what has no place in 32 bits gives -2^31. */
static struct cm_slow_result integer(double value)
{
    const double whole_part = trunc(value);
    if (whole_part >= -2147483648.0 && whole_part <= 2147483647.0)
        return word((uint32_t)(int64_t)whole_part);
    return word(UINT32_C(0x80000000));
}

static struct cm_slow_result shift(enum cm_op op, uint64_t a, uint64_t b)
{
    uint64_t bits = op == CM_OP_ISAR ? (uint64_t)signed_of(a) : a & UINT32_MAX;
    const uint64_t count = b & UINT32_MAX;
    for (uint64_t i = 0; i < count && i < 64; i++) {
        const uint64_t sign = op == CM_OP_ISAR ? bits & UINT64_C(1) << 63 : 0;
        bits = op == CM_OP_ISHL ? bits << 1 : bits >> 1 | sign;
    }
    return word((uint32_t)bits);
}

static struct cm_slow_result compute_integer(enum cm_op op, uint64_t a, uint64_t b)
{
    const int64_t x = signed_of(a);
    const int64_t y = signed_of(b);
    switch (op) {
    case CM_OP_IADD:
        return word((uint32_t)(a + b));
    case CM_OP_ISUB:
        return word((uint32_t)(a - b));
    case CM_OP_IMUL:
        return word((uint32_t)((a & UINT32_MAX) * (b & UINT32_MAX)));
    case CM_OP_IDIV:
        return word(y == 0 ? 0 : (uint32_t)(x / y));
    case CM_OP_IMOD:
        return word(y == 0 ? 0 : (uint32_t)(x % y));
    case CM_OP_IMIN:
        return word((uint32_t)(x < y ? a : b));
    case CM_OP_IMAX:
        return word((uint32_t)(x < y ? b : a));
    case CM_OP_IAND:
        return word((uint32_t)(a & b));
    case CM_OP_IOR:
        return word((uint32_t)(a | b));
    case CM_OP_IXOR:
        return word((uint32_t)(a ^ b));
    default:
        return shift(op, a, b);
    }
}

static struct cm_slow_result compute32(enum cm_op op, uint64_t a, uint64_t b, uint64_t c)
{
    const float x = single_of(a);
    const float y = single_of(b);
    const uint32_t sign = UINT32_C(0x80000000);
    switch (op) {
    case CM_OP_FADD32:
        return single(x + y);
    case CM_OP_FSUB32:
        return single(x - y);
    case CM_OP_FMUL32:
        return single(x * y);
    case CM_OP_FMA32: {
        const volatile float product = x * y;
        return single(product + single_of(c));
    }
    case CM_OP_FDIV32:
        return single(x / y);
    case CM_OP_FSQRT32:
        return single(sqrtf(x));
    case CM_OP_FNEG32:
        return word((uint32_t)a ^ sign);
    case CM_OP_FABS32:
        return word((uint32_t)a & (sign - 1));
    case CM_OP_FMIN32:
        return word((uint32_t)(x < y ? a : b));
    default:
        return word((uint32_t)(x > y ? a : b));
    }
}

static struct cm_slow_result compute64(enum cm_op op, uint64_t a, uint64_t b, uint64_t c)
{
    const double x = twice_of(a);
    const double y = twice_of(b);
    const uint64_t sign = UINT64_C(1) << 63;
    switch (op) {
    case CM_OP_FADD64:
        return twice(x + y);
    case CM_OP_FSUB64:
        return twice(x - y);
    case CM_OP_FMUL64:
        return twice(x * y);
    case CM_OP_FMA64: {
        const volatile double product = x * y;
        return twice(product + twice_of(c));
    }
    case CM_OP_FDIV64:
        return twice(x / y);
    case CM_OP_FSQRT64:
        return twice(sqrt(x));
    case CM_OP_FNEG64:
        return whole(a ^ sign);
    case CM_OP_FABS64:
        return whole(a & (sign - 1));
    case CM_OP_FMIN64:
        return whole(x < y ? a : b);
    default:
        return whole(x > y ? a : b);
    }
}

struct cm_slow_result cm_slow_compute(enum cm_op op, uint64_t a, uint64_t b, uint64_t c)
{
    const char *mnemonic = cm_op_info(op)->mnemonic;
    switch (op) {
    case CM_OP_I2F32:
        return single((float)signed_of(a));
    case CM_OP_I2F64:
        return twice((double)signed_of(a));
    case CM_OP_F2I32:
        return integer((double)single_of(a));
    case CM_OP_F2I64:
        return integer(twice_of(a));
    case CM_OP_F32TO64:
        return twice((double)single_of(a));
    case CM_OP_F64TO32:
        return single((float)twice_of(a));
    case CM_OP_FHIGH:
        return word((uint32_t)(a >> 32));
    case CM_OP_FJOIN:
        return whole((a & UINT32_MAX) | b << 32);
    default:
        break;
    }
    if (mnemonic[0] == 'i')
        return compute_integer(op, a, b);
    return strstr(mnemonic, "64") != NULL ? compute64(op, a, b, c) : compute32(op, a, b, c);
}

bool cm_slow_compare(enum cm_op op, uint64_t a, uint64_t b)
{
    switch (op) {
    case CM_OP_FEQ32:
        return single_of(a) == single_of(b);
    case CM_OP_FLT32:
        return single_of(a) < single_of(b);
    case CM_OP_FLE32:
        return single_of(a) <= single_of(b);
    case CM_OP_FEQ64:
        return twice_of(a) == twice_of(b);
    case CM_OP_FLT64:
        return twice_of(a) < twice_of(b);
    case CM_OP_FLE64:
        return twice_of(a) <= twice_of(b);
    case CM_OP_IEQ:
        return (uint32_t)a == (uint32_t)b;
    case CM_OP_ILT:
        return signed_of(a) < signed_of(b);
    default:
        return signed_of(a) <= signed_of(b);
    }
}

uint64_t cm_slow_fpu_cycles(const struct cm_config *config, enum cm_op op)
{
    static const char *const adding[] = {"add", "sub", "min", "max"};
    static const char *const comparing[] = {"eq", "lt", "le"};
    const char *name = cm_op_info(op)->mnemonic;
    const bool wide = strstr(name, "64") != NULL;
    for (int i = 0; i < 4; i++)
        if (strncmp(name + 1, adding[i], 3) == 0)
            return config->fpu_add_cycles;
    for (int i = 0; i < 3; i++)
        if (strncmp(name + 1, comparing[i], 2) == 0)
            return config->fpu_compare_cycles;
    if (strncmp(name, "fma", 3) == 0)
        return config->fpu_multiply_add_cycles;
    if (strncmp(name + 1, "mul", 3) == 0)
        return config->fpu_multiply_cycles;
    if (strncmp(name, "fdiv", 4) == 0)
        return wide ? config->fpu_divide64_cycles : config->fpu_divide_cycles;
    if (strncmp(name, "fsqrt", 5) == 0)
        return wide ? config->fpu_square_root64_cycles : config->fpu_square_root_cycles;
    if (op == CM_OP_IDIV || op == CM_OP_IMOD)
        return config->fpu_integer_divide_cycles;
    if (strstr(name, "2i") != NULL || strstr(name, "i2") != NULL || strstr(name, "to") != NULL)
        return config->fpu_convert_cycles;
    return config->fpu_logical_cycles;
}

uint64_t cm_slow_flops(enum cm_op op)
{
    static const char *const counted[] = {"fadd", "fsub", "fmul", "fdiv", "fsqr"};
    const char *name = cm_op_info(op)->mnemonic;
    if (op == CM_OP_FMA32 || op == CM_OP_FMA64)
        return 2;
    for (int i = 0; i < 5; i++)
        if (strncmp(name, counted[i], 4) == 0)
            return 1;
    return 0;
}
