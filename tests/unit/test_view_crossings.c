/* Which elements of an array the viewer shows to cross channels, for a real recording of a circular
 * shift by one. */
#include "programs/workload/workload.h"
#include "suite.h"
#include "trace/record.h"
#include "viz/model/model.h"

#include <string.h>

#define NODES    8u
#define ELEMENTS 32u
#define LOCALS   (ELEMENTS / NODES)

static const char shift_by_one[] =
    "{ \"format\": \"cm200-workload/1\", \"machine\": \"configs/cm200.json\", \"nodes\": 8,"
    "  \"arrays\": { \"a\": { \"shape\": [32], \"type\": \"real64\", \"init\": { \"index\": true } "
    "},"
    "                \"b\": { \"like\": \"a\" } },"
    "  \"steps\": [ { \"pshift\": [ { \"type\": \"cshift\", \"dst\": \"b\", \"src\": \"a\","
    "                                 \"dim\": 1, \"distance\": 1 } ] } ] }";

static struct cm_run *run;
static struct cm_workload *workload;
static struct cm_recorder *recorder;
static struct cm_view_model *model;

static void set_up(void)
{
    struct cm_error err;
    struct cm_trace *trace;
    const struct cm_run_options options = {.threads = 1};
    const struct cm_recorder_options recording = {.workload = "a shift by one"};
    const void *bytes;
    ck_assert_int_eq(
        cm_workload_parse("shift.json", shift_by_one, strlen(shift_by_one), &workload, &err),
        CM_OK);
    ck_assert_int_eq(cm_run_create(workload, &options, &run, &err), CM_OK);
    ck_assert_int_eq(
        cm_recorder_create(cm_system_machine(cm_run_system(run)), &recording, &recorder, &err),
        CM_OK);
    cm_run_observe(run, cm_recorder_observer(recorder));
    ck_assert_int_eq(cm_run_execute(run, &err), CM_OK);
    ck_assert_int_eq(cm_recorder_finish(recorder, true, &err), CM_OK);
    uint64_t length = cm_recorder_size(recorder, &bytes);
    ck_assert_int_eq(cm_trace_open_memory(bytes, length, "t.trace", &trace, &err), CM_OK);
    ck_assert_int_eq(cm_view_model_create(trace, NULL, &model, &err), CM_OK);
}

static void tear_down(void)
{
    cm_view_model_free(model);
    cm_recorder_destroy(recorder);
    cm_run_destroy(run);
    cm_workload_destroy(workload);
}

/* The node that holds an element: blocks of neighbours, in Gray order. */
static uint32_t node_of(uint32_t element)
{
    uint32_t block = element / LOCALS;
    return block ^ block >> 1;
}

/* b(i) = a(i + 1): element i of a goes where element i - 1 lies, over a channel when that is
 * another node. */
START_TEST(elements_leave_for_the_node_of_the_one_before)
{
    const struct cm_view_run *seen = &model->runs[0];
    const struct cm_view_places *places = cm_view_places(seen, 0, 0, seen->info->cycles);
    ck_assert(places != NULL && places->crossings_known);
    ck_assert_uint_eq(places->leave_count, NODES);
    ck_assert_uint_eq(places->arrive_count, 0);
    for (uint32_t i = 0; i < ELEMENTS; i++) {
        uint32_t to = node_of((i + ELEMENTS - 1) % ELEMENTS);
        ck_assert_uint_eq(places->element[i].leaves, to == node_of(i) ? CM_TRACE_NONE : to);
    }
}
END_TEST

START_TEST(elements_arrive_where_their_source_lay_elsewhere)
{
    const struct cm_view_run *seen = &model->runs[0];
    const struct cm_view_places *places = cm_view_places(seen, 1, 0, seen->info->cycles);
    ck_assert(places != NULL && places->crossings_known);
    ck_assert_uint_eq(places->leave_count, 0);
    ck_assert_uint_eq(places->arrive_count, NODES);
    for (uint32_t i = 0; i < ELEMENTS; i++)
        ck_assert(places->element[i].arrives == (node_of((i + 1) % ELEMENTS) != node_of(i)));
}
END_TEST

/* Words loaded before the exchange leave in it, and neither before nor after. */
START_TEST(elements_leave_in_the_exchange_alone)
{
    const struct cm_view_run *seen = &model->runs[0];
    uint64_t cycle = cm_trace_find_exchange(seen->trace, 0, 1);
    ck_assert_uint_lt(cycle, seen->info->cycles);
    ck_assert_uint_eq(cm_view_places(seen, 0, 0, cycle)->leave_count, 0);
    ck_assert_uint_eq(cm_view_places(seen, 0, cycle, cycle + 1)->leave_count, NODES);
    uint64_t end = cycle + seen->info->exchange_cycles;
    ck_assert_uint_eq(cm_view_places(seen, 0, end, seen->info->cycles)->leave_count, 0);
}
END_TEST

CM_PROGRAM(test_view_crossings)
{
    Suite *suite = suite_create("view_crossings");
    TCase *tests = tcase_create("crossings");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, elements_leave_for_the_node_of_the_one_before);
    tcase_add_test(tests, elements_arrive_where_their_source_lay_elsewhere);
    tcase_add_test(tests, elements_leave_in_the_exchange_alone);
    suite_add_tcase(suite, tests);
    return cm_run_suite(suite);
}
