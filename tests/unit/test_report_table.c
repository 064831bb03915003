/* Tables as text, CSV and JSON; bars. */
#include "report/bars.h"
#include "report/style.h"
#include "report/table.h"

#include "suite.h"

static const struct cm_column columns[] = {
    {"op", .kind = CM_COLUMN_TEXT},
    {"cycles", .kind = CM_COLUMN_COUNT},
    {"share", .kind = CM_COLUMN_PERCENT, .digits = 1, .width = 8},
    {"late", .kind = CM_COLUMN_TEXT, .heading = ""},
};

static struct cm_buffer text;
static struct cm_table table;

static void set_up(void)
{
    cm_buffer_init(&text);
    cm_table_init(&table, columns, 4);
}

static void tear_down(void)
{
    cm_table_finish(&table);
    cm_buffer_finish(&text);
}

static void fill(void)
{
    cm_table_string(&table, "send");
    cm_table_u64(&table, 1234567);
    cm_table_f64(&table, 0.125);
    cm_table_string(&table, "yes, late");
    cm_table_string(&table, "get \u25882");
    cm_table_u64(&table, UINT64_C(12345678901));
    cm_table_end_row(&table);
}

START_TEST(columns_are_as_wide_as_their_cells)
{
    fill();
    cm_table_text(&table, CM_STYLE_PLAIN, &text);
    ck_assert_str_eq(text.data, "  op           cycles     share\n"
                                "  send      1,234,567    12.5 % yes, late\n"
                                "  get \u25882  1.23457e+10\n");
}
END_TEST

START_TEST(a_title_takes_the_blanks_before_the_headings)
{
    static const struct cm_column numbered[] = {
        {"where", .heading = "", .width = 9},
        {"times", .kind = CM_COLUMN_NUMBER, .digits = 3, .before = " |", .code = "\033[36m"},
    };
    cm_table_finish(&table);
    cm_table_init(&table, numbered, 2);
    table.title = "steps";
    table.heading = CM_CODE_BOLD;
    cm_table_string(&table, "/steps/1");
    cm_table_f64(&table, 1.0 / 3);
    cm_table_text(&table, CM_STYLE_COLOUR, &text);
    ck_assert_str_eq(text.data, "\033[1msteps       |times\n\033[0m"
                                "  /steps/1  |\033[36m0.333\033[0m\n");
}
END_TEST

START_TEST(hidden_columns_are_left_out_of_the_text_alone)
{
    fill();
    table.hidden = 1u << 0 | 1u << 2;
    cm_table_text(&table, CM_STYLE_PLAIN, &text);
    ck_assert_str_eq(text.data, "       cycles\n    1,234,567 yes, late\n  1.23457e+10\n");
}
END_TEST

START_TEST(csv_and_json_have_the_exact_values)
{
    struct cm_json_writer json;
    fill();
    cm_table_csv(&table, &text);
    cm_json_writer_begin(&json, &text);
    cm_table_json(&table, &json, NULL);
    ck_assert_str_eq(
        text.data,
        "op,cycles,share,late\nsend,1234567,0.125,\"yes, late\"\nget \u25882,12345678901,,\n"
        "[\n  {\"op\": \"send\", \"cycles\": 1234567, \"share\": 0.125, \"late\": \"yes, late\"},\n"
        "  {\"op\": \"get \u25882\", \"cycles\": 12345678901, \"share\": null, \"late\": null}\n"
        "]\n");
}
END_TEST

START_TEST(an_empty_table_has_headings_alone)
{
    struct cm_json_writer json;
    cm_table_text(&table, CM_STYLE_PLAIN, &text);
    cm_json_writer_begin(&json, &text);
    cm_table_json(&table, &json, NULL);
    ck_assert_str_eq(text.data, "  op  cycles     share\n[]\n");
}
END_TEST

START_TEST(a_row_may_be_filled_at_once)
{
    cm_table_row(&table, cm_text("get"), cm_u64(7), cm_text(NULL), cm_text("late"));
    cm_table_text(&table, CM_STYLE_PLAIN, &text);
    ck_assert_str_eq(text.data, "  op   cycles     share\n  get       7           late\n");
}
END_TEST

START_TEST(changes_have_their_sign_and_truth_its_name)
{
    static const struct cm_column signs[] = {
        {"error", .heading = "", .kind = CM_COLUMN_CHANGE, .digits = 1, .unit = "%"},
        {"met", .kind = CM_COLUMN_TEXT},
    };
    cm_table_finish(&table);
    cm_table_init(&table, signs, 2);
    cm_table_f64(&table, 0.0312);
    cm_table_bool(&table, true);
    cm_table_f64(&table, -0.5);
    cm_table_bool(&table, false);
    cm_table_text(&table, CM_STYLE_PLAIN, &text);
    ck_assert_str_eq(text.data, "         met\n   +3.1% met\n  -50.0%\n");
}
END_TEST

START_TEST(bars_fill_their_cells)
{
    cm_bar(&text, CM_STYLE_UTF8, 0.6, 4);
    cm_bar(&text, CM_STYLE_PLAIN, 0.6, 4);
    cm_bar(&text, CM_STYLE_UTF8, 1, 2);
    ck_assert_str_eq(text.data, "\u2588\u2588\u258d ##  \u2588\u2588");
    ck_assert_str_eq(cm_bar_marked(CM_STYLE_PLAIN, 0.5, 0.75, 4).text, "##|.");
    ck_assert_str_eq(cm_bar_marked(CM_STYLE_PLAIN, 1, 0.75, 4).text, "####");
    ck_assert_str_eq(cm_bar_marked(CM_STYLE_UTF8, 0.5, 0, 2).text, "\u2588\u00b7");
}
END_TEST

CM_PROGRAM(test_report_table)
{
    Suite *suite = suite_create("report: tables, bars");
    TCase *all = tcase_create("tables");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, columns_are_as_wide_as_their_cells);
    tcase_add_test(all, a_title_takes_the_blanks_before_the_headings);
    tcase_add_test(all, hidden_columns_are_left_out_of_the_text_alone);
    tcase_add_test(all, csv_and_json_have_the_exact_values);
    tcase_add_test(all, an_empty_table_has_headings_alone);
    tcase_add_test(all, a_row_may_be_filled_at_once);
    tcase_add_test(all, changes_have_their_sign_and_truth_its_name);
    tcase_add_test(all, bars_fill_their_cells);
    suite_add_tcase(suite, all);
    return cm_run_suite(suite);
}
