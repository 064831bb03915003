/* Busy cycles of channels within any interval of a run with many hops, against the hops of each
 * packet, added one by one. */
#include "../../programs/workload/workload.h"
#include "../../trace/record.h"
#include "../../trace/trace.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

static const char *const text =
    "{\"format\":\"cm200-workload/1\",\"machine\":\"configs/cm200.json\",\"nodes\":256,"
    "\"arrays\":{},\"steps\":[{\"route\":{\"pattern\":\"random\",\"rate\":0.5,\"words\":4,"
    "\"warmup\":0,\"measure\":3000}}]}";

struct recording {
    struct cm_workload *workload;
    struct cm_run *run;
    struct cm_recorder *recorder;
    struct cm_trace *trace;
};

static void record(struct recording *made)
{
    struct cm_error err;
    struct cm_run_options options = {.threads = 1};
    struct cm_recorder_options recorder_options = {.workload = "test"};
    const void *bytes;
    memset(&err, 0, sizeof err);
    memset(made, 0, sizeof *made);
    enum cm_status status =
        cm_workload_parse("test.json", text, strlen(text), &made->workload, &err);
    if (status == CM_OK)
        status = cm_run_create(made->workload, &options, &made->run, &err);
    ck_assert_msg(status == CM_OK, "%s %s", err.message, err.hint);
    status = cm_recorder_create(cm_system_machine(cm_run_system(made->run)), &recorder_options,
                                &made->recorder, &err);
    ck_assert_msg(status == CM_OK, "%s", err.message);
    cm_run_observe(made->run, cm_recorder_observer(made->recorder));
    ck_assert_int_eq(cm_run_execute(made->run, &err), CM_OK);
    ck_assert_int_eq(cm_recorder_finish(made->recorder, true, &err), CM_OK);
    size_t length = (size_t)cm_recorder_size(made->recorder, &bytes);
    status = cm_trace_open_memory(bytes, length, "test", &made->trace, &err);
    ck_assert_msg(status == CM_OK, "%s", err.message);
}

static void finish(struct recording *made)
{
    cm_trace_close(made->trace);
    cm_recorder_destroy(made->recorder);
    cm_run_destroy(made->run);
    cm_workload_destroy(made->workload);
}

/* Every word takes a word time, and they follow each other, so a hop is busy from end to end. */
static uint64_t add_by_hand(const struct cm_trace *trace, uint64_t first, uint64_t end,
                            uint64_t *busy)
{
    const struct cm_trace_info *info = cm_trace_information(trace);
    uint64_t count = 0;
    for (uint64_t i = 0; i < info->packets; i++) {
        struct cm_trace_hop hops[64];
        uint64_t found = cm_trace_hops_of_packet(trace, i, hops, 64);
        for (uint64_t k = 0; k < found; k++, count++) {
            uint64_t from = hops[k].first_cycle > first ? hops[k].first_cycle : first;
            uint64_t to = hops[k].end_cycle < end ? hops[k].end_cycle : end;
            busy[hops[k].channel] += to > from ? to - from : 0;
        }
    }
    return count;
}

static void compare(const struct cm_trace *trace, uint64_t first, uint64_t end, uint64_t *expected,
                    uint64_t *busy, size_t channels)
{
    memset(expected, 0, channels * sizeof *expected);
    ck_assert_uint_gt(add_by_hand(trace, first, end, expected), 100000); /* hops: many */
    cm_trace_channel_busy(trace, first, end, busy);
    for (size_t i = 0; i < channels; i++)
        ck_assert_msg(busy[i] == expected[i], "channel %zu from %llu to %llu: %llu, not %llu", i,
                      (unsigned long long)first, (unsigned long long)end,
                      (unsigned long long)busy[i], (unsigned long long)expected[i]);
}

START_TEST(test_any_interval_has_the_sums_of_its_hops)
{
    struct recording made;
    record(&made);
    const struct cm_trace_info *info = cm_trace_information(made.trace);
    size_t channels = (size_t)info->nodes * info->dimensions * info->channels;
    uint64_t *expected = calloc(channels, sizeof *expected);
    uint64_t *busy = calloc(channels, sizeof *busy);
    ck_assert(expected != NULL && busy != NULL);
    compare(made.trace, 0, info->cycles, expected, busy, channels);
    for (uint64_t part = 1; part <= 12; part++) { /* nested, of all lengths; ends within hops */
        uint64_t first = info->cycles * part / 26 + part, end = info->cycles - first * 9 / 10;
        compare(made.trace, first, end, expected, busy, channels);
        compare(made.trace, 0, first, expected, busy, channels);
        compare(made.trace, end, info->cycles, expected, busy, channels);
        compare(made.trace, first, first + part, expected, busy, channels);
    }
    free(expected);
    free(busy);
    finish(&made);
}
END_TEST

CM_PROGRAM(test_trace_sums)
{
    Suite *suite = suite_create("sums of hops");
    TCase *tests = tcase_create("sums");
    tcase_add_test(tests, test_any_interval_has_the_sums_of_its_hops);
    suite_add_tcase(suite, tests);
    return cm_run_suite(suite);
}
