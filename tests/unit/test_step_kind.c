/* A kind of step from outside programs/workload: once registered, workloads, hints and help have
 * it. */
#include "programs/validation/published.h"
#include "programs/workload/step.h"

#include "suite.h"

#include <stdio.h>
#include <string.h>

struct tick {
    uint32_t times;
};

static uint32_t ticks;
static bool is_registered; /* where tests share a process */

static const struct cm_key tick_keys[] = {
    CM_KEY(INTEGER, "times", struct tick, times, "how often", .min = 1, .max = 9, .initial = 1),
};

static enum cm_status prepare_tick(struct cm_run *run, struct cm_run_step *step,
                                   struct cm_error *err)
{
    (void)run;
    (void)step;
    (void)err;
    return CM_OK;
}

static enum cm_status run_tick(struct cm_run *run, struct cm_run_step *step, struct cm_error *err)
{
    const struct tick *own = step->step->own;
    (void)run;
    (void)err;
    ticks += own->times;
    return CM_OK;
}

static const struct cm_step_kind tick = {
    .name = "tick",
    .summary = "counts",
    .example = "{\"tick\": {\"times\": 3}}",
    .keys = tick_keys,
    .key_count = CM_COUNT_OF(tick_keys),
    .own_bytes = sizeof(struct tick),
    .path = "host",
    .prepare = prepare_tick,
    .run = run_tick,
};

static enum cm_status parse(const char *steps, struct cm_workload **workload, struct cm_error *err)
{
    char text[400];
    int length = snprintf(text, sizeof text,
                          "{\"format\": \"cm200-workload/1\", \"nodes\": 2, \"arrays\": {\"a\": "
                          "{\"shape\": [4], \"type\": \"real64\"}}, \"steps\": [%s]}",
                          steps);
    return cm_workload_parse("w.json", text, (size_t)length, workload, err);
}

START_TEST(a_kind_is_unknown_until_it_is_registered_and_then_runs)
{
    struct cm_run_options options = {.threads = 1};
    struct cm_workload *workload = NULL;
    struct cm_config config;
    struct cm_run *run;
    struct cm_error err;
    ck_assert_int_eq(parse("{\"tick\": {\"times\": 3}}", &workload, &err), CM_BAD_INPUT);
    ck_assert(cm_step_kind_register(&tick));
    is_registered = true;

    ck_assert_int_eq(parse("{\"tick\": {\"times\": 3}}, {\"tick\": {}}", &workload, &err), CM_OK);
    ck_assert_int_eq(cm_config_read("cm200", &config, &err), CM_OK);
    options.config = &config;
    ck_assert_int_eq(cm_run_create(workload, &options, &run, &err), CM_OK);
    ck_assert_int_eq(cm_run_execute(run, &err), CM_OK);
    ck_assert_uint_eq(ticks, 4);
    cm_run_destroy(run);
    cm_workload_destroy(workload);
}
END_TEST

START_TEST(hints_ranges_and_help_have_a_registered_kind)
{
    struct cm_workload *workload = NULL;
    struct cm_buffer text;
    struct cm_error err;
    ck_assert(is_registered || cm_step_kind_register(&tick));
    is_registered = true;
    ck_assert_int_eq(parse("{\"tock\": {}}", &workload, &err), CM_BAD_INPUT);
    ck_assert_msg(strstr(err.message, "did you mean \"tick\"?") != NULL, "%s", err.message);
    ck_assert_msg(strstr(err.hint, "and tick") != NULL, "%s", err.hint);
    ck_assert_int_eq(parse("{\"tick\": {\"times\": 10}}", &workload, &err), CM_BAD_INPUT);
    cm_buffer_init(&text);
    cm_step_kinds_help(&text);
    ck_assert_ptr_nonnull(strstr(text.data, "tick         counts"));
    cm_buffer_finish(&text);
}
END_TEST

CM_PROGRAM(test_step_kind)
{
    Suite *suite = suite_create("step kind");
    TCase *tests = tcase_create("registered");
    tcase_add_test(tests, a_kind_is_unknown_until_it_is_registered_and_then_runs);
    tcase_add_test(tests, hints_ranges_and_help_have_a_registered_kind);
    suite_add_tcase(suite, tests);
    return cm_run_suite(suite);
}
