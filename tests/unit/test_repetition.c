/* Iterations that a timing-only run counts, against the same run with an observer, for which every
 * one is played. */
#include "machines.h"
#include "programs/workload/workload.h"
#include "random.h"
#include "sim/machine/observer.h"
#include "suite.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ARRAYS                                                                                     \
    "\"arrays\": {\"a\": {\"shape\": [64, 32], \"type\": \"real64\"}, \"b\": {\"like\": \"a\"}, "  \
    "\"c\": {\"like\": \"a\"}, \"s\": {\"shape\": [64], \"type\": \"int32\", \"axes\": "           \
    "[\"send\"]}, \"t\": {\"like\": \"s\"}}, \"scalars\": {\"k\": 2}"
#define SHIFTS                                                                                     \
    "{\"pshift\": [{\"type\": \"cshift\", \"dst\": \"b\", \"src\": \"a\", \"dim\": 1, "            \
    "\"distance\": -1}, {\"type\": \"cshift\", \"dst\": \"c\", \"src\": \"a\", \"dim\": 2, "       \
    "\"distance\": 3}]}"
#define SUM  "{\"combine\": {\"dst\": \"a\", \"terms\": [[0.5, \"b\"], [0.5, \"c\"]]}}"
#define MOVE "{\"cshift\": {\"dst\": \"c\", \"src\": \"a\", \"dim\": 1, \"distance\": 2}}"
#define END_OFF                                                                                    \
    "{\"eoshift\": {\"dst\": \"t\", \"src\": \"s\", \"dim\": 1, "                                  \
    "\"distance\": 5}}"
#define REDUCE  "{\"reduce\": {\"op\": \"max\", \"src\": \"a\", \"scalar\": \"k\"}}"
#define REDUCES "{\"reduce\": {\"op\": \"sum\", \"src\": \"a\", \"dim\": 2, \"dst\": \"c\"}}"
#define SCALE   "{\"combine\": {\"dst\": \"b\", \"terms\": [[\"k\", \"c\"]]}}"
#define SCAN    "{\"scan\": {\"op\": \"sum\", \"dst\": \"t\", \"src\": \"s\", \"dim\": 1}}"
#define SPREAD  "{\"spread\": {\"dst\": \"b\", \"src\": \"a\", \"dim\": 1, \"from\": 3}}"
#define ROUTE                                                                                      \
    "{\"route\": {\"pattern\": \"bit-reversal\", \"words\": 2}}" /* has a report of its own */

#define RANDOM_CASES 40

static const char *const lists[] = {
    SHIFTS,
    SUM,
    SHIFTS ", " SUM ", " MOVE,
    "{\"copy\": {\"dst\": \"b\", \"src\": \"a\"}}, " END_OFF,
    "{\"repeat\": {\"times\": 11, \"steps\": [" SUM ", " MOVE "]}}, " SHIFTS,
    "{\"repeat\": {\"times\": 5, \"steps\": [{\"repeat\": {\"times\": 9, \"steps\": [" MOVE
    "]}}]}}, " END_OFF,
    REDUCE ", " SCALE ", " REDUCES,
    SCAN ", {\"repeat\": {\"times\": 7, \"steps\": [" SPREAD ", " MOVE "]}}",
    ROUTE ", " MOVE,
};
#define LISTS   (sizeof lists / sizeof *lists)
#define COUNTED (LISTS - 1) /* the last one is played */

static struct cm_workload *parse(const char *list, unsigned times)
{
    char text[4096];
    struct cm_workload *workload;
    struct cm_error err;
    int length = snprintf(
        text, sizeof text,
        "{\"format\": \"cm200-workload/1\", \"name\": \"r\", \"nodes\": 16, " ARRAYS
        ", \"steps\": [" MOVE ", {\"repeat\": {\"times\": %u, \"steps\": [%s]}}, " SUM "]}",
        times, list);
    ck_assert_msg(cm_workload_parse("r.json", text, (size_t)length, &workload, &err) == CM_OK, "%s",
                  err.message);
    return workload;
}

static struct cm_run *run(const struct cm_workload *workload, struct cm_config *config,
                          const struct cm_observer *observer)
{
    struct cm_run_options options = {.config = config, .threads = 1, .timing_only = true};
    struct cm_run *run;
    struct cm_error err;
    ck_assert_msg(cm_run_create(workload, &options, &run, &err) == CM_OK, "%s", err.message);
    if (observer)
        cm_run_observe(run, observer);
    ck_assert_msg(cm_run_execute(run, &err) == CM_OK, "%s", err.message);
    return run;
}

/* Field by field: the bytes behind the last one have no value. */
static void expect_same_use(const struct cm_channel_use *a, const struct cm_channel_use *b)
{
    ck_assert_uint_eq(a->max_load, b->max_load);
    ck_assert_uint_eq(a->total_words, b->total_words);
    ck_assert_uint_eq(a->channels, b->channels);
    ck_assert_uint_eq(a->max_busy_cycles, b->max_busy_cycles);
    ck_assert_double_eq(a->mean_busy_cycles, b->mean_busy_cycles);
    ck_assert_uint_eq(a->max_node, b->max_node);
    ck_assert_uint_eq(a->max_dimension, b->max_dimension);
    ck_assert_uint_eq(a->max_channel, b->max_channel);
}

static void check_same(const struct cm_result *a, const struct cm_result *b)
{
    ck_assert_mem_eq(&a->total, &b->total, sizeof a->total);
    expect_same_use(&a->channels, &b->channels);
    for (uint32_t s = 0; s < a->step_count; s++) {
        ck_assert_uint_eq(a->steps[s].times, b->steps[s].times);
        ck_assert_mem_eq(&a->steps[s].counters, &b->steps[s].counters, sizeof a->steps[s].counters);
        expect_same_use(&a->steps[s].channels, &b->steps[s].channels);
        ck_assert_uint_eq(a->steps[s].sram_words, b->steps[s].sram_words);
    }
}

/* Without refresh the state is soon the same; with it, after some iterations or never. */
START_TEST(counted_iterations_add_what_played_ones_add)
{
    static const uint64_t refresh[][2] = {{0, 0}, {97, 3}, {1000, 7}, {100000, 11}};
    static const struct cm_observer listener = {0};
    struct cm_config config = cm200_config();
    config.memory_refresh_interval_cycles = refresh[_i][0];
    config.memory_refresh_cycles = refresh[_i][1];
    for (size_t l = 0; l < LISTS; l++)
        for (unsigned times = 1; times <= 40; times += 1 + times / 4) {
            struct cm_workload *workload = parse(lists[l], times);
            struct cm_run *counted = run(workload, &config, NULL);
            struct cm_run *played = run(workload, &config, &listener);
            check_same(cm_run_result(counted), cm_run_result(played));
            cm_run_destroy(counted);
            cm_run_destroy(played);
            cm_workload_destroy(workload);
        }
}
END_TEST

/* A list of one to three of the steps above, some of them repeated; returns its length. */
static size_t write_list(struct random_source *random, unsigned depth, char *text, size_t room)
{
    static const char *const steps[] = {SHIFTS, SUM,  MOVE,   END_OFF, REDUCE,
                                        SCALE,  SCAN, SPREAD, REDUCES};
    const uint32_t count = 1 + random_below(random, 3);
    size_t used = 0;
    for (uint32_t i = 0; i < count; i++) {
        used += (size_t)snprintf(text + used, room - used, "%s", i > 0 ? ", " : "");
        if (depth > 0 && random_below(random, 3) == 0) {
            used += (size_t)snprintf(text + used, room - used,
                                     "{\"repeat\": {\"times\": %" PRIu32 ", \"steps\": [",
                                     1 + random_below(random, 12));
            used += write_list(random, depth - 1, text + used, room - used);
            used += (size_t)snprintf(text + used, room - used, "]}}");
        } else {
            used += (size_t)snprintf(text + used, room - used, "%s",
                                     steps[random_below(random, sizeof steps / sizeof *steps)]);
        }
    }
    return used;
}

/* Few pages, banks and blocks, so that accesses meet; refresh as often as after some instructions
 * or after some iterations, at any phase when the repeat begins. */
static void draw_machine(struct random_source *random, struct cm_config *config)
{
    const uint32_t page_bits = random_below(random, 9);
    *config = cm200_config();
    config->memory_page_words = UINT64_C(1) << page_bits;
    config->memory_block_words = UINT64_C(1) << random_below(random, page_bits + 1);
    config->memory_banks = 1 + random_below(random, 4);
    config->memory_load_page_fault_cycles = random_below(random, 5);
    config->memory_store_page_fault_cycles = random_below(random, 5);
    config->memory_bank_conflict_cycles = random_below(random, 5);
    config->exchange_cycles = 1 + random_below(random, 200);
    config->exchange_overlap = random_below(random, 2);
    config->memory_refresh_cycles = random_below(random, 4);
    config->memory_refresh_interval_cycles =
        config->memory_refresh_cycles + 1 +
        random_below(random, UINT32_C(1) << (1 + random_below(random, 16)));
}

START_TEST(random_repeats_come_to_what_they_come_to_played)
{
    static const struct cm_observer listener = {0};
    struct random_source random = random_begin("random_repeats");
    for (unsigned c = 0; c < RANDOM_CASES; c++) {
        struct cm_config config;
        char list[3072];
        draw_machine(&random, &config);
        ck_assert_uint_lt(write_list(&random, 2, list, sizeof list), sizeof list);
        struct cm_workload *workload = parse(list, 1 + random_below(&random, 60));
        struct cm_run *counted = run(workload, &config, NULL);
        struct cm_run *played = run(workload, &config, &listener);
        check_same(cm_run_result(counted), cm_run_result(played));
        cm_run_destroy(counted);
        cm_run_destroy(played);
        cm_workload_destroy(workload);
    }
}
END_TEST

/* Played one by one they would take years. Where memory is refreshed, a state comes back after up
 * to 97 iterations. */
START_TEST(any_number_of_iterations_ends)
{
    struct cm_config config = cm200_config();
    config.memory_refresh_interval_cycles = _i > 0 ? 97 : 0;
    config.memory_refresh_cycles = _i > 0 ? 3 : 0;
    for (size_t l = 0; l < COUNTED; l++) {
        struct cm_workload *few = parse(lists[l], 1000), *many = parse(lists[l], 1000000000);
        struct cm_run *a = run(few, &config, NULL), *b = run(many, &config, NULL);
        const struct cm_step_result *x = cm_run_result(a)->steps, *y = cm_run_result(b)->steps;
        ck_assert_uint_eq(y[1].times, x[1].times * 1000000);
        ck_assert_uint_eq(y[1].counters.exchanges, x[1].counters.exchanges * 1000000);
        ck_assert_uint_eq(y[1].channels.total_words, x[1].channels.total_words * 1000000);
        cm_run_destroy(a);
        cm_run_destroy(b);
        cm_workload_destroy(few);
        cm_workload_destroy(many);
    }
}
END_TEST

/* 2 * 10^12 iterations are counted; 10^21 come to more cycles than 64 bits hold. */
START_TEST(more_cycles_than_64_bits_hold_are_refused)
{
    static const char list[] = "{\"repeat\": {\"times\": 1000000000000, \"steps\": [" SUM "]}}";
    struct cm_config config = cm200_config();
    struct cm_run_options options = {.config = &config, .threads = 1, .timing_only = true};
    struct cm_workload *fits = parse(list, 2), *too_large = parse(list, 1000000000);
    struct cm_run *counted = run(fits, &config, NULL), *refused;
    struct cm_error err;
    ck_assert_uint_eq(cm_run_result(counted)->steps[1].times, 2000000000000);
    ck_assert_int_eq(cm_run_create(too_large, &options, &refused, &err), CM_OK);
    ck_assert_int_eq(cm_run_execute(refused, &err), CM_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(err.message, "2^63 - 1"));
    ck_assert_uint_eq(err.line, 1);
    ck_assert_uint_gt(err.column, 1);
    cm_run_destroy(counted);
    cm_run_destroy(refused);
    cm_workload_destroy(fits);
    cm_workload_destroy(too_large);
}
END_TEST

CM_PROGRAM(test_repetition)
{
    Suite *suite = suite_create("repetition");
    TCase *tests = tcase_create("repetition");
    tcase_add_loop_test(tests, counted_iterations_add_what_played_ones_add, 0, 4);
    tcase_add_test(tests, random_repeats_come_to_what_they_come_to_played);
    tcase_add_loop_test(tests, any_number_of_iterations_ends, 0, 2);
    tcase_add_test(tests, more_cycles_than_64_bits_hold_are_refused);
    suite_add_tcase(suite, tests);
    return cm_run_suite(suite);
}
