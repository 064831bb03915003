/* Cycles over many machines: ranges by runs of each machine, few runs where cycles are linear, bad
 * files, interruption. */
#include "programs/workload/intervals.h"
#include "suite.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define WORKLOAD "programs/examples/five-point-pshift.json"
#define MACHINES 4u

static const uint64_t exchange[MACHINES] = {120, 71, 139, 100};
static const uint64_t control[MACHINES] = {5, 15, 0, 8};
static const uint64_t page[MACHINES] = {512, 256, 1024, 512};

static char path[] = "intervals-XXXXXX";

static void write_file(const char *text)
{
    strcpy(path, "intervals-XXXXXX");
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    FILE *file = fdopen(fd, "w");
    fputs(text, file);
    fclose(file);
}

static void write_machines(bool pages, const char *widening)
{
    char text[1024];
    int used = snprintf(text, sizeof text,
                        "{\"format\": \"cm200-machines/1\", \"level\": 1, \"coverage\": 0.5, "
                        "\"widening\": %s, \"keys\": [\"exchange.cycles\", "
                        "\"sequencer.loop_iteration_cycles\"%s], \"machines\": [",
                        widening, pages ? ", \"memory.page_words\"" : "");
    for (uint32_t m = 0; m < MACHINES; m++) {
        used += snprintf(text + used, sizeof text - (size_t)used, "%s[%" PRIu64 ", %" PRIu64,
                         m > 0 ? ", " : "", exchange[m], control[m]);
        if (pages)
            used += snprintf(text + used, sizeof text - (size_t)used, ", %" PRIu64, page[m]);
        used += snprintf(text + used, sizeof text - (size_t)used, "]");
    }
    snprintf(text + used, sizeof text - (size_t)used, "]}");
    write_file(text);
}

static struct cm_workload *workload(void)
{
    struct cm_workload *read;
    struct cm_error err;
    ck_assert_int_eq(cm_workload_read(WORKLOAD, &read, &err), CM_OK);
    return read;
}

static enum cm_status run_intervals(struct cm_intervals_options *options,
                                    struct cm_intervals **intervals, struct cm_error *err)
{
    struct cm_workload *read = workload();
    options->path = path;
    options->run.threads = 1;
    options->run.nodes = 16;
    enum cm_status status = cm_intervals_run(read, options, intervals, err);
    cm_workload_destroy(read);
    unlink(path);
    return status;
}

/* The least and the largest cycles of the machines, each run by itself. */
static void expect_by_runs(const struct cm_intervals *intervals, bool pages)
{
    uint64_t cycles[MACHINES], low = UINT64_MAX, high = 0, step_low = UINT64_MAX, step_high = 0;
    struct cm_workload *read = workload();
    for (uint32_t m = 0; m < MACHINES; m++) {
        char texts[3][64];
        const char *sets[3] = {texts[0], texts[1], texts[2]};
        struct cm_run *run;
        struct cm_error err;
        snprintf(texts[0], sizeof texts[0], "exchange.cycles=%" PRIu64, exchange[m]);
        snprintf(texts[1], sizeof texts[1], "sequencer.loop_iteration_cycles=%" PRIu64, control[m]);
        snprintf(texts[2], sizeof texts[2], "memory.page_words=%" PRIu64, page[m]);
        const struct cm_run_options options = {
            .sets = sets, .set_count = pages ? 3 : 2, .nodes = 16, .threads = 1};
        ck_assert_int_eq(cm_run_create(read, &options, &run, &err), CM_OK);
        ck_assert_int_eq(cm_run_execute(run, &err), CM_OK);
        uint64_t total = cm_run_result(run)->total.cycles;
        uint64_t step = cm_run_result(run)->steps[0].counters.cycles;
        cycles[m] = total;
        low = total < low ? total : low;
        high = total > high ? total : high;
        step_low = step < step_low ? step : step_low;
        step_high = step > step_high ? step : step_high;
        cm_run_destroy(run);
    }
    cm_workload_destroy(read);
    for (uint32_t m = 0; m < MACHINES; m++)
        ck_assert_uint_eq(intervals->cycles[m], cycles[m]);
    ck_assert_uint_eq(intervals->total.low, low);
    ck_assert_uint_eq(intervals->total.high, high);
    ck_assert_uint_eq(intervals->steps[0].low, step_low);
    ck_assert_uint_eq(intervals->steps[0].high, step_high);
}

START_TEST(costs_take_a_run_each)
{
    struct cm_intervals *intervals;
    struct cm_error err;
    struct cm_intervals_options options = {0};
    write_machines(false, "[0, 0]");
    ck_assert_int_eq(run_intervals(&options, &intervals, &err), CM_OK);
    ck_assert_uint_eq(intervals->machines, MACHINES);
    ck_assert_uint_eq(intervals->step_count, 2);
    ck_assert_uint_eq(intervals->runs, 1 + 2 + 1);
    ck_assert(intervals->coverage == 0.5);
    expect_by_runs(intervals, false);
    cm_intervals_destroy(intervals);
}
END_TEST

/* A size that makes no difference where the others do, and a step that is far too small to tell. */
START_TEST(sizes_take_a_run_a_machine_whatever_the_first_says)
{
    struct cm_intervals *intervals;
    struct cm_error err;
    struct cm_intervals_options options = {0};
    write_file(
        "{\"format\": \"cm200-machines/1\", \"level\": 1, \"coverage\": 1, \"widening\": "
        "[0, 0], \"keys\": [\"memory.heap_base_words\", "
        "\"transposer.indirect_unload_cycles\"], \"machines\": [[176, 8], [176, 4], [96, 8], "
        "[448, 7]]}");
    ck_assert_int_eq(run_intervals(&options, &intervals, &err), CM_OK);
    static const uint64_t values[][2] = {{176, 8}, {176, 4}, {96, 8}, {448, 7}};
    struct cm_workload *read = workload();
    for (uint32_t m = 0; m < 4; m++) {
        char texts[2][64];
        const char *sets[] = {texts[0], texts[1]};
        struct cm_run *run;
        snprintf(texts[0], sizeof texts[0], "memory.heap_base_words=%" PRIu64, values[m][0]);
        snprintf(texts[1], sizeof texts[1], "transposer.indirect_unload_cycles=%" PRIu64,
                 values[m][1]);
        const struct cm_run_options how = {
            .sets = sets, .set_count = 2, .nodes = 16, .threads = 1, .timing_only = true};
        ck_assert_int_eq(cm_run_create(read, &how, &run, &err), CM_OK);
        ck_assert_int_eq(cm_run_execute(run, &err), CM_OK);
        ck_assert_uint_eq(intervals->cycles[m], cm_run_result(run)->total.cycles);
        cm_run_destroy(run);
    }
    cm_workload_destroy(read);
    cm_intervals_destroy(intervals);
}
END_TEST

START_TEST(values_other_than_costs_take_a_run_a_machine)
{
    struct cm_intervals *intervals;
    struct cm_error err;
    struct cm_intervals_options options = {0};
    write_machines(true, "[0, 0]");
    enum cm_status status = run_intervals(&options, &intervals, &err);
    ck_assert_msg(status == CM_OK, "%s", err.message);
    ck_assert_uint_ge(intervals->runs, MACHINES);
    expect_by_runs(intervals, true);
    cm_intervals_destroy(intervals);
}
END_TEST

START_TEST(intervals_are_widened_at_both_ends)
{
    struct cm_intervals *plain, *wide;
    struct cm_error err;
    struct cm_intervals_options options = {0};
    write_machines(false, "[0, 0]");
    ck_assert_int_eq(run_intervals(&options, &plain, &err), CM_OK);
    write_machines(false, "[-0.25, 0.5]");
    ck_assert_int_eq(run_intervals(&options, &wide, &err), CM_OK);
    ck_assert_uint_eq(wide->total.low, plain->total.low * 3 / 4);
    ck_assert_uint_eq(wide->total.high, (plain->total.high * 3 + 1) / 2);
    cm_intervals_destroy(plain);
    cm_intervals_destroy(wide);
}
END_TEST

START_TEST(what_the_caller_sets_wins)
{
    struct cm_intervals *intervals;
    struct cm_error err;
    const char *sets[] = {"exchange.cycles=50", "sequencer.loop_iteration_cycles=2"};
    struct cm_intervals_options options = {.run = {.sets = sets, .set_count = 2}};
    write_machines(false, "[0, 0]");
    ck_assert_int_eq(run_intervals(&options, &intervals, &err), CM_OK);
    ck_assert_uint_eq(intervals->total.low, intervals->total.high);
    cm_intervals_destroy(intervals);
}
END_TEST

static bool stop_third(void *context, struct cm_run *run)
{
    uint32_t *begun = context;
    return run == NULL || ++*begun < 3;
}

START_TEST(it_stops_when_it_is_told)
{
    struct cm_intervals *intervals;
    struct cm_error err;
    uint32_t begun = 0;
    struct cm_intervals_options options = {.watch = stop_third, .context = &begun};
    write_machines(false, "[0, 0]");
    ck_assert_int_eq(run_intervals(&options, &intervals, &err), CM_INTERRUPTED);
    ck_assert_ptr_null(intervals);
    ck_assert_uint_eq(begun, 3);
}
END_TEST

#define HEAD "{\"format\": \"cm200-machines/1\", \"coverage\": 1, "
static const struct {
    const char *text, *message;
} bad[] = {
    {"", "is empty"},
    {"[]", "a file of machines must be an object"},
    {"{\"format\": \"cm200-machines/2\"}", "cm200-machines/1"},
    {HEAD "\"level\": 0}", "level is 0, expected"},
    {HEAD "\"level\": 1, \"widening\": [0.1, 0]}", "widening is"},
    {HEAD "\"level\": 1, \"widening\": [0, 0], \"keys\": []}", "keys"},
    {HEAD "\"level\": 1, \"widening\": [0, 0], \"keys\": [\"exchange.cycles\"], \"machines\": "
          "[[1]]}",
     "machines"},
    {HEAD "\"level\": 1, \"widening\": [0, 0], \"keys\": [\"exchange.cycles\"], \"machines\": "
          "[[1], [1, 2]]}",
     "a machine has 2 values, but there are 1 keys"},
    {HEAD "\"level\": 1, \"widening\": [0, 0], \"keys\": [\"exchange.cycles\"], \"machines\": "
          "[[1], [-2]]}",
     "exchange.cycles"},
    {HEAD "\"level\": 1, \"widening\": [0, 0], \"keys\": [\"exchange.cycle\"], \"machines\": [[1], "
          "[2]]}",
     "did you mean"},
    {HEAD "\"level\": 1, \"widening\": [0, 0], \"keys\": [\"exchange.cycles\", "
          "\"exchange.cycles\"], \"machines\": [[1, 1], [2, 2]]}",
     "given twice"},
    {HEAD "\"level\": 1, \"widening\": [0, 1e18], \"keys\": [\"exchange.cycles\"], \"machines\": "
          "[[1], [2]]}",
     "widening is"},
    {HEAD "\"level\": 1, \"widening\": [0, 0], \"keys\": [\"memory.words\"], \"machines\": "
          "[[1048576], [64]]}",
     "machine 2: "},
};

START_TEST(bad_files_are_refused)
{
    struct cm_intervals *intervals;
    struct cm_error err;
    struct cm_intervals_options options = {0};
    write_file(bad[_i].text);
    ck_assert_int_eq(run_intervals(&options, &intervals, &err), CM_BAD_INPUT);
    ck_assert_ptr_null(intervals);
    ck_assert_msg(strstr(err.message, bad[_i].message) != NULL, "%s", err.message);
}
END_TEST

CM_PROGRAM(test_intervals)
{
    Suite *suite = suite_create("intervals");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, costs_take_a_run_each);
    tcase_add_test(tests, sizes_take_a_run_a_machine_whatever_the_first_says);
    tcase_add_test(tests, values_other_than_costs_take_a_run_a_machine);
    tcase_add_test(tests, intervals_are_widened_at_both_ends);
    tcase_add_test(tests, what_the_caller_sets_wins);
    tcase_add_test(tests, it_stops_when_it_is_told);
    tcase_add_loop_test(tests, bad_files_are_refused, 0, sizeof bad / sizeof *bad);
    suite_add_tcase(suite, tests);
    return cm_run_suite(suite);
}
