/* What several threads do must be what one does: PSHIFT, tables that change, faults, interrupts.
 * Runs under a thread sanitizer too. */
#include "imps.h"
#include "programs/pshift/runtime.h"
#include "shifts.h"
#include "suite.h"

#include <pthread.h>
#include <time.h>

#define NODES 64u

static struct cm_system *system_with_threads(uint32_t threads)
{
    struct cm_config config = cm200_config();
    struct cm_machine_options options = {.nodes = NODES, .threads = threads};
    struct cm_system *system = NULL;
    ck_assert_int_eq(cm_system_create(&config, &options, &system, NULL), CM_OK);
    ck_assert_uint_eq(cm_machine_threads(cm_system_machine(system)), threads);
    return system;
}

/* Two calls of PSHIFT, with boundaries of every kind, and a run-time library's shift; checks all
 * data. */
static struct cm_counters work(uint32_t threads)
{
    static const uint64_t shape[] = {32, 16};
    static const struct cm_pshift_pattern patterns[] = {{CM_SHIFT_CSHIFT, 0, 3},
                                                        {CM_SHIFT_EOSHIFT_0, 1, -1},
                                                        {CM_SHIFT_EOSHIFT_ARRAY, 1, 2},
                                                        {CM_SHIFT_EOSHIFT_SCALAR, 0, -8}};
    struct random_source random = {7};
    struct cm_system *system = system_with_threads(threads);
    struct cm_layout layout = layout_of(CM_TYPE_REAL64, 2, shape, CM_ORDER_NEWS, NODES);
    struct cm_layout edge_layout = layout_of(CM_TYPE_REAL64, 1, shape, CM_ORDER_SEND, NODES);
    struct pair src = pair_create(system, &layout, &random), dst[4];
    struct pair edge = pair_create(system, &edge_layout, &random);
    struct cm_shift shifts[4];
    struct cm_error err;
    int id;
    for (int i = 0; i < 4; i++) {
        dst[i] = pair_create(system, &layout, &random);
        shifts[i] = (struct cm_shift){.type = patterns[i].type,
                                      .axis = patterns[i].axis,
                                      .distance = patterns[i].distance,
                                      .src = src.array,
                                      .dst = dst[i].array,
                                      .boundary_scalar = cm_scalar_make(CM_TYPE_REAL64, 2.5, 0)};
    }
    shifts[2].boundary_array = edge.array;
    ck_assert_int_eq(
        cm_pshift_setup(system, &(struct cm_pshift_request){CM_SETUP_AUTO, &layout, patterns, 4},
                        &id, &err),
        CM_OK);
    for (int round = 0; round < 2; round++)
        ck_assert_msg(cm_pshift_call(system, id, shifts, 4, &err) == CM_OK, "%s", err.message);
    for (int i = 0; i < 4; i++) {
        shift_on_host(&layout, &shifts[i], dst[i].bytes, src.bytes, i == 2 ? edge.bytes : NULL);
        pair_check(system, &dst[i]);
    }
    shifts[0].distance = 11;
    ck_assert_int_eq(cm_runtime_shift(system, &shifts[0], &err), CM_OK);
    shift_on_host(&layout, &shifts[0], dst[0].bytes, src.bytes, NULL);
    pair_check(system, &dst[0]);
    struct cm_counters counters = cm_machine_counters(cm_system_machine(system));
    for (int i = 0; i < 4; i++)
        pair_finish(system, &dst[i]);
    pair_finish(system, &src);
    pair_finish(system, &edge);
    cm_system_destroy(system);
    return counters;
}

START_TEST(pshift_is_the_same_for_any_number_of_threads)
{
    struct cm_counters one = work(1);
    for (uint32_t threads = 2; threads <= 4; threads *= 2) {
        struct cm_counters more = work(threads);
        ck_assert_mem_eq(&more, &one, sizeof one);
    }
}
END_TEST

/* Each round moves the table on to the next dimension by the program's own moves, while other
 * threads are elsewhere. */
START_TEST(a_table_may_change_under_several_threads)
{
    struct cm_config config = cm200_config();
    struct cm_machine *machine = machine_of(&config, NODES, (uint32_t)_i);
    for (uint32_t d = 0; d < 6; d++)
        write_ramp(machine, 20 + d, d + 1, 0);
    write_ramp(machine, 10, 0, 1);
    must_run(machine, "aset r0, 0\naset r1, 10\naset r2, 20\n"
                      "round: loop 6\n"
                      "move [r0], [r2], 1, 1, 1\n"
                      "loadi A, [r1], [r0], 0, 0\n"
                      "exchange\n"
                      "unloadi [r1], B, [r0], 0, 0\n"
                      "aadd r2, 1\n"
                      "next round\n"
                      "halt\n");
    for (uint32_t node = 0; node < NODES; node++)
        ck_assert_uint_eq(word_at(machine, 10, node), node ^ 63);
    cm_machine_destroy(machine);
}
END_TEST

START_TEST(a_fault_of_several_threads_is_one_fault)
{
    struct cm_config config = cm200_config();
    struct cm_machine *machine = machine_of(&config, NODES, (uint32_t)_i);
    struct cm_imp *imp = assembled("aset r0, 1048570\n"
                                   "more: loop 10\n"
                                   "load A.1, [r0]\nexchange\nunload [r0], B.1\naadd r0, 1\n"
                                   "next more\nhalt\n");
    for (int round = 0; round < 50; round++) {
        struct cm_error err;
        ck_assert_int_eq(run_once(machine, imp, NULL, &err), CM_FAULT);
        ck_assert_str_eq(err.message,
                         "IMP \"test\" faulted at instruction 2 (load A.1, [r0]): address 1048576 "
                         "is outside node memory (0 to 1048575)");
        ck_assert_uint_eq(cm_machine_counters(machine).exchanges, 8u * (uint32_t)round + 6);
        must_run(machine, "aset r0, 0\nload A.1, [r0]\nexchange\nload A.1, [r0]\nexchange\nhalt\n");
    }
    cm_imp_destroy(imp);
    cm_machine_destroy(machine);
}
END_TEST

static void *interrupt_soon(void *machine)
{
    struct timespec pause = {.tv_nsec = 5000000};
    nanosleep(&pause, NULL);
    cm_machine_interrupt(machine);
    return NULL;
}

/* The program would take hours. */
START_TEST(a_run_is_interrupted_from_another_thread)
{
    struct cm_config config = cm200_config();
    struct cm_machine *machine = machine_of(&config, NODES, (uint32_t)_i);
    struct cm_imp *imp = assembled("aset r0, 0\n"
                                   "a: loop 2000000000\nb: loop 2000000000\n"
                                   "load A.1, [r0]\nexchange\nunload [r0], B.1\n"
                                   "next b\nnext a\nhalt\n");
    struct cm_error err;
    pthread_t other;
    ck_assert_int_eq(pthread_create(&other, NULL, interrupt_soon, machine), 0);
    ck_assert_int_eq(run_once(machine, imp, NULL, &err), CM_INTERRUPTED);
    pthread_join(other, NULL);
    cm_imp_destroy(imp);
    cm_machine_destroy(machine);
}
END_TEST

CM_PROGRAM(test_threads)
{
    Suite *suite = suite_create("threads");
    TCase *tests = tcase_create("threads");
    tcase_add_test(tests, pshift_is_the_same_for_any_number_of_threads);
    tcase_add_loop_test(tests, a_table_may_change_under_several_threads, 1, 3);
    tcase_add_loop_test(tests, a_fault_of_several_threads_is_one_fault, 1, 3);
    tcase_add_loop_test(tests, a_run_is_interrupted_from_another_thread, 1, 3);
    suite_add_tcase(suite, tests);
    return cm_run_suite(suite);
}
