/* The router path of the run-time library by its C interface: data, cost, channels, refusals. */
#include "programs/pshift/runtime.h"
#include "shifts.h"
#include "suite.h"

struct bench {
    struct random_source random;
    struct cm_system *system;
    struct cm_layout layout;
    struct pair src, dst;
};

/* 24 elements of complex128 on 8 nodes, three a node, in SEND order. */
static void bench_create(struct bench *bench, uint32_t buffer_words, bool timing_only)
{
    static const uint64_t shape[] = {24};
    struct cm_config config = cm200_config();
    config.router_buffer_words = buffer_words;
    bench->random = (struct random_source){11};
    bench->system = system_of(&config, 8, timing_only);
    bench->layout = layout_of(CM_TYPE_COMPLEX128, 1, shape, CM_ORDER_SEND, 8);
    bench->src = pair_create(bench->system, &bench->layout, &bench->random);
    bench->dst = pair_create(bench->system, &bench->layout, &bench->random);
}

static void bench_finish(struct bench *bench)
{
    pair_finish(bench->system, &bench->src);
    pair_finish(bench->system, &bench->dst);
    cm_system_destroy(bench->system);
}

static struct cm_shift shift_by(const struct bench *bench, int64_t distance)
{
    return (struct cm_shift){.type = CM_SHIFT_CSHIFT,
                             .distance = distance,
                             .dst = bench->dst.array,
                             .src = bench->src.array,
                             .path = CM_PATH_ROUTER};
}

/* What the call charged. */
static struct cm_counters run_shift(struct bench *bench, const struct cm_shift *shift)
{
    struct cm_machine *machine = cm_system_machine(bench->system);
    struct cm_counters before = cm_machine_counters(machine);
    struct cm_error err;
    ck_assert_msg(cm_runtime_shift(bench->system, shift, &err) == CM_OK, "%s", err.message);
    struct cm_counters after = cm_machine_counters(machine);
    return cm_counters_difference(&after, &before);
}

START_TEST(elements_go_where_they_belong_and_channels_say_so)
{
    struct bench bench;
    uint64_t words = 0;
    bench_create(&bench, 16, false);
    ck_assert_ptr_null(cm_system_routed_words(bench.system));
    struct cm_shift shift = shift_by(&bench, 4);
    struct cm_counters spent = run_shift(&bench, &shift);
    shift_on_host(&bench.layout, &shift, bench.dst.bytes, bench.src.bytes, NULL);
    pair_check(bench.system, &bench.dst);
    pair_check(bench.system, &bench.src);
    const uint64_t *routed = cm_system_routed_words(bench.system);
    ck_assert_ptr_nonnull(routed);
    for (uint32_t i = 0; i < 8 * 3 * 2; i++)
        words += routed[i];
    ck_assert_uint_eq(spent.words_sent, words);
    ck_assert_uint_eq(spent.exchanges, 0);
    ck_assert_uint_gt(spent.by_cause[CM_CAUSE_ROUTER], 0);
    bench_finish(&bench);
}
END_TEST

START_TEST(without_data_it_costs_the_same)
{
    struct bench with, without;
    bench_create(&with, 16, false);
    bench_create(&without, 16, true);
    for (int64_t distance = -13; distance <= 13; distance += 2) {
        struct cm_shift one = shift_by(&with, distance), other = shift_by(&without, distance);
        struct cm_counters a = run_shift(&with, &one), b = run_shift(&without, &other);
        ck_assert_mem_eq(&a, &b, sizeof a);
    }
    bench_finish(&with);
    bench_finish(&without);
}
END_TEST

START_TEST(a_shift_in_place_reads_its_source_as_it_was)
{
    struct bench bench;
    bench_create(&bench, 4, false);
    struct cm_shift shift = shift_by(&bench, -7);
    shift.dst = bench.src.array;
    unsigned char *before = malloc(bench.src.size);
    ck_assert_ptr_nonnull(before);
    memcpy(before, bench.src.bytes, bench.src.size);
    run_shift(&bench, &shift);
    shift_on_host(&bench.layout, &shift, bench.src.bytes, before, NULL);
    pair_check(bench.system, &bench.src);
    free(before);
    bench_finish(&bench);
}
END_TEST

START_TEST(nothing_is_charged_for_the_router_when_nothing_crosses)
{
    struct bench bench;
    bench_create(&bench, 16, false);
    struct cm_shift shift = shift_by(&bench, 48);
    ck_assert_uint_eq(run_shift(&bench, &shift).by_cause[CM_CAUSE_ROUTER], 0);
    shift.type = CM_SHIFT_EOSHIFT_0;
    shift.distance = -24;
    ck_assert_uint_eq(run_shift(&bench, &shift).by_cause[CM_CAUSE_ROUTER], 0);
    bench_finish(&bench);
}
END_TEST

START_TEST(elements_larger_than_the_buffers_are_refused)
{
    struct bench bench;
    struct cm_error err;
    bench_create(&bench, 3, false);
    struct cm_shift shift = shift_by(&bench, 4);
    ck_assert_int_eq(cm_runtime_prepare(bench.system, &shift, &err), CM_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(err.message, "4 words"));
    ck_assert_ptr_nonnull(strstr(err.hint, "router.buffer_words"));
    ck_assert_int_eq(cm_runtime_shift(bench.system, &shift, &err), CM_BAD_INPUT);
    ck_assert_int_eq(cm_runtime_shift(bench.system, &shift, NULL), CM_BAD_INPUT);
    shift.path = CM_PATH_EXCHANGE;
    ck_assert_int_eq(cm_runtime_shift(bench.system, &shift, &err), CM_OK);
    bench_finish(&bench);
}
END_TEST

START_TEST(an_interrupt_ends_it)
{
    struct bench bench;
    struct cm_error err;
    bench_create(&bench, 16, false);
    struct cm_shift shift = shift_by(&bench, 4);
    cm_machine_interrupt(cm_system_machine(bench.system));
    ck_assert_int_eq(cm_runtime_shift(bench.system, &shift, &err), CM_INTERRUPTED);
    bench_finish(&bench);
}
END_TEST

CM_PROGRAM(test_runtime_router)
{
    Suite *suite = suite_create("runtime_router");
    TCase *tests = tcase_create("runtime_router");
    tcase_add_test(tests, elements_go_where_they_belong_and_channels_say_so);
    tcase_add_test(tests, without_data_it_costs_the_same);
    tcase_add_test(tests, a_shift_in_place_reads_its_source_as_it_was);
    tcase_add_test(tests, nothing_is_charged_for_the_router_when_nothing_crosses);
    tcase_add_test(tests, elements_larger_than_the_buffers_are_refused);
    tcase_add_test(tests, an_interrupt_ends_it);
    suite_add_tcase(suite, tests);
    return cm_run_suite(suite);
}
