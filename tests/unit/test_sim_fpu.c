/* FPU arithmetic for every kind of host that this one can be, on every range of nodes, against one
 * node at a time. */
#include "random.h"
#include "sim/fpu.c" /* its operations for other hosts than this one are not to be had otherwise */
#include "suite.h"

#include <math.h>
#include <stdlib.h>

#define NODES     64u
#define REGISTERS 5u

struct planes_of {
    uint32_t low[REGISTERS * NODES], high[REGISTERS * NODES];
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

static struct planes_of *new_planes(struct random_source *random)
{
    struct planes_of *planes = malloc(sizeof *planes);
    ck_assert_ptr_nonnull(planes);
    for (uint32_t i = 0; i < REGISTERS * NODES; i++) {
        uint64_t bits = random_bits(random);
        planes->low[i] = (uint32_t)bits;
        planes->high[i] = (uint32_t)(bits >> 32);
    }
    return planes;
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
    else
        result = product + z;
    double value = result;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static const enum cm_op single_ops[] = {CM_OP_FADD32, CM_OP_FSUB32, CM_OP_FMUL32, CM_OP_FMA32,
                                        CM_OP_IADD,   CM_OP_ISUB,   CM_OP_IMUL};
static const enum cm_op double_ops[] = {CM_OP_FADD64, CM_OP_FSUB64, CM_OP_FMUL64, CM_OP_FMA64};

/* One operation on registers regs[0] = op(regs[1], regs[2], regs[3]); all other words stay. */
static void check_operation(const operation *operations, enum cm_op op, bool is_double,
                            const uint32_t regs[4], struct cm_lanes lanes,
                            struct random_source *random)
{
    struct planes_of *before = new_planes(random), *after = malloc(sizeof *after);
    struct planes p;
    ck_assert_ptr_nonnull(after);
    *after = *before;
    for (uint32_t i = 0; i < 4; i++) {
        p.low[i] = after->low + (size_t)regs[i] * NODES;
        p.high[i] = after->high + (size_t)regs[i] * NODES;
    }
    operations[op](p, lanes);
    for (uint32_t i = 0; i < REGISTERS * NODES; i++) {
        uint32_t n = i % NODES;
        uint64_t source[3], found = after->low[i] | (uint64_t)after->high[i] << 32;
        uint64_t old = before->low[i] | (uint64_t)before->high[i] << 32;
        if (i / NODES != regs[0] || n < lanes.first || n >= lanes.last) {
            require(found == old);
            continue;
        }
        for (uint32_t k = 0; k < 3; k++)
            source[k] = before->low[regs[k + 1] * NODES + n] |
                        (uint64_t)before->high[regs[k + 1] * NODES + n] << 32;
        if (is_double) {
            require(same_double(found, expect_64(op, source[0], source[1], source[2])));
        } else {
            require(
                same_single((uint32_t)found, expect_32(op, (uint32_t)source[0], (uint32_t)source[1],
                                                       (uint32_t)source[2])));
            require(found >> 32 == old >> 32);
        }
    }
    free(after);
    free(before);
}

static void check_operations(const operation *operations, const char *name)
{
    static const uint32_t registers[][4] = {{0, 1, 2, 3}, {1, 1, 2, 3}, {2, 1, 2, 3},
                                            {3, 1, 2, 3}, {4, 4, 4, 4}, {0, 2, 2, 0}};
    struct random_source random = random_begin(name);
    for (uint32_t length = NODES; length > 0; length /= 2)
        for (uint32_t first = 0; first < NODES; first += length) {
            struct cm_lanes lanes = {first, first + length, NODES};
            for (size_t r = 0; r < sizeof registers / sizeof *registers; r++) {
                for (size_t i = 0; i < sizeof single_ops / sizeof *single_ops; i++)
                    check_operation(operations, single_ops[i], false, registers[r], lanes, &random);
                for (size_t i = 0; i < sizeof double_ops / sizeof *double_ops; i++)
                    check_operation(operations, double_ops[i], true, registers[r], lanes, &random);
            }
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

int main(void)
{
    Suite *suite = suite_create("sim_fpu");
    TCase *tests = tcase_create("arithmetic");
    tcase_add_test(tests, arithmetic_is_that_of_a_node_on_a_plain_host);
    tcase_add_test(tests, arithmetic_is_that_of_a_node_with_avx2);
    tcase_add_test(tests, arithmetic_is_that_of_a_node_with_avx512);
    suite_add_tcase(suite, tests);
    return cm_run_suite(suite);
}
