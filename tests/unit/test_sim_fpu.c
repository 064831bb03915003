/* FPU arithmetic for every kind of host that this one can be, on every number of nodes, against
 * one node at a time. */
#include "fpu_values.h"
#include "random.h"
/* The bodies for other hosts than this one are static. */
#include "sim/lanes/fpu.c"
#include "suite.h"

#include <math.h>
#include <stdlib.h>

#define NODES     64u
#define REGISTERS 5u

struct registers {
    uint32_t words[REGISTERS][2 * NODES];
};

/* Numbers of all magnitudes; now and then zeros, infinities, NaNs and subnormal numbers. */
static uint64_t random_bits(struct random_source *random)
{
    static const uint64_t special[] = {0,
                                       UINT64_C(0x8000000080000000),
                                       UINT64_C(0x7f8000007f800000),
                                       UINT64_C(0x7ff0000000000000),
                                       UINT64_C(0x7fc000007fc00000),
                                       1,
                                       UINT64_C(0x3f8000003f800000)};
    uint64_t bits = random_next(random);
    return bits % 8 == 0 ? special[bits / 8 % (sizeof special / sizeof *special)] : bits;
}

static void fill_registers(struct registers *registers, struct random_source *random)
{
    for (uint32_t r = 0; r < REGISTERS; r++)
        for (uint32_t n = 0; n < NODES; n++) {
            uint64_t bits = random_bits(random);
            memcpy(&registers->words[r][2 * n], &bits, sizeof bits);
        }
}

static float single(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double twice(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool same_single(uint32_t a, uint32_t b)
{
    return a == b || (isnan(single(a)) && isnan(single(b)));
}

static bool same_double(uint64_t a, uint64_t b)
{
    return a == b || (isnan(twice(a)) && isnan(twice(b)));
}

static uint32_t expect_32(enum cm_op op, uint32_t a, uint32_t b, uint32_t c)
{
    volatile float x = single(a), y = single(b), z = single(c), product = x * y, result = 0;
    uint32_t bits;
    switch (op) {
    case CM_OP_IADD:
        return a + b;
    case CM_OP_ISUB:
        return a - b;
    case CM_OP_IMUL:
        return a * b;
    case CM_OP_IDIV:
        return b == 0 ? 0 : (uint32_t)((int64_t)(int32_t)a / (int32_t)b);
    case CM_OP_IMOD:
        return b == 0 ? 0 : (uint32_t)((int64_t)(int32_t)a % (int32_t)b);
    case CM_OP_FDIV32:
        result = x / y;
        break;
    case CM_OP_FSQRT32:
        result = sqrtf(x);
        break;
    case CM_OP_FADD32:
        result = x + y;
        break;
    case CM_OP_FSUB32:
        result = x - y;
        break;
    case CM_OP_FMUL32:
        result = product;
        break;
    default:
        result = product + z;
        break;
    }
    float value = result;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t expect_64(enum cm_op op, uint64_t a, uint64_t b, uint64_t c)
{
    volatile double x = twice(a), y = twice(b), z = twice(c), product = x * y, result;
    uint64_t bits;
    if (op == CM_OP_FADD64)
        result = x + y;
    else if (op == CM_OP_FSUB64)
        result = x - y;
    else if (op == CM_OP_FMUL64)
        result = product;
    else if (op == CM_OP_FDIV64)
        result = x / y;
    else if (op == CM_OP_FSQRT64)
        result = sqrt(x);
    else
        result = product + z;
    double value = result;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static const enum cm_op single_ops[] = {CM_OP_FADD32, CM_OP_FSUB32,  CM_OP_FMUL32, CM_OP_FMA32,
                                        CM_OP_FDIV32, CM_OP_FSQRT32, CM_OP_IADD,   CM_OP_ISUB,
                                        CM_OP_IMUL,   CM_OP_IDIV,    CM_OP_IMOD};
static const enum cm_op double_ops[] = {CM_OP_FADD64, CM_OP_FSUB64, CM_OP_FMUL64,
                                        CM_OP_FMA64,  CM_OP_FDIV64, CM_OP_FSQRT64};

/* What an operation leaves in word w of its result. */
static bool is_result(enum cm_op op, bool is_double, const struct registers *before,
                      const uint32_t regs[4], uint32_t w, const uint32_t *found)
{
    uint64_t wide[4], now;
    if (!is_double)
        return same_single(found[w],
                           expect_32(op, before->words[regs[1]][w], before->words[regs[2]][w],
                                     before->words[regs[3]][w]));
    for (uint32_t i = 1; i < 4; i++)
        memcpy(&wide[i], &before->words[regs[i]][w / 2 * 2], sizeof wide[i]);
    memcpy(&now, &found[w / 2 * 2], sizeof now);
    return same_double(now, expect_64(op, wide[1], wide[2], wide[3]));
}

/* One operation on registers regs[0] = op(regs[1], regs[2], regs[3]) of `nodes` nodes, 64-bit
 * values joined; all other words stay. */
static void check_operation(const cm_lane_kernel *operations, enum cm_op op, bool is_double,
                            const uint32_t regs[4], uint32_t nodes, struct random_source *random)
{
    struct registers before, after;
    uint32_t *at[4];
    fill_registers(&before, random);
    after = before;
    for (uint32_t i = 0; i < 4; i++)
        at[i] = after.words[regs[i]];
    operations[op](at, nodes, 0);
    for (uint32_t r = 0; r < REGISTERS; r++)
        for (uint32_t w = 0; w < 2 * NODES; w++)
            if (r == regs[0] && w < nodes * (is_double ? 2 : 1))
                require(is_result(op, is_double, &before, regs, w, after.words[r]));
            else
                require(after.words[r][w] == before.words[r][w]);
}

static void check_operations(const cm_lane_kernel *operations, const char *name)
{
    static const uint32_t registers[][4] = {{0, 1, 2, 3}, {1, 1, 2, 3}, {2, 1, 2, 3},
                                            {3, 1, 2, 3}, {4, 4, 4, 4}, {0, 2, 2, 0}};
    struct random_source random = random_begin(name);
    for (uint32_t nodes = NODES; nodes > 0; nodes /= 2)
        for (uint32_t round = 0; round < NODES / nodes; round++)
            for (size_t r = 0; r < sizeof registers / sizeof *registers; r++) {
                for (size_t i = 0; i < sizeof single_ops / sizeof *single_ops; i++)
                    check_operation(operations, single_ops[i], false, registers[r], nodes, &random);
                for (size_t i = 0; i < sizeof double_ops / sizeof *double_ops; i++)
                    check_operation(operations, double_ops[i], true, registers[r], nodes, &random);
            }
}

START_TEST(arithmetic_is_that_of_a_node_on_a_plain_host)
{
    check_operations(operations_plain, "plain");
    check_operations(host_operations[cm_host()], "chosen");
}
END_TEST

START_TEST(arithmetic_is_that_of_a_node_with_avx2)
{
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx2"))
        check_operations(operations_avx2, "avx2");
#endif
}
END_TEST

START_TEST(arithmetic_is_that_of_a_node_with_avx512)
{
#if defined(__x86_64__) && defined(__GNUC__)
    if (host_operations[cm_host()] == operations_avx512)
        check_operations(operations_avx512, "avx512");
#endif
}
END_TEST

static const struct value rounded32[] = {
    {CM_OP_FDIV32, 0x3f800000, 0x40400000, 0x3eaaaaab},
    {CM_OP_FDIV32, 0x3f800000, 0, 0x7f800000},
    {CM_OP_FDIV32, 0xbf800000, 0, 0xff800000},
    {CM_OP_FDIV32, 0x3f800000, 0x80000000, 0xff800000},
    {CM_OP_FDIV32, 0, 0, NAN32},
    {CM_OP_FDIV32, 0x7f800000, 0x7f800000, NAN32},
    {CM_OP_FDIV32, 0x3f800000, 0x7f800000, 0},
    {CM_OP_FDIV32, 0xbf800000, 0x7f800000, 0x80000000},
    {CM_OP_FDIV32, 0x00800000, 0x40000000, 0x00400000},
    {CM_OP_FDIV32, 1, 0x40000000, 0},
    {CM_OP_FDIV32, 3, 0x40000000, 2},
    {CM_OP_FDIV32, 0x7f7fffff, 0x3f000000, 0x7f800000},
    {CM_OP_FDIV32, NAN32, 0x3f800000, NAN32},
    {CM_OP_FDIV32, 0x3f800000, NAN32, NAN32},
    {CM_OP_FSQRT32, 0x40800000, 0, 0x40000000},
    {CM_OP_FSQRT32, 0x40000000, 0, 0x3fb504f3},
    {CM_OP_FSQRT32, 0, 0, 0},
    {CM_OP_FSQRT32, 0x80000000, 0, 0x80000000},
    {CM_OP_FSQRT32, 0x7f800000, 0, 0x7f800000},
    {CM_OP_FSQRT32, 0xbf800000, 0, NAN32},
    {CM_OP_FSQRT32, 0xff800000, 0, NAN32},
    {CM_OP_FSQRT32, 1, 0, 0x1a3504f3},
    {CM_OP_FSQRT32, NAN32, 0, NAN32},
};

static const struct value exact32[] = {
    {CM_OP_FNEG32, 0, 0, 0x80000000},
    {CM_OP_FNEG32, 0x80000000, 0, 0},
    {CM_OP_FNEG32, 0x3f800000, 0, 0xbf800000},
    {CM_OP_FNEG32, 0x7f800000, 0, 0xff800000},
    {CM_OP_FNEG32, 0x7fc00000, 0, 0xffc00000},
    {CM_OP_FNEG32, 0xff800001, 0, 0x7f800001},
    {CM_OP_FNEG32, 1, 0, 0x80000001},
    {CM_OP_FABS32, 0, 0, 0},
    {CM_OP_FABS32, 0x80000000, 0, 0},
    {CM_OP_FABS32, 0xbf800000, 0, 0x3f800000},
    {CM_OP_FABS32, 0x3f800000, 0, 0x3f800000},
    {CM_OP_FABS32, 0xff800000, 0, 0x7f800000},
    {CM_OP_FABS32, 0xffc00000, 0, 0x7fc00000},
    {CM_OP_FABS32, 0xff800001, 0, 0x7f800001},
    {CM_OP_FABS32, 0x80000001, 0, 1},
    {CM_OP_FMIN32, 0x3f800000, 0x40000000, 0x3f800000},
    {CM_OP_FMIN32, 0x40000000, 0x3f800000, 0x3f800000},
    {CM_OP_FMIN32, NAN32, 0x3f800000, 0x3f800000},
    {CM_OP_FMIN32, 0x3f800000, NAN32, NAN32},
    {CM_OP_FMIN32, 0x3f800000, 0x7f800001, 0x7f800001},
    {CM_OP_FMIN32, NAN32, 0xffc00001, 0xffc00001},
    {CM_OP_FMIN32, 0, 0x80000000, 0x80000000},
    {CM_OP_FMIN32, 0x80000000, 0, 0},
    {CM_OP_FMIN32, 0xff800000, 0x3f800000, 0xff800000},
    {CM_OP_FMIN32, 0x3f800000, 0xff800000, 0xff800000},
    {CM_OP_FMIN32, 1, 2, 1},
    {CM_OP_FMIN32, 2, 1, 1},
    {CM_OP_FMIN32, 0x80000001, 0, 0x80000001},
    {CM_OP_FMIN32, 0xbf800000, 0x3f800000, 0xbf800000},
    {CM_OP_FMAX32, 0x3f800000, 0x40000000, 0x40000000},
    {CM_OP_FMAX32, 0x40000000, 0x3f800000, 0x40000000},
    {CM_OP_FMAX32, NAN32, 0x3f800000, 0x3f800000},
    {CM_OP_FMAX32, 0x3f800000, NAN32, NAN32},
    {CM_OP_FMAX32, 0x3f800000, 0x7f800001, 0x7f800001},
    {CM_OP_FMAX32, 0, 0x80000000, 0x80000000},
    {CM_OP_FMAX32, 0x80000000, 0, 0},
    {CM_OP_FMAX32, 0x7f800000, 0x3f800000, 0x7f800000},
    {CM_OP_FMAX32, 0xff800000, 0x3f800000, 0x3f800000},
    {CM_OP_FMAX32, 1, 2, 2},
    {CM_OP_FMAX32, 2, 1, 2},
    {CM_OP_FMAX32, 0x80000001, 0, 0},
    {CM_OP_FMAX32, 0xbf800000, 0x3f800000, 0x3f800000},
    {CM_OP_IMIN, 0x80000000, 0x7fffffff, 0x80000000},
    {CM_OP_IMIN, 0x7fffffff, 0x80000000, 0x80000000},
    {CM_OP_IMIN, 0xffffffff, 0, 0xffffffff},
    {CM_OP_IMIN, 0, 0xffffffff, 0xffffffff},
    {CM_OP_IMIN, 5, 5, 5},
    {CM_OP_IMIN, 3, 7, 3},
    {CM_OP_IMAX, 0x80000000, 0x7fffffff, 0x7fffffff},
    {CM_OP_IMAX, 0x7fffffff, 0x80000000, 0x7fffffff},
    {CM_OP_IMAX, 0xffffffff, 0, 0},
    {CM_OP_IMAX, 0, 0xffffffff, 0},
    {CM_OP_IMAX, 5, 5, 5},
    {CM_OP_IMAX, 3, 7, 7},
    {CM_OP_IDIV, 7, 2, 3},
    {CM_OP_IDIV, 0xfffffff9, 2, 0xfffffffd},
    {CM_OP_IDIV, 7, 0xfffffffe, 0xfffffffd},
    {CM_OP_IDIV, 0xfffffff9, 0xfffffffe, 3},
    {CM_OP_IDIV, 0x80000000, 0xffffffff, 0x80000000},
    {CM_OP_IDIV, 0x80000000, 1, 0x80000000},
    {CM_OP_IDIV, 0x80000000, 2, 0xc0000000},
    {CM_OP_IDIV, 0x80000000, 0x80000000, 1},
    {CM_OP_IDIV, 0x7fffffff, 0x80000000, 0},
    {CM_OP_IDIV, 5, 0, 0},
    {CM_OP_IDIV, 0x80000000, 0, 0},
    {CM_OP_IDIV, 0, 0, 0},
    {CM_OP_IDIV, 0xfffffffb, 0, 0},
    {CM_OP_IDIV, 0x7fffffff, 0xffffffff, 0x80000001},
    {CM_OP_IDIV, 0x7fffffff, 0x7ffffffe, 1},
    {CM_OP_IDIV, 0x7ffffffe, 0x7fffffff, 0},
    {CM_OP_IDIV, 0xffffffff, 0xffffffff, 1},
    {CM_OP_IDIV, 0, 0xffffffff, 0},
    {CM_OP_IMOD, 7, 2, 1},
    {CM_OP_IMOD, 0xfffffff9, 2, 0xffffffff},
    {CM_OP_IMOD, 7, 0xfffffffe, 1},
    {CM_OP_IMOD, 0xfffffff9, 0xfffffffe, 0xffffffff},
    {CM_OP_IMOD, 0x80000000, 0xffffffff, 0},
    {CM_OP_IMOD, 5, 0, 0},
    {CM_OP_IMOD, 0x80000000, 0, 0},
    {CM_OP_IMOD, 0x80000000, 0x7fffffff, 0xffffffff},
    {CM_OP_IMOD, 0x7fffffff, 0x80000000, 0x7fffffff},
    {CM_OP_IMOD, 0x80000000, 3, 0xfffffffe},
    {CM_OP_IMOD, 0x7fffffff, 0xffffffff, 0},
    {CM_OP_IMOD, 6, 3, 0},
    {CM_OP_IAND, 0xf0f0f0f0, 0xff00ff00, 0xf000f000},
    {CM_OP_IOR, 0xf0f0f0f0, 0xff00ff00, 0xfff0fff0},
    {CM_OP_IXOR, 0xf0f0f0f0, 0xff00ff00, 0x0ff00ff0},
    {CM_OP_ISHL, 1, 0x0000001f, 0x80000000},
    {CM_OP_ISHL, 3, 0x0000001f, 0x80000000},
    {CM_OP_ISHL, 1, 0x00000020, 0},
    {CM_OP_ISHL, 1, 0x00000021, 0},
    {CM_OP_ISHL, 1, 0xffffffff, 0},
    {CM_OP_ISHL, 1, 0x80000000, 0},
    {CM_OP_ISHL, 0xffffffff, 0, 0xffffffff},
    {CM_OP_ISHL, 0x12345678, 4, 0x23456780},
    {CM_OP_ISHL, 1, 0x00000040, 0},
    {CM_OP_ISHR, 0x80000000, 0x0000001f, 1},
    {CM_OP_ISHR, 0x80000000, 0x00000020, 0},
    {CM_OP_ISHR, 0x80000000, 0x00000021, 0},
    {CM_OP_ISHR, 0x80000000, 0xffffffff, 0},
    {CM_OP_ISHR, 0xffffffff, 0x80000000, 0},
    {CM_OP_ISHR, 0xffffffff, 0, 0xffffffff},
    {CM_OP_ISHR, 0x87654321, 4, 0x08765432},
    {CM_OP_ISHR, 0xffffffff, 0x00000040, 0},
    {CM_OP_ISAR, 0x80000000, 0x0000001f, 0xffffffff},
    {CM_OP_ISAR, 0x80000000, 0x00000020, 0xffffffff},
    {CM_OP_ISAR, 0x80000000, 0x00000021, 0xffffffff},
    {CM_OP_ISAR, 0x80000000, 0xffffffff, 0xffffffff},
    {CM_OP_ISAR, 0x80000000, 0x80000000, 0xffffffff},
    {CM_OP_ISAR, 0x7fffffff, 0x0000001f, 0},
    {CM_OP_ISAR, 0x7fffffff, 0x00000020, 0},
    {CM_OP_ISAR, 0x7fffffff, 0xffffffff, 0},
    {CM_OP_ISAR, 0x40000000, 0x0000001e, 1},
    {CM_OP_ISAR, 0x80000000, 1, 0xc0000000},
    {CM_OP_ISAR, 0x87654321, 4, 0xf8765432},
    {CM_OP_ISAR, 0x80000000, 0, 0x80000000},
};

static const struct value rounded64[] = {
    {CM_OP_FDIV64, UINT64_C(0x3ff0000000000000), UINT64_C(0x4008000000000000),
     UINT64_C(0x3fd5555555555555)},
    {CM_OP_FDIV64, UINT64_C(0x4024000000000000), UINT64_C(0x4008000000000000),
     UINT64_C(0x400aaaaaaaaaaaab)},
    {CM_OP_FDIV64, UINT64_C(0x3ff0000000000000), 0, UINT64_C(0x7ff0000000000000)},
    {CM_OP_FDIV64, UINT64_C(0xbff0000000000000), 0, UINT64_C(0xfff0000000000000)},
    {CM_OP_FDIV64, 0, 0, NAN64},
    {CM_OP_FDIV64, UINT64_C(0x7ff0000000000000), UINT64_C(0xfff0000000000000), NAN64},
    {CM_OP_FDIV64, UINT64_C(0xbff0000000000000), UINT64_C(0x7ff0000000000000),
     UINT64_C(0x8000000000000000)},
    {CM_OP_FDIV64, UINT64_C(0x0010000000000000), UINT64_C(0x4000000000000000),
     UINT64_C(0x0008000000000000)},
    {CM_OP_FDIV64, 1, UINT64_C(0x4000000000000000), 0},
    {CM_OP_FDIV64, 3, UINT64_C(0x4000000000000000), 2},
    {CM_OP_FDIV64, UINT64_C(0x7fefffffffffffff), UINT64_C(0x3fe0000000000000),
     UINT64_C(0x7ff0000000000000)},
    {CM_OP_FDIV64, NAN64, UINT64_C(0x3ff0000000000000), NAN64},
    {CM_OP_FSQRT64, UINT64_C(0x4010000000000000), 0, UINT64_C(0x4000000000000000)},
    {CM_OP_FSQRT64, UINT64_C(0x4000000000000000), 0, UINT64_C(0x3ff6a09e667f3bcd)},
    {CM_OP_FSQRT64, 0, 0, 0},
    {CM_OP_FSQRT64, UINT64_C(0x8000000000000000), 0, UINT64_C(0x8000000000000000)},
    {CM_OP_FSQRT64, UINT64_C(0x7ff0000000000000), 0, UINT64_C(0x7ff0000000000000)},
    {CM_OP_FSQRT64, UINT64_C(0xbff0000000000000), 0, NAN64},
    {CM_OP_FSQRT64, 1, 0, UINT64_C(0x1e60000000000000)},
    {CM_OP_FSQRT64, NAN64, 0, NAN64},
};

static const struct value exact64[] = {
    {CM_OP_FNEG64, 0, 0, UINT64_C(0x8000000000000000)},
    {CM_OP_FNEG64, UINT64_C(0x8000000000000000), 0, 0},
    {CM_OP_FNEG64, UINT64_C(0x3ff0000000000000), 0, UINT64_C(0xbff0000000000000)},
    {CM_OP_FNEG64, UINT64_C(0x7ff0000000000001), 0, UINT64_C(0xfff0000000000001)},
    {CM_OP_FNEG64, UINT64_C(0x400aaaaaaaaaaaab), 0, UINT64_C(0xc00aaaaaaaaaaaab)},
    {CM_OP_FABS64, 0, 0, 0},
    {CM_OP_FABS64, UINT64_C(0x8000000000000000), 0, 0},
    {CM_OP_FABS64, UINT64_C(0xbff0000000000000), 0, UINT64_C(0x3ff0000000000000)},
    {CM_OP_FABS64, UINT64_C(0x3ff0000000000000), 0, UINT64_C(0x3ff0000000000000)},
    {CM_OP_FABS64, UINT64_C(0xfff0000000000001), 0, UINT64_C(0x7ff0000000000001)},
    {CM_OP_FABS64, UINT64_C(0xc00aaaaaaaaaaaab), 0, UINT64_C(0x400aaaaaaaaaaaab)},
    {CM_OP_FMIN64, UINT64_C(0x3ff0000000000000), UINT64_C(0x4000000000000000),
     UINT64_C(0x3ff0000000000000)},
    {CM_OP_FMIN64, UINT64_C(0x4000000000000000), UINT64_C(0x3ff0000000000000),
     UINT64_C(0x3ff0000000000000)},
    {CM_OP_FMIN64, NAN64, UINT64_C(0x3ff0000000000000), UINT64_C(0x3ff0000000000000)},
    {CM_OP_FMIN64, UINT64_C(0x3ff0000000000000), UINT64_C(0x7ff0000000000001),
     UINT64_C(0x7ff0000000000001)},
    {CM_OP_FMIN64, 0, UINT64_C(0x8000000000000000), UINT64_C(0x8000000000000000)},
    {CM_OP_FMIN64, UINT64_C(0x8000000000000000), 0, 0},
    {CM_OP_FMIN64, UINT64_C(0xfff0000000000000), UINT64_C(0x3ff0000000000000),
     UINT64_C(0xfff0000000000000)},
    {CM_OP_FMIN64, 1, 2, 1},
    {CM_OP_FMIN64, UINT64_C(0xbff0000000000000), UINT64_C(0x3ff0000000000000),
     UINT64_C(0xbff0000000000000)},
    {CM_OP_FMAX64, UINT64_C(0x3ff0000000000000), UINT64_C(0x4000000000000000),
     UINT64_C(0x4000000000000000)},
    {CM_OP_FMAX64, UINT64_C(0x4000000000000000), UINT64_C(0x3ff0000000000000),
     UINT64_C(0x4000000000000000)},
    {CM_OP_FMAX64, NAN64, UINT64_C(0x3ff0000000000000), UINT64_C(0x3ff0000000000000)},
    {CM_OP_FMAX64, UINT64_C(0x3ff0000000000000), UINT64_C(0x7ff0000000000001),
     UINT64_C(0x7ff0000000000001)},
    {CM_OP_FMAX64, 0, UINT64_C(0x8000000000000000), UINT64_C(0x8000000000000000)},
    {CM_OP_FMAX64, UINT64_C(0x8000000000000000), 0, 0},
    {CM_OP_FMAX64, UINT64_C(0x7ff0000000000000), UINT64_C(0x3ff0000000000000),
     UINT64_C(0x7ff0000000000000)},
    {CM_OP_FMAX64, 1, 2, 2},
    {CM_OP_FMAX64, UINT64_C(0xbff0000000000000), UINT64_C(0x3ff0000000000000),
     UINT64_C(0x3ff0000000000000)},
};

START_TEST(special_values_give_what_is_written)
{
    static const struct value_table tables[] = {
        TABLE(rounded32, false, false), TABLE(exact32, false, true), TABLE(rounded64, true, false),
        TABLE(exact64, true, true)};
    check_on_all_hosts(host_operations, tables, 4);
}
END_TEST

CM_PROGRAM(test_sim_fpu)
{
    Suite *suite = suite_create("sim_fpu");
    TCase *tests = tcase_create("arithmetic");
    tcase_add_test(tests, arithmetic_is_that_of_a_node_on_a_plain_host);
    tcase_add_test(tests, arithmetic_is_that_of_a_node_with_avx2);
    tcase_add_test(tests, arithmetic_is_that_of_a_node_with_avx512);
    tcase_add_test(tests, special_values_give_what_is_written);
    suite_add_tcase(suite, tests);
    return cm_run_suite(suite);
}
