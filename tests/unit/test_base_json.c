/* JSON: what is refused, with which message and where; what is read, and how exactly. */
#include "base/reader.h"

#include "json_pointer.h"
#include "suite.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* The status of one read. */
static struct cm_reader reader;
#define READ(err, ...) (reader = cm_reader_make(err), __VA_ARGS__, reader.status)

struct fault {
    const char *text;
    uint32_t line, column;
    const char *message; /* the whole of it */
};

static struct cm_json_document *parse(const char *text)
{
    struct cm_json_document *document;
    struct cm_error err = {0};
    enum cm_status status = cm_json_parse("test.json", text, strlen(text), &document, &err);
    ck_assert_msg(status == CM_OK, "%s: %s", text, err.message);
    return document;
}

static struct cm_json get(const struct cm_json_document *document, const char *pointer)
{
    struct cm_json value;
    ck_assert_msg(json_find(document, pointer, &value), "no value at %s", pointer);
    return value;
}

static void expect_fault(const struct fault *f, size_t length)
{
    struct cm_json_document *document;
    struct cm_error err = {0};
    ck_assert_int_eq(cm_json_parse("t.json", f->text, length, &document, &err), CM_BAD_INPUT);
    ck_assert_ptr_null(document);
    ck_assert_str_eq(err.message, f->message);
    ck_assert_str_eq(err.file, "t.json");
    ck_assert_uint_eq(err.line, f->line);
    ck_assert_uint_eq(err.column, f->column);
    ck_assert_int_eq(cm_json_parse("t.json", f->text, length, &document, NULL), CM_BAD_INPUT);
}

static void expect_faults(const struct fault *faults, size_t count)
{
    for (size_t i = 0; i < count; i++)
        expect_fault(&faults[i], strlen(faults[i].text));
}

#define EXPECT_FAULTS(faults) expect_faults(faults, sizeof(faults) / sizeof(faults)[0])

START_TEST(faults_of_numbers_are_named_where_the_number_stands)
{
    static const struct fault faults[] = {
        {"007", 1, 1, "malformed number 007: it must not begin with a zero"},
        {"[1,\n -01]", 2, 2, "malformed number -01: it must not begin with a zero"},
        {"1.", 1, 1, "malformed number 1.: a digit must follow the point"},
        {"{\"a\": 1.e3}", 1, 7, "malformed number 1.e3: a digit must follow the point"},
        {"-", 1, 1, "malformed number -: a digit must follow the sign"},
        {"1e", 1, 1, "malformed number 1e: its exponent has no digit"},
        {"1e+", 1, 1, "malformed number 1e+: its exponent has no digit"},
        {"0x10", 1, 1, "malformed number 0x10: JSON has decimal numbers only"},
        {"1_000", 1, 1, "malformed number 1_000: JSON has decimal numbers only"},
        {"1.2.3", 1, 1, "malformed number 1.2.3: JSON has decimal numbers only"},
        {"[0, 1e999]", 1, 5, "the number 1e999 is too large: at most about 1.8e308"},
        {"-1e309", 1, 1, "the number -1e309 is too large: at most about 1.8e308"},
        {"+1", 1, 1, "expected a value, found \"+1\""},
        {".5", 1, 1, "expected a value, found \".5\""},
        {"NaN", 1, 1, "expected a value, found \"NaN\""},
        {"-Infinity", 1, 1, "malformed number -Infinity: a digit must follow the sign"},
    };
    EXPECT_FAULTS(faults);
}
END_TEST

START_TEST(faults_of_strings_are_named_where_they_stand)
{
    static const struct fault faults[] = {
        {"\"a\nb\"", 1, 1, "the string that begins here is not closed on its line"},
        {"[\"ab\tc\"]", 1, 5, "a raw control character (0x09) in a string"},
        {"\"ab", 1, 1, "the string that begins here is not closed"},
        {"\"ab\\", 1, 4, "unknown escape \\ followed by the end of the file"},
        {"\"\\x41\"", 1, 2, "unknown escape \\ followed by \"x41\""},
        {"\"\\u12g4\"", 1, 2, "\\u must be followed by four hexadecimal digits"},
        {"\"\\u12", 1, 2, "\\u must be followed by four hexadecimal digits"},
        {"\"x\\ud800\"", 1, 3, "the escape \\ud800 is one half of a surrogate pair alone"},
        {"\"\\udc00\\ud800\"", 1, 2, "the escape \\udc00 is one half of a surrogate pair alone"},
        {"\"\\ud800\\u0041\"", 1, 2, "the escape \\ud800 is one half of a surrogate pair alone"},
        {"\"\\ud83d\\n\"", 1, 2, "the escape \\ud83d is one half of a surrogate pair alone"},
        {"{\"a\\u0000b\": 1}", 1, 2, "a key with \\u0000 in it"},
        {"'a'", 1, 1, "expected a value, found \"'\""},
    };
    EXPECT_FAULTS(faults);
}
END_TEST

START_TEST(invalid_utf8_is_refused_at_its_byte)
{
#define NOT_BEGUN(byte) "invalid UTF-8: the byte " byte " does not begin a character"
    static const struct fault faults[] = {
        {"\"\xff\"", 1, 2, NOT_BEGUN("0xff")},
        {"\"a\x80\"", 1, 3, NOT_BEGUN("0x80")},
        {"\"\xc0\xaf\"", 1, 2, NOT_BEGUN("0xc0")},               /* overlong "/" */
        {"\"\xc1\xbf\"", 1, 2, NOT_BEGUN("0xc1")},               /* overlong U+007F */
        {"\"\xe0\x80\xaf\"", 1, 2, NOT_BEGUN("0xe0")},           /* overlong "/" */
        {"\"\xf0\x80\x80\xaf\"", 1, 2, NOT_BEGUN("0xf0")},       /* overlong "/" */
        {"\"\xed\xa0\x80\"", 1, 2, NOT_BEGUN("0xed")},           /* U+D800 */
        {"\"\xf4\x90\x80\x80\"", 1, 2, NOT_BEGUN("0xf4")},       /* U+110000 */
        {"\"\xe2\x82\"", 1, 2, NOT_BEGUN("0xe2")},               /* cut short */
        {"\"\xc3\xa9\xe2\x82\"", 1, 4, NOT_BEGUN("0xe2")},       /* behind a good one */
        {"\"\xf5\x80\x80\x80\"", 1, 2, NOT_BEGUN("0xf5")},       /* no such lead byte */
        {"{\"k\xfe\": 1}", 1, 4, NOT_BEGUN("0xfe")},             /* in a key */
        {"\xc0", 1, 1, "expected a value, found the byte 0xc0"}, /* outside a string */
        {"\xc3\xa9", 1, 1, "expected a value, found \"\xc3\xa9\""},
    };
    EXPECT_FAULTS(faults);
}
END_TEST

START_TEST(faults_of_structure_are_named_where_the_parser_stops)
{
    static const struct fault faults[] = {
        {"", 1, 1, "the file is empty; expected a JSON value"},
        {" \n ", 2, 2, "expected a value, found the end of the file"},
        {"\xef\xbb\xbf{}", 1, 1,
         "the file begins with a byte order mark (0xef 0xbb 0xbf), which JSON does not allow"},
        {"\xff\xfe{", 1, 1, "the file is UTF-16; JSON must be UTF-8"},
        {"{} x", 1, 4, "expected the end of the file, found \"x\""},
        {"1 2", 1, 3, "expected the end of the file, found \"2\""},
        {"{\n}\n}", 3, 1, "expected the end of the file, found \"}\""},
        {"[1,]", 1, 4, "expected a value, found \"]\""},
        {"{\"a\":1,}", 1, 8, "expected a key in double quotes, found \"}\""},
        {"[1 2]", 1, 4, "expected \",\" or \"]\", found \"2\""},
        {"{\"a\":1 \"b\":2}", 1, 8, "expected \",\" or \"}\", found a string"},
        {"{\"a\" 1}", 1, 6, "expected \":\" after the key, found \"1\""},
        {"{a: 1}", 1, 2, "expected a key in double quotes, found \"a\""},
        {"{\"a\":}", 1, 6, "expected a value, found \"}\""},
        {"[1}", 1, 3, "expected \",\" or \"]\", found \"}\""},
        {"[", 1, 2, "expected a value or \"]\", found the end of the file"},
        {"{\"a\": [1,\n 2", 2, 3, "expected \",\" or \"]\", found the end of the file"},
        {"{", 1, 2, "expected a key in double quotes or \"}\", found the end of the file"},
        {"// hi\n{}", 1, 1, "expected a value, found \"/\""},
        {"True", 1, 1, "expected a value, found \"True\""},
        {"nullx", 1, 1, "expected a value, found \"nullx\""},
        {"\f1", 1, 1, "expected a value, found the byte 0x0c"},
    };
    EXPECT_FAULTS(faults);
}
END_TEST

START_TEST(nul_bytes_are_refused_inside_and_outside_strings)
{
    static const struct fault inside = {"[\"a\0b\"]", 1, 4, "a NUL byte in a string"};
    static const struct fault behind = {"1\0", 1, 2,
                                        "expected the end of the file, found the byte 0x00"};
    static const struct fault before = {"\0001", 1, 1, "expected a value, found the byte 0x00"};
    expect_fault(&inside, 7);
    expect_fault(&behind, 2);
    expect_fault(&before, 2);
}
END_TEST

START_TEST(duplicate_keys_are_found_after_unescaping)
{
    static const struct fault faults[] = {
        {"{\"a\": 1,\n \"a\": 2}", 2, 2, "duplicate key \"a\"; it is already at line 1, column 2"},
        {"{\"x\": {\"net\": 1, \"n\\u0065t\": 2}}", 1, 18,
         "duplicate key \"net\" in /x; it is already at line 1, column 8"},
        {"{\"\": 1, \"\": 2}", 1, 9, "duplicate key \"\"; it is already at line 1, column 2"},
    };
    EXPECT_FAULTS(faults);
    cm_json_destroy(parse("{\"a\": 1, \"A\": 2, \"b\": {\"a\": [{\"a\": 1}, {\"a\": 2}]}}"));
}
END_TEST

START_TEST(hints_show_the_way_out)
{
    static const struct {
        const char *text, *hint;
    } cases[] = {
        {"[1,]", "JSON does not allow a comma after the last value"},
        {"{\"a\":}", ""},
        {"{\"a\":1,}", "JSON does not allow a comma after the last member"},
        {"[True]", "JSON writes true, false and null in lower case"},
        {"NaN", "JSON has no infinity and no NaN"},
        {"# x", "JSON has no comments"},
        {"'a'", "text needs double quotes"},
        {"+1", "a number begins with a digit or a minus sign"},
        {"\xef\xbb\xbf{}", "save it as UTF-8 without a byte order mark"},
        {"\"a\tb\"", "a tab is written \\t"},
        {"\"a\x01\"", "write it as \\u0001"},
        {"\"C:\\dir\"", "a backslash itself is written \\\\"},
        {"{\n  \"a\": [1, 2\n", "the array that begins at line 2, column 8 is not closed"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct cm_json_document *document;
        struct cm_error err;
        ck_assert_int_eq(cm_json_parse("t", cases[i].text, strlen(cases[i].text), &document, &err),
                         CM_BAD_INPUT);
        ck_assert_str_eq(err.hint, cases[i].hint);
    }
}
END_TEST

START_TEST(an_unknown_key_is_shown_with_its_line_a_caret_and_the_likely_key)
{
    static const char text[] = "{\n\t\"network\": {\n\t\t\"dimentions\": 11\n\t}\n}\n";
    static const char *const keys[] = {"dimensions", "channels_per_dimension"};
    struct cm_json_document *document;
    struct cm_error err;
    char shown[512];
    ck_assert_int_eq(cm_json_parse("cm200.json", text, strlen(text), &document, &err), CM_OK);
    struct cm_json network = get(document, "/network");
    ck_assert_int_eq(READ(&err, cm_read_keys(&reader, network, "network", keys, 2)), CM_BAD_INPUT);
    cm_error_format(&err, shown, sizeof shown);
    ck_assert_str_eq(shown, "cm200.json:3:3: unknown key \"dimentions\" in /network; "
                            "did you mean \"dimensions\"?\n"
                            "\t\t\"dimentions\": 11\n"
                            "\t\t^\n");
    static const char *const others[] = {"alpha", "beta"};
    ck_assert_int_eq(READ(&err, cm_read_keys(&reader, network, "network", others, 2)),
                     CM_BAD_INPUT);
    ck_assert_str_eq(err.message, "unknown key \"dimentions\" in /network");
    ck_assert_str_eq(err.hint, "known keys: alpha, beta");
    cm_json_destroy(document);
}
END_TEST

START_TEST(keys_are_compared_with_case)
{
    struct cm_json_document *document = parse("{\"Nodes\": 1, \"nodes\": 2}");
    struct cm_json member;
    uint64_t value;
    ck_assert(cm_json_member(cm_json_root(document), "nodes", &member));
    ck_assert_int_eq(READ(NULL, value = cm_read_u64(&reader, member, "nodes", 0, 9)), CM_OK);
    ck_assert_uint_eq(value, 2);
    ck_assert(!cm_json_member(cm_json_root(document), "NODES", &member));
    ck_assert(!cm_json_member(get(document, "/nodes"), "x", &member));
    cm_json_destroy(document);
}
END_TEST

START_TEST(depth_64_is_read_and_depth_65_is_refused)
{
    char text[140] = "";
    memset(text, '[', 64);
    memset(text + 64, ']', 64);
    cm_json_destroy(parse(text));
    memset(text, '[', 65);
    struct fault fault = {text, 1, 65, "nested deeper than 64 levels"};
    expect_fault(&fault, 65);
}
END_TEST

START_TEST(a_file_beyond_16_mib_is_refused)
{
    size_t length = CM_JSON_MAX_BYTES + 1;
    char *text = malloc(length);
    ck_assert_ptr_nonnull(text);
    memset(text, ' ', length);
    struct fault fault = {text, 0, 0, "the file has 16777217 bytes; at most 16777216 can be read"};
    expect_fault(&fault, length);
    text[0] = '1';
    struct cm_json_document *document;
    ck_assert_int_eq(cm_json_parse("t", text, length - 1, &document, NULL), CM_OK);
    cm_json_destroy(document);
    free(text);
}
END_TEST

START_TEST(integers_are_exact_to_64_bits_in_every_notation)
{
    static const struct {
        const char *text;
        int64_t value;
    } cases[] = {
        {"0", 0},
        {"-0", 0},
        {"-0.0e5", 0},
        {"0e999", 0},
        {"1e3", 1000},
        {"2.0", 2},
        {"2.50e1", 25},
        {"1200e-2", 12},
        {"-7", -7},
        {"9007199254740993", 9007199254740993},
        {"9223372036854775807", INT64_MAX},
        {"-9223372036854775808", INT64_MIN},
        {"0.00000000000000000000000000000000000000000000000000000000000000000000000001e74", 1},
        {"0.9223372036854775807E19", INT64_MAX},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct cm_json_document *document = parse(cases[i].text);
        int64_t value;
        struct cm_error err = {0};
        enum cm_status status = READ(
            &err, value = cm_read_i64(&reader, cm_json_root(document), "n", INT64_MIN, INT64_MAX));
        ck_assert_msg(status == CM_OK, "%s: %s", cases[i].text, err.message);
        ck_assert_int_eq(value, cases[i].value);
        cm_json_destroy(document);
    }
    struct cm_json_document *document = parse("[18446744073709551615, 18446744073709551615.000]");
    uint64_t value;
    for (uint32_t i = 0; i < 2; i++) {
        struct cm_json at = cm_json_at(cm_json_root(document), i, NULL);
        ck_assert_int_eq(READ(NULL, value = cm_read_u64(&reader, at, "n", 0, UINT64_MAX)), CM_OK);
        ck_assert(value == UINT64_MAX);
    }
    cm_json_destroy(document);
}
END_TEST

START_TEST(what_is_no_integer_or_out_of_range_is_refused)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"1.5", "nodes must be an integer, found 1.5"},
        {"1e-1", "nodes must be an integer, found 1e-1"},
        {"\"7\"", "nodes must be an integer, found \"7\""},
        {"{}", "nodes must be an integer, found an object"},
        {"null", "nodes must be an integer, found null"},
        {"0", "nodes must be from 1 to 65536, found 0"},
        {"-1", "nodes must be from 1 to 65536, found -1"},
        {"70000", "nodes must be from 1 to 65536, found 70000"},
        {"18446744073709551617", "nodes must be from 1 to 65536, found 18446744073709551617"},
        {"1e300", "nodes must be from 1 to 65536, found 1e300"},
    };
    struct cm_error err;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct cm_json_document *document = parse(cases[i].text);
        struct cm_json root = cm_json_root(document);
        ck_assert_int_eq(READ(&err, cm_read_u64(&reader, root, "nodes", 1, 65536)), CM_BAD_INPUT);
        ck_assert_str_eq(err.message, cases[i].message);
        cm_json_destroy(document);
    }
    struct cm_json_document *document = parse("[-9223372036854775809, 9223372036854775808]");
    for (uint32_t i = 0; i < 2; i++) {
        struct cm_json at = cm_json_at(cm_json_root(document), i, NULL);
        ck_assert_int_eq(READ(NULL, cm_read_i64(&reader, at, "n", INT64_MIN, INT64_MAX)),
                         CM_BAD_INPUT);
    }
    cm_json_destroy(document);
}
END_TEST

START_TEST(doubles_are_read_from_the_token_however_long_it_is)
{
    /* 70 digits: more than cJSON's own buffer */
    struct cm_json_document *document =
        parse("{\"pi\": 3.1415926535897932384626433832795028841971693993751058209749445923078164, "
              "\"c\": -4.0, \"tiny\": 1e-400, \"s\": \"x\"}");
    double value;
    struct cm_error err;
    ck_assert_int_eq(READ(NULL, value = cm_read_f64(&reader, get(document, "/pi"), "pi")), CM_OK);
    ck_assert(value == 3.14159265358979323846);
    ck_assert_int_eq(READ(NULL, value = cm_read_f64(&reader, get(document, "/c"), "c")), CM_OK);
    ck_assert(value == -4.0);
    ck_assert_int_eq(READ(NULL, value = cm_read_f64(&reader, get(document, "/tiny"), "tiny")),
                     CM_OK);
    ck_assert(value == 0.0);
    ck_assert_int_eq(READ(&err, value = cm_read_f64(&reader, get(document, "/s"), "s")),
                     CM_BAD_INPUT);
    ck_assert_str_eq(err.message, "s must be a number, found \"x\"");
    cm_json_destroy(document);
}
END_TEST

START_TEST(strings_and_booleans_are_read_and_nul_in_a_string_is_refused)
{
    struct cm_json_document *document =
        parse("{\"s\": \"\\u00e9\\ud83d\\ude00\\/\\n\", \"z\": \"a\\u0000b\", \"t\": true}");
    const char *text;
    bool flag;
    struct cm_error err;
    ck_assert_int_eq(READ(NULL, text = cm_read_string(&reader, get(document, "/s"), "s")), CM_OK);
    ck_assert_str_eq(text, "\xc3\xa9\xf0\x9f\x98\x80/\n");
    ck_assert_int_eq(READ(&err, text = cm_read_string(&reader, get(document, "/z"), "name")),
                     CM_BAD_INPUT);
    ck_assert_str_eq(err.message, "name must not have \\u0000 in it");
    ck_assert_int_eq(READ(NULL, flag = cm_read_bool(&reader, get(document, "/t"), "t")), CM_OK);
    ck_assert(flag);
    ck_assert_int_eq(READ(&err, flag = cm_read_bool(&reader, get(document, "/s"), "t")),
                     CM_BAD_INPUT);
    cm_json_destroy(document);
}
END_TEST

START_TEST(an_unknown_name_gets_the_likely_one_or_the_list)
{
    static const char *const types[] = {"real32", "real64", "int32"};
    struct cm_json_document *document = parse("[\"real46\", \"string\", \"int32\"]");
    struct cm_error err;
    uint32_t index;
    ck_assert_int_eq(
        READ(&err, index = cm_read_name(&reader, get(document, "/0"), "type", types, 3)),
        CM_BAD_INPUT);
    ck_assert_str_eq(err.message, "unknown type \"real46\"; did you mean \"real64\"?");
    ck_assert_int_eq(
        READ(&err, index = cm_read_name(&reader, get(document, "/1"), "type", types, 3)),
        CM_BAD_INPUT);
    ck_assert_str_eq(err.message, "unknown type \"string\"");
    ck_assert_str_eq(err.hint, "one of: real32, real64, int32");
    ck_assert_int_eq(
        READ(&err, index = cm_read_name(&reader, get(document, "/2"), "type", types, 3)), CM_OK);
    ck_assert_uint_eq(index, 2);
    cm_json_destroy(document);
}
END_TEST

START_TEST(names_that_do_not_fit_into_a_hint_are_left_out)
{
    static char names_text[40][24];
    const char *names[40];
    struct cm_json_document *document = parse("[\"zz\"]");
    struct cm_error err;
    for (unsigned i = 0; i < 40; i++) {
        snprintf(names_text[i], sizeof names_text[i], "a-name-of-length-20-%02u", i % 100);
        names[i] = names_text[i];
    }
    ck_assert_int_eq(READ(&err, cm_read_name(&reader, get(document, "/0"), "name", names, 40)),
                     CM_BAD_INPUT);
    size_t length = strlen(err.hint);
    ck_assert_uint_lt(length, sizeof err.hint);
    ck_assert_uint_gt(length, sizeof err.hint - 40);
    ck_assert_str_eq(err.hint + length - 5, ", ...");
    ck_assert(strncmp(err.hint, "one of: a-name-of-length-20-00, a-name-of-length-20-01, ", 56) ==
              0);
    cm_json_destroy(document);
}
END_TEST

START_TEST(a_list_has_the_number_of_entries_that_it_should)
{
    struct cm_json_document *document = parse("[[1, 2], [1], {}]");
    struct cm_error err;
    uint32_t count;
    ck_assert_int_eq(READ(&err, count = cm_read_list(&reader, get(document, "/0"), "l", 2, 2)),
                     CM_OK);
    ck_assert_uint_eq(count, 2);
    ck_assert_int_eq(READ(&err, count = cm_read_list(&reader, get(document, "/0"), "l", 0, 1)),
                     CM_BAD_INPUT);
    ck_assert_str_eq(err.message, "l has 2 entries, expected 0 to 1");
    ck_assert_int_eq(READ(&err, count = cm_read_list(&reader, get(document, "/1"), "l", 2, 3)),
                     CM_BAD_INPUT);
    ck_assert_str_eq(err.message, "l has 1 entry, expected 2 to 3");
    ck_assert_int_eq(READ(&err, count = cm_read_list(&reader, get(document, "/2"), "l", 0, 9)),
                     CM_BAD_INPUT);
    ck_assert_uint_eq(count, 0);
    cm_json_destroy(document);
}
END_TEST

START_TEST(a_missing_key_is_named_at_its_object)
{
    struct cm_json_document *document = parse("{\"arrays\":\n {\"src\": {}}}");
    struct cm_error err;
    ck_assert_int_eq(READ(&err, cm_read_member(&reader, get(document, "/arrays/src"), "shape")),
                     CM_BAD_INPUT);
    ck_assert_str_eq(err.message, "missing key \"shape\" in /arrays/src");
    ck_assert_uint_eq(err.line, 2);
    ck_assert_uint_eq(err.column, 10);
    ck_assert_int_eq(READ(&err, cm_read_member(&reader, cm_json_root(document), "steps")),
                     CM_BAD_INPUT);
    ck_assert_str_eq(err.message, "missing key \"steps\"");
    ck_assert_int_eq(READ(&err, cm_read_member(&reader, cm_json_root(document), "arrays")), CM_OK);
    cm_json_destroy(document);
}
END_TEST

START_TEST(text_of_the_user_in_a_message_is_printable_and_short)
{
    char text[2048] = "{\"\\u001b[2J\xe2\x80\xae";
    size_t used = strlen(text);
    memset(text + used, 'k', 1000);
    strcpy(text + used + 1000, "\": 1}");
    struct cm_json_document *document = parse(text);
    struct cm_error err;
    ck_assert_int_eq(READ(&err, cm_read_keys(&reader, cm_json_root(document), "x", NULL, 0)),
                     CM_BAD_INPUT);
    ck_assert_uint_lt(strlen(err.message), 200);
    ck_assert_ptr_nonnull(strstr(err.message, "\\x1b[2J\\u202ekkkk"));
    ck_assert_ptr_nonnull(strstr(err.message, "k...\""));
    ck_assert_ptr_null(strchr(err.source, 0x1b));
    cm_json_destroy(document);
}
END_TEST

START_TEST(every_value_has_a_path)
{
    static const char *const pointers[] = {"",        "/a~1b",        "/m~0n",     "/m~0n/0",
                                           "/m~0n/1", "/m~0n/1/deep", "/",         "/ ",
                                           "/e",      "/e/~1~0~0",    "/e/~1~0~0/"};
    struct cm_json_document *document =
        parse("{\"a/b\": 1, \"m~n\": [2, {\"deep\": 3}], \"\": 4, \" \": 5, "
              "\"e\": {\"/~~\": {\"\": []}}}");
    for (uint32_t i = 0; i < sizeof pointers / sizeof pointers[0]; i++) {
        char path[64];
        struct cm_json value = {document, i};
        ck_assert_uint_eq(cm_json_path(value, path, sizeof path), strlen(pointers[i]));
        ck_assert_str_eq(path, pointers[i]);
    }
    char small[4];
    ck_assert_uint_eq(cm_json_path(get(document, "/m~0n/1"), small, sizeof small), 7);
    ck_assert_str_eq(small, "/m~");
    cm_json_destroy(document);
}
END_TEST

START_TEST(members_come_in_document_order_with_token_and_position)
{
    struct cm_json_document *document =
        parse("{ \"z\": [1, 2.50],\r\n  \"a\" : \"x\\ny\",\n\t\"b\": null }");
    struct cm_json root = cm_json_root(document);
    const char *key, *token;
    size_t length;
    uint32_t line, column;
    ck_assert_uint_eq(cm_json_count(root), 3);
    cm_json_token(cm_json_at(root, 0, &key), &token, &length);
    ck_assert_str_eq(key, "z");
    ck_assert(length == 9 && memcmp(token, "[1, 2.50]", 9) == 0);
    struct cm_json a = cm_json_at(root, 1, &key);
    ck_assert_str_eq(key, "a");
    cm_json_position(a, &line, &column);
    ck_assert_uint_eq(line, 2);
    ck_assert_uint_eq(column, 9);
    struct cm_json b = cm_json_at(root, 2, NULL);
    cm_json_position(b, &line, &column);
    ck_assert_uint_eq(line, 3);
    ck_assert_uint_eq(column, 7);
    ck_assert_int_eq(cm_json_kind(b), CM_JSON_NULL);
    ck_assert_uint_eq(cm_json_count(a), 0);
    ck_assert_ptr_eq(a.document, document);
    cm_json_at(get(document, "/z"), 1, &key);
    ck_assert_ptr_null(key);
    ck_assert_str_eq(cm_json_name(document), "test.json");
    cm_json_destroy(document);
}
END_TEST

/* Writes an object of `count` members; the last key repeats the first when asked. Returns the
 * length. */
static size_t write_members(char *text, uint32_t count, bool duplicate)
{
    size_t used = 0;
    text[used++] = '{';
    for (uint32_t i = 0; i < count; i++) {
        uint32_t key = duplicate && i == count - 1 ? 0 : i;
        used += (size_t)sprintf(text + used, "%s\"k%u\":0", i > 0 ? "," : "", (unsigned)key);
    }
    text[used++] = '}';
    return used;
}

START_TEST(a_million_members_are_checked_and_found_without_quadratic_time)
{
    enum { COUNT = 1000000 };
    char *text = malloc(CM_JSON_MAX_BYTES);
    ck_assert_ptr_nonnull(text);
    struct cm_json_document *document;
    struct cm_error err;
    clock_t start = clock();
    size_t length = write_members(text, COUNT, false);
    ck_assert_int_eq(cm_json_parse("t", text, length, &document, &err), CM_OK);
    struct cm_json member, root = cm_json_root(document);
    char key[16], path[16];
    for (uint32_t i = 0; i < COUNT; i++) {
        sprintf(key, "k%u", (unsigned)i);
        ck_assert(cm_json_member(root, key, &member));
        ck_assert_uint_eq(member.index, cm_json_at(root, i, NULL).index);
    }
    cm_json_path(member, path, sizeof path);
    ck_assert_str_eq(path, "/k999999");
    cm_json_destroy(document);
    length = write_members(text, COUNT, true);
    ck_assert_int_eq(cm_json_parse("t", text, length, &document, &err), CM_BAD_INPUT);
    ck_assert_str_eq(err.message, "duplicate key \"k0\"; it is already at line 1, column 2");
    free(text);
    /* a quadratic check takes hours; a slow machine under a sanitizer takes seconds */
    ck_assert_int_lt((int)((clock() - start) / CLOCKS_PER_SEC), 60);
}
END_TEST

START_TEST(a_file_is_read_and_a_missing_one_is_an_io_error)
{
    struct cm_json_document *document;
    struct cm_error err;
    ck_assert_int_eq(cm_json_read("no-such-folder/x.json", &document, &err), CM_IO);
    ck_assert_ptr_null(document);
    ck_assert_str_eq(err.file, "no-such-folder/x.json");
    ck_assert_str_eq(err.message, "cannot open it for reading: No such file or directory");
    ck_assert_int_eq(cm_json_read("/dev/null", &document, &err), CM_BAD_INPUT);
    ck_assert_str_eq(err.message, "the file is empty; expected a JSON value");
    cm_json_destroy(NULL);
}
END_TEST

static TCase *reading_case(void)
{
    TCase *c = tcase_create("reading");
    tcase_set_timeout(c, 120);
    tcase_add_test(c, keys_are_compared_with_case);
    tcase_add_test(c, integers_are_exact_to_64_bits_in_every_notation);
    tcase_add_test(c, what_is_no_integer_or_out_of_range_is_refused);
    tcase_add_test(c, doubles_are_read_from_the_token_however_long_it_is);
    tcase_add_test(c, strings_and_booleans_are_read_and_nul_in_a_string_is_refused);
    tcase_add_test(c, an_unknown_name_gets_the_likely_one_or_the_list);
    tcase_add_test(c, an_unknown_key_is_shown_with_its_line_a_caret_and_the_likely_key);
    tcase_add_test(c, names_that_do_not_fit_into_a_hint_are_left_out);
    tcase_add_test(c, a_list_has_the_number_of_entries_that_it_should);
    tcase_add_test(c, a_missing_key_is_named_at_its_object);
    tcase_add_test(c, text_of_the_user_in_a_message_is_printable_and_short);
    tcase_add_test(c, every_value_has_a_path);
    tcase_add_test(c, members_come_in_document_order_with_token_and_position);
    tcase_add_test(c, a_million_members_are_checked_and_found_without_quadratic_time);
    tcase_add_test(c, a_file_is_read_and_a_missing_one_is_an_io_error);
    return c;
}

static TCase *refusing_case(void)
{
    TCase *c = tcase_create("refusing");
    tcase_add_test(c, faults_of_numbers_are_named_where_the_number_stands);
    tcase_add_test(c, faults_of_strings_are_named_where_they_stand);
    tcase_add_test(c, invalid_utf8_is_refused_at_its_byte);
    tcase_add_test(c, faults_of_structure_are_named_where_the_parser_stops);
    tcase_add_test(c, nul_bytes_are_refused_inside_and_outside_strings);
    tcase_add_test(c, duplicate_keys_are_found_after_unescaping);
    tcase_add_test(c, hints_show_the_way_out);
    tcase_add_test(c, depth_64_is_read_and_depth_65_is_refused);
    tcase_add_test(c, a_file_beyond_16_mib_is_refused);
    return c;
}

CM_PROGRAM(test_base_json)
{
    Suite *suite = suite_create("base_json");
    suite_add_tcase(suite, refusing_case());
    suite_add_tcase(suite, reading_case());
    return cm_run_suite(suite);
}
