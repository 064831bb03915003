/* The search for saturation, on networks that saturate at a known rate. */
#include "programs/network/saturation.h"

#include "random.h"
#include "suite.h"

#include <math.h>

/* Network that is saturated above a rate, and not decided between two others. */
struct network {
    double threshold, undecided[2];
    uint32_t runs, fails_at; /* the run that fails. 0: none */
    double last;
};

static enum cm_status run(void *context, double rate, enum cm_verdict *verdict, double *accepted,
                          struct cm_error *err)
{
    struct network *network = context;
    network->runs++;
    network->last = rate;
    if (network->runs == network->fails_at)
        return cm_error_set(err, CM_INTERRUPTED, "interrupted");
    *verdict = rate > network->undecided[0] && rate < network->undecided[1] ? CM_VERDICT_NOT_DECIDED
               : rate > network->threshold                                  ? CM_VERDICT_NOT_STEADY
                                                                            : CM_VERDICT_STEADY;
    *accepted = fmin(rate, network->threshold) * 0.9;
    return CM_OK;
}

static struct cm_saturation find(struct network *network, double tolerance)
{
    struct cm_saturation found = {.tolerance = tolerance};
    struct cm_error err;
    ck_assert_int_eq(cm_saturation_find(run, network, &found, &err), CM_OK);
    ck_assert_uint_eq(found.rates, network->runs);
    return found;
}

START_TEST(the_rate_lies_between_two_rates_that_were_run)
{
    struct random_source random = random_begin("search for saturation");
    for (uint32_t i = 0; i < 2000; i++) {
        double tolerance = pow(10, -0.4 - 4.0 * random_below(&random, 1000) / 1000);
        double threshold = pow(10, -5.0 * random_below(&random, 1000) / 1000) * 0.999;
        struct network network = {.threshold = threshold};
        struct cm_saturation found = find(&network, tolerance);
        ck_assert(found.steady <= threshold && found.saturated > threshold);
        ck_assert(found.saturated - found.steady <= tolerance * found.saturated);
        ck_assert_double_eq_tol(found.accepted, found.steady * 0.9, 1e-12);
        /* one run at 1, halvings down to the threshold, and halvings down to the tolerance */
        double most = 1 + ceil(-log2(threshold)) + ceil(-log2(tolerance)) + 1;
        ck_assert_msg(found.rates <= most, "%u runs for %g to %g", found.rates, threshold,
                      tolerance);
    }
}
END_TEST

START_TEST(a_network_that_never_saturates_takes_one_run)
{
    struct network network = {.threshold = 1};
    struct cm_saturation found = find(&network, 0.01);
    ck_assert_uint_eq(found.rates, 1);
    ck_assert(found.steady == 1 && found.saturated == 0);
}
END_TEST

START_TEST(a_network_that_always_saturates_ends_the_search)
{
    struct network network = {.threshold = 0};
    struct cm_saturation found = find(&network, 0.01);
    ck_assert(found.steady == 0 && found.saturated > 0);
    ck_assert(found.saturated <= CM_SATURATION_LEAST);
    ck_assert_uint_le(found.rates, CM_SATURATION_RATES_MAX);
}
END_TEST

START_TEST(a_failed_run_ends_the_search_and_keeps_what_was_found)
{
    struct network network = {.threshold = 0.3, .fails_at = 4};
    struct cm_saturation found = {.tolerance = 0.01};
    struct cm_error err;
    ck_assert_int_eq(cm_saturation_find(run, &network, &found, &err), CM_INTERRUPTED);
    ck_assert_uint_eq(found.rates, 3);
    ck_assert(found.steady == 0.25 && found.saturated == 0.5);
}
END_TEST

START_TEST(rates_that_no_run_decides_are_searched_on_both_sides)
{
    struct random_source random = random_begin("search around undecided rates");
    for (uint32_t i = 0; i < 2000; i++) {
        double tolerance = pow(10, -1 - 2.0 * random_below(&random, 1000) / 1000);
        double low = (1 + random_below(&random, 900)) / 1000.0;
        double high = low + (1 - low) * random_below(&random, 1000) / 1000;
        struct network network = {.threshold = (low + high) / 2, .undecided = {low, high}};
        struct cm_saturation found = find(&network, tolerance);
        const double *undecided = found.undecided;
        ck_assert(found.steady <= low && found.saturated >= high);
        if (undecided[0] <= 0) {
            ck_assert(found.saturated - found.steady <= tolerance * found.saturated);
            continue;
        }
        ck_assert(undecided[0] > low && undecided[0] <= undecided[1] && undecided[1] < high);
        ck_assert(undecided[0] - found.steady <= tolerance * undecided[0]);
        ck_assert(found.saturated - undecided[1] <= tolerance * found.saturated);
    }
}
END_TEST

START_TEST(a_search_that_decides_nothing_ends)
{
    struct network network = {.threshold = 0.5, .undecided = {0, 2}};
    struct cm_saturation found = find(&network, 0.01);
    ck_assert(found.steady == 0 && found.saturated == 0 && found.undecided[1] == 1);
    ck_assert(found.undecided[0] <= CM_SATURATION_LEAST);
}
END_TEST

CM_PROGRAM(test_saturation)
{
    Suite *suite = suite_create("saturation");
    TCase *c = tcase_create("search");
    tcase_add_test(c, the_rate_lies_between_two_rates_that_were_run);
    tcase_add_test(c, a_network_that_never_saturates_takes_one_run);
    tcase_add_test(c, a_network_that_always_saturates_ends_the_search);
    tcase_add_test(c, rates_that_no_run_decides_are_searched_on_both_sides);
    tcase_add_test(c, a_search_that_decides_nothing_ends);
    tcase_add_test(c, a_failed_run_ends_the_search_and_keeps_what_was_found);
    suite_add_tcase(suite, c);
    return cm_run_suite(suite);
}
