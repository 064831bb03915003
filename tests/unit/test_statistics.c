/* Statistics of errors and least squares: known answers, even and odd counts, what can't be
 * determined. */
#include "programs/validation/statistics.h"

#include "suite.h"

#include <math.h>

#define NEAR 1e-12

START_TEST(median_of_an_odd_and_an_even_count)
{
    static const double errors[] = {0.5, -0.1, 0.3, -0.7};
    struct cm_statistics odd = cm_statistics_of(errors, 3);
    struct cm_statistics even = cm_statistics_of(errors, 4);
    ck_assert_double_eq_tol(odd.median, 0.3, NEAR);
    ck_assert_double_eq_tol(even.median, 0.4, NEAR);
    ck_assert_double_eq_tol(odd.mean, 0.3, NEAR);
    ck_assert_double_eq_tol(even.mean, 0.4, NEAR);
    ck_assert_uint_eq(even.count, 4);
}
END_TEST

START_TEST(worst_keeps_its_sign_and_is_the_first_of_equals)
{
    static const double errors[] = {0.1, -0.7, 0.7};
    struct cm_statistics found = cm_statistics_of(errors, 3);
    ck_assert_double_eq_tol(found.worst, -0.7, NEAR);
    ck_assert_uint_eq(found.worst_index, 1);
}
END_TEST

START_TEST(nothing_gives_zeros)
{
    struct cm_statistics found = cm_statistics_of(NULL, 0);
    ck_assert_uint_eq(found.count, 0);
    ck_assert(found.median == 0 && found.mean == 0 && found.worst == 0);
}
END_TEST

START_TEST(one_error_is_its_own_median_mean_and_worst)
{
    static const double error = -0.25;
    struct cm_statistics found = cm_statistics_of(&error, 1);
    ck_assert(found.median == 0.25 && found.mean == 0.25 && found.worst == -0.25);
}
END_TEST

START_TEST(beyond_the_maximum_is_left_out)
{
    double errors[CM_STATISTICS_MAX + 1];
    for (uint32_t i = 0; i <= CM_STATISTICS_MAX; i++)
        errors[i] = i == CM_STATISTICS_MAX ? 9 : 0.5;
    struct cm_statistics found = cm_statistics_of(errors, CM_STATISTICS_MAX + 1);
    ck_assert_uint_eq(found.count, CM_STATISTICS_MAX);
    ck_assert_double_eq_tol(found.worst, 0.5, NEAR);
}
END_TEST

START_TEST(fit_finds_the_polynomial_that_made_the_points)
{
    static const uint32_t powers[] = {0, 2, 3};
    double x[6], y[6], found[3];
    for (int i = 0; i < 6; i++) {
        x[i] = 2 << i; /* 2 to 64, as subgrid lengths are */
        y[i] = 0.5 - 0.25 * x[i] * x[i] + 0.0625 * x[i] * x[i] * x[i];
    }
    ck_assert(cm_polynomial_fit(x, y, 6, powers, 3, found));
    ck_assert_double_eq_tol(found[0], 0.5, 1e-7);
    ck_assert_double_eq_tol(found[1], -0.25, 1e-9);
    ck_assert_double_eq_tol(found[2], 0.0625, 1e-10);
}
END_TEST

START_TEST(fit_is_least_squares_where_points_disagree)
{
    static const uint32_t line[] = {0, 1};
    static const double x[] = {1, 2, 3, 4}, y[] = {6, 5, 7, 10};
    double found[2];
    ck_assert(cm_polynomial_fit(x, y, 4, line, 2, found));
    ck_assert_double_eq_tol(found[0], 3.5, 1e-9); /* the textbook's y = 3.5 + 1.4 x */
    ck_assert_double_eq_tol(found[1], 1.4, 1e-9);
}
END_TEST

START_TEST(fit_refuses_what_points_do_not_determine)
{
    static const uint32_t line[] = {0, 1}, twice[] = {1, 1};
    static const double x[] = {2, 2, 2}, other[] = {1, 2, 3}, y[] = {1, 2, 3}, zero[] = {0, 0};
    double found[CM_POLYNOMIAL_TERMS_MAX];
    ck_assert(!cm_polynomial_fit(x, y, 3, line, 2, found));
    ck_assert(!cm_polynomial_fit(other, y, 3, twice, 2, found));
    ck_assert(!cm_polynomial_fit(other, y, 1, line, 2, found));
    ck_assert(!cm_polynomial_fit(zero, y, 2, line, 2, found));
    ck_assert(!cm_polynomial_fit(other, y, 3, line, 0, found));
    ck_assert(!cm_polynomial_fit(other, y, 3, line, CM_POLYNOMIAL_TERMS_MAX + 1, found));
}
END_TEST

CM_PROGRAM(test_statistics)
{
    Suite *suite = suite_create("statistics");
    TCase *all = tcase_create("statistics");
    tcase_add_test(all, median_of_an_odd_and_an_even_count);
    tcase_add_test(all, worst_keeps_its_sign_and_is_the_first_of_equals);
    tcase_add_test(all, nothing_gives_zeros);
    tcase_add_test(all, one_error_is_its_own_median_mean_and_worst);
    tcase_add_test(all, beyond_the_maximum_is_left_out);
    tcase_add_test(all, fit_finds_the_polynomial_that_made_the_points);
    tcase_add_test(all, fit_is_least_squares_where_points_disagree);
    tcase_add_test(all, fit_refuses_what_points_do_not_determine);
    suite_add_tcase(suite, all);
    return cm_run_suite(suite);
}
