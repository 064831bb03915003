/* The pool of host threads: every worker runs once, barriers part the phases, giving up frees those
 * who wait. */
#include "sim/host/pool.h"
#include "suite.h"

#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#define MOST   8u
#define PHASES 200u

struct bench {
    struct cm_pool *pool;
    uint32_t count;
    uint32_t calls[MOST]; /* of each worker */
    uint32_t cells[2]
                  [MOST];   /* what each writes in a phase; barriers alone keep the threads apart */
    uint32_t wrong[MOST];   /* words of others that were not there yet, or already gone */
    uint32_t refused[MOST]; /* barriers that returned false */
    uint32_t gives_up, at_barrier; /* the worker that gives up, before this barrier */
};

/* Tests run with `_i` workers: with TURNS more, every second run has one. */
#define TURNS 16

static void bench_create(struct bench *bench, uint32_t count)
{
    const bool turns = count >= TURNS;
    count -= turns ? TURNS : 0;
    memset(bench, 0, sizeof *bench);
    bench->count = count;
    bench->gives_up = UINT32_MAX;
    ck_assert_int_eq(cm_pool_create(count, &bench->pool, NULL), CM_OK);
    if (turns)
        cm_pool_alternate(bench->pool);
}

static void run(struct bench *bench, cm_pool_function function)
{
    bench->count = cm_pool_workers(bench->pool);
    cm_pool_run(bench->pool, function, bench, NULL);
}

static void count_call(void *context, uint32_t index)
{
    struct bench *bench = context;
    bench->calls[index]++;
}

START_TEST(a_run_calls_each_worker_once_and_waits_for_all)
{
    struct bench bench;
    bench_create(&bench, (uint32_t)_i);
    const uint32_t all = bench.count;
    for (uint32_t k = 0; k < 300; k++) {
        memset(bench.calls, 0, sizeof bench.calls);
        run(&bench, count_call);
        if (_i > TURNS)
            require_uint_eq(bench.count, k % 2 == 1 ? 1 : all);
        for (uint32_t i = 0; i < MOST; i++)
            require_uint_eq(bench.calls[i], i < bench.count);
    }
    cm_pool_destroy(bench.pool);
}
END_TEST

/* In each phase a worker writes its cell and, after a barrier, reads everybody's. The cells of two
 * phases are apart, so that one barrier a phase is enough. */
static void work_in_phases(void *context, uint32_t index)
{
    struct bench *bench = context;
    for (uint32_t phase = 1; phase <= PHASES; phase++) {
        bench->cells[phase % 2][index] = phase;
        if (index == phase % bench->count)
            sched_yield();
        if (!cm_pool_barrier(bench->pool))
            bench->refused[index]++;
        for (uint32_t i = 0; i < bench->count; i++)
            bench->wrong[index] += bench->cells[phase % 2][i] != phase;
    }
}

START_TEST(a_barrier_parts_what_comes_before_it_from_what_comes_after)
{
    struct bench bench;
    bench_create(&bench, (uint32_t)_i);
    for (uint32_t k = 0; k < 3; k++) {
        memset(bench.cells, 0, sizeof bench.cells);
        run(&bench, work_in_phases);
        for (uint32_t i = 0; i < bench.count; i++) {
            ck_assert_uint_eq(bench.wrong[i], 0);
            ck_assert_uint_eq(bench.refused[i], 0);
        }
    }
    cm_pool_destroy(bench.pool);
}
END_TEST

/* One worker gives up before barrier `at_barrier`; the others stop at the first barrier that
 * refuses. */
static void give_up_somewhere(void *context, uint32_t index)
{
    struct bench *bench = context;
    bench->calls[index] = 0;
    for (uint32_t barrier = 0; barrier < PHASES; barrier++) {
        if (index == bench->gives_up && barrier == bench->at_barrier) {
            cm_pool_give_up(bench->pool);
            return;
        }
        if (!cm_pool_barrier(bench->pool))
            return;
        bench->calls[index]++; /* barriers passed */
    }
}

START_TEST(who_gives_up_frees_those_who_wait_for_it_and_no_others)
{
    struct bench bench;
    bench_create(&bench, (uint32_t)_i);
    for (uint32_t k = 0; k < PHASES; k++) {
        bench.gives_up = k % cm_pool_workers(bench.pool);
        bench.at_barrier = k;
        run(&bench, give_up_somewhere);
        for (uint32_t i = 0; i < bench.count; i++)
            require_uint_eq(bench.calls[i], k); /* what all reached, all passed */
    }
    bench.gives_up = UINT32_MAX; /* the next run begins anew */
    run(&bench, give_up_somewhere);
    for (uint32_t i = 0; i < bench.count; i++)
        require_uint_eq(bench.calls[i], PHASES);
    cm_pool_destroy(bench.pool);
}
END_TEST

START_TEST(one_worker_alone_never_waits)
{
    struct bench bench;
    bench_create(&bench, 1);
    run(&bench, work_in_phases);
    ck_assert_uint_eq(bench.refused[0], 0);
    ck_assert_uint_eq(bench.wrong[0], 0);
    ck_assert_uint_eq(bench.cells[0][0], PHASES);
    cm_pool_destroy(bench.pool);
}
END_TEST

START_TEST(a_pool_that_never_ran_ends)
{
    for (uint32_t count = 1; count <= MOST; count++) {
        struct bench bench;
        bench_create(&bench, count);
        cm_pool_destroy(bench.pool);
    }
    cm_pool_destroy(NULL);
}
END_TEST

/* Longer than workers spin; two runs of it are long enough to be judged. */
static void pause_a_little(void)
{
    const struct timespec pause = {.tv_nsec = 20000000};
    nanosleep(&pause, NULL);
}

static void count_slow_call(void *context, uint32_t index)
{
    pause_a_little();
    count_call(context, index);
}

/* On a busy host runs take long. They do no work that is measured, so the pool does not try one
 * worker instead. */
START_TEST(a_pool_that_slept_wakes_up)
{
    static const uint64_t no_work;
    struct bench bench;
    bench_create(&bench, 4);
    cm_pool_measure(bench.pool, &no_work);
    for (uint32_t k = 1; k <= 4; k++) {
        pause_a_little();
        run(&bench, count_slow_call);
        for (uint32_t i = 0; i < 4; i++)
            ck_assert_uint_eq(bench.calls[i], k);
    }
    cm_pool_destroy(bench.pool);
}
END_TEST

CM_PROGRAM(test_sim_pool)
{
    Suite *suite = suite_create("pool");
    TCase *tests = tcase_create("pool");
    tcase_add_loop_test(tests, a_run_calls_each_worker_once_and_waits_for_all, 1, MOST + 1);
    tcase_add_loop_test(tests, a_barrier_parts_what_comes_before_it_from_what_comes_after, 2, 5);
    tcase_add_loop_test(tests, who_gives_up_frees_those_who_wait_for_it_and_no_others, 2, 5);
    tcase_add_loop_test(tests, a_run_calls_each_worker_once_and_waits_for_all, TURNS + 1,
                        TURNS + 5);
    tcase_add_loop_test(tests, a_barrier_parts_what_comes_before_it_from_what_comes_after,
                        TURNS + 2, TURNS + 5);
    tcase_add_loop_test(tests, who_gives_up_frees_those_who_wait_for_it_and_no_others, TURNS + 2,
                        TURNS + 5);
    tcase_add_test(tests, one_worker_alone_never_waits);
    tcase_add_test(tests, a_pool_that_never_ran_ends);
    tcase_add_test(tests, a_pool_that_slept_wakes_up);
    suite_add_tcase(suite, tests);
    return cm_run_suite(suite);
}
