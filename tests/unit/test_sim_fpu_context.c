/* Comparisons and selections of the FPU, for every kind of host that this one can be; the
 * operations for other hosts are only in the file itself. */
#include "fpu_values.h"
#include "sim/lanes/fpu_context.c"
#include "suite.h"

static const struct value comparisons[] = {
    {CM_OP_FEQ32, 0x3f800000, 0x3f800000, UINT32_MAX},
    {CM_OP_FEQ32, 0x3f800000, 0x40000000, 0},
    {CM_OP_FEQ32, 0, 0x80000000, UINT32_MAX},
    {CM_OP_FEQ32, NAN32, NAN32, 0},
    {CM_OP_FEQ32, NAN32, 0x3f800000, 0},
    {CM_OP_FEQ32, 0x3f800000, NAN32, 0},
    {CM_OP_FEQ32, 0x7f800000, 0x7f800000, UINT32_MAX},
    {CM_OP_FEQ32, 0x7f800000, 0xff800000, 0},
    {CM_OP_FEQ32, 1, 2, 0},
    {CM_OP_FEQ32, 1, 1, UINT32_MAX},
    {CM_OP_FLT32, 0x3f800000, 0x40000000, UINT32_MAX},
    {CM_OP_FLT32, 0x40000000, 0x3f800000, 0},
    {CM_OP_FLT32, 0x3f800000, 0x3f800000, 0},
    {CM_OP_FLT32, 0x80000000, 0, 0},
    {CM_OP_FLT32, 0, 0x80000000, 0},
    {CM_OP_FLT32, NAN32, 0x3f800000, 0},
    {CM_OP_FLT32, 0x3f800000, NAN32, 0},
    {CM_OP_FLT32, 0xff800000, 0x7f800000, UINT32_MAX},
    {CM_OP_FLT32, 1, 2, UINT32_MAX},
    {CM_OP_FLT32, 0x80000001, 1, UINT32_MAX},
    {CM_OP_FLT32, 0xbf800000, 0x3f800000, UINT32_MAX},
    {CM_OP_FLT32, 0xbf800000, 0xc0000000, 0},
    {CM_OP_FLE32, 0x3f800000, 0x40000000, UINT32_MAX},
    {CM_OP_FLE32, 0x40000000, 0x3f800000, 0},
    {CM_OP_FLE32, 0x3f800000, 0x3f800000, UINT32_MAX},
    {CM_OP_FLE32, 0x80000000, 0, UINT32_MAX},
    {CM_OP_FLE32, 0, 0x80000000, UINT32_MAX},
    {CM_OP_FLE32, NAN32, NAN32, 0},
    {CM_OP_FLE32, 0x3f800000, NAN32, 0},
    {CM_OP_FLE32, NAN32, 0x3f800000, 0},
    {CM_OP_FLE32, 0x7f800000, 0x7f800000, UINT32_MAX},
    {CM_OP_FLE32, 2, 1, 0},
    {CM_OP_FEQ64, UINT64_C(0x3ff0000000000000), UINT64_C(0x3ff0000000000000), UINT32_MAX},
    {CM_OP_FEQ64, UINT64_C(0x3ff0000000000000), UINT64_C(0x4000000000000000), 0},
    {CM_OP_FEQ64, 0, UINT64_C(0x8000000000000000), UINT32_MAX},
    {CM_OP_FEQ64, NAN64, NAN64, 0},
    {CM_OP_FEQ64, NAN64, UINT64_C(0x3ff0000000000000), 0},
    {CM_OP_FEQ64, UINT64_C(0x7ff0000000000000), UINT64_C(0x7ff0000000000000), UINT32_MAX},
    {CM_OP_FEQ64, 1, 2, 0},
    {CM_OP_FEQ64, UINT64_C(0x3ff0000000000001), UINT64_C(0x3ff0000000000000), 0},
    {CM_OP_FEQ64, UINT64_C(0x4000000000000001), UINT64_C(0x3ff0000000000001), 0},
    {CM_OP_FLT64, UINT64_C(0x3ff0000000000000), UINT64_C(0x4000000000000000), UINT32_MAX},
    {CM_OP_FLT64, UINT64_C(0x4000000000000000), UINT64_C(0x3ff0000000000000), 0},
    {CM_OP_FLT64, UINT64_C(0x3ff0000000000000), UINT64_C(0x3ff0000000000001), UINT32_MAX},
    {CM_OP_FLT64, UINT64_C(0x8000000000000000), 0, 0},
    {CM_OP_FLT64, NAN64, UINT64_C(0x3ff0000000000000), 0},
    {CM_OP_FLT64, UINT64_C(0x3ff0000000000000), NAN64, 0},
    {CM_OP_FLT64, UINT64_C(0xfff0000000000000), UINT64_C(0x7ff0000000000000), UINT32_MAX},
    {CM_OP_FLT64, 1, 2, UINT32_MAX},
    {CM_OP_FLT64, UINT64_C(0xbff0000000000000), UINT64_C(0x3ff0000000000000), UINT32_MAX},
    {CM_OP_FLE64, UINT64_C(0x3ff0000000000000), UINT64_C(0x4000000000000000), UINT32_MAX},
    {CM_OP_FLE64, UINT64_C(0x4000000000000000), UINT64_C(0x3ff0000000000000), 0},
    {CM_OP_FLE64, UINT64_C(0x3ff0000000000000), UINT64_C(0x3ff0000000000000), UINT32_MAX},
    {CM_OP_FLE64, 0, UINT64_C(0x8000000000000000), UINT32_MAX},
    {CM_OP_FLE64, NAN64, NAN64, 0},
    {CM_OP_FLE64, UINT64_C(0x3ff0000000000000), NAN64, 0},
    {CM_OP_FLE64, 2, 1, 0},
    {CM_OP_IEQ, 5, 5, UINT32_MAX},
    {CM_OP_IEQ, 5, 6, 0},
    {CM_OP_IEQ, 0, 0x80000000, 0},
    {CM_OP_IEQ, 0x7fc00000, 0x7fc00000, UINT32_MAX},
    {CM_OP_ILT, 0x80000000, 0x7fffffff, UINT32_MAX},
    {CM_OP_ILT, 0x7fffffff, 0x80000000, 0},
    {CM_OP_ILT, 0xffffffff, 0, UINT32_MAX},
    {CM_OP_ILT, 0, 0xffffffff, 0},
    {CM_OP_ILT, 5, 5, 0},
    {CM_OP_ILT, 5, 6, UINT32_MAX},
    {CM_OP_ILE, 0x80000000, 0x7fffffff, UINT32_MAX},
    {CM_OP_ILE, 0x7fffffff, 0x80000000, 0},
    {CM_OP_ILE, 0xffffffff, 0, UINT32_MAX},
    {CM_OP_ILE, 0, 0xffffffff, 0},
    {CM_OP_ILE, 5, 5, UINT32_MAX},
    {CM_OP_ILE, 6, 5, 0},
};

START_TEST(comparisons_are_those_of_ieee_754_and_signed_integers)
{
    static const struct value_table table = TABLE(comparisons, false, true);
    check_on_all_hosts(host_operations, &table, 1);
}
END_TEST

/* Mixed masks; the result may be a source. */
static void check_selection(const cm_lane_kernel *operations, enum cm_op op, uint32_t result,
                            uint32_t nodes)
{
    uint32_t words[3][2 * VALUE_NODES], before[3][2 * VALUE_NODES], mask[VALUE_NODES];
    const uint32_t each = op == CM_OP_FSEL64 ? 2 : 1; /* words of a node */
    for (uint32_t n = 0; n < 2 * VALUE_NODES; n++)
        for (uint32_t i = 0; i < 3; i++)
            words[i][n] = before[i][n] = i << 16 | n;
    for (uint32_t n = 0; n < VALUE_NODES; n++)
        mask[n] = n % 3 == 0 || n == 7 ? UINT32_MAX : 0;
    operations[op]((uint32_t *const[]){words[result], words[1], words[2], mask}, nodes, 0);
    for (uint32_t n = 0; n < 2 * VALUE_NODES; n++)
        for (uint32_t i = 0; i < 3; i++) {
            bool is_written = i == result && n < nodes * each;
            uint32_t source = is_written ? (mask[n / each] ? 1 : 2) : i;
            ck_assert_uint_eq(words[i][n], before[source][n]);
        }
}

START_TEST(a_selection_takes_each_node_from_its_source)
{
    for (int host = 0; host <= (int)cm_host(); host++)
        for (uint32_t result = 0; result < 3; result++)
            for (uint32_t nodes = VALUE_NODES; nodes > 0; nodes /= 2) {
                check_selection(host_operations[host], CM_OP_FSEL32, result, nodes);
                check_selection(host_operations[host], CM_OP_FSEL64, result, nodes);
            }
}
END_TEST

/* Halves of values are apart, by other distances each; results, of which the second is none unless
 * `both`, may be in the place of a source. */
static void check_halves(cm_lane_kernel kernel, bool both, const uint32_t *places, uint32_t nodes)
{
    static const uint32_t shifts[] = {6, 7, 9, 0, 8};
    uint32_t words[6][1024], before[6][1024], mask[VALUE_NODES], *at[5];
    uint64_t word = 0;
    for (uint32_t n = 0; n < 1024; n++)
        for (uint32_t i = 0; i < 6; i++)
            words[i][n] = before[i][n] = i << 16 | n;
    for (uint32_t n = 0; n < VALUE_NODES; n++)
        mask[n] = n % 3 == 0 || n == 7 ? UINT32_MAX : 0;
    for (uint32_t i = 0; i < 5; i++) {
        at[i] = i == 3 ? mask : words[places[i]];
        word |= (uint64_t)shifts[places[i]] << (CM_HALVES_BITS * i);
    }
    kernel(at, nodes, word);
    for (uint32_t n = 0; n < nodes; n++)
        for (uint32_t half = 0; half < 2; half++) {
            const uint32_t first = mask[n] ? 1 : 2, other = mask[n] ? 2 : 1;
            uint32_t *result = &words[places[0]][n + (half << shifts[places[0]])];
            ck_assert_uint_eq(*result, before[first][n + (half << shifts[first])]);
            *result = before[places[0]][n + (half << shifts[places[0]])];
            result = &words[places[4]][n + (half << shifts[places[4]])];
            if (both)
                ck_assert_uint_eq(*result, before[other][n + (half << shifts[other])]);
            if (both)
                *result = before[places[4]][n + (half << shifts[places[4]])];
        }
    ck_assert_mem_eq(words, before, sizeof words);
}

START_TEST(halves_are_selected_like_values)
{
    static const uint32_t places[][5] = {
        {0, 1, 2, 3, 4}, {1, 1, 2, 3, 2}, {2, 1, 2, 3, 1}, {0, 1, 2, 3, 1}, {0, 1, 2, 3, 2}};
    for (int host = 0; host <= (int)cm_host(); host++)
        for (uint32_t i = 0; i < sizeof places / sizeof *places; i++)
            for (uint32_t nodes = VALUE_NODES; nodes > 0; nodes--)
                for (int both = 0; both < 2; both++)
                    check_halves(selections_of_halves[host][both], both != 0, places[i], nodes);
}
END_TEST

CM_PROGRAM(test_sim_fpu_context)
{
    Suite *suite = suite_create("sim_fpu_context");
    TCase *tests = tcase_create("context");
    tcase_add_test(tests, comparisons_are_those_of_ieee_754_and_signed_integers);
    tcase_add_test(tests, a_selection_takes_each_node_from_its_source);
    tcase_add_test(tests, halves_are_selected_like_values);
    suite_add_tcase(suite, tests);
    return cm_run_suite(suite);
}
