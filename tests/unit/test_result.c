/* The result: JSON with exact integers, and a summary that fits a terminal. */
#include "programs/workload/result.h"

#include "base/reader.h"
#include "json_pointer.h"
#include "programs/validation/published.h"
#include "suite.h"

#include <string.h>

#define HUGE_CYCLES UINT64_C(18446744073709551615)

static struct cm_step_result step = {
    .op = "pshift",
    .where = "/steps/2/repeat/steps/0",
    .path = "imp+runtime",
    .times = 12,
    .sram_words = 77,
    .checked = true,
};

static struct cm_result make_result(void)
{
    struct cm_result result = {
        .workload = "a \"quoted\"\tname",
        .machine = "CM-200",
        .nodes = 64,
        .clock_hz = 10000000,
        .steps = &step,
        .step_count = 1,
        .checked = true,
        .wall_seconds = 0.25,
        .threads = 2,
        .channels = {.max_load = 5, .channels = 12, .max_busy_cycles = 970, .max_node = 3},
    };
    result.total.cycles = HUGE_CYCLES;
    result.total.by_cause[CM_CAUSE_EXCHANGE] = HUGE_CYCLES - 1;
    result.total.by_cause[CM_CAUSE_LOAD] = 1;
    step.counters = result.total;
    step.counters.exchanges = UINT64_C(9007199254740993); /* 2^53 + 1 */
    return result;
}

static uint64_t number_at(const struct cm_json_document *document, const char *pointer)
{
    struct cm_json json;
    struct cm_error err;
    struct cm_reader reader = cm_reader_make(&err);
    ck_assert_msg(json_find(document, pointer, &json), "no %s", pointer);
    uint64_t value = cm_read_u64(&reader, json, pointer, 0, UINT64_MAX);
    ck_assert_msg(cm_reader_ok(&reader), "%s", err.message);
    return value;
}

START_TEST(json_keeps_integers_exact_and_is_strict)
{
    struct cm_result result = make_result();
    struct cm_json_document *document = NULL;
    struct cm_json json;
    struct cm_buffer text;
    struct cm_error err;
    struct cm_reader reader = cm_reader_make(&err);
    cm_buffer_init(&text);
    ck_assert_int_eq(cm_result_json(&result, &text, &err), CM_OK);
    ck_assert_msg(cm_json_parse("r.json", text.data, text.length, &document, &err) == CM_OK, "%s",
                  err.message);
    ck_assert_uint_eq(number_at(document, "/cycles"), HUGE_CYCLES);
    ck_assert_uint_eq(number_at(document, "/cycles_by_cause/exchange"), HUGE_CYCLES - 1);
    ck_assert_uint_eq(number_at(document, "/steps/0/exchanges"), UINT64_C(9007199254740993));
    ck_assert_uint_eq(number_at(document, "/steps/0/sram_words"), 77);
    ck_assert_uint_eq(number_at(document, "/channels/max_load"), 5);
    ck_assert_uint_eq(number_at(document, "/host/threads"), 2);
    ck_assert(json_find(document, "/workload", &json));
    ck_assert_str_eq(cm_read_string(&reader, json, "workload"), "a \"quoted\"\tname");
    ck_assert_int_eq(text.data[text.length - 1], '\n');
    cm_json_destroy(document);
    cm_buffer_finish(&text);
}
END_TEST

/* Characters of the longest line, escapes and UTF-8 continuation bytes left out. */
static unsigned longest_line(const char *text)
{
    unsigned longest = 0, length = 0;
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '\033')
            c += strcspn(c, "m");
        else if (*c == '\n')
            length = 0;
        else if (((unsigned char)*c & 0xc0) != 0x80)
            length++;
        longest = length > longest ? length : longest;
    }
    return longest;
}

START_TEST(summary_fits_in_100_columns)
{
    struct cm_result result = make_result();
    struct cm_buffer text;
    result.total.cycles = step.counters.cycles = 123456789012;
    result.total.by_cause[CM_CAUSE_EXCHANGE] = 123456789011;
    step.counters.exchanges = step.counters.loads = step.counters.stores = 12345678901;
    cm_buffer_init(&text);
    cm_result_summary(&result, (unsigned)_i, &text);
    ck_assert(cm_buffer_ok(&text));
    ck_assert_uint_le(longest_line(text.data), 100);
    ck_assert_ptr_nonnull(strstr(text.data, "123,456,789,012"));
    ck_assert_ptr_nonnull(
        strstr(text.data, "3.1")); /* the first step of the third, counted from 1 */
    bool plain = true;
    for (const char *c = text.data; *c != '\0'; c++)
        plain = plain && ((*c >= ' ' && *c <= '~') || *c == '\n' || *c == '\t');
    ck_assert_int_eq(plain, _i == CM_STYLE_PLAIN);
    cm_buffer_finish(&text);
}
END_TEST

START_TEST(summary_says_what_was_checked)
{
    static const char *const said[] = {"yes, every element", "no: timing only",
                                       "WRONG: 3 elements"};
    struct cm_result result = make_result();
    struct cm_buffer text;
    result.checked = step.checked = _i != 1;
    result.timing_only = _i == 1;
    result.mismatches = _i == 2 ? 3 : 0;
    cm_buffer_init(&text);
    cm_result_summary(&result, CM_STYLE_PLAIN, &text);
    ck_assert_msg(strstr(text.data, said[_i]) != NULL, "%s", text.data);
    step.checked = true;
    cm_buffer_finish(&text);
}
END_TEST

START_TEST(an_empty_result_divides_by_nothing)
{
    struct cm_result result = {.workload = "w", .machine = "m", .nodes = 1, .clock_hz = 1};
    struct cm_json_document *document = NULL;
    struct cm_buffer text;
    struct cm_error err;
    cm_buffer_init(&text);
    cm_result_summary(&result, CM_STYLE_UTF8, &text);
    ck_assert_ptr_null(strstr(text.data, "nan"));
    cm_buffer_finish(&text);
    cm_buffer_init(&text);
    ck_assert_int_eq(cm_result_json(&result, &text, &err), CM_OK);
    ck_assert_int_eq(cm_json_parse("r", text.data, text.length, &document, &err), CM_OK);
    cm_json_destroy(document);
    cm_buffer_finish(&text);
}
END_TEST

/* Every number of the machine is there, and what was set is there twice. */
START_TEST(json_says_what_made_it)
{
    const char *set = "memory.page_words=512";
    const struct cm_result_file files[] = {{"a.imp", "00ff"}};
    const struct cm_result_seed seeds[] = {{"src", 7}, {"w", UINT64_MAX}};
    struct cm_config config;
    struct cm_json_document *document = NULL;
    struct cm_json root, member, value;
    struct cm_buffer text;
    struct cm_error err;
    ck_assert_int_eq(cm_config_read("cm200", &config, &err), CM_OK);
    ck_assert_int_eq(cm_config_set(&config, &set, 1, &err), CM_OK);
    struct cm_result result = make_result();
    result.config = &config;
    result.workload_sha256 = "123abc";
    result.files = files;
    result.file_count = 1;
    result.seeds = seeds;
    result.seed_count = 2;
    result.command = "cm200 run 'a b'";
    cm_buffer_init(&text);
    ck_assert_int_eq(cm_result_json(&result, &text, &err), CM_OK);
    ck_assert_int_eq(cm_json_parse("r", text.data, text.length, &document, &err), CM_OK);
    root = cm_json_root(document);
    ck_assert(cm_json_member(root, "machine_values", &member));
    ck_assert_uint_eq(cm_json_count(member), cm_config_count());
    for (uint32_t i = 0; i < cm_config_count(); i++) {
        struct cm_config_number number = cm_config_at(&config, i);
        struct cm_reader reader = cm_reader_make(&err);
        ck_assert(cm_json_member(member, number.path, &value));
        ck_assert_uint_eq(cm_read_u64(&reader, value, "", 0, UINT64_MAX), number.value);
        ck_assert(cm_reader_ok(&reader));
    }
    ck_assert_ptr_nonnull(strstr(text.data, "\"overrides\": {\"memory.page_words\": 512}"));
    ck_assert_ptr_nonnull(strstr(text.data, "{\"src\": 7, \"w\": 18446744073709551615}"));
    ck_assert_ptr_nonnull(strstr(text.data, "\"workload_sha256\": \"123abc\""));
    ck_assert_ptr_nonnull(strstr(text.data, "{\"file\": \"a.imp\", \"sha256\": \"00ff\"}"));
    ck_assert_ptr_nonnull(strstr(text.data, "\"command\": \"cm200 run 'a b'\""));
    ck_assert_ptr_nonnull(strstr(text.data, "\"commit\": null"));
    cm_json_destroy(document);
    cm_buffer_finish(&text);
}
END_TEST

CM_PROGRAM(test_result)
{
    Suite *suite = suite_create("result");
    TCase *all = tcase_create("result");
    tcase_add_test(all, json_keeps_integers_exact_and_is_strict);
    tcase_add_loop_test(all, summary_fits_in_100_columns, 0, 4);
    tcase_add_loop_test(all, summary_says_what_was_checked, 0, 3);
    tcase_add_test(all, json_says_what_made_it);
    tcase_add_test(all, an_empty_result_divides_by_nothing);
    suite_add_tcase(suite, all);
    return cm_run_suite(suite);
}
