/* Machine descriptions: what is read, the place and words of every kind of fault, --set, the rules
 * between keys. */
#include "../../base/json.h"
#include "../../sim/machine/config.h"
#include "../harness/program.h"

#include "quick_check.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Every key with a value of its own where the rules allow it. The tests below count its lines and
 * columns. */
static const char good[] =
    "{\n"                                                                    /* 1 */
    "  \"format\": \"cm200-machine/1\",\n"                                   /* 2 */
    "  \"name\": \"test\",\n"                                                /* 3 */
    "  \"clock_hz\": 1000,\n"                                                /* 4 */
    "  \"network\": { \"dimensions\": 3, \"channels_per_dimension\": 2 },\n" /* 5 */
    "  \"memory\": {\n"                                                      /* 6 */
    "    \"words\": 4096, \"bank_conflict_cycles\": 30,\n"                   /* 7 */
    "    \"page_words\": 64, \"banks\": 28, \"block_words\": 29,\n"          /* 8 */
    "    \"load_cycles\": 1, \"load_page_fault_cycles\": 21,\n"              /* 9 */
    "    \"store_cycles\": 22, \"store_page_fault_cycles\": 4,"
    "    \"indexed_load_cycles\": 40, \"indexed_store_cycles\": 41,\n"               /* 10 */
    "    \"refresh_interval_cycles\": 128, \"refresh_cycles\": 20,\n"                /* 11 */
    "    \"heap_base_words\": 23, \"heap_alignment_words\": 24\n"                    /* 12 */
    "  },\n"                                                                         /* 13 */
    "  \"transposer\": { \"slots\": 32, \"load_cycles\": 5, \"unload_cycles\": 6,\n" /* 14 */
    "    \"indirect_load_cycles\": 7, \"indirect_unload_cycles\": 8,\n"              /* 15 */
    "    \"constant_cycles\": 9 },\n"                                                /* 16 */
    "  \"exchange\": { \"cycles\": 105, \"overlap\": 1 },\n"                         /* 17 */
    "  \"sequencer\": { \"sram_words\": 2000, \"loop_depth\": 25,\n"                 /* 18 */
    "    \"loop_start_cycles\": 10, \"loop_iteration_cycles\": 11,\n"                /* 19 */
    "    \"address_cycles\": 12 },\n"                                                /* 20 */
    "  \"fpu\": { \"add_cycles\": 13, \"multiply_cycles\": 14,\n"                    /* 21 */
    "    \"multiply_add_cycles\": 15, \"divide_cycles\": 32, \"divide64_cycles\": 33,"
    "    \"square_root_cycles\": 34, \"square_root64_cycles\": 35, \"compare_cycles\": 36,"
    "    \"integer_divide_cycles\": 37, \"convert_cycles\": 38, \"logical_cycles\": 39,"
    "    \"context_cycles\": 16, \"vector_elements\": 20, \"vector_start_cycles\": 42 },\n" /* 22 */
    "  \"front_end\": { \"imp_start_cycles\": 17, \"runtime_call_cycles\": 18,\n"           /* 23 */
    "    \"scalar_cycles\": 19, \"pshift_us\": 26, \"runtime_call_us\": 27,"
    "    \"imp_start_us\": 40, \"statement_ns\": 41 },\n"          /* 24 */
    "  \"router\": { \"start_cycles\": 28, \"word_cycles\": 29,\n" /* 25 */
    "    \"header_words\": 30, \"buffer_words\": 31 }\n"           /* 26 */
    "}\n";

static enum cm_status parse(const char *text, struct cm_config *config, struct cm_error *err)
{
    struct cm_json_document *document = NULL;
    enum cm_status status = cm_json_parse("m.json", text, strlen(text), &document, err);
    if (status == CM_OK)
        status = cm_config_parse(cm_json_root(document), config, err);
    cm_json_destroy(document);
    return status;
}

/* The good text with the first `find` replaced. */
static char *edited(const char *find, const char *replace)
{
    const char *at = strstr(good, find);
    ck_assert_msg(at != NULL, "the text has no %s", find);
    char *text = malloc(sizeof good + strlen(replace));
    ck_assert_ptr_nonnull(text);
    sprintf(text, "%.*s%s%s", (int)(at - good), good, replace, at + strlen(find));
    return text;
}

static struct cm_config good_config(void)
{
    struct cm_config config;
    struct cm_error err;
    ck_assert_msg(parse(good, &config, &err) == CM_OK, "%s", err.message);
    return config;
}

START_TEST(reads_every_key)
{
    struct cm_config c = good_config();
    ck_assert_str_eq(c.name, "test");
    ck_assert_uint_eq(c.clock_hz, 1000);
    ck_assert_uint_eq(c.network_dimensions, 3);
    ck_assert_uint_eq(c.network_channels_per_dimension, 2);
    ck_assert_uint_eq(c.memory_words, 4096);
    ck_assert_uint_eq(c.memory_page_words, 64);
    ck_assert_uint_eq(c.memory_load_cycles, 1);
    ck_assert_uint_eq(c.memory_load_page_fault_cycles, 21);
    ck_assert_uint_eq(c.memory_store_cycles, 22);
    ck_assert_uint_eq(c.memory_store_page_fault_cycles, 4);
    ck_assert_uint_eq(c.memory_banks, 28);
    ck_assert_uint_eq(c.memory_block_words, 29);
    ck_assert_uint_eq(c.memory_bank_conflict_cycles, 30);
    ck_assert_uint_eq(c.memory_indexed_load_cycles, 40);
    ck_assert_uint_eq(c.memory_indexed_store_cycles, 41);
    ck_assert_uint_eq(c.memory_refresh_interval_cycles, 128);
    ck_assert_uint_eq(c.memory_refresh_cycles, 20);
    ck_assert_uint_eq(c.memory_heap_base_words, 23);
    ck_assert_uint_eq(c.memory_heap_alignment_words, 24);
    ck_assert_uint_eq(c.transposer_slots, 32);
    ck_assert_uint_eq(c.transposer_load_cycles, 5);
    ck_assert_uint_eq(c.transposer_unload_cycles, 6);
    ck_assert_uint_eq(c.transposer_indirect_load_cycles, 7);
    ck_assert_uint_eq(c.transposer_indirect_unload_cycles, 8);
    ck_assert_uint_eq(c.transposer_constant_cycles, 9);
    ck_assert_uint_eq(c.exchange_cycles, 105);
    ck_assert_uint_eq(c.exchange_overlap, 1);
    ck_assert_uint_eq(c.sequencer_sram_words, 2000);
    ck_assert_uint_eq(c.sequencer_loop_depth, 25);
    ck_assert_uint_eq(c.sequencer_loop_start_cycles, 10);
    ck_assert_uint_eq(c.sequencer_loop_iteration_cycles, 11);
    ck_assert_uint_eq(c.sequencer_address_cycles, 12);
    for (unsigned i = 0; i < CM_CONFIG_KEY_COUNT; i++)
        ck_assert_int_eq(c.status[i], CM_NUMBER_UNMARKED);
    ck_assert_int_eq(c.clock_status, CM_NUMBER_UNMARKED);
}
END_TEST

START_TEST(reads_every_key_of_fpu_front_end_and_router)
{
    struct cm_config c = good_config();
    ck_assert_uint_eq(c.fpu_add_cycles, 13);
    ck_assert_uint_eq(c.fpu_multiply_cycles, 14);
    ck_assert_uint_eq(c.fpu_multiply_add_cycles, 15);
    ck_assert_uint_eq(c.fpu_divide_cycles, 32);
    ck_assert_uint_eq(c.fpu_divide64_cycles, 33);
    ck_assert_uint_eq(c.fpu_square_root_cycles, 34);
    ck_assert_uint_eq(c.fpu_square_root64_cycles, 35);
    ck_assert_uint_eq(c.fpu_compare_cycles, 36);
    ck_assert_uint_eq(c.fpu_integer_divide_cycles, 37);
    ck_assert_uint_eq(c.fpu_convert_cycles, 38);
    ck_assert_uint_eq(c.fpu_logical_cycles, 39);
    ck_assert_uint_eq(c.fpu_context_cycles, 16);
    ck_assert_uint_eq(c.fpu_vector_elements, 20);
    ck_assert_uint_eq(c.fpu_vector_start_cycles, 42);
    ck_assert_uint_eq(c.front_end_imp_start_cycles, 17);
    ck_assert_uint_eq(c.front_end_runtime_call_cycles, 18);
    ck_assert_uint_eq(c.front_end_scalar_cycles, 19);
    ck_assert_uint_eq(c.front_end_pshift_us, 26);
    ck_assert_uint_eq(c.front_end_runtime_call_us, 27);
    ck_assert_uint_eq(c.front_end_imp_start_us, 40);
    ck_assert_uint_eq(c.front_end_statement_ns, 41);
    ck_assert_uint_eq(c.router_start_cycles, 28);
    ck_assert_uint_eq(c.router_word_cycles, 29);
    ck_assert_uint_eq(c.router_header_words, 30);
    ck_assert_uint_eq(c.router_buffer_words, 31);
}
END_TEST

static const struct {
    const char *text;
    enum cm_number_status status;
} statuses[] = {
    {"stated", CM_NUMBER_STATED},
    {"derived", CM_NUMBER_DERIVED},
    {"fitted", CM_NUMBER_FITTED},
    {"assumed", CM_NUMBER_ASSUMED},
};

START_TEST(reads_sourced_numbers)
{
    char number[128];
    struct cm_config config;
    struct cm_error err;
    sprintf(number, "{\"value\": 7, \"source\": \"P 6\", \"status\": \"%s\"}", statuses[_i].text);
    char *text = edited("105", number);
    ck_assert_msg(parse(text, &config, &err) == CM_OK, "%s", err.message);
    ck_assert_uint_eq(config.exchange_cycles, 7);
    ck_assert_int_eq(config.status[CM_CONFIG_exchange_cycles], statuses[_i].status);
    ck_assert_int_eq(config.status[CM_CONFIG_memory_words], CM_NUMBER_UNMARKED);
    free(text);
}
END_TEST

START_TEST(allows_schema_and_notes)
{
    struct cm_config config;
    struct cm_error err;
    char *text = edited("\"name\"", "\"$schema\": \"x\", \"notes\": [\"a\", \"b\"], \"name\"");
    ck_assert_msg(parse(text, &config, &err) == CM_OK, "%s", err.message);
    free(text);
}
END_TEST

/* One fault each: what is changed, where the message points, and words that it must have. */
static const struct fault {
    const char *find;
    const char *replace;
    uint32_t line;
    uint32_t column;
    const char *message;
    const char *hint; /* NULL: any */
} faults[] = {
    /* the top level */
    {"cm200-machine/1", "cm200-workload/1", 2, 13, "the format is \"cm200-workload/1\"",
     "cm200-machine/1"},
    {"\"cm200-machine/1\"", "1", 2, 13, "format", NULL},
    {"  \"format\": \"cm200-machine/1\",\n", "", 1, 1, "missing key \"format\"", NULL},
    {"  \"name\": \"test\",\n", "", 1, 1, "missing key \"name\"", NULL},
    {"\"test\"", "\"\"", 3, 11, "name must have 1 to 63 bytes, not 0", NULL},
    {"\"test\"", "7", 3, 11, "name", NULL},
    {"\"test\"", "\"a\\u001b[2J\"", 3, 11, "control characters", NULL},
    {"\"test\"", "\"a\\u009b2J\"", 3, 11, "control characters", NULL},
    {"\"test\"", "\"a\\u202eb\"", 3, 11, "control characters", NULL},
    {"\"test\"", "\"0123456789012345678901234567890123456789012345678901234567890123\"", 3, 11,
     "name must have 1 to 63 bytes, not 64", NULL},
    {"\"name\"", "\"nmae\": 1, \"name\"", 3, 3, "\"nmae\"; did you mean \"name\"?", NULL},
    {"\"name\"", "\"notes\": \"x\", \"name\"", 3, 12, "notes must be an array", NULL},
    {"\"name\"", "\"notes\": [\"x\", 2], \"name\"", 3, 18, "a note must be a string", NULL},
    {"\"name\"", "\"$schema\": 1, \"name\"", 3, 14, "$schema must be a string", NULL},
    {"\"name\"", "\"name\": \"a\", \"name\"", 3, 16, "\"name\"", NULL}, /* duplicate */
    /* the clock */
    {"  \"clock_hz\": 1000,\n", "", 1, 1, "missing key \"clock_hz\"", "cycles a second"},
    {"1000,", "0,", 4, 15, "clock_hz must be from 1 to 1000000000000, found 0", NULL},
    {"1000,", "1000000000001,", 4, 15, "found 1000000000001", NULL},
    {"1000,", "\"10 MHz\",", 4, 15, "clock_hz must be an integer or an object", "cycles a second"},
    /* sections */
    {"  \"exchange\": { \"cycles\": 105, \"overlap\": 1 },\n", "", 1, 1, "missing key \"exchange\"",
     NULL},
    {"{ \"cycles\": 105, \"overlap\": 1 }", "100", 17, 15, "exchange must be an object", NULL},
    {"\"exchange\"", "\"exchagne\"", 17, 3, "\"exchagne\"; did you mean \"exchange\"?", NULL},
    {"\"exchange\"", "\"Exchange\"", 17, 3, "\"Exchange\"; did you mean \"exchange\"?", NULL},
    /* keys of sections */
    {"\"dimensions\"", "\"dimentions\"", 5, 16,
     "unknown key \"dimentions\" in /network; did you mean \"dimensions\"?", NULL},
    {"\"dimensions\": 3, ", "", 5, 14, "missing key \"dimensions\"", "up to 2^dimensions nodes"},
    {"\"page_words\": 64,", "\"page_words\": 64, \"page_words\": 32,", 8, 23, "\"page_words\"",
     NULL},
    {"\"page_words\": 64", "\"page_words\": 0", 8, 19,
     "memory.page_words must be from 1 to 1073741824, found 0", "words of a DRAM page"},
    {"\"page_words\": 64", "\"page_words\": -1", 8, 19, "found -1", NULL},
    {"\"page_words\": 64", "\"page_words\": 1.5", 8, 19, "memory.page_words must be an integer",
     NULL},
    {"\"page_words\": 64", "\"page_words\": true", 8, 19, "memory.page_words must be an integer",
     NULL},
    {"\"page_words\": 64", "\"page_words\": null", 8, 19, "not null", NULL},
    {"\"page_words\": 64", "\"page_words\": [64]", 8, 19, "not an array", NULL},
    {"\"page_words\": 64", "\"page_words\": 18446744073709551616", 8, 19,
     "memory.page_words must be from 1", NULL},
    {"\"dimensions\": 3", "\"dimensions\": 4294967299", 5, 30, "from 0 to 30, found 4294967299",
     NULL},
    {"\"channels_per_dimension\": 2", "\"channels_per_dimension\": 3", 5, 59, "from 1 to 2", NULL},
    {"\"overlap\": 1", "\"overlap\": 2", 17, 43, "exchange.overlap must be from 0 to 1, found 2",
     "the sequencer goes on"},
    /* sourced numbers */
    {"105", "{}", 17, 27, "missing key \"value\"", "one exchange"},
    {"105", "{\"value\": 7}", 17, 27, "missing key \"source\"", NULL},
    {"105", "{\"value\": 7, \"source\": \"P\"}", 17, 27, "missing key \"status\"", NULL},
    {"105", "{\"source\": \"P\", \"status\": \"stated\"}", 17, 27, "missing key \"value\"", NULL},
    {"105", "{\"value\": 0, \"source\": \"P\", \"status\": \"stated\"}", 17, 37,
     "exchange.cycles must be from 1", NULL},
    {"105", "{\"value\": {}, \"source\": \"P\", \"status\": \"stated\"}", 17, 37,
     "exchange.cycles must be an integer", NULL},
    {"105", "{\"value\": 7, \"source\": \"\", \"status\": \"stated\"}", 17, 50,
     "the source of exchange.cycles is empty", "plain number"},
    {"105", "{\"value\": 7, \"source\": 2.3, \"status\": \"stated\"}", 17, 50,
     "source must be a string", NULL},
    {"105", "{\"value\": 7, \"source\": \"P\", \"status\": \"fited\"}", 17, 65,
     "\"fited\"; did you mean \"fitted\"?", NULL},
    {"105", "{\"value\": 7, \"source\": \"P\", \"status\": \"set\"}", 17, 65, "unknown status",
     NULL},
    {"105", "{\"value\": 7, \"sources\": \"P\", \"status\": \"set\"}", 17, 40,
     "did you mean \"source\"?", NULL},
    /* rules between keys */
    {"\"slots\": 32", "\"slots\": 33", 14, 28, "33, which is not a power of two", NULL},
    {"\"slots\": 32", "\"slots\": 4", 14, 28, "too few for 3 cube dimensions",
     "slots / 2 >= dimensions + 1"},
    {"\"heap_base_words\": 23", "\"heap_base_words\": 4096", 12, 24,
     "beyond the node's memory of 4096 words", NULL},
    {"\"heap_base_words\": 23",
     "\"heap_base_words\": {\"value\": 5000, \"source\": \"s\", \"status\": \"assumed\"}", 12, 34,
     "memory.heap_base_words is 5000", NULL},
    {"\"refresh_cycles\": 20", "\"refresh_cycles\": 128", 11, 55,
     "not shorter than its interval of 128", "a memory without refresh has both at 0"},
    {"128", "0", 11, 53, "not shorter than its interval of 0", NULL},
};

START_TEST(places_every_fault)
{
    const struct fault *fault = &faults[_i];
    struct cm_config config, before;
    struct cm_error err;
    memset(&config, 0xa5, sizeof config);
    memcpy(&before, &config, sizeof config);
    char *text = edited(fault->find, fault->replace);
    ck_assert_int_eq(parse(text, &config, &err), CM_BAD_INPUT);
    ck_assert_str_eq(err.file, "m.json");
    ck_assert_msg(strstr(err.message, fault->message) != NULL, "\"%s\" lacks \"%s\"", err.message,
                  fault->message);
    ck_assert_msg(err.line == fault->line && err.column == fault->column, "%u:%u, not %u:%u: %s",
                  err.line, err.column, fault->line, fault->column, err.message);
    if (fault->hint != NULL)
        ck_assert_msg(strstr(err.hint, fault->hint) != NULL, "\"%s\" lacks \"%s\"", err.hint,
                      fault->hint);
    ck_assert_msg(err.source[0] != '\0', "the source line is shown");
    ck_assert_int_eq(memcmp(&config, &before, sizeof config), 0);
    ck_assert_int_eq(parse(text, &config, NULL), CM_BAD_INPUT);
    free(text);
}
END_TEST

START_TEST(refuses_what_is_no_object)
{
    struct cm_config config;
    struct cm_error err;
    ck_assert_int_eq(parse(" [1]", &config, &err), CM_BAD_INPUT);
    ck_assert_uint_eq(err.line, 1);
    ck_assert_uint_eq(err.column, 2);
    ck_assert_ptr_nonnull(strstr(err.message, "a machine description must be an object"));
}
END_TEST

START_TEST(allows_a_memory_without_refresh)
{
    struct cm_config config;
    struct cm_error err;
    char *text = edited("128, \"refresh_cycles\": 20", "0, \"refresh_cycles\": 0");
    ck_assert_msg(parse(text, &config, &err) == CM_OK, "%s", err.message);
    free(text);
}
END_TEST

START_TEST(missing_file_is_an_io_error)
{
    struct cm_config config;
    struct cm_error err;
    ck_assert_int_eq(cm_config_read("/nonexistent/machine.json", &config, &err), CM_IO);
    ck_assert_ptr_nonnull(
        strstr(err.file[0] ? err.file : err.message, "/nonexistent/machine.json"));
}
END_TEST

/* The keys again, as (path, minimum, maximum). */
static const struct {
    const char *path;
    uint64_t min;
    uint64_t max;
} ranges[] = {
#define CM_CONFIG(section, key, type, min, max, what) {#section "." #key, min, max},
#include "../../sim/machine/config.def"
#undef CM_CONFIG
    {"clock_hz", 1, UINT64_C(1000000000000)},
};
#define RANGE_COUNT ((int)(sizeof ranges / sizeof ranges[0]))

static void expect_refused(struct cm_config *config, const char *assignment, const char *words)
{
    struct cm_config before = *config;
    struct cm_error err;
    enum cm_status expected = strcmp(words, "expected PATH=VALUE") == 0 ? CM_USAGE : CM_BAD_INPUT;
    ck_assert_int_eq(cm_config_set(config, &assignment, 1, &err), expected);
    ck_assert_msg(strstr(err.message, words) != NULL, "\"%s\" lacks \"%s\"", err.message, words);
    ck_assert_msg(strncmp(err.message, "--set ", 6) == 0, "%s", err.message);
    ck_assert_str_eq(err.file, "");
    ck_assert_int_eq(memcmp(config, &before, sizeof before), 0);
    ck_assert_int_eq(cm_config_set(config, &assignment, 1, NULL), expected);
}

START_TEST(set_keeps_every_range)
{
    char assignment[128], words[128];
    struct cm_config config = good_config();
    sprintf(words, "%s must be an integer from %" PRIu64 " to %" PRIu64, ranges[_i].path,
            ranges[_i].min, ranges[_i].max);
    sprintf(assignment, "%s=%" PRIu64, ranges[_i].path, ranges[_i].max + 1);
    expect_refused(&config, assignment, words);
    if (ranges[_i].min > 0) {
        sprintf(assignment, "%s=%" PRIu64, ranges[_i].path, ranges[_i].min - 1);
        expect_refused(&config, assignment, words);
    }
}
END_TEST

static const struct {
    const char *assignment;
    const char *words;
} bad_assignments[] = {
    {"memory.page_wrods=512",
     "--set memory.page_wrods=512: unknown key \"memory.page_wrods\"; did you mean "
     "\"memory.page_words\"?"},
    {"page_words=512", "did you mean \"memory.page_words\"?"},
    {"clock=5", "unknown key \"clock\""},
    {"memory=5", "unknown key \"memory\""},
    {"memory.zzzzzzzzzzzz=5", "unknown key"},
    {"zzz.zzz=5", "unknown key"},
    {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa=5",
     "unknown key"},
    {"memory.page_words", "expected PATH=VALUE"},
    {"=5", "expected PATH=VALUE"},
    {"", "expected PATH=VALUE"},
    {"memory.page_words=", "must be an integer from 1"},
    {"memory.page_words=-5", "must be an integer from 1"},
    {"memory.page_words=+5", "must be an integer from 1"},
    {"memory.page_words= 5", "must be an integer from 1"},
    {"memory.page_words=5 ", "must be an integer from 1"},
    {"memory.page_words=0x10", "must be an integer from 1"},
    {"memory.page_words=1e3", "must be an integer from 1"},
    {"memory.page_words=1.0", "must be an integer from 1"},
    {"memory.page_words=5=6", "must be an integer from 1"},
    {"memory.page_words=18446744073709551617", "must be an integer from 1"},
    {"network.dimensions=4294967296", "must be an integer from 0 to 30"},
    {"network.dimensions=16", "too few for 16 cube dimensions"},
    {"transposer.slots=5", "not a power of two"},
    {"memory.heap_base_words=4096", "beyond the node's memory"},
    {"memory.refresh_interval_cycles=0", "not shorter than its interval"},
};

START_TEST(set_refuses)
{
    struct cm_config config = good_config();
    expect_refused(&config, bad_assignments[_i].assignment, bad_assignments[_i].words);
}
END_TEST

START_TEST(set_names_each_section_once)
{
    struct cm_config config = good_config();
    struct cm_error err;
    ck_assert_int_eq(cm_config_set(&config, (const char *[]){"zzz.zzz=5"}, 1, &err), CM_BAD_INPUT);
    const char *first = strstr(err.hint, "front_end");
    ck_assert_msg(first != NULL && strstr(first + 1, "front_end") == NULL, "%s", err.hint);
    ck_assert_ptr_nonnull(strstr(err.hint, "; the sections are: network, memory, transposer, "));
    ck_assert_int_eq(cm_config_set(&config, (const char *[]){"network.zzz=5"}, 1, &err),
                     CM_BAD_INPUT);
    ck_assert_str_eq(err.hint, "the keys of network are: dimensions, channels_per_dimension");
}
END_TEST

/* Values that are right together only, in any order. */
START_TEST(set_judges_rules_at_the_end)
{
    static const char *const orders[][2] = {
        {"network.dimensions=16", "transposer.slots=64"},
        {"transposer.slots=64", "network.dimensions=16"},
        {"memory.refresh_interval_cycles=0", "memory.refresh_cycles=0"},
        {"memory.refresh_cycles=0", "memory.refresh_interval_cycles=0"},
    };
    struct cm_config config = good_config(), before = config;
    struct cm_error err;
    ck_assert_int_eq(cm_config_set(&config, orders[_i], 2, &err), CM_OK);
    ck_assert_int_ne(memcmp(&config, &before, sizeof config), 0);
}
END_TEST

START_TEST(set_together_changes_nothing_when_refused)
{
    static const char *const sets[] = {"memory.page_words=512", "transposer.slots=32",
                                       "network.dimensions=16"};
    struct cm_config config = good_config(), before = config;
    struct cm_error err;
    ck_assert_int_eq(cm_config_set(&config, sets, 3, &err), CM_BAD_INPUT);
    ck_assert_str_eq(err.message, "--set, all 3 together: transposer.slots is 32: too few for 16 "
                                  "cube dimensions");
    ck_assert_int_eq(memcmp(&config, &before, sizeof config), 0);
    ck_assert_int_eq(cm_config_set(&config, NULL, 0, &err), CM_OK);
}
END_TEST

START_TEST(numbers_are_those_of_the_members)
{
    struct cm_config config = good_config();
    const char *set = "memory.page_words=512";
    struct cm_error err;
    ck_assert_int_eq(cm_config_set(&config, &set, 1, &err), CM_OK);
    ck_assert_uint_eq(cm_config_count(), CM_CONFIG_KEY_COUNT + 1);
    for (uint32_t i = 0; i < cm_config_count(); i++) {
        struct cm_config_number number = cm_config_at(&config, i);
        bool page = strcmp(number.path, "memory.page_words") == 0;
        ck_assert_int_eq(number.status == CM_NUMBER_SET, page);
        if (page)
            ck_assert_uint_eq(number.value, 512);
        if (strcmp(number.path, "clock_hz") == 0)
            ck_assert_uint_eq(number.value, config.clock_hz);
    }
}
END_TEST

START_TEST(set_changes_one_key)
{
    struct cm_config config = good_config();
    struct cm_config expected = config;
    struct cm_error err;
    ck_assert_int_eq(cm_config_set(&config, (const char *[]){"memory.page_words=512"}, 1, &err),
                     CM_OK);
    ck_assert_int_eq(cm_config_set(&config, (const char *[]){"network.dimensions=007"}, 1, &err),
                     CM_BAD_INPUT);
    ck_assert_str_eq(err.hint, "write it without leading zeros");
    ck_assert_int_eq(cm_config_set(&config, (const char *[]){"network.dimensions=7"}, 1, &err),
                     CM_OK);
    ck_assert_int_eq(cm_config_set(&config, (const char *[]){"clock_hz=1000000000000"}, 1, NULL),
                     CM_OK);
    expected.memory_page_words = 512;
    expected.network_dimensions = 7;
    expected.clock_hz = UINT64_C(1000000000000);
    expected.status[CM_CONFIG_memory_page_words] = CM_NUMBER_SET;
    expected.status[CM_CONFIG_network_dimensions] = CM_NUMBER_SET;
    expected.clock_status = CM_NUMBER_SET;
    ck_assert_int_eq(memcmp(&config, &expected, sizeof config), 0);
}
END_TEST

START_TEST(check_finds_what_was_built_by_hand)
{
    struct cm_config config = good_config();
    struct cm_error err;
    ck_assert_int_eq(cm_config_check(&config, &err), CM_OK);
    config.memory_page_words = 0;
    ck_assert_int_eq(cm_config_check(&config, &err), CM_BAD_INPUT);
    ck_assert_str_eq(err.message, "memory.page_words is 0, out of range");
    config = good_config();
    config.transposer_slots = 2;
    ck_assert_int_eq(cm_config_check(&config, NULL), CM_BAD_INPUT);
    config = good_config();
    config.clock_hz = 0;
    ck_assert_int_eq(cm_config_check(&config, &err), CM_BAD_INPUT);
}
END_TEST

static const struct {
    const char *file;
    const char *name;
    uint64_t clock_hz;
    uint32_t dimensions;
} shipped[] = {
    {"cm200.json", "CM-200", 10000000, 11},
    {"cm200-first-fit.json", "CM-200, first fit", 10000000, 11},
    {"cm2.json", "CM-2", 7000000, 11},
    {"cube8.json", "teaching cube", 1000000, 3},
};

START_TEST(reads_the_shipped_machines)
{
    char path[64]; /* tests run in the source tree */
    struct cm_config config;
    struct cm_error err;
    snprintf(path, sizeof path, "configs/%s", shipped[_i].file);
    ck_assert_msg(cm_config_read(path, &config, &err) == CM_OK, "%s: %s", path, err.message);
    ck_assert_str_eq(config.name, shipped[_i].name);
    ck_assert_uint_eq(config.clock_hz, shipped[_i].clock_hz);
    ck_assert_uint_eq(config.network_dimensions, shipped[_i].dimensions);
    for (unsigned i = 0; i < CM_CONFIG_KEY_COUNT; i++)
        ck_assert_int_ne(config.status[i], CM_NUMBER_UNMARKED);
}
END_TEST

CM_PROGRAM(test_config)
{
    Suite *suite = suite_create("config");
    TCase *tests = tcase_create("config");
    tcase_add_test(tests, reads_every_key);
    tcase_add_test(tests, reads_every_key_of_fpu_front_end_and_router);
    tcase_add_loop_test(tests, reads_sourced_numbers, 0, sizeof statuses / sizeof statuses[0]);
    tcase_add_test(tests, allows_schema_and_notes);
    tcase_add_loop_test(tests, places_every_fault, 0, sizeof faults / sizeof faults[0]);
    tcase_add_test(tests, refuses_what_is_no_object);
    tcase_add_test(tests, allows_a_memory_without_refresh);
    tcase_add_test(tests, missing_file_is_an_io_error);
    tcase_add_loop_test(tests, set_keeps_every_range, 0, RANGE_COUNT);
    tcase_add_loop_test(tests, set_refuses, 0, sizeof bad_assignments / sizeof bad_assignments[0]);
    tcase_add_test(tests, set_names_each_section_once);
    tcase_add_loop_test(tests, set_judges_rules_at_the_end, 0, 4);
    tcase_add_test(tests, set_together_changes_nothing_when_refused);
    tcase_add_test(tests, numbers_are_those_of_the_members);
    tcase_add_test(tests, set_changes_one_key);
    tcase_add_test(tests, check_finds_what_was_built_by_hand);
    tcase_add_loop_test(tests, reads_the_shipped_machines, 0, sizeof shipped / sizeof shipped[0]);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    bool tap = srunner_has_tap(runner) != 0;
    srunner_free(runner);
    return failed == 0 || tap ? EXIT_SUCCESS : EXIT_FAILURE;
}
