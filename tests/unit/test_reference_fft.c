/* The direct evaluation of transforms, against the sum that defines them, and what it lets pass. */
#include "programs/workload/reference.h"
#include "random.h"
#include "suite.h"

#include <complex.h>
#include <math.h>
#include <string.h>

#define POINTS_MAX 256u

static const double full_turn = 6.28318530717958647692528676655900577;

static uint64_t mirrored(uint64_t i, uint64_t length)
{
    uint64_t r = 0;
    for (uint64_t low = 1, high = length / 2; low < length; low *= 2, high /= 2)
        r += i & low ? high : 0;
    return r;
}

/* One axis of `in` by the definition, on array positions. */
static void sum_axis(const struct cm_reference_array *array, uint32_t axis,
                     const struct cm_reference_dft *dft, const double complex *in,
                     double complex *out)
{
    uint64_t stride = 1, n = array->shape[axis];
    for (uint32_t a = 0; a < axis; a++)
        stride *= array->shape[a];
    for (uint64_t e = 0; e < array->elements_count; e++) {
        uint64_t at = e / stride % n, origin = e - at * stride;
        uint64_t k = dft->output_reversed ? mirrored(at, n) : at;
        double complex sum = 0;
        for (uint64_t i = 0; i < n; i++) {
            uint64_t j = dft->input_reversed ? mirrored(i, n) : i;
            double angle = (dft->inverse ? 1 : -1) * full_turn * (double)(j * k % n) / (double)n;
            sum += in[origin + i * stride] * cexp(I * angle);
        }
        out[e] = dft->inverse ? sum / (double)n : sum;
    }
}

START_TEST(transforms_are_the_defining_sums)
{
    static const uint64_t shapes[][3] = {{1, 1, 1},  {2, 1, 1}, {16, 1, 1}, {128, 1, 1},
                                         {4, 16, 1}, {8, 8, 4}, {1, 32, 2}};
    struct random_source random = random_begin("direct transforms");
    for (uint32_t round = 0; round < 400; round++) {
        double complex values[POINTS_MAX], wanted[POINTS_MAX], next[POINTS_MAX];
        struct cm_reference_array array = {
            .type = CM_TYPE_COMPLEX128, .rank = 3, .elements = values};
        struct cm_reference_dft dft = {.axes = random_below(&random, 8),
                                       .inverse = random_below(&random, 2),
                                       .input_reversed = random_below(&random, 2),
                                       .output_reversed = random_below(&random, 2)};
        memcpy(array.shape, shapes[random_below(&random, 7)], sizeof shapes[0]);
        array.elements_count = array.shape[0] * array.shape[1] * array.shape[2];
        for (uint64_t e = 0; e < array.elements_count; e++)
            values[e] = wanted[e] = (double)random_below(&random, 1000) / 500 - 1 +
                                    I * ((double)random_below(&random, 1000) / 500 - 1);
        for (uint32_t a = 0; a < 3; a++) {
            if (!(dft.axes >> a & 1))
                continue;
            sum_axis(&array, a, &dft, wanted, next);
            memcpy(wanted, next, sizeof wanted);
        }
        ck_assert_int_eq(cm_reference_transform(&array, &dft, NULL), CM_OK);
        for (uint64_t e = 0; e < array.elements_count; e++)
            require(cabs(values[e] - wanted[e]) < 1e-11);
    }
}
END_TEST

START_TEST(rounding_passes_and_mistakes_do_not)
{
    float wanted[2 * 64], found[2 * 64];
    uint64_t first = 99;
    struct cm_reference_array array = {.type = CM_TYPE_COMPLEX64,
                                       .rank = 1,
                                       .shape = {64},
                                       .elements_count = 64,
                                       .elements = wanted};
    for (uint32_t i = 0; i < 128; i++)
        wanted[i] = found[i] = 1 + (float)i / 128;
    ck_assert_uint_eq(cm_reference_compare_transform(&array, found, 6, &first), 0);
    for (uint32_t i = 0; i < 128; i++)
        found[i] *= 1 + 1e-6f;
    ck_assert_uint_eq(cm_reference_compare_transform(&array, found, 6, &first), 0);
    found[2 * 17 + 1] += 1e-3f;
    ck_assert_uint_eq(cm_reference_compare_transform(&array, found, 6, &first), 1);
    ck_assert_uint_eq(first, 17);
    found[2 * 9] = NAN;
    ck_assert_uint_eq(cm_reference_compare_transform(&array, found, 6, &first), 2);
    ck_assert_uint_eq(first, 9);
    memset(wanted, 0, sizeof wanted);
    memset(found, 0, sizeof found);
    ck_assert_uint_eq(cm_reference_compare_transform(&array, found, 6, &first), 0);
    found[5] = 1e-30f;
    ck_assert_uint_ge(cm_reference_compare_transform(&array, found, 6, &first), 1);
}
END_TEST

START_TEST(what_is_not_finite_agrees_with_its_like_alone)
{
    float wanted[2 * 8], found[2 * 8];
    uint64_t first = 99;
    struct cm_reference_array array = {.type = CM_TYPE_COMPLEX64,
                                       .rank = 1,
                                       .shape = {8},
                                       .elements_count = 8,
                                       .elements = wanted};
    for (uint32_t i = 0; i < 16; i++)
        wanted[i] = found[i] = 1 + (float)i;
    wanted[2] = found[2] = INFINITY;
    wanted[6] = NAN;
    found[7] = NAN;
    ck_assert_uint_eq(cm_reference_compare_transform(&array, found, 3, &first), 0);
    found[10] = 3;
    ck_assert_uint_eq(cm_reference_compare_transform(&array, found, 3, &first), 1);
    ck_assert_uint_eq(first, 5);
    found[2] = 4;
    ck_assert_uint_eq(cm_reference_compare_transform(&array, found, 3, &first), 2);
    ck_assert_uint_eq(first, 1);
}
END_TEST

CM_PROGRAM(test_reference_fft)
{
    Suite *s = suite_create("reference_fft");
    TCase *all = tcase_create("transforms");
    tcase_add_test(all, transforms_are_the_defining_sums);
    tcase_add_test(all, rounding_passes_and_mistakes_do_not);
    tcase_add_test(all, what_is_not_finite_agrees_with_its_like_alone);
    suite_add_tcase(s, all);
    return cm_run_suite(s);
}
