/* The writers of JSON and CSV: separators, escapes, exact numbers, layout. */
#include "report/csv.h"
#include "report/json_writer.h"
#include "report/numbers.h"
#include "report/report.h"

#include "suite.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static struct cm_buffer text;
static struct cm_json_writer json;

static void set_up(void)
{
    cm_buffer_init(&text);
    cm_json_writer_begin(&json, &text);
}

static void tear_down(void)
{
    cm_buffer_finish(&text);
}

START_TEST(members_and_elements_are_separated_and_indented)
{
    cm_json_write_object(&json, NULL);
    cm_json_write_u64(&json, "a", 1);
    cm_json_write_list(&json, "b");
    cm_json_write_bool(&json, NULL, true);
    cm_json_write_null(&json, NULL);
    cm_json_write_end(&json);
    cm_json_write_object(&json, "c");
    cm_json_write_end(&json);
    cm_json_write_members(&json, {"d", cm_u64(2)}, {"e", cm_u64(3u)});
    cm_json_write_end(&json);
    ck_assert_str_eq(text.data, "{\n  \"a\": 1,\n  \"b\": [\n    true,\n    null\n  ],\n  \"c\": "
                                "{},\n  \"d\": 2,\n  \"e\": 3\n}\n");
}
END_TEST

START_TEST(compact_ones_are_on_one_line)
{
    const uint64_t values[] = {1, 2};
    cm_json_write_object(&json, NULL);
    cm_json_write_numbers(&json, "shape", values, 2);
    cm_json_write_bits(&json, "set", UINT64_C(1) << 63 | 5);
    cm_json_write_compact(&json, true);
    cm_json_write_object(&json, "x");
    cm_json_write_list(&json, "y");
    cm_json_write_end(&json);
    cm_json_write_u64(&json, "z", 1);
    cm_json_write_end(&json);
    cm_json_write_compact(&json, false);
    cm_json_write_u64(&json, "end", 0);
    cm_json_write_end(&json);
    ck_assert_str_eq(text.data, "{\n  \"shape\": [1, 2],\n  \"set\": [63, 2, 0],\n"
                                "  \"x\": {\"y\": [], \"z\": 1},\n  \"end\": 0\n}\n");
}
END_TEST

START_TEST(tight_text_has_no_blanks)
{
    json.tight = true;
    cm_json_write_list(&json, NULL);
    cm_json_write_compact(&json, true);
    for (uint64_t i = 0; i < 2; i++) {
        cm_json_write_object(&json, NULL);
        cm_json_write_u64(&json, "i", i);
        cm_json_write_u64(&json, "j", i);
        cm_json_write_end(&json);
    }
    cm_json_write_end(&json);
    ck_assert_str_eq(text.data, "[\n{\"i\":0,\"j\":0},\n{\"i\":1,\"j\":1}\n]\n");
}
END_TEST

START_TEST(strings_and_keys_are_escaped)
{
    cm_json_write_compact(&json, true);
    cm_json_write_object(&json, NULL);
    cm_json_write_string(&json, "a\"b", "c\\d\n\x7f\u00e9");
    cm_json_write_string(&json, "none", NULL);
    cm_json_write_string(&json, "a key longer than sixty bytes, as nobody should write it: \"q\"",
                         "a value longer than sixty bytes, as a path of a file may well be one");
    cm_json_write_end(&json);
    ck_assert_str_eq(text.data,
                     "{\"a\\\"b\": \"c\\\\d\\u000a\\u007f\u00e9\", \"none\": null, "
                     "\"a key longer than sixty bytes, as nobody should write it: \\\"q\\\"\": "
                     "\"a value longer than sixty bytes, as a path of a file may well be one\"}\n");
}
END_TEST

/* Strings of letters with one other byte, as JSON should have them. */
static void expect_string(uint32_t length, uint32_t place, unsigned char byte)
{
    char string[200], expected[400], *end = expected;
    memset(string, 'a', length);
    string[length] = '\0';
    string[place] = (char)byte;
    *end++ = '"';
    for (uint32_t i = 0; i < length; i++)
        if (i != place || (byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\'))
            *end++ = string[i];
        else if (byte == '"' || byte == '\\')
            end += sprintf(end, "\\%c", byte);
        else
            end += sprintf(end, "\\u%04x", byte < 0x80 ? byte : 0xfffd);
    strcpy(end, "\"\n");
    cm_json_write_string(&json, NULL, string);
    cm_buffer_append(&text, "\n", 1);
    ck_assert_str_eq(text.data, expected);
    text.length = 0;
}

START_TEST(each_byte_is_found_at_each_place)
{
    for (uint32_t byte = 1; byte < 256; byte++)
        for (uint32_t length = 1; length < 20; length++)
            for (uint32_t place = 0; place < length; place++)
                expect_string(length, place, (unsigned char)byte);
    for (uint32_t length = 50; length < 140; length++)
        for (uint32_t place = 0; place < length; place++)
            expect_string(length, place, place % 2 ? '"' : '!');
}
END_TEST

START_TEST(what_steers_a_terminal_is_escaped_and_what_is_not_utf8_replaced)
{
    cm_json_write_string(&json, NULL,
                         "\x1b[2J\xc2\x9b\u202e\ufeff \xff\xc3 \xed\xa0\x80 \U0001f600");
    ck_assert_str_eq(text.data, "\"\\u001b[2J\\u009b\\u202e\\ufeff \\ufffd\\ufffd "
                                "\\ufffd\\ufffd\\ufffd \U0001f600\"");
}
END_TEST

START_TEST(integers_are_exact)
{
    cm_json_write_compact(&json, true);
    cm_json_write_list(&json, NULL);
    cm_json_write_u64(&json, NULL, UINT64_MAX);
    cm_json_write_i64(&json, NULL, INT64_MIN);
    cm_json_write_i64(&json, NULL, 12);
    cm_json_write_u64(&json, NULL, 0);
    cm_json_write_end(&json);
    ck_assert_str_eq(text.data, "[18446744073709551615, -9223372036854775808, 12, 0]\n");
}
END_TEST

START_TEST(fractions_are_short_and_null_when_not_finite)
{
    static const double values[] = {0.1, 1.0 / 3, 5, 1e300, DBL_MIN, -0.0};
    cm_json_write_compact(&json, true);
    cm_json_write_list(&json, NULL);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        cm_json_write_f64(&json, NULL, values[i]);
    cm_json_write_f64(&json, NULL, HUGE_VAL);
    cm_json_write(&json, NULL, cm_fixed(NAN, 3));
    cm_json_write(&json, NULL, cm_fixed(2.0 / 3, 3));
    cm_json_write(&json, NULL, cm_fixed(-DBL_MAX, 12));
    cm_json_write_rounded(&json, NULL, 2.0 / 3, 4);
    cm_json_write_end(&json);
    ck_assert_str_eq(text.data,
                     "[0.1, 0.3333333333333333, 5.0, 1e+300, 2.2250738585072014e-308, -0.0, null, "
                     "null, 0.667, -1.7976931348623157e+308, 0.6667]\n");
}
END_TEST

START_TEST(a_double_reads_back_as_it_was)
{
    char number[CM_NUMBER_BYTES];
    double value = 1;
    for (int i = 0; i < 2000; i++) {
        value *= i % 2 ? 1.234567890123 : -1.1;
        size_t length = cm_value_print(cm_f64(value), number);
        ck_assert_uint_eq(length, strlen(number));
        ck_assert(strtod(number, NULL) == value);
    }
}
END_TEST

/* printf is right where the fast way must be, too: near the middle between two decimals. */
START_TEST(fixed_decimals_are_as_printf_writes_them)
{
    char number[CM_NUMBER_BYTES], expected[400];
    double value = 0.00005;
    for (int i = 0; i < 4000; i++) {
        int decimals = 1 + i % 5;
        double near[] = {value, floor(value) + 0.5, floor(value * 1e4) * 1e-4 + 5e-5};
        for (int k = 0; k < 3; k++) {
            snprintf(expected, sizeof expected, "%.*f", decimals, near[k]);
            ck_assert_uint_eq(cm_value_print(cm_fixed(near[k], decimals), number),
                              strlen(expected));
            ck_assert_str_eq(number, expected);
        }
        value = value > 1e14 ? 1e-4 : value * 1.0123456789;
    }
}
END_TEST

START_TEST(csv_quotes_what_needs_it)
{
    struct cm_csv csv;
    cm_csv_begin(&csv, &text, "plain,quoted");
    cm_csv_u64(&csv, UINT64_MAX);
    cm_csv_string(&csv, "say \"no\"");
    cm_csv_end_row(&csv);
    cm_csv_empty(&csv, 2);
    cm_csv_f64(&csv, 1.0 / 3, 5);
    cm_csv_u64s(&csv, 0, 1u);
    cm_csv_end_row(&csv);
    ck_assert_str_eq(text.data,
                     "plain,quoted\n18446744073709551615,\"say \"\"no\"\"\"\n,,0.33333,0,1\n");
}
END_TEST

START_TEST(a_report_writes_to_who_is_there)
{
    struct cm_buffer lines;
    struct cm_report report = {.json = &json};
    cm_buffer_init(&lines);
    cm_json_write_compact(&json, true);
    for (int i = 0; i < 2; i++) {
        cm_report_object(&report, NULL);
        cm_report_u64(&report, "nodes", 8);
        cm_report_line(&report, "%d nodes", 8);
        cm_report_end(&report);
        report = (struct cm_report){.text = &lines};
    }
    ck_assert_str_eq(text.data, "{\"nodes\": 8}\n");
    ck_assert_str_eq(lines.data, "8 nodes\n");
    cm_buffer_finish(&lines);
}
END_TEST

START_TEST(numbers_as_people_read_them)
{
    ck_assert_str_eq(cm_format_count(0).text, "0");
    ck_assert_str_eq(cm_format_count(1234).text, "1,234");
    ck_assert_str_eq(cm_format_count(UINT64_MAX).text, "18,446,744,073,709,551,615");
    ck_assert_str_eq(cm_format_seconds(0.00123456).text, "1.235 ms");
    ck_assert_str_eq(cm_format_seconds(90).text, "90 s");
    ck_assert_str_eq(cm_format_seconds(0).text, "0 ns");
    ck_assert_str_eq(cm_format_hz(10000000).text, "10 MHz");
    ck_assert_str_eq(cm_format_hz(32500).text, "32.5 kHz");
    ck_assert_str_eq(cm_format_hz(12).text, "12 Hz");
    ck_assert_str_eq(cm_plural(1), "");
    ck_assert_str_eq(cm_plural(0), "s");
}
END_TEST

CM_PROGRAM(test_report_json)
{
    Suite *suite = suite_create("report: json, csv, numbers");
    TCase *all = tcase_create("json");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, members_and_elements_are_separated_and_indented);
    tcase_add_test(all, compact_ones_are_on_one_line);
    tcase_add_test(all, tight_text_has_no_blanks);
    tcase_add_test(all, strings_and_keys_are_escaped);
    tcase_add_test(all, each_byte_is_found_at_each_place);
    tcase_add_test(all, what_steers_a_terminal_is_escaped_and_what_is_not_utf8_replaced);
    tcase_add_test(all, integers_are_exact);
    tcase_add_test(all, fractions_are_short_and_null_when_not_finite);
    tcase_add_test(all, a_double_reads_back_as_it_was);
    tcase_add_test(all, fixed_decimals_are_as_printf_writes_them);
    tcase_add_test(all, csv_quotes_what_needs_it);
    tcase_add_test(all, a_report_writes_to_who_is_there);
    tcase_add_test(all, numbers_as_people_read_them);
    suite_add_tcase(suite, all);
    return cm_run_suite(suite);
}
