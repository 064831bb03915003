/* Ranges of decimal numbers: values as people write them, and what is refused. */
#include "base/range.h"

#include "random.h"
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 1000u

static enum cm_range_fault expand(const char *text, uint32_t most, struct cm_buffer *list)
{
    struct cm_range range;
    cm_buffer_init(list);
    enum cm_range_fault fault = cm_range_read(text, &range);
    return fault == CM_RANGE_GOOD ? cm_range_expand(&range, most, list) : fault;
}

static void expect(const char *text, const char *values)
{
    struct cm_buffer list;
    ck_assert_msg(cm_range_is_meant(text), "%s", text);
    ck_assert_int_eq(expand(text, MOST, &list), CM_RANGE_GOOD);
    ck_assert_str_eq(list.data, values);
    cm_buffer_finish(&list);
}

static void expect_fault(const char *text, enum cm_range_fault fault)
{
    struct cm_buffer list;
    ck_assert_msg(expand(text, MOST, &list) == fault, "%s", text);
    ck_assert_str_ne(cm_range_explain(fault), "");
    cm_buffer_finish(&list);
}

START_TEST(values_are_the_decimal_ones_and_both_ends_belong)
{
    expect("0.1:0.9:0.1", "0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9");
    expect("0.05:0.2:0.05", "0.05,0.1,0.15,0.2");
    expect("8:24:8", "8,16,24");
    expect("1:10:4", "1,5,9");
    expect("3:3:1", "3");
    expect("-1:1:0.5", "-1,-0.5,0,0.5,1");
    expect("0.10:.3:0.1", "0.1,0.2,0.3");
    expect("100:300:100", "100,200,300");
    expect("0.000000000001:0.000000000003:0.000000000001",
           "0.000000000001,0.000000000002,0.000000000003");
    expect("999999999999999998:999999999999999999:1", "999999999999999998,999999999999999999");
}
END_TEST

START_TEST(factors_give_the_decimal_values_too)
{
    expect("128:4096:*2", "128,256,512,1024,2048,4096");
    expect("0.1:0.8:*2", "0.1,0.2,0.4,0.8");
    expect("0.001:1:*10", "0.001,0.01,0.1,1");
    expect("1:3:*1.5", "1,1.5,2.25");
    expect("100000000000000000:900000000000000000:*9", "100000000000000000,900000000000000000");
    expect_fault("0.001:1000:*1.5", CM_RANGE_LONG); /* 0.001 * 1.5^16 has 19 digits */
}
END_TEST

START_TEST(what_cannot_be_a_range_is_refused)
{
    expect_fault("0.1:0.9", CM_RANGE_OTHER);
    expect_fault("0.1:0.9:", CM_RANGE_OTHER);
    expect_fault(":0.9:0.1", CM_RANGE_OTHER);
    expect_fault("0.1:0.9:0.1:1", CM_RANGE_OTHER);
    expect_fault("0.1:0.9:1e-1", CM_RANGE_OTHER);
    expect_fault("0..1:0.9:0.1", CM_RANGE_OTHER);
    expect_fault("0.1:0.9:**2", CM_RANGE_OTHER);
    expect_fault("0.1:0.9:0", CM_RANGE_STEP);
    expect_fault("0.1:0.9:-0.1", CM_RANGE_STEP);
    expect_fault("1:8:*1", CM_RANGE_STEP);
    expect_fault("1:8:*0.5", CM_RANGE_STEP);
    expect_fault("0:8:*2", CM_RANGE_FIRST);
    expect_fault("0.9:0.1:0.1", CM_RANGE_DESCENDS);
    expect_fault("0:1000:1", CM_RANGE_MANY);
    expect_fault("1:2:0.0000000000000000001", CM_RANGE_LONG);
    expect_fault("1234567890123456789:2:1", CM_RANGE_LONG);
    ck_assert(!cm_range_is_meant("1,2,3"));
    ck_assert(!cm_range_is_meant("a:b:c"));
    ck_assert(!cm_range_is_meant("unrolled"));
}
END_TEST

/* The oracle counts in units of 10^-decimals with whole numbers, and prints by printf. */
START_TEST(random_ranges_have_the_values_that_counting_gives)
{
    struct random_source random = random_begin("random ranges");
    for (uint32_t i = 0; i < 2000; i++) {
        int decimals = (int)random_below(&random, 7);
        long one = 1, first, step, last;
        for (int k = 0; k < decimals; k++)
            one *= 10;
        first = (long)random_below(&random, 100000);
        step = 1 + (long)random_below(&random, 1000);
        last = first + step * (long)random_below(&random, 50) +
               (long)random_below(&random, (uint32_t)step);
        char text[128], number[64];
        struct cm_buffer list;
        snprintf(text, sizeof text, "%ld.%0*ld:%ld.%0*ld:%ld.%0*ld", first / one, decimals,
                 decimals > 0 ? first % one : 0, last / one, decimals,
                 decimals > 0 ? last % one : 0, step / one, decimals,
                 decimals > 0 ? step % one : 0);
        ck_assert_msg(expand(text, MOST, &list) == CM_RANGE_GOOD, "%s", text);
        char *at = list.data;
        for (long v = first; v <= last; v += step) {
            char *end;
            snprintf(number, sizeof number, "%.*f", decimals, (double)v / (double)one);
            double value = strtod(at, &end);
            /* the closest double of the decimal text, without any drift */
            ck_assert_msg(value == strtod(number, NULL), "%s: %s", text, list.data);
            ck_assert_uint_le((size_t)(end - at), strlen(number));
            at = end + (*end == ',');
        }
        ck_assert_msg(*at == '\0', "%s: %s", text, list.data);
        cm_buffer_finish(&list);
    }
}
END_TEST

CM_PROGRAM(test_range)
{
    Suite *suite = suite_create("range");
    TCase *c = tcase_create("ranges");
    tcase_add_test(c, values_are_the_decimal_ones_and_both_ends_belong);
    tcase_add_test(c, factors_give_the_decimal_values_too);
    tcase_add_test(c, what_cannot_be_a_range_is_refused);
    tcase_add_test(c, random_ranges_have_the_values_that_counting_gives);
    suite_add_tcase(suite, c);
    return cm_run_suite(suite);
}
