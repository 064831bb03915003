/* Instructions that join the FPU, the context flag and the nodes' numbers, as IMPs on a machine of
 * 64 nodes, on one host thread and several. */
#include "imps.h"
#include "suite.h"

#define NODES 64u

/* A machine whose word 0 of each node is its number less 32, as an integer. */
static struct cm_machine *ramp_machine(uint32_t threads)
{
    struct cm_config config = cm200_config();
    struct cm_machine *machine = machine_of(&config, NODES, threads);
    write_ramp(machine, 0, (uint32_t)-32, 1);
    return machine;
}

START_TEST(a_comparison_sets_the_context_whatever_it_was)
{
    struct cm_machine *machine = ramp_machine((uint32_t)_i);
    must_run(machine, "aset r0, 0\nfload32 f0, [r0]\nfconst f1, 0\nfconst f2, 7\n"
                      "ctxnot\nilt f0, f1\nfstore32 [r0+1], f2\n"
                      "ctxnot\nfstore32 [r0+2], f2\nhalt\n");
    for (uint32_t node = 0; node < NODES; node++) {
        ck_assert_uint_eq(word_at(machine, 1, node), node < 32 ? 7 : 0);
        ck_assert_uint_eq(word_at(machine, 2, node), node < 32 ? 0 : 7);
    }
    cm_machine_destroy(machine);
}
END_TEST

START_TEST(a_saved_context_is_restored_and_combined)
{
    struct cm_machine *machine = ramp_machine((uint32_t)_i);
    must_run(machine, "aset r0, 0\nnodeid f0\nfconst f1, 16\nfconst f2, 48\nfconst f3, 7\n"
                      "ctxsave f4\n"             /* set everywhere when the run begins */
                      "ctxandr f0\nctxsave f5\n" /* all but node 0 */
                      "ilt f0, f2\nctxsave f6\n"
                      "ile f1, f0\nctxandr f6\nfstore32 [r0+1], f3\n" /* 16 to 47 */
                      "ctxrest f5\nfstore32 [r0+2], f3\n"
                      "ctxrest f4\nfstore32 [r0+3], f6\nhalt\n");
    for (uint32_t node = 0; node < NODES; node++) {
        ck_assert_uint_eq(word_at(machine, 1, node), node >= 16 && node < 48 ? 7 : 0);
        ck_assert_uint_eq(word_at(machine, 2, node), node > 0 ? 7 : 0);
        ck_assert_uint_eq(word_at(machine, 3, node), node < 48);
    }
    cm_machine_destroy(machine);
}
END_TEST

START_TEST(a_selection_follows_the_context_and_writes_every_node)
{
    struct cm_machine *machine = ramp_machine((uint32_t)_i);
    must_run(machine, "aset r0, 0\nnodeid f0\nfconst f1, 100\nfconst f2, 8\n"
                      "fjoin f3, f0, f1\nfjoin f4, f1, f0\n"   /* (n, 100) and (100, n) */
                      "fsel64 f5, f3, f4\nfsel32 f7, f3, f4\n" /* the context is full */
                      "ilt f0, f2\nfsel64 f6, f3, f4\nfsel32 f3, f3, f4\nctxall\n"
                      "fstore64 [r0+2], f5\nfstore64 [r0+4], f6\nfstore64 [r0+6], f3\n"
                      "fstore32 [r0+8], f7\nhalt\n");
    for (uint32_t node = 0; node < NODES; node++) {
        ck_assert_uint_eq(word_at(machine, 2, node), node);
        ck_assert_uint_eq(word_at(machine, 3, node), 100);
        ck_assert_uint_eq(word_at(machine, 4, node), node < 8 ? node : 100);
        ck_assert_uint_eq(word_at(machine, 5, node), node < 8 ? 100 : node);
        ck_assert_uint_eq(word_at(machine, 6, node), node < 8 ? node : 100);
        ck_assert_uint_eq(word_at(machine, 7, node), 100); /* the high half stays */
        ck_assert_uint_eq(word_at(machine, 8, node), node);
    }
    cm_machine_destroy(machine);
}
END_TEST

/* Halves change places within one register and between two. */
START_TEST(halves_are_taken_apart_and_joined)
{
    struct cm_machine *machine = ramp_machine((uint32_t)_i);
    must_run(machine, "aset r0, 0\nfconst f0, 1\nfconst f1, 2\nfjoin f2, f0, f1\n"
                      "fhigh f3, f2\nfjoin f2, f3, f2\n" /* 2, 1 */
                      "fjoin f1, f0, f1\n"               /* 1, 2: the result is the high half */
                      "fhigh f1, f1\n"                   /* 2, 2 */
                      "fconst f0, -1\nfjoin f0, f0, f0\n"
                      "fstore64 [r0+2], f2\nfstore64 [r0+4], f1\nfstore64 [r0+6], f0\nhalt\n");
    static const uint32_t expected[] = {2, 1, 2, 2, UINT32_MAX, UINT32_MAX};
    for (uint32_t node = 0; node < NODES; node++)
        for (uint32_t i = 0; i < 6; i++)
            ck_assert_uint_eq(word_at(machine, 2 + i, node), expected[i]);
    cm_machine_destroy(machine);
}
END_TEST

CM_PROGRAM(test_sim_context)
{
    Suite *suite = suite_create("sim_context");
    TCase *tests = tcase_create("context");
    tcase_add_loop_test(tests, a_comparison_sets_the_context_whatever_it_was, 1, 3);
    tcase_add_loop_test(tests, a_saved_context_is_restored_and_combined, 1, 3);
    tcase_add_loop_test(tests, a_selection_follows_the_context_and_writes_every_node, 1, 3);
    tcase_add_loop_test(tests, halves_are_taken_apart_and_joined, 1, 3);
    suite_add_tcase(suite, tests);
    return cm_run_suite(suite);
}
