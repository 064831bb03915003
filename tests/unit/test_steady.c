/* Verdicts on open-loop traffic, intervals and the search for the warm-up's end: values computed by
 * hand, series of known shape, and small networks whose capacity is known. */
#include "programs/network/confidence.h"
#include "programs/network/steady_private.h"
#include "programs/network/warmup.h"
#include "suite.h"

#include "base/random.h"

#include <math.h>

#define NEAR 5e-4

static double noise(uint64_t *random)
{
    return (double)(cm_random_next(random) >> 11) * 0x1p-53 - 0.5;
}

/* ---- intervals ---- */

START_TEST(quantiles_are_those_of_the_table)
{
    ck_assert_double_eq_tol(cm_student(1), 12.706, NEAR);
    ck_assert_double_eq_tol(cm_student(9), 2.262, NEAR);
    ck_assert_double_eq_tol(cm_student(10), 2.228, NEAR);
    ck_assert_double_eq_tol(cm_student(19), 2.093, NEAR);
    ck_assert_double_eq_tol(cm_student(30), 2.042, NEAR);
    ck_assert_double_eq_tol(cm_student(100000), 1.960, NEAR);
}
END_TEST

/* Standard deviation sqrt(2.5), divided by sqrt(5), times 2.776. */
START_TEST(an_interval_of_five_means)
{
    static const double values[] = {1, 5, 2, 4, 3};
    static const double ones[] = {1, 1, 1, 1, 1};
    struct cm_interval interval = cm_interval_of_means(values, 5);
    ck_assert(interval.known);
    ck_assert_double_eq_tol(interval.mean, 3, NEAR);
    ck_assert_double_eq_tol(interval.half, 1.963, NEAR);
    interval = cm_interval_of_batches(values, ones, 5); /* neighbours differ in sign */
    ck_assert_double_eq_tol(interval.mean, 3, NEAR);
    ck_assert_double_eq_tol(interval.half, 1.963, NEAR);
    ck_assert(!cm_interval_of_means(values, 1).known);
}
END_TEST

/* The same values in another order have no significant correlation. In ascending order the interval
 * is wider by sqrt((1 + r) / (1 - r)). */
START_TEST(correlated_batches_widen_the_interval)
{
    double rising[20], mixed[20], ones[20];
    for (int i = 0; i < 20; i++) {
        rising[i] = i;
        mixed[i] = i * 7 % 20; /* the same values */
        ones[i] = 1;
    }
    const double wide = cm_interval_of_batches(rising, ones, 20).half;
    const double narrow = cm_interval_of_batches(mixed, ones, 20).half;
    ck_assert_double_eq_tol(narrow, 2.093 * sqrt(35.0 / 20), NEAR); /* variance of 0 to 19: 35 */
    /* The autocorrelation of a line is above the largest that is used, 0.95. The variance is then
     * 39 times as large, so that the line is worth less than two independent values. */
    ck_assert_double_eq_tol(wide / narrow, sqrt(39) * 12.706 / 2.093, 0.01);
    /* Runs of two equal values: the neighbours' products are half of the squares, but for ends. */
    double pairs[20];
    for (int i = 0; i < 20; i++)
        pairs[i] = i / 2 * 7 % 10;
    const double half = cm_interval_of_batches(pairs, ones, 20).half;
    const double variance = 82.5 * 2 / 19 / 20; /* of ten values 0 to 9, each twice */
    const double factor = (half / sqrt(variance)) * (half / sqrt(variance));
    ck_assert(factor > 2.4 * 2.4 * 2 && factor < 3.2 * 3.2 * 4);
}
END_TEST

START_TEST(means_have_as_many_digits_as_their_intervals_justify)
{
    ck_assert_int_eq(cm_interval_decimals(52), 0);
    ck_assert_int_eq(cm_interval_decimals(5.2), 1);
    ck_assert_int_eq(cm_interval_decimals(0.43), 2);
    ck_assert_int_eq(cm_interval_decimals(1234), 0);
    ck_assert_int_eq(cm_interval_decimals(0), 6);
}
END_TEST

/* ---- warm-up ---- */

START_TEST(mser_leaves_out_the_rise_and_no_more)
{
    double values[64];
    uint64_t random = 7;
    for (int i = 0; i < 64; i++)
        values[i] = 100;
    ck_assert_uint_eq(cm_mser(values, 64), 0);
    for (int i = 0; i < 64; i++)
        values[i] = (i < 20 ? 5.0 * i : 100) + noise(&random);
    ck_assert_uint_ge(cm_mser(values, 64), 19);
    ck_assert_uint_le(cm_mser(values, 64), 22);
    for (int i = 0; i < 64; i++)
        values[i] = i;
    ck_assert_uint_eq(cm_mser(values, 64), 59); /* five are always left */
}
END_TEST

START_TEST(the_warm_up_is_doubled_until_the_backlog_is_level)
{
    struct cm_warmup warmup;
    cm_warmup_begin(&warmup, 1000, 100000);
    ck_assert(!warmup.over);
    for (uint64_t time = 0; time < 3000; time++) /* rises up to 1,500 */
        if (time < 1500)
            cm_warmup_count(&warmup, time, 1);
        else if (time >= warmup.end)
            cm_warmup_decide(&warmup);
    while (!warmup.over)
        cm_warmup_decide(&warmup);
    ck_assert_uint_eq(warmup.end, 4000);
    cm_warmup_begin(&warmup, 1000, 1000);
    ck_assert(warmup.over);
}
END_TEST

/* ---- trends ---- */

START_TEST(a_line_a_walk_and_a_level_are_distinguished)
{
    double line[CM_BATCH_ROWS], level[CM_BATCH_ROWS], walk[CM_BATCH_ROWS];
    uint64_t random = 3;
    for (uint32_t i = 0; i < CM_BATCH_ROWS; i++) {
        line[i] = 100 * (5.0 + i) + 20 * noise(&random);
        level[i] = 100 + 20 * noise(&random);
        walk[i] = (i > 0 ? walk[i - 1] : 500) + 20 * noise(&random);
    }
    struct cm_steady_trend trend = cm_steady_trend_of(line, 5000, 20000);
    ck_assert(trend.t > 20 && trend.power > 0.97 && trend.power < 1.03);
    ck_assert(trend.straight > 0.9 && trend.straight < 1.1);
    trend = cm_steady_trend_of(level, 5000, 20000);
    ck_assert(fabs(trend.t) < 1 && trend.range < 0.8);
    trend = cm_steady_trend_of(walk, 5000, 20000);
    ck_assert(fabs(trend.t) < 4);
    for (uint32_t i = 0; i < CM_BATCH_ROWS; i++)
        line[i] = 1000 * sqrt(5.0 + i);
    trend = cm_steady_trend_of(line, 5000, 20000);
    ck_assert(trend.t > 4 && trend.power > 0.48 && trend.power < 0.52 && trend.straight < 0.8);
}
END_TEST

/* ---- verdicts ---- */

static struct cm_traffic_task task_of(enum cm_pattern pattern, double rate)
{
    return (struct cm_traffic_task){
        .pattern = pattern,
        .seed = 1990,
        .rate = rate,
        .warmup = 2000,
        .measure = 20000,
        .router = {.dimensions = 4,
                   .channels = 1,
                   .words = 4,
                   .header_words = 1,
                   .buffer_words = 16,
                   .switching = CM_SWITCHING_CUT_THROUGH},
    };
}

static struct cm_traffic_result sent(const struct cm_traffic_task *task)
{
    struct cm_router *router;
    struct cm_traffic_result result;
    struct cm_error err;
    ck_assert_msg(cm_router_create(&task->router, &router, &err) == CM_OK, "%s", err.message);
    ck_assert_msg(cm_traffic_send(router, task, &result, &err) == CM_OK, "%s", err.message);
    cm_router_destroy(router);
    return result;
}

/* Eight of 16 nodes reach node 0 over the wire of node 8 in dimension 3. Hot packets load it with
 * 8 / 4 of the rate, and the others with 3 / 4 x 8 / 15: together 2.4 times the rate. */
START_TEST(a_hot_spot_is_bound_by_one_wire)
{
    struct cm_traffic_task task = task_of(CM_PATTERN_HOT_SPOT, 0.6);
    struct cm_traffic_result result = sent(&task);
    ck_assert_double_eq_tol(result.bound.rate, 1 / 2.4, 1e-12);
    ck_assert_uint_eq(result.bound.kind, CM_TRAFFIC_BOUND_WIRE);
    ck_assert_uint_eq(result.bound.node, 8);
    ck_assert_uint_eq(result.bound.dimension, 3);
    ck_assert_int_eq(result.steady.verdict, CM_VERDICT_NOT_STEADY);
    ck_assert_int_eq(result.steady.reason, CM_STEADY_BOUND);
    ck_assert_uint_eq(result.steady.node, 8);
    ck_assert_uint_eq(result.steady.dimension, 3);
    ck_assert_int_eq(result.steady.measured_verdict, CM_VERDICT_NOT_STEADY);
    ck_assert(result.saturated);
    ck_assert(result.steady.least < result.steady.most);
    task.rate = 0.3;
    result = sent(&task);
    ck_assert_int_eq(result.steady.verdict, CM_VERDICT_STEADY);
    ck_assert(!result.saturated);
    ck_assert_uint_eq(result.steady.measure_longer, 0);
}
END_TEST

/* At its bound a queue has no steady state if packets come at random. */
START_TEST(a_rate_at_the_bound_is_steady_only_without_chance)
{
    struct cm_traffic_task task = task_of(CM_PATTERN_COMPLEMENT, 1);
    struct cm_traffic_result result = sent(&task);
    ck_assert_double_eq_tol(result.bound.rate, 1, 1e-12);
    ck_assert_int_eq(result.steady.reason, CM_STEADY_BOUND);
    ck_assert_int_ne(result.steady.measured_verdict, CM_VERDICT_STEADY);
    task.router.words = 1;
    result = sent(&task);
    ck_assert_int_eq(result.steady.verdict, CM_VERDICT_STEADY);
    ck_assert_double_eq_tol(result.latency.mean, result.bound.zero_load_latency, 1e-9);
}
END_TEST

START_TEST(what_is_not_clear_is_not_decided)
{
    struct cm_traffic_task task = task_of(CM_PATTERN_COMPLEMENT, 0.99);
    struct cm_traffic_result result = sent(&task);
    ck_assert_int_eq(result.steady.verdict, CM_VERDICT_NOT_DECIDED);
    ck_assert_uint_gt(result.steady.measure_longer, task.measure);
    task.rate = 0.001;
    task.measure = 2000;
    result = sent(&task);
    ck_assert_int_eq(result.steady.verdict, CM_VERDICT_NOT_DECIDED);
    ck_assert_int_eq(result.steady.reason, CM_STEADY_FEW_PACKETS);
    ck_assert(result.steady.intervals.latency < 0);
}
END_TEST

START_TEST(a_limit_ends_a_run_without_a_verdict_unless_packets_are_late)
{
    struct cm_traffic_task task = task_of(CM_PATTERN_COMPLEMENT, 0.3);
    task.router.limit = 15000; /* within the measurement */
    struct cm_traffic_result result = sent(&task);
    ck_assert_int_eq(result.router.end, CM_ROUTER_LIMIT);
    ck_assert_int_eq(result.steady.verdict, CM_VERDICT_NOT_DECIDED);
    ck_assert_int_eq(result.steady.reason, CM_STEADY_LIMIT);
    task = task_of(CM_PATTERN_HOT_SPOT, 1);
    task.router.limit = 23000;
    result = sent(&task);
    ck_assert_int_eq(result.router.end, CM_ROUTER_LIMIT);
    ck_assert_int_eq(result.steady.measured_verdict, CM_VERDICT_NOT_STEADY);
    ck_assert_int_eq(result.steady.measured_reason, CM_STEADY_OUTSTANDING);
}
END_TEST

/* Packets of 1,000 words need over 1,000 word times until the first arrives. */
START_TEST(long_packets_lengthen_the_warm_up)
{
    struct cm_traffic_task task = task_of(CM_PATTERN_COMPLEMENT, 0.6);
    task.router.dimensions = 6;
    task.router.words = task.router.buffer_words = 1000;
    task.warmup = 1000;
    task.measure = 200000;
    task.find_warmup = true;
    const struct cm_traffic_result result = sent(&task);
    ck_assert_uint_gt(result.steady.warmup, 1000);
    ck_assert_uint_lt(result.steady.warmup, 200000);
    ck_assert_int_eq(result.steady.verdict, CM_VERDICT_STEADY);
    task.find_warmup = false;
    ck_assert_uint_eq(sent(&task).steady.warmup, 1000);
}
END_TEST

/*
 * 64 sources, each with a packet in flight for up to 4,000 word times. The number of packets in
 * flight varies by more than a hundred. Source 5 loses two packets of five, which the network's
 * sum does not show.
 */
START_TEST(one_source_that_falls_behind_is_found)
{
    struct cm_traffic_task task = task_of(CM_PATTERN_RANDOM, 0.4);
    const struct cm_traffic_bound bound = {.rate = 1};
    const struct cm_steady_run run = {.word_times = 30000, .busy = 0.2};
    struct cm_traffic_steady steady;
    struct cm_batches batches;
    struct cm_error err;
    uint64_t random = 11;
    task.router.dimensions = 6;
    task.warmup = 6000;
    ck_assert_int_eq(cm_batches_begin(&batches, &task, &err), CM_OK);
    for (uint64_t time = 0; time < 26000; time++)
        for (uint32_t source = 0; source < 64; source++) {
            if (noise(&random) > -0.4)
                continue; /* one in ten sends */
            const struct cm_router_packet packet = {
                .source = source, .destination = source ^ 1, .created = time};
            const struct cm_router_delivery delivery = {
                .source = source,
                .destination = source ^ 1,
                .created = time,
                .arrived = time + (uint64_t)(4000 * (noise(&random) + 0.5))};
            cm_batches_create(&batches, &packet);
            if (source != 5 || noise(&random) < 0.1)
                cm_batches_arrive(&batches, &delivery);
        }
    ck_assert_int_eq(cm_steady_judge(&batches, &bound, &run, &steady, &err), CM_OK);
    ck_assert_int_eq(steady.verdict, CM_VERDICT_NOT_STEADY);
    ck_assert_int_eq(steady.reason, CM_STEADY_SOURCE);
    ck_assert_uint_eq(steady.node, 5);
    ck_assert(!steady.has_dimension);
    cm_batches_finish(&batches);
}
END_TEST

CM_PROGRAM(test_steady)
{
    Suite *s = suite_create("steady");
    TCase *tests = tcase_create("steady");
    tcase_set_timeout(tests, 0);
    tcase_add_test(tests, quantiles_are_those_of_the_table);
    tcase_add_test(tests, an_interval_of_five_means);
    tcase_add_test(tests, correlated_batches_widen_the_interval);
    tcase_add_test(tests, means_have_as_many_digits_as_their_intervals_justify);
    tcase_add_test(tests, mser_leaves_out_the_rise_and_no_more);
    tcase_add_test(tests, the_warm_up_is_doubled_until_the_backlog_is_level);
    tcase_add_test(tests, a_line_a_walk_and_a_level_are_distinguished);
    tcase_add_test(tests, a_hot_spot_is_bound_by_one_wire);
    tcase_add_test(tests, a_rate_at_the_bound_is_steady_only_without_chance);
    tcase_add_test(tests, what_is_not_clear_is_not_decided);
    tcase_add_test(tests, a_limit_ends_a_run_without_a_verdict_unless_packets_are_late);
    tcase_add_test(tests, long_packets_lengthen_the_warm_up);
    tcase_add_test(tests, one_source_that_falls_behind_is_found);
    suite_add_tcase(s, tests);
    return cm_run_suite(s);
}
