/* Indexed loads and stores: each node adds a register to the address. On a machine of 64 nodes, on
 * one host thread and several, by loops and by generated code. */
#include "imps.h"
#include "suite.h"

#define NODES   64u
#define EXPECTS UINT32_C(100000) /* a node's word at address a is its number * EXPECTS + a */

static const enum cm_executor executors[] = {CM_EXECUTOR_LOOPS, CM_EXECUTOR_CODE};

/* A machine of one of two executors, on 1 to 4 threads, whose words 100 to 199 are known. */
static struct cm_machine *known_machine(int loop)
{
    struct cm_config config = cm200_config();
    struct cm_machine_options options = {
        .nodes = NODES, .threads = UINT32_C(1) << loop / 2, .executor = executors[loop % 2]};
    struct cm_machine *machine = NULL;
    struct cm_error err;
    ck_assert_msg(cm_machine_create(&config, &options, &machine, &err) == CM_OK, "%s", err.message);
    for (uint32_t a = 100; a < 200; a++)
        write_ramp(machine, a, a, EXPECTS);
    return machine;
}
#define LOOPS 6

START_TEST(each_node_loads_a_word_of_its_own)
{
    struct cm_machine *machine = known_machine(_i);
    must_run(machine, "aset r0, 0\nnodeid f0\nfloadx32 f1, [r0+100], f0, 64\n"
                      "fstore32 [r0], f1\nfloadx32 f0, [r0+110], f0, 64\nfstore32 [r0+1], f0\n"
                      "halt\n");
    for (uint32_t node = 0; node < NODES; node++) {
        ck_assert_uint_eq(word_at(machine, 0, node), node * EXPECTS + 100 + node);
        ck_assert_uint_eq(word_at(machine, 1, node), node * EXPECTS + 110 + node);
    }
    cm_machine_destroy(machine);
}
END_TEST

/* The result may go to the register that has the index, and the high half comes with it. */
START_TEST(a_load_of_64_bits_takes_two_adjacent_words)
{
    struct cm_machine *machine = known_machine(_i);
    must_run(machine, "aset r0, 0\nnodeid f0\nfloadx64 f0, [r0+100], f0, 65\n"
                      "fstore64 [r0], f0\nfneg64 f0, f0\nfneg64 f0, f0\nfstore64 [r0+2], f0\n"
                      "halt\n");
    for (uint32_t node = 0; node < NODES; node++)
        for (uint32_t i = 0; i < 4; i++)
            ck_assert_uint_eq(word_at(machine, i, node), node * EXPECTS + 100 + node + i % 2);
    cm_machine_destroy(machine);
}
END_TEST

START_TEST(a_load_of_32_bits_keeps_the_high_half)
{
    struct cm_machine *machine = known_machine(_i);
    must_run(machine, "aset r0, 0\nnodeid f0\nfload64 f1, [r0+120]\n"
                      "floadx32 f1, [r0+100], f0, 64\nfstore64 [r0], f1\nhalt\n");
    for (uint32_t node = 0; node < NODES; node++) {
        ck_assert_uint_eq(word_at(machine, 0, node), node * EXPECTS + 100 + node);
        ck_assert_uint_eq(word_at(machine, 1, node), node * EXPECTS + 121);
    }
    cm_machine_destroy(machine);
}
END_TEST

/* All nodes store at one address, and all at different ones. Each has memory of its own. */
START_TEST(stores_of_nodes_do_not_conflict)
{
    struct cm_machine *machine = known_machine(_i);
    must_run(machine, "aset r0, 0\nnodeid f0\nfconst f1, 7\n"
                      "fstorex32 [r0], f0, f1, 8\n" /* all in word 7 */
                      "fload64 f2, [r0+150]\n"
                      "fstorex64 [r0+10], f2, f0, 65\n" /* words 10 + n, 11 + n */
                      "fstorex32 [r0+200], f0, f0, 64\n"
                      "halt\n");
    for (uint32_t node = 0; node < NODES; node++) {
        ck_assert_uint_eq(word_at(machine, 7, node), node);
        ck_assert_uint_eq(word_at(machine, 10 + node, node), node * EXPECTS + 150);
        ck_assert_uint_eq(word_at(machine, 11 + node, node), node * EXPECTS + 151);
        ck_assert_uint_eq(word_at(machine, 200 + node, node), node);
        ck_assert_uint_eq(word_at(machine, 200 + node, (node + 1) % NODES), 0);
    }
    cm_machine_destroy(machine);
}
END_TEST

/* A register that aliases a word, and a store that waits, are done before the word changes. */
START_TEST(stores_and_loads_take_effect_in_order)
{
    struct cm_machine *machine = known_machine(_i);
    must_run(machine, "aset r0, 0\nfconst f0, 3\nfload32 f1, [r0+103]\nfload32 f2, [r0+120]\n"
                      "fstorex32 [r0+100], f2, f0, 4\n"
                      "fstore32 [r0], f1\n"                         /* the word before the store */
                      "fload32 f3, [r0+103]\nfstore32 [r0+1], f3\n" /* and after it */
                      "fstore32 [r0+105], f1\nfconst f0, 5\n"
                      "floadx32 f4, [r0+100], f0, 6\nfstore32 [r0+2], f4\nhalt\n");
    for (uint32_t node = 0; node < NODES; node++) {
        ck_assert_uint_eq(word_at(machine, 0, node), node * EXPECTS + 103);
        ck_assert_uint_eq(word_at(machine, 1, node), node * EXPECTS + 120);
        ck_assert_uint_eq(word_at(machine, 2, node), node * EXPECTS + 103);
    }
    cm_machine_destroy(machine);
}
END_TEST

/* Loads, stores and page faults do not depend on the number of words, from two pages on. */
START_TEST(a_table_may_have_any_length)
{
    struct cm_counters counters[2];
    for (int i = 0; i < 2; i++) {
        struct cm_machine *machine = known_machine(0);
        must_run(machine, i == 0 ? "aset r0, 0\nnodeid f0\nfloadx32 f1, [r0], f0, 1024\nhalt\n"
                                 : "aset r0, 0\nnodeid f0\nfloadx32 f1, [r0], f0, 65536\nhalt\n");
        counters[i] = cm_machine_counters(machine);
        cm_machine_destroy(machine);
    }
    ck_assert_mem_eq(&counters[0], &counters[1], sizeof counters[0]);
    ck_assert_uint_eq(counters[0].loads, 1);
}
END_TEST

CM_PROGRAM(test_sim_indexed)
{
    Suite *suite = suite_create("indexed");
    TCase *tests = tcase_create("indexed");
    tcase_add_loop_test(tests, each_node_loads_a_word_of_its_own, 0, LOOPS);
    tcase_add_loop_test(tests, a_load_of_64_bits_takes_two_adjacent_words, 0, LOOPS);
    tcase_add_loop_test(tests, a_load_of_32_bits_keeps_the_high_half, 0, LOOPS);
    tcase_add_loop_test(tests, stores_of_nodes_do_not_conflict, 0, LOOPS);
    tcase_add_loop_test(tests, stores_and_loads_take_effect_in_order, 0, LOOPS);
    tcase_add_test(tests, a_table_may_have_any_length);
    suite_add_tcase(suite, tests);
    return cm_run_suite(suite);
}
