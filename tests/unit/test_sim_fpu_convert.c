/* Conversions of the FPU at their borders, for every kind of host that this one can be; the
 * operations for other hosts are only in the file itself. */
#include "fpu_values.h"
#include "random.h"
#include "sim/lanes/fpu_convert.c"
#include "suite.h"

static const struct value to_words[] = {
    {CM_OP_I2F32, 0, 0, 0},
    {CM_OP_I2F32, 1, 0, 0x3f800000},
    {CM_OP_I2F32, 0xffffffff, 0, 0xbf800000},
    {CM_OP_I2F32, 0x7fffffff, 0, 0x4f000000},
    {CM_OP_I2F32, 0x80000000, 0, 0xcf000000},
    {CM_OP_I2F32, 0x01000001, 0, 0x4b800000},
    {CM_OP_I2F32, 0x01000003, 0, 0x4b800002},
    {CM_OP_I2F32, 0x7fffffbf, 0, 0x4effffff},
    {CM_OP_I2F32, 0x7fffffc0, 0, 0x4f000000},
    {CM_OP_F2I32, 0x3f7fffff, 0, 0},
    {CM_OP_F2I32, 0xbfffffff, 0, 0xffffffff},
    {CM_OP_F2I32, 0x3fc00000, 0, 1},
    {CM_OP_F2I32, 0x4effffff, 0, 0x7fffff80},
    {CM_OP_F2I32, 0x4f000000, 0, 0x80000000},
    {CM_OP_F2I32, 0xcf000000, 0, 0x80000000},
    {CM_OP_F2I32, 0xceffffff, 0, 0x80000080},
    {CM_OP_F2I32, 0xcf000001, 0, 0x80000000},
    {CM_OP_F2I32, NAN32, 0, 0x80000000},
    {CM_OP_F2I32, 0xffc00000, 0, 0x80000000},
    {CM_OP_F2I32, 0x7f800000, 0, 0x80000000},
    {CM_OP_F2I32, 0xff800000, 0, 0x80000000},
    {CM_OP_F2I32, 0x80000000, 0, 0},
    {CM_OP_F2I32, 1, 0, 0},
    {CM_OP_F2I32, 0x4b7fffff, 0, 0x00ffffff},
    {CM_OP_F2I32, 0x7f800001, 0, 0x80000000},
    {CM_OP_F2I64, UINT64_C(0x41dfffffffffffff), 0, 0x7fffffff},
    {CM_OP_F2I64, UINT64_C(0x41e0000000000000), 0, 0x80000000},
    {CM_OP_F2I64, UINT64_C(0xc1e0000000000000), 0, 0x80000000},
    {CM_OP_F2I64, UINT64_C(0xc1e00000001fffff), 0, 0x80000000},
    {CM_OP_F2I64, UINT64_C(0xc1e0000000200000), 0, 0x80000000},
    {CM_OP_F2I64, UINT64_C(0xc1dfffffffffffff), 0, 0x80000001},
    {CM_OP_F2I64, UINT64_C(0xbfefffffffffffff), 0, 0},
    {CM_OP_F2I64, UINT64_C(0x8000000000000000), 0, 0},
    {CM_OP_F2I64, NAN64, 0, 0x80000000},
    {CM_OP_F2I64, UINT64_C(0x7ff0000000000000), 0, 0x80000000},
    {CM_OP_F2I64, UINT64_C(0xfff0000000000000), 0, 0x80000000},
    {CM_OP_F2I64, UINT64_C(0xc008000000000000), 0, 0xfffffffd},
    {CM_OP_F2I64, 1, 0, 0},
    {CM_OP_F2I64, UINT64_C(0x4270000000000000), 0, 0x80000000},
};

static const struct value narrowed[] = {
    {CM_OP_F64TO32, UINT64_C(0x3ff0000000000001), 0, 0x3f800000},
    {CM_OP_F64TO32, UINT64_C(0x47efffffefffffff), 0, 0x7f7fffff},
    {CM_OP_F64TO32, UINT64_C(0x47effffff0000000), 0, 0x7f800000},
    {CM_OP_F64TO32, UINT64_C(0xc7effffff0000000), 0, 0xff800000},
    {CM_OP_F64TO32, UINT64_C(0x36a0000000000000), 0, 1},
    {CM_OP_F64TO32, UINT64_C(0x3690000000000000), 0, 0},
    {CM_OP_F64TO32, UINT64_C(0x3690000000000001), 0, 1},
    {CM_OP_F64TO32, UINT64_C(0x8000000000000000), 0, 0x80000000},
    {CM_OP_F64TO32, UINT64_C(0x3ff0000010000000), 0, 0x3f800000},
    {CM_OP_F64TO32, UINT64_C(0x3ff0000030000000), 0, 0x3f800002},
    {CM_OP_F64TO32, UINT64_C(0x7ff0000000000000), 0, 0x7f800000},
    {CM_OP_F64TO32, NAN64, 0, NAN32},
};

static const struct value widened[] = {
    {CM_OP_I2F64, 0, 0, 0},
    {CM_OP_I2F64, 1, 0, UINT64_C(0x3ff0000000000000)},
    {CM_OP_I2F64, 0xffffffff, 0, UINT64_C(0xbff0000000000000)},
    {CM_OP_I2F64, 0x80000000, 0, UINT64_C(0xc1e0000000000000)},
    {CM_OP_I2F64, 0x7fffffff, 0, UINT64_C(0x41dfffffffc00000)},
    {CM_OP_I2F64, 0x01000001, 0, UINT64_C(0x4170000010000000)},
    {CM_OP_F32TO64, 0x3f800000, 0, UINT64_C(0x3ff0000000000000)},
    {CM_OP_F32TO64, 1, 0, UINT64_C(0x36a0000000000000)},
    {CM_OP_F32TO64, 0x80000000, 0, UINT64_C(0x8000000000000000)},
    {CM_OP_F32TO64, 0x7f800000, 0, UINT64_C(0x7ff0000000000000)},
    {CM_OP_F32TO64, 0xff800000, 0, UINT64_C(0xfff0000000000000)},
    {CM_OP_F32TO64, 0x7f7fffff, 0, UINT64_C(0x47efffffe0000000)},
    {CM_OP_F32TO64, NAN32, 0, NAN64},
};

START_TEST(conversions_round_truncate_and_saturate_as_written)
{
    static const struct value_table tables[] = {
        TABLE(to_words, false, true), TABLE(narrowed, false, false), TABLE(widened, true, false)};
    check_on_all_hosts(host_operations, tables, 3);
}
END_TEST

/* Checks that a conversion gives the same in place and in another register. */
static void check_in_place(const cm_lane_kernel *operations, enum cm_op op, uint32_t nodes,
                           struct random_source *random)
{
    uint32_t from[2 * VALUE_NODES], to[2 * VALUE_NODES];
    for (uint32_t i = 0; i < 2 * nodes; i++)
        from[i] = to[i] = (uint32_t)random_next(random);
    operations[op]((uint32_t *const[]){to, from, from, from}, nodes, 0);
    operations[op]((uint32_t *const[]){from, from, from, from}, nodes, 0);
    ck_assert_msg(memcmp(from, to, 2 * nodes * sizeof *to) == 0, "%s, %u nodes",
                  cm_op_info(op)->mnemonic, nodes);
}

START_TEST(a_conversion_may_take_place_in_its_source)
{
    static const enum cm_op ops[] = {CM_OP_I2F32, CM_OP_I2F64,   CM_OP_F2I32,
                                     CM_OP_F2I64, CM_OP_F32TO64, CM_OP_F64TO32};
    struct random_source random = random_begin("in place");
    for (int host = 0; host <= (int)cm_host(); host++)
        for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
            for (uint32_t nodes = VALUE_NODES; nodes > 0; nodes--)
                check_in_place(host_operations[host], ops[i], nodes, &random);
}
END_TEST

CM_PROGRAM(test_sim_fpu_convert)
{
    Suite *suite = suite_create("sim_fpu_convert");
    TCase *tests = tcase_create("conversions");
    tcase_add_test(tests, conversions_round_truncate_and_saturate_as_written);
    tcase_add_test(tests, a_conversion_may_take_place_in_its_source);
    suite_add_tcase(suite, tests);
    return cm_run_suite(suite);
}
